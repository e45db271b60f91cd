/// SourceTests.c: sources of both versions (I1 to I3): their contexts, their order, who may signal, which descriptors may be waited for.
///
/// The loop's own ports, and how a run ends, are tested in other files. Here a source is created, added, signalled or made ready, and the
/// log shows the callbacks in order.
#include "Checker.h"
#include "LoopSupport.h"
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

// MARK: - Version 0: signalled and woken explicitly

TEST(I1_a_source_0_must_be_signalled, "A version 0 source is performed once for each signal, and not without one") {
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    Run(A, 0, false);
    CHECK_LOG("TimedOut");
    CFRunLoopSourceSignal(source);
    CFRunLoopSourceSignal(source);
    CHECK(CFRunLoopSourceIsSignalled(source));
    Run(A, 0, false);
    CHECK(!CFRunLoopSourceIsSignalled(source));
    Run(A, 0, false);
    CHECK_LOG("TimedOut\nperformed\nTimedOut\nTimedOut");
}

TEST(I1_a_signal_does_not_wake, "A Source0 signalled while the loop sleeps is performed only after a wake-up") {
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    LoopThread *thread = StartLoopThread(A, ^{ CFRunLoopAddSource(LOOP, source, A); });
    WaitUntilAsleep(thread->loop);
    CFRunLoopSourceSignal(source);
    CHECK(STAYS_FOR(CFRunLoopIsWaiting(thread->loop) && CFRunLoopSourceIsSignalled(source), 20));
    CHECK_LOG("");
    CFRunLoopWakeUp(thread->loop);
    CHECK(WAIT_UNTIL(!CFRunLoopSourceIsSignalled(source), 10));
    EndLoopThread(thread);
    CHECK_LOG("performed");
}

TEST(I1_performed_on_the_loops_thread, "A Source0 that another thread signals is performed on the thread of its loop") {
    __block pthread_t performer;
    CFRunLoopSourceRef source = MakeSource0("performed", 0, ^{ performer = pthread_self(); });
    LoopThread *thread = StartLoopThread(A, ^{ CFRunLoopAddSource(LOOP, source, A); });
    SignalAndWake(source, thread->loop);
    CHECK(WAIT_UNTIL(!CFRunLoopSourceIsSignalled(source), 10));
    pthread_t expected = thread->thread;
    EndLoopThread(thread);
    CHECK_LOG("performed");
    CHECK(pthread_equal(performer, expected));
}

TEST(I1_by_order_then_by_first_signal,
     "Source0s are performed in ascending order, and those of one order in the order of their first signals; a second signal changes "
     "nothing") {
    CFRunLoopSourceRef last = MakeSource0("last", LONG_MAX, NULL), first = MakeSource0("first", LONG_MIN, NULL);
    CFRunLoopSourceRef one = MakeSource0("one", 0, NULL), two = MakeSource0("two", 0, NULL), three = MakeSource0("three", 0, NULL);
    CFRunLoopSourceRef added[] = {three, last, two, first, one};
    for (int i = 0; i < 5; i++) CFRunLoopAddSource(LOOP, added[i], A);
    CFRunLoopSourceRef signalled[] = {last, one, two, three, one, first};
    for (int i = 0; i < 6; i++) CFRunLoopSourceSignal(signalled[i]);
    Run(A, 0, false);
    CHECK_LOG("first\none\ntwo\nthree\nlast\nTimedOut");
}

TEST(I1_one_source_at_a_time, "A run that returns after one source performs one source; the others stay signalled, in their order") {
    CFRunLoopSourceRef sources[] = {MakeSource0("one", 0, NULL), MakeSource0("two", 0, NULL), MakeSource0("three", 0, NULL)};
    for (int i = 0; i < 3; i++) CFRunLoopAddSource(LOOP, sources[i], A);
    for (int i = 0; i < 3; i++) CFRunLoopSourceSignal(sources[i]);
    for (int i = 0; i < 4; i++) Run(A, 0, true);
    CHECK_LOG("one\nHandledSource\ntwo\nHandledSource\nthree\nHandledSource\nTimedOut");
}

TEST(I1_signalled_before_it_is_added,
     "A source that is signalled before it is added, or while it is out of the mode, is performed once it is in the mode") {
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    KeepAlive(LOOP, A);
    CFRunLoopSourceSignal(source);
    CFRunLoopAddSource(LOOP, source, A);
    Run(A, 0, false);
    CFRunLoopSourceSignal(source);
    CFRunLoopRemoveSource(LOOP, source, A);
    Run(A, 0, false);
    CHECK(CFRunLoopSourceIsSignalled(source));
    CFRunLoopAddSource(LOOP, source, A);
    Run(A, 0, false);
    CHECK_LOG("performed\nTimedOut\nTimedOut\nperformed\nTimedOut");
}

TEST(I1_what_a_source_does_to_those_behind_it,
     "A source that an earlier one of the pass removes is still performed, one that it invalidates is not, and one that it adds waits "
     "for the next pass") {
    CFRunLoopSourceRef removed = MakeSource0("removed", 1, NULL), invalidated = MakeSource0("invalidated", 2, NULL);
    CFRunLoopSourceRef added = MakeSource0("added", 3, NULL);
    CFRunLoopSourceRef first = MakeSource0("first", 0, ^{
        CFRunLoopRemoveSource(LOOP, removed, A);
        CFRunLoopSourceInvalidate(invalidated);
        CFRunLoopAddSource(LOOP, added, A);
        CFRunLoopSourceSignal(added);
    });
    CFRunLoopSourceRef all[] = {first, removed, invalidated};
    for (int i = 0; i < 3; i++) CFRunLoopAddSource(LOOP, all[i], A);
    for (int i = 0; i < 3; i++) CFRunLoopSourceSignal(all[i]);
    Run(A, 0, false);
    CHECK_LOG("first\nremoved\nTimedOut");
    Run(A, 0, false);
    CHECK_LOG("first\nremoved\nTimedOut\nadded\nTimedOut");
}

