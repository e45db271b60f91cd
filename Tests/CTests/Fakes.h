/// Fakes.h: replacements for the tests of defects: clocks that can be moved, errors of epoll, a limit on descriptors, blocks that report
/// their release; and a capture of stderr.
#if !defined(FAKES_H)
#define FAKES_H 1

#include "CTests.h"
#include <CoreFoundation/CoreFoundation.h>
#include <stdint.h>

// MARK: - Clocks
//
// Fakes.c defines clock_gettime and clock_getres, which take precedence over the C library's (Faults.c does the same for other calls): all
// code in this program sees the time that a test sets. The kernel's own clocks, which its waits and timers use, do not change.

/// How far the wall clock (CLOCK_REALTIME) and the monotonic clock are ahead of the kernel's, in seconds.
extern _Atomic(double) WallClockShift, MonotonicClockShift;
/// If not 0, the clocks of this machine tick only every so many nanoseconds: clock_gettime rounds its result down to a tick, and timers
/// (timerfd) and the time limits of waits (epoll_pwait2) end at a tick.
extern _Atomic(int64_t) ClockTick;
/// The result of clock_getres, in nanoseconds; 0 for the true one.
extern _Atomic(long) ClockResolution;
/// Seconds on the kernel's own monotonic clock, whatever the variables above say.
double TrueSecondsNow(void);
/// The error of adding to an epoll instance; 0 for none.
extern _Atomic(int) EpollAddError;
/// The processor time that the calling thread has used, in seconds.
double ThreadSeconds(void);

// MARK: - Descriptors

/// Opens descriptors until only `left` more can be opened. For a child process, because it cannot be undone.
void LeaveDescriptors(int left);

// MARK: - Blocks that report their release

/// A block that does nothing, and calls `gone` once when its last copy is released. Pass it to CFRunLoopPerformBlock or a similar function
/// at once: each thread has only one to copy.
void (^BlockThatTells(void (*gone)(void)))(void);

// MARK: - An object that tells when it is finalized

/// An object whose finalizer calls a function.
CFTypeRef MakeTellingObject(void (*finalized)(void));

// MARK: - Stderr

/// From here on, text for stderr goes to a file in memory.
void StderrCapture(void);
/// Restores stderr and returns what was written; valid until the next capture ends.
const char *StderrEndCapture(void);
/// How often `part` occurs in `text`.
int Occurrences(const char *text, const char *part);

#endif
