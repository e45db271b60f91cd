/// Tracer.h: what a piece of code costs, counted by a parent that traces it in a child process, as a debugger would: its system calls, or
/// its instructions. Of the child's main thread alone.
#if !defined(__BENCH_TRACER__)
#define __BENCH_TRACER__ 1

#include "CRunLoopBench.h"

/// Runs `body` in a child, which has used no run loop if the caller has not. Each TraceBegins … TraceEnds in it makes one of the `expected`
/// counts. What is no doing of the code's own is left out: the allocator's calls, and the clock's where it is not readable without.
void TraceCalls(Bench *bench, long *calls, int expected, void (*body)(Bench *bench));
void TraceBegins(void);
void TraceEnds(void);
/// What the clocks return in a child whose instructions are counted: see BenchCountInstructions. Elsewhere false, and no count.
bool TraceIsClock(double *instructions);

#endif
