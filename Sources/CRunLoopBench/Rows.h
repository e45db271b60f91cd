/// Rows.h: all groups, file by file, in the order of the table.
#if !defined(__BENCH_ROWS__)
#define __BENCH_ROWS__ 1

#include "Support.h"

// PollRows.c
extern const BenchGroup BenchPoll1, BenchSignal1, BenchSignal100, BenchSignal10000;
// ThreadRows.c
extern const BenchGroup BenchRoundTripOneCore, BenchRoundTripTwoCores, BenchThread;
// PortRows.c
extern const BenchGroup BenchSource1, BenchReady64;
// RunRows.c
extern const BenchGroup BenchLimit, BenchLimitOver, BenchBlock, BenchBlocksElsewhere;
// TimerRows.c
extern const BenchGroup BenchTimers1000, BenchTimers100000, BenchTimers1000000, BenchTimerGrowth;
// FireRows.c
extern const BenchGroup BenchFireAmongFar, BenchDue16000, BenchIdleTick;
// CallRows.c
extern const BenchGroup BenchSystemCalls;
// InstructionRows.c
extern const BenchGroup BenchInstructions;
// MemoryRows.c
extern const BenchGroup BenchMemory, BenchOpenDescriptors;

#endif
