/// TimeDefectTests.c: defects of other run loops for Linux with time: time limits, intervals, tolerance, dates.
///
/// A case's name begins with the number of the defect. A number in brackets in the sources, such as [D4], refers to the case that fails
/// without that line.
#include "Fakes.h"
#include "LoopSupport.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// Whether at most `seconds`, multiplied by TimeScale, have passed since `start`.
static bool tookAtMost(double seconds, double start) { return SecondsNow() - start <= seconds * TimeScale(); }

static int wakeUps;

// MARK: - D1, D2: time limits

TEST(D1_a_coarse_clock_stretches_no_time,
     "Where clock_getres returns 4 ms, as in some containers, timers and time limits end in time. The defect: the result was taken for "
     "the length of a tick, and a run of 0.2 s had not returned after 10 s") {
    ClockResolution = 4000000;
    double start = SecondsNow();
    CFRunLoopAddTimer(LOOP, MakeTimer("timer", 0.01, 0, NULL), A);
    CFRunLoopAddTimer(LOOP, MakeTimer("a minute later", 60, 0, NULL), A);
    Run(A, 0.03, false);
    CHECK(tookAtMost(3, start));
    CHECK_LOG("timer\nTimedOut");
    CHECK_EQ_DOUBLE(__CFTSRToTimeInterval(1000000000), 1.0, 0);
}

static _Atomic(bool) workersMayGo;
static _Atomic(int) workersAtWork;

/// Keeps all of dispatch's worker threads busy until workersMayGo.
static void keepWorkersBusy(void) {
    for (int i = 0; i < 200; i++) {
        dispatch_async(dispatch_get_global_queue(0, i % 2 ? 2 : 0), ^{ // 2 means a queue that may start many threads
            workersAtWork++;
            while (!workersMayGo) usleep(1000);
        });
    }
    int seen = 0;
    do {
        seen = workersAtWork;
        usleep(20000);
    } while (seen == 0 || seen != workersAtWork);
}

TEST(D2_a_limit_ends_the_run_while_all_dispatch_workers_are_busy,
     "The limit of a run does not depend on dispatch's threads. The defect: the limit was a dispatch timer, and a run of 0.1 s returned "
     "after 11.7 s") {
    KeepAlive(LOOP, A);
    keepWorkersBusy();
    double start = SecondsNow();
    Run(A, 0.02, false);
    bool inTime = tookAtMost(5, start);
    workersMayGo = true;
    CHECK(inTime);
    CHECK_LOG("TimedOut");
}

TEST(D2_limited_runs_start_no_thread,
     "After 2,000 runs with a limit, the process has as many threads as before. The defect: each run left a thread behind") {
    KeepAlive(LOOP, A);
    CFRunLoopRunInMode(A, 0.001, false);
    int before = ThreadCount();
    for (int i = 0; i < 2000; i++) CHECK_EQ_INT(CFRunLoopRunInMode(A, 1e-6, false), kCFRunLoopRunTimedOut);
    CHECK_EQ_INT(ThreadCount(), before);
}

// MARK: - D7, D8: odd intervals

TEST(D7_a_time_that_is_not_a_number_halts_with_words,
     "NaN as a date or an interval aborts with a message. The defect: as an interval it ended the process by SIGILL; as a date it was "
     "accepted, and the timer never fired") {
    CHECK_HALTS("CFRunLoopTimerCreate was given a date or an interval that is not a number",
                CFRunLoopTimerCreate(NULL, NAN, 0, 0, 0, LoudTimerCallBack, NULL));
    CHECK_HALTS("CFRunLoopTimerCreate was given a date or an interval that is not a number",
                CFRunLoopTimerCreate(NULL, 0, NAN, 0, 0, LoudTimerCallBack, NULL));
    CHECK_HALTS("CFRunLoopTimerSetNextFireDate was given a date or an interval that is not a number",
                CFRunLoopTimerSetNextFireDate(MakeTimer("timer", 1, 0, NULL), NAN));
}

TEST(D7_an_interval_below_a_clock_tick_is_served,
     "A repeating timer repeats at any interval, down to the smallest number there is. The defect: it ended the process by SIGILL") {
    const CFTimeInterval intervals[] = {1e-9, 1e-10, 1e-12, 5e-324};
    for (int i = 0; i < 4; i++) {
        __block int fired = 0;
        CFRunLoopTimerRef timer = MakeTimer("timer", 0, intervals[i], ^{ fired++; });
        CFRunLoopAddTimer(LOOP, timer, A);
        CHECK(CFRunLoopTimerDoesRepeat(timer));
        POLL_UNTIL(A, fired >= 3);
        CHECK(CFRunLoopTimerGetNextFireDate(timer) <= CFAbsoluteTimeGetCurrent() + 0.001);
        CFRunLoopTimerInvalidate(timer);
    }
}

