/// CFPortSupport.c: bells, which are eventfds, and queries about descriptors. CFPortSupport.h says
/// what they are for.
///
/// Clients make these one after the other, and may well make one too many. So running out of
/// descriptors returns an error here, although it aborts the program for the run loop's own ports.
/// A Mac (all versions) needs neither bells nor watches: a message waits at its mach port, and
/// CFFileDescriptor and CFSocket watch descriptors.

#include "Base/CFInternal.h"
#include "CFPort.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "Names/CFPortSupport.h"

// MARK: - Bells

int CFBellCreate(Boolean rings) {
    return eventfd(rings ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void CFBellRing(int bell) {
    static const uint64_t one = 1;
    while (write(bell, &one, sizeof(one)) < 0 && errno == EINTR) {}
}

/// One read clears the counter. EAGAIN means that nothing was written.
void CFBellSilence(int bell) {
    uint64_t count;
    while (read(bell, &count, sizeof(count)) < 0 && errno == EINTR) {}
}

// MARK: - Watches

/// Only epoll knows, and only when it is given the descriptor. This checks for a closed descriptor
/// first, because the epoll instance itself might get the same number.
Boolean CFWatchIsPossible(int descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0) return false;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) return false;
    struct epoll_event event = {.events = EPOLLIN};
    int result = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event), error = errno;
    close(epoll);
    errno = error;
    return result == 0;
}

/// A pipe whose writer is gone reports only POLLHUP, but a read returns at once, so for a reader
/// the pipe is readable.
CFWatchEvents CFWatchGetEvents(int descriptor, CFWatchEvents wanted) {
    if (!wanted) return 0;
    struct pollfd look = {.fd = descriptor, .events = (short)__CFWatchInterest(wanted)};
    while (poll(&look, 1, 0) < 0 && errno == EINTR) {}
    CFWatchEvents events = 0;
    uint32_t ended = (uint32_t)look.revents & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    if (look.revents & EPOLLIN || ended) events |= wanted & kCFWatchReadable;
    if (look.revents & (EPOLLOUT | EPOLLHUP | EPOLLERR)) events |= wanted & kCFWatchWritable;
    if (ended) events |= kCFWatchHangUp;
    return events;
}
