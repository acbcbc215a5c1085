/* Caches of a Redis client: each connection holds a table of keys, is told what has changed, and
 * drops that. Prints how many keys each dropped so far, ten times a second, until SIGTERM.
 *
 *     listener HOST PORT CONNECTIONS tracking|subscribe KEYS
 *
 * tracking: RESP 3 with CLIENT TRACKING in broadcast mode; subscribe: the channel `invalidation`,
 * whose messages are keys of 16 bytes one behind the other. One process a connection, as the nodes
 * of a cluster are processes, so that none waits for another. */
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "content.h"

enum { READ_BYTES = 1 << 18, BUFFER_BYTES = READ_BYTES + (1 << 20), CONNECTIONS_MAX = 64 };

/* What the processes share: counts, each written by one. A line of the cache for each. */
typedef struct {
    volatile uint64_t dropped;
    volatile uint64_t ready;
    char padding[48];
} Count;

typedef struct {
    int descriptor;
    bool tracks;
    uint64_t keys;
    unsigned char *holds; /* by key: whether the cache holds it */
    Count *count;
    char bytes[BUFFER_BYTES];
    size_t filled;
} Listener;

static volatile sig_atomic_t is_ending;

static void end(int signal) {
    (void)signal;
    is_ending = 1;
}

static int connected(const char *host, const char *port) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
    int descriptor = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (connect(descriptor, found->ai_addr, found->ai_addrlen) != 0) descriptor = -1;
    freeaddrinfo(found);
    return descriptor;
}

/* Drops a key: it is looked up by its number, and marked again as if it had been loaded anew. */
static void drop(Listener *listener, const char *key) {
    uint64_t number = 0;
    for (int place = 1; place < KEY_BYTES; place++)
        number = number * 10 + (uint64_t)(key[place] - '0');
    listener->holds[number % listener->keys] ^= 1;
    listener->count->dropped++;
}

/* Reads the words that are whole. Each bulk that is one key or a row of keys is dropped: words of
 * other lengths and those that are no keys are names of messages and channels. */
static void read_words(Listener *listener) {
    size_t at = 0;
    while (at < listener->filled) {
        const char *line = memchr(listener->bytes + at, '\n', listener->filled - at);
        if (line == NULL) break;
        size_t front = (size_t)(line - listener->bytes) + 1 - at;
        if (listener->bytes[at] != '$') {
            at += front;
            continue;
        }
        size_t length = strtoul(listener->bytes + at + 1, NULL, 10);
        if (listener->filled - at < front + length + 2) break;
        const char *word = listener->bytes + at + front;
        bool is_keys = length >= KEY_BYTES && length % KEY_BYTES == 0 && word[0] == 'k'
            && word[1] >= '0' && word[1] <= '9';
        for (size_t key = 0; is_keys && key < length; key += KEY_BYTES) drop(listener, word + key);
        at += front + length + 2;
    }
    memmove(listener->bytes, listener->bytes + at, listener->filled - at);
    listener->filled -= at;
}

static int listen_on(Listener *listener) {
    const char *ask = listener->tracks
        ? "HELLO 3\r\nCLIENT TRACKING ON BCAST PREFIX k\r\n" : "SUBSCRIBE invalidation\r\n";
    if (send(listener->descriptor, ask, strlen(ask), MSG_NOSIGNAL) < 0) return 1;
    while (!is_ending) {
        if (listener->filled == sizeof listener->bytes) return 1;
        ssize_t got = recv(listener->descriptor, listener->bytes + listener->filled,
            sizeof listener->bytes - listener->filled, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return is_ending ? 0 : 1;
        listener->filled += (size_t)got;
        bool is_first = listener->count->ready == 0;
        if (is_first && memmem(listener->bytes, listener->filled, "-ERR", 4) != NULL) return 1;
        listener->count->ready = 1;
        read_words(listener);
    }
    return 0;
}

static int child(char **arguments, Count *count) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL) return 1;
    listener->keys = strtoull(arguments[5], NULL, 10);
    listener->tracks = strcmp(arguments[4], "tracking") == 0;
    listener->holds = calloc(listener->keys, 1);
    listener->count = count;
    listener->descriptor = connected(arguments[1], arguments[2]);
    if (listener->holds == NULL || listener->descriptor < 0) return 1;
    return listen_on(listener);
}

static void print_counts(const Count *counts, int connections) {
    bool are_ready = true;
    for (int index = 0; index < connections; index++)
        are_ready = are_ready && counts[index].ready != 0;
    printf("{\"event\":\"counts\",\"ready\":%s,\"at_ns\":%llu,\"dropped\":[",
        are_ready ? "true" : "false", (unsigned long long)now_ns());
    for (int index = 0; index < connections; index++)
        printf("%s%llu", index > 0 ? "," : "", (unsigned long long)counts[index].dropped);
    printf("]}\n");
    fflush(stdout);
}

int main(int count, char **arguments) {
    int connections = count == 6 ? atoi(arguments[3]) : 0;
    if (connections < 1 || connections > CONNECTIONS_MAX || strtoull(arguments[5], NULL, 10) == 0) {
        fputs("usage: listener HOST PORT CONNECTIONS tracking|subscribe KEYS\n", stderr);
        return 64;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    Count *counts = mmap(NULL, sizeof *counts * CONNECTIONS_MAX, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED) return 1;
    pid_t children[CONNECTIONS_MAX];
    for (int index = 0; index < connections; index++) {
        children[index] = fork();
        if (children[index] < 0) is_ending = 1;
        if (children[index] == 0) _exit(child(arguments, &counts[index]));
    }
    bool is_whole = true;
    while (!is_ending && is_whole) {
        struct timespec tenth = {.tv_nsec = 100000000};
        nanosleep(&tenth, NULL);
        print_counts(counts, connections);
        pid_t gone = waitpid(-1, NULL, WNOHANG);
        for (int index = 0; index < connections; index++)
            if (children[index] == gone) children[index] = -1;
        is_whole = gone == 0;
    }
    for (int index = 0; index < connections; index++)
        if (children[index] > 0) kill(children[index], SIGKILL);
    return is_whole ? 0 : 1;
}
