/// CFRunLoopRuns.h: what the files of layer 3 offer to each other: the loop as an object. Internal.
#if !defined(__COREFOUNDATION_CFRUNLOOPRUNS__)
#define __COREFOUNDATION_CFRUNLOOPRUNS__ 1

#include "CFRunLoopItems.h"

CF_EXTERN_C_BEGIN

// MARK: - CFRunLoopObject.c

/// Creates the run loop of a thread, with the default mode in it. The registry calls this with its
/// lock held.
CF_PRIVATE CFRunLoopRef __CFRunLoopCreate(pthread_t t);

CF_EXTERN_C_END

#endif
