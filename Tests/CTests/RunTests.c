/// RunTests.c: a run, from why it begins to why it ends (L1–L10), and the steps of its passes (X1, X4–X7).
///
/// X2 and X3, the callouts and their whole stacks, are tested in the tour and with a debugger, in Tests/Debugger.
#include "LoopSupport.h"
#include "Checker.h"
#include "Fakes.h"
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// MARK: - How a run ends: every cause, with and without a limit, returning after a source or not, on both kinds of loop

/// One run whose events are recorded. Its loop's observers log the activities in short form, and count how often the thread goes to sleep.
typedef struct {
    CFStringRef mode;
    CFRunLoopRef loop;
    Boolean polls, once;
    _Atomic(int) sleeps;
    _Atomic(Boolean) isOver;
    int port;                  // the port of the Source1, or -1
    CFRunLoopSourceRef source1;
} RecordedRun;

/// A cause: how to bring it about, how often the loop must fall asleep before another thread stops it (0: never), and the expected log.
typedef struct {
    const char *name;
    void (*make)(RecordedRun *run);
    CFTimeInterval limit;
    int sleeps, sleepsOnce;
    const char *limited, *limitedOnce, *polled, *polledOnce;
} Cause;

static const char *shortName(CFRunLoopActivity activity) {
    return activity == kCFRunLoopBeforeTimers    ? "BT"
           : activity == kCFRunLoopBeforeSources ? "BS"
           : activity == kCFRunLoopBeforeWaiting ? "BW"
           : activity == kCFRunLoopAfterWaiting  ? "AW"
                                                 : ActivityName(activity);
}

static void logShortActivities(RecordedRun *run) {
    CFRunLoopObserverRef observer = MakeQuietObserver(kCFRunLoopAllActivities, ^(CFRunLoopActivity activity) {
        LOG("%s", shortName(activity));
        if (activity == kCFRunLoopBeforeWaiting) atomic_fetch_add(&run->sleeps, 1);
    });
    CFRunLoopAddObserver(run->loop, observer, run->mode);
}

/// Waits, on another thread, until the loop sleeps for the `count`th time; returns false if the run ends first.
static bool sleepsFor(RecordedRun *run, int count) {
    CHECK(WAIT_UNTIL(atomic_load(&run->isOver) || (atomic_load(&run->sleeps) >= count && CFRunLoopIsWaiting(run->loop)), 20));
    return !atomic_load(&run->isOver);
}

/// Makes one run and returns its log in one line.
static char *tell(const Cause *cause, Boolean polls, Boolean once) {
    static _Atomic(int) number;
    RecordedRun data = {.polls = polls, .once = once, .port = -1}, *run = &data;
    run->loop = LOOP;
    run->mode = CFStringCreateWithFormat(NULL, NULL, CFSTR("mode %d"), atomic_fetch_add(&number, 1));
    KeepAlive(run->loop, run->mode);
    logShortActivities(run);
    LOG_EVENT_CLEAR();
    int sleeps = polls ? 0 : once ? cause->sleepsOnce : cause->sleeps;
    if (cause->make) cause->make(run);
    CheckLoop(run->loop);
    pthread_t stopper = StartThread(^{
        if (sleeps && sleepsFor(run, sleeps)) CFRunLoopStop(run->loop);
    });
    Run(run->mode, polls ? 0 : cause->limit, once);
    atomic_store(&run->isOver, true);
    JoinThread(stopper);
    if (run->source1) CFRunLoopSourceInvalidate(run->source1);
    CheckLoop(run->loop);
    if (run->port >= 0) close(run->port);
    CFRelease(run->mode);
    char *log = LogCopy();
    for (char *at = log; *at; at++) *at = *at == '\n' ? ' ' : *at;
    return log;
}

static void checkCauseHere(const Cause *cause, const char *where) {
    const char *expected[2][2] = {{cause->limited, cause->limitedOnce}, {cause->polled, cause->polledOnce}};
    for (int polls = 0; polls < 2; polls++) {
        for (int once = 0; once < 2; once++) {
            char *log = tell(cause, (Boolean)polls, (Boolean)once);
            if (strcmp(log, expected[polls][once]) != 0) {
                FAIL("%s, on %s, %s limit%s:\n  expected %s\n  got      %s", cause->name, where, polls ? "no" : "a",
                     once ? ", one source" : "", expected[polls][once], log);
            }
            free(log);
        }
    }
}

static void checkCause(Cause cause) {
    const Cause *tried = &cause;
    checkCauseHere(tried, "the main loop");
    OnNewThread(^{ checkCauseHere(tried, "a secondary loop"); });
}

TEST(L4_ended_by_its_time_limit,
     "A run in which nothing happens sleeps until its limit and returns TimedOut; with a limit of 0 it does not sleep") {
    checkCause((Cause){"time limit", NULL, 0.02, 0, 0,
        "Entry BT BS BW AW Exit TimedOut", "Entry BT BS BW AW Exit TimedOut", "Entry BT BS Exit TimedOut", "Entry BT BS Exit TimedOut"});
}

/// From another thread: while the loop sleeps, or between two observers of a pass that does not sleep.
static void fromAnotherThread(RecordedRun *run, void (*act)(CFRunLoopRef loop)) {
    if (run->polls) {
        CFRunLoopObserverRef observer = MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
            OnNewThread(^{ act(run->loop); });
        });
        CFRunLoopAddObserver(run->loop, observer, run->mode);
    } else {
        pthread_detach(StartThread(^{
            if (sleepsFor(run, 1)) act(run->loop);
        }));
    }
}

