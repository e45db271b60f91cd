/// Checker.h: a walk over the live structures of a run loop that checks what CFRunLoop_Internal.h says is always true of them.
///
/// A test that looks only at callbacks misses a structure that is broken now and does harm later. So the tests call this between their
/// steps, and in their callbacks.
#if !defined(CHECKER_H)
#define CHECKER_H 1

#include "CTests.h"
#include <CoreFoundation/CoreFoundation.h>

/// Checks every invariant of the loop, its modes and their items; the first that does not hold ends the case, in words. Any thread,
/// with none of the loop's locks held. What another thread is in the middle of doing to the loop is given the time to be done.
///
/// Two places to keep away from: the `cancel` of a source that is being invalidated (it is still in its other modes there), and a
/// mode with a version 1 source whose descriptor was closed and has been opened as another file since (that one is not waited for).
void CheckLoop(CFRunLoopRef rl);

#endif
