/// CRunLoopBench.h: what RunLoopBench measures. The inner loops are in C, so that the same machine code drives both run loops, through a
/// table of function pointers. The same work is also measured without a run loop, in GLib, and in libuv.
///
/// A group is set up once and produces one or several rows of the table. It is measured on several sides, which are in one process and take
/// turns, round by round. The program (Bench/RunLoopBench) decides how many rounds there are and computes the medians.
#if !defined(__CRUNLOOPBENCH__)
#define __CRUNLOOPBENCH__ 1

#include <stdbool.h>
#include <stdint.h>

/// The side that does the work of a row.
typedef enum {
    BenchOurs,      ///< the run loop of this project
    BenchToolchain, ///< the one in the toolchain's libFoundation.so
    BenchFloor,     ///< the bare system calls, or the bare data structure
    BenchGLib,      ///< GLib's main loop, if it is installed
    BenchLibuv,     ///< libuv, if it is installed
    BenchSideCount
} BenchSide;

/// The unit of a figure.
typedef enum {
    BenchSeconds, ///< in nanoseconds, as a double; most are CPU time, and the row's title says so where it matters
    BenchInstructionCount, ///< instructions outside of the kernel
    BenchBytes   ///< bytes of the heap
} BenchUnit;

/// A row of the table.
typedef struct {
    const char *name;    ///< its name on the command line
    const char *title;   ///< its title in the table
    BenchUnit unit;
    double goals[BenchSideCount]; ///< the upper limit for ours, as a multiple of each side's figure; 0: no goal
} BenchRow;

/// A group on one side: the argument of its functions.
typedef struct {
    BenchSide side;
    const void *loop;    ///< BenchOurs and BenchToolchain: the table of functions; NULL for the others
    long size;           ///< the number of other items in the loop
    int processors;      ///< 1: everything runs on the calling thread's processor; 2: the other thread has its own
    long count;          ///< the number of operations in a round
    void *state;         ///< the result of the set-up
} Bench;

/// The greatest number of rows in a group.
enum { BenchMostRows = 8 };

/// A group of rows. What it does is the same on every side.
typedef struct {
    const char *name;
    BenchRow rows[BenchMostRows];
    int rowCount;
    long size;
    int processors;                  ///< 0: 1
    long mostOperations;             ///< a round does at most this many operations, and fewer if they take long,
    long leastOperations;            ///< but at least this many, if this is not 0
    bool isCounted;                  ///< bytes, for which one round is enough
    long steppedOperations;          ///< how many operations to count the instructions of; 0: they are not counted
    unsigned notMeasured;            ///< a bit for each side that cannot do it
    void (*setUp)(Bench *bench);     ///< may be NULL
    /// Does `count` operations and sets the cost of one, for each row of the group. NAN: the row cannot be measured here.
    void (*round)(Bench *bench, double *costs);
} BenchGroup;

/// All groups, in the order of the table.
const BenchGroup *BenchGroupList(void);
extern const int BenchGroupCount;

/// The group whose first row has that name; NULL if there is none.
const BenchGroup *BenchGroupWithRow(const char *name);

/// Whether a group is measured on a side: the side can do it, and is installed.
bool BenchIsMeasured(const BenchGroup *group, BenchSide side);

/// Whether a side can be measured. Ours and the floor always can.
bool BenchIsInstalled(BenchSide side);
/// Why the toolchain's run loop cannot be measured; NULL if it can.
const char *BenchToolchainProblem(void);
/// The table of functions (CFRunLoopTable.h) for BenchOurs and BenchToolchain; NULL for the others.
const void *BenchTableFor(BenchSide side);

/// Keeps the calling thread on one processor: the first that the process may use (0), or the second (1). Returns false if there is none.
bool BenchPin(int processor);
/// How many processors the calling thread may use.
int BenchProcessorCount(void);

/// Does `count` operations in a traced child and sets how many instructions each has taken, for each row. The kernel's instructions are not
/// counted: a system call is one. One thread must do all the work. NAN if the operations take more than 300,000 instructions.
void BenchCountInstructions(const BenchGroup *group, Bench *bench, double *instructions);

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
