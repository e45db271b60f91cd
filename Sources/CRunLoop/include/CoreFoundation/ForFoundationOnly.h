/// ForFoundationOnly.h: what the original (current source) exports for the layer above it
/// (NSRunLoop on a Mac), under the original's names. Programs have no need of it; SwiftRunLoop,
/// tests and debuggers do. Not part of the umbrella header.
#if !defined(__COREFOUNDATION_FORFOUNDATIONONLY__)
#define __COREFOUNDATION_FORFOUNDATIONONLY__ 1

#include "CFBase.h"
#include "CFDate.h"
#include "CFRunLoop.h"
#include <pthread.h>

CF_EXTERN_C_BEGIN

/// The run loop of a thread, made if there is none; NULL for the main thread's. Asking for another thread's loop is what the
/// public getters do not allow (R5): the loop may end with its thread at any time. Not retained.
CF_EXPORT CFRunLoopRef _CFRunLoopGet0(pthread_t t);
/// The run loop of a thread (NULL: the main thread) if it has one, otherwise NULL. Not retained.
CF_EXPORT CFRunLoopRef _CFRunLoopGet0b(pthread_t t);
/// The thread of a run loop.
CF_EXPORT pthread_t _CFRunLoopGet1(CFRunLoopRef rl);
/// The object of the layer above that belongs to the loop (its `_counterpart`), or NULL. Not retained.
CF_EXPORT CFTypeRef _CFRunLoopGet2(CFRunLoopRef rl);
/// The same without taking the registry's lock, for the loop's own thread.
CF_EXPORT CFTypeRef _CFRunLoopGet2b(CFRunLoopRef rl);
/// Gives the loop its object of the layer above, and returns it; if the loop has one already, that is returned, and `counterpart`
/// stays the caller's. The loop calls `release` with it when its thread ends, after its sources have been taken out: on
/// that thread, unless the thread first asked for its loop in its last round of destructors; then on
/// another, later. The main loop keeps its own for good. The object need not be one of this library: nothing else is done with it.
CF_EXPORT CFTypeRef _CFRunLoopSetCounterpart(CFRunLoopRef rl, CFTypeRef counterpart, void (*release)(CFTypeRef counterpart));
/// Whether the loop is the calling thread's. False for the loop of a thread that has ended.
CF_EXPORT Boolean _CFRunLoopIsCurrent(CFRunLoopRef rl);
/// How many runs of the calling thread's loop are going on, one inside the other: 0 outside a run, and on a thread without a
/// loop, which is not made. Not in any version of the original.
CF_EXPORT CFIndex _CFRunLoopGetDepth(void);
/// CFRunLoopServe for the main loop, called from a block of the main dispatch queue which another
/// loop serves (Foundation's, say). That loop goes on serving the main queue, and this one leaves
/// it alone meanwhile. Not in any version of the original.
CF_EXPORT CFRunLoopRunResult _CFRunLoopServeFromMainQueue(CFRunLoopRef rl, CFRunLoopMode mode);
/// Whether running the loop in that mode on the calling thread would return kCFRunLoopRunFinished at
/// once. Ask on the loop's own thread: the main loop in a common mode, with no item, is finished on
/// any other, because only the main thread serves the main dispatch queue.
CF_EXPORT Boolean _CFRunLoopFinished(CFRunLoopRef rl, CFRunLoopMode mode);
/// Stops the run of the loop in that mode, or the next one if there is none now, and wakes the loop. The mode is made if it does
/// not exist. kCFRunLoopCommonModes, which nothing runs in, is ignored.
CF_EXPORT void _CFRunLoopStopMode(CFRunLoopRef rl, CFRunLoopMode mode);
/// What CFRunLoopRun and CFRunLoopRunInMode come down to: see there. `rl` must be the calling thread's.
CF_EXPORT SInt32 CFRunLoopRunSpecific(CFRunLoopRef rl, CFRunLoopMode mode, CFTimeInterval seconds,
                                      Boolean returnAfterSourceHandled);
/// Whether a version 0 source has been signalled and not been performed since.
CF_EXPORT Boolean CFRunLoopSourceIsSignalled(CFRunLoopSourceRef source);
/// Prints the calling thread's run loop on stderr, with all modes and items; for use in a debugger.
CF_EXPORT void __CFRunLoopDump(void);

CF_EXTERN_C_END

#endif
