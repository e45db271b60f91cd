/// LoopSupport.h: what the tests of run loops share: short names, items that log their events, runs that log their results, threads, and a
/// loop that runs on a thread.
///
/// An item logs its name, so a test reads as a list of events. The checker of all invariants (Checker.h) checks the current loop in every
/// callback made here, and before and after every Run.
#if !defined(LOOPSUPPORT_H)
#define LOOPSUPPORT_H 1

#include "CTests.h"
#include "../../Sources/CRunLoop/CFRunLoop_Internal.h"
#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>

#define A CFSTR("A")
#define B CFSTR("B")
#define C CFSTR("C")
#define COMMON kCFRunLoopCommonModes
#define DEFAULT kCFRunLoopDefaultMode
#define LOOP CFRunLoopGetCurrent()

typedef void (^Body)(void);

// libdispatch's headers are not on the include path of a C target. The tests need only these declarations.
extern struct dispatch_queue_s _dispatch_main_q;
extern void dispatch_async(struct dispatch_queue_s *queue, Body body);
extern struct dispatch_queue_s *dispatch_get_global_queue(long priority, unsigned long flags);

/// Whether the checker is called. Off in the children that Syscalls.h measures.
extern bool ChecksLoops;

// MARK: - Names

/// The string as a C string, without the prefix "kCFRunLoop". It is valid until the thread has asked for eight more.
const char *Text(CFStringRef string);

/// The string as a C string that the caller frees; releases the string.
char *TakeText(CFStringRef string);
/// An object's description, which the caller frees, and whether it contains a text.
char *DescriptionOf(CFTypeRef object);
bool DescriptionHas(CFTypeRef object, const char *text);
/// "Entry", "BeforeTimers" and so on.
const char *ActivityName(CFRunLoopActivity activity);
/// "Finished", "Stopped", "TimedOut", "HandledSource".
const char *ResultName(SInt32 result);
/// The mode of that name; fails if the loop has none. It takes no lock, so the loop must be idle.
CFRunLoopModeRef ModeNamed(CFRunLoopRef loop, CFStringRef name);
/// Logs the loop's modes, by name: "modes: A DefaultMode".
void LogModes(CFRunLoopRef loop);

// MARK: - Items that log their name when they are called, and then call `body` (which may be NULL)
//
// They live as long as the process, so a test need not release them.

CFRunLoopSourceRef MakeSource0(const char *name, CFIndex order, Body body);
/// The test keeps the ownership of the descriptor. `body` must read it, because otherwise the source is performed again and again.
CFRunLoopSourceRef MakeSource1(const char *name, int descriptor, Body body);
/// Reads its eventfd in each call, and does nothing else.
CFRunLoopSourceRef MakeEventSource(const char *name, int eventDescriptor);
/// Fires `delay` seconds from now. An interval of 0 makes it a one-shot timer.
CFRunLoopTimerRef MakeTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body);
/// A repeating observer. If the name is NULL, it logs the activity instead.
CFRunLoopObserverRef MakeObserver(const char *name, CFOptionFlags activities, CFIndex order, Body body);
/// Calls the handler and logs nothing itself.
CFRunLoopObserverRef MakeQuietObserver(CFOptionFlags activities, void (^handler)(CFRunLoopActivity activity));

/// The same items, added to a mode of the current loop.
CFRunLoopSourceRef AddSource0(const char *name, CFIndex order, CFStringRef mode, Body body);
CFRunLoopTimerRef AddTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, CFStringRef mode, Body body);

/// Makes an observer that logs every activity by name, and adds it to a mode of the current loop.
void LogActivities(CFStringRef mode);
/// Adds an observer that logs "woken" each time a run in a mode of the current loop wakes up.
void LogWakeUps(CFStringRef mode);
/// Adds a source to the mode that is never signalled. It keeps the mode from being empty.
void KeepAlive(CFRunLoopRef loop, CFStringRef mode);
/// Makes the loop perform the source, which must be in the loop: signals it and wakes the loop.
void SignalAndWake(CFRunLoopSourceRef source, CFRunLoopRef loop);

// MARK: - Contexts that log every call: "retain X", "release X", "schedule X A", "cancel X A", "getPort X", "perform X"
//
// For tests that count references: the test releases the items that it creates with them.

/// A context without `equal` and `hash`, with the name as info.
CFRunLoopSourceContext1 LoudContext1(const char *name, int descriptor, Body body);
CFRunLoopSourceRef MakeLoudSource0(const char *name, Body body);
CFRunLoopObserverRef MakeLoudObserver(const char *name, CFOptionFlags activities, Boolean repeats, Body body);

// MARK: - Runs and threads

/// What a callback that is left by longjmp holds leaks, as CFRunLoop.h says. LeakSanitizer ignores what is allocated between these two.
void IgnoreLeaksBegin(void);
void IgnoreLeaksEnd(void);
/// The state of one of this process's threads as the kernel reports it: S means asleep, Z means that it has ended and others have not.
char ThreadState(pid_t thread);

/// Runs the current loop and logs the result.
SInt32 Run(CFStringRef mode, CFTimeInterval seconds, Boolean once);
/// The same, while another thread waits until the loop sleeps, and then calls `body`.
SInt32 RunAndWhenAsleep(CFStringRef mode, CFTimeInterval seconds, Boolean once, Body body);
/// Runs the mode with single polls (a limit of 0) until `cond` is true; fails if that takes several seconds.
#define POLL_UNTIL(mode, cond)                                                      \
    do {                                                                            \
        double end_ = SecondsNow() + 10 * TimeScale();                              \
        while (!(cond)) {                                                           \
            CFRunLoopRunInMode(mode, 0, false);                                     \
            if (SecondsNow() > end_) FAIL("polled for seconds, and still not: %s", #cond); \
        }                                                                           \
    } while (0)

/// Runs `body` on a new thread, and returns when the thread and its loop have ended.
void OnNewThread(Body body);
/// The same on a thread with a stack of that size: at `stack`, or, if that is NULL, anywhere.
void OnNewThreadWithStack(size_t size, void *stack, Body body);
/// Runs `body` on a new thread, which JoinThread waits for.
pthread_t StartThread(Body body);
void JoinThread(pthread_t thread);

/// A thread whose loop runs in `mode` until EndLoopThread. A source keeps the mode from being empty.
typedef struct LoopThread {
    pthread_t thread;
    CFRunLoopRef loop; // retained
    CFStringRef mode;
    Boolean ends;
} LoopThread;
/// The thread calls `setUp` before its loop first runs.
LoopThread *StartLoopThread(CFStringRef mode, Body setUp);
void EndLoopThread(LoopThread *thread);
/// Waits until the loop sleeps.
void WaitUntilAsleep(CFRunLoopRef loop);
/// Runs `body` on the loop's thread, between two callbacks, and returns when `body` has returned.
void OnLoop(CFRunLoopRef loop, CFStringRef mode, Body body);

#endif
