/// ProcessTests.c: unusual situations of a process: after fork, in signal handlers, in destructors of thread-specific data, without
/// descriptors.
#include "Fakes.h"
#include "LoopSupport.h"
#include <CoreFoundation/CFPortSupport.h>
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: - D3: fork

TEST(D3_a_forked_child_halts_and_takes_no_tick_from_its_parent,
     "A child of fork that runs the loop aborts with a message, and the parent's timer keeps firing. The defect: the child hung without "
     "a message, and took ticks from the timer port that it shared") {
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

static CFRunLoopRef loopBeforeFork;
static CFRunLoopSourceRef sourceBeforeFork;

static void useLoopOfParent(int signal) {
    CFRunLoopSourceSignal(sourceBeforeFork);
    CFRunLoopStop(loopBeforeFork);
    CFRunLoopWakeUp(loopBeforeFork);
}

TEST(D3_a_signal_between_fork_and_exec_does_no_harm,
     "In a forked child, the functions that a signal handler may call do nothing, so a signal that arrives before the exec ends neither the "
     "child nor the parent's run. The defect: the child aborted")  {
    loopBeforeFork = LOOP;
    sourceBeforeFork = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, sourceBeforeFork, DEFAULT);
    signal(SIGUSR1, useLoopOfParent);
    pid_t child = fork();
    if (child == 0) {
        raise(SIGUSR1);
        execl("/bin/true", "true", NULL);
        _exit(1);
    }
    CHECK_EQ_INT(StatusOf(child), 0);
    Run(DEFAULT, 0.01, false);
    CHECK_LOG("TimedOut");
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
    if (errno != 4711) abort(); // the handler must keep errno, because it belongs to the interrupted code
    errno = interrupted;
}

/// Calls functions that take the loop's locks. The loop's own thread and another thread run this, and signals interrupt both.
static void takeLocks(CFRunLoopRef loop) {
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 1e12, 0, 0, 0, ^(CFRunLoopTimerRef unused) {});
    CFRunLoopAddTimer(loop, timer, COMMON);
    static _Atomic(int) queued; // limits the number of blocks that wait
    if (queued < 50) {
        queued++;
        CFRunLoopPerformBlock(loop, DEFAULT, ^{ queued--; });
    }
    CFRunLoopContainsSource(loop, sourceOfHandler, DEFAULT);
    CFRunLoopTimerInvalidate(timer);
    CFRelease(timer);
}

TEST(D4_wake_up_signal_and_stop_are_safe_in_signal_handlers,
     "A handler of frequent signals wakes the loop, signals its source and stops it, while two threads hold the loop's locks most of the "
     "time. The defect: after some hundred signals the handler waited for a lock that its own thread held") {
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

    // On a single processor, the kernel delivers one signal to each thread in each of the sender's turns, so 20,000 would take minutes.
    double end = SecondsNow() + 10 * TimeScale();
    bool (^isEnough)(void) = ^bool { return signalsHandled >= wanted || SecondsNow() > end; };
    pthread_t other = StartThread(^{
        while (!isEnough()) takeLocks(interruptedLoop);
    });
    pthread_t sender = StartThread(^{
        for (int i = 0; !isEnough(); i++) {
            if (i % 2) pthread_kill(loopThread, SIGALRM);
            else pthread_kill(other, SIGALRM);
            for (int pause = 0; pause < 300; pause++) __asm__ volatile("");
        }
    });
    while (!isEnough()) {
        takeLocks(LOOP);
        CFRunLoopRunInMode(DEFAULT, 0.0005, false);
    }
    JoinThread(sender);
    JoinThread(other);
    CHECK_GE(signalsHandled, 100);
    CHECK_GE(passes, 1);

    CFRunLoopRunInMode(DEFAULT, 0, false);
    LOG_EVENT_CLEAR();
    signalsHandled = 0;
    raise(SIGALRM); // the last one still arrives
    Run(DEFAULT, 0, false);
    CHECK_LOG("performed\nTimedOut");
}

// MARK: - D5: destructors of thread-specific data

/// One key is created before the library's own key, and one after it. So one destructor runs before the library's in each round, and one
/// after.
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

/// The library creates its key when it is loaded, in a constructor without a priority; constructors with a priority run earlier.
__attribute__((constructor(101))) static void makeTheEarlierKey(void) {
    pthread_key_create(&destructorKeys[0], askForLoopInDestructor);
}

TEST(D5_a_destructor_of_thread_data_may_ask_for_the_loop_in_every_round,
     "Destructors that run after the run loop's own get a loop that works for as long as the thread exists, and that ends with it. The "
     "defect: the first thread that tried crashed") {
    // A destructor that asks for a loop makes the library's own destructor run in the next round, which must not be the last under
    // ThreadSanitizer.
    const int rounds = UNDER_THREAD_SANITIZER ? PTHREAD_DESTRUCTOR_ITERATIONS - 2 : PTHREAD_DESTRUCTOR_ITERATIONS, threads = 200;
    pthread_key_create(&destructorKeys[1], askForLoopInDestructor);
    OnNewThread(^{ CFRunLoopGetCurrent(); }); // the first loop also creates the main loop (R4), which stays
    int before = OpenDescriptorCount();
    for (int i = 0; i < threads; i++) {
        OnNewThread(^{
            if (i % 2) CFRunLoopGetCurrent(); // the other threads have no loop until their destructors run
            for (int key = 0; key < 2; key++) pthread_setspecific(destructorKeys[key], (void *)(uintptr_t)(2 * rounds + key));
        });
    }
    CHECK_EQ_INT(destructorRounds, 2 * rounds * threads);
    // A loop that was created in the very last round is deallocated when the next loop is created.
    CHECK(WAIT_UNTIL(({ OnNewThread(^{ CFRunLoopGetCurrent(); }); OpenDescriptorCount() == before; }), 5));
}

