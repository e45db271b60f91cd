/// LoopSupport.h: what the tests of our run loop share, besides the vocabulary of Items.h: names of its internals, and a loop that runs on a
/// thread.
///
/// The checker of all invariants (Checker.h) checks the current loop in every callback of an item, and before and after every Run.
#if !defined(LOOPSUPPORT_H)
#define LOOPSUPPORT_H 1

#include "CTests.h"
#include "../../Programs/Conformance/Items.h"
#include "../../Programs/CRunLoopModel/include/LoopProgram.h"
#include "../../Sources/CRunLoop/CFRunLoop_Internal.h"

extern struct dispatch_queue_s *dispatch_get_global_queue(long priority, unsigned long flags);

/// Whether the checker is called. Off in the children that Syscalls.h measures.
extern bool ChecksLoops;

// MARK: - Names

/// The string as a C string that the caller frees; releases the string.
char *TakeText(CFStringRef string);
/// An object's description, which the caller frees, and whether it contains a text.
char *DescriptionOf(CFTypeRef object);
bool DescriptionHas(CFTypeRef object, const char *text);
/// The mode of that name; fails if the loop has none. It takes no lock, so the loop must be idle.
CFRunLoopModeRef ModeNamed(CFRunLoopRef loop, CFStringRef name);

/// Adds an observer that logs "woken" each time a run in a mode of the current loop wakes up.
void LogWakeUps(CFStringRef mode);

// MARK: - Runs and threads

/// What a callback that is left by longjmp holds leaks, as CFRunLoop.h says. LeakSanitizer ignores what is allocated between these two.
void IgnoreLeaksBegin(void);
void IgnoreLeaksEnd(void);
/// The state of one of this process's threads as the kernel reports it: S means asleep, Z means that it has ended and others have not.
char ThreadState(pid_t thread);

/// The same as Run, while another thread waits until the loop sleeps, and then calls `body`.
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

/// The same as OnNewThread with a stack of that size: at `stack`, or, if that is NULL, anywhere.
void OnNewThreadWithStack(size_t size, void *stack, Body body);

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
