#define _GNU_SOURCE
#include "CPlatform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#else
#include <sys/event.h>
#endif

int martlet_wakeup_open(int *read_descriptor, int *write_descriptor) {
#ifdef __linux__
    int descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (descriptor < 0) return errno;
    *read_descriptor = descriptor;
    *write_descriptor = descriptor;
    return 0;
#else
    int ends[2];
    if (pipe(ends) != 0) return errno;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    *read_descriptor = ends[0];
    *write_descriptor = ends[1];
    return 0;
#endif
}

void martlet_wakeup_signal(int write_descriptor) {
    uint64_t one = 1;
#ifdef __linux__
    ssize_t written = write(write_descriptor, &one, sizeof one);
#else
    ssize_t written = write(write_descriptor, &one, 1);
#endif
    (void)written; /* A full counter or pipe is already a signal. */
}

void martlet_wakeup_drain(int read_descriptor) {
#ifdef __linux__
    uint64_t count;
    ssize_t taken = read(read_descriptor, &count, sizeof count);
    (void)taken;
#else
    char scratch[256];
    while (read(read_descriptor, scratch, sizeof scratch) > 0) {}
#endif
}

void martlet_wakeup_close(int read_descriptor, int write_descriptor) {
    close(read_descriptor);
    if (write_descriptor != read_descriptor) close(write_descriptor);
}

int martlet_timer_open(int *descriptor) {
#ifdef __linux__
    *descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
#else
    *descriptor = kqueue();
    if (*descriptor >= 0) fcntl(*descriptor, F_SETFD, FD_CLOEXEC);
#endif
    return *descriptor < 0 ? errno : 0;
}

void martlet_timer_set(int descriptor, int64_t nanoseconds) {
#ifdef __linux__
    struct itimerspec moment = {0};
    moment.it_value.tv_sec = nanoseconds / 1000000000;
    moment.it_value.tv_nsec = nanoseconds % 1000000000;
    timerfd_settime(descriptor, 0, &moment, NULL);
#else
    struct kevent change;
    EV_SET(&change, 1, EVFILT_TIMER, EV_DELETE, 0, 0, NULL);
    kevent(descriptor, &change, 1, NULL, 0, NULL);
    if (nanoseconds <= 0) return;
    EV_SET(&change, 1, EVFILT_TIMER, EV_ADD | EV_ONESHOT, NOTE_NSECONDS, nanoseconds, NULL);
    kevent(descriptor, &change, 1, NULL, 0, NULL);
#endif
}

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
#define MARTLET_TELLS_FREED
#endif

/* Whether the environment says what the allocator keeps. */
static bool memory_is_set(void) {
    const char *tunables = getenv("GLIBC_TUNABLES");
    return getenv("MALLOC_TRIM_THRESHOLD_") || getenv("MALLOC_MMAP_THRESHOLD_") ||
           (tunables && strstr(tunables, "glibc.malloc."));
}
#endif

void martlet_memory_keep_freed(size_t allocation_max, size_t kept_bytes) {
#ifdef __GLIBC__
    if (memory_is_set()) return;
    mallopt(M_MMAP_THRESHOLD, (int)allocation_max);
    mallopt(M_TRIM_THRESHOLD, (int)kept_bytes);
#else
    (void)allocation_max;
    (void)kept_bytes;
#endif
}

bool martlet_memory_tells_freed(void) {
#ifdef MARTLET_TELLS_FREED
    return !memory_is_set();
#else
    return false;
#endif
}

int64_t martlet_memory_freed(void) {
#ifdef MARTLET_TELLS_FREED
    return (int64_t)mallinfo2().fordblks;
#else
    return 0;
#endif
}

void martlet_memory_give_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

int64_t martlet_memory_resident(void) {
#ifdef __linux__
    char text[128];
    int descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    ssize_t count = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    if (count <= 0) return -1;
    text[count] = 0;
    /* Pages there are addresses for, then pages in memory. */
    const char *second = strchr(text, ' ');
    return second ? strtoll(second, NULL, 10) * sysconf(_SC_PAGESIZE) : -1;
#else
    return -1;
#endif
}

int64_t martlet_calendar_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}

