/// Support.c: clocks, processors, the child process, descriptors, and the few steps with which most rows begin.
#include "Support.h"
#include "Tracer.h"
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

enum { costsSize = BenchMostRows * sizeof(double) };

double *BenchSharedCosts(void) {
    double *shared = mmap(NULL, costsSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) abort();
    for (int i = 0; i < BenchMostRows; i++) shared[i] = NAN;
    return shared;
}

void BenchTakeSharedCosts(double *shared, double *costs) {
    memcpy(costs, shared, costsSize);
    munmap(shared, costsSize);
}

void BenchFail(const Bench *bench, const char *format, ...) {
    static const char *const sides[] = {"ours", "toolchain", "floor", "GLib", "libuv"};
    fprintf(stderr, "\nRunLoopBench: %s: ", sides[bench->side]);
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

// MARK: - A run loop through its table

CFStringRef BenchMode(const Bench *bench) { return T(bench)->kCFRunLoopDefaultMode; }

CFStringRef BenchMakeMode(const Bench *bench, const char *name) {
    return T(bench)->CFStringCreateWithCString(NULL, name, kCFStringEncodingUTF8);
}

CFRunLoopRef BenchLoop(const Bench *bench) { return T(bench)->CFRunLoopGetCurrent(); }

static CFRunLoopSourceRef addSource(const Bench *bench, CFRunLoopSourceContext *context) {
    CFRunLoopSourceRef source = T(bench)->CFRunLoopSourceCreate(NULL, 0, context);
    T(bench)->CFRunLoopAddSource(BenchLoop(bench), source, BenchMode(bench));
    return source;
}

CFRunLoopSourceRef BenchAddSource0(const Bench *bench, void *info, void (*perform)(void *info)) {
    CFRunLoopSourceContext context = {.version = 0, .info = info, .perform = perform};
    return addSource(bench, &context);
}

/// The original's getPort returns a pointer on Linux, ours an int. The return value fills a whole register, which is right for both.
static void *getPort(void *info) { return (void *)(intptr_t)*(int *)info; }

CFRunLoopSourceRef BenchAddSource1(const Bench *bench, void *info, void (*perform)(void *info)) {
    CFRunLoopSourceContext1 context = {.version = 1, .info = info, .getPort = (__CFPort (*)(void *))(void (*)(void))getPort, .perform = perform};
    return addSource(bench, (CFRunLoopSourceContext *)&context);
}

static void nothing(void *info) {}

void BenchKeepAlive(const Bench *bench) { BenchAddSource0(bench, NULL, nothing); }

CFRunLoopTimerRef BenchMakeTimer(const Bench *bench, CFAbsoluteTime date, CFTimeInterval interval, void *info,
                                 void (*fire)(CFRunLoopTimerRef timer, void *info)) {
    CFRunLoopTimerContext context = {.info = info};
    return T(bench)->CFRunLoopTimerCreate(NULL, date, interval, 0, 0, fire, &context);
}

/// A limit this far ahead counts as none on both sides: neither side does anything for it.
void BenchRunUntilStopped(const Bench *bench) {
    CFRunLoopRunResult result = T(bench)->CFRunLoopRunInMode(BenchMode(bench), 1e10, false);
    BenchCheck(bench, "a run that is stopped returns", result, kCFRunLoopRunStopped);
}

CFRunLoopRunResult BenchPoll(const Bench *bench) { return T(bench)->CFRunLoopRunInMode(BenchMode(bench), 0, false); }

// MARK: - Descriptors

static int checked(int result, const char *call) {
    if (result >= 0) return result;
    fprintf(stderr, "\nRunLoopBench: %s: %s\n", call, strerror(errno));
    _exit(1);
}

long BenchMostDescriptors(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) ? 1024 : (long)limit.rlim_max;
}

void BenchAllowDescriptors(const Bench *bench, long count) {
    static long allowed = 100; // for the program's own files
    allowed += count;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) BenchFail(bench, "getrlimit: %m");
    if (limit.rlim_cur >= (rlim_t)allowed) return;
    limit.rlim_cur = (rlim_t)allowed;
    if (setrlimit(RLIMIT_NOFILE, &limit)) BenchFail(bench, "the system does not allow %ld descriptors: see ulimit -Hn", allowed);
}

double BenchOpenDescriptorCount(void) {
    DIR *directory = opendir("/proc/self/fd");
    if (!directory) return 0;
    long count = -3; // ".", "..", and the directory's own descriptor
    while (readdir(directory)) count++;
    closedir(directory);
    return (double)count;
}

int BenchEvent(void) { return checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"); }
void BenchSetEvent(int event) { checked((int)write(event, &(uint64_t){1}, 8), "write to an eventfd"); }
void BenchClearEvent(int event) {
    uint64_t count;
    checked((int)read(event, &count, sizeof(count)), "read from an eventfd");
}
int BenchEpoll(void) { return checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1"); }
void BenchEpollAdd(int epoll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
    checked(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
}

// MARK: - Numbers without pattern

/// xorshift64*.
uint64_t BenchNext(BenchRandom *random) {
    uint64_t x = random->state ? random->state : 0x9E3779B97F4A7C15;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * 0x2545F4914F6CDD1D;
}

double BenchNextDate(BenchRandom *random) { return (double)(BenchNext(random) >> 11) / 9007199254740992.0; }
