#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

static int connect_streams(posix_spawn_file_actions_t *actions, int input, int output, int error) {
    int code = input >= 0 ? posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO)
                          : posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null",
                                                             O_RDONLY, 0);
    if (code == 0) code = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (code == 0) code = posix_spawn_file_actions_adddup2(actions, error, STDERR_FILENO);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    /* Elsewhere each descriptor of ours is closed by its own flag. */
    if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
    return code;
}

static int set_signals(posix_spawnattr_t *attributes) {
    sigset_t none, every;
    sigemptyset(&none);
    sigfillset(&every);
    int code = posix_spawnattr_setsigmask(attributes, &none);
    if (code == 0) code = posix_spawnattr_setsigdefault(attributes, &every);
    if (code == 0) code = posix_spawnattr_setpgroup(attributes, 0);
    if (code == 0)
        code = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return code;
}

int martlet_program_start(const char *path, char *const *arguments, char *const *environment,
                          int input, int output, int error, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    /* Where it is ignored, which is inherited, the system does not keep how a child ended. */
    struct sigaction ended;
    if (sigaction(SIGCHLD, NULL, &ended) == 0 &&
        (ended.sa_handler == SIG_IGN || (ended.sa_flags & SA_NOCLDWAIT) != 0))
        signal(SIGCHLD, SIG_DFL);
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) return code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        code = connect_streams(&actions, input, output, error);
        if (code == 0) code = set_signals(&attributes);
        if (code == 0)
            code = posix_spawn(process, path, &actions, &attributes, arguments,
                               environment != NULL ? environment : environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

char *const *martlet_environment(void) { return environ; }

void martlet_streams_complete(void) {
    int last;
    do last = open("/dev/null", O_RDWR);
    while (last >= 0 && last <= STDERR_FILENO);
    if (last > STDERR_FILENO) close(last);
}

int martlet_pipe_open(int *read_descriptor, int *write_descriptor) {
    int ends[2];
#if defined(__linux__)
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
#else
    if (pipe(ends) != 0) return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
    *read_descriptor = ends[0];
    *write_descriptor = ends[1];
    return 0;
}
