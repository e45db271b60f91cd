/// CallRows.c: the system calls of a pass, counted in a child process (Tracer.c).
#include "Tracer.h"
#include "Rows.h"
#include <sys/syscall.h>
#include <time.h>

/// How often each operation is done between the marks.
enum { repetitions = 10 };

// MARK: - What is counted

enum { poll_, event, ready, fire, limit, measures };

/// This many descriptors are ready at once.
enum { readyCount = 64 };

/// An event in a loop that comes `left` times.
typedef struct {
    int descriptor; // first, because BenchAddSource1 needs it there
    long left;
    const Bench *bench;
} Comer;

static void stopIfLast(Comer *c) {
    if (--c->left == 0) T(c->bench)->CFRunLoopStop(BenchLoop(c->bench));
}

static void countPolls(Bench *bench) {
    BenchKeepAlive(bench);
    BenchPoll(bench);
    TraceBegins();
    for (int i = 0; i < repetitions; i++) BenchPoll(bench);
    TraceEnds();
}

/// The toolchain's loop has read the event itself (PortRows.c).
static void eventCame(void *info) {
    Comer *c = info;
    if (c->bench->side != BenchToolchain) BenchClearEvent(c->descriptor);
    if (c->left > 1) BenchSetEvent(c->descriptor);
    stopIfLast(c);
}

static long readyLeft;

static void oneOfManyCame(void *info) {
    Comer *c = info;
    if (c->bench->side != BenchToolchain) BenchClearEvent(c->descriptor);
    if (--readyLeft == 0) T(c->bench)->CFRunLoopStop(BenchLoop(c->bench));
}

/// One event to warm up, then those that count.
static void countEvents(Bench *bench) {
    Comer c = {.descriptor = BenchEvent(), .left = 1, .bench = bench};
    BenchAddSource1(bench, &c, eventCame);
    BenchSetEvent(c.descriptor);
    BenchRunUntilStopped(bench);
    c.left = repetitions;
    BenchSetEvent(c.descriptor);
    TraceBegins();
    BenchRunUntilStopped(bench);
    TraceEnds();
}

/// All are ready before the run; the last of them stops it.
static void countReady(Bench *bench) {
    static Comer comers[readyCount];
    for (int i = 0; i < readyCount; i++) {
        comers[i] = (Comer){.descriptor = BenchEvent(), .left = 1, .bench = bench};
        BenchAddSource1(bench, &comers[i], oneOfManyCame);
    }
    for (int time = 0; time < 2; time++) { // the first time only warms up
        for (int i = 0; i < readyCount; i++) BenchSetEvent(comers[i].descriptor);
        readyLeft = readyCount;
        if (time == 1) TraceBegins();
        BenchRunUntilStopped(bench);
    }
    TraceEnds();
}

static void fired(CFRunLoopTimerRef timer, void *info) { stopIfLast(info); }

static void countFires(Bench *bench) {
    Comer c = {.left = 2, .bench = bench};
    CFAbsoluteTime first = T(bench)->CFAbsoluteTimeGetCurrent() + 0.002;
    T(bench)->CFRunLoopAddTimer(BenchLoop(bench), BenchMakeTimer(bench, first, 0.002, &c, fired), BenchMode(bench));
    BenchRunUntilStopped(bench);
    c.left = repetitions;
    TraceBegins();
    BenchRunUntilStopped(bench);
    TraceEnds();
}

static void countLimitedRuns(Bench *bench) {
    BenchKeepAlive(bench);
    T(bench)->CFRunLoopRunInMode(BenchMode(bench), 0.001, false);
    TraceBegins();
    for (int i = 0; i < repetitions; i++) T(bench)->CFRunLoopRunInMode(BenchMode(bench), 0.001, false);
    TraceEnds();
}

/// Each measurement runs in a child that has used no loop yet. Except for the first event, a function outside of the loop makes the
/// descriptor ready.
static void countCalls(Bench *bench, double *costs) {
    void (*const bodies[measures])(Bench *) = {countPolls, countEvents, countReady, countFires, countLimitedRuns};
    for (int i = 0; i < measures; i++) {
        long calls = 0;
        TraceCalls(bench, &calls, 1, bodies[i]);
        if (i == event) calls -= repetitions - 1;
        costs[i] = (double)calls / (i == ready ? readyCount : repetitions);
    }
}

// MARK: - The floor

static void bareCalls(Bench *bench) {
    struct epoll_event events[64];
    int epoll = BenchEpoll(), wakeUp = BenchEvent();
    BenchEpollAdd(epoll, wakeUp);
    TraceBegins();
    epoll_wait(epoll, events, 64, 0);
    TraceEnds();
    BenchSetEvent(wakeUp);
    TraceBegins();
    epoll_wait(epoll, events, 64, -1);
    BenchClearEvent(wakeUp);
    TraceEnds();
    int ports[readyCount];
    for (int i = 0; i < readyCount; i++) {
        BenchEpollAdd(epoll, ports[i] = BenchEvent());
        BenchSetEvent(ports[i]);
    }
    TraceBegins();
    epoll_wait(epoll, events, readyCount, -1);
    for (int i = 0; i < readyCount; i++) BenchClearEvent(ports[i]);
    TraceEnds();
    for (int i = 0; i < 2; i++) { // a wait until a timer is due, and one until the limit
        TraceBegins();
        syscall(SYS_epoll_pwait2, epoll, events, 64, &(struct timespec){.tv_nsec = 1000000}, NULL, 0);
        TraceEnds();
    }
}

static void countBareCalls(Bench *bench, double *costs) {
    long calls[measures] = {0};
    TraceCalls(bench, calls, measures, bareCalls);
    for (int i = 0; i < measures; i++) costs[i] = (double)calls[i] / (i == ready ? readyCount : 1);
}

// MARK: - The group

// Where the main queue is served, each pass but the first of a run also reads the queue's port: step 5.

const BenchGroup BenchSystemCalls = {
    .name = "calls", .rowCount = measures, .processors = 1, .mostOperations = 1, .isCounted = true,
    .rows = {
        {"calls-poll", "system calls: poll pass", BenchCalls, {[BenchFloor] = 1}},
        {"calls-source-1", "system calls: version 1 source event", BenchCalls, {[BenchFloor] = 1.5}},
        {"calls-ready-64", "system calls: 64 descriptors ready, each", BenchCalls, {[BenchFloor] = 3}},
        {"calls-fire", "system calls: timer fire", BenchCalls, {[BenchFloor] = 2}},
        {"calls-limit", "system calls: run to its limit", BenchCalls, {[BenchFloor] = 1}},
    },
    .loop = {NULL, countCalls}, .floor = {NULL, countBareCalls},
};
