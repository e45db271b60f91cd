/// DefectTests.c: hangs and crashes of other run loops for Linux, each told as the story of one bug that this one must not have.
///
/// A case's name begins with the bug's number, the same that the sources carry in brackets: [D4] is the reason for something there,
/// D4_… the test that fails without it. What came out wrong, without hanging or crashing, is in DefectTests2.c.
#include "Fakes.h"
#include "LoopSupport.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// Whether what has begun at `start` took no more than `seconds`, which is stretched where everything is slow.
static bool tookAtMost(double seconds, double start) { return SecondsNow() - start <= seconds * TimeScale(); }

// MARK: - D1, D2: time limits

TEST(D1_a_coarse_clock_stretches_no_time,
     "Where clock_getres answers 4 ms, as in some containers, timers and time limits end when they should: it was taken for "
     "the length of a tick, and a run of 0.2 s was not back after 10") {
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
        dispatch_async(dispatch_get_global_queue(0, i % 2 ? 2 : 0), ^{ // 2: one of the queues that may start many threads
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
     "The limit of a run does not depend on dispatch's threads: it was a dispatch timer there, and a run of 0.1 s came back "
     "after 11.7") {
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
     "After 2,000 runs with a limit there are as many threads as before: one was left behind by each") {
    KeepAlive(LOOP, A);
    CFRunLoopRunInMode(A, 0.001, false);
    int before = ThreadCount();
    for (int i = 0; i < 2000; i++) CHECK_EQ_INT(CFRunLoopRunInMode(A, 1e-6, false), kCFRunLoopRunTimedOut);
    CHECK_EQ_INT(ThreadCount(), before);
}

// MARK: - D3: fork

TEST(D3_a_forked_child_halts_and_takes_no_tick_from_its_parent,
     "A child of fork that runs the loop is stopped with a clear line, and the parent's timer goes on ticking: the child "
     "hung without a word, and took ticks from the timer port that it shares") {
    static CTestsChild child;
    __block int ticks = 0;
    CFRunLoopAddTimer(LOOP, MakeTimer("tick", 0.005, 0.005, ^{
        if (++ticks == 20) CFRunLoopStop(LOOP);
        if (ticks != 5) return;
        child = CTestsFork();
        if (child.pid > 0) return;
        CFRunLoopRunInMode(DEFAULT, 1, false);
        CTestsChildSurvived();
    }), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 20 * TimeScale(), false), kCFRunLoopRunStopped);
    CHECK_EQ_INT(ticks, 20);
    CTestsCheckHalted(__FILE__, __LINE__, "was forked from one that had used a run loop, and did not exec", child);
}

TEST(D3_a_child_of_a_parent_without_a_loop_may_use_one, "What forbids run loops after fork is that the parent had used one") {
    CTestsChild child = CTestsFork();
    if (child.pid == 0) {
        CFRunLoopAddTimer(LOOP, MakeTimer("timer", 0, 0, NULL), DEFAULT);
        Run(DEFAULT, 0, false);
        CHECK_LOG("timer\nTimedOut");
        abort(); // the one way to end that CTestsCheckHalted takes
    }
    CTestsCheckHalted(__FILE__, __LINE__, "", child);
}

// MARK: - D4: signal handlers

static CFRunLoopRef interruptedLoop;
static CFRunLoopSourceRef sourceOfHandler;
static _Atomic(int) signalsHandled;

static void wakeFromHandler(int signal) {
    int interrupted = errno;
    errno = 4711;
    CFRunLoopSourceSignal(sourceOfHandler);
    CFRunLoopWakeUp(interruptedLoop);
    if (++signalsHandled % 50 == 0) CFRunLoopStop(interruptedLoop);
    if (errno != 4711) abort(); // nothing here may change it: it is the interrupted code's
    errno = interrupted;
}

/// What takes the loop's locks: done by its own thread and by another, and interrupted on both.
static void takeLocks(CFRunLoopRef loop) {
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 1e12, 0, 0, 0, ^(CFRunLoopTimerRef unused) {});
    CFRunLoopAddTimer(loop, timer, COMMON);
    static _Atomic(int) queued; // or they would become ever more
    if (queued < 50) {
        queued++;
        CFRunLoopPerformBlock(loop, DEFAULT, ^{ queued--; });
    }
    CFRunLoopContainsSource(loop, sourceOfHandler, DEFAULT);
    CFRunLoopTimerInvalidate(timer);
    CFRelease(timer);
}

