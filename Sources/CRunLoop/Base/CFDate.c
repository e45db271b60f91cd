/// CFDate.c: the wall clock, and the monotonic clock that the run loop counts by.
///
/// On a Mac mach_absolute_time is a function of the kernel, and programs ask for its tick rate at
/// start-up. Here it is CLOCK_MONOTONIC, and a tick is a nanosecond, so there is nothing to ask
/// for. clock_getres does not give the tick rate: for a coarse clock it says 4 ms, although times
/// still count nanoseconds. [D1]
#include "CFInternal.h"

#include <math.h>

static const uint64_t __CFTSRPerSecond = 1000000000;

// MARK: - Time

static const CFTimeInterval kCFAbsoluteTimeIntervalSince1970 = 978307200.0;
static const CFTimeInterval kCFAbsoluteTimeIntervalSince1904 = 3061152000.0;

CFAbsoluteTime CFAbsoluteTimeGetCurrent(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    // The whole seconds first: the difference is exact, and only the fraction is rounded.
    return ((CFTimeInterval)now.tv_sec - kCFAbsoluteTimeIntervalSince1970)
        + 1.0e-9 * (CFTimeInterval)now.tv_nsec;
}

static uint64_t __CFClockGetTime(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * __CFTSRPerSecond + (uint64_t)now.tv_nsec;
}

uint64_t mach_absolute_time(void) {
    return __CFClockGetTime(CLOCK_MONOTONIC);
}

/// The coarse clock is some milliseconds late, and is read in a tenth of the time.
uint64_t __CFTSRNowNear(uint64_t tsr) {
    uint64_t coarse = __CFClockGetTime(CLOCK_MONOTONIC_COARSE);
    return tsr > coarse + __CFTSRPerSecond ? coarse : mach_absolute_time();
}

uint64_t __CFTSRNotBeforeNow(uint64_t tsr) {
    uint64_t now = __CFTSRNowNear(tsr);
    return tsr > now ? tsr : now;
}

uint64_t __CFTimeIntervalToTSR(CFTimeInterval ti) {
    if (!(ti > 0.0)) return 0; // NaN is not greater than anything either
    double tsr = ti * (double)__CFTSRPerSecond;
    if (tsr >= 18446744073709551616.0) return UINT64_MAX;
    return tsr < 1.0 ? 1 : (uint64_t)tsr; // a short wait must not become none
}

CFTimeInterval __CFTSRToTimeInterval(uint64_t tsr) {
    return (CFTimeInterval)tsr / (double)__CFTSRPerSecond;
}

CFTimeInterval __CFTimeIntervalUntilTSR(uint64_t tsr) {
    uint64_t now = mach_absolute_time();
    // The times are unsigned: subtract the smaller from the larger.
    return tsr >= now ? __CFTSRToTimeInterval(tsr - now) : -__CFTSRToTimeInterval(now - tsr);
}

// MARK: - From one clock to the other

/// Returns the distance of two readings, of the wall clock and of the monotonic clock.
static int64_t __CFClockDistance(uint64_t wall, uint64_t monotonic) {
    return (int64_t)(wall - monotonic)
        - (int64_t)kCFAbsoluteTimeIntervalSince1970 * (int64_t)__CFTSRPerSecond;
}

/// Reads both clocks. The offset is too small by the time between the two readings, which makes a
/// timer late, never early.
static int64_t __CFClockOffsetRead(uint64_t *now) {
    uint64_t wall = __CFClockGetTime(CLOCK_REALTIME);
    *now = mach_absolute_time();
    return __CFClockDistance(wall, *now);
}

/// Reads the coarse clocks, which the kernel sets both at once, at each of its ticks. If none comes
/// between the two readings, the distance is exact.
static int64_t __CFClockOffsetReadCoarse(void) {
    uint64_t wall = __CFClockGetTime(CLOCK_REALTIME_COARSE);
    return __CFClockDistance(wall, __CFClockGetTime(CLOCK_MONOTONIC_COARSE));
}

/// Measures the offset. `*apart` is the time between two readings of the monotonic clock, around
/// the one of the wall clock. The offset may be too small by that much.
static int64_t __CFClockOffsetMeasure(uint64_t *apart) {
    uint64_t before = mach_absolute_time(), after;
    int64_t offset = __CFClockOffsetRead(&after);
    *apart = after - before;
    return offset;
}

/// Returns the best of a few measurements, because the thread may lose the processor between two
/// readings.
static int64_t __CFClockOffsetMeasureBest(uint64_t *apart) {
    int64_t offset = __CFClockOffsetMeasure(apart);
    for (int i = 0; i < 8 && *apart > 1000; i++) {
        uint64_t nextApart;
        int64_t next = __CFClockOffsetMeasure(&nextApart);
        if (nextApart >= *apart) continue;
        *apart = nextApart;
        offset = next;
    }
    return offset;
}

/// Returns whether an earlier measurement `was` may still be right. By the new one, the offset lies
/// between `is` and `is + apart`. An offset that is too large would make timers early, so `was`
/// must not be above that range, nor more than a microsecond above `is`. An offset that is too
/// small makes timers late. Less than a millisecond is accepted, so that equal dates stay one
/// moment.
static Boolean __CFClockOffsetHolds(int64_t was, int64_t is, uint64_t apart) {
    return was <= is + (int64_t)(apart < 1000 ? apart : 1000) && is - was < 1000000;
}

