/* Over TCP: answers what the loader asks of Redis or memcached. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "content.h"
#include "echo.h"

enum { PEERS_MAX = 256, IN_BYTES = 1 << 20, OUT_BYTES = 1 << 18, AROUND_BYTES = 64 };

typedef struct {
    int descriptor;
    char *in;
    size_t in_bytes;
    size_t filled;
} Peer;

typedef struct {
    Echo *echo;
    bool is_text;
    int listener;
    Peer peers[PEERS_MAX];
    int count;
    char *out;
    size_t out_bytes, out_capacity;
    int out_to;
} House;

static void flush(House *house) {
    size_t sent = 0;
    while (sent < house->out_bytes) {
        ssize_t now = send(house->out_to, house->out + sent, house->out_bytes - sent, MSG_NOSIGNAL);
        if (now < 0 && errno == EINTR && !is_ending) continue;
        if (now <= 0) break;
        sent += (size_t)now;
    }
    house->out_bytes = 0;
}

static void say(House *house, const char *bytes, size_t length) {
    if (house->out_bytes + length > OUT_BYTES && house->out_bytes > 0) flush(house);
    memcpy(house->out + house->out_bytes, bytes, length);
    house->out_bytes += length;
}

static void say_value(House *house, const char *key) {
    uint32_t bytes = house->echo->value_bytes;
    if (house->out_bytes + bytes + AROUND_BYTES > OUT_BYTES && house->out_bytes > 0) flush(house);
    char *at = house->out + house->out_bytes, *begin = at;
    at += house->is_text ? sprintf(at, "VALUE %.16s 0 %u\r\n", key, bytes)
                         : sprintf(at, "$%u\r\n", bytes);
    value_write(at, bytes, key);
    memcpy(at + bytes, "\r\n", 2);
    house->out_bytes += (size_t)(at + bytes + 2 - begin);
    house->echo->keys++;
}

/* One command of memcached at the front; how many bytes it took, 0 if it is not whole. */
static size_t take_text(House *house, const char *bytes, size_t length) {
    const char *line = memchr(bytes, '\n', length);
    if (line == NULL) return 0;
    size_t taken = (size_t)(line - bytes) + 1;
    if (bytes[0] == 's') {
        char *end = NULL;
        strtoul(bytes + 5 + KEY_BYTES, &end, 10);
        strtoul(end, &end, 10);
        taken += strtoul(end, NULL, 10) + 2;
        if (length < taken) return 0;
        say(house, "STORED\r\n", 8);
        house->echo->keys++;
        return taken;
    }
    for (const char *key = bytes + 4; key + KEY_BYTES < line; key += KEY_BYTES + 1)
        say_value(house, key);
    say(house, "END\r\n", 5);
    return taken;
}

/* Goes over the words of one command of Redis, and answers them with `answers`. How many bytes it
 * took, 0 if it is not whole. */
static size_t walk_resp(House *house, const char *bytes, size_t length, bool answers) {
    const char *end = bytes + length, *at = bytes;
    char kind = 0;
    unsigned long count = 0;
    for (unsigned long word = 0; word <= count; word++) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        if (line == NULL) return 0;
        unsigned long number = strtoul(at + 1, NULL, 10);
        at = line + 1;
        if (word == 0) {
            count = number;
            continue;
        }
        if ((size_t)(end - at) < number + 2) return 0;
        if (word == 1) kind = at[0] == 'M' ? at[1] : at[0];
        bool is_many = count != 2;
        if (answers && word == 1 && kind == 'G' && is_many) {
            char head[24];
            say(house, head, (size_t)sprintf(head, "*%lu\r\n", count - 1));
        }
        if (answers && word > 1 && kind == 'G') say_value(house, at);
        at += number + 2;
    }
    if (answers && kind == 'S') say(house, "+OK\r\n", 5);
    if (answers && kind == 'P') say(house, ":0\r\n", 4);
    if (answers && kind != 'G') house->echo->keys += (count - 1) / 2;
    return (size_t)(at - bytes);
}

static size_t take_resp(House *house, const char *bytes, size_t length) {
    if (walk_resp(house, bytes, length, false) == 0) return 0;
    return walk_resp(house, bytes, length, true);
}

/* False: the peer is gone. */
static bool serve(House *house, Peer *peer) {
    if (peer->filled == peer->in_bytes) return false;
    ssize_t got = recv(peer->descriptor, peer->in + peer->filled, peer->in_bytes - peer->filled, 0);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    peer->filled += (size_t)got;
    house->out_to = peer->descriptor;
    size_t done = 0, taken = 1;
    while (taken > 0 && done < peer->filled) {
        const char *at = peer->in + done;
        taken = house->is_text ? take_text(house, at, peer->filled - done)
                               : take_resp(house, at, peer->filled - done);
        done += taken;
        if (taken > 0) house->echo->messages++;
    }
    flush(house);
    memmove(peer->in, peer->in + done, peer->filled - done);
    peer->filled -= done;
    return true;
}

static void welcome(House *house) {
    int descriptor = accept(house->listener, NULL, NULL), yes = 1;
    if (descriptor < 0 || house->count == PEERS_MAX) return;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Peer *peer = &house->peers[house->count++];
    *peer = (Peer){.descriptor = descriptor, .in = malloc(IN_BYTES), .in_bytes = IN_BYTES};
    if (peer->in == NULL) abort();
}

static void leave(House *house, int index) {
    close(house->peers[index].descriptor);
    free(house->peers[index].in);
    house->peers[index] = house->peers[--house->count];
}

static bool listens(House *house) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t bytes = sizeof address;
    char endpoint[40];
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    house->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(house->listener, (struct sockaddr *)&address, sizeof address) != 0) return false;
    if (listen(house->listener, PEERS_MAX) != 0) return false;
    getsockname(house->listener, (struct sockaddr *)&address, &bytes);
    snprintf(endpoint, sizeof endpoint, "127.0.0.1:%d", ntohs(address.sin_port));
    echo_listens(house->echo, endpoint);
    return true;
}

bool echo_stream(Echo *echo, bool is_text) {
    House *house = calloc(1, sizeof *house);
    if (house == NULL) abort();
    house->echo = echo;
    house->is_text = is_text;
    house->out = malloc(OUT_BYTES + (size_t)echo->value_bytes + AROUND_BYTES);
    if (house->out == NULL) abort();
    if (!listens(house)) return false;
    while (!is_ending) {
        echo_tell(echo);
        struct pollfd waiting[PEERS_MAX + 1];
        waiting[0] = (struct pollfd){.fd = house->listener, .events = POLLIN};
        int count = house->count;
        for (int index = 0; index < count; index++)
            waiting[index + 1] =
                (struct pollfd){.fd = house->peers[index].descriptor, .events = POLLIN};
        if (poll(waiting, (nfds_t)count + 1, ECHO_WAIT_MS) <= 0) continue;
        /* From the last on: one that leaves gives its place to the last. */
        for (int index = count - 1; index >= 0; index--)
            if (waiting[index + 1].revents != 0 && !serve(house, &house->peers[index]))
                leave(house, index);
        if (waiting[0].revents != 0) welcome(house);
    }
    while (house->count > 0) leave(house, house->count - 1);
    close(house->listener);
    free(house->out);
    free(house);
    return true;
}
