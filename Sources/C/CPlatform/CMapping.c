#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#endif

enum { guard_free, guard_taken, guard_armed };

/* A table of fixed size without a lock: the handler of a signal may only look at such. */
static struct guard {
    atomic_int state;
    atomic_bool is_lost;
    atomic_uintptr_t begin;
    atomic_size_t length;
} guards[MARTLET_MAPPINGS_MAX];

static pthread_once_t handler_once = PTHREAD_ONCE_INIT;
static int handler_code;
static struct sigaction handler_before;

/* Not the library's mmap: sanitizers put their own in its place, which is not for handlers. */
static bool replace_memory(uintptr_t begin, size_t length) {
    int protection = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
#if defined(__linux__) && defined(SYS_mmap)
    return syscall(SYS_mmap, begin, length, protection, kind, -1, 0L) != -1;
#else
    return mmap((void *)begin, length, protection, kind, -1, 0) != MAP_FAILED;
#endif
}

/* Whether the address was in a guarded range, which has other memory now. A second thread that
 * faulted there meanwhile replaces it once more: nothing of it counts any more. */
static bool give_other_memory(uintptr_t address) {
    for (int i = 0; i < MARTLET_MAPPINGS_MAX; i++) {
        if (atomic_load(&guards[i].state) != guard_armed) continue;
        uintptr_t begin = atomic_load(&guards[i].begin);
        size_t length = atomic_load(&guards[i].length);
        if (address < begin || address - begin >= length) continue;
        atomic_store(&guards[i].is_lost, true);
        return replace_memory(begin, length);
    }
    return false;
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
    (void)context;
    int kept = errno;
    /* Codes from 1 on are the machine's; others are from a process that sent the signal. Other
     * memory would be no help to an address that is misaligned. */
    bool is_fault = info->si_code > 0;
    bool is_ours = is_fault && info->si_code != BUS_ADRALN
                   && give_other_memory((uintptr_t)info->si_addr);
    if (!is_ours) {
        /* A fault comes again as soon as this returns; what was sent has to be sent again. */
        sigaction(number, &handler_before, NULL);
        if (!is_fault) raise(number);
    }
    errno = kept;
}

static void install_handler(void) {
    struct sigaction handler = {0};
    handler.sa_sigaction = on_bus_error;
    handler.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&handler.sa_mask);
    handler_code = sigaction(SIGBUS, &handler, &handler_before) == 0 ? 0 : errno;
}

static int take_guard(void) {
    for (int i = 0; i < MARTLET_MAPPINGS_MAX; i++) {
        int expected = guard_free;
        if (atomic_compare_exchange_strong(&guards[i].state, &expected, guard_taken)) return i;
    }
    return -1;
}

/* Brings all pages into memory, ready to be written. */
static int populate(void *begin, size_t length, size_t page) {
#ifdef __linux__
    if (madvise(begin, length, MADV_POPULATE_WRITE) == 0) return 0;
    if (errno == EFAULT) return EIO;
#endif
    for (size_t at = 0; at < length; at += page) {
        volatile unsigned char *byte = (volatile unsigned char *)begin + at;
        *byte = *byte;
    }
    return 0;
}

int martlet_mapping_open(int descriptor, int64_t offset, size_t length, void **address,
                         int *guard) {
    pthread_once(&handler_once, install_handler);
    if (handler_code != 0) return handler_code;
    /* Mappings begin at a page, and pages may be larger than the file's format knows. */
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t ahead = (size_t)(offset % (int64_t)page);
    size_t mapped = length + ahead;
    int number = take_guard();
    if (number < 0) return EMFILE;
    void *begin = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                       (off_t)(offset - (int64_t)ahead));
    if (begin == MAP_FAILED) {
        int code = errno;
        atomic_store(&guards[number].state, guard_free);
        return code;
    }
    atomic_store(&guards[number].is_lost, false);
    atomic_store(&guards[number].begin, (uintptr_t)begin);
    atomic_store(&guards[number].length, mapped);
    atomic_store(&guards[number].state, guard_armed);
    int code = populate(begin, mapped, page);
    if (code == 0 && martlet_mapping_is_lost(number)) code = EIO;
    if (code != 0) {
        martlet_mapping_close(number);
        return code;
    }
    /* May be forbidden; the pages then are as any others. */
    (void)mlock(begin, mapped);
    *address = (char *)begin + ahead;
    *guard = number;
    return 0;
}

bool martlet_mapping_is_lost(int guard) { return atomic_load(&guards[guard].is_lost); }

void martlet_mapping_lose(int guard) { atomic_store(&guards[guard].is_lost, true); }

void martlet_mapping_close(int guard) {
    munmap((void *)atomic_load(&guards[guard].begin), atomic_load(&guards[guard].length));
    atomic_store(&guards[guard].state, guard_free);
}
