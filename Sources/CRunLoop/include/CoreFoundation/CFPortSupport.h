/// CFPortSupport.h: what the Swift layer needs to make its ports.
///
/// No version of the original has this header, because a Mac's kernel keeps the messages of a port,
/// and a CFFileDescriptor watches a descriptor. The umbrella header does not include it. Swift's
/// Glibc module has neither eventfd nor epoll, so this header offers both under names of its own.
///
/// An *event descriptor* is an eventfd. It is readable from the moment when you set it until you
/// clear it. Use it as the port of an object that has no descriptor, for example a queue of
/// messages.
///
/// By default the loop performs a version 1 source when its port has something to read. Here you
/// can also make a source wait for other events of its descriptor: room to write, or the other end
/// hanging up.
///
/// You may call all of these functions on any thread.
#if !defined(__COREFOUNDATION_CFPORTSUPPORT__)
#define __COREFOUNDATION_CFPORTSUPPORT__ 1

#include "CFBase.h"
#include "CFRunLoop.h"

CF_EXTERN_C_BEGIN

/// The events of a descriptor. Combine several into a mask.
typedef CF_OPTIONS(CFOptionFlags, CFWatchEvents) {
    /// A read would not block: there is something to read, or the end of the file.
    kCFWatchReadable = (1UL << 0),
    /// A write would not block: there is room, or the write would fail.
    kCFWatchWritable = (1UL << 1),
    /// The other end is gone or has finished writing, or the descriptor has failed.
    kCFWatchHangUp = (1UL << 2)
};

/// Creates an event descriptor, set or clear. It is close-on-exec.
///
/// The caller owns it and closes it with close. Returns -1 if no descriptor is available; errno
/// says why.
CF_EXPORT int CFEventDescriptorCreate(Boolean isSet);
/// Makes an event descriptor readable until it is cleared. Does nothing if it is readable.
///
/// Also does nothing if the descriptor is not open. Pass only what CFEventDescriptorCreate has
/// returned, because the function writes eight bytes to any other descriptor.
CF_EXPORT void CFEventDescriptorSet(int descriptor);
/// Makes an event descriptor unreadable until it is set again. Does nothing if it is unreadable.
///
/// Also does nothing if the descriptor is not open. Pass only what CFEventDescriptorCreate has
/// returned, because the function reads eight bytes from any other descriptor.
CF_EXPORT void CFEventDescriptorClear(int descriptor);

/// Returns whether a run loop can wait for a descriptor.
///
/// If it returns false, errno says why: the descriptor is not open (EBADF), it is always ready, as
/// regular files and directories are (EPERM), or no descriptor is left for the check.
CF_EXPORT Boolean CFWatchIsPossible(int descriptor);
/// Returns which of the wanted events are true of a descriptor now. Does not wait.
///
/// Returns 0 if `wanted` is 0 or the descriptor is not open. Otherwise the result contains
/// kCFWatchHangUp, wanted or not, if the other end is gone or the descriptor has failed. If
/// kCFWatchHangUp is wanted, the result also contains it when the other end has finished writing (a
/// half-closed socket).
CF_EXPORT CFWatchEvents CFWatchGetEvents(int descriptor, CFWatchEvents wanted);
/// Sets the events that a version 1 source waits for. A new source waits for kCFWatchReadable.
///
/// While the source waits for any event, the loop also performs it when the other end is gone or
/// the descriptor has failed. With 0 the loop does not perform it at all. The change takes effect
/// at once, in all modes of all loops that contain the source, and lasts as long as the source
/// exists. Nothing happens to a version 0 source.
CF_EXPORT void CFRunLoopSourceSetWatchEvents(CFRunLoopSourceRef source, CFWatchEvents events);

CF_EXTERN_C_END

#endif
