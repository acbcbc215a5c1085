/* What Redis is asked and answers: GET and MGET, SET and MSET, PUBLISH, in RESP 2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

enum { FRONT_BYTES = 64, AROUND_KEY_BYTES = 32 };

static size_t resp_request_bytes(const Options *options, uint32_t count) {
    size_t value = options->operation == SET ? options->value_bytes + AROUND_KEY_BYTES : 0;
    return FRONT_BYTES + (size_t)count * (KEY_BYTES + AROUND_KEY_BYTES + value);
}

static char *put(char *into, const char *text) {
    size_t length = strlen(text);
    memcpy(into, text, length);
    return into + length;
}

static char *put_length(char *into, char mark, size_t length) {
    return into + sprintf(into, "%c%zu\r\n", mark, length);
}

static char *put_key(char *into, char prefix, uint64_t number) {
    into = put(into, "$16\r\n");
    key_write(into, prefix, number);
    return put(into + KEY_BYTES, "\r\n");
}

static char *put_value(char *into, size_t bytes, const char *key) {
    into = put_length(into, '$', bytes);
    value_write(into, bytes, key);
    return put(into + bytes, "\r\n");
}

static size_t write_publish(const Options *options, const Request *request, char *into) {
    char *at = put(into, "*3\r\n$7\r\nPUBLISH\r\n$12\r\ninvalidation\r\n");
    at = put_length(at, '$', (size_t)request->count * KEY_BYTES);
    for (uint32_t index = 0; index < request->count; index++, at += KEY_BYTES)
        key_write(at, options->prefix, request->asks[index].number);
    return (size_t)(put(at, "\r\n") - into);
}

static size_t resp_write(const Options *options, const Request *request, char *into) {
    if (options->operation == PUBLISH) return write_publish(options, request, into);
    bool is_set = options->operation == SET, is_many = options->batch > 1;
    char *at = into;
    if (!is_many) {
        at = put(at, is_set ? "*3\r\n$3\r\nSET\r\n" : "*2\r\n$3\r\nGET\r\n");
    } else {
        at = put_length(at, '*', 1 + (size_t)request->count * (is_set ? 2 : 1));
        at = put(at, is_set ? "$4\r\nMSET\r\n" : "$4\r\nMGET\r\n");
    }
    for (uint32_t index = 0; index < request->count; index++) {
        at = put_key(at, options->prefix, request->asks[index].number);
        if (is_set) at = put_value(at, options->value_bytes, at - 2 - KEY_BYTES);
    }
    return (size_t)(at - into);
}

/* One word for all keys of the request: an OK, a number, an error. */
static int64_t read_word(Link *link, Request *request, const char *bytes, size_t line) {
    bool is_right = bytes[0] == (link->options->operation == SET ? '+' : ':');
    if (!is_right) link_complain(link, "Redis answers %.*s", (int)line, bytes);
    for (; request->answered < request->count; request->answered++)
        link_answered(
            link, &request->asks[request->answered], is_right ? IS_RIGHT : IS_FAILED);
    request->is_waiting = false;
    return (int64_t)line + 2;
}

static Outcome look_at(Link *link, const Request *request, const char *value, size_t bytes) {
    char key[KEY_BYTES];
    key_write(key, link->options->prefix, request->asks[request->answered].number);
    if (bytes == link->options->value_bytes && value_is_right(value, bytes, key)) return IS_RIGHT;
    link_complain(link, "a value of %zu bytes is not that of %.16s", bytes, key);
    return IS_WRONG;
}

static int64_t read_bulk(Link *link, Request *request, const char *bytes, size_t length) {
    const char *line = memchr(bytes, '\n', length);
    size_t front = (size_t)(line - bytes) + 1;
    long value_bytes = strtol(bytes + 1, NULL, 10);
    Outcome outcome = IS_MISS;
    if (value_bytes >= 0) {
        if (length < front + (size_t)value_bytes + 2) return 0;
        outcome = look_at(link, request, bytes + front, (size_t)value_bytes);
        front += (size_t)value_bytes + 2;
    }
    link_answered(link, &request->asks[request->answered], outcome);
    request->answered++;
    if (request->answered == request->count) request->is_waiting = false;
    return (int64_t)front;
}

static int64_t resp_read(Link *link, Request *request, const char *bytes, size_t length) {
    const char *line = memchr(bytes, '\n', length);
    if (line == NULL) return 0;
    size_t line_bytes = (size_t)(line - bytes) + 1;
    if (bytes[0] == '$') return read_bulk(link, request, bytes, length);
    if (bytes[0] == '*' && !request->is_open) {
        request->is_open = true;
        return strtoul(bytes + 1, NULL, 10) == request->count ? (int64_t)line_bytes : -1;
    }
    if (bytes[0] == '+' || bytes[0] == '-' || bytes[0] == ':')
        return read_word(link, request, bytes, line_bytes - 2);
    link_complain(link, "Redis answers what is not understood: %.20s", bytes);
    return -1;
}

const Language resp_language = {resp_request_bytes, resp_write, resp_read};
