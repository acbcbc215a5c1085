/* Integers as they stand in Martlet's messages. */
#ifndef COMPARE_LITTLE_ENDIAN_H
#define COMPARE_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "integers are copied as they are");

#define LITTLE_ENDIAN(bits)                                                                        \
    static inline void put##bits(char *into, uint##bits##_t value) {                               \
        memcpy(into, &value, sizeof value);                                                        \
    }                                                                                              \
    static inline uint##bits##_t take##bits(const char *from) {                                    \
        uint##bits##_t value;                                                                      \
        memcpy(&value, from, sizeof value);                                                        \
        return value;                                                                              \
    }

LITTLE_ENDIAN(16)
LITTLE_ENDIAN(32)
LITTLE_ENDIAN(64)

#endif
