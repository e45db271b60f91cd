// CRunLoopFoundationHook.c: the constructor of SwiftRunLoopFoundation. Swift has no code that runs when a program is loaded, and an observer of
// a notification that Foundation declares, such as NSThreadWillExit, calls nothing of ours first.

#if !defined(__APPLE__) // where nothing uses this target

#include "CRunLoopFoundationHook.h"

/// In Notifications.swift.
extern void _SwiftRunLoopFoundationConnect(void);

__attribute__((constructor)) static void connect(void) {
    _SwiftRunLoopFoundationConnect();
}

void CRunLoopFoundationHookLink(void) {}

#endif
