#include "gatekeeper.h"

#include <signal.h>
#include <string.h>
#include <zmq.h>

/* Of a request: version, id, domain, address, identity, mechanism, the key. */
enum { FRAMES = 7, ID = 1, MECHANISM = 5, KEY = 6, FRAME_BYTES = 256 };

typedef struct {
    char bytes[FRAMES][FRAME_BYTES];
    int lengths[FRAMES];
    int count;
} Knock;

static bool is_let_in(const Gatekeeper *gatekeeper, const Knock *knock) {
    return knock->count == FRAMES && knock->lengths[MECHANISM] == 5
        && memcmp(knock->bytes[MECHANISM], "CURVE", 5) == 0 && knock->lengths[KEY] == CURVE_BYTES
        && memcmp(knock->bytes[KEY], gatekeeper->admitted, CURVE_BYTES) == 0;
}

/* Receives all frames of a request; those that are too long, or too many, make it none. False: the
 * context is ending. */
static bool hear(Gatekeeper *gatekeeper, Knock *knock) {
    int more = 1;
    size_t bytes = sizeof more;
    for (knock->count = 0; more; knock->count++) {
        int place = knock->count < FRAMES ? knock->count : FRAMES - 1;
        int got = zmq_recv(gatekeeper->socket, knock->bytes[place], FRAME_BYTES, 0);
        if (got < 0) return false;
        knock->lengths[place] = got;
        zmq_getsockopt(gatekeeper->socket, ZMQ_RCVMORE, &more, &bytes);
    }
    return true;
}

static void say(const Gatekeeper *gatekeeper, const char *bytes, size_t length, int flags) {
    zmq_send(gatekeeper->socket, bytes, length, flags);
}

static void answer(Gatekeeper *gatekeeper, const Knock *knock) {
    bool is_in = is_let_in(gatekeeper, knock);
    int id_bytes = knock->lengths[ID] < FRAME_BYTES ? knock->lengths[ID] : 0;
    if (!is_in) gatekeeper->refusals++;
    say(gatekeeper, "1.0", 3, ZMQ_SNDMORE);
    say(gatekeeper, knock->bytes[ID], (size_t)id_bytes, ZMQ_SNDMORE);
    say(gatekeeper, is_in ? "200" : "400", 3, ZMQ_SNDMORE);
    say(gatekeeper, "", 0, ZMQ_SNDMORE);
    say(gatekeeper, "1", is_in ? 1 : 0, ZMQ_SNDMORE);
    say(gatekeeper, "", 0, 0);
}

static void *run(void *argument) {
    Gatekeeper *gatekeeper = argument;
    Knock knock = {.count = 0};
    while (hear(gatekeeper, &knock)) answer(gatekeeper, &knock);
    zmq_close(gatekeeper->socket);
    return NULL;
}

bool gatekeeper_start(Gatekeeper *gatekeeper, void *context) {
    gatekeeper->socket = zmq_socket(context, ZMQ_REP);
    if (zmq_bind(gatekeeper->socket, "inproc://zeromq.zap.01") != 0) return false;
    /* Signals are for the thread that serves. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_running = pthread_create(&gatekeeper->thread, NULL, run, gatekeeper) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_running;
}

void gatekeeper_end(Gatekeeper *gatekeeper) { pthread_join(gatekeeper->thread, NULL); }