static void makeWakeUp(RecordedRun *run) { fromAnotherThread(run, CFRunLoopWakeUp); }

TEST(L4_woken_up, "A wake-up ends the sleep and nothing else: another pass begins; a poll receives it without effect") {
    checkCause((Cause){"wake-up", makeWakeUp, 20, 2, 2,
        "Entry BT BS BW AW BT BS BW AW Exit Stopped", "Entry BT BS BW AW BT BS BW AW Exit Stopped",
        "Entry BT BS Exit TimedOut", "Entry BT BS Exit TimedOut"});
}

static void makeStop(RecordedRun *run) {
    if (run->polls) fromAnotherThread(run, CFRunLoopStop); // otherwise the stopper does it
}

TEST(L4_stopped, "A stop from another thread ends the sleep and the run: Stopped; with a limit of 0 the result is still TimedOut") {
    checkCause((Cause){"stop", makeStop, 20, 1, 1,
        "Entry BT BS BW AW Exit Stopped", "Entry BT BS BW AW Exit Stopped", "Entry BT BS Exit TimedOut", "Entry BT BS Exit TimedOut"});
}

static void makeTimer(RecordedRun *run) { CFRunLoopAddTimer(run->loop, MakeTimer("timer", 0, 0, NULL), run->mode); }

TEST(L4_woken_by_a_timer, "A due timer fires after the sleep, also in a poll, and is no source: the run continues") {
    checkCause((Cause){"timer", makeTimer, 20, 2, 2,
        "Entry BT BS BW AW timer BT BS BW AW Exit Stopped", "Entry BT BS BW AW timer BT BS BW AW Exit Stopped",
        "Entry BT BS timer Exit TimedOut", "Entry BT BS timer Exit TimedOut"});
}

static void makeSource0(RecordedRun *run) {
    CFRunLoopSourceRef source = MakeSource0("source0", 0, NULL);
    CFRunLoopAddSource(run->loop, source, run->mode);
    CFRunLoopSourceSignal(source);
}

TEST(L4_handled_a_source_0,
     "A signalled Source0 is performed before any sleep, and its pass only polls; the run returns HandledSource if it is to return after "
     "a source") {
    checkCause((Cause){"source 0", makeSource0, 20, 1, 0,
        "Entry BT BS source0 BT BS BW AW Exit Stopped", "Entry BT BS source0 Exit HandledSource",
        "Entry BT BS source0 Exit TimedOut", "Entry BT BS source0 Exit HandledSource"});
}

static void makeSource1(RecordedRun *run) {
    int port = run->port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    run->source1 = MakeEventSource("source1", port);
    CFRunLoopAddSource(run->loop, run->source1, run->mode);
}

TEST(L4_handled_a_source_1,
     "A ready port wakes the loop, and its source is performed after the sleep; the run returns HandledSource if it is to return after a "
     "source") {
    checkCause((Cause){"source 1", makeSource1, 20, 2, 0,
        "Entry BT BS BW AW source1 BT BS BW AW Exit Stopped", "Entry BT BS BW AW source1 Exit HandledSource",
        "Entry BT BS source1 Exit TimedOut", "Entry BT BS source1 Exit HandledSource"});
}

static void makeBlock(RecordedRun *run) {
    CFRunLoopPerformBlock(run->loop, run->mode, ^{ LOG("block"); });
}

TEST(L4_performed_a_block, "A queued block is performed before the sleep, and is no source") {
    checkCause((Cause){"block", makeBlock, 20, 1, 1,
        "Entry BT BS block BW AW Exit Stopped", "Entry BT BS block BW AW Exit Stopped",
        "Entry BT BS block Exit TimedOut", "Entry BT BS block Exit TimedOut"});
}

static void makeMainQueueBlock(RecordedRun *run) {
    CFRunLoopAddCommonMode(run->loop, run->mode);
    dispatch_async(&_dispatch_main_q, ^{ LOG("queue"); });
}

TEST(L4_served_the_main_queue, "A block on the main dispatch queue wakes the main loop and counts as a handled source") {
    checkCauseHere(&(Cause){"main queue", makeMainQueueBlock, 20, 2, 0,
        "Entry BT BS BW AW queue BT BS BW AW Exit Stopped", "Entry BT BS BW AW queue Exit HandledSource",
        "Entry BT BS queue Exit TimedOut", "Entry BT BS queue Exit HandledSource"}, "the main loop");
}

static void takeAwayEverything(void) {
    CFRunLoopRef loop = LOOP;
    CFRunLoopModeRef mode = loop->_currentMode;
    const void *sources[16];
    CFIndex count = CFSetGetCount(mode->_sources0);
    CFSetGetValues(mode->_sources0, sources);
    for (CFIndex i = 0; i < count; i++) CFRunLoopRemoveSource(loop, (CFRunLoopSourceRef)sources[i], mode->_name);
}

static void makeLastTimer(RecordedRun *run) {
    CFRunLoopAddTimer(run->loop, MakeTimer("timer", 0, 0, ^{ takeAwayEverything(); }), run->mode);
}

TEST(L4_finished, "A pass that leaves the mode empty ends the run: Finished; with a limit of 0 the result is TimedOut") {
    checkCause((Cause){"emptied", makeLastTimer, 20, 0, 0,
        "Entry BT BS BW AW timer Exit Finished", "Entry BT BS BW AW timer Exit Finished",
        "Entry BT BS timer Exit TimedOut", "Entry BT BS timer Exit TimedOut"});
}

