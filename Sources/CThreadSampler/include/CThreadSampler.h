// CThreadSampler.h: the stack of another thread, taken while that thread runs. It is C because a signal handler takes it, in
// which neither malloc nor Swift's runtime may be called.

#ifndef CTHREADSAMPLER_H
#define CTHREADSAMPLER_H

#include <pthread.h>
#include <stdint.h>

/// Takes the return addresses on the stack of a thread, innermost first; the first is where the thread is.
///
/// The thread gets SIGURG, whose handler, which the first call installs for good, looks down the thread's stack. A program does
/// not notice that signal otherwise: it is ignored by default, and debuggers let it pass without a word. As with any signal, a
/// call in which the thread sleeps (sleep, poll) may return early with EINTR; reads, writes and locks are resumed.
///
/// May be called on any thread; calls take turns.
/// - thread: a thread that is alive, and not the calling one.
/// - limit: how many milliseconds to wait at most, for a thread that blocks the signal or gets no processor.
/// Returns how many addresses have been stored: 0 if there was nothing within the limit, or the signal's handler is somebody
/// else's.
int CThreadSamplerTake(pthread_t thread, uintptr_t *addresses, int capacity, int limit);

/// The name of the function at an address, if the dynamic linker knows it, else NULL; and the file that the address is in, or
/// NULL.
const char *CThreadSamplerName(uintptr_t address, const char **file);

#endif
