/* Whom libzmq asks at each handshake of a context (ZAP, RFC 27 of ZeroMQ): one key is let in, and
 * nobody else. Who is let in gets a number, as a Martlet node gives one. */
#ifndef COMPARE_GATEKEEPER_H
#define COMPARE_GATEKEEPER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "curve.h"

typedef struct {
    uint8_t admitted[CURVE_BYTES];
    _Atomic uint64_t refusals;
    void *socket;
    pthread_t thread;
} Gatekeeper;

/* Before any socket of the context is bound that has keys. False: it could not. */
bool gatekeeper_start(Gatekeeper *gatekeeper, void *context);

/* After `zmq_ctx_shutdown`, which ends its thread. */
void gatekeeper_end(Gatekeeper *gatekeeper);

#endif
