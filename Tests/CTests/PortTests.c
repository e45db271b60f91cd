/// PortTests.c: a client's number never refers to one of the loop's own ports.
///
/// A descriptor's number is free as soon as the descriptor is closed, and the next file gets it. So if a client closes the descriptor of a
/// version 1 source too early, the loop may have a source whose number is now that of its own wake-up port, of an embedded mode's timerfd,
/// or of the main dispatch queue's port.

#include "Fakes.h"
#include "Faults.h"
#include "LoopSupport.h"
#include "../../Sources/CRunLoop/Kernel/CFPortSet_Internal.h"
#include "Checker.h"
#include <CoreFoundation/CFPortSupport.h>
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

extern int _dispatch_get_main_queue_port_4CF(void);

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
        CountCalls(ALL_WAITS, 10);
        Run(A, 0.05, false);
        FaultsOff();
        AddTenTicks(A);
        Run(A, 5 * TimeScale(), false);
        StderrEndCapture(); // when the loop renews the set, it may print that the source's port was closed
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
    StderrEndCapture();
    CHECK(ModeNamed(loop, DEFAULT)->_portSet->mainQueuePort != CFPORT_NULL);
    CHECK_EQ_INT(_dispatch_get_main_queue_port_4CF(), port);
    CFRunLoopSourceInvalidate(source);
    RunAndWhenAsleep(DEFAULT, 5 * TimeScale(), false, ^{
        dispatch_async(&_dispatch_main_q, ^{
            LOG("main queue");
            CFRunLoopStop(loop);
        });
    });
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
    RunAndWhenAsleep(A, 5 * TimeScale(), true, ^{ SignalAndWake(hand, loop); });
    CFRunLoopSourceInvalidate(source);
    CHECK_EQ_INT(Occurrences(StderrEndCapture(), "The number is that of one of the run loop's own descriptors"), 1);
    RunAndWhenAsleep(A, 5 * TimeScale(), false, ^{ CFRunLoopStop(loop); });
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
    CFRunLoopAddSource(LOOP, MakeEventSource("new", port), A);
    eventfd_write(duplicate, 1);
    CountCalls(ALL_WAITS, 5);
    Run(A, 0.02, false);
    FaultsOff();
    eventfd_write(port, 1);
    Run(A, 5 * TimeScale(), true);
    CHECK_LOG("TimedOut\nTimedOut\nnew\nHandledSource");
}

// The defect: the number that the wait had returned was looked up after the locks were taken again, and found the new source.
TEST(ports_a_source_added_as_the_wait_ends_is_not_performed_for_another_file,
     "A wait ends for a ready source. Before the loop looks for it, its descriptor is closed and another file gets the number, and a source: "
     "that one is not performed until its own file is ready") {
    KeepAlive(LOOP, A);
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef old = MakeSource1("old", port, NULL);
    CFRunLoopAddSource(LOOP, old, A);
    __block bool reused = false;
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopAfterWaiting, ^(CFRunLoopActivity activity) {
        if (reused) return;
        reused = true;
        CFRunLoopRef loop = LOOP;
        OnNewThread(^{
            CFRunLoopRemoveSource(loop, old, A);
            close(port);
            CHECK_EQ_INT(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), port);
            CFRunLoopAddSource(loop, MakeEventSource("new", port), A);
        });
    }), A);
    Run(A, 0.02, true);
    CHECK(reused);
    eventfd_write(port, 1);
    Run(A, 5 * TimeScale(), true);
    CHECK_LOG("TimedOut\nnew\nHandledSource");
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

// MARK: - Many ready ports

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
    CHECK_EQ_INT(Occurrences(StderrEndCapture(), "cannot be waited for"), 2);
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

TEST(ports_a_source_joins_a_mode_that_first_sleeps,
     "Another thread adds a version 1 source, which opens the kernel's part of the set, while the mode's first wait looks for it, without a "
     "data race that ThreadSanitizer would report") {
    for (int i = 0; i < 50; i++) {
        static _Atomic(CFRunLoopRef) made;
        made = NULL;
        int port = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
        pthread_t thread = StartThread(^{
            KeepAlive(LOOP, A);
            made = LOOP;
            CFRunLoopRunInMode(A, 5 * TimeScale(), true);
        });
        while (!made) {}
        CFRunLoopAddSource(made, MakeEventSource("source", port), A);
        JoinThread(thread);
        CHECK_LOG("source");
        LOG_EVENT_CLEAR();
        close(port);
    }
}

// MARK: - D9: a blocking descriptor in two loops

static int blockingEvents;

