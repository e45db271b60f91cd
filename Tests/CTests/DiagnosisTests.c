/// DiagnosisTests.c: each abort and each warning of the run loop, caused in a child process and recognized by its message.
///
/// The aborts of strings, arrays and sets are tested with them; those for a lack of descriptors in ProcessTests.c (D6), and those for
/// NaN in TimerTests.c (D7).
#define _GNU_SOURCE // program_invocation_short_name
#include <CoreFoundation/ForSwiftFoundationOnly.h>
#include "Checker.h"
#include "Fakes.h"
#include "Faults.h"
#include "LoopSupport.h"
#include "../../Sources/CRunLoop/CFRunLoop_Internal.h"
#include "../../Sources/CRunLoop/Kernel/CFPortSet_Internal.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CFRunLoopTrace.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// MARK: - Fork

static CFRunLoopSourceRef parentsSource;
static CFRunLoopTimerRef parentsTimer;
static CFRunLoopObserverRef parentsObserver;
static CFRunLoopRef parentsLoop;

/// The first call that a child of fork may try.
enum { tries = 46 };

static void tryAfterFork(int which) {
    CFRunLoopSourceContext context = {0};
    switch (which) {
    case 0: CFRunLoopGetCurrent(); return;
    case 1: CFRunLoopGetMain(); return;
    case 2: CFRelease(CFRunLoopCopyAllModes(parentsLoop)); return;
    case 3: CFRunLoopCopyCurrentMode(parentsLoop); return;
    case 4: CFRunLoopAddCommonMode(parentsLoop, A); return;
    case 5: CFRunLoopGetNextTimerFireDate(parentsLoop, A); return;
    case 6: CFRunLoopRun(); return;
    case 7: CFRunLoopRunInMode(A, 0, false); return;
    case 8: CFRunLoopIsWaiting(parentsLoop); return;
    case 9: CFRelease(CFRunLoopTraceCopyAllLoops()); return;
    case 10: CFRunLoopTraceReplaceHook(NULL, NULL); return;
    case 11: CFRunLoopPerformBlock(parentsLoop, A, ^{}); return;
    case 12: CFRunLoopContainsSource(parentsLoop, parentsSource, A); return;
    case 13: CFRunLoopAddSource(parentsLoop, parentsSource, A); return;
    case 14: CFRunLoopRemoveSource(parentsLoop, parentsSource, A); return;
    case 15: CFRunLoopContainsObserver(parentsLoop, parentsObserver, A); return;
    case 16: CFRunLoopAddObserver(parentsLoop, parentsObserver, A); return;
    case 17: CFRunLoopRemoveObserver(parentsLoop, parentsObserver, A); return;
    case 18: CFRunLoopContainsTimer(parentsLoop, parentsTimer, A); return;
    case 19: CFRunLoopAddTimer(parentsLoop, parentsTimer, A); return;
    case 20: CFRunLoopRemoveTimer(parentsLoop, parentsTimer, A); return;
    case 21: CFRunLoopSourceCreate(NULL, 0, &context); return;
    case 22: CFRunLoopSourceGetOrder(parentsSource); return;
    case 23: CFRunLoopSourceInvalidate(parentsSource); return;
    case 24: CFRunLoopSourceIsValid(parentsSource); return;
    case 25: CFRunLoopSourceGetContext(parentsSource, &context); return;
    case 26: CFRunLoopTraceGetTimers(parentsLoop, NULL, 0); return;
    case 27: CFRunLoopObserverCreate(NULL, 1, true, 0, NULL, NULL); return;
    case 28: CFRunLoopObserverInvalidate(parentsObserver); return;
    case 29: CFRunLoopObserverIsValid(parentsObserver); return;
    case 30: CFRunLoopObserverGetActivities(parentsObserver); return;
    case 31: CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, NULL, NULL); return;
    case 32: CFRunLoopTimerGetNextFireDate(parentsTimer); return;
    case 33: CFRunLoopTimerSetNextFireDate(parentsTimer, 0); return;
    case 34: CFRunLoopTimerInvalidate(parentsTimer); return;
    case 35: CFRunLoopTimerIsValid(parentsTimer); return;
    case 36: CFRunLoopTimerGetTolerance(parentsTimer); return;
    case 37: CFRunLoopTimerSetTolerance(parentsTimer, 1); return;
    case 38: _CFRunLoopStopMode(parentsLoop, A); return;
    case 39: _CFRunLoopFinished(parentsLoop, A); return;
    case 40: _CFRunLoopGet0(pthread_self()); return;
    case 41: _CFRunLoopGet0b(pthread_self()); return;
    case 42: _CFRunLoopGet1(parentsLoop); return;
    case 43: _CFRunLoopGet2(parentsLoop); return;
    case 44: _CFRunLoopGet2b(parentsLoop); return;
    case 45: CFRunLoopTraceGetState(parentsLoop, &(CFRunLoopTraceState){0}); return;
    }
}

