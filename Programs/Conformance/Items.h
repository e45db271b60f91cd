/// Items.h: the vocabulary of tests in C: short names, items that log when they are called, contexts that log every call, runs that log their
/// results, and threads.
///
/// An item logs its name, so a test reads as a list of events. The C tests of our loop use this (Tests/CTests/LoopSupport.h), and so do the
/// scenarios, which two loops perform (Scenario.h). Either says what LOG is, and what happens around the body of a callback and around a run.
#if !defined(ITEMS_H)
#define ITEMS_H 1

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

// MARK: - Words

/// Begins a part of a log.
#define PART(title) LOG("-- %s", title)

/// The string as a C string, without the prefix "kCFRunLoop". It is valid until the thread has asked for eight more.
const char *Text(CFStringRef string);
/// A time span in half seconds, so that it does not depend on the machine's speed.
const char *About(CFTimeInterval seconds);
/// Logs the loop's modes, by name, because they are in a hash table: "modes: A DefaultMode".
void LogModes(CFRunLoopRef loop);
/// Logs the mode that the loop runs in: "current mode: A".
void LogCurrentMode(CFRunLoopRef loop);

// MARK: - Items that log their name when they are called, and then call `body` (which may be NULL)
//
// Nothing releases them.

/// The object behind the info pointer of an item. All of these objects are on one list, so that a leak checker finds them.
typedef struct Item {
    const char *name;
    Body body;
    void (^handler)(CFRunLoopActivity activity);
    int descriptor;
    CFTypeRef kept;
    struct Item *next;
} Item;

Item *MakeItem(const char *name, Body body);
/// The callbacks of these items, for other contexts.
void PerformItem(void *info);
void FireItem(CFRunLoopTimerRef timer, void *info);
void NotifyItem(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info);

CFRunLoopSourceRef MakeSource0(const char *name, CFIndex order, Body body);
/// The test keeps the ownership of the descriptor. `body` must read it, because otherwise the source is performed again and again.
CFRunLoopSourceRef MakeSource1(const char *name, int descriptor, Body body);
/// A version 1 source on an eventfd, which it reads in each call, unless the loop has (the original's does: D17).
CFRunLoopSourceRef MakeEventSource(const char *name, int eventDescriptor);
/// The same with an eventfd of its own, which `Poke` makes ready.
CFRunLoopSourceRef MakePort(const char *name, CFIndex order, Body body);
void Poke(CFRunLoopSourceRef port);
/// Fires `delay` seconds from now. An interval of 0 makes it a one-shot timer.
CFRunLoopTimerRef MakeTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body);
/// A repeating observer. If the name is NULL, it logs the activity instead.
CFRunLoopObserverRef MakeObserver(const char *name, CFOptionFlags activities, CFIndex order, Body body);
/// Calls the handler and logs nothing itself.
CFRunLoopObserverRef MakeQuietObserver(CFOptionFlags activities, void (^handler)(CFRunLoopActivity activity));

/// The same items, added to a mode of the current loop.
CFRunLoopSourceRef AddSource0(const char *name, CFIndex order, CFStringRef mode, Body body);
CFRunLoopSourceRef AddPort(const char *name, CFIndex order, CFStringRef mode, Body body);
CFRunLoopTimerRef AddTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, CFStringRef mode, Body body);
CFRunLoopObserverRef AddObserver(const char *name, CFOptionFlags activities, CFIndex order, CFStringRef mode, Body body);

/// Makes an observer that logs every activity by name, and adds it to a mode of the current loop.
void LogActivities(CFStringRef mode);
/// Adds a source to the mode that is never signalled. It keeps the mode from being empty.
void KeepAlive(CFRunLoopRef loop, CFStringRef mode);
/// Makes the loop perform the source, which must be in the loop: signals it and wakes the loop.
void SignalAndWake(CFRunLoopSourceRef source, CFRunLoopRef loop);
/// Queues a block in the current loop that logs its name.
void QueueBlock(const char *name, CFTypeRef mode, Body body);

// MARK: - Contexts that log every call: "retain X", "release X", "schedule X A", "cancel X A", "getPort X", "perform X"
//
// For tests that count references: the test releases the items that it creates with them.

/// The callbacks of these contexts.
const void *RetainLoudly(const void *info);
void ReleaseLoudly(const void *info);
/// A context without `equal` and `hash`, with the name as info.
CFRunLoopSourceContext1 LoudContext1(const char *name, int descriptor, Body body);
CFRunLoopSourceRef MakeLoudSource0(const char *name, Body body);
CFRunLoopSourceRef MakeLoudPort(const char *name, Body body);
CFRunLoopTimerRef MakeLoudTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body);
CFRunLoopObserverRef MakeLoudObserver(const char *name, CFOptionFlags activities, Boolean repeats, Body body);

// MARK: - Runs and threads

/// Runs the current loop and logs the result.
SInt32 Run(CFStringRef mode, CFTimeInterval seconds, Boolean once);
/// Runs `body` on a new thread, which JoinThread waits for.
pthread_t StartThread(Body body);
void JoinThread(pthread_t thread);
/// Runs `body` on a new thread, and returns when the thread and its loop have ended. A new thread's loop is empty and does not serve the main queue.
void OnNewThread(Body body);

#endif
