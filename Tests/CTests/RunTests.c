/// RunTests.c: of a run (L5–L9) and its passes (X4–X6), what a program of Programs/Cases cannot say: private functions, the process's threads and
/// time, numbers that are none, longjmp and coroutines. Programs/Cases/Runs.txt and Passes.txt have the rest.
///
/// X2 and X3, the callouts and their whole stacks, are tested in the tour and with a debugger, in Tests/Debugger.
#include "LoopSupport.h"
#include "Checker.h"
#include "Fakes.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// MARK: - L5–L9: what ends a run

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

// MARK: - X4: sleeping

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

// MARK: - X6: dispatch queues

TEST(X6_other_queues_involve_no_loop, "A block on another queue runs on a thread without a loop, and the main loop sleeps on") {
    pthread_t mainThread = pthread_self();
    CFRunLoopRef loop = LOOP;
    _Atomic(Boolean) hasRun = false, *done = &hasRun;
    KeepAlive(LOOP, A);
    LogActivities(A);
    RunAndWhenAsleep(A, 20, true, ^{
        dispatch_async(dispatch_get_global_queue(0, 0), ^{
            Boolean hasLoop = _CFRunLoopGet0b(pthread_self()) != NULL;
            LOG("on %s thread, %s", pthread_equal(pthread_self(), mainThread) ? "the main" : "another", hasLoop ? "with a loop" : "without a loop");
            atomic_store(done, true);
        });
        CHECK(WAIT_UNTIL(atomic_load(done), 10));
        LOG("%s", CFRunLoopIsWaiting(loop) ? "still asleep" : "awake");
        CFRunLoopStop(loop);
    });
    CHECK_LOG("Entry\nBeforeTimers\nBeforeSources\nBeforeWaiting\non another thread, without a loop\nstill asleep\nAfterWaiting\nExit\nStopped");
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

// MARK: - A run in a coroutine, for which musl has no functions

#if defined(__GLIBC__)

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

#endif

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