TEST(diagnosis_every_function_halts_in_a_forked_child,
     "In a child of a process that had used a run loop, every function of the run loop aborts if the child calls it first, and says that "
     "the child must exec") {
    parentsLoop = LOOP;
    parentsSource = MakeSource0("source", 0, NULL);
    parentsTimer = MakeTimer("timer", 1, 0, NULL);
    parentsObserver = MakeObserver("observer", 1, 0, NULL);
    for (int i = 0; i < tries; i++) {
        LOG("%d", i); // shows which call it was, if one returns
        CTestsChild child = CTestsFork();
        if (child.pid == 0) {
            tryAfterFork(i);
            dprintf(STDERR_FILENO, "call number %d went through", i);
            CTestsChildSurvived();
        }
        CTestsCheckHalted(__FILE__, __LINE__, "this process was forked from one that had used a run loop, and did not exec. Run loops "
                          "cannot be used here: call exec, or start the child with posix_spawn.", child);
    }
}

TEST(diagnosis_a_fork_in_a_callback_is_noticed_in_the_same_pass,
     "A child that forks in a callback of any kind and returns into the loop aborts before the next sleep") {
    parentsLoop = LOOP;
    static CTestsChild child;
    Body forks = ^{
        child = CTestsFork();
        if (child.pid) CFRunLoopStop(LOOP);
    };
    int ends[2];
    CHECK_EQ_INT(pipe(ends), 0);
    CHECK_EQ_INT(write(ends[1], "", 1), 1);
    for (int kind = 0; kind < 6; kind++) {
        CFRunLoopSourceRef source = kind == 1 ? MakeSource1("port", ends[0], forks) : MakeSource0("source", 0, kind == 0 ? forks : NULL);
        CFRunLoopTimerRef timer = MakeTimer("timer", 0, 0, forks);
        CFRunLoopObserverRef observer = MakeObserver("observer", kCFRunLoopBeforeTimers, 0, forks);
        CFRunLoopAddSource(LOOP, source, DEFAULT);
        if (kind == 0) CFRunLoopSourceSignal(source);
        if (kind == 2) CFRunLoopAddTimer(LOOP, timer, DEFAULT);
        if (kind == 3) CFRunLoopAddObserver(LOOP, observer, DEFAULT);
        if (kind == 4) CFRunLoopPerformBlock(LOOP, DEFAULT, forks);
        if (kind == 5) dispatch_async(&_dispatch_main_q, forks);
        CFRunLoopRunInMode(DEFAULT, 20 * TimeScale(), false); // in the child, not over when the callback returns
        if (child.pid == 0) CTestsChildSurvived();
        CFRunLoopSourceInvalidate(source);
        CFRunLoopTimerInvalidate(timer);
        CFRunLoopObserverInvalidate(observer);
        CTestsCheckHalted(__FILE__, __LINE__, "was forked from one that had used a run loop", child);
    }
}

// MARK: - Misuse

