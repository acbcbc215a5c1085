/* Servers that answer what the loader asks without looking anything up. How fast the loader is
 * against one says how fast it is at most: it was not the limit where a real server is slower.
 *
 *     echo.c         arguments, the counts
 *     echo_frames.c  libzmq: bare (each frame goes back), martlet (right answers, as one node)
 *     gatekeeper.c   who is let in, where there are keys
 *     echo_stream.c  TCP: resp, text */
#ifndef COMPARE_ECHO_H
#define COMPARE_ECHO_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "curve.h"

enum { ECHO_WAIT_MS = 100 };

typedef struct {
    uint32_t value_bytes;
    uint64_t keys;      /* answered */
    uint64_t messages;
    bool has_keys;      /* of CURVE: speaks to the holder of one key alone */
    CurvePair own;
    uint8_t admitted[CURVE_BYTES];
    uint64_t refusals;  /* handshakes of others; known at the end */
    uint64_t told;      /* how often the counts were */
} Echo;

/* Set by SIGTERM and SIGINT. */
extern volatile sig_atomic_t is_ending;

/* Each prints where it listens, and answers until `is_ending`. False: it could not listen. */
bool echo_frames(Echo *echo, bool is_bare);
bool echo_stream(Echo *echo, bool is_text);

void echo_listens(const Echo *echo, const char *endpoint);

/* Prints the counts so far if SIGUSR1 has asked for them. Whoever serves calls it each turn, and
 * sleeps for at most 100 ms. */
void echo_tell(Echo *echo);

#endif
