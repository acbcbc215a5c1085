/* Drives a cache and counts what it answers: see loader.h for the parts, --help for the options. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <zmq.h>

#include "loader.h"

volatile sig_atomic_t is_ending;

static void end(int signal) {
    (void)signal;
    is_ending = 1;
}

static double processor_seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
        + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void sleep_until(uint64_t moment) {
    struct timespec time = {
        .tv_sec = (time_t)(moment / 1000000000U), .tv_nsec = (long)(moment % 1000000000U)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0 && !is_ending) {}
}

static void add_up(Tally *sum, const Tally *part) {
    sum->sent += part->sent;
    sum->right += part->right;
    sum->misses += part->misses;
    sum->wrong += part->wrong;
    sum->failed += part->failed;
    sum->counted += part->counted;
    sum->messages += part->messages;
    sum->backlog_max += part->backlog_max;
    histogram_merge(&sum->latencies, &part->latencies);
    if (sum->complaint[0] == 0) memcpy(sum->complaint, part->complaint, sizeof sum->complaint);
}

/* A percentile in microseconds; null if fewer than ten answers stand behind it. */
static void print_percentile(const char *name, const Histogram *latencies, double share) {
    if ((double)latencies->total * (1 - share) < 10)
        printf("\"%s\":null,", name);
    else
        printf("\"%s\":%.1f,", name, (double)histogram_percentile(latencies, share) / 1000);
}

static void print_text(const char *name, const char *text) {
    printf("\"%s\":\"", name);
    for (; *text != 0; text++)
        if (*text >= ' ' && *text != '"' && *text != '\\' && *text != 0x7F) putchar(*text);
    printf("\"");
}

static void print_report(const Tally *tally, double seconds, double cores) {
    printf("{\"event\":\"ended\",\"keys\":%llu,\"seconds\":%.6f,\"rate\":%.1f,",
        (unsigned long long)tally->counted, seconds, (double)tally->counted / seconds);
    printf("\"sent\":%llu,\"messages\":%llu,\"right\":%llu,\"misses\":%llu,\"wrong\":%llu,"
           "\"failed\":%llu,\"backlog_max\":%llu,\"cores\":%.3f,\"latency_us\":{",
        (unsigned long long)tally->sent, (unsigned long long)tally->messages,
        (unsigned long long)tally->right, (unsigned long long)tally->misses,
        (unsigned long long)tally->wrong, (unsigned long long)tally->failed,
        (unsigned long long)tally->backlog_max, cores);
    print_percentile("p50", &tally->latencies, 0.5);
    print_percentile("p90", &tally->latencies, 0.9);
    print_percentile("p99", &tally->latencies, 0.99);
    print_percentile("p999", &tally->latencies, 0.999);
    printf("\"max\":%.1f},", (double)tally->latencies.greatest / 1000);
    print_text("complaint", tally->complaint);
    printf("}\n");
}

/* How many cores the process used in the window, which this waits for. */
static double cores_in_window(const Worker *worker, const Options *options) {
    if (options->total > 0) return 0;
    sleep_until(worker->window_begin);
    printf("{\"event\":\"begun\"}\n");
    fflush(stdout);
    double before = processor_seconds();
    sleep_until(worker->window_end);
    return (processor_seconds() - before) / options->seconds;
}

int main(int count, char **arguments) {
    Options options;
    options_read(&options, count, arguments);
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_TIMERSLACK, 1000);
    void *context = zmq_ctx_new();
    Worker *workers = calloc(options.threads, sizeof *workers);
    pthread_t *threads = calloc(options.threads, sizeof *threads);
    Tally *sum = calloc(1, sizeof *sum);
    if (context == NULL || workers == NULL || threads == NULL || sum == NULL) abort();
    uint64_t start = now_ns(), begin = start + (uint64_t)(options.warm_up * 1e9);
    for (uint32_t index = 0; index < options.threads; index++) {
        workers[index].options = &options;
        workers[index].context = context;
        workers[index].index = index;
        workers[index].window_begin = options.total > 0 ? start : begin;
        workers[index].window_end = begin + (uint64_t)(options.seconds * 1e9);
        if (pthread_create(&threads[index], NULL, worker_run, &workers[index]) != 0) abort();
    }
    double cores = cores_in_window(&workers[0], &options);
    bool failed = false;
    for (uint32_t index = 0; index < options.threads; index++) {
        pthread_join(threads[index], NULL);
        add_up(sum, &workers[index].tally);
        failed = failed || workers[index].failed;
    }
    double seconds = options.total > 0 ? (double)(now_ns() - start) / 1e9 : options.seconds;
    print_report(sum, seconds, cores);
    zmq_ctx_term(context);
    return failed || sum->wrong > 0 ? 1 : 0;
}
