/// PortTests.c: a client's number never refers to one of the loop's own ports.
///
/// A descriptor's number is free as soon as the descriptor is closed, and the next file gets it. So if a client closes the descriptor of a
/// version 1 source too early, the loop may have a source whose number is now that of its own wake-up port, of an embedded mode's timerfd,
/// or of the main dispatch queue's port.

#include "Fakes.h"
#include "Faults.h"
#include "LoopSupport.h"
#include "../../Sources/CRunLoop/Kernel/CFPortSet_Internal.h"

#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CFPortSupport.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

extern int _dispatch_get_main_queue_port_4CF(void);

static FaultPlan plan;

/// Counts the waits from here on. With more than `most` of them the process ends.
static void LimitWaits(int most) {
    plan = (FaultPlan){.kinds = ALL_WAITS, .mostCalls = most};
    Faults = &plan;
    FaultsOn();
}

/// Adds a repeating timer that stops the loop at its tenth tick.
static CFRunLoopTimerRef AddTenTicks(CFStringRef mode) {
    static int ticks;
    ticks = 0;
    CFRunLoopTimerRef timer = MakeTimer("tick", 0.001, 0.001, ^{
        if (++ticks == 10) CFRunLoopStop(LOOP);
    });
    CFRunLoopAddTimer(LOOP, timer, mode);
    return timer;
}

#define TEN_TICKS "tick\ntick\ntick\ntick\ntick\ntick\ntick\ntick\ntick\ntick\n"

static int timerDescriptor(void) { return ModeNamed(LOOP, A)->_portSet->timerDescriptor; }

/// Closes the port of a source in mode A, which is embedded, and makes the mode create its timerfd, which gets the number.
static void GiveNumberToTimerPort(int port) {
    CHECK_GE(CFRunLoopGetDescriptor(LOOP, A), 0);
    close(port);
    CFRunLoopAddTimer(LOOP, MakeTimer("far", 1000, 0, NULL), A);
    CFRunLoopRunInMode(A, 0, false);
    CHECK_EQ_INT(timerDescriptor(), port);
}

// The defect: epoll_ctl was called to remove the source's descriptor, by its number, and removed the timer port. From then on the loop
// slept although timers were due.
TEST(ports_timers_outlive_a_source_whose_number_the_timer_port_has,
     "A source's descriptor is closed, its number goes to the embedded mode's timerfd, and then the source is invalidated: the timers "
     "still fire") {
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef source = MakeSource1("source", port, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    Run(A, 0, false);
    GiveNumberToTimerPort(port);
    CFRunLoopSourceInvalidate(source);
    AddTenTicks(A);
    Run(A, 5 * TimeScale(), false);
    CHECK_LOG("TimedOut\n" TEN_TICKS "Stopped");
}

static void runWithStaleEvent(bool sourceStays) {
    LOG_EVENT_CLEAR();
    OnNewThread(^{
        int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), duplicate = fcntl(port, F_DUPFD_CLOEXEC, 100);
        CFRunLoopSourceRef source = MakeSource1("source", port, NULL);
        CFRunLoopAddSource(LOOP, source, A);
        KeepAlive(LOOP, A);
        Run(A, 0, false);
        GiveNumberToTimerPort(port);
        if (!sourceStays) CFRunLoopSourceInvalidate(source);
        eventfd_write(duplicate, 1); // the set reports the old file, under what is now the timer port's number
        StderrCapture();
        LimitWaits(10);
        Run(A, 0.05, false);
        FaultsOff();
        AddTenTicks(A);
        Run(A, 5 * TimeScale(), false);
        free(StderrEndCapture()); // when the loop renews the set, it may print that the source's port was closed
        close(duplicate);
        CFRunLoopSourceInvalidate(source);
    });
    CHECK_LOG("TimedOut\nTimedOut\n" TEN_TICKS "Stopped");
}

