/// Tracer.h: measures the cost of a piece of code by counting its system calls or its instructions. A parent process traces the code in a
/// child, like a debugger, and counts on the child's main thread alone.
#if !defined(__BENCH_TRACER__)
#define __BENCH_TRACER__ 1

#include "CRunLoopBench.h"

/// Runs `body` in a child, which has used no run loop if the caller has not. Each pair of TraceBegins and TraceEnds in it makes one of the
/// `expected` counts. Calls that are not the code's own are left out: the allocator's, and those of the clock where the clock is not
/// readable without a call.
void TraceCalls(Bench *bench, long *calls, int expected, void (*body)(Bench *bench));
void TraceBegins(void);
void TraceEnds(void);
/// The result of the clocks in a child whose instructions are counted: see BenchCountInstructions. Elsewhere returns false, and no count.
bool TraceIsClock(double *instructions);

#endif
