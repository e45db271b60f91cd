/// CRunLoopBench.h: the work that RunLoopBench measures. It is in C, so that the same machine code drives both run loops, through a table of
/// function pointers. The same work is also measured without a run loop, in GLib, and in libuv.
///
/// All sides are in one process and take turns, round by round. The program (Bench/RunLoopBench) has the list of rows, decides how many
/// rounds there are, and computes the medians.
#if !defined(__CRUNLOOPBENCH__)
#define __CRUNLOOPBENCH__ 1

#include <stdbool.h>

/// The side that does the work of a row.
typedef enum __attribute__((enum_extensibility(closed))) {
    BenchOurs,      ///< the run loop of this project
    BenchToolchain, ///< the one in the toolchain's libFoundation.so
    BenchFloor,     ///< the bare system calls, or the bare data structure
    BenchGLib,      ///< GLib's main loop, if it is installed
    BenchLibuv,     ///< libuv, if it is installed
} BenchSide;

/// The side's name in the table and on the command line.
const char *BenchSideName(BenchSide side);
/// Whether a side can be measured. Ours and the floor always can.
bool BenchIsInstalled(BenchSide side);

/// Some work on one side: the argument of the functions that do it.
typedef struct {
    BenchSide side;
    const void *loop;    ///< for BenchOurs and BenchToolchain: the table of functions (CFRunLoopTable.h); NULL for the others
    long size;           ///< the number of other items in the loop
    long processors;     ///< 1: everything runs on the calling thread's processor; 2: the other thread has its own
    long count;          ///< the number of operations in a round
    void *state;         ///< the result of the set-up
} Bench;

/// Returns work that has not been set up; NULL if the side is not installed. It stays until the process ends.
Bench *BenchMake(BenchSide side, long size, long processors);

// MARK: - The work of the rows: Rows.c and Memory.c

/// What happens once, before the rounds.
typedef void (*BenchSetUp)(Bench *bench);
void BenchSetUpSources(Bench *bench);
void BenchSetUpReaders(Bench *bench);
void BenchSetUpRoundTrip(Bench *bench);
void BenchSetUpTimers(Bench *bench);
void BenchSetUpDue(Bench *bench);

/// Does `count` operations and sets the cost of one, for each row. A cost that is not set cannot be measured on this side.
typedef void (*BenchRound)(Bench *bench, double *costs);
void BenchPoll(Bench *bench, double *costs);
void BenchSignalAndPoll(Bench *bench, double *costs);
void BenchRoundTrips(Bench *bench, double *costs);
void BenchEventAfterEvent(Bench *bench, double *costs);
void BenchAllAtOnce(Bench *bench, double *costs);
void BenchLimitedRuns(Bench *bench, double *costs);
void BenchPerformBlocks(Bench *bench, double *costs);
void BenchChangeTimers(Bench *bench, double *costs);
void BenchDueTimers(Bench *bench, double *costs);
void BenchTicks(Bench *bench, double *costs);
void BenchStartThreads(Bench *bench, double *costs);
void BenchMeasureMemory(Bench *bench, double *costs);

/// A round of BenchChangeTimers adds at most so many new timers.
enum { BenchMostNewTimers = 1000 };

/// Does a round in a traced child and returns how many instructions an operation has taken. The kernel's instructions are not counted: a
/// system call is one. One thread must do all the work. NAN if the operations take more than 300,000 instructions, or cannot be measured.
double BenchCountInstructions(Bench *bench, BenchSetUp setUp, BenchRound round);

// MARK: - Processors, clocks, and a child

/// Keeps the calling thread on one processor: the first that the process may use (0), or the second (1). Returns false if there is none.
bool BenchPin(int processor);
/// How many processors the calling thread may use.
int BenchProcessorCount(void);

/// Nanoseconds of processor time of the calling thread, of the process, and of the monotonic clock. While instructions are counted, these
/// return their number instead; each first call of a pair starts the count, and each second call stops it.
double BenchThreadTime(void);
double BenchProcessTime(void);
double BenchWallTime(void);

/// Runs `body` in a child process, which has used no run loop yet, with a descriptor to write to. Returns the descriptor that reads from
/// it. The child ends when the body does.
int BenchStartChild(void (^body)(int output), int *child);
/// Waits for the child. Returns its status as a shell reports it.
int BenchWaitForChild(int child);

#endif
