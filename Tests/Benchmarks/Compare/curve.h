/* Keys of CURVE as Martlet writes them: 64 hexadecimal digits, behind an endpoint as `?key=…`, and
 * in files of `martlet keygen`. */
#ifndef COMPARE_CURVE_H
#define COMPARE_CURVE_H

#include <stdbool.h>
#include <stdint.h>

enum { CURVE_BYTES = 32, CURVE_DIGITS = 2 * CURVE_BYTES };

typedef struct {
    uint8_t public_key[CURVE_BYTES];
    uint8_t secret_key[CURVE_BYTES];
} CurvePair;

/* Reads a key that is the whole text. False: it is none. */
bool curve_key(uint8_t *into, const char *digits);

/* Reads the lines `public-key …` and `secret-key …` of a file. False: they are not there. */
bool curve_read(CurvePair *into, const char *path);

/* What stands behind an endpoint's `?key=`, which is cut off it; NULL if nothing does. */
const char *curve_cut(char *endpoint);

/* Has a socket of libzmq prove who it is. To a server's key it connects, and to no other's holder;
 * without one it is a server itself. False: this libzmq has no CURVE. */
bool curve_set(void *socket, const CurvePair *keys, const uint8_t *server_key);

#endif