TEST(I1_a_source_that_signals_itself,
     "A source that signals itself in its perform is performed again in the next pass, without a sleep in between") {
    __block int times = 0;
    __block CFRunLoopSourceRef source = NULL;
    source = MakeSource0("performed", 0, ^{
        if (++times < 3) CFRunLoopSourceSignal(source);
        else CFRunLoopStop(LOOP);
    });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddObserver(LOOP, MakeObserver(NULL, kCFRunLoopBeforeWaiting | kCFRunLoopBeforeTimers, 0, NULL), A);
    CFRunLoopSourceSignal(source);
    Run(A, 10, false);
    CHECK_LOG("BeforeTimers\nperformed\nBeforeTimers\nperformed\nBeforeTimers\nperformed\nStopped");
}

TEST(I1_invalid_sources_stay_silent, "An invalid source cannot be signalled, and its earlier signal is lost") {
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    KeepAlive(LOOP, A);
    CFRunLoopSourceSignal(source);
    CFRunLoopSourceInvalidate(source);
    CHECK(!CFRunLoopSourceIsSignalled(source));
    CFRunLoopSourceSignal(source);
    CHECK(!CFRunLoopSourceIsSignalled(source));
    CHECK(!CFRunLoopContainsSource(LOOP, source, A));
    CFRunLoopAddSource(LOOP, source, A);
    CHECK(!CFRunLoopContainsSource(LOOP, source, A));
    Run(A, 0, false);
    CHECK_LOG("TimedOut");
}

TEST(I1_in_several_modes, "A source in two modes is performed once per signal, in the mode that runs first") {
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, B);
    CFRunLoopSourceSignal(source);
    Run(B, 0, false);
    Run(A, 0, false);
    CFRunLoopSourceSignal(source);
    Run(A, 0, false);
    Run(B, 0, false);
    CFRunLoopRemoveSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    Run(A, 0, false);
    Run(B, 0, false);
    CHECK_LOG("performed\nTimedOut\nTimedOut\n"
              "performed\nTimedOut\nTimedOut\n"
              "Finished\nperformed\nTimedOut");
}

TEST(I1_in_several_loops,
     "A source in two loops is performed once per signal, by one of them, and stays valid when the thread of either ends") {
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    LoopThread *thread = StartLoopThread(A, ^{ CFRunLoopAddSource(LOOP, source, A); });
    WaitUntilAsleep(thread->loop);
    CFRunLoopSourceSignal(source); // the other loop does not wake
    Run(A, 0, false);
    CHECK_LOG("performed\nTimedOut");
    SignalAndWake(source, thread->loop);
    CHECK(WAIT_UNTIL(!CFRunLoopSourceIsSignalled(source), 10));
    EndLoopThread(thread);
    CHECK_LOG("performed\nTimedOut\nperformed");
    CHECK(CFRunLoopSourceIsValid(source));
    CFRunLoopSourceSignal(source);
    Run(A, 0, false);
    CHECK_LOG("performed\nTimedOut\nperformed\nperformed\nTimedOut");
}

static void countOne(void *count) { ++*(int *)count; }
static void setFlag(const void *flag) { *(bool *)flag = true; }

TEST(I1_moved_from_loop_to_loop,
     "A source signalled in one loop and moved to another before it is performed is performed there, and later signals reach the new "
     "loop") {
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    OnNewThread(^{
        CFRunLoopAddSource(LOOP, source, A);
        CFRunLoopSourceSignal(source);
        CFRunLoopRemoveSource(LOOP, source, A);
    });
    CFRunLoopAddSource(LOOP, source, A);
    Run(A, 0, false);
    CFRunLoopSourceSignal(source);
    Run(A, 0, false);
    CHECK_LOG("performed\nTimedOut\nperformed\nTimedOut");
}

TEST(I1_a_signal_retains_nothing,
     "A signal does not retain its source: when a signalled source has left its last mode and is released, it releases its info at once, "
     "and not when the loop next runs") {
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFIndex references = CFGetRetainCount(source);
    CFRunLoopSourceSignal(source);
    CHECK_EQ_INT(CFGetRetainCount(source), references);
    CFRunLoopRemoveSource(LOOP, source, A);
    CFRunLoopRemoveSource(LOOP, source, COMMON);
    CHECK_EQ_INT(CFGetRetainCount(source), 1);
    __block bool released = false;
    CFRunLoopSourceContext context = {.info = &released, .release = setFlag};
    CFRunLoopSourceRef other = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(LOOP, other, A);
    CFRunLoopSourceSignal(other);
    CFRunLoopRemoveSource(LOOP, other, A);
    CFRelease(other);
    CHECK(released);
    CFRelease(source);
}

TEST(I1_thousands_of_sources_in_one_loop,
     "Of 10,000 sources in one loop, exactly those that were signalled are performed, even after others have taken the places of removed "
     "ones") {
    enum { many = 10000 };
    static CFRunLoopSourceRef sources[many];
    static int counts[many];
    CFRunLoopSourceContext context = {.perform = countOne};
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < many; i++) {
            if (sources[i] && i % 7 != round) continue;
            if (sources[i]) CFRunLoopRemoveSource(LOOP, sources[i], A);
            if (sources[i]) CFRelease(sources[i]);
            context.info = &counts[i];
            sources[i] = CFRunLoopSourceCreate(NULL, 0, &context);
            CFRunLoopAddSource(LOOP, sources[i], A);
        }
        CheckLoop(LOOP);
        for (int i = round; i < many; i += 3) CFRunLoopSourceSignal(sources[i]);
        CFRunLoopRunInMode(A, 0, false);
        for (int i = 0; i < many; i++) CHECK_EQ_INT(counts[i], i % 3 <= round);
    }
    for (int i = 0; i < many; i++) {
        CFRunLoopSourceInvalidate(sources[i]);
        CFRelease(sources[i]);
    }
    CheckLoop(LOOP);
}

