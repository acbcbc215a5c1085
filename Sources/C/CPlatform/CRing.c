#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#define MARTLET_HAS_RING
#endif
#endif

#ifdef MARTLET_HAS_RING
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* IORING_REGISTER_IOWQ_MAX_WORKERS, which headers older than Linux 5.15 do not name. */
enum { limit_threads = 19 };

struct martlet_ring {
    int descriptor;
    /* Requests that the kernel was not told of yet, and those that it has not taken since. */
    unsigned entries, queued, offered;
    /* Both rings lie in one mapping; the requests themselves in another. */
    void *rings;
    size_t rings_length;
    struct io_uring_sqe *requests;
    size_t requests_length;
    unsigned *request_tail, *request_mask, *request_places;
    unsigned *answer_head, *answer_tail, *answer_mask;
    struct io_uring_cqe *answers;
};

static int map_rings(struct martlet_ring *ring, const struct io_uring_params *found) {
    size_t requests = found->sq_off.array + found->sq_entries * sizeof(unsigned);
    size_t answers = found->cq_off.cqes + found->cq_entries * sizeof(struct io_uring_cqe);
    ring->rings_length = requests > answers ? requests : answers;
    ring->requests_length = found->sq_entries * sizeof(struct io_uring_sqe);
    int protection = PROT_READ | PROT_WRITE, kind = MAP_SHARED | MAP_POPULATE;
    ring->rings = mmap(NULL, ring->rings_length, protection, kind, ring->descriptor,
                       (off_t)IORING_OFF_SQ_RING);
    if (ring->rings == MAP_FAILED) return errno;
    void *mapped = mmap(NULL, ring->requests_length, protection, kind, ring->descriptor,
                        (off_t)IORING_OFF_SQES);
    if (mapped == MAP_FAILED) {
        int code = errno;
        munmap(ring->rings, ring->rings_length);
        return code;
    }
    ring->requests = mapped;
    char *base = ring->rings;
    ring->request_tail = (unsigned *)(base + found->sq_off.tail);
    ring->request_mask = (unsigned *)(base + found->sq_off.ring_mask);
    ring->request_places = (unsigned *)(base + found->sq_off.array);
    ring->answer_head = (unsigned *)(base + found->cq_off.head);
    ring->answer_tail = (unsigned *)(base + found->cq_off.tail);
    ring->answer_mask = (unsigned *)(base + found->cq_off.ring_mask);
    ring->answers = (struct io_uring_cqe *)(base + found->cq_off.cqes);
    return 0;
}

int martlet_ring_open(unsigned entries, struct martlet_ring **opened) {
    struct io_uring_params found;
    memset(&found, 0, sizeof found);
    struct martlet_ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL) return ENOMEM;
    int code = 0;
    ring->descriptor = (int)syscall(SYS_io_uring_setup, entries, &found);
    if (ring->descriptor < 0) {
        code = errno;
        free(ring);
        return code;
    }
    ring->entries = found.sq_entries;
    code = found.features & IORING_FEAT_SINGLE_MMAP ? map_rings(ring, &found) : ENOSYS;
    if (code != 0) {
        close(ring->descriptor);
        free(ring);
        return code;
    }
    *opened = ring;
    return 0;
}

void martlet_ring_close(struct martlet_ring *ring) {
    munmap(ring->requests, ring->requests_length);
    munmap(ring->rings, ring->rings_length);
    close(ring->descriptor);
    free(ring);
}

static struct io_uring_sqe *next_request(struct martlet_ring *ring, uint8_t kind, int descriptor,
                                         uint64_t token) {
    if (ring->queued + ring->offered == ring->entries) return NULL;
    unsigned place = (*ring->request_tail + ring->queued) & *ring->request_mask;
    struct io_uring_sqe *request = &ring->requests[place];
    memset(request, 0, sizeof *request);
    request->opcode = kind;
    request->fd = descriptor;
    request->user_data = token;
    ring->request_places[place] = place;
    ring->queued++;
    return request;
}

