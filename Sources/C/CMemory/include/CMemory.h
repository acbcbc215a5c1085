/* Memory as the processor and the kernel see it: the prefetch instruction, which Swift cannot
 * say, and pages. For CacheMemory only. */
#ifndef MARTLET_CMEMORY_H
#define MARTLET_CMEMORY_H

#include <stddef.h>

/* Asks for the cache line of `address`. Inlines to one instruction; any address will do. */
static inline __attribute__((always_inline)) void cache_prefetch(const void *_Nonnull address) {
    __builtin_prefetch(address, 0, 3);
}

/* Bytes of a page: what the three functions below round to. */
size_t cache_page_bytes(void);

/* Reserves a range of addresses, aligned to two MiB, that takes memory only where it is touched.
 * `bytes` is a number of whole pages. Returns NULL if the system refuses. */
void *_Nullable cache_reserve(size_t bytes);

/* Gives a whole reserved range up. */
void cache_unreserve(void *_Nonnull range, size_t bytes);

/* Gives the memory of whole pages back; what they hold is undefined afterwards. */
void cache_give_back(void *_Nonnull pages, size_t bytes);

/* Asks for huge pages over this range, where the system has them. */
void cache_prefer_huge_pages(void *_Nonnull range, size_t bytes);

#endif