// MARK: - Signals from threads and from signal handlers

TEST(I1_no_signal_is_lost_between_threads, "Four threads send thousands of signals, each followed by a wake-up: each is performed") {
    enum { threads = 4, rounds = 2000 };
    CFRunLoopSourceContext context = {.info = NULL}; // no perform, because only the receipt of the signals matters
    LoopThread *thread = StartLoopThread(A, NULL);
    pthread_t signallers[threads];
    CFRunLoopSourceRef sources[threads];
    for (int i = 0; i < threads; i++) {
        context.info = &sources[i]; // so that no two sources are equal
        CFRunLoopSourceRef source = sources[i] = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(thread->loop, source, A);
        signallers[i] = StartThread(^{
            for (int round = 0; round < rounds; round++) {
                SignalAndWake(source, thread->loop);
                double end = SecondsNow() + 20 * TimeScale();
                while (CFRunLoopSourceIsSignalled(source)) {
                    if (SecondsNow() > end) FAIL("round %d: signalled and woken, and not performed", round);
                    sched_yield();
                }
            }
        });
    }
    for (int i = 0; i < threads; i++) JoinThread(signallers[i]);
    EndLoopThread(thread);
    for (int i = 0; i < threads; i++) CFRelease(sources[i]);
}

static CFRunLoopSourceRef handlersSource;
static CFRunLoopRef handlersLoop;
static _Atomic(int) handled;

static void signalFromHandler(int number) {
    atomic_fetch_add(&handled, 1);
    CFRunLoopSourceSignal(handlersSource);
    CFRunLoopWakeUp(handlersLoop);
}

TEST(I1_signalled_from_a_signal_handler,
     "A signal handler may signal a source and wake the loop, whatever lock the interrupted thread holds [D4]") {
    __block int performed = 0;
    handlersLoop = LOOP;
    handlersSource = MakeSource0("performed", 0, ^{
        LOG_EVENT_CLEAR();
        performed++;
        CFRunLoopStop(LOOP);
    });
    CFRunLoopAddSource(LOOP, handlersSource, A);
    signal(SIGALRM, signalFromHandler);
    struct itimerval often = {.it_interval = {.tv_usec = 200}, .it_value = {.tv_usec = 200}};
    setitimer(ITIMER_REAL, &often, NULL);
    while (performed < 300) { // between and during calls that take locks
        CFRunLoopRunInMode(A, 5 * TimeScale(), false);
        CFRunLoopRef own = LOOP;
        for (int i = 0; i < 20; i++) CFRelease(CFRunLoopCopyAllModes(own));
        CFRunLoopPerformBlock(own, A, ^{});
    }
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 0}}, NULL);
    CHECK_GE(atomic_load(&handled), performed);
}

// MARK: - Version 0: the context

TEST(I1_context_0_callbacks,
     "A version 0 context: retain at creation, schedule and cancel for each mode, release at the end, and no retain around perform") {
    CFRunLoopSourceRef source = MakeLoudSource0("X", NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, B);
    CHECK_LOG("retain X\nschedule X A\nschedule X B");
    LOG_EVENT_CLEAR();
    CFRunLoopSourceSignal(source);
    Run(A, 0, false);
    CHECK_LOG("perform X\nTimedOut");
    LOG_EVENT_CLEAR();
    CFRunLoopRemoveSource(LOOP, source, B);
    CFRunLoopRemoveSource(LOOP, source, B);
    CFRunLoopSourceInvalidate(source);
    CFRunLoopSourceInvalidate(source);
    CHECK_LOG("cancel X B\ncancel X A");
    CFRunLoopSourceContext context = {.version = 0};
    CFRunLoopSourceGetContext(source, &context);
    CHECK(context.info != NULL); // an invalid source keeps its info
    CFRelease(source);
    CHECK_LOG("cancel X B\ncancel X A\nrelease X");
}

TEST(I1_context_0_invalidated_and_released_in_perform,
     "A source invalidated and released in its own perform keeps its info until perform has returned") {
    __block CFRunLoopSourceRef source = NULL;
    source = MakeLoudSource0("X", ^{
        CFRunLoopSourceInvalidate(source);
        CFRelease(source);
        LOG("perform returns");
    });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    Run(A, 0, true);
    CHECK_LOG("retain X\nschedule X A\nperform X\ncancel X A\nperform returns\nrelease X\nHandledSource");
}

TEST(I1_context_0_at_the_end_of_the_thread, "When its loop's thread ends, a source is cancelled in each mode and stays valid") {
    CFRunLoopSourceRef source = MakeLoudSource0("X", NULL);
    OnNewThread(^{ CFRunLoopAddSource(LOOP, source, A); });
    CHECK_LOG("retain X\nschedule X A\ncancel X A");
    CHECK(CFRunLoopSourceIsValid(source));
    CFRunLoopAddSource(LOOP, source, B);
    CHECK(CFRunLoopContainsSource(LOOP, source, B));
    CFRunLoopSourceInvalidate(source);
    CFRelease(source);
    CHECK_LOG("retain X\nschedule X A\ncancel X A\nschedule X B\ncancel X B\nrelease X");
}

/// Uses the loop on another thread, and waits for that thread.
static void useOnAnotherThread(void *info, CFRunLoopRef rl, CFStringRef mode) {
    OnNewThread(^{
        CFRelease(CFRunLoopCopyAllModes(rl));
        CFRunLoopWakeUp(rl);
    });
    ++*(int *)info;
}

TEST(D10_schedule_and_cancel_hold_no_lock,
     "While schedule or cancel runs, another thread may use the loop, even for the common modes and during Invalidate") {
    int asked = 0;
    CFRunLoopSourceContext context = {.info = &asked, .schedule = useOnAnotherThread, .cancel = useOnAnotherThread};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopAddCommonMode(LOOP, B);
    CHECK_EQ_INT(asked, 3);
    CFRunLoopSourceInvalidate(source);
    CHECK_EQ_INT(asked, 6);
    CFRelease(source);
}

