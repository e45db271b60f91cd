/// CFPortSupport.c: bells on eventfd, watches on epoll. What they are for is said in CFPortSupport.h.
///
/// Unlike the run loop's own ports these are asked for by clients, one after the other, and may well be one too many: running out
/// of descriptors is answered, not halted on. On a Mac (all versions) neither is needed: a message
/// waits at its mach port, and CFFileDescriptor and CFSocket watch descriptors.

#include "Base/CFInternal.h"
#include <CoreFoundation/CFPortSupport.h>

#include <errno.h>
#include <fcntl.h>
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

/// One read takes all that was written; EAGAIN means that nothing was.
void CFBellSilence(int bell) {
    uint64_t count;
    while (read(bell, &count, sizeof(count)) < 0 && errno == EINTR) {}
}

// MARK: - Watches

/// Level-triggered: what nobody has dealt with is reported again. EPOLLHUP and EPOLLERR come unasked.
static struct epoll_event __CFWatchInterest(CFWatchEvents events) {
    struct epoll_event interest = {0};
    if (events & kCFWatchReadable) interest.events |= EPOLLIN;
    if (events & kCFWatchWritable) interest.events |= EPOLLOUT;
    if (events & kCFWatchHangUp) interest.events |= EPOLLRDHUP;
    return interest;
}

/// A closed descriptor is found out first: the watch itself might be given its number.
int CFWatchCreate(int descriptor, CFWatchEvents events) {
    if (fcntl(descriptor, F_GETFD) < 0) return -1;
    int watch = epoll_create1(EPOLL_CLOEXEC);
    if (watch < 0) return -1;
    struct epoll_event interest = __CFWatchInterest(events);
    if (epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &interest) == 0) {
        if (!events) CFWatchSetEvents(watch, descriptor, 0);
        return watch;
    }
    int error = errno;
    close(watch);
    errno = error;
    return -1;
}

/// A hang-up cannot be masked, so a descriptor of which nothing is wanted is taken out altogether. Fails without harm if the
/// descriptor has been closed: then nothing is watched any more.
void CFWatchSetEvents(int watch, int descriptor, CFWatchEvents events) {
    struct epoll_event interest = __CFWatchInterest(events);
    if (!events) epoll_ctl(watch, EPOLL_CTL_DEL, descriptor, NULL);
    else if (epoll_ctl(watch, EPOLL_CTL_MOD, descriptor, &interest) < 0 && errno == ENOENT)
        epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &interest);
}

/// A pipe whose writer has gone reports EPOLLHUP and nothing else, but a read returns at once: to whoever reads it is readable.
CFWatchEvents CFWatchGetEvents(int watch, CFWatchEvents wanted) {
    struct epoll_event event;
    int count;
    while ((count = epoll_wait(watch, &event, 1, 0)) < 0 && errno == EINTR) {}
    if (count < 1) return 0;
    CFWatchEvents events = 0;
    if (event.events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) events |= wanted & kCFWatchReadable;
    if (event.events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) events |= wanted & kCFWatchWritable;
    if (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) events |= kCFWatchHangUp;
    return events;
}
