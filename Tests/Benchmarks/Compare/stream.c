/* Connections over TCP, on which answers come in the order of the questions. */
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "loader.h"

enum { READ_BYTES = 1 << 18, ELEMENT_OVERHEAD = 256 };

static void prepare(Buffer *buffer, size_t capacity) {
    buffer->bytes = malloc(capacity);
    if (buffer->bytes == NULL) abort();
    buffer->capacity = capacity;
    buffer->begin = buffer->end = 0;
}

static void move_to_front(Buffer *buffer) {
    if (buffer->begin == 0) return;
    memmove(buffer->bytes, buffer->bytes + buffer->begin, buffer->end - buffer->begin);
    buffer->end -= buffer->begin;
    buffer->begin = 0;
}

static bool stream_open(Link *link) {
    const Options *options = link->options;
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
    link->descriptor = -1;
    size_t request = link->language->request_bytes(options, options->batch);
    prepare(&link->in, READ_BYTES + options->value_bytes + ELEMENT_OVERHEAD);
    prepare(&link->out, request * link->slots + READ_BYTES);
    if (getaddrinfo(options->host, options->port, &hints, &found) != 0) return false;
    link->descriptor = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    bool is_connected = link->descriptor >= 0
        && connect(link->descriptor, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    int yes = 1;
    struct timeval patience = {.tv_usec = WAIT_MS * 1000};
    setsockopt(link->descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(link->descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return is_connected;
}

static bool stream_send(Link *link, uint32_t slot) {
    const Request *request = &link->requests[slot];
    size_t needed = link->language->request_bytes(link->options, request->count);
    if (link->out.capacity - link->out.end < needed) move_to_front(&link->out);
    if (link->out.capacity - link->out.end < needed) return false;
    link->out.end +=
        link->language->write(link->options, request, link->out.bytes + link->out.end);
    return true;
}

static bool stream_flush(Link *link) {
    while (link->out.begin < link->out.end) {
        ssize_t sent = send(link->descriptor, link->out.bytes + link->out.begin,
            link->out.end - link->out.begin, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (sent < 0) return false;
        link->out.begin += (size_t)sent;
    }
    link->out.begin = link->out.end = 0;
    return true;
}

/* Reads the elements that are whole; the keys answered, or -1. */
static int64_t read_elements(Link *link) {
    int64_t keys = 0;
    while (link->in.begin < link->in.end && link->order_begin < link->order_end) {
        uint32_t slot = link->order[link->order_begin % link->slots];
        Request *request = &link->requests[slot];
        uint32_t before = request->answered;
        int64_t taken = link->language->read(link, request, link->in.bytes + link->in.begin,
            link->in.end - link->in.begin);
        if (taken < 0) return -1;
        if (taken == 0) break;
        link->in.begin += (size_t)taken;
        keys += request->answered - before;
        if (request->is_waiting) continue;
        link->order_begin++;
        link_settled(link, slot);
    }
    return keys;
}

static int64_t stream_receive(Link *link, bool waits) {
    if (link->in.begin == link->in.end) link->in.begin = link->in.end = 0;
    if (link->in.capacity - link->in.end < READ_BYTES / 2) move_to_front(&link->in);
    ssize_t got = recv(link->descriptor, link->in.bytes + link->in.end,
        link->in.capacity - link->in.end, waits ? 0 : MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (got == 0) {
        link_complain(link, "the server closed the connection");
        return -1;
    }
    link->now = now_ns();
    link->in.end += (size_t)got;
    return read_elements(link);
}

static void stream_close(Link *link) {
    if (link->descriptor >= 0) close(link->descriptor);
}

const Transport stream_transport = {
    stream_open, stream_send, stream_flush, stream_receive, stream_close};