uint64_t martlet_boottime_nanoseconds(void) {
    struct timespec now;
#ifdef CLOCK_BOOTTIME
    clock_gettime(CLOCK_BOOTTIME, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

int martlet_thread_start(size_t stack_bytes, void *(*body)(void *), void *argument) {
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0) return code;
    pthread_t thread;
    code = pthread_attr_setstacksize(&attributes, stack_bytes);
    if (code == 0) code = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (code == 0) code = pthread_create(&thread, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    return code;
}

void martlet_thread_set_name(const char *name) {
    char kept[16] = {0};
    strncpy(kept, name, sizeof kept - 1);
#ifdef __APPLE__
    pthread_setname_np(kept);
#else
    pthread_setname_np(pthread_self(), kept);
#endif
}

uintptr_t martlet_thread_mark(void) {
    static __thread char mark;
    return (uintptr_t)&mark;
}

int martlet_file_synchronize(int descriptor) {
#ifdef __APPLE__
    /* fsync alone leaves the data in the drive's own memory. */
    if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
    return fsync(descriptor) == 0 ? 0 : errno;
#else
    return fdatasync(descriptor) == 0 ? 0 : errno;
#endif
}

void martlet_file_begin_writing(int descriptor, int64_t offset, int64_t length) {
#ifdef __linux__
    sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor;
    (void)offset;
    (void)length;
#endif
}

int martlet_file_reserve(int descriptor, int64_t offset, int64_t length) {
#ifdef __linux__
    return fallocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
#else
    (void)descriptor;
    (void)offset;
    (void)length;
    return EOPNOTSUPP;
#endif
}

int martlet_file_release(int descriptor, int64_t offset, int64_t length) {
#ifdef __linux__
    int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    return fallocate(descriptor, mode, offset, length) == 0 ? 0 : errno;
#else
    (void)descriptor;
    (void)offset;
    (void)length;
    return EOPNOTSUPP;
#endif
}

int martlet_file_imprint(int descriptor, uint64_t *number, uint64_t *birth) {
#ifdef __linux__
    struct statx found;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &found) != 0) return errno;
    *number = found.stx_ino;
    *birth = 0;
    if (found.stx_mask & STATX_BTIME)
        *birth = (uint64_t)found.stx_btime.tv_sec * 1000000000ull + found.stx_btime.tv_nsec;
#else
    struct stat found;
    if (fstat(descriptor, &found) != 0) return errno;
    *number = found.st_ino;
    *birth = (uint64_t)found.st_birthtimespec.tv_sec * 1000000000ull
             + (uint64_t)found.st_birthtimespec.tv_nsec;
#endif
    return 0;
}

int martlet_file_lock(int descriptor) {
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

bool martlet_file_is_locked(int descriptor) {
    if (flock(descriptor, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
    flock(descriptor, LOCK_UN);
    return false;
}

void martlet_file_unlock(int descriptor) {
    flock(descriptor, LOCK_UN);
}

void martlet_file_expect_no_order(int descriptor) {
#ifdef __linux__
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);
#else
    fcntl(descriptor, F_RDAHEAD, 0);
#endif
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MARTLET_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define MARTLET_THREAD_SANITIZER
#endif

#ifdef MARTLET_THREAD_SANITIZER
void __tsan_acquire(void *place);
void __tsan_release(void *place);

void martlet_tsan_acquire(const void *place) { __tsan_acquire((void *)place); }
void martlet_tsan_release(const void *place) { __tsan_release((void *)place); }
#else
void martlet_tsan_acquire(const void *place) { (void)place; }
void martlet_tsan_release(const void *place) { (void)place; }
#endif

void martlet_descriptors_raise(int64_t most) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    rlim_t wanted = limit.rlim_max < (rlim_t)most ? limit.rlim_max : (rlim_t)most;
    if (wanted <= limit.rlim_cur) return;
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int64_t shown(rlim_t limit) {
    return limit > (rlim_t)INT64_MAX ? INT64_MAX : (int64_t)limit;
}

int64_t martlet_descriptors_max(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? shown(limit.rlim_cur) : -1;
}

int64_t martlet_descriptors_hard_max(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? shown(limit.rlim_max) : -1;
}

int martlet_descriptors_probe(int count) {
    int opened[16];
    int most = (int)(sizeof opened / sizeof opened[0]);
    int number = 0;
    int failure = 0;
    while (number < count && number < most && failure == 0) {
        opened[number] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (opened[number] < 0) failure = errno;
        else number++;
    }
    while (number > 0) close(opened[--number]);
    return failure;
}

bool martlet_connection_end(int descriptor, uint16_t port) {
    /* A listening socket has the same name as what it accepted, and may have taken its number. */
    int listens = 1;
    socklen_t size = sizeof listens;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens)
        return false;
    struct sockaddr_storage place;
    socklen_t length = sizeof place;
    memset(&place, 0, sizeof place);
    if (getsockname(descriptor, (struct sockaddr *)&place, &length) != 0) return false;
    uint16_t bound = 0;
    if (place.ss_family == AF_INET) {
        bound = ntohs(((struct sockaddr_in *)&place)->sin_port);
    } else if (place.ss_family == AF_INET6) {
        bound = ntohs(((struct sockaddr_in6 *)&place)->sin6_port);
    } else if (place.ss_family != AF_UNIX || length <= sizeof(sa_family_t)) {
        /* Without a name it connected to somewhere, and was not accepted. */
        return false;
    }
    return bound == port && shutdown(descriptor, SHUT_RDWR) == 0;
}

int64_t martlet_descriptors_open(void) {
#ifdef __linux__
    const char *folder = "/proc/self/fd";
    struct stat facts;
    /* Since Linux 6.2 its length is their number. */
    if (stat(folder, &facts) == 0 && facts.st_size > 0) return facts.st_size;
#else
    const char *folder = "/dev/fd";
#endif
    DIR *directory = opendir(folder);
    if (directory == NULL) return errno == EMFILE ? martlet_descriptors_max() : -1;
    int64_t count = 0;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) count += entry->d_name[0] != '.';
    closedir(directory);
    return count - 1; /* The folder's own. */
}

int martlet_calendar_is_synchronized(void) {
#ifdef __linux__
    struct timex facts;
    memset(&facts, 0, sizeof facts);
    if (adjtimex(&facts) < 0) return -1;
    return (facts.status & STA_UNSYNC) == 0;
#else
    return -1;
#endif
}
