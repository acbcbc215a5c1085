/* What memcached is asked and answers in its text protocol: get with one or many keys, set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

enum { AROUND_BYTES = 48 };

static size_t text_request_bytes(const Options *options, uint32_t count) {
    size_t value = options->operation == SET ? options->value_bytes + AROUND_BYTES : 0;
    return AROUND_BYTES + (size_t)count * (KEY_BYTES + 1 + value);
}

static size_t write_get(const Options *options, const Request *request, char *into) {
    char *at = into;
    memcpy(at, "get", 3);
    at += 3;
    for (uint32_t index = 0; index < request->count; index++) {
        *at++ = ' ';
        key_write(at, options->prefix, request->asks[index].number);
        at += KEY_BYTES;
    }
    memcpy(at, "\r\n", 2);
    return (size_t)(at + 2 - into);
}

static size_t text_write(const Options *options, const Request *request, char *into) {
    if (options->operation == GET) return write_get(options, request, into);
    char *at = into;
    memcpy(at, "set ", 4);
    char *key = at + 4;
    key_write(key, options->prefix, request->asks[0].number);
    at = key + KEY_BYTES;
    at += sprintf(at, " 0 0 %u\r\n", options->value_bytes);
    value_write(at, options->value_bytes, key);
    at += options->value_bytes;
    memcpy(at, "\r\n", 2);
    return (size_t)(at + 2 - into);
}

/* What is left of a request's keys after END was not there. */
static void all_missed(Link *link, Request *request, uint32_t until) {
    for (; request->answered < until; request->answered++)
        link_answered(link, &request->asks[request->answered], IS_MISS);
}

/* VALUE <key> <flags> <bytes>: keys that are not there are left out, the others come in order. */
static int64_t read_value(Link *link, Request *request, const char *bytes, size_t length) {
    const char *line = memchr(bytes, '\n', length);
    size_t front = (size_t)(line - bytes) + 1;
    const char *key = bytes + 6;
    char *end = NULL;
    strtoul(key + KEY_BYTES, &end, 10);
    size_t value_bytes = strtoul(end, NULL, 10);
    if (length < front + value_bytes + 2) return 0;
    uint32_t place = request->answered;
    char asked[KEY_BYTES];
    for (; place < request->count; place++) {
        key_write(asked, link->options->prefix, request->asks[place].number);
        if (memcmp(asked, key, KEY_BYTES) == 0) break;
    }
    if (place == request->count) {
        link_complain(link, "memcached answers a key that was not asked for: %.16s", key);
        return -1;
    }
    all_missed(link, request, place);
    bool is_right = value_bytes == link->options->value_bytes
        && value_is_right(bytes + front, value_bytes, asked);
    if (!is_right)
        link_complain(link, "a value of %zu bytes is not that of %.16s", value_bytes, key);
    link_answered(link, &request->asks[place], is_right ? IS_RIGHT : IS_WRONG);
    request->answered++;
    return (int64_t)(front + value_bytes + 2);
}

static int64_t text_read(Link *link, Request *request, const char *bytes, size_t length) {
    const char *line = memchr(bytes, '\n', length);
    if (line == NULL) return 0;
    int64_t taken = line - bytes + 1;
    if (length > 6 + KEY_BYTES && memcmp(bytes, "VALUE ", 6) == 0)
        return read_value(link, request, bytes, length);
    request->is_waiting = false;
    if (taken == 5 && memcmp(bytes, "END\r\n", 5) == 0) {
        all_missed(link, request, request->count);
        return taken;
    }
    bool is_right = taken == 8 && memcmp(bytes, "STORED\r\n", 8) == 0;
    if (!is_right) link_complain(link, "memcached answers %.*s", (int)taken - 2, bytes);
    for (; request->answered < request->count; request->answered++)
        link_answered(
            link, &request->asks[request->answered], is_right ? IS_RIGHT : IS_FAILED);
    return taken;
}

const Language text_language = {text_request_bytes, text_write, text_read};
