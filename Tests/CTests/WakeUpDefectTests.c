/// WakeUpDefectTests.c: defects of other run loops for Linux in what a pass still has to serve: blocks that sources queue, the order of
/// signals, wake-ups in nested runs.
///
/// A case's name begins with the number of the defect. A number in brackets in the sources, such as [D4], refers to the case that fails
/// without that line.
#include "Fakes.h"
#include "LoopSupport.h"
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <unistd.h>

static int wakeUps;

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
     "Sources signalled one after another are performed in that order, even after more signals than a double can count. The defect: "
     "times were kept as doubles, which were equal after 104 days") {
    enum { count = 32 };
    CFRunLoopSourceRef sources[count];
    __block int next = 0;
    for (int i = 0; i < count; i++) {
        sources[i] = MakeSource0("", 0, ^{ CHECK_EQ_INT((i * 13 + 5) % count, next++); });
        CFRunLoopAddSource(LOOP, sources[i], A);
        CFRunLoopSourceSignal(sources[i]);
        sources[i]->_signalTurn = (1ULL << 60) + (uint64_t)((i * 13 + 5) % count); // a permutation
    }
    CFRunLoopRunInMode(A, 0, false);
    CHECK_EQ_INT(next, count);
}

// MARK: - Wake-ups while a Source0 performs

TEST(wake_up_in_a_source_reaches_a_run_nested_in_a_block_of_the_same_pass,
     "A source's callback wakes the loop and queues a block, which runs another mode: as in all versions of the original, the wake-up "
     "ends the first sleep of the nested run") {
    __block int sleeps = 0;
    KeepAlive(LOOP, B);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopAfterWaiting, ^(CFRunLoopActivity activity) {
        if (++sleeps == 1) CFRunLoopStop(LOOP);
    }), B);
    CFRunLoopSourceRef source = MakeSource0("source", 0, ^{
        CFRunLoopPerformBlock(LOOP, A, ^{ Run(B, 30, false); });
        CFRunLoopWakeUp(LOOP);
    });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    Run(A, 0.01, false);
    CHECK_EQ_INT(sleeps, 1);
    CHECK_LOG("source\nStopped\nTimedOut");
}

TEST(wake_up_in_a_source_reaches_a_run_nested_in_its_callback,
     "A source's callback wakes the loop and then runs another mode: as in all versions of the original, the wake-up ends the first "
     "sleep of the nested run") {
    __block int sleeps = 0;
    KeepAlive(LOOP, B);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopAfterWaiting, ^(CFRunLoopActivity activity) {
        if (++sleeps == 1) CFRunLoopStop(LOOP);
    }), B);
    CFRunLoopSourceRef source = MakeSource0("source", 0, ^{
        CFRunLoopWakeUp(LOOP);
        Run(B, 30, false);
        CFRunLoopWakeUp(LOOP);
    });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    Run(A, 0.01, false);
    CHECK_EQ_INT(sleeps, 1);
    CHECK_LOG("source\nStopped\nTimedOut");
}

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

TEST(D36_a_wake_up_that_a_look_in_another_mode_received_is_not_lost,
     "A source of the outer run's mode is signalled and the loop woken before a nested, non-blocking run in another mode: the source is "
     "performed. The defect: the outer run slept on although the source was signalled") {
    KeepAlive(LOOP, B);
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    beforeFirstSleep(^{
        SignalAndWake(source, LOOP);
        Run(B, 0, false);
    });
    Run(A, 30, true);
    CHECK_LOG("TimedOut\nperformed\nHandledSource");
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

TEST(D36_a_nested_run_that_took_no_wake_up_sends_none, "A nested run that was not woken does not wake the run around it when it ends") {
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CountWakeUps(A, &wakeUps);
    beforeFirstSleep(^{
        Run(B, 0, false);
        Run(B, 0.001, false);
        struct pollfd look = {.fd = LOOP->_wakeUpPort, .events = POLLIN};
        CHECK_EQ_INT(poll(&look, 1, 0), 0);
    });
    Run(A, 0.01, false);
    CHECK_EQ_INT(wakeUps, 1);
    CHECK_LOG("TimedOut\nTimedOut\nTimedOut");
}
