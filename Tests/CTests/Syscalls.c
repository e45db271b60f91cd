/// Syscalls.c: counts the system calls and instructions of a child process with ptrace, like a debugger.
///
/// The child marks both ends of a measure with signals to itself, because a tracer sees a signal whether it steps by system call or by
/// instruction. The tracer does not pass these signals on.
#include "Syscalls.h"
#include "LoopSupport.h"
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BEGINS SIGUSR1
#define ENDS SIGUSR2
#define EXIT_NOT_TRACED 77
/// A count of instructions that exceeds this is far more than any test allows, so it ends here instead of hanging.
#define MOST_INSTRUCTIONS 300000

static pid_t measured; // the child's main thread; set in the child

static void mark(int signal) { syscall(SYS_tgkill, measured, measured, signal); }
void BeginMeasure(void) { mark(BEGINS); }
void EndMeasure(void) { mark(ENDS); }

static __attribute__((noreturn)) void runChild(void (^body)(void)) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    measured = getpid();
    ChecksLoops = false; // the checker would be measured, too
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) _exit(EXIT_NOT_TRACED);
    raise(SIGSTOP);
    body();
    fflush(NULL);
    _exit(0);
}

/// Calls that do not count: the allocator's requests for memory, the request for the time on a machine without a readable clock, and the
/// call that makes the mark. They are not the loop's.
static bool counts(long number) {
    switch (number) {
    case SYS_brk: case SYS_mmap: case SYS_munmap: case SYS_mremap: case SYS_madvise: case SYS_mprotect: case SYS_clock_gettime:
    case SYS_tgkill:
        return false;
    default:
        return true;
    }
}

static void countCall(pid_t child, Measure *measure) {
    struct __ptrace_syscall_info info = {.op = 0};
    ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info);
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !counts((long)info.entry.nr)) return;
    measure->calls++;
    if (info.entry.nr < 512) measure->of[info.entry.nr]++;
}

/// Traces the child until it ends, and returns how many measures it has made.
static int follow(pid_t child, Measure *measures, int expected, bool byInstruction) {
    int status, taken = 0, signal = 0;
    Measure spare, *current = NULL; // the measure to count in, between the marks
    for (;;) {
        bool steps = byInstruction && current;
        ptrace(steps ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, child, NULL, (void *)(long)signal);
        signal = 0;
        if (waitpid(child, &status, __WALL) != child) FAIL("the traced child is lost: %m");
        if (!WIFSTOPPED(status)) break;
        switch (WSTOPSIG(status)) {
        case SIGTRAP | 0x80: // a system call begins or returns
            if (current) countCall(child, current);
            break;
        case SIGTRAP:
            if (current && ++current->instructions > MOST_INSTRUCTIONS) FAIL("more than %d instructions", MOST_INSTRUCTIONS);
            break;
        case BEGINS:
            current = taken < expected ? &measures[taken] : &spare;
            memset(current, 0, sizeof(*current));
            break;
        case ENDS:
            taken += current != NULL;
            current = NULL;
            break;
        default:
            signal = WSTOPSIG(status); // passed on to the child
        }
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status)) FAIL("the traced child has failed: status 0x%x", status);
    return taken;
}

/// Parent and child take turns at every step. On one processor that is a context switch; between two it is ten times slower.
static void stayOnThisProcessor(void) {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET((size_t)sched_getcpu(), &here);
    sched_setaffinity(0, sizeof(here), &here);
}

static int measure(Measure *measures, int expected, bool byInstruction, void (^body)(void)) {
    fflush(NULL);
    stayOnThisProcessor();
    pid_t child = fork();
    if (child < 0) FAIL("no child: %m");
    if (child == 0) runChild(body);
    int status;
    if (waitpid(child, &status, __WALL) != child) FAIL("the traced child is lost: %m");
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_TRACED) {
        printf("not measured: this system lets no process be traced\n");
        return 0;
    }
    CHECK(WIFSTOPPED(status));
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    int taken = follow(child, measures, expected, byInstruction);
    CHECK_EQ_INT(taken, expected);
    return taken;
}

int MeasureCalls(Measure *measures, int expected, void (^body)(void)) { return measure(measures, expected, false, body); }

/// Some ARM processors build atomic operations from a pair of exclusive instructions. They cannot be single-stepped: each step breaks the
/// pair, and the loop around it tries again forever.
static bool canStep(void) {
#if defined(__aarch64__)
    return (getauxval(AT_HWCAP) & HWCAP_ATOMICS) != 0;
#else
    return true;
#endif
}

int MeasureInstructions(Measure *measures, int expected, void (^body)(void)) {
    if (canStep()) return measure(measures, expected, true, body);
    printf("not measured: this processor's atomic operations cannot be single-stepped\n");
    return 0;
}
