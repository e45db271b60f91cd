/// Child.c: runs this program once more, so that a performance gets its own main thread.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "Child.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { mostSeconds = 60, mostArguments = 10 };

static pid_t start(const char *const *arguments, int output) {
    const char *words[mostArguments + 3] = {"Conformance", "child"};
    for (int i = 0; arguments[i] && i < mostArguments; i++) words[i + 2] = arguments[i];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    pid_t child;
    int problem = posix_spawn(&child, "/proc/self/exe", &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return problem ? -1 : child;
}

/// Whether the output has ended; false if the time has passed.
static int readAll(int descriptor, FILE *into) {
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    char bytes[4096];
    for (;;) {
        int result = poll(&ready, 1, mostSeconds * 1000);
        if (result == 0) return 0;
        if (result < 0 && errno == EINTR) continue;
        ssize_t count = read(descriptor, bytes, sizeof bytes);
        if (count <= 0) return 1;
        fwrite(bytes, 1, (size_t)count, into);
    }
}

char *childLog(const char *const *arguments) {
    char *log = NULL;
    size_t length = 0;
    int ends[2], status = 0;
    FILE *into = open_memstream(&log, &length);
    pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? start(arguments, ends[1]) : -1;
    if (child < 0) {
        fprintf(into, "no child: %s\n", strerror(errno));
        fclose(into);
        return log;
    }
    close(ends[1]);
    if (!readAll(ends[0], into)) {
        fprintf(into, "does not end\n");
        kill(child, SIGKILL);
    }
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (WIFSIGNALED(status)) fprintf(into, "ended by signal %d\n", WTERMSIG(status));
    else if (WEXITSTATUS(status)) fprintf(into, "exit status %d\n", WEXITSTATUS(status));
    fclose(into);
    return log;
}