// MARK: - Version 1: the context

TEST(I2_context_1_callbacks,
     "A version 1 context: getPort is called once for each mode that the source is added to or leaves, and never during a run") {
    int descriptor = eventfd(1, EFD_NONBLOCK);
    CFRunLoopSourceContext1 context = LoudContext1("X", descriptor, NULL);
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, B);
    CHECK_LOG("retain X\ngetPort X\ngetPort X");
    LOG_EVENT_CLEAR();
    Run(A, 1, true);
    CHECK_LOG("perform X\nHandledSource");
    LOG_EVENT_CLEAR();
    CFRunLoopRemoveSource(LOOP, source, B);
    CFRunLoopSourceInvalidate(source);
    CFRelease(source);
    CHECK_LOG("getPort X\ngetPort X\nrelease X");
    close(descriptor);
}

TEST(I2_get_context_copies_what_was_asked_for,
     "GetContext fills in as much as the version in the caller's context needs, and nothing for an unknown version") {
    CFRunLoopSourceContext1 context1 = LoudContext1("X", -1, NULL);
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 7, (CFRunLoopSourceContext *)&context1);
    CFRunLoopSourceContext1 copy = {.version = 1};
    CFRunLoopSourceGetContext(source, (CFRunLoopSourceContext *)&copy);
    CHECK_EQ_INT(copy.version, 1);
    CHECK_EQ_PTR(copy.info, context1.info);
    CHECK_EQ_PTR((void *)copy.getPort, (void *)context1.getPort);
    CHECK_EQ_PTR((void *)copy.perform, (void *)context1.perform);
    CFRunLoopSourceContext untouched;
    memset(&untouched, 0x5A, sizeof(untouched));
    untouched.version = 2;
    CFRunLoopSourceGetContext(source, &untouched);
    CHECK_EQ_INT(untouched.version, 2);
    CHECK_EQ_INT((intptr_t)untouched.info, 0x5A5A5A5A5A5A5A5A);
    CHECK_EQ_INT(CFRunLoopSourceGetOrder(source), 7);
    CFRelease(source);
}

// MARK: - Version 1: any descriptor

/// Reads what there is, up to 15 bytes, and logs it as "got abc".
static void logBytes(int descriptor) {
    char bytes[16] = "";
    ssize_t count = read(descriptor, bytes, 15);
    LOG(count < 0 ? "failed" : "got %s", bytes);
}

/// Both ends of a channel. The loop waits for the first.
typedef struct Ends {
    int loops, ours;
} Ends;

static Ends makePipe(void) {
    int ends[2];
    CHECK_EQ_INT(pipe(ends), 0);
    return (Ends){ends[0], ends[1]};
}

static Ends makeSockets(int type) {
    int ends[2];
    CHECK_EQ_INT(socketpair(AF_UNIX, type, 0, ends), 0);
    return (Ends){ends[0], ends[1]};
}

/// Runs A until the source on `descriptor` has been performed once; the source's body reads.
static void runForOne(const char *name, int descriptor, Body body) {
    CFRunLoopAddSource(LOOP, MakeSource1(name, descriptor, body), A);
    Run(A, 0, true);
}

TEST(I2_on_an_eventfd, "An eventfd as port: the source is performed when it is written to; the loop does not read it [D17]") {
    int descriptor = eventfd(0, EFD_NONBLOCK);
    __block uint64_t count = 0;
    runForOne("event", descriptor, ^{ CHECK_EQ_INT(read(descriptor, &count, sizeof(count)), 8); });
    CHECK_LOG("TimedOut");
    CHECK_EQ_INT(write(descriptor, &(uint64_t){3}, 8), 8);
    Run(A, 5, true);
    Run(A, 0, true);
    CHECK_LOG("TimedOut\nevent\nHandledSource\nTimedOut");
    CHECK_EQ_INT((long long)count, 3);
}

TEST(I2_on_a_pipe, "A pipe as port: every byte arrives, and the hang-up at the end wakes the loop, too [D17]") {
    Ends ends = makePipe();
    runForOne("pipe", ends.loops, ^{ logBytes(ends.loops); });
    CHECK_EQ_INT(write(ends.ours, "abcdefghij", 10), 10);
    Run(A, 5, true);
    CHECK_EQ_INT(write(ends.ours, "k", 1), 1);
    Run(A, 5, true);
    close(ends.ours);
    Run(A, 5, true);
    CHECK_LOG("TimedOut\npipe\ngot abcdefghij\nHandledSource\npipe\ngot k\nHandledSource\npipe\ngot \nHandledSource");
}

TEST(I2_on_a_socket, "A socket as port: datagrams arrive whole and in order, one perform each [D17]") {
    Ends ends = makeSockets(SOCK_DGRAM);
    CHECK_EQ_INT(send(ends.ours, "first", 5, 0), 5);
    CHECK_EQ_INT(send(ends.ours, "second one", 10, 0), 10);
    runForOne("socket", ends.loops, ^{ logBytes(ends.loops); });
    Run(A, 5, true);
    Run(A, 0, true);
    CHECK_LOG("socket\ngot first\nHandledSource\nsocket\ngot second one\nHandledSource\nTimedOut");
}

TEST(I2_a_hung_up_socket, "When the other end of a stream is closed, the source is performed, and reads the end of the stream") {
    Ends ends = makeSockets(SOCK_STREAM);
    runForOne("socket", ends.loops, ^{ logBytes(ends.loops); });
    close(ends.ours);
    Run(A, 5, true);
    CHECK_LOG("TimedOut\nsocket\ngot \nHandledSource");
}

