// CRunLoopProcess.c: pidfds. glibc has functions for them only from 2.36 on, and Swift cannot call `syscall`.

#if !defined(__APPLE__) // where nothing uses this target

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 // syscall
#endif

#include "CRunLoopProcess.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(SYS_pidfd_open)
#define SYS_pidfd_open 434 // on all architectures
#endif

static const idtype_t pidfd = (idtype_t)3; // P_PIDFD

int CRunLoopProcessOpen(int process) {
    int opened = (int)syscall(SYS_pidfd_open, process, 0);
    if (opened < 0) return -1;
    int descriptor = opened;
    if (opened <= STDERR_FILENO) { // no standard descriptor, which the program may redirect
        descriptor = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(opened);
        if (descriptor < 0) return -1;
    }
    siginfo_t info;
    if (waitid(pidfd, (id_t)descriptor, &info, WEXITED | WNOHANG | WNOWAIT) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

int CRunLoopProcessTake(int descriptor) {
    siginfo_t info = {.si_pid = 0};
    while (waitid(pidfd, (id_t)descriptor, &info, WEXITED | WNOHANG) != 0)
        if (errno != EINTR) return -1;
    if (info.si_pid == 0) return -2;
    return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

#endif