TEST(D4_wake_up_signal_and_stop_are_safe_in_signal_handlers,
     "Signals at a high rate, whose handler wakes the loop, signals its source and stops it, while two threads hold the "
     "loop's locks most of the time: it was stuck on its own mutex after some hundred") {
    const int wanted = UNDER_THREAD_SANITIZER ? 2000 : 20000;
    static _Atomic(int) passes;
    pthread_t loopThread = pthread_self();
    interruptedLoop = LOOP;
    sourceOfHandler = MakeSource0("performed", 0, NULL);
    CFRunLoopAddSource(LOOP, sourceOfHandler, DEFAULT);
    CFRunLoopObserverRef counts = CFRunLoopObserverCreateWithHandler(
        NULL, kCFRunLoopBeforeSources, true, 0, ^(CFRunLoopObserverRef unused, CFRunLoopActivity activity) { passes++; });
    CFRunLoopAddObserver(LOOP, counts, DEFAULT);
    CFRelease(counts);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = wakeFromHandler, .sa_flags = SA_RESTART}, NULL);

    pthread_t other = StartThread(^{
        while (signalsHandled < wanted) takeLocks(interruptedLoop);
    });
    pthread_t sender = StartThread(^{
        for (int i = 0; signalsHandled < wanted; i++) {
            if (i % 2) pthread_kill(loopThread, SIGALRM);
            else pthread_kill(other, SIGALRM);
            for (int pause = 0; pause < 300; pause++) __asm__ volatile("");
        }
    });
    while (signalsHandled < wanted) {
        takeLocks(LOOP);
        CFRunLoopRunInMode(DEFAULT, 0.0005, false);
    }
    JoinThread(sender);
    JoinThread(other);
    CHECK_GE(passes, 1);

    CFRunLoopRunInMode(DEFAULT, 0, false);
    LOG_EVENT_CLEAR();
    signalsHandled = 0;
    raise(SIGALRM); // and the last one still comes through
    Run(DEFAULT, 0, false);
    CHECK_LOG("performed\nTimedOut");
}

// MARK: - D5: destructors of thread-specific data

/// The first is made before the library's own key, the second after it: their destructors run before the library's, and after.
static pthread_key_t destructorKeys[2];
static _Atomic(int) destructorRounds;

/// `value` is twice the number of rounds still to come, plus the number of the key.
static void askForLoopInDestructor(void *value) {
    uintptr_t number = (uintptr_t)value;
    CFRunLoopRef loop = CFRunLoopGetCurrent();
    CHECK(_CFRunLoopIsCurrent(loop));
    CFRunLoopPerformBlock(loop, DEFAULT, ^{ destructorRounds++; });
    CFRunLoopRunInMode(DEFAULT, 0, false);
    if (number >= 4) pthread_setspecific(destructorKeys[number % 2], (void *)(number - 2));
}

/// The library makes its key when it is loaded, in a constructor without a priority; those with one come before.
__attribute__((constructor(101))) static void makeTheEarlierKey(void) {
    pthread_key_create(&destructorKeys[0], askForLoopInDestructor);
}

