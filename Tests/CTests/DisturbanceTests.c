/// DisturbanceTests.c: disturbances that no call reports as an error: waits that signals interrupt, waits that end without an event,
/// descriptors that another part of the program closes, clocks that are coarse or are set. The loop loses nothing, fires no timer early,
/// does not hang and does not keep the processor busy. The tests count its calls.
#include "Fakes.h"
#include "Faults.h"
#include "LoopSupport.h"
#include "../../Sources/CRunLoop/Kernel/CFPortSet_Internal.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: - Interrupted calls

TEST(faults_a_storm_of_interrupted_waits_keeps_the_limit,
     "Every wait is interrupted, a thousand times in a row: a run ends at its limit and not before, and everything due until then has "
     "happened") {
    static const CFTimeInterval limits[] = {0, 0.03, 1e10};
    LogActivities(A);
    for (int i = 0; i < 3; i++) {
        int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        CFRunLoopSourceRef source = MakeSource1("source 1", port, ^{
            eventfd_read(port, &(eventfd_t){0});
            if (i == 2) CFRunLoopStop(LOOP);
        });
        CFRunLoopAddSource(LOOP, source, A);
        FailNext(ALL_WAITS, 1000, EINTR);
        double start = TrueSecondsNow();
        SInt32 result = CFRunLoopRunInMode(A, limits[i], false);
        FaultsOff();
        CHECK_EQ_INT(result, i < 2 ? kCFRunLoopRunTimedOut : kCFRunLoopRunStopped);
        if (i == 1) CHECK(TrueSecondsNow() - start >= limits[i]);
        CHECK(TrueSecondsNow() - start < 5 * TimeScale());
        CHECK_EQ_INT(Faults->failed, 1000);
        CHECK_LE(Faults->calls, 1003);
        CFRunLoopSourceInvalidate(source);
    }
    // An interrupted wait notifies no observer. On a busy machine the limit of the second run may pass in its first pass.
    static const char first[] = "Entry\nBeforeTimers\nBeforeSources\nsource 1\nExit\n"
                                "Entry\nBeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nsource 1\n";
    static const char second[] = "BeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\n";
    static const char last[] = "Exit\nEntry\nBeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nsource 1\nExit";
    char *log = LogCopy(), *rest = log + strlen(first);
    CHECK_EQ_INT(strncmp(log, first, strlen(first)), 0);
    if (strncmp(rest, second, strlen(second)) == 0) rest += strlen(second);
    CHECK_EQ_STR(rest, last);
    free(log);
}

TEST(faults_a_storm_of_interrupted_messages_loses_none,
     "Every message to the wake-up port, and every read of it, is interrupted a thousand times before it succeeds; none is lost") {
    CFRunLoopSourceRef source = MakeSource0("source 0", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {
        SignalAndWake(source, LOOP);
    }), A);
    FailNext(FAULT(read) | FAULT(write), 1000, EINTR);
    Run(A, 20, true);
    CHECK_EQ_INT(Faults->failed, 1000);
    FailNext(FAULT(read), 1000, EINTR);
    Run(A, 20, true);
    FaultsOff();
    FaultsOff();
    CHECK_LOG("source 0\nHandledSource\nsource 0\nHandledSource");
}

static _Atomic(int) signalsSeen;
static void countSignal(int signal) { signalsSeen++; }

TEST(faults_a_storm_of_real_signals_costs_no_more_waits_than_signals,
     "A signal every 200 µs, whose handler does nothing, interrupts a run of 0.2 s: the run keeps its limit and its timer, and waits "
     "again at most once for each signal") {
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = countSignal, .sa_flags = SA_RESTART}, NULL);
    __block int fired = 0;
    CFRunLoopTimerRef timer = MakeTimer("timer", 0.01, 0.01, ^{ fired++; });
    CFRunLoopAddTimer(LOOP, timer, A);
    while (signalsSeen < 10 || fired < 1) { // on a busy machine one run may get fewer
        signalsSeen = fired = 0;
        CountCalls(ALL_WAITS, 0);
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 200}, {0, 200}}, NULL);
        double start = TrueSecondsNow();
        SInt32 result = CFRunLoopRunInMode(A, 0.2, false);
        double took = TrueSecondsNow() - start;
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
        FaultsOff();
        CHECK_EQ_INT(result, kCFRunLoopRunTimedOut);
        CHECK(took >= 0.2 && took < 0.2 + 20 * TimeScale());
        CHECK_LE(Faults->calls, signalsSeen + fired + 3);
    }
}