TEST(ports_a_file_that_a_duplicate_keeps_open_is_not_the_timer_port,
     "A duplicate keeps a source's closed file open, and the file becomes ready while its number is the timer port's: the loop does not "
     "look for due timers, sleeps instead of spinning, and fires its timers when they are due") {
    ChecksLoops = false; // the kernel's set has one descriptor more than the checker expects
    runWithStaleEvent(false);
    runWithStaleEvent(true);
}

TEST(ports_the_main_queue_outlives_a_source_whose_number_its_port_has,
     "The main dispatch queue's port gets the number of a source's closed descriptor, and the source is invalidated: the queue's blocks "
     "still run") {
    CFRunLoopRef loop = LOOP;
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef source = MakeSource1("source", port, NULL);
    CFRunLoopAddSource(loop, source, DEFAULT);
    StderrCapture();
    close(port);
    Run(DEFAULT, 0, false);
    free(StderrEndCapture());
    CHECK(ModeNamed(loop, DEFAULT)->_portSet->mainQueuePort != CFPORT_NULL);
    CHECK_EQ_INT(_dispatch_get_main_queue_port_4CF(), port);
    CFRunLoopSourceInvalidate(source);
    pthread_t thread = StartThread(^{
        WaitUntilAsleep(loop);
        dispatch_async(&_dispatch_main_q, ^{
            LOG("main queue");
            CFRunLoopStop(loop);
        });
    });
    Run(DEFAULT, 5 * TimeScale(), false);
    JoinThread(thread);
    CHECK_LOG("TimedOut\nmain queue\nStopped");
}

/// Runs the current loop with a source in mode A whose getPort returns one of the loop's own ports, then removes the source and runs the
/// loop again.
static void runWithClaimOn(int ownPort) {
    CFRunLoopRef loop = LOOP;
    CFRunLoopSourceRef source = MakeSource1("source", ownPort, NULL), hand = MakeSource0("hand", 0, NULL);
    CFRunLoopAddSource(loop, hand, A);
    StderrCapture();
    CFRunLoopAddSource(loop, source, A);
    pthread_t thread = StartThread(^{
        WaitUntilAsleep(loop);
        SignalAndWake(hand, loop);
    });
    Run(A, 5 * TimeScale(), true);
    JoinThread(thread);
    CFRunLoopSourceInvalidate(source);
    char *text = StderrEndCapture();
    CHECK_EQ_INT(Occurrences(text, "The number is that of one of the run loop's own descriptors"), 1);
    free(text);
    thread = StartThread(^{
        WaitUntilAsleep(loop);
        CFRunLoopStop(loop);
    });
    Run(A, 5 * TimeScale(), false);
    JoinThread(thread);
    AddTenTicks(A);
    Run(A, 5 * TimeScale(), false);
    CHECK_LOG("hand\nHandledSource\nStopped\n" TEN_TICKS "Stopped");
    LOG_EVENT_CLEAR();
}

// The defect: epoll reported that the number was in the set already, which counted as success. Removing the source removed the wake-up
// port, and the loop no longer reacted to CFRunLoopWakeUp and CFRunLoopStop.
TEST(ports_a_source_that_names_an_own_port_is_refused,
     "If getPort returns the loop's wake-up port or an embedded mode's timerfd, a line on stderr says so and the source is not "
     "performed; after the source is removed, wake-ups, stops and timers work as before") {
    (void)LOOP; // the first loop also creates the main loop
    OnNewThread(^{
        int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        close(port);
        CHECK_EQ_INT(LOOP->_wakeUpPort, port);
        runWithClaimOn(port);
    });
    OnNewThread(^{
        CFRunLoopAddTimer(LOOP, MakeTimer("far", 1000, 0, NULL), A);
        CFRunLoopGetDescriptor(LOOP, A);
        runWithClaimOn(timerDescriptor());
    });
}

