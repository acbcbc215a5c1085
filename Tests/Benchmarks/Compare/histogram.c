#include "histogram.h"

static uint32_t bucket_of(uint64_t value) {
    if (value < HISTOGRAM_SUBS) return (uint32_t)value;
    uint32_t power = 63U - (uint32_t)__builtin_clzll(value);
    uint32_t shift = power - HISTOGRAM_SUB_BITS;
    uint32_t sub = (uint32_t)(value >> shift) - HISTOGRAM_SUBS;
    return (shift + 1) * HISTOGRAM_SUBS + sub;
}

static uint64_t greatest_in(uint32_t bucket) {
    if (bucket < HISTOGRAM_SUBS) return bucket;
    uint32_t shift = bucket / HISTOGRAM_SUBS - 1;
    uint64_t sub = bucket % HISTOGRAM_SUBS + HISTOGRAM_SUBS;
    return ((sub + 1) << shift) - 1;
}

void histogram_add(Histogram *histogram, uint64_t value) {
    histogram->counts[bucket_of(value)]++;
    histogram->total++;
    if (value > histogram->greatest) histogram->greatest = value;
}

void histogram_merge(Histogram *into, const Histogram *from) {
    for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
        into->counts[bucket] += from->counts[bucket];
    into->total += from->total;
    if (from->greatest > into->greatest) into->greatest = from->greatest;
}

uint64_t histogram_percentile(const Histogram *histogram, double share) {
    if (histogram->total == 0) return 0;
    uint64_t wanted = (uint64_t)(share * (double)histogram->total + 0.5);
    if (wanted < 1) wanted = 1;
    uint64_t seen = 0;
    for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        seen += histogram->counts[bucket];
        if (seen < wanted) continue;
        uint64_t bound = greatest_in(bucket);
        return bound < histogram->greatest ? bound : histogram->greatest;
    }
    return histogram->greatest;
}
