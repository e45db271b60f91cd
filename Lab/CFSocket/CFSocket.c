/// CFSocket.c: the thread com.apple.CFSocket.private, and the Source0s that it signals.
///
///   the thread com.apple.CFSocket.private             the loop's thread
///   ----------------------------------------------    -----------------------------------
///   1. __CFSocketManager waits for all sockets        sleeps
///   2. __CFSocketHandleReport: one of them is ready
///   3. CFRunLoopSourceSignal, CFRunLoopWakeUp         wakes up; step 4 of the next pass:
///   4. waits again, no longer for this event          __CFSocketPerformV0
///   5.                                                __CFSocketDoCallback, your function
///   6. waits for the event again                      enables the event again
///
/// A mach port cannot be a socket, so a Mac needs the thread. There (all versions) it waits with
/// select, and a byte in a pipe wakes it up when its sockets change. Here it waits with epoll, whose
/// set other threads may change meanwhile. The static functions have the names that stacks of a Mac
/// show.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "LabSocket.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct LabSocket {
    // These never change until the end.
    int descriptor; // -1 after LabSocketInvalidate
    CFRunLoopSourceRef source0;
    LabSocketEvents events;
    LabSocketCallBack callBack;
    void *info;
    void (*release)(void *info);
    // The lock of `sockets` guards these.
    CFRunLoopRef loop;     // the loop that has the source; NULL if there is none
    int modes;             // how many of the loop's modes have it
    LabSocketEvents armed; // the events that the thread waits for
    LabSocketEvents ready; // the events that have happened, and whose calls are due
    LabSocket *next;
};

/// A thread that holds the lock may signal a source and wake a loop, whose locks come after it. It
/// calls no client.
static struct {
    pthread_mutex_t lock;
    LabSocket *first; // all that are valid
    int set;          // the thread's epoll set; -1: there is no thread yet
} sockets = {PTHREAD_MUTEX_INITIALIZER, NULL, -1};

static void mustBeTrue(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "CFSocket: %s: %s\n", what, strerror(errno));
    abort();
}

// MARK: - The thread

/// Makes epoll report the socket once, when one of the armed events has happened.
static void __CFSocketWatch(LabSocket *s) {
    struct epoll_event event = {.events = EPOLLONESHOT, .data.fd = s->descriptor};
    if (s->armed & kLabSocketReadable) event.events |= EPOLLIN | EPOLLRDHUP;
    if (s->armed & kLabSocketWritable) event.events |= EPOLLOUT;
    int result = s->armed ? epoll_ctl(sockets.set, EPOLL_CTL_MOD, s->descriptor, &event) : 0;
    if (result != 0 && errno == ENOENT)
        result = epoll_ctl(sockets.set, EPOLL_CTL_ADD, s->descriptor, &event);
    mustBeTrue(result == 0, "epoll_ctl");
}

/// Looks which of the armed events have happened, because a late report may belong to another
/// socket, which had the descriptor before.
static void __CFSocketHandleReport(LabSocket *s) {
    struct pollfd now = {s->descriptor, POLLIN | POLLRDHUP | POLLOUT, 0};
    poll(&now, 1, 0);
    LabSocketEvents happened = 0;
    if (now.revents & ~POLLOUT) happened |= kLabSocketReadable;
    if (now.revents & ~(POLLIN | POLLRDHUP)) happened |= kLabSocketWritable;
    happened &= s->armed;
    s->armed &= ~happened;
    s->ready |= happened;
    __CFSocketWatch(s);
    if (!happened) return;
    CFRunLoopSourceSignal(s->source0);
    CFRunLoopWakeUp(s->loop); // a signal does not wake a loop
}

static void *__CFSocketManager(void *unused) {
    pthread_setname_np(pthread_self(), "com.apple.CFSoc"); // the 15 bytes that Linux keeps
    for (;;) {
        struct epoll_event event;
        int count = epoll_wait(sockets.set, &event, 1, -1);
        mustBeTrue(count >= 0 || errno == EINTR, "epoll_wait");
        if (count <= 0) continue;
        pthread_mutex_lock(&sockets.lock);
        LabSocket *s = sockets.first;
        while (s && s->descriptor != event.data.fd) s = s->next;
        if (s && s->loop) __CFSocketHandleReport(s);
        pthread_mutex_unlock(&sockets.lock);
    }
    return NULL;
}

