/* The processor's instruction for CRC-32C, which Swift cannot say. For ByteCoding only. */
#ifndef MARTLET_CCHECKSUM_H
#define MARTLET_CCHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this processor has it. Takes a while: ask once. */
bool checksum_has_instruction(void);

/* Goes on with a checksum over so many bytes. What it begins and ends with is the caller's: all
 * ones, as a rule. Only on a processor that has the instruction. */
uint32_t checksum_extend(uint32_t checksum, const void *_Nonnull bytes, size_t count);

#endif