TEST(ports_an_invalidated_source_takes_its_port_out_of_all_its_modes,
     "A source in two modes is invalidated: neither mode keeps its port or a pointer to the source, which may be deallocated") {
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef source = MakeSource1("source", port, NULL);
    CFStringRef modes[] = {A, B};
    for (int i = 0; i < 2; i++) {
        KeepAlive(LOOP, modes[i]);
        CFRunLoopAddSource(LOOP, source, modes[i]);
        CFRunLoopRunInMode(modes[i], 0, false);
    }
    CFRunLoopSourceInvalidate(source);
    CFRelease(source);
    LOG_EVENT_CLEAR();
    for (int i = 0; i < 2; i++) {
        LimitWaits(5);
        Run(modes[i], 0.01, false);
        FaultsOff();
        CHECK_EQ_INT(CFDictionaryGetCount(ModeNamed(LOOP, modes[i])->_portToV1SourceMap), 0);
    }
    CHECK_LOG("TimedOut\nTimedOut");
}

TEST(ports_a_new_source_is_not_performed_for_an_old_file,
     "A new source has a number whose earlier file, closed while its own source was in the mode, is ready and kept open by a duplicate: "
     "the new source is not performed for that file, and the loop sleeps") {
    ChecksLoops = false; // the set contains the old file
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), duplicate = fcntl(port, F_DUPFD_CLOEXEC, 100);
    CFRunLoopSourceRef old = MakeSource1("old", port, NULL);
    CFRunLoopAddSource(LOOP, old, A);
    Run(A, 0, false);
    close(port);
    CFRunLoopSourceInvalidate(old);
    CHECK_EQ_INT(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), port);
    CFRunLoopAddSource(LOOP, MakeSource1("new", port, ^{ eventfd_read(port, &(eventfd_t){0}); }), A);
    eventfd_write(duplicate, 1);
    LimitWaits(5);
    Run(A, 0.02, false);
    FaultsOff();
    eventfd_write(port, 1);
    Run(A, 5 * TimeScale(), true);
    CHECK_LOG("TimedOut\nTimedOut\nnew\nHandledSource");
}

// MARK: - What a source waits for

TEST(ports_a_source_waits_for_what_it_is_asked_to,
     "A version 1 source that watches for room to write is performed for that, in each of its modes; one that watches nothing is not "
     "performed") {
    int ends[2];
    CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    CFRunLoopSourceRef source = MakeSource1("source", ends[0], NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, B);
    Run(A, 0, false);
    CFRunLoopSourceSetWatchEvents(source, kCFWatchWritable);
    Run(A, 0, true);
    Run(B, 0, true); // this creates the port set of B
    CFRunLoopSourceSetWatchEvents(source, 0);
    close(ends[1]); // the hang-up is not reported, either
    Run(A, 0, true);
    Run(B, 0, true);
    CFRunLoopSourceSetWatchEvents(source, kCFWatchHangUp);
    Run(B, 0, true);
    CFRunLoopSourceInvalidate(source);
    CFRunLoopSourceSetWatchEvents(source, kCFWatchReadable); // the source is in no mode
    CHECK_LOG("TimedOut\nsource\nHandledSource\nsource\nHandledSource\nTimedOut\nTimedOut\nsource\nHandledSource");
    close(ends[0]);
}

// A port that one wait has reported is checked again before the loop gets it, for the events that it was reported for: a port that is only
// writable must not count as not ready.
TEST(ports_what_is_reported_together_is_handed_out_for_its_events,
     "Ports that one wait has reported as writable are all served, except one that no longer watches for that") {
    int ends[3][2];
    static CFRunLoopSourceRef sources[3];
    const char *names[] = {"one", "two", "three"};
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]), 0);
        sources[i] = MakeSource1(names[i], ends[i][0], ^{
            CFRunLoopSourceSetWatchEvents(sources[i], 0);
            CFRunLoopSourceSetWatchEvents(sources[2], 0);
        });
        CFRunLoopSourceSetWatchEvents(sources[i], kCFWatchWritable);
        CFRunLoopAddSource(LOOP, sources[i], A);
    }
    for (int i = 0; i < 3; i++) Run(A, 0, true);
    CHECK_LOG("one\nHandledSource\ntwo\nHandledSource\nTimedOut");
}

