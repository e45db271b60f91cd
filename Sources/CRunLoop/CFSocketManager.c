/// CFSocketManager.c: the thread com.apple.CFSocket.private, which waits for all CFSockets and
/// signals their sources. CFSocket.c has the picture.
///
/// On a Mac (all versions) the manager waits with select, and a byte in a pipe wakes it up when the
/// sockets that it waits for change. Here it waits with epoll, whose set may change meanwhile.
#include "CFSocket_Internal.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>

// MARK: - All sockets

/// The valid CFSockets by their descriptors. Retained, so a CFSocket lives until it is invalidated.
static CFMutableDictionaryRef __CFAllSockets;
static CFLock_t __CFAllSocketsLock = CF_LOCK_INITIALIZER;

static const void *__CFSocketKey(CFSocketNativeHandle sock) {
    return (const void *)(intptr_t)sock;
}

CFSocketRef __CFSocketCopyKnown(CFSocketNativeHandle sock) {
    __CFLock(&__CFAllSocketsLock);
    CFSocketRef s = NULL;
    if (__CFAllSockets)
        s = (CFSocketRef)CFDictionaryGetValue(__CFAllSockets, __CFSocketKey(sock));
    if (s) CFRetain(s);
    __CFUnlock(&__CFAllSocketsLock);
    return s;
}

CFSocketRef __CFSocketCopyAdded(CFSocketRef s) {
    __CFLock(&__CFAllSocketsLock);
    if (!__CFAllSockets)
        __CFAllSockets = CFDictionaryCreateMutable(kCFAllocatorSystemDefault, 0, NULL,
                                                   &kCFTypeDictionaryValueCallBacks);
    if (!__CFAllSockets) __CF_HAS_NO_MEMORY_LEFT__("the table of sockets");
    CFDictionaryAddValue(__CFAllSockets, __CFSocketKey(s->_socket), s);
    CFSocketRef added =
        (CFSocketRef)CFRetain(CFDictionaryGetValue(__CFAllSockets, __CFSocketKey(s->_socket)));
    __CFUnlock(&__CFAllSocketsLock);
    return added;
}

void __CFSocketForget(CFSocketRef s, CFSocketNativeHandle sock) {
    __CFLock(&__CFAllSocketsLock);
    if (__CFAllSockets && CFDictionaryGetValue(__CFAllSockets, __CFSocketKey(sock)) == s)
        CFDictionaryRemoveValue(__CFAllSockets, __CFSocketKey(sock));
    __CFUnlock(&__CFAllSocketsLock);
}

// MARK: - Signalling the loop

/// Signals the source, and wakes every loop that has it, because this thread does not know which of
/// them runs in the right mode. On a Mac (all versions) one of them is chosen. Neither call takes a
/// lock.
static void __CFSocketSignal(CFSocketRef s) {
    CF_ASSERT_LOCKED(s);
    if (!s->_source0 || !s->_runLoops) return;
    CFRunLoopSourceSignal(s->_source0);
    CFRunLoopRef last = NULL;
    for (CFIndex i = 0; i < CFArrayGetCount(s->_runLoops); i++) {
        CFRunLoopRef rl = (CFRunLoopRef)CFArrayGetValueAtIndex(s->_runLoops, i);
        if (rl != last) CFRunLoopWakeUp(rl);
        last = rl;
    }
}

/// The events of a socket from which a read returns at once.
#define __kCFSocketReadEvents (POLLIN | POLLRDHUP | POLLHUP | POLLERR)

/// Does the manager's part for a socket that is ready to read: reads for a data callback, accepts
/// for an accept callback. Returns whether there is something to call about.
static Boolean __CFSocketHandleRead(CFSocketRef s) {
    CF_ASSERT_LOCKED(s);
    if (s->_ready & __kCFSocketRead) return false; // the last arrival has not been called yet
    switch (__CFSocketReadType(s)) {
    case kCFSocketAcceptCallBack:
        s->_arrival.accepted = __CFSocketNativeAccept(s->_socket, &s->_arrival.address);
        // The connection is gone, or it stays in the queue, because there is no descriptor for it.
        if (s->_arrival.accepted < 0) s->_isPaused = errno != EAGAIN && errno != ECONNABORTED;
        return s->_arrival.accepted >= 0;
    case kCFSocketDataCallBack:
        s->_arrival.data = __CFSocketNativeCopyData(s->_socket, s->_socketType,
                                                    &s->_arrival.address);
        // A datagram socket that was shut down for reading is always ready, with nothing to read.
        if (!s->_arrival.data)
            s->_isPaused = __CFSocketNativeGetEvents(s->_socket) & __kCFSocketReadEvents;
        return s->_arrival.data != NULL;
    default: return true;
    }
}

