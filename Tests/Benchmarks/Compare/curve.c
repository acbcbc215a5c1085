#include "curve.h"

#include <stdio.h>
#include <string.h>
#include <zmq.h>

static const char mark[] = "?key=";

static int digit(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

bool curve_key(uint8_t *into, const char *digits) {
    if (strlen(digits) != CURVE_DIGITS) return false;
    for (int place = 0; place < CURVE_BYTES; place++) {
        int high = digit(digits[2 * place]), low = digit(digits[2 * place + 1]);
        if (high < 0 || low < 0) return false;
        into[place] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool curve_read(CurvePair *into, const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    char line[256], name[16], digits[128];
    bool has_public = false, has_secret = false;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%15s %127s", name, digits) != 2) continue;
        if (strcmp(name, "public-key") == 0) has_public = curve_key(into->public_key, digits);
        if (strcmp(name, "secret-key") == 0) has_secret = curve_key(into->secret_key, digits);
    }
    fclose(file);
    return has_public && has_secret;
}

const char *curve_cut(char *endpoint) {
    char *at = strstr(endpoint, mark);
    if (at == NULL) return NULL;
    *at = 0;
    return at + strlen(mark);
}

static bool set(void *socket, int option, const void *value, size_t bytes) {
    return zmq_setsockopt(socket, option, value, bytes) == 0;
}

bool curve_set(void *socket, const CurvePair *keys, const uint8_t *server_key) {
    int yes = 1;
    if (!set(socket, ZMQ_CURVE_SECRETKEY, keys->secret_key, CURVE_BYTES)) return false;
    if (server_key == NULL) return set(socket, ZMQ_CURVE_SERVER, &yes, sizeof yes);
    return set(socket, ZMQ_CURVE_PUBLICKEY, keys->public_key, CURVE_BYTES)
        && set(socket, ZMQ_CURVE_SERVERKEY, server_key, CURVE_BYTES);
}
