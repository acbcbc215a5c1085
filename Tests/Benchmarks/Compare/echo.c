/* See echo.h. */
#include "echo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { BARE_KIND, MARTLET_KIND, RESP_KIND, TEXT_KIND, KINDS };

volatile sig_atomic_t is_ending;
static volatile sig_atomic_t is_asked;

static void end(int signal) {
    (void)signal;
    is_ending = 1;
}

static void ask(int signal) {
    (void)signal;
    is_asked = 1;
}

void echo_listens(const Echo *echo, const char *endpoint) {
    printf("{\"event\":\"listens\",\"endpoint\":\"%s", endpoint);
    if (echo->has_keys) printf("?key=");
    for (int place = 0; echo->has_keys && place < CURVE_BYTES; place++)
        printf("%02x", echo->own.public_key[place]);
    printf("\"}\n");
    fflush(stdout);
}

static void print_counts(const Echo *echo, const char *event) {
    printf("{\"event\":\"%s\",\"keys\":%llu,\"messages\":%llu,", event,
        (unsigned long long)echo->keys, (unsigned long long)echo->messages);
    printf("\"refusals\":%llu,\"told\":%llu}\n", (unsigned long long)echo->refusals,
        (unsigned long long)echo->told);
    fflush(stdout);
}

void echo_tell(Echo *echo) {
    if (!is_asked) return;
    is_asked = 0;
    echo->told++;
    print_counts(echo, "counts");
}

/* False: the arguments are wrong. */
static bool understands(Echo *echo, int *kind, int count, char **arguments) {
    static const char *const kinds[KINDS] = {"bare", "martlet", "resp", "text"};
    *kind = KINDS;
    for (int index = 0; (count == 3 || count == 5) && index < KINDS; index++)
        if (strcmp(arguments[1], kinds[index]) == 0) *kind = index;
    if (*kind == KINDS) return false;
    int value_bytes = atoi(arguments[2]);
    echo->value_bytes = (uint32_t)value_bytes;
    echo->has_keys = count == 5;
    if (value_bytes < 1 || value_bytes > 524288) return false;
    return !echo->has_keys
        || (*kind <= MARTLET_KIND && curve_read(&echo->own, arguments[3])
            && curve_key(echo->admitted, arguments[4]));
}

int main(int count, char **arguments) {
    Echo echo = {0};
    int kind;
    if (!understands(&echo, &kind, count, arguments)) {
        fputs("usage: echo bare|martlet|resp|text VALUE_BYTES [KEY_FILE PUBLIC_KEY]\n\n"
              "Listens on a free port of 127.0.0.1, prints it, and answers what the loader asks\n"
              "until SIGTERM; then it prints how many keys it answered, and on SIGUSR1 how many\n"
              "so far. With a file of `martlet keygen`, of bare and martlet, by CURVE, and to the\n"
              "holder of PUBLIC_KEY alone, which is 64 hexadecimal digits.\n", stderr);
        return 64;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Without SA_RESTART, so that a signal ends a wait. */
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    struct sigaction asking = {.sa_handler = ask};
    sigaction(SIGUSR1, &asking, NULL);
    bool was_there = kind <= MARTLET_KIND ? echo_frames(&echo, kind == BARE_KIND)
                                          : echo_stream(&echo, kind == TEXT_KIND);
    print_counts(&echo, "ended");
    return was_there ? 0 : 1;
}