// MARK: - What step 5 has learned about the other ports

/// In the default mode the main thread checks the main queue's port in step 5, from the second pass on. In the second pass this calls
/// `beforeStep5` before that check, and `body` between the check and the sleep, and then stops the run.
static void aroundTheFirstLook(Body beforeStep5, Body body) {
    static int passes;
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
        if (++passes == 2) beforeStep5();
    }), DEFAULT);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {
        if (passes == 2) {
            passes = 3;
            body();
            CFRunLoopStop(LOOP);
        }
        CFRunLoopWakeUp(LOOP);
    }), DEFAULT);
}

// Step 5 checks all ports at once, so that a poll after it makes no second call. The defect: a poll nested in an observer of BeforeWaiting
// also relied on the outer run's check, although callbacks had run since.
TEST(ports_a_poll_nested_between_look_and_sleep_finds_what_has_become_ready,
     "A non-blocking run nested in an observer of BeforeWaiting on the main thread serves the source whose descriptor the observer has "
     "just made ready") {
    int port = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    CFRunLoopAddSource(LOOP, MakeSource1("port", port, ^{ eventfd_read(port, &(eventfd_t){0}); }), DEFAULT);
    aroundTheFirstLook(^{}, ^{
        eventfd_write(port, 1);
        Run(DEFAULT, 0, true);
    });
    Run(DEFAULT, 5, false);
    CHECK_LOG("port\nHandledSource\nStopped");
}

TEST(ports_a_poll_nested_between_look_and_sleep_checks_what_was_ready,
     "A non-blocking run nested in an observer of BeforeWaiting does not perform a source whose descriptor was ready in step 5, and "
     "which the observer has read since") {
    int port = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    CFRunLoopAddSource(LOOP, MakeSource1("port", port, NULL), DEFAULT);
    aroundTheFirstLook(^{ eventfd_write(port, 1); }, ^{
        eventfd_read(port, &(eventfd_t){0});
        Run(DEFAULT, 0, true);
    });
    Run(DEFAULT, 5, false);
    CHECK_LOG("TimedOut\nStopped");
}

/// A source on an eventfd that counts messages, and an observer of AfterWaiting that runs the mode once more. Runs the mode.
static void runInsideAfterWaiting(int messages) {
    int port = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE);
    CFRunLoopAddSource(LOOP, MakeSource1("port", port, ^{
        eventfd_t message;
        LOG(eventfd_read(port, &message) ? "  nothing to read" : "  a message");
    }), A);
    __block bool hasNested = false;
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopAfterWaiting, ^(CFRunLoopActivity activity) {
        if (hasNested) return;
        hasNested = true;
        Run(A, 0, true);
    }), A);
    eventfd_write(port, (eventfd_t)messages);
    Run(A, 0.05, false);
}

// On a Mac the wait takes the message. Here it stays in the port until the source reads it. The defect: the run that had waited for the
// message performed the source again, after a run nested in its observer had performed it.
TEST(ports_a_source_that_a_nested_run_has_served_is_not_performed_for_nothing,
     "A source whose port ends a wait, and which a run nested in an observer of AfterWaiting performs, is not performed again by the "
     "outer run unless the port is still ready") {
    runInsideAfterWaiting(1);
    CHECK_LOG("port\n  a message\nHandledSource\nTimedOut");
}

TEST(ports_a_source_that_a_nested_run_has_served_is_performed_for_what_is_left,
     "A source whose port ends a wait, and which a run nested in an observer of AfterWaiting performs, is performed again by the outer "
     "run if there is one message more") {
    runInsideAfterWaiting(2);
    CHECK_LOG("port\n  a message\nHandledSource\nport\n  a message\nTimedOut");
}

