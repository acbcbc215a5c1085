#include "CMemory.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static const size_t alignment = (size_t)2 << 20;

size_t cache_page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void *cache_reserve(size_t bytes) {
    size_t whole = bytes + alignment;
    char *start = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return NULL;
    /* Keep the aligned part, return what lies before and behind it. */
    size_t before = (alignment - (uintptr_t)start % alignment) % alignment;
    if (before > 0) munmap(start, before);
    char *range = start + before;
    size_t behind = whole - before - bytes;
    if (behind > 0) munmap(range + bytes, behind);
    return range;
}

void cache_unreserve(void *range, size_t bytes) { munmap(range, bytes); }

void cache_give_back(void *pages, size_t bytes) {
#ifdef __linux__
    madvise(pages, bytes, MADV_DONTNEED);
#else
    madvise(pages, bytes, MADV_FREE);
#endif
}

void cache_prefer_huge_pages(void *range, size_t bytes) {
#ifdef MADV_HUGEPAGE
    madvise(range, bytes, MADV_HUGEPAGE);
#else
    (void)range;
    (void)bytes;
#endif
}