TEST(I2_on_a_signalfd, "A signalfd as port: a signal to the process becomes an event of the loop") {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int descriptor = signalfd(-1, &set, SFD_CLOEXEC);
    runForOne("signal", descriptor, ^{
        struct signalfd_siginfo info;
        CHECK_EQ_INT(read(descriptor, &info, sizeof(info)), (long long)sizeof(info));
        CHECK_EQ_INT(info.ssi_signo, SIGUSR1);
    });
    kill(getpid(), SIGUSR1);
    Run(A, 5, true);
    Run(A, 0, true);
    CHECK_LOG("TimedOut\nsignal\nHandledSource\nTimedOut");
}

TEST(I2_on_inotify, "An inotify descriptor as port: a file made in a watched directory becomes an event of the loop") {
    char directory[] = "/tmp/ctests-XXXXXX", path[64];
    CHECK(mkdtemp(directory) != NULL);
    int descriptor = inotify_init1(IN_CLOEXEC);
    CHECK_GE(inotify_add_watch(descriptor, directory, IN_CREATE), 0);
    runForOne("file", descriptor, ^{
        char buffer[4096] __attribute__((aligned(8)));
        CHECK_GE(read(descriptor, buffer, sizeof(buffer)), (long long)sizeof(struct inotify_event));
        LOG("made %s", ((struct inotify_event *)buffer)->name);
    });
    snprintf(path, sizeof(path), "%s/news", directory);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    Run(A, 5, true);
    unlink(path);
    rmdir(directory);
    CHECK_LOG("TimedOut\nfile\nmade news\nHandledSource");
}

TEST(I2_on_a_terminal, "A terminal as port: a typed line becomes an event of the loop") {
    int keyboard = posix_openpt(O_RDWR | O_NOCTTY);
    if (keyboard < 0 || grantpt(keyboard) || unlockpt(keyboard)) {
        printf("not tested: this system has no pseudo-terminals\n");
        return;
    }
    char name[128];
    CHECK_EQ_INT(ptsname_r(keyboard, name, sizeof(name)), 0);
    int terminal = open(name, O_RDWR | O_NOCTTY);
    CHECK_GE(terminal, 0);
    runForOne("terminal", terminal, ^{ logBytes(terminal); });
    CHECK_EQ_INT(write(keyboard, "typed", 5), 5); // not a whole line yet
    Run(A, 0, true);
    CHECK_EQ_INT(write(keyboard, "\n", 1), 1);
    Run(A, 5, true);
    CHECK_LOG("TimedOut\nTimedOut\nterminal\ngot typed\n\nHandledSource");
}

static void takeEvent(int descriptor, _Atomic(int) *count) {
    uint64_t ignored;
    CHECK_EQ_INT(read(descriptor, &ignored, sizeof(ignored)), 8);
    atomic_fetch_add(count, 1);
}

TEST(I2_wakes_the_loop_by_itself, "A descriptor that becomes ready wakes a sleeping loop, even one that was added while the loop slept") {
    int early = eventfd(0, EFD_NONBLOCK), late = eventfd(0, EFD_NONBLOCK);
    _Atomic(int) count = 0, *performed = &count;
    LoopThread *thread = StartLoopThread(A, ^{
        CFRunLoopAddSource(LOOP, MakeSource1("early", early, ^{ takeEvent(early, performed); }), A);
    });
    WaitUntilAsleep(thread->loop);
    CHECK_EQ_INT(write(early, &(uint64_t){1}, 8), 8);
    CHECK(WAIT_UNTIL(atomic_load(performed) == 1, 10));
    WaitUntilAsleep(thread->loop);
    CFRunLoopAddSource(thread->loop, MakeSource1("late", late, ^{ takeEvent(late, performed); }), A);
    CHECK_EQ_INT(write(late, &(uint64_t){1}, 8), 8);
    CHECK(WAIT_UNTIL(atomic_load(performed) == 2, 10));
    EndLoopThread(thread);
    CHECK_LOG("early\nlate");
}

TEST(D18_unread_data_performs_again, "A source that leaves data unread is performed again, until all of it is read") {
    Ends ends = makePipe();
    CHECK_EQ_INT(write(ends.ours, "abcd", 4), 4);
    CFRunLoopAddSource(LOOP, MakeSource1("byte", ends.loops, ^{
        char byte;
        CHECK_EQ_INT(read(ends.loops, &byte, 1), 1);
        LOG("%c", byte);
    }), A);
    for (int i = 0; i < 5; i++) Run(A, 0, true);
    CHECK_LOG("byte\na\nHandledSource\nbyte\nb\nHandledSource\nbyte\nc\nHandledSource\nbyte\nd\nHandledSource\nTimedOut");
}

TEST(D18_every_connection_is_accepted,
     "A listening socket with three waiting connections, of which each perform accepts one, is performed three times") {
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr address = {.sa_family = AF_UNIX}; // without a name; the kernel chooses one
    CHECK_EQ_INT(bind(listener, &address, sizeof(sa_family_t)), 0);
    CHECK_EQ_INT(listen(listener, 8), 0);
    struct { sa_family_t family; char path[108]; } name;
    socklen_t length = sizeof(name);
    CHECK_EQ_INT(getsockname(listener, (struct sockaddr *)&name, &length), 0);
    for (int i = 0; i < 3; i++) CHECK_EQ_INT(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, length), 0);
    __block int accepted = 0;
    CFRunLoopAddSource(LOOP, MakeSource1("connection", listener, ^{
        CHECK_GE(accept(listener, NULL, NULL), 0);
        if (++accepted == 3) CFRunLoopStop(LOOP);
    }), A);
    Run(A, 20, false);
    Run(A, 0.02, false);
    CHECK_LOG("connection\nconnection\nconnection\nStopped\nTimedOut");
}

