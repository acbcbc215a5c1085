#include "CChecksum.h"

#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <nmmintrin.h>

bool checksum_has_instruction(void) {
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2) != 0;
}

#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#define EIGHT(checksum, word) ((uint32_t)_mm_crc32_u64(checksum, word))
#define ONE(checksum, byte) _mm_crc32_u8(checksum, byte)

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

#include <arm_acle.h>

/* What the compiler may use everywhere, every processor has that it compiles for. */
bool checksum_has_instruction(void) { return true; }

#define WITH_INSTRUCTION
#define EIGHT(checksum, word) __crc32cd(checksum, word)
#define ONE(checksum, byte) __crc32cb(checksum, byte)

#else

bool checksum_has_instruction(void) { return false; }

#define WITH_INSTRUCTION
#define EIGHT(checksum, word) ((void)(word), __builtin_trap(), checksum)
#define ONE(checksum, byte) ((void)(byte), __builtin_trap(), checksum)

#endif

WITH_INSTRUCTION
uint32_t checksum_extend(uint32_t checksum, const void *bytes, size_t count) {
    const unsigned char *next = bytes;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, sizeof word);
        checksum = EIGHT(checksum, word);
    }
    for (; count > 0; count--, next++) checksum = ONE(checksum, *next);
    return checksum;
}
