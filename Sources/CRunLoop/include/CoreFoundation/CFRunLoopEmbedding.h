/// CFRunLoopEmbedding.h: a run loop inside another event loop (GLib's, SDL's, an epoll loop of one's own). Not part of the
/// original, which has nothing of the kind, nor of the umbrella header.
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

/// A descriptor that is readable whenever a run of the loop in `mode` would have something to do: a timer is due, a version 1
/// source's port is ready, CFRunLoopWakeUp was called (after signalling a source or queueing a block, as always), or, for the
/// main loop in a common mode, the main dispatch queue has work. For poll, select, epoll and the like, not for reading. The same
/// one at each call; it belongs to the loop and is closed when the loop's thread ends. Makes the mode if it does not exist. -1
/// for kCFRunLoopCommonModes and NULL, which nothing runs in. From the first call on, a wake-up sent while the loop is in no run
/// is kept for the next. To be called on the loop's thread.
CF_EXPORT int CFRunLoopGetDescriptor(CFRunLoopRef rl, CFRunLoopMode mode);

/// Serves what is due in `mode`, without waiting: one run with a limit of 0, so one pass. What it has left over keeps the
/// descriptor readable. To be called on the loop's thread. Returns what the run returned.
CF_EXPORT CFRunLoopRunResult CFRunLoopServe(CFRunLoopRef rl, CFRunLoopMode mode);

CF_EXTERN_C_END

#endif
