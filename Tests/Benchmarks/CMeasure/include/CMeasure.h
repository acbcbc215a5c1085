/* What a benchmark reads off the process: allocations, memory, time. For benchmarks only. */
#ifndef MARTLET_CMEASURE_H
#define MARTLET_CMEASURE_H

#include <stdint.h>

/* Calls of malloc and its like by this thread so far; 0 for ever where they cannot be counted
 * (anything but glibc). */
uint64_t measure_allocations(void);

/* The same of all threads; counted apart for the first 256 of them. */
uint64_t measure_all_allocations(void);

/* Memory of the process in the machine, in bytes; 0 where it cannot be read. */
uint64_t measure_resident_bytes(void);

/* Nanoseconds of processor time of this thread. */
uint64_t measure_thread_nanoseconds(void);

/* Nanoseconds of processor time of this process. */
uint64_t measure_process_nanoseconds(void);

#endif
