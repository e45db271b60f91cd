/// Tracer.c: see Tracer.h. The marks are signals that the child sends to itself: the tracer sees them, and does not pass them on.
#include "Tracer.h"
#include "Support.h"
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define BEGINS SIGUSR1
#define ENDS SIGUSR2

static void mark(int signal) { syscall(SYS_tgkill, getpid(), getpid(), signal); }
void TraceBegins(void) { mark(BEGINS); }
void TraceEnds(void) { mark(ENDS); }

/// Calls that do not count: the allocator's requests for memory, the request for the time on a machine without a readable clock, and the
/// mark's own call. They are not the loop's.
static bool counts(uint64_t number) {
    switch (number) {
    case SYS_brk: case SYS_mmap: case SYS_munmap: case SYS_mremap: case SYS_madvise: case SYS_mprotect: case SYS_clock_gettime:
    case SYS_tgkill: case SYS_getpid:
        return false;
    default:
        return true;
    }
}

static bool isCallThatCounts(pid_t child) {
    struct __ptrace_syscall_info info = {.op = 0};
    ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info);
    return info.op == PTRACE_SYSCALL_INFO_ENTRY && counts(info.entry.nr);
}

/// In a child whose instructions are counted: the number between all pairs of marks so far. The tracer writes it, at the same address.
static long instructionsSoFar;

/// The tracer gives up a side that takes more, because each instruction takes the tracer some microseconds.
enum { mostInstructions = 300000 };

/// Traces the child until it ends, or kills it if it has taken too many instructions. Returns how many measures it made, or -1 if it was
/// killed. `counts` has room for `most` counts of system calls. If it is NULL, instructions are counted, and the child has them from
/// `instructionsSoFar`.
static int follow(pid_t child, long *counts, int most) {
    int status, taken = 0, signal = 0;
    long instructions = 0;
    bool isWithin = false;
    for (;;) {
        ptrace(!counts && isWithin ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, child, NULL, (void *)(long)signal);
        signal = 0;
        if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) return instructions > mostInstructions ? -1 : taken;
        switch (WSTOPSIG(status)) {
        case SIGTRAP | 0x80: // a system call begins or returns
            if (counts && isWithin && isCallThatCounts(child)) counts[taken]++;
            break;
        case BEGINS:
            isWithin = !counts || taken < most;
            if (counts && isWithin) counts[taken] = 0;
            break;
        case ENDS:
            taken += isWithin;
            isWithin = false;
            if (!counts) ptrace(PTRACE_POKEDATA, child, &instructionsSoFar, (void *)instructions);
            break;
        case SIGTRAP: // an instruction
            instructions += isWithin;
            if (instructions > mostInstructions) kill(child, SIGKILL);
            break;
        default:
            signal = WSTOPSIG(status); // passed on to the child
        }
    }
}

/// Runs `body` in a traced child. Returns how many measures were made.
static int trace(Bench *bench, long *counts, int most, void (^body)(void)) {
    pid_t child = fork();
    if (child < 0) BenchFail(bench, "no child: %m");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) BenchFail(bench, "this system lets no process be traced");
        raise(SIGSTOP);
        body();
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) BenchFail(bench, "the traced child is lost");
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    return follow(child, counts, most);
}

void TraceCalls(Bench *bench, long *calls, int expected, void (*body)(Bench *bench)) {
    BenchCheck(bench, "measures taken", trace(bench, calls, expected, ^{ body(bench); }), expected);
}

// MARK: - Instructions

/// Some ARM processors build atomic operations from a pair of exclusive instructions. They cannot be single-stepped: each step breaks the
/// pair, and the loop around it tries again forever.
static bool canStep(void) {
#if defined(__aarch64__)
    return (getauxval(AT_HWCAP) & HWCAP_ATOMICS) != 0;
#else
    return true;
#endif
}

/// In the child: whether the clocks count, and how many instructions one pair of marks adds to each count.
static bool clocksCount;
static long marksInstructions;

bool TraceIsClock(double *instructions) {
    static bool isWithin;
    static long pairs;
    if (!clocksCount) return false;
    *instructions = (double)(instructionsSoFar - pairs * marksInstructions);
    isWithin = !isWithin;
    if (isWithin) {
        TraceBegins();
    } else {
        TraceEnds();
        *instructions = (double)(instructionsSoFar - ++pairs * marksInstructions);
    }
    return true;
}

/// The side is set up and warms up at full speed. `costs` is shared with the parent.
static void countRound(const BenchMethod *method, Bench *bench, double *costs) {
    if (method->setUp) method->setUp(bench);
    for (int i = 0; i < 3; i++) method->round(bench, costs);
    clocksCount = true;
    double start = BenchThreadTime();
    marksInstructions = (long)(BenchThreadTime() - start);
    memset(costs, 0, BenchMostRows * sizeof(*costs));
    method->round(bench, costs);
}

void BenchCountInstructions(const BenchGroup *group, Bench *bench, double *instructions) {
    if (!canStep()) BenchFail(bench, "this processor's atomic operations cannot be stepped through");
    double *costs = BenchSharedCosts();
    BenchMethod method = BenchMethodFor(group, bench->side);
    int taken = trace(bench, NULL, 0, ^{ countRound(&method, bench, costs); });
    if (taken < 0) for (int i = 0; i < BenchMostRows; i++) costs[i] = NAN;
    BenchTakeSharedCosts(costs, instructions);
    if (taken >= 0 && isnan(instructions[0])) BenchFail(bench, "the traced child has failed");
}
