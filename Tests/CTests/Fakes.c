/// Fakes.c: see Fakes.h.
#include "Fakes.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern void *_NSConcreteStackBlock[];

// MARK: - Clocks

_Atomic(double) WallClockShift, MonotonicClockShift;
_Atomic(int64_t) ClockTick;
_Atomic(long) ClockResolution;
_Atomic(int) EpollAddError;

/// The C library's function of the same name.
static void *behind(const char *name, _Atomic(void *) *known) {
    void *function = *known;
    if (!function) *known = function = dlsym(RTLD_NEXT, name);
    return function;
}

static void shiftTime(struct timespec *time, double seconds) {
    if (seconds == 0 && !ClockTick) return;
    int64_t nanoseconds = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + (int64_t)(seconds * 1e9);
    if (ClockTick) nanoseconds -= nanoseconds % ClockTick;
    time->tv_sec = (time_t)(nanoseconds / 1000000000);
    time->tv_nsec = (long)(nanoseconds % 1000000000);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static _Atomic(void *) known;
    int (*real)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))behind("clock_gettime", &known);
    int result = real(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) shiftTime(time, WallClockShift);
    if (result == 0 && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE)) shiftTime(time, MonotonicClockShift);
    return result;
}

double TrueSecondsNow(void) {
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int clock_getres(clockid_t clock, struct timespec *resolution) {
    static _Atomic(void *) known;
    int (*real)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))behind("clock_getres", &known);
    int result = real(clock, resolution);
    if (result == 0 && resolution && ClockResolution) *resolution = (struct timespec){0, ClockResolution};
    return result;
}

double ThreadSeconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// MARK: - Descriptors

void LeaveDescriptors(int left) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 100;
    setrlimit(RLIMIT_NOFILE, &limit);
    int last = -1, descriptor;
    while ((descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) last = descriptor;
    for (; left > 0; left--) close(last--);
}

// MARK: - Blocks that report their release

/// A block with the compiler's layout, filled in explicitly, because in C no variable that a block captures has a destructor.
typedef struct TellingBlock {
    void *isa;
    int flags, reserved;
    void (*invoke)(struct TellingBlock *block);
    const struct TellingBlockDescriptor *descriptor;
    void (*gone)(void);
} TellingBlock;

struct TellingBlockDescriptor {
    unsigned long reserved, size;
    void (*copy)(void *to, const void *from);
    void (*dispose)(const void *block);
};

enum { blockHasCopyDispose = 1 << 25 };

static void tellingBlockInvoke(TellingBlock *block) { (void)block; }
static void tellingBlockCopy(void *to, const void *from) { ((TellingBlock *)to)->gone = ((const TellingBlock *)from)->gone; }
static void tellingBlockDispose(const void *block) { ((const TellingBlock *)block)->gone(); }

void (^BlockThatTells(void (*gone)(void)))(void) {
    static const struct TellingBlockDescriptor descriptor = {0, sizeof(TellingBlock), tellingBlockCopy, tellingBlockDispose};
    static __thread TellingBlock block; // marked as a block on the stack, so a function that keeps it copies it
    block = (TellingBlock){_NSConcreteStackBlock, blockHasCopyDispose, 0, tellingBlockInvoke, &descriptor, gone};
    return (void (^)(void))(void *)&block;
}

// MARK: - An object that tells when it is finalized

static void callWhenReleased(CFAllocatorRef allocator, const void *function) { ((void (*)(void))function)(); }

CFTypeRef MakeTellingObject(void (*finalized)(void)) {
    const void *values[] = {(const void *)finalized};
    return CFArrayCreate(NULL, values, 1, &(CFArrayCallBacks){.release = callWhenReleased});
}

// MARK: - Stderr

static int stderrFile = -1, stderrBefore = -1;

void StderrCapture(void) {
    stderrFile = memfd_create("stderr", MFD_CLOEXEC);
    stderrBefore = dup(STDERR_FILENO);
    if (stderrFile < 0 || stderrBefore < 0 || dup2(stderrFile, STDERR_FILENO) < 0) FAIL("stderr: %m");
}

const char *StderrEndCapture(void) {
    static char *text;
    free(text);
    dup2(stderrBefore, STDERR_FILENO);
    text = CTestsReadAll(stderrFile);
    close(stderrFile);
    close(stderrBefore);
    return text;
}

int Occurrences(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}
