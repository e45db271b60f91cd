/// CRunLoopBench.h: what RunLoopBench measures: the inner loops, in C, so that both run loops are driven by the same machine code, through
/// a table of function pointers; and beside them what the same work costs without a run loop, and in GLib and libuv.
///
/// A group is set up once and gives one or several rows of the table. It is measured on several sides, which live in one process and
/// take turns, round by round; the program (Sources/RunLoopBench) decides how many rounds there are and makes medians of them.
#if !defined(__CRUNLOOPBENCH__)
#define __CRUNLOOPBENCH__ 1

#include <stdbool.h>
#include <stdint.h>

/// Who does the work of a row.
typedef enum {
    BenchOurs,      ///< the run loop of this project
    BenchToolchain, ///< the one in the toolchain's libFoundation.so
    BenchFloor,     ///< the bare system calls, or the bare data structure
    BenchGLib,      ///< GLib's main loop, if it is installed
    BenchLibuv,     ///< libuv, if it is installed
    BenchSideCount
} BenchSide;

/// What a figure counts.
typedef enum {
    BenchSeconds, ///< in nanoseconds, as a double; most are CPU time, and the row's title says so where it matters
    BenchCalls,   ///< system calls
    BenchInstructionCount, ///< instructions outside of the kernel
    BenchBytes,   ///< bytes of the heap
    BenchDescriptors,
    BenchTimes    ///< one cost as a multiple of another; on the floor: what it should be
} BenchUnit;

/// A row of the table.
typedef struct {
    const char *name;    ///< as the command line takes it
    const char *title;   ///< as the table shows it
    BenchUnit unit;
    double goals[BenchSideCount]; ///< the most that ours may be, as a multiple of each side's figure; 0: no goal
} BenchRow;

/// In which order timers' dates come, from one timer to the next.
typedef enum {
    BenchRandomDates,  ///< without pattern
    BenchRisingDates,  ///< each later than the one before
    BenchFallingDates, ///< each earlier than the one before
    BenchEqualDates,   ///< all the same
    BenchBursts        ///< 1,000 timers have one date, and the next 1,000 another
} BenchOrder;

/// A group on one side: what its functions are called with.
typedef struct {
    BenchSide side;
    const void *loop;    ///< BenchOurs and BenchToolchain: the table of functions; NULL for the others
    long size;           ///< how many items there are around what is measured
    BenchOrder order;    ///< of the dates of timers
    int processors;      ///< 1: everything stays on the processor of the calling thread; 2: the other thread has another
    long count;          ///< how many operations a round is to do
    void *state;         ///< what the set-up has made
} Bench;

/// The most rows that a group has.
enum { BenchMostRows = 8 };

typedef void (*BenchSetUp)(Bench *bench);
/// Does `count` operations and sets what each of them has cost, one figure a row of the group. NAN: the row cannot be measured here.
typedef void (*BenchRound)(Bench *bench, double *costs);

/// How a group is measured on one side; without a round, it is not.
typedef struct {
    BenchSetUp setUp;
    BenchRound round;
} BenchMethod;

/// A group of rows.
typedef struct {
    const char *name;
    BenchRow rows[BenchMostRows];
    int rowCount;
    long size;
    BenchOrder order;
    int processors;
    long mostOperations;             ///< of a round; a round may do fewer, where they take long,
    long leastOperations;            ///< but, if this is not 0, no fewer than so many
    bool isCounted;                  ///< calls or bytes, which one round tells
    long steppedOperations;          ///< so many operations are enough to count the instructions of one; 0: they are not counted
    bool growsWithSize;              ///< the rows are measured at ten times `size`, too
    BenchMethod loop;                ///< for both run loops
    BenchMethod floor, glib, libuv;
    bool isOursAlone;                ///< the toolchain's loop has no part in it
    const char *slowThere;           ///< why the toolchain's loop is left out where time is short; NULL: it never is
} BenchGroup;

/// All groups, in the order of the table.
const BenchGroup *const *BenchGroupList(void);
extern const int BenchGroupCount;

/// The group with a row of that name; NULL if there is none.
const BenchGroup *BenchGroupWithRow(const char *name);

/// The method of a side; one without a round if there is none, or if the library is not installed.
BenchMethod BenchMethodFor(const BenchGroup *group, BenchSide side);

/// Whether a side is there to be measured. Ours and the floor always are.
bool BenchIsInstalled(BenchSide side);
/// Why the toolchain's run loop cannot be measured; NULL if it can.
const char *BenchToolchainProblem(void);
/// The table of functions (CFRunLoopTable.h) for BenchOurs and BenchToolchain; NULL for the others.
const void *BenchTableFor(BenchSide side);

/// Keeps the calling thread on one processor: the first that the process may use (0), or the second (1). False if there is none.
bool BenchPin(int processor);
/// How many processors the calling thread may use.
int BenchProcessorCount(void);

/// Does `count` operations in a traced child and sets how many instructions each of them has taken, row by row. The kernel's instructions
/// are not counted: a system call is one. One thread must do all the work. NAN where the operations take more than 300,000 instructions.
void BenchCountInstructions(const BenchGroup *group, Bench *bench, double *instructions);

/// Nanoseconds of processor time: of the calling thread, of the process; and of the monotonic clock. While instructions are counted, these
/// return their number instead, and each first call of a pair starts the count and each second one stops it.
double BenchThreadTime(void);
double BenchProcessTime(void);
double BenchWallTime(void);

/// Runs `body` in a child process, which has used no run loop yet, and hands it a descriptor to write to; returns the descriptor to read that
/// from. The child ends when the body does.
int BenchStartChild(void (^body)(int output), int *child);
/// Waits for the child: its status, as the shell tells it.
int BenchWaitForChild(int child);

#endif