/// Starts the thread, which never ends. No signal of the process is delivered to it.
static void __CFSocketManagerStart(void) {
    pthread_t thread;
    sigset_t all, mask;
    sockets.set = epoll_create1(EPOLL_CLOEXEC);
    mustBeTrue(sockets.set >= 0, "epoll_create1");
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    errno = pthread_create(&thread, NULL, __CFSocketManager, NULL);
    mustBeTrue(errno == 0, "pthread_create");
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_detach(thread);
}

// MARK: - The Source0

/// The source has been added to a mode.
static void __CFSocketSchedule(void *info, CFRunLoopRef rl, CFRunLoopMode mode) {
    LabSocket *s = info;
    pthread_mutex_lock(&sockets.lock);
    s->loop = rl;
    if (s->modes++ == 0) {
        s->armed = s->events;
        __CFSocketWatch(s);
    }
    pthread_mutex_unlock(&sockets.lock);
}

/// The source has been removed from a mode, or the loop's thread ends.
static void __CFSocketCancel(void *info, CFRunLoopRef rl, CFRunLoopMode mode) {
    LabSocket *s = info;
    pthread_mutex_lock(&sockets.lock);
    if (--s->modes == 0) {
        s->loop = NULL; // a report on its way is ignored
        s->armed = s->ready = 0;
    }
    pthread_mutex_unlock(&sockets.lock);
}

__attribute__((noinline))
static void __CFSocketDoCallback(LabSocket *s, LabSocketEvents happened) {
    if (happened & kLabSocketReadable) s->callBack(s, kLabSocketReadable, s->info);
    if (happened & kLabSocketWritable && s->descriptor >= 0)
        s->callBack(s, kLabSocketWritable, s->info);
    __asm__ volatile(""); // so that the last call is not a jump, and this function is in the stack
}

/// The loop performs the source. It retains the source meanwhile, so `s` exists until the end.
__attribute__((noinline)) static void __CFSocketPerformV0(void *info) {
    LabSocket *s = info;
    pthread_mutex_lock(&sockets.lock);
    LabSocketEvents happened = s->ready;
    s->ready = 0;
    pthread_mutex_unlock(&sockets.lock);
    __CFSocketDoCallback(s, happened);
    if (s->descriptor >= 0) LabSocketEnable(s, happened & kLabSocketReadable);
}

/// The source has no reference any more.
static void __CFSocketRelease(const void *info) {
    LabSocket *s = (LabSocket *)info;
    if (s->release) s->release(s->info);
    free(s);
}

// MARK: - The functions of LabSocket.h

LabSocket *LabSocketCreate(int descriptor, LabSocketEvents events, LabSocketCallBack callBack,
                           void *info, void (*release)(void *info)) {
    LabSocket *s = calloc(1, sizeof(LabSocket));
    if (!s) return NULL;
    *s = (LabSocket){.descriptor = descriptor, .events = events, .callBack = callBack,
                     .info = info, .release = release};
    CFRunLoopSourceContext context = {
        .info = s, .release = __CFSocketRelease, .schedule = __CFSocketSchedule,
        .cancel = __CFSocketCancel, .perform = __CFSocketPerformV0};
    s->source0 = CFRunLoopSourceCreate(NULL, 0, &context);
    pthread_mutex_lock(&sockets.lock);
    if (sockets.set < 0) __CFSocketManagerStart();
    s->next = sockets.first;
    sockets.first = s;
    pthread_mutex_unlock(&sockets.lock);
    return s;
}

CFRunLoopSourceRef LabSocketGetSource(LabSocket *s) { return s->source0; }

int LabSocketGetDescriptor(LabSocket *s) { return s->descriptor; }

void LabSocketEnable(LabSocket *s, LabSocketEvents events) {
    pthread_mutex_lock(&sockets.lock);
    if (s->loop) {
        s->armed |= events & s->events & ~s->ready;
        __CFSocketWatch(s);
    }
    pthread_mutex_unlock(&sockets.lock);
}

void LabSocketInvalidate(LabSocket *s) {
    CFRunLoopSourceRef source0 = s->source0;
    CFRunLoopSourceInvalidate(source0); // which calls __CFSocketCancel
    pthread_mutex_lock(&sockets.lock);
    LabSocket **link = &sockets.first;
    while (*link != s) link = &(*link)->next;
    *link = s->next;
    epoll_ctl(sockets.set, EPOLL_CTL_DEL, s->descriptor, NULL);
    close(s->descriptor);
    s->descriptor = -1;
    pthread_mutex_unlock(&sockets.lock);
    CFRelease(source0); // unless the loop is performing it, this calls __CFSocketRelease
}