TEST(I2_no_starvation, "Of 100 descriptors that are always ready, none is performed more than twice as often as another") {
    enum { count = 100 };
    static int performed[count];
    for (int i = 0; i < count; i++) {
        int descriptor = eventfd(1, EFD_NONBLOCK); // never read: always ready
        CFRunLoopAddSource(LOOP, MakeSource1("ready", descriptor, ^{ performed[i]++; }), A);
    }
    __block int passes = 0;
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
        if (++passes == 10 * count) CFRunLoopStop(LOOP);
    }), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 20 * TimeScale(), false), kCFRunLoopRunStopped);
    int least = performed[0], most = performed[0];
    for (int i = 1; i < count; i++) {
        if (performed[i] < least) least = performed[i];
        if (performed[i] > most) most = performed[i];
    }
    CHECK_GE(least, 5);
    CHECK_LE(most, 2 * least);
}

TEST(I2_ready_descriptors_do_not_starve_the_rest,
     "A descriptor that is always ready delays neither a timer nor a signalled source nor a wake-up") {
    CFRunLoopAddSource(LOOP, MakeSource1("ready", eventfd(1, EFD_NONBLOCK), ^{ LOG_EVENT_CLEAR(); }), A);
    __block int seen = 0;
    CFRunLoopSourceRef source = MakeSource0("source 0", 0, ^{ seen |= 1; });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddTimer(LOOP, MakeTimer("timer", 0.005, 0, ^{
        seen |= 2;
        CFRunLoopSourceSignal(source);
        CFRunLoopPerformBlock(LOOP, A, ^{ seen |= 4; });
    }), A);
    double end = SecondsNow() + 10 * TimeScale();
    while (seen != 7 && SecondsNow() < end) CFRunLoopRunInMode(A, 0.02, false);
    CHECK_EQ_INT(seen, 7);
}

TEST(I2_in_two_modes, "A version 1 source in two modes works in either") {
    int descriptor = eventfd(0, EFD_NONBLOCK);
    CFRunLoopSourceRef source = MakeSource1("event", descriptor, ^{
        uint64_t ignored;
        CHECK_EQ_INT(read(descriptor, &ignored, sizeof(ignored)), 8);
    });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, B);
    CFStringRef modes[] = {A, B, B, A};
    for (int i = 0; i < 4; i++) {
        CHECK_EQ_INT(write(descriptor, &(uint64_t){1}, 8), 8);
        Run(modes[i], 5, true);
    }
    CHECK_LOG("event\nHandledSource\nevent\nHandledSource\nevent\nHandledSource\nevent\nHandledSource");
}

TEST(I2_invalidated_in_two_modes,
     "A version 1 source in two modes that is invalidated while its descriptor is ready wakes neither of them any more") {
    int port = eventfd(1, EFD_NONBLOCK);
    CFRunLoopSourceRef source = MakeSource1("ready", port, NULL);
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, source, B);
    Run(A, 0, true);
    Run(B, 0, true); // both port sets exist now
    CFRunLoopSourceInvalidate(source);
    static int wakeUps;
    CFStringRef modes[] = {A, B};
    for (int i = 0; i < 2; i++) {
        CountWakeUps(modes[i], &wakeUps);
        CFRunLoopRunInMode(modes[i], 0.01, false);
    }
    CHECK_EQ_INT(wakeUps, 2); // each run wakes at its limit
    CHECK_LOG("ready\nHandledSource\nready\nHandledSource");
    close(port);
}

TEST(D9_a_blocking_descriptor_in_two_loops, "Two loops may wait for one blocking descriptor: neither blocks in a read") {
    int descriptor = eventfd(0, 0); // blocking
    _Atomic(int) woken = 0, *count = &woken;
    LoopThread *threads[2];
    for (int i = 0; i < 2; i++) {
        threads[i] = StartLoopThread(A, ^{
            CFRunLoopAddSource(LOOP, MakeSource1("event", descriptor, ^{
                struct pollfd look = {.fd = descriptor, .events = POLLIN};
                if (poll(&look, 1, 0) == 1) atomic_fetch_add(count, 1);
            }), A);
        });
    }
    CHECK_EQ_INT(write(descriptor, &(uint64_t){1}, 8), 8);
    CHECK(WAIT_UNTIL(atomic_load(count) > 10, 10));
    LOG_EVENT_CLEAR();
    uint64_t ignored;
    CHECK_EQ_INT(read(descriptor, &ignored, sizeof(ignored)), 8);
    for (int i = 0; i < 2; i++) EndLoopThread(threads[i]); // returns only if neither loop is stuck
    close(descriptor);
}

TEST(D19_two_sources_on_one_descriptor, "Of two sources on one descriptor, removing one leaves the other working") {
    int descriptor = eventfd(1, EFD_NONBLOCK);
    CFRunLoopSourceRef one = MakeSource1("one", descriptor, NULL), two = MakeSource1("two", descriptor, NULL);
    CFRunLoopAddSource(LOOP, one, A);
    CFRunLoopAddSource(LOOP, two, A);
    Run(A, 0, true);
    CFRunLoopRemoveSource(LOOP, two, A);
    Run(A, 0, true);
    CFRunLoopAddSource(LOOP, two, A);
    CFRunLoopRemoveSource(LOOP, one, A);
    Run(A, 0, true);
    CFRunLoopRemoveSource(LOOP, two, A);
    Run(A, 0, true);
    CHECK_LOG("two\nHandledSource\none\nHandledSource\ntwo\nHandledSource\nFinished");
}

TEST(D19_a_closed_and_reused_descriptor,
     "A descriptor closed while its source is in the mode, and whose number another file gets, can be waited for again") {
    int first = eventfd(0, EFD_NONBLOCK);
    CFRunLoopSourceRef old = MakeSource1("old", first, NULL);
    CFRunLoopAddSource(LOOP, old, A);
    Run(A, 0, false);
    close(first);
    int second = eventfd(1, EFD_NONBLOCK);
    CHECK_EQ_INT(second, first); // the kernel gives out the lowest free number
    CFRunLoopAddSource(LOOP, MakeSource1("new", second, NULL), A);
    CFRunLoopRemoveSource(LOOP, old, A);
    Run(A, 1, true);
    CHECK_LOG("TimedOut\nnew\nHandledSource");
}