TEST(diagnosis_a_source_without_a_context, "Creating a source without a context aborts and says what to pass") {
    CHECK_HALTS("CFRunLoopSourceCreate was given NULL for its context; pass a CFRunLoopSourceContext (version 0) or CFRunLoopSourceContext1 (version 1).",
                CFRunLoopSourceCreate(NULL, 0, NULL));
}

/// Runs `body` in a child, which must call abort() at the end. Returns what the child wrote to stderr.
#define OUTPUT_OF(...)                                                              \
    ({                                                                              \
        CTestsChild child_ = CTestsFork();                                          \
        if (child_.pid == 0) {                                                      \
            __VA_ARGS__;                                                            \
            abort();                                                                \
        }                                                                           \
        CTestsCheckHalted(__FILE__, __LINE__, "", child_);                          \
    })

TEST(diagnosis_a_run_without_a_mode, "A run in the mode NULL aborts and says what to pass") {
    const char *output = OUTPUT_OF({
        for (int i = 0; i < 2; i++) CHECK_EQ_INT(CFRunLoopRunInMode(NULL, 1, false), kCFRunLoopRunFinished);
    });
    CHECK_EQ_INT(Occurrences(output, "\n"), 1);
    CHECK_EQ_INT(Occurrences(output, "a run loop cannot run in the mode NULL: a mode needs a name."), 1);
}

// MARK: - The end of the main thread

static void addToMainLoopAfterItsEnd(int kind) {
    CFRunLoopRef loop = CFRunLoopGetMain();
    StartThread(^{
        CHECK(WAIT_UNTIL(ThreadState(getpid()) == 'Z', 10));
        CHECK_EQ_PTR(CFRunLoopGetMain(), loop);
        CheckLoop(loop);
        for (int i = 0; i < 2; i++) {
            if (kind == 0) CFRunLoopAddSource(loop, MakeSource0("source", 0, NULL), A);
            if (kind == 1) CFRunLoopAddTimer(loop, MakeTimer("timer", 1, 0, NULL), A);
            if (kind == 2) CFRunLoopAddObserver(loop, MakeObserver("observer", 1, 0, NULL), A);
            if (kind == 3) CFRunLoopPerformBlock(loop, A, ^{ FAIL("performed"); });
            if (kind == 4) CFRunLoopWakeUp(loop);
            if (kind == 5) CFRunLoopStop(loop);
        }
        CHECK_EQ_INT(CFSetGetCount(loop->_modes), 1); // the call has added nothing, not even a mode
        CheckLoop(loop);
        CFRunLoopAddSource(CFRunLoopGetCurrent(), MakeSource0("source", 0, NULL), A); // no message, because it is not the main loop
        abort();
    });
    pthread_exit(NULL);
}

TEST(diagnosis_a_mode_that_is_no_string, "A mode that is not a CFString, an NSString of Foundation for example, aborts with words") {
    uintptr_t other[8] = {(uintptr_t)&other}; // an object whose first word is another library's class
    CFArrayRef array = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    CHECK_HALTS("which is not a CFString", { CFRunLoopRunInMode((CFStringRef)other, 0, false); });
    CHECK_HALTS("which is not a CFString", { CFRunLoopRunInMode((CFStringRef)array, 0, false); });
    CHECK_HALTS("which is not a CFString", { CFRunLoopAddSource(LOOP, MakeSource0("s", 0, NULL), (CFStringRef)other); });
    CHECK_HALTS("which is not a CFString", { CFRunLoopContainsSource(LOOP, MakeSource0("s", 0, NULL), (CFStringRef)other); });
    CHECK_HALTS("which is not a CFString", { CFRunLoopAddCommonMode(LOOP, (CFStringRef)other); });
    CHECK_HALTS("which is not a CFString", { CFRunLoopGetDescriptor(LOOP, (CFStringRef)other); });
    CFRelease(array);
}

