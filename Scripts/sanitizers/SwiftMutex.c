// SwiftMutex.c: tells ThreadSanitizer of the two slow paths of Swift's Mutex. Linked into what Scripts/sanitize builds, and into nothing else.
//
// A Mutex is locked and unlocked by code that is compiled into its user, and so is seen, except when a thread waits for another:
// then two functions of the toolchain's libswiftSynchronization do it, which was not built with the sanitizer. It would report what such
// a lock guards as a data race. No suppression can name that library, which has no frame in those reports; and one that named the
// functions that use a Mutex would hide their real races. So here are the two functions, by their names for the linker: they call the
// library's and say what it has done.
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

void __tsan_acquire(void *address);
void __tsan_release(void *address);
SWIFT void lockSlow(uint32_t threadID, SELF void *handle) __asm__(LOCK_SLOW);
SWIFT void unlockSlow(SELF void *handle) __asm__(UNLOCK_SLOW);

static void *librarys(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function) return function;
    fprintf(stderr, "SwiftMutex.c: this toolchain's Mutex has no %s; see how it waits now\n", name);
    abort();
}

SWIFT void lockSlow(uint32_t threadID, SELF void *handle) {
    SWIFT void (*lock)(uint32_t, SELF void *) = librarys(LOCK_SLOW);
    lock(threadID, handle);
    __tsan_acquire(handle);
}

SWIFT void unlockSlow(SELF void *handle) {
    SWIFT void (*unlock)(SELF void *) = librarys(UNLOCK_SLOW);
    __tsan_release(handle);
    unlock(handle);
}