TEST(D5_a_destructor_of_thread_data_may_ask_for_the_loop_in_every_round,
     "Destructors that run after the run loop's own get a loop that works, for as long as the thread lasts, and it goes "
     "with the thread: the first thread that tried crashed") {
    // What asks in a round has the library's own destructor run in the next, and that must not be the last under ThreadSanitizer.
    const int rounds = UNDER_THREAD_SANITIZER ? PTHREAD_DESTRUCTOR_ITERATIONS - 2 : PTHREAD_DESTRUCTOR_ITERATIONS, threads = 200;
    pthread_key_create(&destructorKeys[1], askForLoopInDestructor);
    OnNewThread(^{ CFRunLoopGetCurrent(); }); // the main loop is made along with it (R4), and stays
    int before = OpenDescriptorCount();
    for (int i = 0; i < threads; i++) {
        OnNewThread(^{
            if (i % 2) CFRunLoopGetCurrent(); // the others have had none until their destructors run
            for (int key = 0; key < 2; key++) pthread_setspecific(destructorKeys[key], (void *)(uintptr_t)(2 * rounds + key));
        });
    }
    CHECK_EQ_INT(destructorRounds, 2 * rounds * threads);
    // What was made in the very last round goes when the next loop is made.
    CHECK(WAIT_UNTIL(({ OnNewThread(^{ CFRunLoopGetCurrent(); }); OpenDescriptorCount() == before; }), 5));
}

// MARK: - D6: out of descriptors

/// In a child with `left` descriptors available: a loop, a source in the mode, a run. Each step needs one.
static void useDescriptors(int left, CFStringRef mode) {
    LeaveDescriptors(left);
    KeepAlive(LOOP, mode);
    CFRunLoopAddTimer(LOOP, MakeTimer("timer", 10, 0, NULL), mode);
    CFRunLoopRunInMode(mode, 0.001, false);
}

TEST(D6_out_of_descriptors_halts_with_the_limit_in_words,
     "Each of the places that need a descriptor says what it was for and how many the process may have: it died by SIGILL "
     "without a word") {
    CHECK_HALTS("no file descriptor is available for a wake-up port (eventfd): Too many open files. The process may have 100 open",
                useDescriptors(0, A));
    CHECK_HALTS("no file descriptor is available for a port set (epoll)", useDescriptors(1, A));
    CHECK_HALTS("no file descriptor is available for a timer port (timerfd)", useDescriptors(2, A));
}

TEST(D6_a_thread_out_of_descriptors_halts_in_the_same_words,
     "Likewise on a thread of its own, whose loop comes with the main loop") {
    CHECK_HALTS("for a wake-up port (eventfd)", { OnNewThread(^{ useDescriptors(1, DEFAULT); }); });
    CHECK_HALTS("for a port set (epoll)", { OnNewThread(^{ useDescriptors(2, DEFAULT); }); });
    CHECK_HALTS("for a timer port (timerfd)", { OnNewThread(^{ useDescriptors(3, DEFAULT); }); });
}

TEST(D6_the_main_queue_port_is_one_of_the_places,
     "The main loop's first run has libdispatch make a port for the main queue, which stops without a word where it cannot") {
    CHECK_HALTS("no file descriptor is available for", useDescriptors(1, DEFAULT));
}

TEST(D6_enough_descriptors_do, "With as many as are needed the run goes well, and one more limited run needs no more") {
    CTestsChild child = CTestsFork();
    if (child.pid == 0) {
        useDescriptors(3, A);
        for (int i = 0; i < 10; i++) CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.001, false), kCFRunLoopRunTimedOut);
        abort();
    }
    CTestsCheckHalted(__FILE__, __LINE__, "", child);
}

// MARK: - D7, D8: odd intervals

TEST(D7_a_time_that_is_not_a_number_halts_with_words,
     "NaN as date or interval is told to be one: as interval it died by SIGILL, as date it was accepted and never fired") {
    CHECK_HALTS("CFRunLoopTimerCreate was given a date or an interval that is not a number",
                CFRunLoopTimerCreate(NULL, NAN, 0, 0, 0, LoudTimerCallBack, NULL));
    CHECK_HALTS("CFRunLoopTimerCreate was given a date or an interval that is not a number",
                CFRunLoopTimerCreate(NULL, 0, NAN, 0, 0, LoudTimerCallBack, NULL));
    CHECK_HALTS("CFRunLoopTimerSetNextFireDate was given a date or an interval that is not a number",
                CFRunLoopTimerSetNextFireDate(MakeTimer("timer", 1, 0, NULL), NAN));
}

