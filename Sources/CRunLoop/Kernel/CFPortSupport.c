/// CFPortSupport.c: event descriptors, which are eventfds, and questions about a client's
/// descriptor. CFPortSupport.h says what they are for.
///
/// When no descriptor is left, these functions return an error, because clients create descriptors
/// as they please. (For the run loop's own ports the program aborts.)

#include "CFPortSet_Internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

// MARK: - Event descriptors

int CFEventDescriptorCreate(Boolean isSet) {
    return __CFDescriptorMoveUp(eventfd(isSet ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void CFEventDescriptorSet(int descriptor) {
    static const uint64_t one = 1;
    while (write(descriptor, &one, sizeof(one)) < 0 && errno == EINTR) {}
}

/// One read clears the counter. EAGAIN means that nothing was written.
void CFEventDescriptorClear(int descriptor) {
    uint64_t count;
    while (read(descriptor, &count, sizeof(count)) < 0 && errno == EINTR) {}
}

// MARK: - Watches

/// Adds the descriptor to an epoll instance, because the kernel has no other way to say. The check
/// for a closed descriptor comes first, because the epoll instance itself might get its number.
Boolean CFWatchIsPossible(int descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0) return false;
    int epoll = __CFDescriptorMoveUp(epoll_create1(EPOLL_CLOEXEC));
    if (epoll < 0) return false;
    struct epoll_event event = {.events = EPOLLIN};
    int result = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event), error = errno;
    close(epoll);
    errno = error;
    return result == 0;
}

/// A pipe whose writer is gone reports only POLLHUP. A read of it returns at once, so it counts as
/// readable.
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
