// CRunLoopFoundationHook.h: connects the run loop's notifications with Foundation before the program begins.

#ifndef CRUNLOOPFOUNDATIONHOOK_H
#define CRUNLOOPFOUNDATIONHOOK_H

/// Does nothing. SwiftRunLoopFoundation refers to it, so that the linker takes the constructor along from an archive.
void CRunLoopFoundationHookLink(void);

#endif
