/* The few system calls that Swift's Glibc overlay lacks or types wrongly. For ZeroMQ,
 * Threading and LogFiles only. */
#ifndef MARTLET_CPLATFORM_H
#define MARTLET_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>

/* A pair of descriptors that one thread signals and another polls: an eventfd on Linux (both are
 * then the same descriptor), a non-blocking pipe elsewhere. Returns 0, or an errno. */
int martlet_wakeup_open(int *_Nonnull read_descriptor, int *_Nonnull write_descriptor);
/* Makes the read side readable. Any number of signals before a drain count as one. */
void martlet_wakeup_signal(int write_descriptor);
/* Makes the read side not readable again. */
void martlet_wakeup_drain(int read_descriptor);
void martlet_wakeup_close(int read_descriptor, int write_descriptor);

/* Nanoseconds of a clock that goes on while the machine is suspended (CLOCK_BOOTTIME on Linux). */
uint64_t martlet_boottime_nanoseconds(void);

/* Calls body(argument) on a new thread with a stack of that size, which nobody joins. Returns 0,
 * or an errno; body is never called then. */
int martlet_thread_start(size_t stack_bytes, void *_Nullable (*_Nonnull body)(void *_Nullable),
                         void *_Nonnull argument);
/* Names the calling thread for debuggers. Linux keeps the first 15 bytes, so all systems do. */
void martlet_thread_set_name(const char *_Nonnull name);

/* Tell ThreadSanitizer of an order between threads that it cannot see: what a thread did before it
 * released a place happened before what another does after it acquired that place. Empty in other
 * builds. Not inline: Swift reads this header as if there were no sanitizer. */
void martlet_tsan_acquire(const void *_Nonnull place);
void martlet_tsan_release(const void *_Nonnull place);

/* Makes what was written to a file survive losing power; its size too, its times perhaps not.
 * Returns 0, or an errno. */
int martlet_file_synchronize(int descriptor);
/* Reserves room so that later writes below length find it and need not move the file's end.
 * Returns 0, or an errno: EOPNOTSUPP where the system cannot. */
int martlet_file_reserve(int descriptor, int64_t length);
/* Which file this is: its number, and when it was made in nanoseconds since 1970, 0 if the system
 * does not know. A copy of it has another. Returns 0, or an errno. */
int martlet_file_imprint(int descriptor, uint64_t *_Nonnull number, uint64_t *_Nonnull birth);
/* Locks a whole file for this open file alone, until it is closed. Never waits. Returns 0, or an
 * errno: EWOULDBLOCK where somebody else holds it. */
int martlet_file_lock(int descriptor);
/* Gives the lock back before the file is closed. */
void martlet_file_unlock(int descriptor);

#endif