TEST(R6_the_main_loop_stays_and_refuses_items,
     "The main loop stays when the main thread ends. An item added to it afterwards would never be called, so the loop refuses it and prints "
     "a message once, with the kind of the first item, as the current original does") {
    const char *kinds[] = {"A source is being added to the main run loop", "A timer is being added to the main run loop",
                           "An observer is being added to the main run loop", "A block is being added to the main run loop",
                           "The main run loop is being woken up", "The main run loop is being woken up"};
    for (int kind = 0; kind < 6; kind++) {
        const char *output = OUTPUT_OF(addToMainLoopAfterItsEnd(kind));
        CHECK_EQ_INT(Occurrences(output, "\n"), 1);
        CHECK_EQ_INT(Occurrences(output, kinds[kind]), 1);
        CHECK_EQ_INT(Occurrences(output, ", but the main thread has exited: nothing will ever run that loop, so the call does nothing. This message is printed only once; "
                                         "break on _CFRunLoopError_MainThreadHasExited to find each caller."), 1);
    }
}

static void wakeMainLoopAfterItsEndInARun(void) {
    CFRunLoopRef loop = CFRunLoopGetMain();
    StartThread(^{
        CHECK(WAIT_UNTIL(ThreadState(getpid()) == 'Z', 10));
        CFRunLoopWakeUp(loop);
        CFRunLoopStop(loop);
        CHECK(!__CFPortIsReady(loop->_wakeUpPort));
        abort();
    });
    CFRunLoopPerformBlock(loop, DEFAULT, ^{ pthread_exit(NULL); });
    CFRunLoopRunInMode(DEFAULT, 0, false);
}

TEST(R6_the_main_loop_that_ended_in_a_run_is_not_woken_up,
     "A callback of the main loop ends the main thread. A wake-up and a stop that come later print the message, and send nothing to the loop") {
    const char *output = OUTPUT_OF(wakeMainLoopAfterItsEndInARun());
    CHECK_EQ_INT(Occurrences(output, "The main run loop is being woken up, but the main thread has exited"), 1);
}

void dispatch_main(void) __attribute__((noreturn)); // its header is not on the include path

static void addToMainLoopAfterDispatchMain(void) {
    CFRunLoopRef loop = CFRunLoopGetMain();
    StartThread(^{
        CHECK(WAIT_UNTIL(_CFMainThreadHasEnded(), 10));
        CFRunLoopAddTimer(loop, MakeTimer("timer", 1, 0, NULL), A);
        abort();
    });
    dispatch_main();
}

/// libdispatch ends the main thread with pthread_exit, but a destructor of the first round then blocks forever, so there is no later round.
TEST(diagnosis_adding_to_the_main_loop_after_dispatch_main,
     "After dispatchMain() no thread runs the main loop any more, although the kernel still has the thread: adding to it prints a "
     "warning") {
    const char *output = OUTPUT_OF(addToMainLoopAfterDispatchMain());
    CHECK_EQ_INT(Occurrences(output, "A timer is being added to the main run loop, but the main thread has exited"), 1);
}

// MARK: - Descriptors

TEST(diagnosis_no_place_in_a_port_set, "When an epoll instance has no room for another descriptor, the abort's message says so") {
    CHECK_HALTS("no file descriptor is available for a place in a port set (epoll_ctl): No space left on device", {
        KeepAlive(LOOP, A);
        EpollAddError = ENOSPC;
        CFRunLoopRunInMode(A, 0.001, false);
    });
}

TEST(diagnosis_a_closed_wake_up_port, "If the program has closed the wake-up port, the message contains its number") {
    CHECK_HALTS("Some other part of the program has closed it.", {
        int port = __CFPortAllocate();
        close(port);
        __CFSendTrivialMachMessage(port);
    });
    CHECK_HALTS("write on the run loop's own descriptor", {
        CFRunLoopRef loop = LOOP;
        KeepAlive(loop, A);
        CFRunLoopAddObserver(loop, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {
            close(loop->_wakeUpPort);
            CFRunLoopWakeUp(loop);
        }), A);
        CFRunLoopRunInMode(A, 1, false);
    });
    CHECK_HALTS("read on the run loop's own descriptor", {
        int port = __CFPortAllocate();
        close(port);
        __CFPortReceive(port);
    });
}