TEST(I2_no_port,
     "A version 1 source without a port (-1) may be added: it keeps its mode from being empty, and is never performed") {
    CFRunLoopSourceRef source = MakeSource1("none", -1, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CHECK(CFRunLoopContainsSource(LOOP, source, A));
    CFRunLoopSourceSignal(source); // has no effect on a version 1 source
    Run(A, 0.002, false);
    CFRunLoopRemoveSource(LOOP, source, A);
    Run(A, 0.002, false);
    CHECK_LOG("TimedOut\nFinished");
}

TEST(I2_invalidated_in_several_modes, "A ready source that is invalidated leaves the port sets of all its modes, so none of them spins") {
    int port = eventfd(0, EFD_NONBLOCK);
    CFStringRef modes[] = {A, B, kCFRunLoopDefaultMode};
    CFRunLoopSourceRef source = MakeSource1("performed", port, NULL);
    __block int passes = 0;
    for (int i = 0; i < 3; i++) {
        KeepAlive(LOOP, modes[i]);
        CFRunLoopAddSource(LOOP, source, modes[i]);
        CFRunLoopRunInMode(modes[i], 0.001, false); // so that its port set waits for the port
        CFRunLoopObserverRef counter = CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopBeforeTimers, true, 0,
            ^(CFRunLoopObserverRef observer, CFRunLoopActivity activity) { passes++; });
        CFRunLoopAddObserver(LOOP, counter, modes[i]);
    }
    eventfd_write(port, 1);
    CFRunLoopSourceInvalidate(source);
    for (int i = 0; i < 3; i++) CFRunLoopRunInMode(modes[i], 0.05, false);
    CHECK(passes <= 6);
    CHECK_LOG("");
    CheckLoop(LOOP);
}

TEST(I2_invalidated_while_ready,
     "A source invalidated while its descriptor is ready is not performed any more, even if the wait has already reported it") {
    int descriptors[2] = {eventfd(1, EFD_NONBLOCK), eventfd(1, EFD_NONBLOCK)};
    __block CFRunLoopSourceRef one = NULL, two = NULL;
    one = MakeSource1("one", descriptors[0], ^{ CFRunLoopSourceInvalidate(two); });
    two = MakeSource1("two", descriptors[1], ^{ CFRunLoopSourceInvalidate(one); });
    CFRunLoopAddSource(LOOP, one, A);
    CFRunLoopAddSource(LOOP, two, A);
    KeepAlive(LOOP, A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 5, true), kCFRunLoopRunHandledSource);
    CHECK(CFRunLoopSourceIsValid(one) != CFRunLoopSourceIsValid(two));
    LOG_EVENT_CLEAR();
    CFRunLoopSourceRef left = CFRunLoopSourceIsValid(one) ? one : two;
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 5, true), kCFRunLoopRunHandledSource);
    CHECK_LOG(left == one ? "one" : "two");
}

// MARK: - Both versions

TEST(I3_a_port_event_that_signals_a_source_0,
     "A Source1 only signals a Source0: the Source0 is performed in the next pass, without a wake-up") {
    int descriptor = eventfd(1, EFD_NONBLOCK);
    CFRunLoopSourceRef touch = MakeSource0("source 0 handles the touch", 0, ^{ CFRunLoopStop(LOOP); });
    CFRunLoopAddSource(LOOP, touch, A);
    CFRunLoopAddSource(LOOP, MakeSource1("source 1 receives the touch", descriptor, ^{
        uint64_t ignored;
        CHECK_EQ_INT(read(descriptor, &ignored, sizeof(ignored)), 8);
        CFRunLoopSourceSignal(touch);
    }), A);
    LogActivities(A);
    Run(A, 10, false);
    CHECK_LOG("Entry\nBeforeTimers\nBeforeSources\nBeforeWaiting\nAfterWaiting\nsource 1 receives the touch\n"
              "BeforeTimers\nBeforeSources\nsource 0 handles the touch\nExit\nStopped");
}

static Boolean equalNumbers(const void *info1, const void *info2) { return *(const int *)info1 == *(const int *)info2; }
static CFHashCode hashNumber(const void *info) { return (CFHashCode)*(const int *)info; }
static void performNumber(void *info) { LOG("%d", *(int *)info); }

static CFRunLoopSourceRef makeNumber(int *number, CFIndex order, bool withCallBacks) {
    CFRunLoopSourceContext context = {.info = number, .perform = performNumber};
    if (withCallBacks) context.equal = equalNumbers, context.hash = hashNumber;
    return CFRunLoopSourceCreate(NULL, order, &context);
}

TEST(I1_equal_sources_count_as_one,
     "Sources that are equal by their context's callbacks count as one: the second is not added, and removing it removes the first") {
    int seven = 7, sevenToo = 7;
    CFRunLoopSourceRef first = makeNumber(&seven, 0, true), second = makeNumber(&sevenToo, 0, true), other = makeNumber(&seven, 1, true);
    CHECK(CFEqual(first, second));
    CHECK_EQ_INT((long long)CFHash(first), 7);
    CHECK(!CFEqual(first, other)); // another order
    CFRunLoopAddSource(LOOP, first, A);
    CFRunLoopAddSource(LOOP, second, A);
    CHECK(CFRunLoopContainsSource(LOOP, second, A));
    CFRunLoopSourceSignal(second);
    Run(A, 0, false);
    CFRunLoopSourceSignal(first);
    Run(A, 0, false);
    CFRunLoopRemoveSource(LOOP, second, A);
    CHECK(!CFRunLoopContainsSource(LOOP, first, A));
    Run(A, 0, false);
    CHECK_LOG("TimedOut\n7\nTimedOut\nFinished");
    CFRelease(first);
    CFRelease(second);
    CFRelease(other);
}

