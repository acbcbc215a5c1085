/* Connections over libzmq: a DEALER to Martlet, or to an echo that sends each frame back. */
#include <errno.h>
#include <string.h>
#include <zmq.h>

#include "loader.h"
#include "martlet.h"

static void set(void *socket, int option, int value) {
    zmq_setsockopt(socket, option, &value, sizeof value);
}

static bool frames_open(Link *link) {
    size_t bytes = sizeof link->descriptor;
    link->socket = zmq_socket(link->context, ZMQ_DEALER);
    if (link->socket == NULL) return false;
    set(link->socket, ZMQ_LINGER, 0);
    set(link->socket, ZMQ_SNDHWM, 0); /* what is on its way is bounded by the slots */
    set(link->socket, ZMQ_RCVHWM, 0);
    set(link->socket, ZMQ_RCVTIMEO, WAIT_MS);
    const Options *options = link->options;
    if (options->has_keys && !curve_set(link->socket, &options->own, options->server_key))
        return false;
    return zmq_connect(link->socket, options->endpoint) == 0
        && zmq_getsockopt(link->socket, ZMQ_FD, &link->descriptor, &bytes) == 0;
}

static size_t frame_bytes(const Options *options, uint32_t count) {
    if (options->protocol == MARTLET) return martlet_request_bytes(options, count);
    return sizeof(uint64_t) + KEY_BYTES + options->value_bytes;
}

static void write_bare(const Options *options, const Request *request, uint64_t id, char *into) {
    put64(into, id);
    char *key = into + sizeof id;
    key_write(key, options->prefix, request->asks[0].number);
    value_write(key + KEY_BYTES, options->value_bytes, key);
}

static bool frames_send(Link *link, uint32_t slot) {
    const Request *request = &link->requests[slot];
    uint64_t id = (uint64_t)request->generation << 32 | slot;
    zmq_msg_t message;
    if (zmq_msg_init_size(&message, frame_bytes(link->options, request->count)) != 0) return false;
    if (link->options->protocol == MARTLET)
        martlet_write(link->options, request, id, zmq_msg_data(&message));
    else
        write_bare(link->options, request, id, zmq_msg_data(&message));
    if (zmq_msg_send(&message, link->socket, ZMQ_DONTWAIT) >= 0) return true;
    zmq_msg_close(&message);
    return false;
}

static bool frames_flush(Link *link) {
    (void)link;
    return true;
}

static int64_t read_bare(Link *link, const char *bytes, size_t length) {
    uint32_t slot = length < sizeof(uint64_t) ? link->slots : (uint32_t)take64(bytes);
    if (slot >= link->slots || !link->requests[slot].is_waiting) return -1;
    const Ask *ask = &link->requests[slot].asks[0];
    char key[KEY_BYTES];
    key_write(key, link->options->prefix, ask->number);
    const char *value = bytes + sizeof(uint64_t) + KEY_BYTES;
    bool is_right = length == frame_bytes(link->options, 1)
        && value_is_right(value, link->options->value_bytes, key);
    if (!is_right) link_complain(link, "a frame of %zu bytes came back changed", length);
    link_answered(link, ask, is_right ? IS_RIGHT : IS_WRONG);
    link_settled(link, slot);
    return 1;
}

static int64_t frames_receive(Link *link, bool waits) {
    int64_t keys = 0;
    zmq_msg_t message;
    zmq_msg_init(&message);
    while (zmq_msg_recv(&message, link->socket, waits ? 0 : ZMQ_DONTWAIT) >= 0) {
        waits = false;
        link->now = now_ns();
        const char *bytes = zmq_msg_data(&message);
        size_t length = zmq_msg_size(&message);
        int64_t read = link->options->protocol == MARTLET ? martlet_read(link, bytes, length)
                                                          : read_bare(link, bytes, length);
        if (read < 0) keys = -1;
        if (read < 0) break;
        keys += read;
        if (keys >= link->options->in_flight) break;
    }
    zmq_msg_close(&message);
    return keys;
}

static void frames_close(Link *link) {
    if (link->socket != NULL) zmq_close(link->socket);
}

const Transport frames_transport = {
    frames_open, frames_send, frames_flush, frames_receive, frames_close};
