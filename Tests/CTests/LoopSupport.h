/// LoopSupport.h: what the tests of run loops share: short names, items that log what is done to them, runs that log their results,
/// threads, a loop that runs on one.
///
/// What an item logs is its name, so that a test reads as the list of what happened. The checker of all invariants (Checker.h) looks
/// at the current loop in every callback made here, and before and after every Run.
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

// libdispatch's headers are not on the include path of a C target; these are all that is needed.
extern struct dispatch_queue_s _dispatch_main_q;
extern void dispatch_async(struct dispatch_queue_s *queue, Body body);
extern struct dispatch_queue_s *dispatch_get_global_queue(long priority, unsigned long flags);

/// Whether the checker is called. Off in the children that Syscalls.h measures.
extern bool ChecksLoops;

// MARK: - Names

/// A string as C, without "kCFRunLoop" in front. Lives until the thread has asked for eight more.
const char *Text(CFStringRef string);
/// "Entry", "BeforeTimers", …
const char *ActivityName(CFRunLoopActivity activity);
/// "Finished", "Stopped", "TimedOut", "HandledSource".
const char *ResultName(SInt32 result);
/// The mode of that name; fails if the loop has none. Not locked: for tests that know the loop to be at rest.
CFRunLoopModeRef ModeNamed(CFRunLoopRef loop, CFStringRef name);
/// Logs the loop's modes, by name: "modes: A DefaultMode".
void LogModes(CFRunLoopRef loop);

// MARK: - Items that log their name when they are called, and then do what `body` says (which may be NULL)
//
// They live as long as the process: a test need not release them.

CFRunLoopSourceRef MakeSource0(const char *name, CFIndex order, Body body);
/// The descriptor stays the test's. A test reads it in `body`; otherwise the source is performed again and again.
CFRunLoopSourceRef MakeSource1(const char *name, int descriptor, Body body);
/// Fires `delay` seconds from now. An interval of 0 makes it a one-shot timer.
CFRunLoopTimerRef MakeTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body);
/// Repeats. With a name of NULL it logs the activity instead.
CFRunLoopObserverRef MakeObserver(const char *name, CFOptionFlags activities, CFIndex order, Body body);
/// Calls the handler, and logs nothing itself.
CFRunLoopObserverRef MakeQuietObserver(CFOptionFlags activities, void (^handler)(CFRunLoopActivity activity));

/// The same items, added to a mode of the current loop.
CFRunLoopSourceRef AddSource0(const char *name, CFIndex order, CFStringRef mode, Body body);
CFRunLoopTimerRef AddTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, CFStringRef mode, Body body);
CFRunLoopObserverRef AddObserver(const char *name, CFOptionFlags activities, CFIndex order, CFStringRef mode, Body body);

/// Makes an observer that logs every activity by name, and adds it to a mode of the current loop.
void LogActivities(CFStringRef mode);
/// Adds an observer that logs "woken" each time that a run in a mode of the current loop wakes up.
void LogWakeUps(CFStringRef mode);
/// The same, but it counts them in `count`.
void CountWakeUps(CFStringRef mode, int *count);
/// Adds a source to the mode that is never signalled: it keeps the mode from being empty.
void KeepAlive(CFRunLoopRef loop, CFStringRef mode);
/// Takes a source that is signalled and in a loop to its perform: signals it and wakes the loop.
void SignalAndWake(CFRunLoopSourceRef source, CFRunLoopRef loop);

// MARK: - Contexts that log every call: "retain X", "release X", "schedule X A", "cancel X A", "getPort X", "perform X"
//
// For the tests that count references: what is made of them is the test's to release.

/// With `equal` and `hash` absent, and the name as info.
CFRunLoopSourceContext LoudContext0(const char *name, Body body);
CFRunLoopSourceContext1 LoudContext1(const char *name, int descriptor, Body body);
/// For timers and observers, whose contexts have the same form; with LoudTimerCallBack and LoudObserverCallBack.
CFRunLoopTimerContext LoudContext(const char *name, Body body);
void LoudTimerCallBack(CFRunLoopTimerRef timer, void *info);
void LoudObserverCallBack(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info);
CFRunLoopSourceRef MakeLoudSource0(const char *name, Body body);
CFRunLoopTimerRef MakeLoudTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body);
CFRunLoopObserverRef MakeLoudObserver(const char *name, CFOptionFlags activities, Boolean repeats, Body body);

// MARK: - Runs and threads

/// Runs the current loop and logs the result.
SInt32 Run(CFStringRef mode, CFTimeInterval seconds, Boolean once);
/// Runs the mode in single polls (a limit of 0) until `cond` holds; fails if that takes seconds.
#define POLL_UNTIL(mode, cond)                                                      \
    do {                                                                            \
        double end_ = SecondsNow() + 10 * TimeScale();                              \
        while (!(cond)) {                                                           \
            CFRunLoopRunInMode(mode, 0, false);                                     \
            if (SecondsNow() > end_) FAIL("polled for seconds, and still not: %s", #cond); \
        }                                                                           \
    } while (0)

/// Does `body` on a new thread, and returns when that has ended, its loop with it.
void OnNewThread(Body body);
/// The same, to be waited for with JoinThread.
pthread_t StartThread(Body body);
void JoinThread(pthread_t thread);

/// A thread whose loop runs in `mode` until EndLoopThread; something keeps the mode from being empty.
typedef struct LoopThread {
    pthread_t thread;
    CFRunLoopRef loop; // retained
    CFStringRef mode;
    Boolean ends;
} LoopThread;
/// `setUp` is done on the thread before the loop first runs.
LoopThread *StartLoopThread(CFStringRef mode, Body setUp);
void EndLoopThread(LoopThread *thread);
/// Waits until the loop sleeps.
void WaitUntilAsleep(CFRunLoopRef loop);
/// Does `body` on the loop's thread, between two callbacks, and returns when it is done.
void OnLoop(CFRunLoopRef loop, CFStringRef mode, Body body);

#endif
