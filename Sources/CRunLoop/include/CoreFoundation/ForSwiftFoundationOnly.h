/// ForSwiftFoundationOnly.h: what Swift's Thread needs from the system but cannot call itself.
///
/// Swift's Glibc module leaves out what GNU has added to POSIX. The current source has the same
/// need and the same header, so the names are its names, unless a comment says otherwise. The
/// umbrella header does not include this one.
#if !defined(__COREFOUNDATION_FORSWIFTFOUNDATIONONLY__)
#define __COREFOUNDATION_FORSWIFTFOUNDATIONONLY__ 1

#include "CFBase.h"
#include <pthread.h>

CF_EXTERN_C_BEGIN

/// Returns whether the calling thread is the process's first. Creates no run loop.
CF_EXPORT Boolean _CFIsMainThread(void);
/// Returns the process's first thread, whether or not it still lives. Creates no run loop.
CF_EXPORT pthread_t pthread_main_thread_np(void);
/// Sets the name that the kernel has for a living thread.
///
/// Returns 0, or an error number: ERANGE if the name has more than 15 bytes.
CF_EXPORT int _CFThreadSetName(pthread_t thread, const char *name);
/// Copies the name that the kernel has for a living thread into a buffer.
///
/// `length` is the size of the buffer in bytes; 16 are enough. Returns 0, or an error number. The
/// current source has _CFThreadGetName instead, for the calling thread alone.
CF_EXPORT int _CFThreadGetKernelName(pthread_t thread, char *buffer, int length);
/// Returns whether the main thread has ended while the process goes on.
///
/// This is so after the main thread has called pthread_exit, as an async main and dispatchMain()
/// do. Nothing will run the main loop again. This function is in no version of the original.
CF_EXPORT Boolean _CFMainThreadHasEnded(void);

// MARK: - Descriptions

/// Returns a description of a closure: its function's address, and its name if it is known.
///
/// It knows the names that CFCopyDescription knows, and shows them as CFCopyDescription does: a
/// name of Swift's without types. The caller releases the string. You may call it on any thread.
/// This function is in no version of the original.
CF_EXPORT CFStringRef _CFCopyClosureDescription(const void *function);
/// Returns the linker's name of the function that contains an address, or NULL if it is not known.
///
/// It knows all functions of the program, unless that has been stripped, and those that a library
/// exports. `start` receives where the function begins. The name lives as long as the library. You
/// may call it on any thread. This function is in no version of the original.
CF_EXPORT const char *_CFGetNameOfFunction(const void *address, const void **start);

CF_EXTERN_C_END

#endif