// MARK: - A sleep until a timer is due

/// A run in which a timer fires three times, 10 ms apart, and then stops the loop. No timer is early, and the waits are counted.
static void sleepUntilTimers(int mostCalls) {
    static int fires;
    static double first;
    fires = 0;
    first = TrueSecondsNow() + 0.01;
    CFRunLoopTimerRef timer = MakeTimer("timer", 0.01, 0.01, ^{
        CHECK(TrueSecondsNow() >= first + 0.01 * fires - 0.0001);
        if (++fires == 3) CFRunLoopStop(LOOP);
    });
    LOG_EVENT_CLEAR();
    CFRunLoopAddTimer(LOOP, timer, A);
    Run(A, 1e10, false);
    FaultsOff();
    CFRunLoopTimerInvalidate(timer);
    CHECK_LE(Faults->calls, mostCalls);
    CHECK_LOG("timer\ntimer\ntimer\nStopped");
}

TEST(faults_timers_fire_where_the_kernel_has_no_epoll_pwait2,
     "Every epoll_pwait2 fails with ENOSYS: the loop tries it once and then waits in whole milliseconds, with epoll_wait, which every kernel has, "
     "and fires no timer early. FailingCallTests.c has the other errors") {
    int tries = 0;
    do {
        CHECK_LE(++tries, 20);
        FailNext(ALL_WAITS, FaultMostCalls, ENOSYS);
        Faults->spared = FAULT(epoll_wait);
        sleepUntilTimers(10);
    } while (Faults->failed == 0);
    CHECK_EQ_INT(Faults->failed, 1);
}

TEST(faults_a_large_timer_slack_makes_timers_late_and_nothing_else,
     "On a thread that lets the kernel be 30 ms late, timers fire later, and the loop does not wait more often") {
    CHECK_EQ_INT(prctl(PR_SET_TIMERSLACK, 30000000), 0);
    CountCalls(ALL_WAITS, 20);
    sleepUntilTimers(10);
}

TEST(faults_a_timer_of_more_than_a_second_is_waited_for_in_two_parts,
     "The kernel may be late by a fraction of the time. So the loop divides a wait of more than a second into one that ends early and a "
     "short one, and no more") {
    double due = TrueSecondsNow() + 1.1;
    AddTimer("timer", 1.1, 0, A, ^{
        CHECK(TrueSecondsNow() >= due - 0.0001);
        CFRunLoopStop(LOOP);
    });
    LogWakeUps(A);
    CountCalls(ALL_WAITS, 10);
    Run(A, 1e10, false);
    FaultsOff();
    CHECK_LE(Faults->calls, 3);
    CHECK_LOG("woken\ntimer\nStopped");
}

TEST(faults_timers_added_by_another_thread_are_no_wake_ups,
     "While a loop sleeps until a far timer, another thread adds a hundred timers, each earlier than the one before, and then one that "
     "is due: the loop wakes up once, for the last one, and then sleeps as before") {
    CFRunLoopRef loop = LOOP;
    AddTimer("far", 1000, 0, A, NULL);
    LogWakeUps(A);
    CountCalls(ALL_WAITS, 200);
    RunAndWhenAsleep(A, 1e10, false, ^{
        for (int i = 1; i <= 100; i++) CFRunLoopAddTimer(loop, MakeTimer("nearer", 1000 - i, 0, NULL), A);
        CFRunLoopAddTimer(loop, MakeTimer("timer", 0, 0, ^{ CFRunLoopStop(loop); }), A);
    });
    FaultsOff();
    CHECK_LOG("woken\ntimer\nStopped");
    LOG_EVENT_CLEAR();
    CountCalls(ALL_WAITS, 5);
    Run(A, 0.02, false);
    FaultsOff();
    CHECK_LOG("woken\nTimedOut");
}

// MARK: - Spurious wake-ups

