/* What waits for an answer on one connection: slots that messages take and give back. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

static void *allocate(size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    if (memory == NULL) abort();
    return memory;
}

static bool is_framed(const Options *options) {
    return options->protocol == MARTLET || options->protocol == BARE;
}

bool link_open(Link *link, const Options *options, Tally *tally, void *context) {
    memset(link, 0, sizeof *link);
    link->options = options;
    link->tally = tally;
    link->context = context;
    link->transport = is_framed(options) ? &frames_transport : &stream_transport;
    link->language = options->protocol == TEXT ? &text_language : &resp_language;
    uint32_t least = options->gathers ? 1 : options->batch;
    link->slots = options->in_flight / least + 1;
    if (is_framed(options) && link->slots > MESSAGES_MAX) link->slots = MESSAGES_MAX;
    link->requests = allocate(link->slots, sizeof *link->requests);
    link->free_slots = allocate(link->slots, sizeof *link->free_slots);
    link->order = allocate(link->slots, sizeof *link->order);
    for (uint32_t slot = 0; slot < link->slots; slot++) {
        link->requests[slot].asks = allocate(options->batch, sizeof(Ask));
        link->free_slots[link->free_count++] = link->slots - 1 - slot;
    }
    return link->transport->open(link);
}

void link_close(Link *link) {
    link->transport->close(link);
    for (uint32_t slot = 0; slot < link->slots; slot++) free(link->requests[slot].asks);
    free(link->requests);
    free(link->free_slots);
    free(link->order);
    free(link->in.bytes);
    free(link->out.bytes);
}

bool link_has_slot(const Link *link) { return link->free_count > 0; }

bool link_send(Link *link, const Ask *asks, uint32_t count) {
    uint32_t slot = link->free_slots[link->free_count - 1];
    Request *request = &link->requests[slot];
    memcpy(request->asks, asks, count * sizeof *asks);
    request->count = count;
    request->answered = 0;
    request->is_open = false;
    request->generation++;
    if (!link->transport->send(link, slot)) return false;
    request->is_waiting = true;
    link->free_count--;
    link->keys_waiting += count;
    link->order[link->order_end++ % link->slots] = slot;
    link->tally->sent += count;
    link->tally->messages++;
    return true;
}

void link_settled(Link *link, uint32_t slot) {
    Request *request = &link->requests[slot];
    request->is_waiting = false;
    link->keys_waiting -= request->count;
    link->free_slots[link->free_count++] = slot;
}

void link_answered(Link *link, const Ask *ask, Outcome outcome) {
    Tally *tally = link->tally;
    switch (outcome) {
    case IS_RIGHT: tally->right++; break;
    case IS_MISS: tally->misses++; break;
    case IS_WRONG: tally->wrong++; return;
    case IS_FAILED: tally->failed++; return;
    }
    if (link->now < link->window_begin || link->now >= link->window_end) return;
    tally->counted++;
    histogram_add(&tally->latencies, link->now > ask->due ? link->now - ask->due : 0);
}

void link_complain(Link *link, const char *format, ...) {
    if (link->tally->complaint[0] != 0) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(link->tally->complaint, sizeof link->tally->complaint, format, arguments);
    va_end(arguments);
}