// The defect: one call reports at most 64 ports, and the main queue's port was not among them.
TEST(ports_the_main_queue_goes_first_however_many_ports_are_ready,
     "With 100 sources that are always ready, no further source is performed before a block for the main queue") {
    __block int performed = 0, performedSinceBlock = -1, most = 0;
    for (int i = 0; i < 100; i++) {
        CFRunLoopAddSource(LOOP, MakeSource1("", eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC), ^{
            if (performedSinceBlock < 0) {
                performedSinceBlock = 0;
                dispatch_async(&_dispatch_main_q, ^{ performedSinceBlock = -1; });
            } else if (++performedSinceBlock > most) {
                most = performedSinceBlock;
            }
            if (++performed == 300) CFRunLoopStop(LOOP);
        }), DEFAULT);
    }
    CHECK_EQ_INT(CFRunLoopRunInMode(DEFAULT, 10, false), kCFRunLoopRunStopped);
    CHECK_EQ_INT(most, 0);
}

// MARK: - A port that leaves during the wait

// The kernel always reports a hang-up. The defect: so the check whether the port was still ready succeeded, the wait ended, and the loop
// renewed its port set because it found no source for the port.
TEST(ports_a_port_removed_as_the_wait_ends_wakes_nobody,
     "A source whose pipe hangs up, and which is removed between the kernel's report and the end of the wait, does not end the wait") {
    static int ends[2];
    static CFRunLoopSourceRef source;
    CHECK_EQ_INT(pipe(ends), 0);
    source = MakeSource1("source", ends[0], NULL);
    CFRunLoopAddSource(LOOP, source, A);
    AddTimer("timer", 0.02, 0, A, ^{ CFRunLoopStop(LOOP); });
    LogWakeUps(A);
    close(ends[1]);
    AfterEpollWait = ^{ CFRunLoopRemoveSource(LOOP, source, A); };
    Run(A, 1.0e10, false);
    CHECK_LOG("woken\ntimer\nStopped");
}

// MARK: - Numbers that are no descriptor's

// The defect: the port set kept a table indexed by number, and enlarged it before it asked the kernel about the port.
TEST(ports_a_number_far_too_large_is_refused,
     "If getPort returns a number that no descriptor can have, a line on stderr says so, and the source can be removed again. The "
     "defect: the process ran out of memory") {
    int numbers[] = {1 << 30, INT_MAX};
    KeepAlive(LOOP, A);
    StderrCapture();
    for (int i = 0; i < 2; i++) {
        CFRunLoopSourceRef source = MakeSource1("source", numbers[i], NULL);
        CFRunLoopAddSource(LOOP, source, A);
        Run(A, 0, false);
        CFRunLoopRemoveSource(LOOP, source, A);
    }
    char *text = StderrEndCapture();
    CHECK_EQ_INT(Occurrences(text, "cannot be waited for"), 2);
    free(text);
    CHECK_LOG("TimedOut\nTimedOut");
}

// MARK: - The set's own descriptor

// The wait opens the kernel's part of the set without the mode's lock. The defect: a description read it meanwhile, which ThreadSanitizer
// reported.
TEST(ports_a_loop_is_described_while_it_first_sleeps,
     "Another thread describes loops while their threads fall asleep for the first time, without a data race that ThreadSanitizer would "
     "report") {
    for (int i = 0; i < 50; i++) {
        static _Atomic(CFRunLoopRef) made;
        static _Atomic(bool) hasSlept;
        made = NULL;
        hasSlept = false;
        pthread_t thread = StartThread(^{
            KeepAlive(LOOP, A);
            made = (CFRunLoopRef)CFRetain(LOOP);
            CFRunLoopRunInMode(A, 0.001, false);
            hasSlept = true;
        });
        while (!made) {}
        do CFRelease(CFCopyDescription(made));
        while (!hasSlept);
        CFRelease(made);
        JoinThread(thread);
    }
}