TEST(faults_waits_that_end_for_nothing_end_no_run,
     "Waits that return early without an event, a thousand times in a row, end no run and notify no observer") {
    LogActivities(A);
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopAddSource(LOOP, MakeSource1("source 1", port, ^{ CFRunLoopStop(LOOP); }), A);
    FailNext(ALL_WAITS, 1000, FaultReturnsNothing);
    Run(A, 1e10, false);
    FailNext(ALL_WAITS, 1000, FaultReturnsNothing);
    Run(A, 20, false);
    CHECK_EQ_INT(Faults->failed, 1000);
    CHECK_LOG("Entry\nBeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nsource 1\nExit\nStopped\n"
              "Entry\nBeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nsource 1\nExit\nStopped");
}

TEST(faults_a_look_that_finds_nothing_fires_a_due_timer,
     "A non-blocking pass that also checks descriptors fires a timer that was due before it, even if the kernel has not reported the "
     "timer's port yet") {
    CFRunLoopAddSource(LOOP, MakeSource1("source 1", eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), NULL), A);
    AddTimer("timer", -1, 0, A, NULL);
    FailNext(FAULT(epoll_wait), 1, FaultReturnsNothing);
    Run(A, 0, false);
    FaultsOff();
    CHECK_EQ_INT(Faults->failed, 1);
    CHECK_LOG("timer\nTimedOut");
}

/// The ports of a loop whose mode A is embedded and has a timer.
static int portOfKind(int kind, int sourcePort) {
    switch (kind) {
    case 0: return LOOP->_wakeUpPort;
    case 1: return ModeNamed(LOOP, A)->_portSet->timerDescriptor;
    case 2: return sourcePort;
    case 3: return 999; // not a port
    default: return -1;
    }
}

TEST(faults_a_port_reported_for_nothing_does_no_harm,
     "A wait reports a port that is not ready. The wake-up port and an unknown port have no effect, the timerfd of an embedded mode "
     "fires no timer early, and a source is performed and finds nothing. Later events of all of them are served") {
    static int emptyReads, fires;
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopAddSource(LOOP, MakeSource1("source 1", port, ^{
        emptyReads += eventfd_read(port, &(eventfd_t){0}) < 0;
    }), A);
    CFRunLoopTimerRef timer = AddTimer("timer", 1000, 0, A, ^{ fires++; });
    Run(A, 0, false);
    CHECK_GE(CFRunLoopGetDescriptor(LOOP, A), 0);
    for (int kind = 0; kind < 5; kind++) {
        LOG("kind %d", kind);
        FailNext(ALL_WAITS, 1, FaultReportsSpuriousPort);
        Faults->spuriousPort = portOfKind(kind, port);
        Run(A, 0.01, false);
        FaultsOff();
        CHECK_EQ_INT(Faults->failed, 1);
        CHECK_LE(Faults->calls, 3);
        eventfd_write(port, 1);
        Run(A, 0, false);
    }
    CHECK_EQ_INT(emptyReads, 1);
    CHECK_EQ_INT(fires, 0);
    CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 0.001);
    Run(A, 0.01, false);
    CHECK_EQ_INT(fires, 1);
    CHECK_LOG("TimedOut\n"
              "kind 0\nTimedOut\nsource 1\nTimedOut\nkind 1\nTimedOut\nsource 1\nTimedOut\nkind 2\nsource 1\nTimedOut\nsource 1\nTimedOut\n"
              "kind 3\nTimedOut\nsource 1\nTimedOut\nkind 4\nTimedOut\nsource 1\nTimedOut\ntimer\nTimedOut");
}

TEST(faults_an_unknown_port_reported_to_a_loop_without_ports_does_no_harm,
     "A wait reports a port that is in no set, in a mode that has never had a source: the run goes on until its limit") {
    AddTimer("timer", 1000, 0, A, NULL);
    FailNext(ALL_WAITS, 1, FaultReportsSpuriousPort);
    Faults->spuriousPort = 999; // not a port
    Run(A, 0.01, false);
    FaultsOff();
    CHECK_EQ_INT(Faults->failed, 1);
    CHECK_LOG("TimedOut");
}

// MARK: - Closed descriptors

