/// Syscalls.h: measures the cost of a piece of code by counting, not timing, its system calls or its instructions.
///
/// A parent process traces the code in a child and counts, so the results are the same on an idle machine and on a busy one. The child runs
/// the block; each pair of BeginMeasure and EndMeasure in it makes one measure, of the child's main thread alone. A child of fork may not
/// use a run loop that its parent has used, so call these functions before the first run loop of the case.
#if !defined(SYSCALLS_H)
#define SYSCALLS_H 1

#include "CTests.h"

typedef struct Measure {
    long instructions;  // MeasureInstructions only
    long calls;         // MeasureCalls only: all system calls but those of the allocator and of the clock
    long of[512];       // the calls by number (SYS_read and so on)
} Measure;

/// Returns how many measures were made: `expected`, or 0 where the system lets no process be traced. In that case it prints a line, and the
/// case cannot check anything. A failure in the child fails the case.
int MeasureCalls(Measure *measures, int expected, void (^body)(void));
/// Each instruction costs the parent some microseconds, so measure only pieces of a few thousand instructions.
int MeasureInstructions(Measure *measures, int expected, void (^body)(void));

/// Call these in the child around the code that is to be measured.
void BeginMeasure(void);
void EndMeasure(void);

#endif