// MARK: - D6: out of descriptors

/// In a child with `left` free descriptors: creates a loop, adds a source, and runs the mode. Each step needs one descriptor.
static void useDescriptors(int left, CFStringRef mode) {
    LeaveDescriptors(left);
    KeepAlive(LOOP, mode);
    CFRunLoopAddTimer(LOOP, MakeTimer("timer", 10, 0, NULL), mode);
    CFRunLoopRunInMode(mode, 0.001, false);
}

TEST(D6_out_of_descriptors_halts_with_the_limit_in_words,
     "Each function that needs a descriptor aborts with what it was for and how many the process may have, also on a secondary thread, whose "
     "loop is created together with the main loop, and for the main queue's port, without which libdispatch would end the process without a "
     "message. The defect: it died by SIGILL") {
    CHECK_HALTS("no file descriptor is available for a wake-up port (eventfd): Too many open files. The process may have 100 open",
                useDescriptors(0, A));
    CHECK_HALTS("no file descriptor is available for a port set (epoll)", useDescriptors(1, A));
    CHECK_HALTS("no file descriptor is available for a timer port (timerfd)", {
        LeaveDescriptors(4); // for the wake-up port, the port set, the host's set and its eventfd
        CFRunLoopAddTimer(LOOP, MakeTimer("timer", 10, 0, NULL), A);
        CFRunLoopGetDescriptor(LOOP, A);
    });
    CHECK_HALTS("for a wake-up port (eventfd)", { OnNewThread(^{ useDescriptors(1, DEFAULT); }); });
    CHECK_HALTS("for a port set (epoll)", { OnNewThread(^{ useDescriptors(2, DEFAULT); }); });
    CHECK_HALTS("no file descriptor is available for", useDescriptors(1, DEFAULT));
}

static bool isLoopsDescriptorBelow3(void) {
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        char path[64], target[64] = "";
        snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
        if (readlink(path, target, sizeof(target) - 1) > 0 && strncmp(target, "anon_inode:", 11) == 0) return true;
    }
    return false;
}

/// Uses a loop, with every kind of descriptor that the library makes, where some of the standard descriptors are closed. Then the program
/// redirects them, as daemons do, and another thread stops two runs, one of them through the main queue. Returns an exit status.
static int useLoopWithoutStandardDescriptors(int closed) {
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        if (closed & 1 << descriptor) close(descriptor);
    }
    CFRunLoopRef loop = LOOP;
    int event = CFEventDescriptorCreate(false), host = CFRunLoopGetDescriptor(loop, A);
    CFRunLoopAddTimer(loop, MakeTimer("far", 1000, 0, NULL), A); // the host needs a timerfd
    if (!CFWatchIsPossible(event)) return 2;
    KeepAlive(loop, DEFAULT);
    CFRunLoopRunInMode(DEFAULT, 0, false); // the main queue's port, which libdispatch opens
    if (event < 3 || host < 3 || isLoopsDescriptorBelow3()) return 3;
    int nowhere = open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; descriptor++) dup2(nowhere, descriptor);
    pthread_t other = StartThread(^{
        WaitUntilAsleep(loop);
        CFRunLoopPerformBlock(loop, DEFAULT, ^{ CFRunLoopStop(loop); });
        CFRunLoopWakeUp(loop);
    });
    CFRunLoopRunResult result = CFRunLoopRunInMode(DEFAULT, 100, false);
    JoinThread(other);
    if (result != kCFRunLoopRunStopped) return 4;
    other = StartThread(^{
        WaitUntilAsleep(loop);
        dispatch_async(&_dispatch_main_q, ^{ CFRunLoopStop(loop); });
    });
    result = CFRunLoopRunInMode(DEFAULT, 100, false);
    JoinThread(other);
    return result == kCFRunLoopRunStopped ? 0 : 5;
}

TEST(D6_no_descriptor_of_the_library_is_a_standard_one,
     "A program that was started with standard descriptors closed may open or redirect them later, and no wake-up is lost. The defect: the "
     "wake-up port, or the main queue's, was descriptor 0, and dup2 replaced it") {
    for (int closed = 0; closed < 8; closed++) {
        pid_t child = fork();
        if (child == 0) _exit(useLoopWithoutStandardDescriptors(closed));
        CHECK_EQ_INT(StatusOf(child), 0);
    }
}

TEST(D6_enough_descriptors_do, "With just enough descriptors the run succeeds, and a second limited run needs no more") {
    CTestsChild child = CTestsFork();
    if (child.pid == 0) {
        useDescriptors(2, A);
        for (int i = 0; i < 10; i++) CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.001, false), kCFRunLoopRunTimedOut);
        abort();
    }
    CTestsCheckHalted(__FILE__, __LINE__, "", child);
}