TEST(L4_the_order_of_the_reasons, "If there are several reasons to return: HandledSource before TimedOut before Stopped before Finished") {
    struct { Boolean once, outlastsLimit, stops; } runs[] = {{true, true, true}, {false, true, true}, {false, false, true}, {false, false, false}};
    for (int i = 0; i < 4; i++) {
        Boolean outlastsLimit = runs[i].outlastsLimit, stops = runs[i].stops;
        CFRunLoopSourceRef source = MakeSource0("s", 0, ^{
            takeAwayEverything();
            if (stops) CFRunLoopStop(LOOP);
            if (outlastsLimit) usleep(15000);
        });
        CFRunLoopAddSource(LOOP, source, A);
        CFRunLoopSourceSignal(source);
        Run(A, outlastsLimit ? 0.01 : 20, runs[i].once);
    }
    CHECK_LOG("s\nHandledSource\ns\nTimedOut\ns\nStopped\ns\nFinished");
}

// MARK: - L1–L3, L10: what keeps a run from finishing

TEST(L1_an_empty_mode_returns_at_once,
     "A run in a mode without sources, timers and blocks, or in a mode that does not exist, returns Finished without a callout") {
    LogActivities(A);
    Run(A, 20, false);
    Run(B, 20, false);
    Run(NULL, 20, false);
    CHECK(_CFRunLoopFinished(LOOP, A) && _CFRunLoopFinished(LOOP, B));
    CFRunLoopTimerRef timer = MakeTimer("t", 1000, 0, NULL);
    CFRunLoopAddTimer(LOOP, timer, A);
    CHECK(!_CFRunLoopFinished(LOOP, A));
    CFRunLoopTimerInvalidate(timer);
    Run(A, 20, false);
    OnNewThread(^{ CFRunLoopRun(); }); // returns
    CHECK_LOG("Finished\nFinished\nFinished\nFinished");
}

TEST(L2_observers_alone_do_not_keep_it_running, "A mode with observers and nothing else is empty") {
    LogActivities(A);
    Run(A, 20, false);
    CHECK_LOG("Finished");
}

TEST(L3_an_item_in_another_mode_does_not_keep_it_running, "An item in another mode does not count, even if it has something to do") {
    CFRunLoopSourceRef source = MakeSource0("s", 0, NULL);
    CFRunLoopAddSource(LOOP, source, B);
    CFRunLoopSourceSignal(source);
    CFRunLoopAddTimer(LOOP, MakeTimer("t", 0, 0, NULL), B);
    CFRunLoopPerformBlock(LOOP, B, ^{ LOG("block"); });
    Run(A, 20, false);
    CFRunLoopAddObserver(LOOP, MakeObserver("o", kCFRunLoopEntry, 0, NULL), A); // creates the mode
    Run(A, 20, false);
    CHECK_LOG("Finished\nFinished");
}

TEST(L10_the_main_loop_in_a_common_mode_is_never_empty,
     "In a mode in which it serves the main dispatch queue, the main loop waits even without items; in another mode, or in a block of "
     "the queue, a mode without items is empty") {
    Run(DEFAULT, 0.005, false);
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopAddObserver(LOOP, MakeObserver("o", kCFRunLoopEntry, 0, NULL), A);
    Run(A, 0.005, false);
    Run(B, 20, false);
    OnNewThread(^{ Run(DEFAULT, 20, false); });
    dispatch_async(&_dispatch_main_q, ^{
        LOG("queue");
        Run(DEFAULT, 20, false);
    });
    Run(DEFAULT, 20, true);
    CHECK_LOG("TimedOut\no\nTimedOut\nFinished\nFinished\nqueue\nFinished\nHandledSource");
}

// MARK: - L5–L9: what ends a run

TEST(L5_stop_ends_one_run, "Stop ends the run that it finds, not a loop around it such as NSRunLoop's run(); CFRunLoopRun returns") {
    OnNewThread(^{
        KeepAlive(LOOP, DEFAULT);
        for (int runs = 0; runs < 3; runs++) {
            CFRunLoopPerformBlock(LOOP, DEFAULT, ^{ CFRunLoopStop(LOOP); });
            Run(DEFAULT, 20, false);
        }
        CFRunLoopPerformBlock(LOOP, DEFAULT, ^{ CFRunLoopStop(LOOP); });
        CFRunLoopRun();
        LOG("CFRunLoopRun has returned");
        CheckLoop(LOOP);
    });
    CHECK_LOG("Stopped\nStopped\nStopped\nCFRunLoopRun has returned");
}

TEST(L5_a_stop_between_runs_is_lost, "A stop or a wake-up while no run is active has no effect, not even on the next run") {
    OnNewThread(^{
        KeepAlive(LOOP, A);
        LogWakeUps(A);
        CFRunLoopStop(LOOP);
        CFRunLoopWakeUp(LOOP);
        CheckLoop(LOOP);
        CFRunLoopRef loop = LOOP;
        OnNewThread(^{ CFRunLoopStop(loop); });
        Run(A, 0.01, false);
    });
    CHECK_LOG("woken\nTimedOut");
}

TEST(L6_one_source_ends_it_a_timer_does_not,
     "A run that is to return after a source returns after a source, after a stop or at its date; timers and blocks do not end it") {
    CFRunLoopSourceRef first = MakeSource0("first", 0, NULL), second = MakeSource0("second", 1, NULL);
    CFRunLoopAddSource(LOOP, first, A);
    CFRunLoopAddSource(LOOP, second, A);
    CFRunLoopSourceSignal(second);
    CFRunLoopSourceSignal(first);
    Run(A, 20, true);
    Run(A, 20, true);
    CFRunLoopPerformBlock(LOOP, A, ^{ LOG("block"); });
    CFRunLoopAddTimer(LOOP, MakeTimer("timer", 0, 0, ^{ CFRunLoopPerformBlock(LOOP, A, ^{ LOG("timer's block"); }); }), A);
    Run(A, 0.03, true);
    CFRunLoopAddTimer(LOOP, MakeTimer("stopping timer", 0, 0, ^{ CFRunLoopStop(LOOP); }), A);
    Run(A, 20, true);
    CHECK_LOG("first\nHandledSource\nsecond\nHandledSource\nblock\ntimer\ntimer's block\nTimedOut\nstopping timer\nStopped");
}

