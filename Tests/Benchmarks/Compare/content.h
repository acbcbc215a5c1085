/* Keys by number, and the value that belongs to each, so that every answer can be checked.
 *
 * A key is one letter and 15 digits: what `martlet bench` asks for, and what redis-benchmark can be
 * told to. A value begins with its key and goes on with one fixed byte. */
#ifndef COMPARE_CONTENT_H
#define COMPARE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { KEY_BYTES = 16, VALUE_FILL = 'v' };

void key_write(char *into, char prefix, uint64_t number);

/* Writes the value of a key of KEY_BYTES bytes. */
void value_write(char *into, size_t bytes, const char *key);

/* Whether the value has that key at its front and the fill at its end and in the middle. A sample:
 * to look at each byte would make the loader the limit. */
bool value_is_right(const char *value, size_t bytes, const char *key);

/* A pseudo-random sequence (SplitMix64): the next of it. */
uint64_t random_next(uint64_t *state);

/* Nanoseconds on the monotonic clock. */
static inline uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

#endif
