/// CFPort.c: ports on file descriptors, and the system calls for them. CFPortSet.c has port sets.
/// CFKernel.h says what each stands for on a Mac.

#include "CFPortSet_Internal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>

// MARK: - Diagnoses

/// The process has no descriptor left. A Mac's run loop halts in a function of this name when the
/// kernel has no port left. [D6]
static __attribute__((noinline, noreturn, cold))
void __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__(const char *what, int error) {
    struct rlimit limit = {0, 0};
    getrlimit(RLIMIT_NOFILE, &limit);
    __CFHalt("no file descriptor is available for %s: %s. The process may have %llu open at a time "
             "(ulimit -n): close some, or raise the limit.",
             what, strerror(error), (unsigned long long)limit.rlim_cur);
}

static __attribute__((noinline, noreturn, cold))
void __THE_SYSTEM_REFUSES_A_CALL_THAT_THE_RUN_LOOP_NEEDS__(const char *call, int error) {
    __CFHalt("the system call %s failed: %s. The kernel or a sandbox (seccomp) refuses it, and no "
             "run loop works without it: allow the call.", call, strerror(error));
}

static __attribute__((noinline, noreturn, cold))
void __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__(const char *call, int port, int error) {
    __CFHalt("%s on the run loop's own descriptor %d failed: %s. Some other part of the program "
             "has closed it.",
             call, port, strerror(error));
}

int __CFDescriptorMoveUp(int descriptor) {
    if (CF_LIKELY(descriptor < 0 || descriptor > STDERR_FILENO)) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
    close(descriptor);
    errno = error;
    return moved;
}

__CFPort __CFPortCheckNew(int descriptor, const char *call, const char *what) {
    descriptor = __CFDescriptorMoveUp(descriptor);
    if (descriptor >= 0) return descriptor;
    if (errno == ENOSYS || errno == EPERM || errno == EACCES)
        __THE_SYSTEM_REFUSES_A_CALL_THAT_THE_RUN_LOOP_NEEDS__(call, errno);
    __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__(what, errno);
}

/// EPERM also says that epoll cannot wait for a file, such as a regular file that has the number of
/// a closed port.
void __CFPortCallFailed(const char *call, int port, int error) {
    if (error == ENOSPC || error == ENOMEM)
        __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__("a place in a port set (epoll_ctl)", error);
    if (error == ENOSYS || error == EACCES || (error == EPERM && strcmp(call, "epoll_ctl") != 0))
        __THE_SYSTEM_REFUSES_A_CALL_THAT_THE_RUN_LOOP_NEEDS__(call, error);
    __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__(call, port, error);
}

// MARK: - System calls during which a thread cannot be cancelled
//
// The C library's read, write, poll and close are cancellation points: a thread that was cancelled
// (pthread_cancel) ends there. The run loop makes these calls with its locks held, and the locks
// would stay locked forever. So it makes the system calls directly. The wait is a cancellation
// point, because the thread holds no lock there.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// ThreadSanitizer watches the C library's calls, to learn in which order threads run. So with
/// ThreadSanitizer these calls are made, and cancellation is disabled around them.
#define __CFSystemCall(name, ...) ({ \
        int state_; \
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_); \
        long result_ = name(__VA_ARGS__); \
        int error_ = errno; \
        pthread_setcancelstate(state_, NULL); \
        errno = error_; \
        result_; \
    })
#endif
#endif
#if !defined(__CFSystemCall)
#define __CFSystemCall(name, ...) syscall(SYS_##name, __VA_ARGS__)
#endif

// MARK: - Ports

__CFPort __CFPortAllocate(void) {
    return __CFPortCheckNew(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd",
                            "a wake-up port (eventfd)");
}

__CFPort __CFPortMake(__CFPort (*make)(void), const char *what) {
    int lowest = eventfd(0, EFD_CLOEXEC);
    if (lowest < 0) return __CFPortCheckNew(lowest, "eventfd", what);
    Boolean isStandard = lowest <= STDERR_FILENO; // `make` must not get it
    __CFPort port = isStandard ? __CFPortMake(make, what) : (__CFPortFree(lowest), make());
    if (isStandard) __CFPortFree(lowest);
    return port;
}

void __CFPortFree(__CFPort port) {
    if (port != CFPORT_NULL) __CFSystemCall(close, port);
}

/// EAGAIN means that 2^64 - 2 messages wait to be received, so one more is not needed.
__attribute__((noinline)) void __CFSendTrivialMachMessage(__CFPort port) {
    int savedErrno = errno; // this runs in signal handlers
    static const uint64_t one = 1;
    while (__CFSystemCall(write, port, &one, sizeof(one)) < 0 && errno != EAGAIN) {
        if (errno != EINTR) __CFPortCallFailed("write", port, errno);
    }
    errno = savedErrno;
}

/// EAGAIN means that there is nothing to receive. For example, the toolchain's own run loop may
/// have read the main queue's port.
Boolean __CFPortReceive(__CFPort port) {
    uint64_t count;
    while (__CFSystemCall(read, port, &count, sizeof(count)) < 0) {
        if (errno == EAGAIN) return false;
        if (errno != EINTR) __CFPortCallFailed("read", port, errno);
    }
    return true;
}

uint32_t __CFWatchInterest(CFWatchEvents events) {
    uint32_t interest = 0;
    if (events & kCFWatchReadable) interest |= EPOLLIN;
    if (events & kCFWatchWritable) interest |= EPOLLOUT;
    if (events & kCFWatchHangUp) interest |= EPOLLRDHUP;
    return interest;
}

Boolean __CFPortIsReady(__CFPort port) {
    struct pollfd poll = {.fd = port, .events = POLLIN};
    struct timespec noTime = {0, 0};
    while (syscall(SYS_ppoll, &poll, 1, &noTime, NULL, 0) < 0 && errno == EINTR) {}
    return (poll.revents & ~POLLNVAL) != 0;
}

/// The kernel names the file of a descriptor: "pipe:[4711]", "socket:[4712]",
/// "anon_inode:[eventfd]", "anon_inode:inotify", or a path. This returns the text before the
/// number, the name of an anonymous inode, or the path.
static void __CFPortGetKind(__CFPort port, char *kind, size_t size) {
    char link[32], target[256];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", port);
    ssize_t length = readlink(link, target, sizeof(target) - 1);
    target[length < 0 ? 0 : length] = 0;
    const char *name = strncmp(target, "anon_inode:", 11) == 0 ? target + 11 : target;
    if (name[0] == '[') name++;
    if (length < 0)
        snprintf(kind, size, "%s", fcntl(port, F_GETFD) < 0 ? "closed" : "of unknown kind");
    else snprintf(kind, size, "%.*s", name[0] == '/' ? (int)size : (int)strcspn(name, ":]"), name);
}

CFStringRef __CFPortCopyDescription(__CFPort port) {
    if (port == CFPORT_NULL) return CFSTR("none");
    char kind[256];
    __CFPortGetKind(port, kind, sizeof(kind));
    CFStringRef result =
        CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, CFSTR("%d (%s)"), port, kind);
    return result ? result : CFSTR("?");
}