TEST(L7_stop_ends_the_innermost_run, "Of three nested runs, a stop ends the innermost alone; one that came before the nesting belongs to the outer") {
    CFStringRef modes[] = {A, B, C}, *mode = modes;
    CFRunLoopSourceRef sources[3], *source = sources;
    sources[2] = MakeSource0("in C", 0, ^{ CFRunLoopStop(LOOP); });
    sources[1] = MakeSource0("in B", 0, ^{
        Run(mode[2], 20, false);
        LOG("back in B");
        CFRunLoopStop(LOOP);
    });
    sources[0] = MakeSource0("in A", 0, ^{
        CFRunLoopStop(LOOP); // stops the run in A
        CFRunLoopSourceSignal(source[1]);
        CFRunLoopSourceSignal(source[2]);
        Run(mode[1], 20, false);
        LOG("back in A");
    });
    for (int i = 0; i < 3; i++) CFRunLoopAddSource(LOOP, sources[i], modes[i]);
    CFRunLoopSourceSignal(sources[0]);
    Run(A, 20, false);
    CHECK_LOG("in A\nin B\nin C\nStopped\nback in B\nStopped\nback in A\nStopped");
}

TEST(L5_a_run_that_a_stop_has_ended_is_not_stopped_any_more,
     "The run takes the stop back before its Exit observers are notified, whether it came before the first pass or during one") {
    KeepAlive(LOOP, A);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopExit, ^(CFRunLoopActivity activity) {
        LOG("%s", __CFRunLoopIsStopped(LOOP) ? "stopped" : "not stopped");
    }), A);
    CFRunLoopPerformBlock(LOOP, A, ^{ CFRunLoopStop(LOOP); });
    Run(A, 20, false);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopEntry, ^(CFRunLoopActivity activity) { CFRunLoopStop(LOOP); }), A);
    Run(A, 20, false);
    CHECK_LOG("not stopped\nStopped\nnot stopped\nStopped");
}

TEST(L7_the_depth_counts_the_runs_around,
     "The depth is the number of nested runs of the calling thread: 0 outside a run, and on a thread without a loop, which gets none") {
    CHECK_EQ_INT(_CFRunLoopGetDepth(), 0);
    pthread_t thread = StartThread(^{
        CHECK_EQ_INT(_CFRunLoopGetDepth(), 0);
        CHECK(!_CFRunLoopGet0b(pthread_self()));
    });
    pthread_join(thread, NULL);
    CFRunLoopPerformBlock(LOOP, A, ^{
        CHECK_EQ_INT(_CFRunLoopGetDepth(), 1);
        CFRunLoopPerformBlock(LOOP, B, ^{ CHECK_EQ_INT(_CFRunLoopGetDepth(), 2); });
        Run(B, 0, false);
        CHECK_EQ_INT(_CFRunLoopGetDepth(), 1);
        LOG("nested");
    });
    Run(A, 0, false);
    CHECK_EQ_INT(_CFRunLoopGetDepth(), 0);
    CHECK_LOG("TimedOut\nnested\nTimedOut");
}

TEST(L8_removing_everything_does_not_wake_it,
     "Removing the last source does not wake a sleeping loop; when the loop is woken, the run returns Finished") {
    CFRunLoopSourceRef source = MakeSource0("s", 0, NULL);
    pthread_t thread = StartThread(^{
        CFRunLoopAddSource(LOOP, source, A);
        Run(A, 20, false);
    });
    CHECK(WAIT_UNTIL(_CFRunLoopGet0b(thread) != NULL, 10));
    CFRunLoopRef loop = (CFRunLoopRef)CFRetain(_CFRunLoopGet0b(thread)); // its thread ends as soon as it is woken
    WaitUntilAsleep(loop);
    CFRunLoopRemoveSource(loop, source, A);
    LOG("%s", STAYS_FOR(CFRunLoopIsWaiting(loop), 20) ? "still asleep" : "awake");
    CheckLoop(loop);
    CFRunLoopWakeUp(loop);
    JoinThread(thread);
    CFRelease(loop);
    CHECK_LOG("still asleep\nFinished");
}

TEST(L9_a_time_limit_is_kept,
     "A run with a limit never returns before it, and returns soon after it; wake-ups do not extend it, and it starts no thread") {
    KeepAlive(LOOP, A);
    CFRunLoopRef loop = LOOP;
    _Atomic(Boolean) ended = false, *isOver = &ended;
    pthread_t waker = StartThread(^{
        while (!atomic_load(isOver)) {
            CFRunLoopWakeUp(loop);
            usleep(500);
        }
    });
    int threads = ThreadCount();
    double limits[] = {1e-9, 0.0005, 0.001, 0.0123, 0.03};
    for (int i = 0; i < 5; i++) {
        double start = SecondsNow();
        Run(A, limits[i], false);
        double took = SecondsNow() - start;
        if (took < limits[i] || took > limits[i] + 20 * TimeScale()) FAIL("a limit of %g s was over after %g s", limits[i], took);
    }
    CHECK_EQ_INT(ThreadCount(), threads);
    atomic_store(isOver, true);
    JoinThread(waker);
    CHECK_LOG("TimedOut\nTimedOut\nTimedOut\nTimedOut\nTimedOut");
}

