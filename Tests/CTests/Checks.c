/// Checks.c: the functions behind the macros of CTests.h: the checks, the event log, and questions about this process.
#include "CTests.h"
#include "../../Programs/CRunLoopModel/LogDifference.h"
#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// MARK: - Checks

/// Ends the process with _exit, because a failed case has nothing to clean up and other threads may still be running.
void CTestsFail(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    fflush(stderr);
    _exit(1);
}

void CTestsSkip(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    fflush(stderr);
    _exit(CTestsStatusSkipped);
}

void CTestsCheckInt(const char *file, int line, const char *what, long long actual, const char *relation, long long expected) {
    bool holds = relation[0] == '<' ? actual <= expected : relation[0] == '>' ? actual >= expected : actual == expected;
    if (!holds) CTestsFail(file, line, "CHECK(%s): %lld %s %lld does not hold", what, actual, relation, expected);
}

void CTestsCheckString(const char *file, int line, const char *what, const char *actual, const char *relation,
                       const char *expected) {
    if (actual == expected || (actual && expected && strcmp(actual, expected) == 0)) return;
    CTestsFail(file, line, "CHECK(%s):\n  is       %s%s%s\n  expected %s%s%s", what, actual ? "\"" : "", actual ? actual : "NULL",
               actual ? "\"" : "", expected ? "\"" : "", expected ? expected : "NULL", expected ? "\"" : "");
}

void CTestsCheckPointer(const char *file, int line, const char *what, const void *actual, const char *relation,
                        const void *expected) {
    if (actual != expected) CTestsFail(file, line, "CHECK(%s): %p %s %p does not hold", what, actual, relation, expected);
}

void CTestsCheckDouble(const char *file, int line, const char *what, double actual, double expected, double eps) {
    if (actual == expected || fabs(actual - expected) <= eps) return;
    CTestsFail(file, line, "CHECK(%s): %.9g and %.9g are %.3g apart, %.3g is allowed", what, actual, expected,
               fabs(actual - expected), eps);
}

// MARK: - Aborts

/// The child writes stderr to a file in memory. A pipe would have to be read while the child writes. SwiftPM links Swift's runtime into C
/// programs, too, and the runtime may have installed a crash handler, so an abort in the child resets SIGABRT to its default action.
CTestsChild CTestsFork(void) {
    CTestsChild child = {.output = memfd_create("stderr of the child", MFD_CLOEXEC)};
    fflush(NULL);
    child.pid = fork();
    if (child.output < 0 || child.pid < 0) FAIL("no child: %m");
    if (child.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGABRT, SIG_DFL);
        dup2(child.output, STDERR_FILENO);
    }
    return child;
}

void CTestsChildSurvived(void) {
    fflush(NULL);
    _exit(0);
}

int StatusOf(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child) FAIL("the child is lost: %m");
    return status;
}

int CTestsEndOf(CTestsChild child, char **output) {
    int status = StatusOf(child.pid);
    *output = CTestsReadAll(child.output);
    close(child.output);
    return status;
}

char *FileOfChild(int *status, void (^body)(int file)) {
    int file = memfd_create("of the child", MFD_CLOEXEC);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        body(file);
        _exit(0); // programs and scenarios release few of their items
    }
    *status = StatusOf(child);
    char *text = CTestsReadAll(file);
    close(file);
    return text;
}

const char *CTestsCheckHalted(const char *file, int line, const char *part, CTestsChild child) {
    static char *output;
    free(output);
    int status = CTestsEndOf(child, &output);
    if (WIFEXITED(status)) {
        CTestsFail(file, line, "CHECK_HALTS: the child was not halted; it exited with status %d and wrote:\n%s",
                   WEXITSTATUS(status), output);
    }
    if (WTERMSIG(status) != SIGABRT) {
        CTestsFail(file, line, "CHECK_HALTS: the child was ended by signal %d (%s), not by abort(); it wrote:\n%s",
                   WTERMSIG(status), strsignal(WTERMSIG(status)), output);
    }
    if (!strstr(output, part)) CTestsFail(file, line, "CHECK_HALTS: \"%s\" is not in what the child wrote:\n%s", part, output);
    return output;
}

char *CTestsReadAll(int fd) {
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0) size = 0;
    char *text = malloc((size_t)size + 1);
    ssize_t got = pread(fd, text, (size_t)size, 0);
    text[got > 0 ? got : 0] = 0;
    return text;
}

// MARK: - The event log

static pthread_mutex_t logLock = PTHREAD_MUTEX_INITIALIZER;
static char *logText;      // each event ends with a newline; guarded by logLock
static size_t logLength;   // guarded by logLock
static size_t logCapacity; // guarded by logLock

void CTestsLog(const char *format, ...) {
    va_list arguments;
    char *event;
    va_start(arguments, format);
    int length = vasprintf(&event, format, arguments);
    va_end(arguments);
    if (length < 0) FAIL("LOG(\"%s\"): no memory", format);

    pthread_mutex_lock(&logLock);
    if (logLength + (size_t)length + 2 > logCapacity) {
        logCapacity = 2 * (logLength + (size_t)length + 2);
        logText = realloc(logText, logCapacity);
    }
    memcpy(logText + logLength, event, (size_t)length);
    memcpy(logText + logLength + length, "\n", 2);
    logLength += (size_t)length + 1;
    pthread_mutex_unlock(&logLock);
    free(event);
}

void CTestsLogClear(void) {
    pthread_mutex_lock(&logLock);
    logLength = 0;
    pthread_mutex_unlock(&logLock);
}

char *LogCopy(void) {
    pthread_mutex_lock(&logLock);
    char *copy = strndup(logText ? logText : "", logLength ? logLength - 1 : 0);
    pthread_mutex_unlock(&logLock);
    return copy;
}

void CTestsCheckLog(const char *file, int line, const char *expected) {
    char *actual = LogCopy();
    if (strcmp(actual, expected) != 0) {
        fprintf(stderr, "the log: \"-\" was expected and is missing, \"+\" is there and was not expected\n");
        printLogDifference(stderr, expected, actual, INT_MAX / 2, INT_MAX);
        CTestsFail(file, line, "CHECK_LOG: the log is not as expected");
    }
    free(actual);
}

// MARK: - Descriptors and threads of the process

double SecondsNow(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double TimeScale(void) {
    const char *text = getenv("CTESTS_TIME_SCALE");
    double scale = text ? strtod(text, NULL) : 1;
    return scale > 0 ? scale : 1;
}

void CTestsNap(void) {
    usleep(1000);
}

/// The number of entries of a directory, without "." and "..".
static int entryCount(const char *path) {
    int count = 0;
    DIR *directory = opendir(path);
    if (!directory) FAIL("%s: %m", path);
    for (struct dirent *entry; (entry = readdir(directory));) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

int OpenDescriptorCount(void) {
    return entryCount("/proc/self/fd") - 1; // one is opendir's own descriptor
}

int ThreadCount(void) {
    return entryCount("/proc/self/task");
}

char *RunCTests(const char *environment, const char *arguments, int *status) {
    char path[4096] = "", command[5000];
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) FAIL("/proc/self/exe: %m");
    snprintf(command, sizeof command, "%s '%s' %s 2>&1", environment, path, arguments);
    FILE *output = popen(command, "r");
    if (!output) FAIL("popen: %m");
    char *text = NULL;
    size_t capacity = 0;
    if (getdelim(&text, &capacity, 0, output) < 0) text = strdup("");
    int ended = pclose(output);
    *status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    return text;
}
