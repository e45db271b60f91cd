/// CallRows.c: the system calls of a pass, counted by a parent that traces the loop's thread in a child process, as a debugger would.
///
/// The marks at both ends of a measure are signals that the child sends itself: the tracer sees them, and does not pass them on.
#include "Rows.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

#define BEGINS SIGUSR1
#define ENDS SIGUSR2

/// How often each of them is done between the marks.
enum { repetitions = 10 };

static void mark(int signal) { syscall(SYS_tgkill, getpid(), getpid(), signal); }

// MARK: - The tracer

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

/// Follows the child to its end. Returns how many measures it took; `calls` has room for `most`.
static int follow(pid_t child, long *calls, int most) {
    int status, taken = 0, signal = 0;
    bool isWithin = false;
    for (;;) {
        ptrace(PTRACE_SYSCALL, child, NULL, (void *)(long)signal);
        signal = 0;
        if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) return taken;
        switch (WSTOPSIG(status)) {
        case SIGTRAP | 0x80: // a system call begins or returns
            if (isWithin && isCallThatCounts(child)) calls[taken]++;
            break;
        case BEGINS:
            isWithin = taken < most;
            if (isWithin) calls[taken] = 0;
            break;
        case ENDS:
            taken += isWithin;
            isWithin = false;
            break;
        case SIGTRAP:
            break;
        default:
            signal = WSTOPSIG(status); // the child's own affair
        }
    }
}

/// Runs `body` in a child, and counts between its marks.
static void trace(Bench *bench, long *calls, int expected, void (*body)(Bench *bench)) {
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
    BenchCheck(bench, "measures taken", follow(child, calls, expected), expected);
}

// MARK: - What is counted

enum { poll_, event, fire, limit, measures };

/// A thing in a loop that comes `left` times.
typedef struct {
    int descriptor; // first: BenchAddSource1 wants it there
    long left;
    const Bench *bench;
} Comer;

static void stopIfLast(Comer *c) {
    if (--c->left == 0) T(c->bench)->CFRunLoopStop(BenchLoop(c->bench));
}

static void countPolls(Bench *bench) {
    BenchKeepAlive(bench);
    BenchPoll(bench);
    mark(BEGINS);
    for (int i = 0; i < repetitions; i++) BenchPoll(bench);
    mark(ENDS);
}

/// The toolchain's loop has read the event itself (PortRows.c).
static void eventCame(void *info) {
    Comer *c = info;
    if (c->bench->side != BenchToolchain) BenchDrain(c->descriptor);
    if (c->left > 1) BenchRing(c->descriptor);
    stopIfLast(c);
}

/// One event to warm up, then those that count.
static void countEvents(Bench *bench) {
    Comer c = {.descriptor = BenchEvent(), .left = 1, .bench = bench};
    BenchAddSource1(bench, &c, eventCame);
    BenchRing(c.descriptor);
    BenchRunUntilStopped(bench);
    c.left = repetitions;
    BenchRing(c.descriptor);
    mark(BEGINS);
    BenchRunUntilStopped(bench);
    mark(ENDS);
}

static void fired(CFRunLoopTimerRef timer, void *info) { stopIfLast(info); }

static void countFires(Bench *bench) {
    Comer c = {.left = 2, .bench = bench};
    CFAbsoluteTime first = T(bench)->CFAbsoluteTimeGetCurrent() + 0.002;
    T(bench)->CFRunLoopAddTimer(BenchLoop(bench), BenchMakeTimer(bench, first, 0.002, &c, fired), BenchMode(bench));
    BenchRunUntilStopped(bench);
    c.left = repetitions;
    mark(BEGINS);
    BenchRunUntilStopped(bench);
    mark(ENDS);
}

static void countLimitedRuns(Bench *bench) {
    BenchKeepAlive(bench);
    T(bench)->CFRunLoopRunInMode(BenchMode(bench), 0.001, false);
    mark(BEGINS);
    for (int i = 0; i < repetitions; i++) T(bench)->CFRunLoopRunInMode(BenchMode(bench), 0.001, false);
    mark(ENDS);
}

/// Each in a child that has used no loop yet. The events are rung for by what stands outside of a loop, but for the first.
static void countCalls(Bench *bench, double *costs) {
    void (*const bodies[measures])(Bench *) = {countPolls, countEvents, countFires, countLimitedRuns};
    for (int i = 0; i < measures; i++) {
        long calls = 0;
        trace(bench, &calls, 1, bodies[i]);
        if (i == event) calls -= repetitions - 1;
        costs[i] = (double)calls / repetitions;
    }
}

// MARK: - The floor

static void bareCalls(Bench *bench) {
    struct epoll_event events[64];
    int epoll = BenchEpoll(), bell = BenchEvent(), timerPort = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    BenchEpollAdd(epoll, bell);
    BenchEpollAdd(epoll, timerPort);
    mark(BEGINS);
    epoll_wait(epoll, events, 64, 0);
    mark(ENDS);
    BenchRing(bell);
    mark(BEGINS);
    epoll_wait(epoll, events, 64, -1);
    BenchDrain(bell);
    mark(ENDS);
    mark(BEGINS);
    timerfd_settime(timerPort, 0, &(struct itimerspec){.it_value = {.tv_nsec = 1000000}}, NULL);
    epoll_wait(epoll, events, 64, -1);
    BenchDrain(timerPort);
    mark(ENDS);
    mark(BEGINS);
    syscall(SYS_epoll_pwait2, epoll, events, 64, &(struct timespec){.tv_nsec = 1000000}, NULL, 0);
    mark(ENDS);
}

static void countBareCalls(Bench *bench, double *costs) {
    long calls[measures] = {0};
    trace(bench, calls, measures, bareCalls);
    for (int i = 0; i < measures; i++) costs[i] = (double)calls[i];
}

// MARK: - The group

const BenchGroup BenchSystemCalls = {
    .name = "calls", .rowCount = measures, .processors = 1, .mostOperations = 1, .isCounted = true,
    .rows = {
        {"calls-poll", "system calls: poll pass", BenchCalls, 0, 1},
        {"calls-source-1", "system calls: version 1 source event", BenchCalls, 0, 1},
        {"calls-fire", "system calls: timer fire", BenchCalls, 0, 1},
        {"calls-limit", "system calls: run to its limit", BenchCalls, 0, 1},
    },
    .loop = {NULL, countCalls}, .floor = {NULL, countBareCalls},
};