TEST(L9_limits_that_are_none, "Limits of 17 years, of infinity and of NaN are no limits; a negative limit means one pass") {
    double limits[] = {6e8, 1e300, (double)INFINITY, (double)NAN, -1, -(double)INFINITY};
    for (int i = 0; i < 6; i++) {
        CFRunLoopAddTimer(LOOP, MakeTimer("t", 0, 0, ^{ CFRunLoopStop(LOOP); }), A);
        Run(A, limits[i], false);
    }
    CHECK_LOG("t\nStopped\nt\nStopped\nt\nStopped\nt\nStopped\nt\nTimedOut\nt\nTimedOut");
}

// MARK: - X1, X7: the order of things in a pass

/// Queues a block for the mode A that logs `name`.
static void queueBlock(const char *name) {
    CFRunLoopPerformBlock(LOOP, A, ^{ LOG("%s", name); });
}

TEST(X1_the_ten_steps_in_order, "With work for every step, a run makes the ten steps in their order") {
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopAddCommonMode(LOOP, A); // so that the run serves the main queue
    LogActivities(A);
    CFRunLoopSourceRef source0 = MakeSource0("source 0", 0, ^{ queueBlock("block of source 0"); });
    CFRunLoopSourceRef source1 = MakeSource1("source 1", port, ^{
        eventfd_read(port, &(eventfd_t){0});
        queueBlock("block of source 1");
        CFRunLoopStop(LOOP);
    });
    CFRunLoopAddSource(LOOP, source0, A);
    CFRunLoopAddSource(LOOP, source1, A);
    CFRunLoopSourceSignal(source0);
    queueBlock("block");
    // The pass of the Source0 polls, and in that pass the timer is due. The timer's callback makes the main queue and the Source1 ready for
    // the next passes.
    CFRunLoopAddTimer(LOOP, MakeTimer("timer", 0, 0, ^{
        queueBlock("block of timer");
        dispatch_async(&_dispatch_main_q, ^{
            LOG("main queue");
            eventfd_write(port, 1);
        });
    }), A);
    Run(A, 20, false);
    CHECK_LOG("Entry\n"
              "BeforeTimers\nBeforeSources\nblock\nsource 0\nblock of source 0\ntimer\nblock of timer\n"
              "BeforeTimers\nBeforeSources\nmain queue\n"
              "BeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nsource 1\nblock of source 1\n"
              "Exit\nStopped");
    close(port);
}

TEST(X1_step_5_looks_at_the_main_queue_alone,
     "If the main queue is ready at step 5, the run serves it without notifying the observers of waiting; if a Source1 is ready, it does "
     "not") {
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    // The source never reads its port, so the port is ready in every pass. Pass 1: the port wakes the loop. Pass 2: the queue is ready as
    // well, and is served first. Pass 3: the queue was served last, so the port has to wait for step 7.
    __block int performs = 0;
    CFRunLoopSourceRef source = MakeSource1("source 1", port, ^{
        if (++performs == 2) CFRunLoopStop(LOOP);
        else dispatch_async(&_dispatch_main_q, ^{ LOG("main queue"); });
    });
    CFRunLoopAddCommonMode(LOOP, A);
    LogActivities(A);
    CFRunLoopAddSource(LOOP, source, A);
    eventfd_write(port, 1);
    Run(A, 20, false);
    CHECK_LOG("Entry\nBeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nsource 1\n"
              "BeforeTimers\nBeforeSources\nmain queue\n"
              "BeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nsource 1\n"
              "Exit\nStopped");
    close(port);
}

// MARK: - X4, X5: sleeping and waking

TEST(X4_a_sleeping_loop_uses_no_processor,
     "A loop that sleeps for a fifth of a second uses next to no processor time; its thread waits in the kernel") {
    KeepAlive(LOOP, A);
    CFRunLoopAddTimer(LOOP, MakeTimer("t", 1000, 1, NULL), A);
    CFRunLoopRef loop = LOOP;
    pid_t sleeper = (pid_t)syscall(SYS_gettid);
    pthread_t watcher = StartThread(^{
        WaitUntilAsleep(loop);
        CHECK(WAIT_UNTIL(ThreadState(sleeper) == 'S', 10));
        CHECK(WAIT_UNTIL(STAYS_FOR(ThreadState(sleeper) == 'S', 50), 10)); // before it sleeps it may also wait for a lock
        CheckLoop(loop); // on another thread, while the loop sleeps
    });
    Run(A, 0.001, false); // the first run creates the ports
    double before = ThreadSeconds();
    SInt32 result = CFRunLoopRunInMode(A, 0.2, false);
    double used = ThreadSeconds() - before;
    JoinThread(watcher);
    CHECK_EQ_INT(result, kCFRunLoopRunTimedOut);
    if (used > 0.02) FAIL("asleep for 0.2 s, the thread has used %g s of processor time", used);
}

/// Calls `act` on another thread while the loop sleeps in a run of the mode A, whose events are logged after "asleep".
static void whileAsleep(void (^act)(CFRunLoopRef loop), CFTimeInterval limit) {
    CFRunLoopRef loop = LOOP;
    _Atomic(Boolean) entered = false, *isIn = &entered;
    CFRunLoopObserverRef observer = MakeQuietObserver(kCFRunLoopBeforeWaiting | kCFRunLoopAfterWaiting, ^(CFRunLoopActivity activity) {
        if (activity == kCFRunLoopAfterWaiting) LOG("awake");
        atomic_store(isIn, true);
    });
    CFRunLoopAddObserver(loop, observer, A);
    pthread_t other = StartThread(^{
        CHECK(WAIT_UNTIL(atomic_load(isIn) && CFRunLoopIsWaiting(loop), 10));
        LOG("asleep");
        CheckLoop(loop);
        act(loop);
    });
    Run(A, limit, true);
    JoinThread(other);
    CFRunLoopObserverInvalidate(observer);
}

