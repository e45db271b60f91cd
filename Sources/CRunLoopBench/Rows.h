/// Rows.h: all groups, file by file, in the order of the table.
#if !defined(__BENCH_ROWS__)
#define __BENCH_ROWS__ 1

#include "Support.h"

// PollRows.c
extern const BenchGroup BenchPoll1, BenchSignal1, BenchSignal100, BenchSignal10000;
// ThreadRows.c
extern const BenchGroup BenchRoundTripOneCore, BenchRoundTripTwoCores, BenchThread;
// LatencyRows.c
extern const BenchGroup BenchLatencyOneCore, BenchLatencyTwoCores, BenchLatencyAmongOneCore, BenchLatencyAmongTwoCores;
// ManyRows.c
extern const BenchGroup BenchManyLoops;
// PortRows.c
extern const BenchGroup BenchSource1, BenchReady64;
// RunRows.c
extern const BenchGroup BenchLimit, BenchLimitOver, BenchBlock;
// TimerRows.c
extern const BenchGroup BenchTimers1000, BenchTimers100000, BenchTimerLife;
// FireRows.c
extern const BenchGroup BenchFireAmongFar, BenchDue100, BenchDue16000, BenchIdleTick;
// CallRows.c
extern const BenchGroup BenchSystemCalls;
// MemoryRows.c
extern const BenchGroup BenchMemory, BenchOpenDescriptors;

#endif
