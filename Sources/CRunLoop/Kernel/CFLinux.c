/// CFLinux.c: what the run loop asks of Linux beyond its ports: threads, clocks, and a line on
/// stderr. CFKernel.h declares it.
#include "../Base/CFInternal.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/syscall.h>

// MARK: - Threads

pid_t __CFThreadAskNumber(void) { return (pid_t)syscall(SYS_gettid); }

pid_t __CFThreadAskFirstNumber(void) { return getpid(); }

#if defined(CF_CHECK_LOCKS)
Boolean __CFThreadHoldsLock(pthread_mutex_t *lock) {
#if defined(__GLIBC__)
    return lock->__data.__owner == __CFThreadNumber();
#else // musl keeps the number of the holder of a lock that is no plain one
    return (lock->__u.__vi[1] & 0x3fffffff) == __CFThreadNumber();
#endif
}
#endif

/// Makes the loader keep the library or plug-in that contains this code, even if the program calls
/// dlclose. From now on threads call __CFTSDFinalize when they end, and there is no way to tell
/// when the last of them has ended. An executable is never unloaded, and has no name here.
static void __CFImagePin(void) {
#if defined(__GLIBC__) // musl never unloads a library
    Dl_info info;
    struct link_map *image = NULL;
    if (!dladdr1((const void *)__CFImagePin, &info, (void **)&image, RTLD_DL_LINKMAP)) return;
    if (!image || !image->l_name || !image->l_name[0]) return;
    // Looks dlopen up by name, because the linker of a static program warns about every call of it.
    __typeof__(&dlopen) open = (__typeof__(&dlopen))dlsym(RTLD_DEFAULT, "dlopen");
    void *itself = open ? open(image->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) : NULL;
    if (itself) dlclose(itself); // RTLD_NODELETE remains in effect
#endif
}

int __CFThreadKeyCreate(pthread_key_t *key, void (*destructor)(void *value)) {
    __CFImagePin();
    return pthread_key_create(key, destructor);
}

// MARK: - Clocks

uint64_t mach_absolute_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

struct timespec __CFWallClockGetTime(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now;
}

// MARK: - What the library says, and objects

uint32_t __CFObjectNextNumber(void) { return 0; }

/// Writes the whole line with one call, so that the lines of several threads do not mix. The thread
/// must not be cancelled (pthread_cancel) during the write, because the caller may hold locks.
void __CFPrintLine(const char *format, va_list arguments) {
    char line[1024];
    int cancelState;
    size_t used = (size_t)snprintf(line, sizeof(line), "%.100s[%d] CoreFoundation: ",
                                   program_invocation_short_name, (int)getpid());
    vsnprintf(line + used, sizeof(line) - 1 - used, format, arguments);
    used = strlen(line);
    line[used] = '\n';
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelState);
    for (size_t done = 0; done <= used;) {
        ssize_t count = write(STDERR_FILENO, line + done, used + 1 - done);
        if (count > 0) done += (size_t)count;
        else if (count == 0 || errno != EINTR) break;
    }
    pthread_setcancelstate(cancelState, NULL);
}