TEST(D7_an_endless_rhythm_starves_nobody, "With a timer that is always due, sources, ports and the time limit are still served") {
    int port = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    __block int fired = 0;
    __block bool portIsServed = false;
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 1e-9, 0, 0, ^(CFRunLoopTimerRef unused) {
        if (++fired >= 2 && portIsServed) CFRunLoopStop(LOOP);
    });
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, MakeSource1("port", port, ^{
        eventfd_read(port, &(eventfd_t){0});
        portIsServed = true;
    }), A);
    CFRunLoopSourceSignal(source);
    Run(A, 20 * TimeScale(), false);
    portIsServed = false; // the timer no longer stops the run
    Run(A, 0.02, false);
    CHECK_LOG("source\nport\nStopped\nTimedOut");
    CFRelease(timer);
}

/// Moves the clocks, as if the loop had been busy for that long.
static void letTimePass(double seconds) {
    WallClockShift = WallClockShift + seconds;
    MonotonicClockShift = MonotonicClockShift + seconds;
}

TEST(D8_catching_up_takes_no_time_however_many_dates_were_missed,
     "A timer of 1 ns that is an hour late has missed 3.6 trillion dates. The defect: they were added up one by one, with the locks held") {
    __block int fired = 0;
    CFRunLoopTimerRef timer = MakeTimer("timer", 0, 1e-9, ^{ fired++; });
    CFRunLoopAddTimer(LOOP, timer, A);
    letTimePass(3600);
    double start = ThreadSeconds();
    CFRunLoopRunInMode(A, 0, false);
    CHECK(ThreadSeconds() - start < 1.0 * TimeScale());
    CHECK_EQ_INT(fired, 1);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetNextFireDate(timer), CFAbsoluteTimeGetCurrent(), 5 * TimeScale());
}

TEST(D8_a_late_timer_fires_once_and_keeps_its_rhythm,
     "A timer of 1 s that is an hour and half a second late is next due a whole number of seconds after its start") {
    __block int fired = 0;
    CFRunLoopTimerRef timer = MakeTimer("timer", 0, 1, ^{ fired++; });
    CFAbsoluteTime first = CFRunLoopTimerGetNextFireDate(timer);
    CFRunLoopAddTimer(LOOP, timer, A);
    letTimePass(3600.5);
    CFRunLoopRunInMode(A, 0, false);
    CHECK_EQ_INT(fired, 1);
    CFTimeInterval since = CFRunLoopTimerGetNextFireDate(timer) - first;
    CHECK(since >= 3601 && since <= 3660);
    CHECK_EQ_DOUBLE(since, round(since), 0.01);
}

// MARK: - D12: tolerance

TEST(D12_timers_with_tolerance_share_wake_ups,
     "Ten timers, 5 ms apart, that may each be a minute late fire in a single wake-up, and none of them early. The defect: tolerance was "
     "ignored, and there were eleven wake-ups instead of two") {
    static int fired;
    CountWakeUps(A, &wakeUps);
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    for (int i = 1; i <= 10; i++) {
        CFAbsoluteTime date = now + 0.005 * i;
        CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, date, 0, 0, 0, ^(CFRunLoopTimerRef unused) {
            CHECK(CFAbsoluteTimeGetCurrent() >= date - 0.001);
            LOG("%d", i);
            if (++fired == 10) CFRunLoopStop(LOOP);
        });
        CFRunLoopTimerSetTolerance(timer, 60);
        CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(timer), 60, 1e-9);
        CFRunLoopAddTimer(LOOP, timer, A);
        CFRelease(timer);
    }
    Run(A, 10, false);
    CHECK_LOG("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\nStopped");
    CHECK_LE(wakeUps, 2);
}

// MARK: - D16: the timer port

static void takeOutAndWait(void (^takeOut)(CFRunLoopTimerRef timer)) {
    CFRunLoopTimerRef timer = MakeTimer("timer", 0.02, 0, NULL);
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopRunInMode(A, 0.001, false); // it sleeps with the port armed
    LOG_EVENT_CLEAR();
    takeOut(timer);
    Run(A, 0.05, false);
    CHECK_LOG("woken\nTimedOut");
}

TEST(D16_a_timer_that_has_gone_wakes_nobody,
     "A timer that was removed, invalidated or postponed before its date does not wake the loop at that date. The defect: its port "
     "stayed armed") {
    KeepAlive(LOOP, A);
    LogWakeUps(A);
    takeOutAndWait(^(CFRunLoopTimerRef timer) { CFRunLoopRemoveTimer(LOOP, timer, A); });
    takeOutAndWait(^(CFRunLoopTimerRef timer) { CFRunLoopTimerInvalidate(timer); });
    takeOutAndWait(^(CFRunLoopTimerRef timer) { CFRunLoopTimerSetNextFireDate(timer, 1e12); });
}

