/* What docs/protocol.md says, as far as a load test needs it. Sections in brackets. */
#ifndef COMPARE_MARTLET_H
#define COMPARE_MARTLET_H

#include <stdint.h>

#include "little_endian.h"

/* Types of messages [3]. */
enum {
    TYPE_GET = 0x01,
    TYPE_SET = 0x02,
    TYPE_RESULTS = 0x06,
    TYPE_INVALIDATE = 0x10,
    TYPE_RECEIPT = 0x11,
    TYPE_STATUS = 0x12,
    TYPE_STATUS_REPORT = 0x13,
    TYPE_TOPOLOGY = 0x14,
    TYPE_TOPOLOGY_REPORT = 0x15,
    TYPE_ERROR = 0x7F
};

/* Statuses of results, and their flags [5.6]. */
enum { STATUS_HIT = 1, STATUS_MISS = 2, STATUS_STORED = 5, FLAG_UNFENCED = 1 };

enum {
    HEADER_BYTES = 24,      /* [2] */
    PROOF_BYTES = 24,       /* [5.6] */
    RESULT_BYTES = 32,      /* [5.6] */
    GET_BYTES = 4,          /* [5.1] before the key */
    SET_BYTES = 24,         /* [5.2] before the key */
    INVALIDATE_BYTES = 8,   /* [7.1] before the scopes */
    SCOPE_BYTES = 8,        /* [7.1] before the name, without options */
    ERROR_BYTES = 8,        /* [5.7] before the message */
    STATE_LIVE = 3,
    FRAME_BYTES_MAX = 1048576
};

/* The header [2]. No message of ours has fields. */
static inline void header_write(
    char *into, uint8_t type, uint32_t count, uint64_t id, uint32_t body) {
    memset(into, 0, HEADER_BYTES);
    memcpy(into, "ML\x01", 3);
    into[3] = (char)type;
    put16(into + 6, (uint16_t)count);
    put64(into + 8, id);
    put32(into + 20, body);
}

#endif