TEST(D7_an_interval_below_a_clock_tick_is_served,
     "Down to the smallest number there is, a repeating timer repeats: it died by SIGILL") {
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

TEST(D7_an_endless_rhythm_starves_nobody, "Beside a timer that is always due, sources, ports and the time limit are served") {
    int port = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    __block int fired = 0;
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 1e-9, 0, 0, ^(CFRunLoopTimerRef unused) { fired++; });
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, MakeSource1("port", port, ^{ eventfd_read(port, &(eventfd_t){0}); }), A);
    CFRunLoopSourceSignal(source);
    Run(A, 0.02, false);
    CHECK_LOG("source\nport\nTimedOut");
    CHECK_GE(fired, 2);
    CFRelease(timer);
}

/// The loop was busy for that long, as far as its clocks can tell.
static void letTimePass(double seconds) {
    WallClockShift = WallClockShift + seconds;
    MonotonicClockShift = MonotonicClockShift + seconds;
}

TEST(D8_catching_up_takes_no_time_however_many_dates_were_missed,
     "A timer of 1 ns, an hour late, has missed 3.6 million million dates: they were added up one by one, with the locks held") {
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
     "An hour and a half second late, a timer of 1 s is next due on a whole second from its start") {
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

// MARK: - D9: a blocking descriptor in two loops

static int blockingEvents;

TEST(D9_a_blocking_descriptor_may_be_in_two_loops,
     "2,000 events on a blocking eventfd that two loops wait for, all taken by their sources: the loops read it themselves, "
     "the slower one was stuck in read for good") {
    static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
    static _Atomic(int) taken;
    blockingEvents = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    Body takeOne = ^{ // of both loops one finds it; the client sees to that, the loop must not
        pthread_mutex_lock(&taking);
        struct pollfd look = {.fd = blockingEvents, .events = POLLIN};
        if (poll(&look, 1, 0) == 1 && eventfd_read(blockingEvents, &(eventfd_t){0}) == 0) taken++;
        pthread_mutex_unlock(&taking);
    };
    Body addSource = ^{ CFRunLoopAddSource(LOOP, MakeSource1("port", blockingEvents, takeOne), A); };
    LoopThread *threads[2] = {StartLoopThread(A, addSource), StartLoopThread(A, addSource)};
    for (int i = 0; i < 2000; i++) {
        eventfd_write(blockingEvents, 1);
        if (i % 100 == 0) usleep(1000);
    }
    CHECK(WAIT_UNTIL(taken == 2000, 20));
    for (int i = 0; i < 2; i++) OnLoop(threads[i]->loop, A, ^{ LOG_EVENT_CLEAR(); }); // both still turn
    for (int i = 0; i < 2; i++) EndLoopThread(threads[i]);
}

// MARK: - D10: no lock is held in any callback

static CFRunLoopRef probedLoop;           // what the other thread uses while a callback runs
static CFRunLoopTimerRef probedTimer;     // NULL when it is being taken down
static CFRunLoopObserverRef probedObserver;
static CFRunLoopSourceRef probedSource;

static void useTheLoop(void) {
    CFRunLoopGetCurrent(); // takes the registry's lock: the thread has none yet
    CFRelease(CFRunLoopCopyAllModes(probedLoop));
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, NULL, NULL);
    CFRunLoopAddTimer(probedLoop, timer, COMMON);
    CFRunLoopTimerInvalidate(timer);
    CFRelease(timer);
    CFRunLoopTimerContext context = {0};
    if (probedTimer) {
        CFRunLoopContainsTimer(probedLoop, probedTimer, COMMON);
        CFRunLoopTimerGetNextFireDate(probedTimer);
        CFRunLoopTimerGetContext(probedTimer, &context);
        CFRunLoopTimerSetTolerance(probedTimer, 0);
    }
    if (probedObserver) CFRunLoopObserverGetContext(probedObserver, (CFRunLoopObserverContext *)&context);
    if (probedObserver) CFRunLoopContainsObserver(probedLoop, probedObserver, COMMON);
    if (probedSource) CFRunLoopContainsSource(probedLoop, probedSource, COMMON);
    if (probedSource) CFRunLoopRemoveSource(probedLoop, probedSource, CFSTR("no such mode"));
}

