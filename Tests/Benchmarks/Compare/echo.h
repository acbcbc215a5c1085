/* Servers that answer what the loader asks without looking anything up. How fast the loader is
 * against one says how fast it is at most: it was not the limit where a real server is slower.
 *
 *     echo.c         arguments, the counts at the end
 *     echo_frames.c  libzmq: bare (each frame goes back), martlet (right answers, as one node)
 *     echo_stream.c  TCP: resp, text */
#ifndef COMPARE_ECHO_H
#define COMPARE_ECHO_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t value_bytes;
    uint64_t keys;      /* answered */
    uint64_t messages;
} Echo;

/* Set by SIGTERM and SIGINT. */
extern volatile sig_atomic_t is_ending;

/* Each prints where it listens, and answers until `is_ending`. False: it could not listen. */
bool echo_frames(Echo *echo, bool is_bare);
bool echo_stream(Echo *echo, bool is_text);

void echo_listens(const char *endpoint);

#endif
