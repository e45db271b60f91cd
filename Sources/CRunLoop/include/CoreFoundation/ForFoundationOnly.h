/// ForFoundationOnly.h: what the original (current source) exports for the layer above it, which is
/// NSRunLoop on a Mac.
///
/// The names are the original's. Programs do not need this header; SwiftRunLoop, tests and
/// debuggers do. The umbrella header does not include it.
#if !defined(__COREFOUNDATION_FORFOUNDATIONONLY__)
#define __COREFOUNDATION_FORFOUNDATIONONLY__ 1

#include "CFBase.h"
#include "CFDate.h"
#include "CFRunLoop.h"
#include <pthread.h>

CF_EXTERN_C_BEGIN

/// Returns the run loop of any thread, and creates it if the thread has none.
///
/// NULL means the main thread. The public functions do not give you another thread's loop, because
/// that loop may end with its thread at any time. The loop is not retained for you.
CF_EXPORT CFRunLoopRef _CFRunLoopGet0(pthread_t t); // [R5]
/// Returns the run loop of any thread, or NULL if the thread has none.
///
/// A NULL `t` means the main thread. The loop is not retained for you.
CF_EXPORT CFRunLoopRef _CFRunLoopGet0b(pthread_t t);
/// Returns the thread of a run loop.
CF_EXPORT pthread_t _CFRunLoopGet1(CFRunLoopRef rl);
/// Returns the object of the layer above that belongs to the loop (its `_counterpart`), or NULL.
///
/// Here that is the loop's twin: see _CFGetTwin. The object is not retained for you.
CF_EXPORT CFTypeRef _CFRunLoopGet2(CFRunLoopRef rl);
/// Returns the object of the layer above that belongs to the loop, or NULL.
///
/// In the original (current source) it takes no lock, and _CFRunLoopGet2 may create the object.
/// Here both functions do the same. The object is not retained for you.
CF_EXPORT CFTypeRef _CFRunLoopGet2b(CFRunLoopRef rl);
/// CFRetain for Swift's references to run loops. NULL is allowed.
///
/// Swift imports run loops, sources, observers and timers as references, which it retains and
/// releases: see CFSwiftNames.h. This function and the seven below are in no version of the
/// original: on a Mac, Swift retains these objects as those of Objective-C.
CF_EXPORT void _CFRunLoopRetain(CFRunLoopRef rl);
/// CFRelease for Swift's references to run loops. NULL is allowed.
CF_EXPORT void _CFRunLoopRelease(CFRunLoopRef rl);
/// CFRetain for Swift's references to sources. NULL is allowed.
CF_EXPORT void _CFRunLoopSourceRetain(CFRunLoopSourceRef rls);
/// CFRelease for Swift's references to sources. NULL is allowed.
CF_EXPORT void _CFRunLoopSourceRelease(CFRunLoopSourceRef rls);
/// CFRetain for Swift's references to observers. NULL is allowed.
CF_EXPORT void _CFRunLoopObserverRetain(CFRunLoopObserverRef rlo);
/// CFRelease for Swift's references to observers. NULL is allowed.
CF_EXPORT void _CFRunLoopObserverRelease(CFRunLoopObserverRef rlo);
/// CFRetain for Swift's references to timers. NULL is allowed.
CF_EXPORT void _CFRunLoopTimerRetain(CFRunLoopTimerRef rlt);
/// CFRelease for Swift's references to timers. NULL is allowed.
CF_EXPORT void _CFRunLoopTimerRelease(CFRunLoopTimerRef rlt);
/// Returns whether no thread will run the loop any more: its thread has ended, or is about to.
///
/// Such a loop takes no source and no block and, if it has a twin, no item. You may call it on any
/// thread. This function is in no version of the original.
CF_EXPORT Boolean _CFRunLoopHasEnded(CFRunLoopRef rl);
/// The functions for twins. `retain` may be called with a lock held; the others are called with
/// nothing locked.
///
/// `loopHasEnded` is called for the twin of a loop, once, when its thread ends: on that thread, and
/// before the items leave the loop.
typedef struct {
    void (*retain)(const void *twin);
    void (*release)(const void *twin);
    void (*loopHasEnded)(const void *twin);
} CFTwinCallBacks;
/// Gives a run loop, source, observer or timer a twin: the object of the layer above that stands
/// for it.
///
/// The twin must have a reference to `cf`, which it keeps as long as it lives. While there are
/// other references to `cf`, `cf` retains the twin. So both live as long as either is in use, and
/// then go together. All twins of a process have the same functions, which are never freed.
///
/// Returns `twin`. If `cf` has a twin already, returns that one, and nothing changes. Of an object
/// that other threads have, the caller must have a reference besides the twin's. This function is
/// in no version of the original: on a Mac, NSTimer and CFRunLoopTimer are one object.
CF_EXPORT const void *_CFSetTwin(CFTypeRef cf, const void *twin, const CFTwinCallBacks *callBacks);
/// Returns the twin of a run loop, source, observer or timer, or NULL.
///
/// It is not retained for you. It lives as long as you have a reference to `cf`. This function is
/// in no version of the original.
CF_EXPORT const void *_CFGetTwin(CFTypeRef cf);
/// Takes the twin from its object. Only the twin itself calls this, when its last reference has
/// gone, before it releases the object.
///
/// This function is in no version of the original.
CF_EXPORT void _CFRemoveTwin(CFTypeRef cf);
/// Returns whether the loop is the calling thread's. False for the loop of a thread that has ended.
CF_EXPORT Boolean _CFRunLoopIsCurrent(CFRunLoopRef rl);
/// Returns how many runs of the calling thread's loop are nested in each other.
///
/// Returns 0 outside a run. Also returns 0 on a thread that has no loop, and does not create one.
/// This function is in no version of the original.
CF_EXPORT CFIndex _CFRunLoopGetDepth(void);
/// Returns what CFRunLoopGetDescriptor returns, for a dispatch source on the main queue.
///
/// From the first call on, the descriptor of the mode is not readable while the loop runs, because
/// libdispatch waits for it on another thread, and its block would end a run that returns after a
/// source. If a callback leaves a run by a C++ exception or by longjmp, it stays unreadable. This
/// function is in no version of the original.
CF_EXPORT int _CFRunLoopGetDescriptorForMainQueue(CFRunLoopRef rl, CFRunLoopMode mode);
/// Does what CFRunLoopServe does, for the main loop, in a block of the main dispatch queue.
///
/// Use it while another loop, such as Foundation's, serves the main queue. That loop continues to
/// serve the queue, and this one leaves the queue alone during the call. This function is in no
/// version of the original.
CF_EXPORT CFRunLoopRunResult _CFRunLoopServeFromMainQueue(CFRunLoopRef rl, CFRunLoopMode mode);
/// Returns whether a run in the mode, on the calling thread, would return kCFRunLoopRunFinished at
/// once.
///
/// Call it on the loop's own thread. On any other thread, the main loop in a common mode without
/// items is finished, because only the main thread serves the main dispatch queue.
CF_EXPORT Boolean _CFRunLoopFinished(CFRunLoopRef rl, CFRunLoopMode mode);
/// Stops the loop's run in the mode, or its next one if there is none now, and wakes the loop.
///
/// The mode is created if it does not exist. For kCFRunLoopCommonModes that is a mode of this name,
/// in which nothing runs.
CF_EXPORT void _CFRunLoopStopMode(CFRunLoopRef rl, CFRunLoopMode mode);
/// Runs a loop in a mode, and returns the reason why the run ended (a CFRunLoopRunResult).
///
/// CFRunLoopRun and CFRunLoopRunInMode call this function; see CFRunLoopRunInMode. `rl` must be the
/// calling thread's loop. If it is not, debug builds of this library abort the program with a
/// message, and release builds do not check it.
CF_EXPORT SInt32 CFRunLoopRunSpecific(CFRunLoopRef rl, CFRunLoopMode mode, CFTimeInterval seconds,
                                      Boolean returnAfterSourceHandled);
/// Returns whether a version 0 source was signalled and has not been performed since.
CF_EXPORT Boolean CFRunLoopSourceIsSignalled(CFRunLoopSourceRef source);
/// Begins an autorelease pool on the calling thread, inside those that it has. See CFAutorelease.
///
/// Returns a token for _CFAutoreleasePoolPop. In Objective-C this is objc_autoreleasePoolPush.
CF_EXPORT void *_CFAutoreleasePoolPush(void);
/// Ends an autorelease pool of the calling thread, and all pools begun inside it.
///
/// Releases their objects, the newest first. NULL and a pool that has ended are ignored. In
/// Objective-C this is objc_autoreleasePoolPop.
CF_EXPORT void _CFAutoreleasePoolPop(void *pool);
/// Prints the calling thread's run loop on stderr, with all its modes and items.
///
/// You may call it in a debugger.
CF_EXPORT void __CFRunLoopDump(void);

CF_EXTERN_C_END

#endif
