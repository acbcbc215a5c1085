#define _GNU_SOURCE
#include "CMeasure.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { threads_max = 256 };

/* One counter for each thread, a line of the cache apart, so that counting needs no lock. */
static struct counter {
    _Alignas(64) atomic_uint_fast64_t count;
} counters[threads_max];
static atomic_uint thread_count;
static __thread uint64_t allocations;
static __thread struct counter *mine;

static inline void count_allocation(void) {
    allocations++;
    if (!mine) {
        unsigned number = atomic_fetch_add(&thread_count, 1);
        mine = &counters[number < threads_max ? number : threads_max - 1];
    }
    atomic_store_explicit(
        &mine->count, atomic_load_explicit(&mine->count, memory_order_relaxed) + 1,
        memory_order_relaxed);
}

uint64_t measure_allocations(void) { return allocations; }

uint64_t measure_all_allocations(void) {
    uint64_t all = 0;
    for (int i = 0; i < threads_max; i++) {
        all += atomic_load_explicit(&counters[i].count, memory_order_relaxed);
    }
    return all;
}

/* A definition in the program comes before the library's; glibc keeps its own under other names.
 * A sanitizer brings its own allocator, which these would take the place of. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes) {
    count_allocation();
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    count_allocation();
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes) {
    count_allocation();
    return __libc_realloc(block, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    count_allocation();
    *block = __libc_memalign(alignment, bytes);
    return *block ? 0 : 12;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    count_allocation();
    return __libc_memalign(alignment, bytes);
}
#endif

uint64_t measure_resident_bytes(void) {
    unsigned long long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    int count = fscanf(file, "%llu %llu", &size, &resident);
    fclose(file);
    return count == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

uint64_t measure_thread_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t measure_process_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