TEST(D9_a_blocking_descriptor_may_be_in_two_loops,
     "Two loops wait for a blocking eventfd, and their sources take all of 2,000 events. The defect: the loops read the eventfd "
     "themselves, and the slower one never returned from read") {
    static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
    static _Atomic(int) taken;
    blockingEvents = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    Body takeOne = ^{ // both loops may report the event; the source takes it once, and the loop must not read it
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
    for (int i = 0; i < 2; i++) OnLoop(threads[i]->loop, A, ^{ LOG_EVENT_CLEAR(); }); // both loops still run
    for (int i = 0; i < 2; i++) EndLoopThread(threads[i]);
}

// MARK: - D17, D18: the source reads what arrives at a port

/// Reads at most `size` bytes and logs them.
static ssize_t receiveAndLog(int descriptor, size_t size) {
    char bytes[100];
    ssize_t count = read(descriptor, bytes, size);
    LOG("%.*s", (int)count, bytes);
    return count;
}

TEST(D17_no_datagram_is_lost, "Three datagrams all arrive whole. The defect: the one that woke the loop was lost") {
    static int ends[2];
    CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
    __block int left = 3;
    CFRunLoopAddSource(LOOP, MakeSource1("ready", ends[0], ^{
        receiveAndLog(ends[0], 100);
        if (--left == 0) CFRunLoopStop(LOOP);
    }), A);
    const char *messages[] = {"one", "two hundred", "three"};
    for (int i = 0; i < 3; i++) CHECK_GE(send(ends[1], messages[i], strlen(messages[i]), 0), 1);
    Run(A, 5, false);
    CHECK_LOG("ready\none\nready\ntwo hundred\nready\nthree\nStopped");
}

TEST(D18_what_a_source_leaves_unread_wakes_again,
     "A source that reads one byte at a time is called forty times for forty bytes. The defect: the bytes left after a wake-up were "
     "never reported again") {
    static int ends[2];
    CHECK_EQ_INT(pipe(ends), 0);
    __block int got = 0;
    CFRunLoopAddSource(LOOP, MakeSource1("", ends[0], ^{
        char byte;
        if (read(ends[0], &byte, 1) == 1 && ++got == 40) CFRunLoopStop(LOOP);
    }), A);
    char bytes[40] = "";
    CHECK_EQ_INT(write(ends[1], bytes, 40), 40);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 5, false), kCFRunLoopRunStopped);
    CHECK_EQ_INT(got, 40);
}

// MARK: - D19: descriptors that two sources have, one after the other or both at once

/// A source on a descriptor that is closed while the source is in the mode. The next file gets the same number, and its own source. Which
/// of the two sources is removed first?
static void reuseDescriptor(bool oldGoesFirst) {
    int port = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    CFRunLoopSourceRef old = MakeSource1("old", port, NULL);
    CFRunLoopAddSource(LOOP, old, A);
    Run(A, 0, false);
    close(port);
    int reused = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    CHECK_EQ_INT(reused, port);
    CFRunLoopSourceRef new = MakeSource1("new", port, NULL);
    if (oldGoesFirst) CFRunLoopSourceInvalidate(old);
    CFRunLoopAddSource(LOOP, new, A);
    if (!oldGoesFirst) CFRunLoopSourceInvalidate(old);
    Run(A, 0, false);
    CFRunLoopSourceInvalidate(new);
    CHECK_LOG("TimedOut\nnew\nTimedOut");
    LOG_EVENT_CLEAR();
    close(port);
}

TEST(D19_a_source_takes_over_a_descriptor_that_is_another_file_now,
     "Two sources have one port, and its number becomes another file. When the one that performs leaves, the loop waits for the new file on behalf of the other") {
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef stays = MakeSource1("stays", port, NULL), leaves = MakeSource1("leaves", port, NULL);
    CFRunLoopAddSource(LOOP, stays, A);
    CFRunLoopAddSource(LOOP, leaves, A);
    CHECK_EQ_INT(dup2(eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), port), port);
    CFRunLoopRemoveSource(LOOP, leaves, A);
    Run(A, 0, false);
    CHECK_LOG("stays\nTimedOut");
}

/// A set of its own, with a wake-up port.
static __CFPortSet newSet(void) {
    static _Atomic(Boolean) sent;
    return __CFPortSetAllocate(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), &sent);
}

static void reuseBeforeLocks(bool isRemoved) {
    __CFPortSet set = newSet();
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
    AfterEpollWait = ^{
        if (isRemoved) __CFPortSetRemove(port, set);
        CHECK_EQ_INT(dup2(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), port), port);
        CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
    };
    CHECK_EQ_INT(__CFPortSetWait(set, 0), CFPORT_NULL);
    CHECK(!AfterEpollWait);
    eventfd_write(port, 1);
    CHECK_EQ_INT(__CFPortSetWait(set, UINT64_MAX), port);
    __CFPortSetFree(set);
}

