/// CFRunLoopEmbedding.h: a run loop inside another event loop, such as GLib's, SDL's or your own
/// epoll loop.
///
/// This header is in no version of the original, and the umbrella header does not include it.
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

/// Returns a descriptor with which another event loop can wait for the loop in a mode.
///
/// The descriptor is readable while a run of the loop in `mode` would have something to do:
///
/// - A timer is due.
/// - The port of a version 1 source is ready.
/// - CFRunLoopWakeUp was called. As always, call it after you signal a source or queue a block. A
///   wake-up makes the descriptors of all modes readable.
/// - The main dispatch queue has work. This applies to the main loop in a common mode.
/// - A run of the loop has left a signalled source or a block for this mode.
///
/// While the loop runs, the descriptor is readable in any case: a callback may be the host.
///
/// Use the descriptor with poll, select, epoll and the like. Do not read, write or close it. With
/// edge-triggered notification (EPOLLET), call CFRunLoopServe until poll says that the descriptor
/// is not readable, because one call makes a single pass and may leave some of the work.
///
/// Call this function on the loop's thread. Each call returns the same descriptor. It belongs to
/// the loop, which closes it when the loop itself is deallocated: after its thread has ended and
/// no reference to the loop is left. The mode is created if it does not exist. After the first
/// call, the loop keeps a wake-up that is sent while it is not running, and its next run gets it.
///
/// For kCFRunLoopCommonModes and NULL it returns -1, because nothing runs in them. If the kernel
/// refuses, it returns -1 and writes a line to stderr. A loop can have 500 embedded modes, and an
/// epoll instance can wait for 100 of them. The port of a source cannot be an epoll instance that
/// contains others four deep. If no file descriptor is free, the program aborts.
CF_EXPORT int CFRunLoopGetDescriptor(CFRunLoopRef rl, CFRunLoopMode mode);

/// Performs what is due in a mode, without waiting, and returns the result of that run.
///
/// This is one run with a time limit of 0, so it makes a single pass. The pass handles the timers
/// that are due, or one ready port, or the main dispatch queue. In each case it also handles the
/// signalled version 0 sources and the queued blocks. While there is more to do, the descriptor
/// stays readable. When another call would find nothing to do, the descriptor is no longer
/// readable.
///
/// Call this function on the loop's thread. On any other thread, debug builds of this library abort
/// the program with a message, and release builds do not check it. You may call it in a callback,
/// because runs nest.
CF_EXPORT CFRunLoopRunResult CFRunLoopServe(CFRunLoopRef rl, CFRunLoopMode mode);

CF_EXTERN_C_END

#endif
