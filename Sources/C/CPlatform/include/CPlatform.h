/* The few system calls that Swift's Glibc overlay lacks or types wrongly. For ZeroMQ,
 * Threading, Storage and the program only. */
#ifndef MARTLET_CPLATFORM_H
#define MARTLET_CPLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A pair of descriptors that one thread signals and another polls: an eventfd on Linux (both are
 * then the same descriptor), a non-blocking pipe elsewhere. Returns 0, or an errno. */
int martlet_wakeup_open(int *_Nonnull read_descriptor, int *_Nonnull write_descriptor);
/* Makes the read side readable. Any number of signals before a drain count as one. */
void martlet_wakeup_signal(int write_descriptor);
/* Makes the read side not readable again. */
void martlet_wakeup_drain(int read_descriptor);
void martlet_wakeup_close(int read_descriptor, int write_descriptor);

/* A descriptor that is readable from a moment on: a timerfd on Linux, a kqueue elsewhere. Returns
 * 0, or an errno. close(2) ends it. */
int martlet_timer_open(int *_Nonnull descriptor);
/* Sets it off once, so many nanoseconds from now, and takes back what was set before; 0 sets
 * nothing. It is not readable until then. */
void martlet_timer_set(int descriptor, int64_t nanoseconds);

/* Has the allocator keep up to kept_bytes of freed memory at the end of each of its areas, and make
 * allocations of up to allocation_max bytes there, instead of giving that memory back to the
 * system and asking for it, zeroed, again. For the whole process; nothing where the allocator
 * is not glibc's, or where the environment sets it (MALLOC_TRIM_THRESHOLD_ and its like). */
void martlet_memory_keep_freed(size_t allocation_max, size_t kept_bytes);
/* Whether the two below are of use: the C library is glibc of 2.33 or later, and the environment
 * does not set its allocator. */
bool martlet_memory_tells_freed(void);
/* Bytes that were freed and that the allocator holds, in all its areas; it does not know which of
 * them it gave back. Walks through all that is free, an area locked at a time. */
int64_t martlet_memory_freed(void);
/* Gives back every page of which all is free, but not at the end of a thread's area: of that the
 * allocator keeps what martlet_memory_keep_freed says, and counts it as free. Walks likewise. */
void martlet_memory_give_back(void);
/* Bytes of this process that are in memory; -1 if the system does not tell. */
int64_t martlet_memory_resident(void);

/* Sets how many descriptors this process may open to what it may allow itself, at most to most;
 * never lower than it was. */
void martlet_descriptors_raise(int64_t most);
/* How many it may open now; -1 if the system does not tell. */
int64_t martlet_descriptors_max(void);
/* How many it may allow itself; -1 if the system does not tell. */
int64_t martlet_descriptors_hard_max(void);
/* Ends a connection that was accepted at a TCP port, or at a path if the port is 0. Returns false,
 * and touches nothing, if the descriptor is anything else by now: a socket that listens, too. */
bool martlet_connection_end(int descriptor, uint16_t port);
/* Whether so many more can be opened, at most 16: 0, else the system's error number. */
int martlet_descriptors_probe(int count);
/* How many are open; -1 if the system does not tell. Works, too, when none is left. */
int64_t martlet_descriptors_open(void);
/* Whether the kernel was told that its calendar is right: 1, 0, or -1 where it does not say. */
int martlet_calendar_is_synchronized(void);

/* Nanoseconds of the calendar since 1970; anybody may have set it. */
int64_t martlet_calendar_nanoseconds(void);
/* Nanoseconds of a clock that goes on while the machine is suspended (CLOCK_BOOTTIME on Linux). */
uint64_t martlet_boottime_nanoseconds(void);

/* Calls body(argument) on a new thread with a stack of that size, which is never joined. Returns
 * 0, or an errno; body is never called then. */
int martlet_thread_start(size_t stack_bytes, void *_Nullable (*_Nonnull body)(void *_Nullable),
                         void *_Nonnull argument);
/* Names the calling thread for debuggers. Linux keeps the first 15 bytes, so all systems do. */
void martlet_thread_set_name(const char *_Nonnull name);
/* A number above 0 that no other thread has that runs now. */
uintptr_t martlet_thread_mark(void);

/* Tell ThreadSanitizer of an order between threads that it cannot see: what a thread did before it
 * released a place happened before what another does after it acquired that place. Empty in other
 * builds. Not inline: Swift reads this header as if there were no sanitizer. */
void martlet_tsan_acquire(const void *_Nonnull place);
void martlet_tsan_release(const void *_Nonnull place);

/* Makes what was written to a file survive losing power; its size too, its times perhaps not.
 * Returns 0, or an errno. */
int martlet_file_synchronize(int descriptor);
/* Has what was written to this part of a file go to the disk from now on, where the system can be
 * told so: less is left for when it is synchronized. Promises nothing. */
void martlet_file_begin_writing(int descriptor, int64_t offset, int64_t length);
/* Reserves room so that later writes to this range find it and need not move the file's end.
 * Returns 0, or an errno: EOPNOTSUPP where the system cannot. */
