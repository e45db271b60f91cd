/// Tracer.c: counts the instructions of a piece of code. A parent process traces the code in a child, like a debugger, and counts on the child's
/// main thread alone. The marks are signals that the child sends to itself: the tracer sees them, and does not pass them on.
#include "Sides.h"
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define BEGINS SIGUSR1
#define ENDS SIGUSR2

static void mark(int signal) { syscall(SYS_tgkill, getpid(), getpid(), signal); }

/// In a child whose instructions are counted: the number between all pairs of marks so far. The tracer writes it, at the same address.
static long instructionsSoFar;

/// The tracer gives up a side that takes more, because each instruction takes the tracer some microseconds.
enum { mostInstructions = 300000 };

/// Traces the child until it ends, or kills it if it has taken too many instructions. Returns how it ended.
static int follow(pid_t child) {
    int status = 0, signal = 0;
    long instructions = 0;
    bool isWithin = false;
    for (;;) {
        ptrace(isWithin ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, (void *)(long)signal);
        signal = 0;
        if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) return status;
        switch (WSTOPSIG(status)) {
        case BEGINS:
            isWithin = true;
            break;
        case ENDS:
            isWithin = false;
            ptrace(PTRACE_POKEDATA, child, &instructionsSoFar, (void *)instructions);
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

/// Runs `body` in a traced child. Returns how the child ended.
static int trace(Bench *bench, void (^body)(void)) {
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
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(long)PTRACE_O_EXITKILL);
    return follow(child);
}

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
        mark(BEGINS);
    } else {
        mark(ENDS);
        *instructions = (double)(instructionsSoFar - ++pairs * marksInstructions);
    }
    return true;
}

double BenchCountInstructions(Bench *bench, BenchSetUp setUp, BenchRound round) {
    if (!canStep()) BenchFail(bench, "this processor's atomic operations cannot be stepped through");
    double *cost = mmap(NULL, sizeof(*cost), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (cost == MAP_FAILED) BenchFail(bench, "no memory: %m");
    int status = trace(bench, ^{ // the side is set up and warms up at full speed
        if (setUp) setUp(bench);
        for (int i = 0; i < 3; i++) round(bench, cost);
        clocksCount = true;
        double start = BenchThreadTime();
        marksInstructions = (long)(BenchThreadTime() - start);
        *cost = NAN; // until the round sets it
        round(bench, cost);
    });
    bool isKilled = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; // by `follow`
    if (!isKilled && status != 0) BenchFail(bench, "the traced child has failed");
    double instructions = isKilled ? NAN : *cost;
    munmap(cost, sizeof(*cost));
    return instructions;
}