/// Takes note of the end of a connection. Returns false if the error is not known yet.
///
/// The system gives a socket's error once, to this or to CFSocketConnectToAddress. A socket without
/// an error and without a peer is one whose error that function has taken. It comes back to the
/// manager when the function has left the error in _takenError.
static Boolean __CFSocketHandleConnect(CFSocketRef s) {
    CF_ASSERT_LOCKED(s);
    SInt32 error = 0;
    socklen_t size = sizeof(error);
    if (!(s->_flags & kCFSocketLeaveErrors)) {
        getsockopt(s->_socket, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error == 0 && __CFSocketTypeIsConnectionOriented(s->_socketType)
            && !__CFSocketNativeHasPeer(s->_socket)) {
            error = s->_takenError;
            if (error == 0 && s->_connectingCalls > 0) return false;
            if (error == 0) error = ENOTCONN; // the client has taken it
        }
    }
    s->_isConnected = true;
    s->_errorCode = error;
    s->_takenError = 0;
    return true;
}

/// Events of these kinds have happened: does the manager's part, and signals the loop. If the
/// socket only seemed to be ready, the kind stays armed.
static void __CFSocketHandleKinds(CFSocketRef s, CFOptionFlags kinds) {
    CF_ASSERT_LOCKED(s);
    kinds &= s->_armed;
    if (kinds & __kCFSocketConnect && !__CFSocketHandleConnect(s)) {
        s->_isPaused = true;
        return;
    }
    s->_armed &= ~kinds;
    if (kinds & __kCFSocketConnect && s->_errorCode != 0) {
        kinds &= ~(CFOptionFlags)__kCFSocketWrite; // a connection that failed has no room
        s->_armed &= ~(CFOptionFlags)__kCFSocketWrite;
    }
    if (kinds & __kCFSocketRead && !__CFSocketHandleRead(s)) {
        kinds &= ~(CFOptionFlags)__kCFSocketRead;
        s->_armed |= __kCFSocketRead;
    }
    s->_ready |= kinds;
    if (kinds) __CFSocketSignal(s);
}

// MARK: - The manager

static int __CFSocketManagerSet = -1;
static void *__CFSocketManager(void *unused);

/// Starts the manager. It is a detached thread that never ends, and no signal is delivered to it.
static void __CFSocketManagerStart(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, mask;
    __CFSocketManagerSet = epoll_create1(EPOLL_CLOEXEC);
    if (__CFSocketManagerSet < 0)
        __CFHalt("CFSocket: there is no descriptor for the manager's epoll set: %s. Raise the "
                 "limit (ulimit -n).", strerror(errno));
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    int error = pthread_create(&thread, &attributes, __CFSocketManager, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_attr_destroy(&attributes);
    if (error) __CFHalt("CFSocket: the manager's thread cannot be created: %s.", strerror(error));
}

/// Returns whether the events of a socket only say that a connection has not yet been asked for.
/// epoll reports such a socket as hung up, again and again. At the end of a connection a socket is
/// readable, too.
static Boolean __CFSocketIsUnconnected(CFSocketRef s, short events) {
    CF_ASSERT_LOCKED(s);
    return __CFSocketTypeIsConnectionOriented(s->_socketType)
        && (events & (POLLIN | POLLRDHUP | POLLERR | POLLHUP)) == POLLHUP;
}

/// Tells the manager which events of a socket it waits for. An event is reported once, until the
/// next call. An unconnected socket stays in the set, and is reported when it changes.
static void __CFSocketWatch(CFSocketRef s) {
    CF_ASSERT_LOCKED(s);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, __CFSocketManagerStart);
    struct epoll_event event = {.events = EPOLLET};
    if (!s->_waitsForEdges) event.events |= EPOLLONESHOT;
    if (s->_armed & __kCFSocketRead) event.events |= EPOLLIN | EPOLLRDHUP;
    if (s->_armed & (__kCFSocketConnect | __kCFSocketWrite)) event.events |= EPOLLOUT;
    event.data.u64 = (uint64_t)s->_generation << 32 | (uint32_t)s->_socket;
    int operation = s->_isWatched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    int result = epoll_ctl(__CFSocketManagerSet, operation, s->_socket, &event);
    if (result != 0 && errno == ENOENT) // a client has closed the descriptor and opened it again
        result = epoll_ctl(__CFSocketManagerSet, EPOLL_CTL_ADD, s->_socket, &event);
    s->_isWatched = result == 0;
    // A file or directory is always ready, so epoll does not accept it.
    if (result != 0 && errno == EPERM) __CFSocketHandleKinds(s, s->_armed);
    else if (result != 0 && (errno == ENOMEM || errno == ENOSPC))
        __CFHalt("CFSocket: the system cannot wait for another descriptor: %s.", strerror(errno));
}

void __CFSocketUnwatch(CFSocketRef s) {
    CF_ASSERT_LOCKED(s);
    s->_armed = 0;
    if (s->_isWatched) epoll_ctl(__CFSocketManagerSet, EPOLL_CTL_DEL, s->_socket, NULL);
    s->_isWatched = false;
    s->_waitsForEdges = false;
}