TEST(X5_woken_by_a_port, "A descriptor that becomes ready wakes the loop without a wake-up call") {
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopAddSource(LOOP, MakeSource1("port", port, NULL), A);
    whileAsleep(^(CFRunLoopRef loop) { eventfd_write(port, 1); }, 20);
    CHECK_LOG("asleep\nawake\nport\nHandledSource");
    close(port);
}

TEST(X5_woken_by_a_port_added_meanwhile, "A Source1 with a ready port, added by another thread, wakes the loop without a wake-up call") {
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    KeepAlive(LOOP, A);
    whileAsleep(^(CFRunLoopRef loop) { CFRunLoopAddSource(loop, MakeSource1("port", port, NULL), A); }, 20);
    CHECK_LOG("asleep\nawake\nport\nHandledSource");
    close(port);
}

TEST(X5_woken_by_a_timer, "A timer wakes the loop when it is due, even one that another thread adds or moves meanwhile") {
    KeepAlive(LOOP, A);
    whileAsleep(^(CFRunLoopRef loop) { CFRunLoopAddTimer(loop, MakeTimer("added", 0, 0, ^{ CFRunLoopStop(LOOP); }), A); }, 20);
    CFRunLoopTimerRef timer = MakeTimer("was there", 1000, 0, ^{ CFRunLoopStop(LOOP); });
    CFRunLoopAddTimer(LOOP, timer, A);
    whileAsleep(^(CFRunLoopRef loop) { CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent()); }, 20);
    // Setting a date also wakes the loop explicitly: one pass or two, depending on which comes first.
    char *log = LogCopy();
    CHECK_EQ_PTR(strstr(log, "asleep\nawake\nadded\nStopped\nasleep\nawake\n"), log);
    CHECK_EQ_STR(strstr(log, "was there"), "was there\nStopped");
    free(log);
}

