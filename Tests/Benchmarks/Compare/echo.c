/* See echo.h. */
#include "echo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

volatile sig_atomic_t is_ending;

static void end(int signal) {
    (void)signal;
    is_ending = 1;
}

void echo_listens(const char *endpoint) {
    printf("{\"event\":\"listens\",\"endpoint\":\"%s\"}\n", endpoint);
    fflush(stdout);
}

int main(int count, char **arguments) {
    static const char *const kinds[] = {"bare", "martlet", "resp", "text"};
    int kind = -1;
    for (int index = 0; count == 3 && index < 4; index++)
        if (strcmp(arguments[1], kinds[index]) == 0) kind = index;
    int value_bytes = kind < 0 ? 0 : atoi(arguments[2]);
    if (value_bytes < 1 || value_bytes > 524288) {
        fputs("usage: echo bare|martlet|resp|text VALUE_BYTES\n\n"
              "Listens on a free port of 127.0.0.1, prints it, and answers what the loader asks\n"
              "until SIGTERM; then it prints how many keys it answered.\n", stderr);
        return 64;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Without SA_RESTART, so that a signal ends a wait. */
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    Echo echo = {.value_bytes = (uint32_t)value_bytes};
    bool was_there =
        kind < 2 ? echo_frames(&echo, kind == 0) : echo_stream(&echo, kind == 3);
    printf("{\"event\":\"ended\",\"keys\":%llu,\"messages\":%llu}\n",
        (unsigned long long)echo.keys, (unsigned long long)echo.messages);
    return was_there ? 0 : 1;
}
