/* What Martlet is asked and answers: GET, SET and INVALIDATE, written from docs/protocol.md. */
#include "martlet.h"

#include "loader.h"

static size_t operation_bytes(const Options *options) {
    switch (options->operation) {
    case GET: return GET_BYTES + KEY_BYTES;
    case SET: return SET_BYTES + KEY_BYTES + (size_t)options->value_bytes;
    default: return SCOPE_BYTES + KEY_BYTES;
    }
}

size_t martlet_request_bytes(const Options *options, uint32_t count) {
    size_t front = options->operation == INVALIDATE ? INVALIDATE_BYTES : 0;
    return HEADER_BYTES + front + count * operation_bytes(options);
}

/* One operation; everything that is not written is 0. */
static void operation_write(const Options *options, uint64_t number, char *into) {
    size_t front = GET_BYTES;
    switch (options->operation) {
    case GET: put16(into, KEY_BYTES); break;
    case SET:
        front = SET_BYTES;
        put16(into, KEY_BYTES);
        put32(into + 16, options->value_bytes);
        break;
    default:
        front = SCOPE_BYTES;
        into[0] = 1;
        put16(into + 4, KEY_BYTES);
    }
    key_write(into + front, options->prefix, number);
    if (options->operation == SET)
        value_write(into + front + KEY_BYTES, options->value_bytes, into + front);
}

void martlet_write(const Options *options, const Request *request, uint64_t id, char *into) {
    static const uint8_t types[] = {
        [GET] = TYPE_GET, [SET] = TYPE_SET, [INVALIDATE] = TYPE_INVALIDATE};
    size_t each = operation_bytes(options);
    size_t fixed = each - KEY_BYTES - (options->operation == SET ? options->value_bytes : 0);
    size_t bytes = martlet_request_bytes(options, request->count);
    header_write(into, types[options->operation], request->count, id,
        (uint32_t)(bytes - HEADER_BYTES));
    char *at = into + HEADER_BYTES;
    if (options->operation == INVALIDATE) {
        memset(at, 0, INVALIDATE_BYTES); /* waits for nobody, hard, something has changed */
        put32(at + 4, 5000);             /* ms until the asker is gone: the log may be busy */
        at += INVALIDATE_BYTES;
    }
    for (uint32_t index = 0; index < request->count; index++, at += each) {
        memset(at, 0, fixed);
        operation_write(options, request->asks[index].number, at);
    }
}

/* Which request an answer is to; NULL if there is none that waits. */
static Request *request_of(Link *link, uint64_t id) {
    uint32_t slot = (uint32_t)id;
    if (slot >= link->slots) return NULL;
    Request *request = &link->requests[slot];
    return request->is_waiting && request->generation == (uint32_t)(id >> 32) ? request : NULL;
}

static Outcome look_at(Link *link, const Ask *ask, const char *result, const char *value) {
    uint32_t value_bytes = take32(result + 4);
    char key[KEY_BYTES];
    int wanted = link->options->operation == SET ? STATUS_STORED : STATUS_HIT;
    if (result[0] == STATUS_MISS) return IS_MISS;
    if (result[0] != wanted) {
        link_complain(link, "Martlet answers status %d, detail %d", result[0], result[2]);
        return IS_FAILED;
    }
    if ((result[1] & ~FLAG_UNFENCED) != 0) {
        link_complain(link, "Martlet answers with the flags %d", result[1]);
        return IS_FAILED;
    }
    if (wanted == STATUS_STORED) return IS_RIGHT;
    key_write(key, link->options->prefix, ask->number);
    if (value_bytes == link->options->value_bytes && value_is_right(value, value_bytes, key))
        return IS_RIGHT;
    link_complain(link, "a value of %u bytes is not that of %.16s", value_bytes, key);
    return IS_WRONG;
}

static bool read_results(Link *link, const Request *request, const char *body, size_t length) {
    const char *end = body + length, *at = body + PROOF_BYTES;
    if (length < PROOF_BYTES || body[4] != STATE_LIVE) {
        link_complain(link, "a node answers that is not LIVE");
        return false;
    }
    for (uint32_t index = 0; index < request->count; index++) {
        if (end - at < RESULT_BYTES) return false;
        size_t fields = take16(at + 24), value = take32(at + 4);
        if ((size_t)(end - at) < RESULT_BYTES + fields + value) return false;
        const Ask *ask = &request->asks[index];
        link_answered(link, ask, look_at(link, ask, at, at + RESULT_BYTES + fields));
        at += RESULT_BYTES + fields + value;
    }
    return at == end;
}

static void all_are(Link *link, const Request *request, Outcome outcome) {
    for (uint32_t index = 0; index < request->count; index++)
        link_answered(link, &request->asks[index], outcome);
}

static bool is_framed_right(const char *bytes, size_t length) {
    return length >= HEADER_BYTES && memcmp(bytes, "ML\x01", 3) == 0
        && length == (size_t)HEADER_BYTES + take16(bytes + 18) + take32(bytes + 20);
}

static void complain_of(Link *link, uint8_t type, const char *body, size_t length) {
    if (type == TYPE_ERROR && length >= ERROR_BYTES) /* [5.7] */
        link_complain(link, "Martlet answers error %d: %.*s", take16(body),
            (int)(length - ERROR_BYTES), body + ERROR_BYTES);
    else
        link_complain(link, "Martlet answers a message of type %d", type);
}

int64_t martlet_read(Link *link, const char *bytes, size_t length) {
    if (!is_framed_right(bytes, length)) {
        link_complain(link, "a frame of %zu bytes is not a message", length);
        return -1;
    }
    Request *request = request_of(link, take64(bytes + 8));
    if (request == NULL) {
        link_complain(link, "Martlet answers what was not asked, with type %d", bytes[3]);
        return -1;
    }
    const char *body = bytes + HEADER_BYTES + take16(bytes + 18);
    size_t body_bytes = take32(bytes + 20);
    uint8_t type = (uint8_t)bytes[3];
    if (type == TYPE_RESULTS && take16(bytes + 6) == request->count) {
        if (!read_results(link, request, body, body_bytes)) return -1;
    } else if (type == TYPE_RECEIPT && link->options->operation == INVALIDATE) {
        all_are(link, request, IS_RIGHT);
    } else {
        complain_of(link, type, body, body_bytes);
        all_are(link, request, IS_FAILED);
    }
    uint32_t count = request->count;
    link_settled(link, (uint32_t)take64(bytes + 8));
    return count;
}