/// Called in each callback: another thread must get through everything that takes a lock before the callback returns.
static void probe(const char *callback) {
    __block _Atomic(bool) through = false;
    pthread_t thread = StartThread(^{
        useTheLoop();
        through = true;
    });
    if (!WAIT_UNTIL(through, 5)) FAIL("another thread is blocked while \"%s\" runs", callback);
    JoinThread(thread);
    LOG("%s", callback);
}

static const void *probeRetain(const void *info) { return probe("retain"), info; }
static void probeRelease(const void *info) { probe("release"); }
static void probeSchedule(void *info, CFRunLoopRef rl, CFStringRef mode) { probe("schedule"); }
static void probeCancel(void *info, CFRunLoopRef rl, CFStringRef mode) { probe("cancel"); }
static void probePerform(void *info) { probe("perform"); }
static void probeTimer(CFRunLoopTimerRef timer, void *info) { probe("timer"); }
static void probeObserver(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { probe("observer"); }
static CFStringRef probeDescription(const void *info) { return probe("describe"), (CFStringRef)CFRetain(CFSTR("described")); }

static int probedPort;
static __CFPort probeGetPort(void *info) { return probe("getPort"), probedPort; }

/// How often a callback was probed since the last call of this.
static void checkProbed(const char *callbacks, int atLeast) {
    char *log = LogCopy();
    if (Occurrences(log, callbacks) < atLeast) FAIL("\"%s\" was called %d times, not %d:\n%s", callbacks, Occurrences(log, callbacks), atLeast, log);
    free(log);
    LOG_EVENT_CLEAR();
}

TEST(D10_no_lock_is_held_in_the_callbacks_of_a_source,
     "Another thread gets through while schedule, cancel, perform, copyDescription and release run: schedule and cancel for "
     "the common modes, and cancel from Invalidate, came with the locks held") {
    CFRunLoopSourceContext context = {.retain = probeRetain, .release = probeRelease, .copyDescription = probeDescription,
                                      .schedule = probeSchedule, .cancel = probeCancel, .perform = probePerform};
    probedLoop = LOOP;
    CFRunLoopSourceRef source = probedSource = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopAddSource(LOOP, source, COMMON);
    checkProbed("schedule", 2);
    CFRunLoopAddCommonMode(LOOP, B);
    checkProbed("schedule", 1);
    CFRelease(CFCopyDescription(LOOP));
    checkProbed("describe", 4);
    CFRunLoopSourceSignal(source);
    CFRunLoopRunInMode(A, 0, false);
    checkProbed("perform", 1);
    CFRunLoopRemoveSource(LOOP, source, COMMON);
    checkProbed("cancel", 3);
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopSourceInvalidate(source);
    checkProbed("cancel", 3);
    probedSource = NULL;
    CFRelease(source);
    checkProbed("release", 1);
}

TEST(D10_no_lock_is_held_in_the_callbacks_of_a_port_source,
     "Nor while getPort runs: at adding, for a new common mode, at removing, at invalidation") {
    CFRunLoopSourceContext1 context = {.version = 1, .getPort = probeGetPort, .perform = probePerform};
    probedPort = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    probedLoop = LOOP;
    CFRunLoopSourceRef source = probedSource = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(LOOP, source, COMMON);
    checkProbed("getPort", 1);
    CFRunLoopAddCommonMode(LOOP, A);
    checkProbed("getPort", 1);
    CFRunLoopRunInMode(A, 0, false);
    checkProbed("perform", 1);
    CFRunLoopRemoveSource(LOOP, source, A);
    checkProbed("getPort", 1);
    CFRunLoopSourceInvalidate(source);
    checkProbed("getPort", 1);
}

TEST(D10_no_lock_is_held_in_the_callbacks_of_a_timer,
     "Nor while a timer's callback runs, or its context is retained, described, released: when its last reference went with "
     "its mode, the timer's locks were held") {
    CFRunLoopTimerContext context = {.retain = probeRetain, .release = probeRelease, .copyDescription = probeDescription};
    probedLoop = LOOP;
    CFRunLoopTimerRef timer = probedTimer = CFRunLoopTimerCreate(NULL, 0, 1e9, 0, 0, probeTimer, &context);
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopAddTimer(LOOP, timer, COMMON);
    LOG_EVENT_CLEAR();
    CFRunLoopRunInMode(A, 0, false);
    CHECK_LOG("retain\ntimer\nrelease");
    CFRelease(CFCopyDescription(LOOP));
    checkProbed("describe", 3);
    CFRunLoopTimerInvalidate(timer);
    checkProbed("release", 1);
    probedTimer = NULL;
    CFRelease(timer);

    CFRunLoopTimerRef lastReferenceIsTheModes = CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, probeTimer, &context);
    CFRunLoopAddTimer(LOOP, lastReferenceIsTheModes, COMMON);
    CFRelease(lastReferenceIsTheModes);
    CFRunLoopRemoveTimer(LOOP, lastReferenceIsTheModes, COMMON);
    checkProbed("release", 1);

    CFRunLoopTimerRef once = CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, probeTimer, &context);
    CFRunLoopAddTimer(LOOP, once, COMMON);
    CFRelease(once);
    LOG_EVENT_CLEAR();
    CFRunLoopRunInMode(A, 0, false);
    CHECK_LOG("retain\ntimer\nrelease\nrelease");
}