static const char *outputOfPort(int descriptor) {
    StderrCapture();
    CFRunLoopAddSource(LOOP, MakeSource1("performed", descriptor, NULL), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0, false), kCFRunLoopRunTimedOut);
    return StderrEndCapture();
}

TEST(diagnosis_a_long_name_is_cut_off, "A message shows the first 255 bytes of a mode's name") {
    char name[401] = "", expected[300];
    memset(name, 'm', 400);
    snprintf(expected, sizeof expected, "in the mode %.255s, cannot", name);
    CFStringRef mode = CFStringCreateWithCString(NULL, name, kCFStringEncodingUTF8);
    StderrCapture();
    CFRunLoopAddSource(LOOP, MakeSource1("source", open("/", O_RDONLY | O_CLOEXEC), NULL), mode);
    CHECK_EQ_INT(Occurrences(StderrEndCapture(), expected), 1);
    CFRelease(mode);
}

TEST(diagnosis_a_message_that_cannot_be_written,
     "Signals interrupt the call that writes a message: it is written once. If the call fails, the loop goes on without it") {
    int directory = open("/", O_RDONLY | O_CLOEXEC);
    FailNext(FAULT(write), 3, EINTR);
    const char *output = outputOfPort(directory);
    CHECK_EQ_INT(Occurrences(output, "cannot be waited for: "), 1);
    CHECK_EQ_INT(Faults->calls, 4);
    FailNext(FAULT(write), FaultMostCalls, EIO);
    output = outputOfPort(directory);
    CHECK_EQ_STR(output, "");
    CHECK_EQ_INT(Faults->calls, 1);
    FaultsOff();
}

TEST(diagnosis_a_port_that_cannot_be_waited_for,
     "For a directory or a closed descriptor as a port, the message names the number and the mode, and has a hint that fits") {
    char expected[100];
    int directory = open("/", O_RDONLY | O_CLOEXEC);
    const char *output = outputOfPort(directory);
    snprintf(expected, sizeof expected, "descriptor %d, the port of a version 1 source in the mode A, cannot be waited for: ", directory);
    CHECK_EQ_INT(Occurrences(output, expected), 1);
    CHECK_EQ_INT(Occurrences(output, "Operation not permitted. epoll takes pipes, sockets, terminals, eventfds and the like; a regular file or "
                                     "directory is always ready, and needs no run loop.\n"), 1);

    output = outputOfPort(9999);
    CHECK_EQ_INT(strncmp(output, program_invocation_short_name, strlen(program_invocation_short_name)), 0); // the line is whole
    CHECK_EQ_INT(Occurrences(output, "descriptor 9999, "), 1);
    CHECK_EQ_INT(Occurrences(output, "Bad file descriptor. The source will not be performed; its getPort must return an open descriptor.\n"), 1);
    CHECK_EQ_INT(Occurrences(output, "\n"), 1);
}

// MARK: - Locks

#if defined(CF_CHECK_LOCKS)
TEST(diagnosis_an_internal_function_called_without_its_lock,
     "In debug builds, an internal function that needs the loop locked aborts if it is not locked, or locked by another thread") {
    CHECK_HALTS("__CFRunLoopFindMode was called by a thread that has not locked its argument rl", __CFRunLoopFindMode(LOOP, DEFAULT, true));
    CHECK_HALTS("has not locked its argument rl", {
        CFRunLoopRef loop = LOOP;
        __CFRunLoopLock(loop);
        OnNewThread(^{ __CFRunLoopFindMode(loop, DEFAULT, true); });
    });
    CHECK_HALTS("__CFRunLoopPopPerRunData was called on a thread other than the run loop's", {
        CFRunLoopRef loop = LOOP;
        OnNewThread(^{
            __CFRunLoopLock(loop);
            __CFRunLoopPopPerRunData(loop, NULL);
        });
    });
}
#endif