TEST(D19_a_descriptor_reused_before_the_locks_are_taken_again_is_not_mistaken,
     "Between the end of a wait and the locking of the mode, another thread closes a ready port, removed or not, and adds another file with "
     "the same number. That file is not reported, because it is not ready; when it is ready, it is reported") {
    reuseBeforeLocks(true);
    reuseBeforeLocks(false);
}

TEST(ports_only_a_wait_with_a_limit_needs_the_newer_call, "A wait without a limit and a poll call epoll_wait, the cheaper call, and a wait with a limit calls epoll_pwait2") {
    __CFPortSet set = newSet();
    CHECK_EQ_INT(__CFPortSetWait(set, mach_absolute_time() + 1000000), CFPORT_NULL); // a wait in which nothing comes has not failed
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
    uint64_t limits[] = {UINT64_MAX, 0, mach_absolute_time() + 3600 * NSEC_PER_SEC};
    FaultKind kinds[] = {Fault_epoll_wait, Fault_epoll_wait, Fault_epoll_pwait2};
    for (int i = 0; i < 3; i++) {
        CountCalls(ALL_WAITS, 0);
        CHECK_EQ_INT(__CFPortSetWait(set, limits[i]), port);
        FaultsOff();
        CHECK_EQ_INT(Faults->calls, 1);
        CHECK_EQ_STR(FaultNames[Faults->kindOf[1]], FaultNames[kinds[i]]);
    }
    __CFPortSetFree(set);
}

TEST(D4_a_message_keeps_errno, "Sending a message leaves errno as it was, although a signal interrupts the call or the port is full") {
    int port = __CFPortAllocate(), errors[] = {EINTR, EAGAIN};
    for (int i = 0; i < 2; i++) {
        FailNext(FAULT(write), 1, errors[i]);
        errno = ENOTTY;
        __CFSendTrivialMachMessage(port);
        CHECK_EQ_INT(errno, ENOTTY);
        CHECK_EQ_INT(Faults->failed, 1);
        FaultsOff();
    }
    CHECK(__CFPortReceive(port)); // after the interruption the message was sent
    CHECK(!__CFPortReceive(port));
    __CFPortFree(port);
}

TEST(D19_the_numbers_of_insertions_begin_again,
     "After 4,294,967,295 insertions a port gets a number of a client's port, not that of the loop's own, and is reported") {
    __CFPortSet set = newSet();
    set->insertions = UINT32_MAX - 2;
    for (int i = 0; i < 5; i++) {
        int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
        CHECK_EQ_INT(__CFPortSetWait(set, UINT64_MAX), port);
        __CFPortSetRemove(port, set);
        close(port);
    }
    CHECK_EQ_INT(set->insertions, 3);
    __CFPortSetFree(set);
}

TEST(D16_a_limit_ends_a_wait_although_the_kernel_reports,
     "A wait with a limit ends then, also if the kernel reports again and again what is no port's message. The defect: the limit was looked "
     "at only when nothing was reported") {
    __CFPortSet set = newSet();
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
    __block int reports = 0;
    __block void (^forget)(void) = ^{ // the set forgets the port, and says that it has changed, so the report is passed over
        reports++;
        CFDictionaryRemoveAllValues(set->clients);
        atomic_fetch_add(&set->changes, 1);
        AfterEpollWait = forget;
    };
    AfterEpollWait = forget;
    CHECK_EQ_INT(__CFPortSetWait(set, mach_absolute_time() + 10000000), CFPORT_NULL);
    AfterEpollWait = NULL;
    CHECK_GE(reports, 2);
    __CFPortSetFree(set);
    close(port);
}

static void allowDescriptors(rlim_t count) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= count) return;
    limit.rlim_cur = count;
    if (setrlimit(RLIMIT_NOFILE, &limit)) SKIP("no more descriptors are allowed here");
}

