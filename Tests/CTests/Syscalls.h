/// Syscalls.h: what a piece of code costs, counted and not timed: its system calls, or its instructions.
///
/// Both counts are taken by a parent that traces the code in a child process, so they are the same on an idle machine and on a busy
/// one. The child does what the block says; each BeginMeasure … EndMeasure in it gives one measure, of the child's main thread alone.
/// A child of fork may not use a run loop that its parent has used: keep these ahead of anything in the case that makes one.
#if !defined(SYSCALLS_H)
#define SYSCALLS_H 1

#include "CTests.h"

typedef struct Measure {
    long instructions;  // MeasureInstructions only
    long calls;         // MeasureCalls only: all system calls but those of the allocator and of the clock
    long of[512];       // the calls by number (SYS_read, …)
} Measure;

/// Returns how many measures were taken: `expected`, or 0 where the system lets no process be traced; then a line says so, and the
/// case cannot tell. What goes wrong in the child fails the case.
int MeasureCalls(Measure *measures, int expected, void (^body)(void));
/// Each instruction costs the parent some microseconds: for pieces of a few thousand.
int MeasureInstructions(Measure *measures, int expected, void (^body)(void));

/// In the child, around what is to be measured.
void BeginMeasure(void);
void EndMeasure(void);

#endif
