/* What the loader is told. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

static const char usage[] =
    "usage: loader --protocol martlet|bare|resp|text --to ENDPOINT|HOST:PORT [options]\n"
    "\n"
    "Drives one server and prints JSON: a line when the window begins, one at the end.\n"
    "\n"
    "  --key FILE           of `martlet keygen`: by CURVE, to an ENDPOINT?key=DIGITS\n"
    "  --operation get|set|invalidate|publish   default get; the last two of martlet and resp\n"
    "  --keys N             different keys (1000000)    --prefix C   their first letter (k)\n"
    "  --value BYTES        of each value (100)\n"
    "  --in-flight N        keys on their way, of one thread (512)\n"
    "  --batch N            keys in a message, at most 1000 (1)\n"
    "  --gather             a message goes with fewer keys, where there is no room for more\n"
    "  --connections N      of one thread (1)           --threads N  (1)\n"
    "  --rate R             open loop: R keys a second, Poisson; latency from when each was due\n"
    "  --warm-up S          before anything counts (1)  --seconds S  the window (5)\n"
    "  --linger S           go on so long after the window, or until SIGTERM (0)\n"
    "  --total N            end after N keys; --warm-up and --seconds bound the time\n"
    "  --fill               store every key once: sequential sets\n"
    "  --seed N             of the keys asked for (1)\n"
    "  --spin US            look so long before sleeping, yielding (0); closed loop\n";

enum {
    TO = 256, PROTOCOL, OPERATION, KEYS, PREFIX, VALUE, IN_FLIGHT, BATCH, GATHER, CONNECTIONS,
    THREADS, RATE, WARM_UP, SECONDS, LINGER, TOTAL, FILL, SEED, SPIN, KEY, HELP
};

static const struct option known[] = {
    {"to", 1, NULL, TO}, {"protocol", 1, NULL, PROTOCOL}, {"operation", 1, NULL, OPERATION},
    {"keys", 1, NULL, KEYS}, {"prefix", 1, NULL, PREFIX}, {"value", 1, NULL, VALUE},
    {"in-flight", 1, NULL, IN_FLIGHT}, {"batch", 1, NULL, BATCH}, {"gather", 0, NULL, GATHER},
    {"connections", 1, NULL, CONNECTIONS}, {"threads", 1, NULL, THREADS},
    {"rate", 1, NULL, RATE}, {"warm-up", 1, NULL, WARM_UP}, {"seconds", 1, NULL, SECONDS},
    {"linger", 1, NULL, LINGER}, {"total", 1, NULL, TOTAL}, {"fill", 0, NULL, FILL},
    {"seed", 1, NULL, SEED}, {"key", 1, NULL, KEY},
    {"spin", 1, NULL, SPIN}, {"help", 0, NULL, HELP}, {NULL, 0, NULL, 0}};

static _Noreturn void refuse(const char *why) {
    fprintf(stderr, "loader: %s\n\n%s", why, usage);
    exit(64);
}

static int one_of(const char *word, const char *const *words, const char *why) {
    for (int index = 0; words[index] != NULL; index++)
        if (strcmp(word, words[index]) == 0) return index;
    refuse(why);
}

static double number(const char *text, double least, double most) {
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != 0 || !(value >= least && value <= most)) {
        char why[120];
        snprintf(why, sizeof why, "%.40s is not a number from %g to %g", text, least, most);
        refuse(why);
    }
    return value;
}

static void read_size(Options *options, int which, const char *text) {
    switch (which) {
    case KEYS: options->keys = (uint64_t)number(text, 1, 1e12); break;
    case VALUE: options->value_bytes = (uint32_t)number(text, 1, 524288); break;
    case IN_FLIGHT: options->in_flight = (uint32_t)number(text, 1, 1000000); break;
    case BATCH: options->batch = (uint32_t)number(text, 1, BATCH_MAX); break;
    case CONNECTIONS: options->connections = (uint32_t)number(text, 1, 256); break;
    case THREADS: options->threads = (uint32_t)number(text, 1, 64); break;
    case RATE: options->rate = number(text, 1, 1e9); break;
    case WARM_UP: options->warm_up = number(text, 0, 3600); break;
    case SECONDS: options->seconds = number(text, 0.01, 3600); break;
    case LINGER: options->linger = number(text, 0, 3600); break;
    case TOTAL: options->total = (uint64_t)number(text, 1, 1e12); break;
    case SEED: options->seed = (uint64_t)number(text, 0, 1e12); break;
    default: options->spin_ns = (uint64_t)(number(text, 0, 1e6) * 1000);
    }
}

static void read_one(Options *options, int which, char *text) {
    static const char *const protocols[] = {"martlet", "bare", "resp", "text", NULL};
    static const char *const operations[] = {"get", "set", "invalidate", "publish", NULL};
    switch (which) {
    case TO: options->endpoint = text; break;
    case PROTOCOL: options->protocol = (Protocol)one_of(text, protocols, "no such protocol"); break;
    case OPERATION:
        options->operation = (Operation)one_of(text, operations, "no such operation");
        break;
    case PREFIX: options->prefix = text[0]; break;
    case KEY:
        options->has_keys = curve_read(&options->own, text);
        if (!options->has_keys) refuse("--key is not a file of `martlet keygen`");
        break;
    case GATHER: options->gathers = true; break;
    case FILL: options->is_sequential = true; break;
    case HELP: fputs(usage, stdout); exit(0);
    case '?': exit(64);
    default: read_size(options, which, text);
    }
}

static void check(Options *options) {
    bool is_framed = options->protocol == MARTLET || options->protocol == BARE;
    bool is_resp = options->protocol == RESP;
    if (options->endpoint == NULL) refuse("--to is missing");
    if (options->operation == INVALIDATE && options->protocol != MARTLET)
        refuse("invalidate is for martlet");
    if (options->operation == PUBLISH && !is_resp) refuse("publish is for resp");
    if (options->operation == SET && options->batch > 1 && options->protocol == TEXT)
        refuse("memcached stores one key at a time");
    if (options->protocol == BARE && options->batch > 1) refuse("an echo takes one key a frame");
    if (options->gathers && !is_framed) refuse("--gather is for martlet");
    if (options->in_flight / options->connections < (options->gathers ? 1 : options->batch))
        refuse("--in-flight leaves no room for one message a connection");
    size_t message = 128 + (size_t)options->batch * (options->value_bytes + 64);
    if (is_framed && options->operation == SET && message > 1048576)
        refuse("a message is at most a mebibyte long");
}

/* Nobody falls back to plain text: both sides have a key, or none has. */
static void read_server_key(Options *options) {
    char *endpoint = strdup(options->endpoint);
    if (endpoint == NULL) abort();
    const char *digits = curve_cut(endpoint);
    if (digits == NULL && options->has_keys) refuse("--to lacks ?key= and the server's key");
    if (digits != NULL && !options->has_keys) refuse("--to has a server's key: --key is missing");
    if (digits != NULL && !curve_key(options->server_key, digits))
        refuse("--to has no key of 64 hexadecimal digits behind ?key=");
    options->endpoint = endpoint;
}

void options_read(Options *options, int count, char **arguments) {
    *options = (Options){.prefix = 'k', .keys = 1000000, .value_bytes = 100, .in_flight = 512,
        .batch = 1, .connections = 1, .threads = 1, .warm_up = 1, .seconds = 5, .seed = 1};
    for (int which; (which = getopt_long(count, arguments, "", known, NULL)) != -1;)
        read_one(options, which, optarg);
    if (optind < count) refuse("an argument is not an option");
    if (options->is_sequential) {
        options->operation = SET;
        options->total = options->keys;
        options->threads = 1;
    }
    check(options);
    if (options->protocol == MARTLET || options->protocol == BARE) {
        read_server_key(options);
        return;
    }
    if (options->has_keys) refuse("--key is for martlet and bare");
    char *colon = strrchr(options->endpoint, ':');
    if (colon == NULL) refuse("--to is HOST:PORT here");
    options->host = strndup(options->endpoint, (size_t)(colon - options->endpoint));
    options->port = colon + 1;
}