TEST(D10_no_lock_is_held_in_the_callbacks_of_an_observer,
     "Nor while an observer's callback runs, or its context is described or released") {
    CFRunLoopObserverContext context = {.retain = probeRetain, .release = probeRelease, .copyDescription = probeDescription};
    probedLoop = LOOP;
    KeepAlive(LOOP, A);
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopObserverRef observer = probedObserver = CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, true, 0, probeObserver, &context);
    CFRunLoopAddObserver(LOOP, observer, COMMON);
    CFRunLoopRunInMode(A, 0.001, false);
    checkProbed("observer", 6);
    CFRelease(CFCopyDescription(LOOP));
    checkProbed("describe", 3);
    CFRunLoopObserverInvalidate(observer);
    checkProbed("release", 1);
    probedObserver = NULL;
    CFRelease(observer);

    CFRunLoopObserverRef once = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, false, 0, probeObserver, &context);
    CFRunLoopAddObserver(LOOP, once, COMMON);
    CFRelease(once);
    LOG_EVENT_CLEAR();
    CFRunLoopRunInMode(A, 0, false);
    CHECK_LOG("observer\nrelease");

    CFRunLoopObserverRef lastReferenceIsTheModes = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, probeObserver, &context);
    CFRunLoopAddObserver(LOOP, lastReferenceIsTheModes, COMMON);
    CFRelease(lastReferenceIsTheModes);
    CFRunLoopRemoveObserver(LOOP, lastReferenceIsTheModes, COMMON);
    checkProbed("release", 1);
}

static void probeBlockGone(void) { probe("block gone"); }

TEST(D10_no_lock_is_held_while_a_block_is_performed_or_let_go,
     "Nor while a queued block is performed, nor while what it had captured is released") {
    probedLoop = LOOP;
    CFRunLoopPerformBlock(LOOP, A, ^{ probe("block"); });
    CFRunLoopPerformBlock(LOOP, A, BlockThatTells(probeBlockGone));
    CFRunLoopRunInMode(A, 0, false);
    CHECK_LOG("block\nblock gone");
}

