/// Checker.h: walks over the live structures of a run loop and checks the invariants that CFRunLoop_Internal.h states.
///
/// A test that looks only at callbacks misses a structure that is broken now and causes a failure later. So the tests call this between
/// their steps and in their callbacks.
#if !defined(CHECKER_H)
#define CHECKER_H 1

#include "CTests.h"
#include <CoreFoundation/CoreFoundation.h>

/// Checks every invariant of the loop, its modes and their items. The first one that is broken ends the case with a message. Call it on any
/// thread, without any of the loop's locks. If another thread is just changing the loop, this waits until the change is complete.
///
/// Do not call it in two situations: in the `cancel` of a source that is being invalidated, because the source is still in its other modes
/// then; and for a mode with a version 1 source whose descriptor was closed and whose number another file has, because the mode does not
/// wait for that file.
void CheckLoop(CFRunLoopRef rl);

#endif
