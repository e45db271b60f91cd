/// Support.c: clocks, processors, the child process, the sides, and descriptors.
#include "Sides.h"
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

// MARK: - Clocks and processors

/// The time, or the number of instructions where these are counted.
static double nanoseconds(clockid_t clock) {
    double instructions;
    if (TraceIsClock(&instructions)) return instructions;
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double BenchThreadTime(void) { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }
double BenchProcessTime(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }
double BenchWallTime(void) { return nanoseconds(CLOCK_MONOTONIC); }

bool BenchPin(int processor) {
    static cpu_set_t all; // the processors of the process before its first thread was pinned; threads inherit fewer
    if (CPU_COUNT(&all) == 0 && sched_getaffinity(0, sizeof(all), &all)) return false;
    for (size_t candidate = 0; candidate < CPU_SETSIZE; candidate++) {
        if (!CPU_ISSET(candidate, &all) || processor-- > 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(candidate, &one);
        return sched_setaffinity(0, sizeof(one), &one) == 0;
    }
    return false;
}

int BenchProcessorCount(void) {
    cpu_set_t all;
    return sched_getaffinity(0, sizeof(all), &all) ? 1 : CPU_COUNT(&all);
}

// MARK: - A child of its own

/// Freed memory stays in the process. Otherwise, whether it went back to the kernel would depend on the other allocations.
static void steadyAllocator(void) {
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
}

/// The descriptor stays open in the child's children, too, so the reader sees its end when the last of them has ended.
int BenchStartChild(void (^body)(int output), int *child) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return -1;
    *child = fork();
    if (*child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        steadyAllocator();
        body(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    if (*child > 0) return ends[0];
    close(ends[0]);
    return -1;
}

int BenchWaitForChild(int child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void BenchFail(const Bench *bench, const char *format, ...) {
    fprintf(stderr, "\nRunLoopBench: %s: ", BenchSideName(bench->side));
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    _exit(1);
}

void BenchCheck(const Bench *bench, const char *what, long done, long expected) {
    if (done != expected) BenchFail(bench, "%s: %ld, not %ld", what, done, expected);
}

// MARK: - Sides

static const Side *const sides[] = {&BenchRunLoopSide, &BenchToolchainSide, &BenchFloorSide, &BenchGLibSide, &BenchLibuvSide};

const Side *BenchSideOf(const Bench *bench) { return sides[bench->side]; }
const char *BenchSideName(BenchSide side) { return sides[side]->name; }
bool BenchIsInstalled(BenchSide side) { return !sides[side]->isInstalled || sides[side]->isInstalled(); }

Bench *BenchMake(BenchSide side, long size, long processors) {
    if (!BenchIsInstalled(side)) return NULL;
    Bench *bench = malloc(sizeof(*bench));
    *bench = (Bench){.side = side, .size = size, .processors = processors};
    if (side == BenchOurs) bench->loop = CFRunLoopTableOurs();
    if (side == BenchToolchain) bench->loop = CFRunLoopTableOriginal(NULL);
    return bench;
}

// MARK: - Descriptors

static int checked(int result, const char *call) {
    if (result >= 0) return result;
    fprintf(stderr, "\nRunLoopBench: %s: %s\n", call, strerror(errno));
    _exit(1);
}

int BenchEvent(void) { return checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"); }
void BenchSetEvent(int event) { checked((int)write(event, &(uint64_t){1}, 8), "write to an eventfd"); }
void BenchClearEvent(int event) {
    uint64_t count;
    checked((int)read(event, &count, sizeof(count)), "read from an eventfd");
}
int BenchEpoll(void) { return checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1"); }
void BenchEpollAdd(int epoll, int descriptor, void *info) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = info}};
    checked(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
}
