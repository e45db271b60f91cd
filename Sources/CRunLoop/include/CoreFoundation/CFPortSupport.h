/// CFPortSupport.h: what the layer above makes its ports of. Not in any version of the original,
/// where the kernel's messages do all this, nor in the umbrella header. Swift's Glibc module
/// has neither eventfd nor epoll, so they are offered here under names of their own.
///
/// A *bell* is a descriptor that is readable while it rings: the port of something that is no descriptor, a queue of messages,
/// say. It belongs to the caller, who closes it with close, and is close-on-exec.
///
/// A version 1 source is performed when there is something to read from its port. Here it can also be asked to look for other
/// things that happen to a descriptor: room to write, the other end's going away.
///
/// All functions may be called from any thread.
#if !defined(__COREFOUNDATION_CFPORTSUPPORT__)
#define __COREFOUNDATION_CFPORTSUPPORT__ 1

#include "CFBase.h"
#include "CFRunLoop.h"

CF_EXTERN_C_BEGIN

/// What can happen to a descriptor; a mask where several are meant.
typedef CF_OPTIONS(CFOptionFlags, CFWatchEvents) {
    kCFWatchReadable = (1UL << 0), ///< A read would not wait: there is something, or the end.
    kCFWatchWritable = (1UL << 1), ///< A write would not wait: there is room, or it would fail.
    kCFWatchHangUp = (1UL << 2)    ///< The other end is gone, or has finished writing, or the descriptor has failed.
};

/// Makes a bell, ringing or silent. Returns -1 when there is no descriptor to be had; errno says why.
CF_EXPORT int CFBellCreate(Boolean rings);
/// Has the bell ring until it is silenced. Ringing one that rings changes nothing.
CF_EXPORT void CFBellRing(int bell);
/// Silences the bell.
CF_EXPORT void CFBellSilence(int bell);

/// Whether a run loop can wait for a descriptor. If not, errno says why: it is not open (EBADF), or
/// is always ready, as regular files and directories are (EPERM), or no descriptor is left to find
/// out with.
CF_EXPORT Boolean CFWatchIsPossible(int descriptor);
/// What has happened to a descriptor, and still holds, of what is wanted; nothing if nothing is. Does
/// not wait. kCFWatchHangUp is in the result, wanted or not, when the other end is gone or the
/// descriptor has failed, and, if it is wanted, when the other end has finished writing (a half-closed
/// socket).
CF_EXPORT CFWatchEvents CFWatchGetEvents(int descriptor, CFWatchEvents wanted);
/// What a version 1 source waits for: kCFWatchReadable until it is changed. While it waits for
/// anything, it is also performed when the other end is gone or the descriptor has failed; with 0 it
/// is not performed at all. Takes effect at once, in all modes of all loops that the source is in, and for as long as
/// it exists. Does nothing to a version 0 source.
CF_EXPORT void CFRunLoopSourceSetWatchEvents(CFRunLoopSourceRef source, CFWatchEvents events);

CF_EXTERN_C_END

#endif