TEST(X5_woken_by_hand, "A signal alone leaves the loop asleep; after a wake-up the source is performed") {
    CFRunLoopSourceRef source = MakeSource0("source 0", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    whileAsleep(^(CFRunLoopRef loop) {
        CFRunLoopSourceSignal(source);
        LOG("%s", STAYS_FOR(CFRunLoopIsWaiting(loop), 20) ? "still asleep" : "woken by the signal");
        CFRunLoopWakeUp(loop);
    }, 20);
    CHECK_LOG("asleep\nstill asleep\nawake\nsource 0\nHandledSource");
}

TEST(X5_a_wake_up_from_an_observer,
     "A wake-up before the sleep causes exactly one more pass; one after the sleep, in the same pass or at Exit, causes none") {
    CFRunLoopActivity activities[] = {kCFRunLoopEntry, kCFRunLoopBeforeTimers, kCFRunLoopBeforeSources,
                                      kCFRunLoopBeforeWaiting, kCFRunLoopAfterWaiting, kCFRunLoopExit};
    KeepAlive(LOOP, A);
    for (int i = 0; i < 6; i++) {
        __block int passes = 0;
        __block bool woken = false;
        CFRunLoopActivity wakesAt = activities[i];
        CFRunLoopObserverRef observer = MakeQuietObserver(kCFRunLoopAllActivities, ^(CFRunLoopActivity activity) {
            passes += activity == kCFRunLoopBeforeTimers;
            // The last pass sleeps until this timer. A limit from the beginning might pass in the first pass on a busy machine.
            if (activity == kCFRunLoopBeforeTimers && passes == (i < 4 ? 2 : 1)) AddTimer("end", 0.03, 0, A, ^{ CFRunLoopStop(LOOP); });
            if (activity == wakesAt && !woken) CFRunLoopWakeUp(LOOP);
            woken = woken || activity == wakesAt;
        });
        CFRunLoopAddObserver(LOOP, observer, A);
        CFRunLoopRunInMode(A, 20, false);
        CFRunLoopObserverInvalidate(observer);
        LOG("%s: %d", ActivityName(wakesAt), passes);
        CheckLoop(LOOP);
    }
    CHECK_LOG("end\nEntry: 2\nend\nBeforeTimers: 2\nend\nBeforeSources: 2\nend\nBeforeWaiting: 2\nend\nAfterWaiting: 1\nend\nExit: 1");
}

// MARK: - X6: dispatch queues

/// A mode with only the loop's own ports is polled without a system call. Wake-ups and timers are found all the same.
TEST(X5_a_poll_finds_what_is_on_the_own_ports,
     "A non-blocking pass receives a wake-up that was sent, so the next sleep lasts; and it finds a due timer") {
    CFRunLoopSourceRef waker = MakeSource0("wakes", 0, ^{ CFRunLoopWakeUp(LOOP); });
    CFRunLoopAddSource(LOOP, waker, A);
    LogActivities(A);
    CFRunLoopSourceSignal(waker);
    Run(A, 0.15 * TimeScale(), false); // time for two passes on a slow machine
    CFRunLoopTimerRef timer = MakeTimer("timer", 0.01, 0, ^{ CFRunLoopStop(LOOP); });
    CFRunLoopSourceRef slow = MakeSource0("is slow", 0, ^{ usleep(30000); });
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopAddSource(LOOP, slow, A);
    CFRunLoopSourceSignal(slow);
    Run(A, 10, false);
    CHECK_LOG("Entry\nBeforeTimers\nBeforeSources\nwakes\n"
              "BeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nExit\nTimedOut\n"
              "Entry\nBeforeTimers\nBeforeSources\nis slow\ntimer\nExit\nStopped");
}

TEST(X6_the_main_queue_wakes_the_main_loop, "A block that another thread puts on the main queue wakes the main loop, which runs it on the main thread") {
    pthread_t mainThread = pthread_self();
    CFRunLoopAddCommonMode(LOOP, A);
    whileAsleep(^(CFRunLoopRef loop) {
        dispatch_async(&_dispatch_main_q, ^{ LOG("on the %s thread", pthread_equal(pthread_self(), mainThread) ? "main" : "wrong"); });
    }, 20);
    CHECK_LOG("asleep\nawake\non the main thread\nHandledSource");
}

TEST(X6_other_queues_involve_no_loop, "A block on another queue runs on a thread without a loop, and the main loop sleeps on") {
    pthread_t mainThread = pthread_self();
    _Atomic(Boolean) hasRun = false, *done = &hasRun;
    KeepAlive(LOOP, A);
    LogActivities(A);
    whileAsleep(^(CFRunLoopRef loop) {
        dispatch_async(dispatch_get_global_queue(0, 0), ^{
            Boolean hasLoop = _CFRunLoopGet0b(pthread_self()) != NULL;
            LOG("on %s thread, %s", pthread_equal(pthread_self(), mainThread) ? "the main" : "another", hasLoop ? "with a loop" : "without a loop");
            atomic_store(done, true);
        });
        CHECK(WAIT_UNTIL(atomic_load(done), 10));
        LOG("%s", CFRunLoopIsWaiting(loop) ? "still asleep" : "awake");
        CFRunLoopStop(loop);
    }, 20);
    CHECK_LOG("Entry\nBeforeTimers\nBeforeSources\nBeforeWaiting\nasleep\non another thread, without a loop\nstill asleep\n"
              "AfterWaiting\nawake\nExit\nStopped");
}

// MARK: - The limit of a run

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
    bool inTime = SecondsNow() - start <= 5 * TimeScale();
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

// MARK: - D13: what a source has handled

TEST(D13_a_block_queued_by_any_source_of_the_pass_does_not_sleep,
     "The first of two sources queues a block and invalidates the second, and the block is performed in the same pass. The defect: "
     "because the second source handled nothing, the pass counted as idle, and the block waited until the next event") {
    __block CFRunLoopSourceRef second;
    CFRunLoopAddObserver(LOOP, MakeObserver("sleeps", kCFRunLoopBeforeWaiting, 0, NULL), A);
    CFRunLoopSourceRef first = MakeSource0("first", 0, ^{
        CFRunLoopPerformBlock(LOOP, A, ^{
            LOG("block");
            CFRunLoopStop(LOOP);
        });
        CFRunLoopSourceInvalidate(second);
    });
    second = MakeSource0("second", 1, NULL);
    CFRunLoopSourceRef both[] = {first, second};
    for (int i = 0; i < 2; i++) {
        CFRunLoopAddSource(LOOP, both[i], A);
        CFRunLoopSourceSignal(both[i]);
    }
    Run(A, 2, false);
    CHECK_LOG("first\nblock\nStopped");
}

// MARK: - D32: the order of signals

TEST(D32_the_order_of_signals_is_exact_after_any_number_of_them,
     "Sources signalled one after another are performed in that order, even at times that a double cannot tell apart. The defect: "
     "times were kept as doubles, which were equal after 104 days") {
    enum { count = 32 };
    CFRunLoopSourceRef sources[count];
    __block int next = 0;
    for (int i = 0; i < count; i++) {
        sources[i] = MakeSource0("", 0, ^{ CHECK_EQ_INT((i * 13 + 5) % count, next++); });
        CFRunLoopAddSource(LOOP, sources[i], A);
        CFRunLoopSourceSignal(sources[i]);
        sources[i]->_signaledTime = (1ULL << 60) + (uint64_t)((i * 13 + 5) % count); // a permutation
    }
    CFRunLoopRunInMode(A, 0, false);
    CHECK_EQ_INT(next, count);
}

// MARK: - Wake-ups while a Source0 performs

TEST(wake_up_in_a_source_that_leaves_the_run_by_longjmp_is_not_missed,
     "A source's callback wakes the loop and leaves the run by longjmp: the next run checks for changes, and the record of the abandoned "
     "run can be used again") {
    static jmp_buf out;
    CFRunLoopSourceRef source = MakeSource0("source", 0, ^{
        CFRunLoopPerformBlock(LOOP, A, ^{ LOG("block"); });
        CFRunLoopWakeUp(LOOP);
        longjmp(out, 1);
    });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    if (setjmp(out) == 0) Run(A, 30, false);
    Run(A, 0.01, false);
    CHECK_LOG("source\nblock\nTimedOut");
}

// MARK: - D36: nested runs and wake-ups
//
// The outer run is in A. It is about to sleep and not in step 9, after which it would check everything again anyway.

/// Calls `body` the first time that a run in A is about to sleep.
static void beforeFirstSleep(Body body) {
    static bool isOver;
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {
        if (isOver) return;
        isOver = true;
        body();
    }), A);
}

static void stopInBlock(CFStringRef mode, const char *name) {
    CFRunLoopPerformBlock(LOOP, mode, ^{
        LOG("%s", name);
        CFRunLoopStop(LOOP);
    });
}

