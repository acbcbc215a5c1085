/* One thread of the loader: what is sent when, and how it waits. */
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loader.h"

/* Below this it does not pay to sleep. */
enum { SHORTEST_SLEEP_NS = 20000, CONNECTIONS_MAX = 256 };

/* Which key is next and, in an open loop, when it is due. */
typedef struct {
    uint64_t random;
    uint64_t number;
    double due;
} Sequence;

typedef struct {
    Worker *worker;
    const Options *options;
    Link *links;
    uint32_t turn;   /* of the links, in an open loop */
    Sequence sequence;
    Ask asks[BATCH_MAX];
} Loop;

static uint64_t next_key(Loop *loop) {
    const Options *options = loop->options;
    if (options->is_sequential) return loop->sequence.number++ % options->keys;
    return random_next(&loop->sequence.random) % options->keys;
}

/* The time between two keys of a Poisson process, in ns. */
static double next_gap(Loop *loop) {
    double even = ((double)(random_next(&loop->sequence.random) >> 11) + 0.5) * 0x1p-53;
    return -log(even) * 1e9 / loop->options->rate;
}

/* Sends the first `count` asks; if there is no room, they are drawn again later. */
static bool sends(Loop *loop, Link *link, uint32_t count, const Sequence *before) {
    if (link_send(link, loop->asks, count)) return true;
    loop->sequence = *before;
    return false;
}

static uint32_t room_of(const Loop *loop, const Link *link) {
    if (!link_has_slot(link)) return 0;
    const Options *options = loop->options;
    uint32_t most = options->in_flight / options->connections;
    uint32_t room = most > link->keys_waiting ? most - link->keys_waiting : 0;
    if (options->total > 0) {
        uint64_t left = options->total - loop->worker->tally.sent;
        if (left < room) room = (uint32_t)left;
        if (left < options->batch) return room;
    }
    if (room >= options->batch) return options->batch;
    return options->gathers ? room : 0;
}

/* Closed loop: whatever there is room for is due now. */
static void send_closed(Loop *loop, uint64_t now) {
    for (uint32_t index = 0; index < loop->options->connections; index++) {
        Link *link = &loop->links[index];
        for (uint32_t count; (count = room_of(loop, link)) > 0;) {
            Sequence before = loop->sequence;
            for (uint32_t place = 0; place < count; place++)
                loop->asks[place] = (Ask){next_key(loop), now};
            if (!sends(loop, link, count, &before)) break;
        }
    }
}

/* Open loop: what is due, as far as there is room. */
static void send_open(Loop *loop, uint64_t now) {
    uint32_t full = 0;
    while (loop->sequence.due <= (double)now && full < loop->options->connections) {
        Link *link = &loop->links[loop->turn++ % loop->options->connections];
        uint32_t room = room_of(loop, link), count = 0;
        Sequence before = loop->sequence;
        while (count < room && loop->sequence.due <= (double)now) {
            uint64_t due = (uint64_t)loop->sequence.due;
            loop->asks[count++] = (Ask){next_key(loop), due};
            loop->sequence.due += next_gap(loop);
        }
        full = count > 0 && sends(loop, link, count, &before) ? 0 : full + 1;
    }
    double late = ((double)now - loop->sequence.due) * loop->options->rate / 1e9;
    if (late > (double)loop->worker->tally.backlog_max)
        loop->worker->tally.backlog_max = (uint64_t)late;
}

static int64_t receive(Loop *loop, bool waits) {
    int64_t keys = 0;
    for (uint32_t index = 0; index < loop->options->connections; index++) {
        Link *link = &loop->links[index];
        if (!link->transport->flush(link)) return -1;
        int64_t got = link->transport->receive(link, waits);
        if (got < 0) return -1;
        keys += got;
    }
    return keys;
}

static void sleep_until_readable(Loop *loop, uint64_t longest_ns) {
    struct pollfd waiting[CONNECTIONS_MAX];
    for (uint32_t index = 0; index < loop->options->connections; index++) {
        const Link *link = &loop->links[index];
        bool is_writing = link->out.begin < link->out.end;
        waiting[index].fd = link->descriptor;
        waiting[index].events = (short)(POLLIN | (is_writing ? POLLOUT : 0));
    }
    struct timespec time = {.tv_nsec = (long)longest_ns};
    ppoll(waiting, loop->options->connections, &time, NULL);
}

/* Nothing is there: looks again for a while if told to, then sleeps. The keys answered, or -1. */
static int64_t wait_closed(Loop *loop) {
    uint64_t until = now_ns() + loop->options->spin_ns;
    while (loop->options->spin_ns > 0) {
        int64_t keys = receive(loop, false);
        if (keys != 0 || now_ns() > until) return keys;
        sched_yield();
    }
    bool is_plain = loop->options->connections == 1
        && loop->links[0].out.begin == loop->links[0].out.end;
    if (is_plain) return receive(loop, true);
    sleep_until_readable(loop, WAIT_MS * 1000000U);
    return 0;
}

static int64_t wait_open(Loop *loop, uint64_t now) {
    double left = loop->sequence.due - (double)now;
    if (left < SHORTEST_SLEEP_NS) {
        sched_yield();
    } else {
        uint64_t longest = WAIT_MS * 1000000U;
        sleep_until_readable(loop, left < (double)longest ? (uint64_t)left : longest);
    }
    return 0;
}

static bool is_over(const Loop *loop, uint64_t now) {
    const Tally *tally = &loop->worker->tally;
    uint64_t linger = (uint64_t)(loop->options->linger * 1e9);
    if (is_ending || now >= loop->worker->window_end + linger) return true;
    if (loop->options->total == 0) return false;
    uint64_t settled = tally->right + tally->misses + tally->wrong + tally->failed;
    return settled >= loop->options->total;
}

/* False: a connection was lost, or an answer could not be understood. */
static bool run(Loop *loop) {
    bool is_open = loop->options->rate > 0;
    while (true) {
        uint64_t now = now_ns();
        if (is_over(loop, now)) return true;
        if (is_open)
            send_open(loop, now);
        else
            send_closed(loop, now);
        int64_t keys = receive(loop, false);
        if (keys == 0) keys = is_open ? wait_open(loop, now) : wait_closed(loop);
        if (keys < 0) return false;
    }
}

void *worker_run(void *argument) {
    Worker *worker = argument;
    const Options *options = worker->options;
    Loop *loop = calloc(1, sizeof *loop);
    Link *links = calloc(options->connections, sizeof *links);
    if (loop == NULL || links == NULL) abort();
    *loop = (Loop){.worker = worker, .options = options, .links = links};
    loop->sequence.random = options->seed * 1000003 + worker->index;
    loop->sequence.due = (double)now_ns();
    for (uint32_t index = 0; index < options->connections; index++) {
        if (!link_open(&links[index], options, &worker->tally, worker->context)) {
            link_complain(&links[index], "no connection");
            worker->failed = true;
        }
        links[index].window_begin = worker->window_begin;
        links[index].window_end = worker->window_end;
    }
    if (!worker->failed) worker->failed = !run(loop);
    for (uint32_t index = 0; index < options->connections; index++) link_close(&links[index]);
    free(links);
    free(loop);
    return NULL;
}