/// Most calls of this read each clock once, and find an offset that is below the known one by the
/// time between two readings. That is a tenth of a microsecond at most, unless the thread lost the
/// processor between them, or reading a clock is slow. Then it measures how far apart they were.
static int64_t __CFClockOffsetUpdate(_Atomic(int64_t) *known) {
    uint64_t apart;
    int64_t was = atomic_load(known), is = __CFClockOffsetRead(&apart);
    if (was != INT64_MIN && __CFClockOffsetHolds(was, is, 100)) return was;
    is = __CFClockOffsetMeasure(&apart);
    if (was != INT64_MIN && __CFClockOffsetHolds(was, is, apart)) return was;
    is = __CFClockOffsetMeasureBest(&apart);
    if (was != INT64_MIN && __CFClockOffsetHolds(was, is, apart)) return was;
    // If another thread has stored its measurement meanwhile, use that one.
    return atomic_compare_exchange_strong(known, &was, is) ? is : was;
}

/// Both clocks are slewed in the same way, so their distance changes only when the wall clock is
/// set. The coarse clocks show in a tenth of the time whether it was. Their distance is stored
/// after the offset that it belongs to, and read before it.
int64_t __CFClockOffset(void) {
    static _Atomic(int64_t) known = INT64_MIN, knownCoarse = INT64_MIN;
    int64_t coarse = __CFClockOffsetReadCoarse();
    // The kernel rounds each of them to a nanosecond.
    if ((uint64_t)coarse - (uint64_t)atomic_load(&knownCoarse) + 2 <= 4) return atomic_load(&known);
    int64_t offset = __CFClockOffsetUpdate(&known);
    atomic_store(&knownCoarse, coarse);
    return offset;
}

uint64_t __CFTSROfDate(CFAbsoluteTime date, int64_t clockOffset) {
    // Whole seconds and the rest are converted separately, so that neither needs rounding.
    double seconds = floor(date), nanoseconds = ceil((date - seconds) * (double)__CFTSRPerSecond);
    double farthest = (double)(INT64_MAX / 2) / (double)__CFTSRPerSecond;
    if (!(date < farthest)) return UINT64_MAX;
    if (date < -farthest) return 0;
    int64_t tsr = (int64_t)seconds * (int64_t)__CFTSRPerSecond + (int64_t)nanoseconds - clockOffset;
    return tsr > 0 ? (uint64_t)tsr : 0;
}

CFAbsoluteTime __CFDateOfTSR(uint64_t tsr, int64_t clockOffset) {
    if (tsr > (uint64_t)(INT64_MAX / 2))
        return __CFTSRToTimeInterval(tsr) + (double)clockOffset / (double)__CFTSRPerSecond;
    int64_t date = (int64_t)tsr + clockOffset, second = (int64_t)__CFTSRPerSecond;
    return (CFAbsoluteTime)(date / second)
        + (CFAbsoluteTime)(date % second) / (CFAbsoluteTime)second;
}

// MARK: - Beats of a repeating timer, in exact arithmetic

__extension__ typedef unsigned __int128 __CFUInt128;

/// A double is an integer of 53 bits times a power of two. The integer times 10^9 has 83 bits. The
/// result has 128 bits, so it loses only bits that are worth less than 2^-64 ns. An interval of
/// more than 2^64 ns becomes the longest one.
struct __CFTicks __CFTicksOfTimeInterval(CFTimeInterval ti) {
    const struct __CFTicks most = {UINT64_MAX, UINT64_MAX}, least = {1, 0};
    uint64_t bits;
    memcpy(&bits, &ti, sizeof(bits));
    int exponent = (int)(bits >> 52 & 0x7FF) - 1075 + 64;
    if (!(ti * (double)__CFTSRPerSecond > 1.0)) return least; // also if it is NaN
    __CFUInt128 ticks =
        (__CFUInt128)((bits & 0xFFFFFFFFFFFFF) | 0x10000000000000) * __CFTSRPerSecond;
    if (ti * (double)__CFTSRPerSecond >= 18446744073709551616.0) return most;
    ticks = exponent >= 0 ? ticks << exponent : ticks >> -exponent;
    return (struct __CFTicks){(uint64_t)(ticks >> 64), (uint64_t)ticks};
}

uint64_t __CFTSROfBeat(uint64_t first, struct __CFTicks interval, uint64_t beat) {
    const uint64_t half = (uint64_t)1 << 63; // half a tick, so that the sum rounds to the nearest
    __CFUInt128 fraction = ((__CFUInt128)interval.fraction * beat + half) >> 64;
    __CFUInt128 tsr = (__CFUInt128)interval.whole * beat + first + fraction;
    return tsr > UINT64_MAX ? UINT64_MAX : (uint64_t)tsr;
}

/// Divides only if beats have been missed. [D8]
uint64_t __CFBeatAfter(uint64_t first, struct __CFTicks interval, uint64_t beat, uint64_t tsr) {
    if (__CFTSROfBeat(first, interval, ++beat) > tsr) return beat;
    __CFUInt128 passed = (__CFUInt128)(tsr - first) << 64;
    beat = (uint64_t)(passed / ((__CFUInt128)interval.whole << 64 | interval.fraction));
    while (__CFTSROfBeat(first, interval, beat) <= tsr) beat++; // two at most
    return beat;
}