TEST(faults_a_client_port_closed_behind_the_loops_back_is_silent,
     "The descriptor of a version 1 source is closed while the source is in the mode: the source is not performed again, the run goes on "
     "and waits without using the processor, and other sources work as before") {
    int ends[2];
    CHECK_EQ_INT(pipe2(ends, O_CLOEXEC), 0);
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef closed = MakeSource1("closed", ends[0], NULL);
    CFRunLoopAddSource(LOOP, closed, A);
    CFRunLoopAddSource(LOOP, MakeEventSource("other", port), A);
    Run(A, 0, false);
    CHECK_EQ_INT(write(ends[1], "", 1), 1);
    close(ends[0]);
    eventfd_write(port, 1);
    CountCalls(ALL_WAITS, 10);
    Run(A, 0.05, false);
    CFRunLoopSourceInvalidate(closed);
    eventfd_write(port, 1);
    Run(A, 0.05, false);
    CHECK_LOG("TimedOut\nother\nTimedOut\nother\nTimedOut");
}

TEST(faults_a_client_port_closed_by_the_source_before_it_is_not_performed,
     "Two sources are ready at once, and the first closes the descriptor of the second: the second is not performed on the closed "
     "descriptor") {
    static int ports[2];
    for (int i = 0; i < 2; i++) {
        ports[i] = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        CFRunLoopAddSource(LOOP, MakeSource1("source", ports[i], ^{
            eventfd_read(ports[i], &(eventfd_t){0});
            close(ports[!i]);
        }), A);
    }
    CountCalls(ALL_WAITS, 10);
    Run(A, 0.02, false);
    CHECK_LOG("source\nTimedOut");
}

/// Closes one of the loop's own ports in a child, or gives its number to another file as well, and checks how the child ends.
static void runWithClosedPort(int kind, bool reused, const char *halts) {
    LOG("own port %d%s", kind, reused ? ", reused" : "");
    CTestsChild child = CTestsFork();
    if (child.pid == 0) {
        alarm((unsigned)(20 * TimeScale()));
        ChecksLoops = false; // the checker would fail
        CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
        CFRunLoopAddSource(LOOP, source, A);
        AddTimer("timer", 0.01, 0.01, A, NULL);
        Run(A, 0.02, false);
        CFRunLoopModeRef mode = ModeNamed(LOOP, A);
        if (kind == 1) CFRunLoopGetDescriptor(LOOP, A);
        int ports[] = {LOOP->_wakeUpPort, mode->_portSet->timerDescriptor, __CFPortSetGetDescriptor(mode->_portSet)};
        if (reused) dup2(open("/dev/null", O_RDWR | O_CLOEXEC), ports[kind]);
        else close(ports[kind]);
        static _Atomic(bool) isOver = false;
        // A run that must abort may last until the waker comes: some hundred fires of the timer on a slow machine.
        CountCalls(ALL_WAITS | FAULT(timerfd_settime) | FAULT(write) | FAULT(read), halts ? 2000 : 1000);
        pthread_t waker = StartThread(^{
            CFRunLoopRef main = CFRunLoopGetMain();
            WaitUntilAsleep(main);
            SignalAndWake(source, main);
            // A wake-up of a loop that is awake is not sent. One that must abort is repeated until it is sent.
            while (halts && !isOver) {
                usleep(1000);
                SignalAndWake(source, main);
            }
        });
        SInt32 result = CFRunLoopRunInMode(A, halts ? 5 : 1, false);
        isOver = true;
        JoinThread(waker);
        _exit(result == kCFRunLoopRunTimedOut ? 0 : 1);
    }
    if (halts) {
        CTestsCheckHalted(__FILE__, __LINE__, halts, child);
        return;
    }
    char *output;
    int status = CTestsEndOf(child, &output);
    if (status) FAIL("the child ended with status 0x%x, and wrote:\n%s", status, output);
    free(output);
}

TEST(faults_an_own_port_closed_behind_the_loops_back_is_named,
     "If the program closes one of the loop's own ports, or another file takes its number, the loop aborts at the next call that "
     "notices, and names the descriptor. Where the system cannot notice, the run still ends at its limit. It never spins") {
    runWithClosedPort(0, false, "write on the run loop's own descriptor ");
    runWithClosedPort(1, false, "timerfd_settime on the run loop's own descriptor ");
    runWithClosedPort(2, false, "epoll_wait on the run loop's own descriptor ");
    runWithClosedPort(0, true, NULL); // /dev/null takes the message
    runWithClosedPort(1, true, "timerfd_settime on the run loop's own descriptor ");
    runWithClosedPort(2, true, "epoll_wait on the run loop's own descriptor ");
}

