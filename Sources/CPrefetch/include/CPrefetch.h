/* The prefetch instruction, which Swift cannot say. Inlines to one instruction. */
#ifndef MARTLET_CPREFETCH_H
#define MARTLET_CPREFETCH_H

static inline __attribute__((always_inline)) void cache_prefetch(const void *_Nonnull address) {
    __builtin_prefetch(address, 0, 3);
}

#endif
