/// CFRunLoopEmbedding.h: a run loop inside another event loop (GLib's, SDL's, an epoll loop of
/// one's own). Not in any version of the original, which has nothing of the kind, nor in the
/// umbrella header.
///
///     int descriptor = CFRunLoopGetDescriptor(rl, kCFRunLoopDefaultMode);
///     for (;;) {
///         struct pollfd fds[] = {{descriptor, POLLIN, 0}, …};
///         poll(fds, …, -1);
///         if (fds[0].revents) CFRunLoopServe(rl, kCFRunLoopDefaultMode);
///         …
///     }
#if !defined(__COREFOUNDATION_CFRUNLOOPEMBEDDING__)
#define __COREFOUNDATION_CFRUNLOOPEMBEDDING__ 1

#include "CFBase.h"
#include "CFRunLoop.h"

CF_EXTERN_C_BEGIN

/// Returns a descriptor by which another event loop can wait for the loop in `mode`.
///
/// It is readable when a run of the loop in `mode` would have something to do: a timer is due; the
/// port of a version 1 source is ready; CFRunLoopWakeUp was called (after a source was signalled or a
/// block queued, as always); the main dispatch queue has work, for the main loop in a common mode; or
/// a run of the loop has left a signalled source or a block for this mode. A wake-up is for all modes.
///
/// Use it with poll, select, epoll and the like; do not read, write or close it. With edge-triggered
/// notification (EPOLLET), serve until poll says that the descriptor is not readable, because a serve
/// is a single pass and may leave some of the work.
///
/// Each call returns the same descriptor. It belongs to the loop, and is closed when the loop goes:
/// when its thread has ended and nobody retains the loop. The mode is made if it does not exist. From
/// the first call on, a wake-up that is sent while the loop does not run is kept for its next run.
/// Call this function on the loop's thread.
///
/// Returns -1 for kCFRunLoopCommonModes and NULL, in which nothing runs. Returns -1 and writes a line
/// to stderr if the kernel does not allow it: a loop can have 500 embedded modes (and an epoll
/// instance can wait for 100 of them), and a source's port cannot be an epoll instance that has others
/// in it four deep. Without a free file descriptor the program aborts.
CF_EXPORT int CFRunLoopGetDescriptor(CFRunLoopRef rl, CFRunLoopMode mode);

/// Serves what is due in `mode`, without waiting.
///
/// This is one run with a limit of 0, so a single pass: the timers that are due, or one ready port, or
/// the main dispatch queue, and in each case the signalled version 0 sources and the queued blocks.
/// While there is more to do, the descriptor stays readable; it is not readable any more when another
/// serve would find nothing. Call this function on the loop's thread. It may be called from a callback,
/// as runs nest. Returns what the run returned.
CF_EXPORT CFRunLoopRunResult CFRunLoopServe(CFRunLoopRef rl, CFRunLoopMode mode);

CF_EXTERN_C_END

#endif
