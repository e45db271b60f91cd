/// Tracer.c: see Tracer.h. The marks are signals that the child sends itself: the tracer sees them, and does not pass them on.
#include "Tracer.h"
#include "Support.h"
#include <signal.h>
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

/// The allocator asks the kernel for memory when it likes, and a machine without a readable clock asks it for the time: neither is the
/// loop's doing. The mark is the measure's.
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

/// Follows the child to its end. Returns how many measures it took; `counts` has room for `most`.
static int follow(pid_t child, bool steps, long *counts, int most) {
    int status, taken = 0, signal = 0;
    bool isWithin = false;
    for (;;) {
        ptrace(steps && isWithin ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, child, NULL, (void *)(long)signal);
        signal = 0;
        if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) return taken;
        switch (WSTOPSIG(status)) {
        case SIGTRAP | 0x80: // a system call begins or returns
            if (isWithin && isCallThatCounts(child)) counts[taken]++;
            break;
        case BEGINS:
            isWithin = taken < most;
            if (isWithin) counts[taken] = 0;
            break;
        case ENDS:
            taken += isWithin;
            isWithin = false;
            break;
        case SIGTRAP: // an instruction
            counts[taken] += isWithin;
            break;
        default:
            signal = WSTOPSIG(status); // the child's own affair
        }
    }
}

static void trace(Bench *bench, bool steps, long *counts, int expected, void (*body)(Bench *bench)) {
    pid_t child = fork();
    if (child < 0) BenchFail(bench, "no child: %m");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) BenchFail(bench, "this system lets no process be traced");
        raise(SIGSTOP);
        body(bench);
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) BenchFail(bench, "the traced child is lost");
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    BenchCheck(bench, "measures taken", follow(child, steps, counts, expected), expected);
}

void TraceCalls(Bench *bench, long *calls, int expected, void (*body)(Bench *bench)) { trace(bench, false, calls, expected, body); }

/// An ARM processor that builds its atomic operations from a pair of exclusive instructions cannot be stepped through them: each step
/// breaks the pair up, and it is tried again for ever.
static bool canStep(void) {
#if defined(__aarch64__)
    return (getauxval(AT_HWCAP) & HWCAP_ATOMICS) != 0;
#else
    return true;
#endif
}

void TraceInstructions(Bench *bench, long *instructions, int expected, void (*body)(Bench *bench)) {
    if (!canStep()) BenchFail(bench, "this processor's atomic operations cannot be stepped through");
    trace(bench, true, instructions, expected, body);
}