static Boolean isAlwaysEqual(const void *info, const void *other) { return true; }
static CFHashCode hashOfAll(const void *info) { return 7; }
static void logCancel(void *info, CFRunLoopRef rl, CFStringRef mode) { LOG("cancel %s", (const char *)info); }
static const void *logRetain(const void *info) { LOG("retain %s", (const char *)info); return info; }
static void logRelease(const void *info) { LOG("release %s", (const char *)info); }

TEST(I1_cancel_of_an_equal_source,
     "Removing a source removes an equal one from the mode, and calls `cancel` with the info of the source that was passed, as the "
     "original does") {
    CFRunLoopSourceContext context = {.info = "member", .equal = isAlwaysEqual, .hash = hashOfAll, .cancel = logCancel};
    CFRunLoopSourceRef member = CFRunLoopSourceCreate(NULL, 0, &context);
    context.info = "named";
    CFRunLoopSourceRef named = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(LOOP, member, A);
    CFRunLoopRemoveSource(LOOP, named, A);
    CHECK(!CFRunLoopContainsSource(LOOP, member, A));
    CHECK_EQ_INT(CFGetRetainCount(member), 1);
    CHECK_LOG("cancel named");
    CFRelease(member);
    CFRelease(named);
}

TEST(I1_no_source_and_no_known_version,
     "Removing NULL has no effect, and no loop contains NULL; a source with an unknown version retains nothing") {
    CFRunLoopRemoveSource(LOOP, NULL, A);
    CFRunLoopRemoveSource(LOOP, NULL, COMMON);
    CHECK(!CFRunLoopContainsSource(LOOP, NULL, A));
    CHECK(!CFRunLoopContainsSource(LOOP, NULL, COMMON));
    CFRunLoopSourceContext context = {.version = 7, .info = "seven", .retain = logRetain, .release = logRelease};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(LOOP, source, A);
    CHECK(!CFRunLoopContainsSource(LOOP, source, A));
    CFRelease(source);
    CHECK_LOG("");
}

// What a getPort does to its own source, once, while it is added

static CFRunLoopSourceRef removesItself;
static int leftToRemove, removingPort;

static __CFPort getPortAndRemove(void *info) {
    if (leftToRemove && !--leftToRemove) CFRunLoopRemoveSource(LOOP, removesItself, COMMON);
    return removingPort;
}

static void makeRemovingSource(void) {
    removingPort = eventfd(0, EFD_NONBLOCK);
    CFRunLoopSourceContext1 context = {.version = 1, .info = &removingPort, .getPort = getPortAndRemove};
    removesItself = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddCommonMode(LOOP, A);
}

TEST(I2_a_remove_comes_before_an_add_or_after_it,
     "A source that leaves the common modes during its getPort, while it is being added to them, is afterwards in all of them, and a "
     "common item. The defect: it was in some modes, and no common item") {
    for (int which = 1; which <= 2; which++) {
        makeRemovingSource();
        leftToRemove = which;
        CFRunLoopAddSource(LOOP, removesItself, COMMON);
        CHECK(CFRunLoopContainsSource(LOOP, removesItself, COMMON));
        CHECK(CFRunLoopContainsSource(LOOP, removesItself, kCFRunLoopDefaultMode));
        CHECK(CFRunLoopContainsSource(LOOP, removesItself, A));
        CFRunLoopSourceInvalidate(removesItself);
        CFRelease(removesItself);
        close(removingPort);
    }
    CheckLoop(LOOP);
}

TEST(I2_a_source_that_leaves_the_common_modes_does_not_enter_a_new_one,
     "A source that leaves the common modes during its getPort, while it is being added to a mode that is declared common, is not in "
     "that mode afterwards") {
    makeRemovingSource();
    CFRunLoopAddSource(LOOP, removesItself, COMMON);
    leftToRemove = 1;
    CFRunLoopAddCommonMode(LOOP, B);
    CHECK(!CFRunLoopContainsSource(LOOP, removesItself, COMMON));
    CHECK(!CFRunLoopContainsSource(LOOP, removesItself, A));
    CHECK(!CFRunLoopContainsSource(LOOP, removesItself, B));
    CHECK_EQ_INT(CFGetRetainCount(removesItself), 1);
    CheckLoop(LOOP);
}

TEST(L7_a_stop_outside_a_run_is_not_described, "A loop that does not run is not described as stopped, even after CFRunLoopStop") {
    CFRunLoopStop(LOOP);
    CHECK(DescriptionHas(LOOP, "stopped = false"));
}

TEST(I1_equal_without_callbacks, "Without callbacks, sources are equal if their info is; validity and order count, too") {
    int seven = 7, sevenToo = 7;
    CFRunLoopSourceRef first = makeNumber(&seven, 0, false), same = makeNumber(&seven, 0, false), other = makeNumber(&sevenToo, 0, false);
    CHECK(CFEqual(first, same));
    CHECK_EQ_INT((long long)CFHash(first), (long long)CFHash(same));
    CHECK(!CFEqual(first, other));
    CFRunLoopSourceInvalidate(same);
    CHECK(!CFEqual(first, same));
    CFRunLoopSourceInvalidate(first);
    CHECK(CFEqual(first, same));
    CFRelease(first);
    CFRelease(same);
    CFRelease(other);
}

TEST(D13_any_handled_source_counts,
     "A block queued by the first of several sources is performed in the same pass, even if a later source was not handled") {
    CFRunLoopSourceRef second = MakeSource0("second", 1, NULL);
    CFRunLoopSourceRef first = MakeSource0("first", 0, ^{
        CFRunLoopPerformBlock(LOOP, A, ^{
            LOG("block");
            CFRunLoopStop(LOOP);
        });
        CFRunLoopSourceInvalidate(second);
    });
    CFRunLoopAddSource(LOOP, first, A);
    CFRunLoopAddSource(LOOP, second, A);
    CFRunLoopSourceSignal(first);
    CFRunLoopSourceSignal(second);
    LogActivities(A);
    Run(A, 10, false);
    CHECK_LOG("Entry\nBeforeTimers\nBeforeSources\nfirst\nblock\nExit\nStopped");
}
