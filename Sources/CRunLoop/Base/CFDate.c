/// CFDate.c: the wall clock in seconds, and conversions for the monotonic clock that the run loop
/// counts by.
#include "CFInternal.h"

static const CFTimeInterval kCFAbsoluteTimeIntervalSince1970 = 978307200.0;

CFAbsoluteTime CFAbsoluteTimeGetCurrent(void) {
    struct timespec now = __CFWallClockGetTime();
    // The whole seconds first: the difference is exact, and only the fraction is rounded.
    return ((CFTimeInterval)now.tv_sec - kCFAbsoluteTimeIntervalSince1970)
        + 1.0e-9 * (CFTimeInterval)now.tv_nsec;
}

uint64_t __CFTimeIntervalToTSR(CFTimeInterval ti) {
    if (!(ti > 0.0)) return 0; // NaN is not greater than anything either
    double tsr = ti * (double)NSEC_PER_SEC;
    return tsr >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)tsr;
}

CFTimeInterval __CFTSRToTimeInterval(uint64_t tsr) {
    return (CFTimeInterval)tsr / (double)NSEC_PER_SEC;
}

CFTimeInterval __CFTimeIntervalUntilTSR(uint64_t tsr) {
    uint64_t now = mach_absolute_time();
    // The times are unsigned: subtract the smaller from the larger.
    return tsr >= now ? __CFTSRToTimeInterval(tsr - now) : -__CFTSRToTimeInterval(now - tsr);
}
