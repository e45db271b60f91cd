/// ForSwiftFoundationOnly.h: what Swift's Thread needs of the system and cannot call itself, since Swift's Glibc module leaves
/// out what GNU has added to POSIX. Under the current source's names, which has the same need in
/// the same place. Not part of the umbrella header.
#if !defined(__COREFOUNDATION_FORSWIFTFOUNDATIONONLY__)
#define __COREFOUNDATION_FORSWIFTFOUNDATIONONLY__ 1

#include "CFBase.h"
#include <pthread.h>

CF_EXTERN_C_BEGIN

/// Whether the calling thread is the process's first. Makes no run loop.
CF_EXPORT Boolean _CFIsMainThread(void);
/// The process's first thread, whether it lives or not. Makes no run loop.
CF_EXPORT pthread_t pthread_main_thread_np(void);
/// Gives a living thread its name in the kernel. 0, or an error number: ERANGE if the name has more than 15 bytes.
CF_EXPORT int _CFThreadSetName(pthread_t thread, const char *name);
/// Copies the name that the kernel has for a living thread to `buffer`, which has room for `length` bytes: 16 are enough. 0, or
/// an error number. (The current source has _CFThreadGetName, for the calling thread alone.)
CF_EXPORT int _CFThreadGetKernelName(pthread_t thread, char *buffer, int length);
/// Whether the main thread's own code is over while the process goes on: it has called pthread_exit,
/// as an async main and dispatchMain() do. Nothing will run the main loop again. Not in
/// any version of the original.
CF_EXPORT Boolean _CFMainThreadHasEnded(void);
/// Has `handler` called when that happens, on the main thread, with nothing locked. There is one
/// handler; NULL takes it back. Returns false if the main thread has ended already: then the handler
/// may have been called or not. Not in any version of the original.
CF_EXPORT Boolean _CFMainThreadSetEndHandler(void (*handler)(void));

// MARK: - Descriptions

/// A closure in words, by the address of its function: that, and its name as far as
/// CFCopyDescription can know it. The caller releases the string. Any thread.
CF_EXPORT CFStringRef _CFCopyClosureDescription(const void *function);

CF_EXTERN_C_END

#endif