// MARK: - Clocks

/// A run with a limit and two timers, on a machine whose clocks tick every `tick` seconds. A time between two ticks is served at a tick, so
/// it may be off by one tick. Returns whether the one-shot timer has fired: a thread that gets no processor time between the two timers may
/// find its limit passed, which is not the clocks' fault.
static bool runByCoarseClocks(double tick) {
    static int fires;
    fires = 0;
    ClockResolution = ClockTick = (int64_t)(tick * 1e9);
    LOG_EVENT_CLEAR();
    CFRunLoopTimerRef again = AddTimer("again", tick, 3 * tick, A, ^{ fires++; });
    CFRunLoopTimerRef once = AddTimer("once", 2.5 * tick, 0, A, NULL);
    double start = TrueSecondsNow(), limit = 3.5 * tick;
    CountCalls(ALL_WAITS | FAULT(timerfd_settime), 100);
    Run(A, limit, false);
    FaultsOff();
    double took = TrueSecondsNow() - start;
    ClockResolution = ClockTick = 0;
    printf("tick %g s: a limit of %g s took %g s, %d calls\n", tick, limit, took, Faults->calls);
    CHECK(took >= limit - tick);
    CHECK(took <= limit + 3 * tick + 5 * TimeScale());
    CHECK_LE(Faults->calls, 20);
    CHECK_LE(fires, 3);
    char *log = LogCopy();
    CHECK_EQ_INT(strncmp(log, "again\n", 6), 0);
    int onces = Occurrences(log, "once");
    CHECK_LE(onces, 1);
    free(log);
    CFRunLoopTimerInvalidate(once);
    CFRunLoopTimerInvalidate(again);
    return onces == 1;
}

TEST(faults_coarse_clocks,
     "With clocks that tick every 1, 4 or 100 ms, and say so, timers fire in their order and limits end within a tick or two of their "
     "time; no time is stretched, and no tick is spent in a busy loop") {
    static const double ticks[] = {0.001, 0.004, 0.1};
    for (int i = 0; i < 3; i++) {
        int tries = 1;
        while (!runByCoarseClocks(ticks[i])) CHECK_LE(++tries, 20);
    }
}

TEST(faults_the_wall_clock_is_set_while_the_loop_runs,
     "The wall clock jumps by hours and years, forward and back, in the middle of a run: timers and limits follow the monotonic clock, "
     "and nothing fires early, late or twice") {
    static const double jumps[] = {3600, -3600, 1e9, -1e9, 0};
    static int ticks;
    double start = TrueSecondsNow();
    CFRunLoopTimerRef timer = AddTimer("tick", 0.01, 0.01, A, ^{
        WallClockShift = jumps[ticks % 5];
        if (++ticks == 10) CFRunLoopStop(LOOP);
    });
    CFRunLoopTimerRef later = AddTimer("much later", 1800, 0, A, NULL); // its date is within the hour by which the clock jumps
    CountCalls(ALL_WAITS, 100);
    SInt32 result = CFRunLoopRunInMode(A, 60 * TimeScale(), false);
    double took = TrueSecondsNow() - start;
    FaultsOff();
    CHECK_EQ_INT(result, kCFRunLoopRunStopped);
    CHECK_EQ_INT(ticks, 10);
    CHECK(took >= 0.099 && took < 30 * TimeScale());
    CHECK(CFRunLoopTimerIsValid(later));
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetNextFireDate(later) - CFAbsoluteTimeGetCurrent(), 1800 - took, 5 * TimeScale());
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetNextFireDate(timer) - CFAbsoluteTimeGetCurrent(), 0.01, 5 * TimeScale());
    CHECK_LOG("tick\ntick\ntick\ntick\ntick\ntick\ntick\ntick\ntick\ntick");

    LOG_EVENT_CLEAR();
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) { WallClockShift = -1e9; }), A);
    CFRunLoopTimerInvalidate(timer);
    start = TrueSecondsNow();
    Run(A, 0.02, false);
    took = TrueSecondsNow() - start;
    CHECK(took >= 0.02 && took < 5 * TimeScale());
    CHECK_LOG("TimedOut");
}
