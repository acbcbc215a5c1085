/* Latencies in buckets that are wider the greater the latency: 64 to a power of two, so that a
 * percentile is read off within 1.6 % of what it was (as HdrHistogram does). */
#ifndef COMPARE_HISTOGRAM_H
#define COMPARE_HISTOGRAM_H

#include <stdint.h>

enum {
    HISTOGRAM_SUB_BITS = 6,
    HISTOGRAM_SUBS = 1 << HISTOGRAM_SUB_BITS,
    HISTOGRAM_BUCKETS = (64 - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUBS
};

typedef struct {
    uint64_t counts[HISTOGRAM_BUCKETS];
    uint64_t total;
    uint64_t greatest;
} Histogram;

void histogram_add(Histogram *histogram, uint64_t value);

void histogram_merge(Histogram *into, const Histogram *from);

/* The least upper bound of a bucket below which the share (0 to 1) of the values lies; 0 if there
 * are none. */
uint64_t histogram_percentile(const Histogram *histogram, double share);

#endif