TEST(D16_a_timer_removed_by_another_thread_while_the_loop_sleeps_wakes_nobody,
     "When another thread removes the timer of a sleeping loop, the port is disarmed, and the loop sleeps on") {
    CFRunLoopRef loop = LOOP;
    KeepAlive(LOOP, A);
    LogWakeUps(A);
    static _Atomic(bool) removedInTime;
    do { // again if the other thread got no processor time before the date
        LOG_EVENT_CLEAR();
        CFRunLoopTimerRef timer = MakeTimer("timer", 0.3 * TimeScale(), 0, NULL);
        CFAbsoluteTime date = CFRunLoopTimerGetNextFireDate(timer);
        CFRunLoopAddTimer(LOOP, timer, A);
        pthread_t other = StartThread(^{
            WAIT_UNTIL(CFRunLoopIsWaiting(loop) || CFAbsoluteTimeGetCurrent() > date, 10);
            CFRunLoopRemoveTimer(loop, timer, A);
            removedInTime = CFAbsoluteTimeGetCurrent() < date;
        });
        Run(A, 0.4 * TimeScale(), false);
        JoinThread(other);
    } while (!removedInTime);
    CHECK_LOG("woken\nTimedOut");
}

// MARK: - D30: a timer in two modes

TEST(D30_a_date_set_in_the_callout_is_armed_in_all_modes_of_the_timer,
     "A timer in two modes sets its next date while it fires in one of them, and fires on that date in the other. The defect: only the "
     "first mode's port was armed") {
    __block CFRunLoopTimerRef timer;
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopRunInMode(B, 0.001, false); // creates the port set of B, which has no timer yet
    timer = MakeTimer("timer", 0, 1e6, ^{
        CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 0.02);
        CFRunLoopStop(LOOP);
    });
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopAddTimer(LOOP, timer, B);
    Run(A, 5, false);
    Run(B, 5, false);
    CHECK_LOG("timer\nStopped\ntimer\nStopped");
}

// MARK: - D31, D33: limits of runs that have ended, or are not the innermost

static _Atomic(int) releasedInTime, releasedElsewhere;
static pthread_t endingThread;

static void noteRelease(void) {
    if (pthread_equal(pthread_self(), endingThread)) releasedInTime++;
    else releasedElsewhere++;
}

static void noteReleaseOf(const void *info) { noteRelease(); }

TEST(D31_a_limited_run_keeps_nothing_alive_beyond_its_thread,
     "A thread that ends soon after a run with a long limit has released every context by then, on that thread. The defect: the limit's "
     "dispatch source retained the loop, and another thread released it later") {
    OnNewThread(^{
        endingThread = pthread_self();
        CFRunLoopSourceContext context = {.info = &endingThread, .release = noteReleaseOf};
        CFRunLoopTimerContext plain = {.info = &endingThread, .release = noteReleaseOf};
        CFTypeRef items[] = {CFRunLoopSourceCreate(NULL, 0, &context), CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, NULL, &plain),
                             CFRunLoopObserverCreate(NULL, 1, true, 0, NULL, (CFRunLoopObserverContext *)&plain)};
        CFRunLoopAddSource(LOOP, (CFRunLoopSourceRef)items[0], A);
        CFRunLoopAddTimer(LOOP, (CFRunLoopTimerRef)items[1], A);
        CFRunLoopAddObserver(LOOP, (CFRunLoopObserverRef)items[2], A);
        for (int i = 0; i < 3; i++) CFRelease(items[i]);
        CFRunLoopPerformBlock(LOOP, B, BlockThatTells(noteRelease));
        CFRunLoopPerformBlock(LOOP, A, ^{ CFRunLoopStop(LOOP); });
        CHECK_EQ_INT(CFRunLoopRunInMode(A, 100, false), kCFRunLoopRunStopped);
    });
    CHECK_EQ_INT(releasedInTime, 4);
    CHECK_EQ_INT(releasedElsewhere, 0);
}

TEST(D33_an_outer_runs_limit_does_not_wake_a_nested_run,
     "The limit of a run passes while a run nested in it sleeps: the nested run sleeps on to its own limit, and both time out. The "
     "defect: the nested run woke for nothing") {
    LogWakeUps(B);
    KeepAlive(LOOP, B);
    CFRunLoopSourceRef nests = MakeSource0("nests", 0, ^{ Run(B, 0.04, false); });
    CFRunLoopAddSource(LOOP, nests, A);
    CFRunLoopSourceSignal(nests);
    Run(A, 0.01, false);
    CHECK_LOG("nests\nwoken\nTimedOut\nTimedOut");
}