int martlet_file_reserve(int descriptor, int64_t offset, int64_t length);
/* Gives the room of a range back to the file system: it reads as zeros, and the file stays as long
 * as it is. Returns 0, or an errno: EOPNOTSUPP where the system cannot. */
int martlet_file_release(int descriptor, int64_t offset, int64_t length);
/* Which file this is: its number, and when it was made in nanoseconds since 1970, 0 if the system
 * does not know. A copy of it has another. Returns 0, or an errno. */
int martlet_file_imprint(int descriptor, uint64_t *_Nonnull number, uint64_t *_Nonnull birth);
/* Locks a whole file for this open file alone, until it is closed. Never waits. Returns 0, or an
 * errno: EWOULDBLOCK where another open file holds it. */
int martlet_file_lock(int descriptor);
/* Whether another open file has locked a file as above. It looks by holding a lock beside others'
 * for an instant: a process that locks the file in that instant finds it in use. */
bool martlet_file_is_locked(int descriptor);
/* Gives the lock back before the file is closed. */
void martlet_file_unlock(int descriptor);
/* Tells the system that reads of this open file come in no order: it reads nothing ahead. */
void martlet_file_expect_no_order(int descriptor);

/* A range of a file in memory, for reading and writing, shared with the file and guarded.
 *
 * Where the system can no longer keep such a range - the file was cut, its file system takes no
 * more writes, its device does not read - touching it is a bus error, which would end the process.
 * A guarded range gets other memory then, all of it and all zeros, and is lost: what is stored
 * there from then on reaches no file. A bus error anywhere else goes to the handler of before, or
 * ends the process as ever.
 *
 * open maps length bytes from offset on, brings them into memory and tries to keep them there.
 * Returns 0, or an errno: EMFILE where MARTLET_MAPPINGS_MAX of them are open. The guard is the
 * number by which the others know it. */
#define MARTLET_MAPPINGS_MAX 256
int martlet_mapping_open(int descriptor, int64_t offset, size_t length,
                         void *_Nullable *_Nonnull address, int *_Nonnull guard);
/* Whether the range is not the file's any more. From any thread. */
bool martlet_mapping_is_lost(int guard);
/* Takes it for lost from now on: a call of the system could not read it. From any thread. */
void martlet_mapping_lose(int guard);
/* No thread touches the range any more. */
void martlet_mapping_close(int guard);

/* A ring of the kernel's (io_uring) by which one thread has many reads under way. Only that thread
 * calls; open may be another's. */
struct martlet_ring;
/* Returns 0, or an errno: ENOSYS or EPERM where the system does not have or forbids it. */
int martlet_ring_open(unsigned entries, struct martlet_ring *_Nullable *_Nonnull ring);
/* Nothing is under way any more. */
void martlet_ring_close(struct martlet_ring *_Nonnull ring);
/* From now on this descriptor, an eventfd, is readable when something has been done. Returns 0, or
 * an errno. */
int martlet_ring_signal(struct martlet_ring *_Nonnull ring, int descriptor);
/* So many threads of the kernel's read at most; it is the calling thread's, with all its rings.
 * Returns 0, or an errno where the kernel does not know that. */
int martlet_ring_limit(struct martlet_ring *_Nonnull ring, unsigned threads);
/* Queues a request; false if there are as many already as the ring has entries. A thread of the
 * kernel's reads; that is told under the token, and the memory stays until then. */
bool martlet_ring_read(struct martlet_ring *_Nonnull ring, int descriptor, void *_Nonnull bytes,
                       uint32_t count, int64_t offset, uint64_t token);
/* Hands over what was queued, and waits for nothing. Returns 0, or EAGAIN if the kernel is short of
 * something: then again a little later; or another errno. */
int martlet_ring_submit(struct martlet_ring *_Nonnull ring);
/* Hands over what was queued, and waits until something has been done. Returns 0, or an errno. */
int martlet_ring_wait(struct martlet_ring *_Nonnull ring);
/* The next that was done: bytes read, or an errno below zero. False if there is none. */
bool martlet_ring_next(struct martlet_ring *_Nonnull ring, uint64_t *_Nonnull token,
                       int *_Nonnull outcome);

/* Starts the program at a path in a process group of its own, with these three streams and no other
 * descriptor of this process, no signal blocked and none ignored. Arguments and environment end
 * with NULL; no environment: that of this process. An input below 0: nothing to read. Returns 0,
 * or an errno; nothing was started then. */
int martlet_program_start(const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
                          char *_Nullable const *_Nullable environment, int input, int output,
                          int error, pid_t *_Nonnull process);
/* The variables of this process, each NAME=VALUE, with NULL behind the last. */
char *_Nullable const *_Nullable martlet_environment(void);
/* Opens /dev/null in the place of each standard stream that this process was started without: a
 * file or socket that got its number would be taken for the stream. */
void martlet_streams_complete(void);
/* A pipe that no other program inherits. Returns 0, or an errno. */
int martlet_pipe_open(int *_Nonnull read_descriptor, int *_Nonnull write_descriptor);

#endif
