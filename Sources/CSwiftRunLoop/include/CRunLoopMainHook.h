// CRunLoopMainHook.h: the main run loop under an async main.

#ifndef CRUNLOOPMAINHOOK_H
#define CRUNLOOPMAINHOOK_H

#include <stdbool.h>

/// Returns whether an async main that suspends from now on leaves the main thread to the main run loop: the hook is set, and
/// `CRunLoopMainHookSetEnabled(false)` was not called. May be called from any thread.
bool CRunLoopMainHookIsEnabled(void);

/// Chooses who gets the main thread when an async main suspends for the first time: the main run loop (true, the default) or Swift's
/// runtime (false), which then ends the main thread's own code. After that suspension, this has no effect. If the hook is not set,
/// true has no effect. May be called from any thread.
void CRunLoopMainHookSetEnabled(bool enabled);

#endif
