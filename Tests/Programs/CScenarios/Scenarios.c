/// Scenarios.c: the program for the debugger: a main loop that makes each of its callouts, each into its own named function, so that a
/// breakpoint there stops in exactly that callout.
///
/// Tests/Debugger/stacks.txt has the stack that each of these breakpoints must show.
#include "../../CTests/CTests.h"
#include <CoreFoundation/CoreFoundation.h>
#include <LabSocket.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

// libdispatch's headers are not on the include path of a C target. This program needs only these two declarations.
extern struct dispatch_queue_s _dispatch_main_q;
extern void dispatch_async_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *));

/// Counts the calls. An optimizing compiler may fold functions with the same body into one, or turn the last call of a function into a
/// jump. So each callback here does something that no other does, and does it itself.
static volatile int calls[11], socketCalls[2];

// MARK: - Observers, one for each activity

void scenario_entry_observer_callback(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    calls[0]++;
}

void scenario_before_timers_observer_callback(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    calls[1]++;
}

void scenario_before_sources_observer_callback(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    calls[2]++;
}

void scenario_before_waiting_observer_callback(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    calls[3]++;
}

void scenario_after_waiting_observer_callback(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    calls[4]++;
}

void scenario_exit_observer_callback(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    calls[5]++;
}

/// A timer, a source of either version and an observer, for Scripts/check-debugger-calls.
CFTypeRef scenario_items[4];

static void addObserver(CFRunLoopActivity activity, CFRunLoopObserverCallBack callback) {
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, activity, true, 0, callback, NULL);
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode);
    scenario_items[3] = observer;
}

static void addObservers(void) {
    addObserver(kCFRunLoopEntry, scenario_entry_observer_callback);
    addObserver(kCFRunLoopBeforeTimers, scenario_before_timers_observer_callback);
    addObserver(kCFRunLoopBeforeSources, scenario_before_sources_observer_callback);
    addObserver(kCFRunLoopBeforeWaiting, scenario_before_waiting_observer_callback);
    addObserver(kCFRunLoopAfterWaiting, scenario_after_waiting_observer_callback);
    addObserver(kCFRunLoopExit, scenario_exit_observer_callback);
}

// MARK: - A block, the sources, a timer, the main queue

/// The compiler names the block's function __scenario_block_block_invoke.
static void scenario_block(void) {
    CFRunLoopPerformBlock(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode, ^{
        calls[6]++;
    });
}

void scenario_source0_callback(void *info) {
    calls[7]++;
}

static void addSource0(void) {
    CFRunLoopSourceContext context = {.perform = scenario_source0_callback};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode);
    CFRunLoopSourceSignal(source);
    scenario_items[1] = source;
}

static int readyDescriptor;

/// Reads the descriptor. The loop leaves that to the source, and would perform it again otherwise.
void scenario_source1_callback(void *info) {
    eventfd_t count;
    eventfd_read(readyDescriptor, &count);
    calls[8]++;
}

/// A port is a descriptor here. The original's header has another type for it on each platform; the cast fits all of them.
static __typeof__(((CFRunLoopSourceContext1 *)0)->getPort(NULL)) portOfSource1(void *info) {
    return (__typeof__(portOfSource1(NULL)))(intptr_t)readyDescriptor;
}

static void addSource1(void) {
    readyDescriptor = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceContext1 context = {.version = 1, .getPort = portOfSource1, .perform = scenario_source1_callback};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode);
    scenario_items[2] = source;
}

void scenario_timer_callback(CFRunLoopTimerRef timer, void *info) {
    calls[9]++;
}

static void addTimer(CFTimeInterval interval) {
    CFRunLoopTimerRef timer =
        CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + 0.01, interval, 0, 0, scenario_timer_callback, NULL);
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode);
    scenario_items[0] = timer;
}

void scenario_main_queue_callback(void *context) {
    calls[10]++;
}

// MARK: - The scenario

static bool everythingWasCalled(void) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (calls[i] == 0) return false;
    }
    return true;
}

/// One run makes every callout within milliseconds. In a debugger each stop takes time, and the time limit may pass before the loop sleeps,
/// so further runs follow.
CHILD(callouts, "A run of the main loop that makes each of its callouts; for a debugger") {
    addObservers();
    scenario_block();
    addSource0();
    addSource1();
    addTimer(0);
    dispatch_async_f(&_dispatch_main_q, NULL, scenario_main_queue_callback);
    for (int runs = 0; runs < 100 && !everythingWasCalled(); runs++) CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, false);
    CHECK(everythingWasCalled());
    close(readyDescriptor);
}

static void stopAfterFiveFirings(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    if (calls[9] >= 5) CFRunLoopStop(CFRunLoopGetCurrent());
}

CHILD(steps, "A run of the main loop that reaches each step and makes each of its callouts, however long it is stopped in one; for a debugger") {
    addObservers();
    addObserver(kCFRunLoopBeforeTimers, stopAfterFiveFirings);
    scenario_block();
    addSource0();
    addSource1();
    addTimer(0.01);
    dispatch_async_f(&_dispatch_main_q, NULL, scenario_main_queue_callback);
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1e10, false);
    CHECK(everythingWasCalled());
    close(readyDescriptor);
}

// MARK: - What stands in for a CFSocket, and the thread that waits for it

void scenario_socket_look_here(void) {
    socketCalls[0]++;
}

void scenario_socket_callback(LabSocket *s, LabSocketEvents event, void *info) {
    usleep(20000); // time for the thread to get from the wake-up back into its wait
    scenario_socket_look_here();
    socketCalls[1]++;
}

CHILD(socket, "The main loop has the Source0 of a socket that can be read; for a debugger") {
    int ends[2];
    CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    LabSocket *s = LabSocketCreate(ends[0], kLabSocketReadable, scenario_socket_callback, NULL, NULL);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), LabSocketGetSource(s), kCFRunLoopDefaultMode);
    CHECK_EQ_INT(write(ends[1], "x", 1), 1);
    for (int runs = 0; runs < 100 && socketCalls[1] == 0; runs++) CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, true);
    CHECK(socketCalls[1] > 0);
    LabSocketInvalidate(s);
    close(ends[1]);
}
