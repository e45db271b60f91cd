/// CFPortSupport.h: what the layer above makes its ports of. Not in any version of the original,
/// where the kernel's messages do all this, nor in the umbrella header. Swift's Glibc module
/// has neither eventfd nor epoll, so they are offered here under names of their own.
///
/// A *bell* is a descriptor that is readable while it rings: the port of something that is no descriptor, a queue of messages,
/// say. A *watch* is a descriptor that is readable while something has happened to another descriptor that a run loop does not
/// wait for by itself: room to write, the other end's going away.
///
/// Both belong to the caller, who closes them with close. Both are close-on-exec. All functions may be called from any thread.
#if !defined(__COREFOUNDATION_CFPORTSUPPORT__)
#define __COREFOUNDATION_CFPORTSUPPORT__ 1

#include "CFBase.h"

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

/// Makes a watch on a descriptor, which stays the caller's. Returns -1 if the descriptor is not open, or cannot be waited for
/// (regular files, directories), or there is no descriptor to be had; errno says which.
CF_EXPORT int CFWatchCreate(int descriptor, CFWatchEvents events);
/// Changes what is watched for; with 0, nothing is until it is changed again. While anything is
/// watched for, the watch also becomes readable when the other end is gone or the descriptor has
/// failed; kCFWatchHangUp adds that the other end has finished writing (a half-closed socket). Does
/// nothing if the descriptor was closed.
CF_EXPORT void CFWatchSetEvents(int watch, int descriptor, CFWatchEvents events);
/// Returns what has happened, and still holds, of what is watched for and in `wanted`; does not wait.
/// kCFWatchHangUp is in the result, in `wanted` or not, when the other end is gone or the descriptor
/// has failed, and, if it is watched for, when the other end has finished writing.
CF_EXPORT CFWatchEvents CFWatchGetEvents(int watch, CFWatchEvents wanted);

CF_EXTERN_C_END

#endif