/// The socket was reported. The report says what was true when epoll made it. Since then another
/// thread may have read the bytes, filled the buffer or asked for a connection, and enabled the
/// callback again. So this asks for the events of this moment. Returns whether the socket is
/// paused.
static Boolean __CFSocketHandleReport(CFSocketRef s) {
    __CFLock(&s->_lock);
    s->_isPaused = false;
    // If there is nothing to do, the CFSocket was invalidated, or all of its events were disabled,
    // while the report was on its way.
    if (s->_socket >= 0 && s->_armed) {
        short events = __CFSocketNativeGetEvents(s->_socket);
        CFOptionFlags kinds = 0;
        if (events & __kCFSocketReadEvents) kinds |= __kCFSocketRead;
        if (events & (POLLOUT | POLLHUP | POLLERR)) kinds |= __kCFSocketConnect | __kCFSocketWrite;
        Boolean wasUnconnected = s->_waitsForEdges;
        s->_waitsForEdges = __CFSocketIsUnconnected(s, events);
        if (!s->_waitsForEdges) __CFSocketHandleKinds(s, kinds);
        Boolean isKnown = wasUnconnected && s->_waitsForEdges;
        if (s->_armed && !isKnown && !s->_isPaused) __CFSocketWatch(s);
    }
    Boolean isPaused = s->_isPaused;
    __CFUnlock(&s->_lock);
    return isPaused;
}

/// If accept fails, because the process has no descriptor left, for example, the connection stays
/// in the queue, and epoll would report it again at once. A socket may also be ready all the time
/// with nothing to read. The manager tries again after this many nanoseconds. Until then it does
/// not wait for the socket, unless a client enables a callback or connects it.
#define __kCFSocketPause 50000000

/// Waits again for the sockets that were paused. Nothing locked.
static void __CFSocketResumePaused(void) {
    CFIndex count = 0;
    __CFLock(&__CFAllSocketsLock);
    if (__CFAllSockets) count = CFDictionaryGetCount(__CFAllSockets);
    CFSocketRef *all = malloc((size_t)(count + 1) * sizeof(*all));
    if (!all) __CF_HAS_NO_MEMORY_LEFT__("the sockets");
    if (count > 0) CFDictionaryGetKeysAndValues(__CFAllSockets, NULL, (const void **)all);
    for (CFIndex i = 0; i < count; i++) CFRetain(all[i]);
    __CFUnlock(&__CFAllSocketsLock);
    for (CFIndex i = 0; i < count; i++) {
        __CFLock(&all[i]->_lock);
        if (all[i]->_isPaused && all[i]->_socket >= 0 && all[i]->_armed) __CFSocketWatch(all[i]);
        all[i]->_isPaused = false;
        __CFUnlock(&all[i]->_lock);
        CFRelease(all[i]);
    }
    free(all);
}

static void *__CFSocketManager(void *unused) {
    struct epoll_event events[64];
    uint64_t resumeTime = UINT64_MAX; // when it waits again for paused sockets
    pthread_setname_np(pthread_self(), "com.apple.CFSoc"); // com.apple.CFSocket.private, cut off
    for (;;) {
        if (mach_absolute_time() >= resumeTime) {
            resumeTime = UINT64_MAX;
            __CFSocketResumePaused();
        }
        int limit = resumeTime == UINT64_MAX ? -1 : (int)(__kCFSocketPause / 1000000);
        int count = epoll_wait(__CFSocketManagerSet, events, 64, limit);
        if (count < 0 && errno != EINTR)
            __CFHalt("CFSocket: the manager cannot wait: %s. Has the program closed the "
                     "descriptor %d, which is not its own?", strerror(errno), __CFSocketManagerSet);
        for (int i = 0; i < count; i++) {
            CFSocketRef s = __CFSocketCopyKnown((int)(uint32_t)events[i].data.u64);
            if (!s) continue;
            if (s->_generation == events[i].data.u64 >> 32 && __CFSocketHandleReport(s)
                && resumeTime == UINT64_MAX)
                resumeTime = mach_absolute_time() + __kCFSocketPause;
            CFRelease(s);
        }
    }
    return NULL;
}

// MARK: - Arming: which events a socket waits for

void __CFSocketArm(CFSocketRef s, CFOptionFlags kinds) {
    CF_ASSERT_LOCKED(s);
    kinds &= __CFSocketKinds(s->_callBackTypes) & ~s->_disabled;
    if (s->_isConnected) kinds &= ~(CFOptionFlags)__kCFSocketConnect;
    if (s->_socket < 0 || s->_socketSetCount <= 0 || !s->_callout) return;
    if (s->_ready & kinds) __CFSocketSignal(s); // it happened while it was disabled
    kinds &= ~s->_ready;
    if (!kinds) return;
    s->_armed |= kinds;
    __CFSocketWatch(s);
}
