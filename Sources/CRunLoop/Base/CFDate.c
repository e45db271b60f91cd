/// CFDate.c: the wall clock, and the monotonic clock that the run loop counts by.
///
/// On a Mac mach_absolute_time is a function of the kernel, and programs ask for its tick rate at
/// start-up. Here it is CLOCK_MONOTONIC, and a tick is a nanosecond, so there is nothing to ask
/// for. clock_getres does not give the tick rate: for a coarse clock it says 4 ms, although times
/// still count nanoseconds. [D1]
#include "CFInternal.h"

static const CFTimeInterval kCFAbsoluteTimeIntervalSince1970 = 978307200.0;

static const uint64_t __CFTSRPerSecond = 1000000000;

CFAbsoluteTime CFAbsoluteTimeGetCurrent(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    // The whole seconds first: the difference is exact, and only the fraction is rounded.
    return ((CFTimeInterval)now.tv_sec - kCFAbsoluteTimeIntervalSince1970)
        + 1.0e-9 * (CFTimeInterval)now.tv_nsec;
}

uint64_t mach_absolute_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * __CFTSRPerSecond + (uint64_t)now.tv_nsec;
}

uint64_t __CFTimeIntervalToTSR(CFTimeInterval ti) {
    if (!(ti > 0.0)) return 0; // NaN is not greater than anything either
    double tsr = ti * (double)__CFTSRPerSecond;
    return tsr >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)tsr;
}

CFTimeInterval __CFTSRToTimeInterval(uint64_t tsr) {
    return (CFTimeInterval)tsr / (double)__CFTSRPerSecond;
}

CFTimeInterval __CFTimeIntervalUntilTSR(uint64_t tsr) {
    uint64_t now = mach_absolute_time();
    // The times are unsigned: subtract the smaller from the larger.
    return tsr >= now ? __CFTSRToTimeInterval(tsr - now) : -__CFTSRToTimeInterval(now - tsr);
}
