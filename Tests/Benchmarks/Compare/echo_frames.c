/* Over libzmq: a ROUTER that sends each frame back, or answers as a Martlet node would. */
#include <zmq.h>

#include "content.h"
#include "echo.h"
#include "gatekeeper.h"
#include "martlet.h"

enum { ENDPOINT_BYTES = 64, REPORT_BYTES = 512 };

typedef struct {
    Echo *echo;
    void *socket;
    char endpoint[ENDPOINT_BYTES];
} Node;

static bool listens(Node *node) {
    int none = 0, wait = ECHO_WAIT_MS;
    size_t bytes = sizeof node->endpoint;
    zmq_setsockopt(node->socket, ZMQ_RCVTIMEO, &wait, sizeof wait);
    zmq_setsockopt(node->socket, ZMQ_LINGER, &none, sizeof none);
    zmq_setsockopt(node->socket, ZMQ_SNDHWM, &none, sizeof none);
    zmq_setsockopt(node->socket, ZMQ_RCVHWM, &none, sizeof none);
    if (zmq_bind(node->socket, "tcp://127.0.0.1:*") != 0) return false;
    if (zmq_getsockopt(node->socket, ZMQ_LAST_ENDPOINT, node->endpoint, &bytes) != 0) return false;
    echo_listens(node->echo, node->endpoint);
    return true;
}

/* Writes the proof of a node that is LIVE at 1:1, with a lease of two seconds. */
static char *put_proof(char *at) {
    memset(at, 0, PROOF_BYTES);
    put32(at, 1);
    at[4] = STATE_LIVE;
    put64(at + 8, 1);
    put32(at + 16, 2000);
    put32(at + 20, 1);
    return at + PROOF_BYTES;
}

static char *put_result(char *at, uint8_t status, const char *key, uint32_t value_bytes) {
    memset(at, 0, RESULT_BYTES);
    at[0] = (char)status;
    at[2] = status == STATUS_HIT;
    put32(at + 4, value_bytes);
    memset(at + 16, 0xFF, 8); /* never expires */
    if (value_bytes > 0) value_write(at + RESULT_BYTES, value_bytes, key);
    return at + RESULT_BYTES + value_bytes;
}

/* Answers GET and SET: everything is there, everything is stored. */
static void answer_data(Node *node, const char *request, zmq_msg_t *answer) {
    bool is_get = request[3] == TYPE_GET;
    uint32_t count = take16(request + 6), value_bytes = is_get ? node->echo->value_bytes : 0;
    size_t body = PROOF_BYTES + (size_t)count * (RESULT_BYTES + value_bytes);
    zmq_msg_init_size(answer, HEADER_BYTES + body);
    char *at = zmq_msg_data(answer);
    header_write(at, TYPE_RESULTS, count, take64(request + 8), (uint32_t)body);
    at = put_proof(at + HEADER_BYTES);
    const char *from = request + HEADER_BYTES + take16(request + 18);
    for (uint32_t index = 0; index < count; index++) {
        size_t front = is_get ? GET_BYTES : SET_BYTES;
        at = put_result(at, is_get ? STATUS_HIT : STATUS_STORED, from + front, value_bytes);
        from += front + take16(from) + (is_get ? 0 : take16(from + 4) + take32(from + 16));
    }
    node->echo->keys += count;
}

static char *put_name(char *at, const char *name) {
    size_t length = strlen(name);
    *at++ = (char)length;
    memcpy(at, name, length);
    return at + length;
}

/* Answers TOPOLOGY [7.3]: a sharded cluster of one node, which is its own publisher. */
static void answer_topology(Node *node, const char *request, zmq_msg_t *answer) {
    char report[REPORT_BYTES] = {0};
    put32(report, 1);
    report[4] = 1;
    char *at = put_name(put_name(report + 8, node->endpoint), node->endpoint);
    at[0] = 2;
    at[1] = STATE_LIVE;
    put16(at + 2, 1);
    put32(at + 4, 1000);
    memcpy(at + 8, "n1", 2);
    at = put_name(at + 10, node->endpoint);
    uint32_t body = (uint32_t)(at - report);
    zmq_msg_init_size(answer, HEADER_BYTES + body);
    header_write(zmq_msg_data(answer), TYPE_TOPOLOGY_REPORT, 1, take64(request + 8), body);
    memcpy((char *)zmq_msg_data(answer) + HEADER_BYTES, report, body);
}

/* Answers anything else: unsupported [5.7]. */
static void answer_error(const char *request, zmq_msg_t *answer) {
    zmq_msg_init_size(answer, HEADER_BYTES + ERROR_BYTES);
    char *at = zmq_msg_data(answer);
    header_write(at, TYPE_ERROR, 0, take64(request + 8), ERROR_BYTES);
    memset(at + HEADER_BYTES, 0, ERROR_BYTES);
    put16(at + HEADER_BYTES, 7);
}

static void answer_as_node(Node *node, zmq_msg_t *message) {
    const char *request = zmq_msg_data(message);
    zmq_msg_t answer;
    if (zmq_msg_size(message) < HEADER_BYTES) return;
    if (request[3] == TYPE_GET || request[3] == TYPE_SET)
        answer_data(node, request, &answer);
    else if (request[3] == TYPE_TOPOLOGY)
        answer_topology(node, request, &answer);
    else
        answer_error(request, &answer);
    zmq_msg_move(message, &answer);
    zmq_msg_close(&answer);
}

static void serve(Node *node, bool is_bare) {
    zmq_msg_t who, message;
    zmq_msg_init(&who);
    zmq_msg_init(&message);
    while (!is_ending) {
        echo_tell(node->echo);
        if (zmq_msg_recv(&who, node->socket, 0) < 0) continue;
        if (zmq_msg_recv(&message, node->socket, 0) < 0) continue;
        node->echo->messages++;
        if (is_bare)
            node->echo->keys++;
        else
            answer_as_node(node, &message);
        zmq_msg_send(&who, node->socket, ZMQ_SNDMORE);
        zmq_msg_send(&message, node->socket, 0);
    }
    zmq_msg_close(&who);
    zmq_msg_close(&message);
}

bool echo_frames(Echo *echo, bool is_bare) {
    void *context = zmq_ctx_new();
    Node node = {.echo = echo, .socket = zmq_socket(context, ZMQ_ROUTER)};
    Gatekeeper gatekeeper = {.socket = NULL};
    if (echo->has_keys) {
        memcpy(gatekeeper.admitted, echo->admitted, CURVE_BYTES);
        if (!curve_set(node.socket, &echo->own, NULL)) return false;
        if (!gatekeeper_start(&gatekeeper, context)) return false;
    }
    bool was_there = listens(&node);
    if (was_there) serve(&node, is_bare);
    zmq_close(node.socket);
    zmq_ctx_shutdown(context);
    if (echo->has_keys) gatekeeper_end(&gatekeeper);
    echo->refusals = gatekeeper.refusals;
    zmq_ctx_term(context);
    return was_there;
}
