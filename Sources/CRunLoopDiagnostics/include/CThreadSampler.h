// CThreadSampler.h: takes the stack of another thread while that thread runs. It is C because a signal handler takes it, and a
// handler may call neither malloc nor Swift's runtime.

#ifndef CTHREADSAMPLER_H
#define CTHREADSAMPLER_H

#include <pthread.h>
#include <stdint.h>

/// Takes the return addresses on the stack of a thread, innermost first. The first is the instruction that the thread is at.
///
/// The thread receives SIGURG. The signal's handler, which the first call installs permanently, copies the thread's registers and
/// up to 256 KB of its stack; the calling thread then follows the calls on that copy. The handler takes no lock and reads nothing
/// but the thread's own stack, so the thread may be sampled anywhere, in malloc or in the dynamic linker. SIGURG is ignored by
/// default, and debuggers pass it on silently. As with any signal, a call that sleeps (sleep, poll) may return early with EINTR;
/// reads, writes and locks are resumed.
///
/// The stack ends early where a function has neither unwind tables nor a frame pointer, or has wrong ones.
///
/// You may call this from any thread; calls take turns.
/// - thread: a thread that is alive, and not the calling one.
/// - limit: how many milliseconds to wait at most, in case the thread blocks the signal or gets no processor.
/// Returns the number of addresses stored: 0 if the thread did not answer within the limit, or if the program has a handler of
/// its own for SIGURG.
int CThreadSamplerTake(pthread_t thread, uintptr_t *addresses, int capacity, int limit);

#endif
