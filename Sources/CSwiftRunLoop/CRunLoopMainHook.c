// CRunLoopMainHook.c: runs the main run loop while an async main is suspended.
//
// Swift's runtime starts an async main on the main thread. When it suspends for the first time, the main thread calls
// swift_task_asyncMainDrainQueue, which never returns: the end of the main function calls exit.
//
//     on a Mac      the runtime looks CFRunLoopRun up by its name, and calls it
//     on Linux      the runtime calls dispatch_main. It ends the main thread's own code, and other threads serve the main queue
//     here          the runtime calls the function in its variable swift_task_asyncMainDrainQueue_hook, which runs the main loop. The
//                   loop serves the main queue and so the main actor, too (step 9.2 of a pass)
//
// The file is in its own target because the C library itself knows nothing of Swift: a program that links CRunLoop alone has no hook.

#if !defined(__APPLE__) // where nothing uses this target

#include "CRunLoopMainHook.h"
#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/ForSwiftFoundationOnly.h>
#include <stdatomic.h>
#include <stddef.h>

typedef __attribute__((swiftcall)) void (*Drain)(void);
typedef __attribute__((swiftcall)) void (*DrainHook)(Drain original, void *unused);

/// A weak reference: in a runtime without this variable its address is NULL, and the library works without the hook.
extern DrainHook swift_task_asyncMainDrainQueue_hook __attribute__((weak));

static _Atomic bool isEnabled = true;

/// In a stack of the main thread, the frame between the runtime and the run loop. CFRunLoopRun returns after CFRunLoopStop. Then the
/// loop is run again, because only the end of the main function may end the program. [D65]
static __attribute__((swiftcall, noinline)) void CRunLoopMainHookDrain(Drain original, void *unused) {
    (void)unused;
    if (!atomic_load(&isEnabled) || !_CFIsMainThread()) original();
    while (true) CFRunLoopRun();
}

static bool isSet(void) {
    return &swift_task_asyncMainDrainQueue_hook != NULL && swift_task_asyncMainDrainQueue_hook == CRunLoopMainHookDrain;
}

/// Another library may have set the hook before. It keeps the main thread. In a program without the package's trait MainHook there is
/// no constructor.
#if CRUNLOOP_MAIN_HOOK
__attribute__((constructor))
#endif
__attribute__((used)) static void CRunLoopMainHookSet(void) {
    if (&swift_task_asyncMainDrainQueue_hook == NULL || swift_task_asyncMainDrainQueue_hook != NULL) return;
    swift_task_asyncMainDrainQueue_hook = CRunLoopMainHookDrain;
}

/// A plug-in may be unloaded, and its functions with it.
__attribute__((destructor)) static void CRunLoopMainHookUnset(void) {
    if (isSet()) swift_task_asyncMainDrainQueue_hook = NULL;
}

bool CRunLoopMainHookIsEnabled(void) { return atomic_load(&isEnabled) && isSet(); }

void CRunLoopMainHookSetEnabled(bool enabled) { atomic_store(&isEnabled, enabled); }

#endif
