#include "content.h"

#include <string.h>

void key_write(char *into, char prefix, uint64_t number) {
    for (int place = KEY_BYTES - 1; place > 0; place--) {
        into[place] = (char)('0' + number % 10);
        number /= 10;
    }
    into[0] = prefix;
}

void value_write(char *into, size_t bytes, const char *key) {
    size_t front = bytes < KEY_BYTES ? bytes : KEY_BYTES;
    memcpy(into, key, front);
    memset(into + front, VALUE_FILL, bytes - front);
}

bool value_is_right(const char *value, size_t bytes, const char *key) {
    size_t front = bytes < KEY_BYTES ? bytes : KEY_BYTES;
    if (memcmp(value, key, front) != 0) return false;
    if (bytes <= KEY_BYTES) return true;
    size_t middle = KEY_BYTES + (bytes - KEY_BYTES) / 2;
    return value[bytes - 1] == VALUE_FILL && value[middle] == VALUE_FILL;
}

uint64_t random_next(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBU;
    return mixed ^ mixed >> 31;
}
