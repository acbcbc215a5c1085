/* What the parts of the loader share.
 *
 *     loader.c   starts the workers, adds up, prints          options.c  reads the arguments
 *     worker.c   one thread: what is sent when                histogram.c, content.c
 *     link.c     what waits for an answer on one connection
 *     frames.c   connections over libzmq: Martlet, bare echo  martlet.c  its messages
 *                                                              curve.c    keys
 *     stream.c   connections over TCP                         resp.c, text.c  their messages
 *
 * A worker owns its links, a link its socket; nothing is shared but the options. */
#ifndef COMPARE_LOADER_H
#define COMPARE_LOADER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "content.h"
#include "curve.h"
#include "histogram.h"

enum { BATCH_MAX = 1000, MESSAGES_MAX = 4096, WAIT_MS = 100 };

typedef enum { MARTLET, BARE, RESP, TEXT } Protocol;
typedef enum { GET, SET, INVALIDATE, PUBLISH } Operation;

typedef struct {
    Protocol protocol;
    Operation operation;
    const char *host;      /* of RESP and TEXT */
    const char *port;
    const char *endpoint;  /* of MARTLET and BARE */
    bool has_keys;         /* and by CURVE */
    CurvePair own;
    uint8_t server_key[CURVE_BYTES];
    char prefix;
    uint64_t keys;
    uint32_t value_bytes;
    uint32_t in_flight;    /* keys of one worker */
    uint32_t batch;        /* keys in a message */
    bool gathers;          /* a message goes with fewer, where there is no room for more */
    uint32_t connections;  /* of one worker */
    uint32_t threads;
    double rate;           /* keys a second by a schedule; 0: closed loop */
    double warm_up;        /* s */
    double seconds;
    double linger;         /* s after the window, unless SIGTERM comes */
    uint64_t total;        /* ends after so many keys; 0: by time */
    bool is_sequential;
    uint64_t seed;
    uint64_t spin_ns;
} Options;

/* What became of the keys that were asked for. */
typedef struct {
    uint64_t sent, right, misses, wrong, failed;
    uint64_t counted;      /* of `right` and `misses`, those inside of the window */
    uint64_t messages;
    uint64_t backlog_max;  /* open loop: keys that were due and not sent */
    Histogram latencies;   /* ns, inside of the window */
    char complaint[160];   /* the first thing that was not right */
} Tally;

typedef enum { IS_RIGHT, IS_MISS, IS_WRONG, IS_FAILED } Outcome;

/* A key that is asked for, and since when that was due. */
typedef struct {
    uint64_t number;
    uint64_t due;
} Ask;

/* A message that waits for its answer. */
typedef struct {
    Ask *asks;
    uint32_t count;
    uint32_t answered;     /* of a stream, whose answer may come in parts */
    uint32_t generation;
    bool is_open;          /* of a stream: what stands before the elements was read */
    bool is_waiting;
} Request;

typedef struct Link Link;

typedef struct {
    bool (*open)(Link *link);
    /* Sends, or puts into a buffer, one request whose asks are set. False: there is no room now. */
    bool (*send)(Link *link, uint32_t slot);
    bool (*flush)(Link *link);
    /* Takes the answers that are there; with `waits`, waits at most 100 ms for the first. The
     * number of keys answered, or -1 if the connection is of no use any more. */
    int64_t (*receive)(Link *link, bool waits);
    void (*close)(Link *link);
} Transport;

/* What a stream's bytes mean. */
typedef struct {
    size_t (*request_bytes)(const Options *options, uint32_t count);
    size_t (*write)(const Options *options, const Request *request, char *into);
    /* Reads one element of the request's answer at the front of the bytes. How many it took, 0 if
     * it is not whole, -1 if it is not understood. The last one ends the request's waiting. */
    int64_t (*read)(Link *link, Request *request, const char *bytes, size_t length);
} Language;

typedef struct {
    char *bytes;
    size_t begin, end, capacity;
} Buffer;

struct Link {
    const Options *options;
    const Transport *transport;
    const Language *language;
    Tally *tally;
    uint64_t window_begin, window_end;
    uint64_t now;           /* when the answers that are being read were there */
    Request *requests;
    uint32_t slots;
    uint32_t *free_slots;
    uint32_t free_count;
    uint32_t *order;        /* of a stream: slots in the order of sending, a ring */
    uint64_t order_begin, order_end;
    uint32_t keys_waiting;
    void *context, *socket; /* of libzmq */
    int descriptor;         /* to poll */
    Buffer in, out;
};

extern const Transport frames_transport, stream_transport;
extern const Language resp_language, text_language;

bool link_open(Link *link, const Options *options, Tally *tally, void *context);
void link_close(Link *link);
bool link_has_slot(const Link *link);
/* Sends the asks as one message. False: there is no room now, and nothing was sent. */
bool link_send(Link *link, const Ask *asks, uint32_t count);
void link_answered(Link *link, const Ask *ask, Outcome outcome);
void link_settled(Link *link, uint32_t slot);
__attribute__((format(printf, 2, 3))) void link_complain(Link *link, const char *format, ...);

/* The bytes of a message to Martlet, and what an answer says. */
size_t martlet_request_bytes(const Options *options, uint32_t count);
void martlet_write(const Options *options, const Request *request, uint64_t id, char *into);
int64_t martlet_read(Link *link, const char *bytes, size_t length);

void options_read(Options *options, int count, char **arguments);

typedef struct {
    const Options *options;
    void *context;
    uint32_t index;
    uint64_t window_begin, window_end;
    Tally tally;
    bool failed;
} Worker;

void *worker_run(void *worker);

/* Set by SIGTERM: the workers end. */
extern volatile sig_atomic_t is_ending;

#endif
