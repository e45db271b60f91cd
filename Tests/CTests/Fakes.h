/// Fakes.h: what the tests of defects put in place of the real thing: clocks that can be moved, epoll errors, a limit on descriptors;
/// blocks that tell when they go; and a look at what is written to stderr.
#if !defined(FAKES_H)
#define FAKES_H 1

#include "CTests.h"
#include <stdint.h>

// MARK: - Clocks
//
// clock_gettime and clock_getres are defined in Fakes.c, in front of the C library's (as more is in Faults.c): what is linked into this
// program sees what the tests want it to see. The kernel's own clocks, those of its waits and its timers, are as they were.

/// How far the wall clock (CLOCK_REALTIME) and the monotonic clock are ahead of the kernel's, in seconds.
extern _Atomic(double) WallClockShift, MonotonicClockShift;
/// If not 0, this is a machine whose clocks tick only every so many nanoseconds: what clock_gettime answers is rounded down to a tick, and
/// timers (timerfd) and the time limits of waits (epoll_pwait2) end at one.
extern _Atomic(int64_t) ClockTick;
/// What clock_getres answers, in nanoseconds; 0 for the truth.
extern _Atomic(long) ClockResolution;
/// Seconds on the kernel's own monotonic clock, whatever stands above.
double TrueSecondsNow(void);
/// The error that adding to an epoll instance ends with; 0 for none.
extern _Atomic(int) EpollAddError;
/// The processor time that the calling thread has used, in seconds.
double ThreadSeconds(void);

// MARK: - Descriptors

/// Uses descriptors up until `left` more can be opened. For a child process: there is no way back.
void LeaveDescriptors(int left);

// MARK: - Blocks that tell when they go

/// A block that does nothing and calls `gone` once when its last copy is released. For handing to CFRunLoopPerformBlock and its like
/// at once: each thread has just one to be copied.
void (^BlockThatTells(void (*gone)(void)))(void);

// MARK: - Stderr

/// From here on, what is written to stderr goes to a file in memory.
void StderrCapture(void);
/// Puts stderr back and returns what was written, which the caller frees.
char *StderrEndCapture(void);
/// How often `part` stands in `text`.
int Occurrences(const char *text, const char *part);

#endif