TEST(D36_a_wake_up_that_was_received_already_is_not_passed_on,
     "The thread has received a message before its sender records that it has sent one: a nested run finds the record without a message, "
     "and the outer run does not wake") {
    __block int passes = 0;
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopAddObserver(LOOP, CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopBeforeTimers, true, 0,
        ^(CFRunLoopObserverRef observer, CFRunLoopActivity activity) { passes++; }), A);
    CFRunLoopPerformBlock(LOOP, A, ^{
        atomic_store(&LOOP->_wakeUpSent, true);
        CFRunLoopRunInMode(B, 0, false);
    });
    Run(A, 0.05, false);
    CHECK_EQ_INT(passes, 1);
    CHECK_LOG("TimedOut");
}

TEST(D36_a_wake_up_that_a_sleeping_nested_run_received_wakes_the_run_around_it_too,
     "While a nested run sleeps, another thread queues a block for its mode and one for the outer run's, and wakes the loop once: both "
     "are performed. The defect: the outer run slept on with its block queued") {
    CFRunLoopRef loop = LOOP;
    KeepAlive(loop, A);
    KeepAlive(loop, B);
    pthread_t waker = StartThread(^{
        while (!CFRunLoopIsWaiting(loop)) usleep(100);
        CFRunLoopPerformBlock(loop, A, ^{
            LOG("block for the outer run");
            CFRunLoopStop(loop);
        });
        CFRunLoopPerformBlock(loop, B, ^{
            LOG("block for the nested run");
            CFRunLoopStop(loop);
        });
        CFRunLoopWakeUp(loop);
    });
    beforeFirstSleep(^{ Run(B, 30, false); });
    Run(A, 30, false);
    JoinThread(waker);
    CHECK_LOG("block for the nested run\nStopped\nblock for the outer run\nStopped");
}

TEST(D36_a_wake_up_left_out_in_a_nested_run_reaches_the_run_around_it,
     "A callback of a nested run queues a block for the outer run and wakes the loop, which is awake: the message is not sent then, but "
     "when the nested run has ended. This also works across two nested runs, even if the middle one is awake and ends, too") {
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopTimerRef timer = MakeTimer("timer", 0, 0, ^{ // fires in step 9 of the run in B
        CFRunLoopTimerRef inner = MakeTimer("inner timer", 0, 0, ^{
            stopInBlock(A, "block for the outer run");
            CFRunLoopWakeUp(LOOP);
            CFRunLoopStop(LOOP);
        });
        CFRunLoopAddTimer(LOOP, inner, C);
        Run(C, 30, false);
        CFRunLoopStop(LOOP);
    });
    CFRunLoopAddTimer(LOOP, timer, B);
    beforeFirstSleep(^{ Run(B, 30, false); });
    Run(A, 30, false);
    CHECK_LOG("timer\ninner timer\nStopped\nStopped\nblock for the outer run\nStopped");
}

// MARK: - A run in a coroutine

static ucontext_t outerContext, coroutine;

static void runInCoroutine(void) {
    KeepAlive(LOOP, B);
    Run(B, 0, false);
    swapcontext(&coroutine, &outerContext);
}

TEST(S7_a_run_in_a_coroutine_nests,
     "A block changes to a coroutine, which runs the loop and changes back, on a stack that is a local array or memory of the heap: each block "
     "is performed once. The defect: runs that had been left were recognised by addresses of the stack, and the blocks were freed twice") {
    char here[262144];
    void *stacks[] = {here, malloc(sizeof here)};
    for (int i = 0; i < 2; i++) {
        getcontext(&coroutine);
        coroutine.uc_stack.ss_sp = stacks[i];
        coroutine.uc_stack.ss_size = sizeof here;
        coroutine.uc_link = NULL;
        makecontext(&coroutine, runInCoroutine, 0);
        KeepAlive(LOOP, A);
        CFRunLoopPerformBlock(LOOP, B, ^{ LOG("for B"); });
        CFRunLoopPerformBlock(LOOP, A, ^{ swapcontext(&outerContext, &coroutine); });
        CFRunLoopPerformBlock(LOOP, A, ^{ LOG("behind it"); });
        Run(A, 0, false);
        Run(B, 0, false);
    }
    free(stacks[1]);
    CHECK_LOG("TimedOut\nbehind it\nTimedOut\nfor B\nTimedOut\nTimedOut\nbehind it\nTimedOut\nfor B\nTimedOut");
}

// MARK: - Nested runs that are left by longjmp, into a callback of the run around them

static jmp_buf caught;

/// Runs B, where a timer calls `body` and leaves the run.
static void runAndLeave(Body body) {
    IgnoreLeaksBegin();
    CFRunLoopAddTimer(LOOP, MakeTimer("timer of B", 0.001, 0, ^{
        body();
        longjmp(caught, 1);
    }), B);
    if (!setjmp(caught)) CFRunLoopRunInMode(B, 5 * TimeScale(), false);
    IgnoreLeaksEnd();
    LOG("caught");
}

TEST(L7_a_stop_after_a_nested_run_was_left_ends_the_run_around_it,
     "A callback catches the longjmp out of a nested run and stops the loop: the outer run ends, and the loop's mode is again that of no run") {
    KeepAlive(LOOP, A);
    CFRunLoopAddTimer(LOOP, MakeTimer("timer of A", 0.001, 0, ^{
        runAndLeave(^{});
        CFRunLoopStop(LOOP);
    }), A);
    Run(A, 10 * TimeScale(), false);
    CHECK(!CFRunLoopCopyCurrentMode(LOOP));
    CHECK_LOG("timer of A\ntimer of B\ncaught\nStopped");
}
