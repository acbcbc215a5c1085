/* The few system calls that Swift's Glibc overlay lacks or types wrongly. For shells only. */
#ifndef MARTLET_CPLATFORM_H
#define MARTLET_CPLATFORM_H

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

#endif