TEST(D10_no_lock_is_held_while_a_loop_is_taken_down,
     "Nor when a thread ends and its loop lets go of a source, a timer, an observer and a block") {
    probedLoop = CFRunLoopGetMain();
    OnNewThread(^{
        CFRunLoopSourceContext context = {.release = probeRelease, .cancel = probeCancel};
        CFRunLoopTimerContext plain = {.release = probeRelease};
        CFTypeRef items[] = {CFRunLoopSourceCreate(NULL, 0, &context), CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, probeTimer, &plain),
                             CFRunLoopObserverCreate(NULL, 1, true, 0, probeObserver, (CFRunLoopObserverContext *)&plain)};
        CFRunLoopAddSource(LOOP, (CFRunLoopSourceRef)items[0], COMMON);
        CFRunLoopAddTimer(LOOP, (CFRunLoopTimerRef)items[1], COMMON);
        CFRunLoopAddObserver(LOOP, (CFRunLoopObserverRef)items[2], COMMON);
        for (int i = 0; i < 3; i++) CFRelease(items[i]);
        CFRunLoopPerformBlock(LOOP, A, BlockThatTells(probeBlockGone));
    });
    char *log = LogCopy();
    CHECK_EQ_INT(Occurrences(log, "cancel"), 1);
    CHECK_EQ_INT(Occurrences(log, "release"), 3);
    CHECK_EQ_INT(Occurrences(log, "block gone"), 1);
    free(log);
}

// MARK: - D11: invalidated on another thread, in the middle of the callback

static _Atomic(bool) callbackHasBegun, callbackMayEnd;

static void stayInCallback(void) {
    LOG("callback begins");
    callbackHasBegun = true;
    WAIT_UNTIL(callbackMayEnd, 10);
    usleep(5000); // time for a release that comes too early
    LOG("callback ends");
}

static void stayInObserver(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { stayInCallback(); }
static void stayInTimer(CFRunLoopTimerRef timer, void *info) { stayInCallback(); }
static void logRelease(const void *info) { LOG("release"); }

TEST(D11_an_observers_context_outlives_its_callback,
     "An observer that another thread invalidates while its callback runs keeps its context until the callback has "
     "returned: it was released under its hands") {
    CFRunLoopObserverContext context = {.info = &callbackMayEnd, .release = logRelease};
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, stayInObserver, &context);
    KeepAlive(LOOP, A);
    CFRunLoopAddObserver(LOOP, observer, A);
    pthread_t other = StartThread(^{
        CHECK(WAIT_UNTIL(callbackHasBegun, 10));
        CFRunLoopObserverInvalidate(observer);
        CHECK(!CFRunLoopObserverIsValid(observer));
        LOG("invalidated");
        callbackMayEnd = true;
    });
    CFRunLoopRunInMode(A, 0, false);
    JoinThread(other);
    CHECK_LOG("callback begins\ninvalidated\ncallback ends\nrelease");
    CHECK(!CFRunLoopContainsObserver(LOOP, observer, A));
    CFRelease(observer);
}

TEST(D11_a_timers_context_outlives_its_callback, "The same for a timer whose context cannot be retained around the callback") {
    CFRunLoopTimerContext context = {.info = &callbackMayEnd, .release = logRelease};
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, 0, 1e9, 0, 0, stayInTimer, &context);
    CFRunLoopAddTimer(LOOP, timer, A);
    pthread_t other = StartThread(^{
        CHECK(WAIT_UNTIL(callbackHasBegun, 10));
        CFRunLoopTimerInvalidate(timer);
        LOG("invalidated");
        callbackMayEnd = true;
    });
    CFRunLoopRunInMode(A, 0, false);
    JoinThread(other);
    CHECK_LOG("callback begins\ninvalidated\ncallback ends\nrelease");
    CFRelease(timer);
}