static int compareInts(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

TEST(ports_of_a_large_set_are_all_found,
     "Of 1,000 ports of a set, every third is removed, and the set is renewed once; the waits report each of the other ports exactly "
     "once") {
    enum { count = 1000 };
    __CFPortSet set = newSet();
    static int ports[count], expected[count], found[count];
    allowDescriptors(count + 100);
    for (int i = 0; i < count; i++) {
        ports[i] = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        CHECK_EQ_INT(__CFPortSetInsert(ports[i], kCFWatchReadable, set), 0);
    }
    for (int round = 0; round < 2; round++) {
        int left = 0, reported = 0;
        for (int i = 0; i < count; i++) {
            if (i % 3 == 0) __CFPortSetRemove(ports[i], set);
            else expected[left++] = ports[i];
        }
        for (int port; reported < left; found[reported++] = port) {
            CHECK((port = __CFPortSetWait(set, 0)) >= 0);
            CHECK(__CFPortReceive(port));
        }
        CHECK_EQ_INT(__CFPortSetWait(set, 0), CFPORT_NULL);
        qsort(found, (size_t)left, sizeof(int), compareInts);
        qsort(expected, (size_t)left, sizeof(int), compareInts);
        for (int i = 0; i < left; i++) CHECK_EQ_INT(found[i], expected[i]);
        CHECK_EQ_INT(set->foreignCount, left);
        __CFPortSetRenew(set);
        CHECK_EQ_INT(set->foreignCount, 0); // so a poll makes no system call
        CHECK_EQ_INT(__CFPortSetWait(set, 0), CFPORT_NULL);
        for (int i = 0; i < count; i++) {
            eventfd_write(ports[i], 1);
            CHECK_EQ_INT(__CFPortSetInsert(ports[i], kCFWatchReadable, set), 0);
        }
    }
    __CFPortSetFree(set);
}

#if defined(__GLIBC__) // mallinfo2

// The defect: the set had a table indexed by number, and each of 10,000 loops in a process took up to 80 KB.
TEST(ports_numbers_do_not_decide_how_much_memory_a_set_takes,
     "A set with one port takes no more memory for a descriptor with a large number than for one with a small number") {
    allowDescriptors(4000);
    size_t taken[2];
    for (int i = 0; i < 2; i++) {
        int port = fcntl(eventfd(1, EFD_CLOEXEC), F_DUPFD_CLOEXEC, i ? 3900 : 20);
        CHECK_GE(port, 0);
        size_t before = mallinfo2().uordblks;
        __CFPortSet set = newSet();
        CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
        taken[i] = mallinfo2().uordblks - before;
        __CFPortSetFree(set);
    }
    CHECK_LE(taken[1], 2 * taken[0]); // the allocator may round differently
}

/// Runs in a mode with the name "mode " and the number, and waits there once.
static void waitInNewMode(int number) {
    char name[] = "mode 00";
    name[5] += (char)(number / 10);
    name[6] += (char)(number % 10);
    CFStringRef mode = CFStringCreateWithCString(NULL, name, kCFStringEncodingASCII);
    CFRunLoopPerformBlock(LOOP, mode, ^{ CFRunLoopStop(LOOP); });
    CHECK_EQ_INT(CFRunLoopRunInMode(mode, 10, false), kCFRunLoopRunStopped);
    CFRelease(mode);
}

TEST(S4_a_mode_that_has_waited_takes_less_than_half_a_kilobyte,
     "A mode in which the loop has waited, and that has no port of a client, takes the memory of three objects: itself, its name, "
     "its port set. A table of ports, and room for their reports, come with the second port") {
    mallopt(M_ARENA_MAX, 1); // mallinfo2 counts only the main arena
    enum { modes = 97, waitedBefore = 3 };
    for (int i = 0; i < waitedBefore; i++) waitInNewMode(i);
    size_t before = mallinfo2().uordblks;
    for (int i = waitedBefore; i < modes; i++) waitInNewMode(i);
    // On x86-64 the objects take 368 bytes, and the set of modes grows by 65 a mode. Elsewhere a struct epoll_event is four bytes
    // larger. With a table of ports and its room for reports, a mode would take more than 600.
    CHECK_LE(mallinfo2().uordblks, before + (modes - waitedBefore) * 512);
    CheckLoop(LOOP);
}

#endif

TEST(D19_a_closed_and_reused_descriptor_is_heard,
     "A descriptor that is closed while its source is in the mode, and given to another file, is waited for again when a source is added "
     "on it. The defect: the loop still considered it to be in its port set") {
    reuseDescriptor(true);
    reuseDescriptor(false);
}

// MARK: - D20: descriptors that cannot be waited for

TEST(D20_a_port_that_cannot_be_waited_for_is_told_once,
     "If a regular file is a source's port, a line on stderr says so, the source is never performed, and the loop sleeps until its "
     "limit. The defect: there was no message") {
    char path[] = "/tmp/CTests-D20-XXXXXX";
    int file = mkstemp(path);
    unlink(path);
    LogWakeUps(A);
    StderrCapture();
    CFRunLoopAddSource(LOOP, MakeSource1("performed", file, NULL), A);
    Run(A, 0.02, false);
    Run(A, 0.02, false);
    const char *text = StderrEndCapture();
    CHECK_EQ_INT(Occurrences(text, "cannot be waited for"), 1);
    CHECK_EQ_INT(Occurrences(text, "\n"), 1);
    CHECK_LOG("woken\nTimedOut\nwoken\nTimedOut");
}