bool martlet_ring_read(struct martlet_ring *ring, int descriptor, void *bytes, uint32_t count,
                       int64_t offset, uint64_t token) {
    struct io_uring_sqe *request = next_request(ring, IORING_OP_READ, descriptor, token);
    if (request == NULL) return false;
    request->addr = (uint64_t)(uintptr_t)bytes;
    request->len = count;
    request->off = (uint64_t)offset;
    /* Else it would begin on the caller's thread, which a device with a full queue blocks, and
     * end there, with a copy out of the page cache. */
    request->flags |= IOSQE_ASYNC;
    return true;
}

int martlet_ring_signal(struct martlet_ring *ring, int descriptor) {
    long code = syscall(SYS_io_uring_register, ring->descriptor, IORING_REGISTER_EVENTFD,
                        &descriptor, 1);
    return code == 0 ? 0 : errno;
}

int martlet_ring_limit(struct martlet_ring *ring, unsigned threads) {
    /* Of those that do what ends, and of those for which that is not known: as many as before. */
    unsigned most[2] = {threads, 0};
    long code = syscall(SYS_io_uring_register, ring->descriptor, limit_threads, most, 2);
    return code == 0 ? 0 : errno;
}

static void offer(struct martlet_ring *ring) {
    /* The requests have to be there before the kernel sees that there are more of them. */
    __atomic_store_n(ring->request_tail, *ring->request_tail + ring->queued, __ATOMIC_RELEASE);
    ring->offered += ring->queued;
    ring->queued = 0;
}

/* Has the kernel take what was offered, and waits for so many answers. */
static int enter(struct martlet_ring *ring, unsigned answers) {
    long taken = syscall(SYS_io_uring_enter, ring->descriptor, ring->offered, answers,
                         answers > 0 ? IORING_ENTER_GETEVENTS : 0, NULL, 0);
    if (taken < 0) return errno;
    ring->offered -= (unsigned)taken;
    return 0;
}

/* Nothing was taken; and what is short now is there again a little later. */
static bool is_short(int code) { return code == EAGAIN || code == EBUSY || code == ENOMEM; }

int martlet_ring_submit(struct martlet_ring *ring) {
    offer(ring);
    while (ring->offered > 0) {
        int code = enter(ring, 0);
        if (code != 0 && code != EINTR) return is_short(code) ? EAGAIN : code;
    }
    return 0;
}

int martlet_ring_wait(struct martlet_ring *ring) {
    offer(ring);
    while (true) {
        int code = enter(ring, 1);
        if (code != 0 && code != EINTR && !is_short(code)) return code;
        if (code == 0 && ring->offered == 0) return 0;
    }
}

bool martlet_ring_next(struct martlet_ring *ring, uint64_t *token, int *outcome) {
    unsigned head = *ring->answer_head;
    if (head == __atomic_load_n(ring->answer_tail, __ATOMIC_ACQUIRE)) return false;
    const struct io_uring_cqe *answer = &ring->answers[head & *ring->answer_mask];
    *token = answer->user_data;
    *outcome = answer->res;
    __atomic_store_n(ring->answer_head, head + 1, __ATOMIC_RELEASE);
    return true;
}

#else

int martlet_ring_open(unsigned entries, struct martlet_ring **opened) {
    (void)entries;
    (void)opened;
    return ENOSYS;
}

void martlet_ring_close(struct martlet_ring *ring) { (void)ring; }

bool martlet_ring_read(struct martlet_ring *ring, int descriptor, void *bytes, uint32_t count,
                       int64_t offset, uint64_t token) {
    (void)ring, (void)descriptor, (void)bytes, (void)count, (void)offset, (void)token;
    return false;
}

int martlet_ring_signal(struct martlet_ring *ring, int descriptor) {
    (void)ring, (void)descriptor;
    return ENOSYS;
}

int martlet_ring_limit(struct martlet_ring *ring, unsigned threads) {
    (void)ring, (void)threads;
    return ENOSYS;
}

int martlet_ring_submit(struct martlet_ring *ring) {
    (void)ring;
    return ENOSYS;
}

int martlet_ring_wait(struct martlet_ring *ring) {
    (void)ring;
    return ENOSYS;
}

bool martlet_ring_next(struct martlet_ring *ring, uint64_t *token, int *outcome) {
    (void)ring, (void)token, (void)outcome;
    return false;
}
#endif
