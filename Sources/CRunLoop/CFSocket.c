/// CFSocket.c: sockets whose events reach a run loop through a Source0, as the articles draw it:
///
///   the manager thread, com.apple.CFSocket.private    the loop's thread
///   ----------------------------------------------    -----------------------------------
///   1. __CFSocketManager waits for all sockets        sleeps
///   2. __CFSocketHandleReport: one of them is
///      ready; it reads, accepts or takes the error
///   3. CFRunLoopSourceSignal, CFRunLoopWakeUp         wakes up; step 4 of the next pass:
///   4. waits again, no longer for this event          __CFSocketPerformV0
///   5.                                                __CFSocketDoCallback, your function
///   6. waits for the event again                      enables the event again
///
/// A mach port cannot be a socket, so a Mac needs the thread. On Linux a version 1 source could
/// wait for the socket itself, without a thread (CFPortSupport.h). This file does it as a Mac does,
/// because the events of a Source0 have their place before the loop's sleep, and because data is
/// read and connections are accepted while the loop is busy. [I6]
///
/// On a Mac (all versions) the manager waits with select, and a byte in a pipe wakes it up when the
/// sockets that it waits for change. Here it waits with epoll, whose set may change meanwhile. The
/// file uses run loops as any client does, through CFRunLoop.h.
#define _GNU_SOURCE // pthread_setname_np
#include "CFSocketNative.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include "Names/CFSocket.h"

// MARK: - The struct

/// The kinds of events. Read, accept and data are one kind, because a socket has at most one of
/// them.
enum {
    __kCFSocketRead = 1,
    __kCFSocketConnect = kCFSocketConnectCallBack,
    __kCFSocketWrite = kCFSocketWriteCallBack,
};

/// What the manager has prepared for the next callback of the read kind.
typedef struct {
    CFDataRef data;                // retained; of a data callback
    CFDataRef address;             // retained; of a data or accept callback
    CFSocketNativeHandle accepted; // of an accept callback, otherwise -1
} __CFSocketArrival;

static const __CFSocketArrival __kCFSocketNoArrival = {NULL, NULL, -1};

struct __CFSocket {
    CFRuntimeBase _base;
    // These never change.
    CFOptionFlags _callBackTypes;
    CFSocketCallBack _callout;
    int _socketType;           // SOCK_STREAM …, or 0 if the descriptor is not a socket
    uint32_t _generation;      // distinguishes the CFSockets of a descriptor that is used again
    CFLock_t _writeLock;       // held while bytes are sent, so that those of two threads do not mix
    CFLock_t _lock;            // guards all below
    CFSocketNativeHandle _socket; // -1 if the CFSocket is invalid
    CFOptionFlags _flags;
    CFOptionFlags _disabled;   // the kinds that CFSocketDisableCallBacks has disabled
    CFOptionFlags _armed;      // the kinds that the manager waits for
    CFOptionFlags _ready;      // the kinds that have happened, and are about to be called
    Boolean _isConnected;      // the connect callback has happened
    Boolean _isWatched;        // the descriptor is in the manager's epoll set
    Boolean _waitsForEdges;    // … and reports changes, not states: see __CFSocketIsUnconnected
    Boolean _isPaused;         // … and reports nothing for a while: see __CFSocketPause
    SInt32 _errorCode;         // of the connection
    __CFSocketArrival _arrival;
    CFIndex _socketSetCount;   // how many modes of how many loops have the source
    CFRunLoopSourceRef _source0;
    CFMutableArrayRef _runLoops; // the loops of those modes, not retained; NULL if invalid
    CFMutableArrayRef _cancelledFirst; // loops, not retained: see __CFSocketCancel; often NULL
    CFIndex _nativeUsers;      // the calls that send or connect now
    CFSocketNativeHandle _closedLater; // the last of them closes it; -1 for none
    CFIndex _infoUsers;        // the callbacks that use the context's info, and 1 while valid
    CFSocketContext _context;
};

static CFOptionFlags __CFSocketKinds(CFOptionFlags callBackTypes) {
    CFOptionFlags kinds = callBackTypes & (__kCFSocketConnect | __kCFSocketWrite);
    return callBackTypes & kCFSocketDataCallBack ? kinds | __kCFSocketRead : kinds;
}

/// Returns which of read, accept and data callback the socket has.
static CFSocketCallBackType __CFSocketReadType(CFSocketRef s) {
    return (CFSocketCallBackType)(s->_callBackTypes & kCFSocketDataCallBack);
}

// MARK: - All sockets

/// The valid CFSockets by their descriptors. Retained, so a CFSocket lives until it is invalidated.
static CFMutableDictionaryRef __CFAllSockets;
static CFLock_t __CFAllSocketsLock = CF_LOCK_INITIALIZER;

static const void *__CFSocketKey(CFSocketNativeHandle sock) {
    return (const void *)(intptr_t)sock;
}

/// Returns the valid CFSocket of a descriptor, retained, or NULL.
static CFSocketRef __CFSocketCopyKnown(CFSocketNativeHandle sock) {
    __CFLock(&__CFAllSocketsLock);
    CFSocketRef s = NULL;
    if (__CFAllSockets)
        s = (CFSocketRef)CFDictionaryGetValue(__CFAllSockets, __CFSocketKey(sock));
    if (s) CFRetain(s);
    __CFUnlock(&__CFAllSocketsLock);
    return s;
}

/// Adds a CFSocket to the table, unless the descriptor has one. Returns the one in the table,
/// retained.
static CFSocketRef __CFSocketCopyAdded(CFSocketRef s) {
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

/// Removes a CFSocket from the table. The caller has a reference to it.
static void __CFSocketForget(CFSocketRef s, CFSocketNativeHandle sock) {
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
        s->_arrival.data = __CFSocketNativeCopyData(s->_socket, &s->_arrival.address);
        return s->_arrival.data != NULL;
    default: return true;
    }
}

/// Takes note of the end of a connection. Returns whether the connection was made.
static Boolean __CFSocketHandleConnect(CFSocketRef s) {
    CF_ASSERT_LOCKED(s);
    socklen_t size = sizeof(s->_errorCode);
    s->_isConnected = true;
    s->_errorCode = 0;
    if (!(s->_flags & kCFSocketLeaveErrors))
        getsockopt(s->_socket, SOL_SOCKET, SO_ERROR, &s->_errorCode, &size);
    return s->_errorCode == 0;
}

/// Events of these kinds have happened: does the manager's part, and signals the loop. If the
/// socket only seemed to be ready, the kind stays armed.
static void __CFSocketHandleKinds(CFSocketRef s, CFOptionFlags kinds) {
    CF_ASSERT_LOCKED(s);
    kinds &= s->_armed;
    s->_armed &= ~kinds;
    if (kinds & __kCFSocketConnect && !__CFSocketHandleConnect(s)) {
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
    CHECK_FOR_FORK(); // the epoll set is the parent's
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

static void __CFSocketUnwatch(CFSocketRef s) {
    CF_ASSERT_LOCKED(s);
    s->_armed = 0;
    if (s->_isWatched) {
        CHECK_FOR_FORK(); // the epoll set is the parent's
        epoll_ctl(__CFSocketManagerSet, EPOLL_CTL_DEL, s->_socket, NULL);
    }
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
        if (events & (POLLIN | POLLRDHUP | POLLHUP | POLLERR)) kinds |= __kCFSocketRead;
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
/// in the queue, and epoll would report it again at once. The manager tries again after this many
/// nanoseconds. Until then it does not wait for the socket.
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

// MARK: - Enabling and disabling

/// Waits for events of these kinds, if the socket is in a loop.
static void __CFSocketArm(CFSocketRef s, CFOptionFlags kinds) {
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

void CFSocketEnableCallBacks(CFSocketRef s, CFOptionFlags callBackTypes) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFLock(&s->_lock);
    s->_disabled &= ~__CFSocketKinds(callBackTypes);
    __CFSocketArm(s, __CFSocketKinds(callBackTypes));
    __CFUnlock(&s->_lock);
}

void CFSocketDisableCallBacks(CFSocketRef s, CFOptionFlags callBackTypes) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFLock(&s->_lock);
    s->_disabled |= __CFSocketKinds(callBackTypes);
    s->_armed &= ~__CFSocketKinds(callBackTypes); // an event on its way is ignored
    __CFUnlock(&s->_lock);
}

CFOptionFlags CFSocketGetSocketFlags(CFSocketRef s) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFLock(&s->_lock);
    CFOptionFlags flags = s->_flags;
    __CFUnlock(&s->_lock);
    return flags;
}

void CFSocketSetSocketFlags(CFSocketRef s, CFOptionFlags flags) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFLock(&s->_lock);
    s->_flags = flags;
    __CFUnlock(&s->_lock);
}

// MARK: - The source

/// Removes a loop from an array, which may be NULL, once. Returns whether the array had it.
static Boolean __CFSocketRemoveLoop(CFMutableArrayRef loops, CFRunLoopRef rl) {
    if (!loops) return false;
    CFRange all = CFRangeMake(0, CFArrayGetCount(loops));
    CFIndex index = CFArrayGetFirstIndexOfValue(loops, all, rl);
    if (index != kCFNotFound) CFArrayRemoveValueAtIndex(loops, index);
    return index != kCFNotFound;
}

/// The source was added to a mode. Any thread, nothing locked.
static void __CFSocketSchedule(void *info, CFRunLoopRef rl, CFRunLoopMode mode) {
    CFSocketRef s = info;
    __CFLock(&s->_lock);
    if (s->_socket >= 0 && !__CFSocketRemoveLoop(s->_cancelledFirst, rl)) {
        CFArrayAppendValue(s->_runLoops, rl);
        if (++s->_socketSetCount == 1) {
            // The manager must not wait in accept if another thread takes the connection first.
            if (__CFSocketReadType(s) == kCFSocketAcceptCallBack)
                __CFSocketNativeSetNonBlocking(s->_socket, true);
            s->_disabled = 0;
            __CFSocketArm(s, __CFSocketKinds(s->_callBackTypes));
        }
    }
    __CFUnlock(&s->_lock);
}

/// The source was removed from a mode, or that loop's thread has ended. The loop has no lock while
/// it calls these two functions, so if one thread removes the source while another one adds it,
/// this call may come before the other. Then _cancelledFirst has the loop, until the other comes.
static void __CFSocketCancel(void *info, CFRunLoopRef rl, CFRunLoopMode mode) {
    CFSocketRef s = info;
    __CFLock(&s->_lock);
    if (s->_socket >= 0 && __CFSocketRemoveLoop(s->_runLoops, rl)) {
        if (--s->_socketSetCount == 0) __CFSocketUnwatch(s);
    } else if (s->_socket >= 0) {
        if (!s->_cancelledFirst)
            s->_cancelledFirst = CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, NULL);
        if (!s->_cancelledFirst) __CF_HAS_NO_MEMORY_LEFT__("the loops of a CFSocket");
        CFArrayAppendValue(s->_cancelledFirst, rl);
    }
    __CFUnlock(&s->_lock);
}

static void __CFSocketArrivalRelease(__CFSocketArrival *arrival) {
    if (arrival->data) CFRelease(arrival->data);
    if (arrival->address) CFRelease(arrival->address);
    if (arrival->accepted >= 0) close(arrival->accepted);
    *arrival = __kCFSocketNoArrival;
}

/// Gives back a use of the context's info. The last one is that of the invalidation.
static void __CFSocketReleaseInfo(CFSocketRef s, void *info) {
    __CFLock(&s->_lock);
    Boolean isLast = --s->_infoUsers == 0;
    __CFUnlock(&s->_lock);
    if (isLast && info && s->_context.release) s->_context.release(info);
}

/// Calls the client for each of the kinds, in the order connect, read, write, as long as the
/// CFSocket is valid. Nothing locked. DOES CALLOUT
static void __CFSocketDoCallback(CFSocketRef s, CFOptionFlags kinds, __CFSocketArrival *arrival,
                                 SInt32 errorCode, void *info) {
    CFSocketCallBackType readType = __CFSocketReadType(s);
    if (kinds & __kCFSocketConnect)
        s->_callout(s, kCFSocketConnectCallBack, NULL, errorCode ? &errorCode : NULL, info);
    if (kinds & __kCFSocketRead && CFSocketIsValid(s)) {
        const void *data = NULL;
        CFSocketNativeHandle accepted = arrival->accepted;
        if (readType == kCFSocketAcceptCallBack) data = &accepted;
        if (readType == kCFSocketDataCallBack) data = arrival->data;
        arrival->accepted = -1; // it is the client's now
        s->_callout(s, readType, arrival->address, data, info);
    }
    if (kinds & __kCFSocketWrite && CFSocketIsValid(s))
        s->_callout(s, kCFSocketWriteCallBack, NULL, NULL, info);
    __asm__ volatile(""); // so that the last call is not a jump, and this function is in the stack
}

/// The loop performs the source. Calls the client, and enables the events again. DOES CALLOUT
static void __CFSocketPerformV0(void *perform) {
    CFSocketRef s = perform;
    __CFLock(&s->_lock);
    CFOptionFlags kinds = s->_ready & ~s->_disabled;
    if (s->_socket < 0 || !kinds) {
        __CFUnlock(&s->_lock);
        return;
    }
    __CFSocketArrival arrival = __kCFSocketNoArrival;
    s->_ready &= ~kinds;
    if (kinds & __kCFSocketRead) {
        arrival = s->_arrival;
        s->_arrival = __kCFSocketNoArrival;
    }
    SInt32 errorCode = s->_errorCode;
    void *info = s->_context.info;
    s->_infoUsers++;
    __CFUnlock(&s->_lock);

    void *retained = info && s->_context.retain ? (void *)s->_context.retain(info) : info;
    __CFSocketDoCallback(s, kinds, &arrival, errorCode, retained);
    Boolean isAtEnd = arrival.data && CFDataGetLength(arrival.data) == 0
        && s->_socketType != SOCK_DGRAM && s->_socketType != SOCK_RAW;
    __CFSocketArrivalRelease(&arrival);
    if (isAtEnd) CFSocketInvalidate(s);
    if (retained && s->_context.release) s->_context.release(retained);
    __CFSocketReleaseInfo(s, info);

    __CFLock(&s->_lock);
    CFOptionFlags again = 0;
    if (s->_flags & kCFSocketAutomaticallyReenableDataCallBack) again |= __kCFSocketRead;
    if (s->_flags & kCFSocketAutomaticallyReenableWriteCallBack) again |= __kCFSocketWrite;
    __CFSocketArm(s, kinds & again);
    __CFUnlock(&s->_lock);
}

CFRunLoopSourceRef CFSocketCreateRunLoopSource(CFAllocatorRef allocator, CFSocketRef s,
                                               CFIndex order) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    CFRunLoopSourceRef source = NULL, old = NULL;
    __CFLock(&s->_lock);
    if (s->_source0 && !CFRunLoopSourceIsValid(s->_source0)) {
        old = s->_source0;
        s->_source0 = NULL;
    }
    if (s->_socket >= 0 && !s->_source0) {
        CFRunLoopSourceContext context = {
            .info = s, .retain = CFRetain, .release = CFRelease,
            .copyDescription = CFCopyDescription, .schedule = __CFSocketSchedule,
            .cancel = __CFSocketCancel, .perform = __CFSocketPerformV0};
        s->_source0 = CFRunLoopSourceCreate(allocator, order, &context);
    }
    if (s->_source0) source = (CFRunLoopSourceRef)CFRetain(s->_source0);
    __CFUnlock(&s->_lock);
    if (old) CFRelease(old);
    return source;
}

// MARK: - The class

static void __CFSocketFinalize(CFTypeRef cf) {
    CFSocketRef s = (CFSocketRef)cf;
    __CFSocketArrivalRelease(&s->_arrival);
    if (s->_runLoops) CFRelease(s->_runLoops);
    if (s->_cancelledFirst) CFRelease(s->_cancelledFirst);
}

static CFStringRef __CFSocketCopyContextDescription(CFSocketRef s, void *info) {
    CFStringRef text = info && s->_context.copyDescription ? s->_context.copyDescription(info)
        : NULL;
    return text ? text : CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                                  CFSTR("<CFSocket context %p>"), info);
}

static CFStringRef __CFSocketCopyDescription(CFTypeRef cf) {
    CFSocketRef s = (CFSocketRef)cf;
    __CFLock(&s->_lock);
    CFSocketNativeHandle sock = s->_socket;
    CFIndex count = s->_socketSetCount;
    const void *source = s->_source0;
    void *info = s->_context.info;
    CFArrayRef loops = s->_runLoops ? CFArrayCreateMutableCopy(NULL, 0, s->_runLoops) : NULL;
    if (info) s->_infoUsers++; // otherwise the last user might be this one, which has no info
    __CFUnlock(&s->_lock);
    CFStringRef context = __CFSocketCopyContextDescription(s, info);
    if (info) __CFSocketReleaseInfo(s, info);
    CFStringRef callout = __CFCopyNameOfFunction((const void *)s->_callout);
    CFStringRef loopsText = loops ? __CFCollectionCopyDescriptionAs(loops, s->_runLoops) : NULL;
    CFStringRef text = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFSocket %p [%p]>{valid = %s, type = %d, socket = %d, socket set count = %ld,\n"
              "    callback types = 0x%lx, callout = %@ (%p), source = %p,\n"
              "    run loops = %@,\n    context = %@}"),
        cf, CFGetAllocator(cf), sock >= 0 ? "Yes" : "No", s->_socketType, sock, count,
        (unsigned long)s->_callBackTypes, callout, (const void *)s->_callout, source,
        loopsText ? loopsText : CFSTR("(null)"), context);
    if (loops) CFRelease(loops);
    if (loopsText) CFRelease(loopsText);
    if (callout) CFRelease(callout);
    if (context) CFRelease(context);
    return text;
}

CF_SHARED const CFRuntimeClass __CFSocketClass = {
    .typeID = _kCFRuntimeIDCFSocket,
    .className = "CFSocket",
    .finalize = __CFSocketFinalize,
    .copyDebugDesc = __CFSocketCopyDescription,
};

CFTypeID CFSocketGetTypeID(void) {
    return _kCFRuntimeIDCFSocket;
}

// MARK: - Creating

/// Creates a CFSocket without a context, which belongs to no table yet.
static CFSocketRef __CFSocketCreateInstance(CFAllocatorRef allocator, CFSocketNativeHandle sock,
                                            CFOptionFlags callBackTypes,
                                            CFSocketCallBack callout) {
    static _Atomic(uint32_t) generations;
    CFSocketRef s = (CFSocketRef)_CFRuntimeCreateInstance(allocator, &__CFSocketClass,
                                                          sizeof(struct __CFSocket));
    if (!s) return NULL;
    __CFLockInit(&s->_lock);
    __CFLockInit(&s->_writeLock);
    s->_socket = sock;
    s->_socketType = __CFSocketNativeGetType(sock);
    s->_generation = atomic_fetch_add(&generations, 1);
    s->_callBackTypes = callBackTypes;
    s->_callout = callout;
    s->_flags = kCFSocketCloseOnInvalidate | (callBackTypes & kCFSocketDataCallBack);
    s->_infoUsers = 1;
    s->_arrival = __kCFSocketNoArrival;
    s->_closedLater = -1;
    s->_runLoops = CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, NULL);
    if (s->_runLoops) return s;
    CFRelease(s);
    return NULL;
}

CFSocketRef CFSocketCreateWithNative(CFAllocatorRef allocator, CFSocketNativeHandle sock,
                                     CFOptionFlags callBackTypes, CFSocketCallBack callout,
                                     const CFSocketContext *context) {
    CFSocketRef known = __CFSocketCopyKnown(sock);
    if (known) return known;
    if (fcntl(sock, F_GETFD) == -1) return NULL;
    CFSocketRef s = __CFSocketCreateInstance(allocator, sock, callBackTypes, callout);
    if (!s) return NULL;
    if (context) {
        if (context->version != 0)
            __CFHalt("%s was given a context of version %ld; set it to 0.", __func__,
                     context->version);
        s->_context = *context;
        if (context->info && context->retain)
            s->_context.info = (void *)context->retain(context->info);
    }
    // Another thread may have made a CFSocket for the descriptor meanwhile.
    CFSocketRef added = __CFSocketCopyAdded(s);
    if (added != s) __CFSocketReleaseInfo(s, s->_context.info);
    CFRelease(s);
    return added;
}

CFSocketRef CFSocketCreate(CFAllocatorRef allocator, SInt32 protocolFamily, SInt32 socketType,
                           SInt32 protocol, CFOptionFlags callBackTypes, CFSocketCallBack callout,
                           const CFSocketContext *context) {
    if (protocolFamily <= 0) protocolFamily = PF_INET;
    if (protocolFamily == PF_INET && socketType <= 0) socketType = SOCK_STREAM;
    CFSocketNativeHandle sock = socket(protocolFamily, socketType, protocol < 0 ? 0 : protocol);
    if (sock < 0) return NULL;
    CFSocketRef s = CFSocketCreateWithNative(allocator, sock, callBackTypes, callout, context);
    if (!s) close(sock);
    return s;
}

/// Returns a new CFSocket, or NULL after an error, which ends the CFSocket.
static CFSocketRef __CFSocketUnless(CFSocketRef s, CFSocketError error) {
    if (error == kCFSocketSuccess) return s;
    int saved = errno;
    CFSocketInvalidate(s);
    CFRelease(s);
    errno = saved;
    return NULL;
}

CFSocketRef CFSocketCreateWithSocketSignature(CFAllocatorRef allocator,
                                              const CFSocketSignature *signature,
                                              CFOptionFlags callBackTypes, CFSocketCallBack callout,
                                              const CFSocketContext *context) {
    CFSocketRef s = CFSocketCreate(allocator, signature->protocolFamily, signature->socketType,
                                   signature->protocol, callBackTypes, callout, context);
    return s ? __CFSocketUnless(s, CFSocketSetAddress(s, signature->address)) : NULL;
}

CFSocketRef CFSocketCreateConnectedToSocketSignature(
    CFAllocatorRef allocator, const CFSocketSignature *signature, CFOptionFlags callBackTypes,
    CFSocketCallBack callout, const CFSocketContext *context, CFTimeInterval timeout) {
    CFSocketRef s = CFSocketCreate(allocator, signature->protocolFamily, signature->socketType,
                                   signature->protocol, callBackTypes, callout, context);
    return s ? __CFSocketUnless(s, CFSocketConnectToAddress(s, signature->address, timeout)) : NULL;
}

// MARK: - Addresses, connections, bytes

/// Returns the descriptor, or -1. It stays open until __CFSocketEndUse, even if another thread
/// invalidates the CFSocket. Otherwise its number could become another file's during the call.
static CFSocketNativeHandle __CFSocketBeginUse(CFSocketRef s) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFLock(&s->_lock);
    CFSocketNativeHandle sock = s->_socket;
    if (sock >= 0) s->_nativeUsers++;
    __CFUnlock(&s->_lock);
    return sock;
}

/// Leaves errno as it is.
static void __CFSocketEndUse(CFSocketRef s) {
    int saved = errno;
    __CFLock(&s->_lock);
    if (--s->_nativeUsers == 0 && s->_closedLater >= 0) {
        close(s->_closedLater);
        s->_closedLater = -1;
    }
    __CFUnlock(&s->_lock);
    errno = saved;
}

CFSocketError CFSocketSetAddress(CFSocketRef s, CFDataRef address) {
    CFSocketNativeHandle sock = CFSocketGetNative(s);
    return sock < 0 || !address ? kCFSocketError : __CFSocketNativeBind(sock, address);
}

CFSocketError CFSocketConnectToAddress(CFSocketRef s, CFDataRef address, CFTimeInterval timeout) {
    if (!address) return kCFSocketError;
    CFSocketNativeHandle sock = __CFSocketBeginUse(s);
    if (sock < 0) return kCFSocketError;
    CFSocketError error = __CFSocketNativeConnect(sock, address, timeout);
    if (error == kCFSocketError && errno == ENOTCONN) { // the manager has taken the error
        __CFLock(&s->_lock);
        errno = s->_errorCode ? s->_errorCode : ENOTCONN;
        __CFUnlock(&s->_lock);
    }
    __CFSocketEndUse(s);
    return error;
}

CFDataRef CFSocketCopyAddress(CFSocketRef s) {
    return __CFSocketNativeCopyAddress(CFSocketGetNative(s), false);
}

CFDataRef CFSocketCopyPeerAddress(CFSocketRef s) {
    return __CFSocketNativeCopyAddress(CFSocketGetNative(s), true);
}

CFSocketError CFSocketSendData(CFSocketRef s, CFDataRef address, CFDataRef data,
                               CFTimeInterval timeout) {
    if (!data) return kCFSocketError;
    CFSocketNativeHandle sock = __CFSocketBeginUse(s);
    if (sock < 0) return kCFSocketError;
    __CFLock(&s->_writeLock);
    CFSocketError error = __CFSocketNativeSend(sock, address, data, timeout);
    int saved = errno;
    __CFUnlock(&s->_writeLock);
    errno = saved;
    __CFSocketEndUse(s);
    return error;
}

// MARK: - The end, and the rest

/// Takes what a CFSocket has that is to be released with nothing locked, and leaves it invalid.
/// Returns false if it was invalid already.
static Boolean __CFSocketTakeParts(CFSocketRef s, CFRunLoopSourceRef *source, CFArrayRef *loops,
                                   __CFSocketArrival *arrival, void **info) {
    __CFLock(&s->_lock);
    CFSocketNativeHandle sock = s->_socket;
    Boolean wasValid = sock >= 0;
    if (wasValid) {
        // The manager's set first, so that another thread that makes a CFSocket for the same
        // descriptor can add it. Then the table, and then the descriptor is closed, so that the
        // table never has a CFSocket whose descriptor belongs to another file.
        __CFSocketUnwatch(s);
        __CFSocketForget(s, sock);
        CFRange all = CFRangeMake(0, CFArrayGetCount(s->_runLoops));
        CFMutableArrayRef retained = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
        if (retained) CFArrayAppendArray(retained, s->_runLoops, all);
        *loops = retained;
        *source = s->_source0;
        *arrival = s->_arrival;
        *info = s->_context.info;
        CFRelease(s->_runLoops); // its values are not retained
        s->_runLoops = NULL;
        s->_source0 = NULL;
        s->_arrival = __kCFSocketNoArrival;
        s->_context.info = NULL;
        s->_socketSetCount = 0;
        s->_ready = 0;
        s->_socket = -1;
        if (s->_flags & kCFSocketCloseOnInvalidate && s->_nativeUsers > 0) s->_closedLater = sock;
        else if (s->_flags & kCFSocketCloseOnInvalidate) close(sock);
    }
    __CFUnlock(&s->_lock);
    return wasValid;
}

void CFSocketInvalidate(CFSocketRef s) {
    if (!CFSocketIsValid(s)) return;
    CFRunLoopSourceRef source = NULL;
    CFArrayRef loops = NULL;
    __CFSocketArrival arrival = __kCFSocketNoArrival;
    void *info = NULL;
    CFRetain(s);
    if (__CFSocketTakeParts(s, &source, &loops, &arrival, &info)) {
        __CFSocketArrivalRelease(&arrival);
        if (source) {
            CFRunLoopSourceInvalidate(source);
            CFRelease(source);
        }
        // A loop that sleeps in a mode which is empty now should find that out.
        for (CFIndex i = 0; loops && i < CFArrayGetCount(loops); i++)
            CFRunLoopWakeUp((CFRunLoopRef)CFArrayGetValueAtIndex(loops, i));
        if (loops) CFRelease(loops);
        __CFSocketReleaseInfo(s, info);
    }
    CFRelease(s);
}

Boolean CFSocketIsValid(CFSocketRef s) {
    return CFSocketGetNative(s) >= 0;
}

CFSocketNativeHandle CFSocketGetNative(CFSocketRef s) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFLock(&s->_lock);
    CFSocketNativeHandle sock = s->_socket;
    __CFUnlock(&s->_lock);
    return sock;
}

void CFSocketGetContext(CFSocketRef s, CFSocketContext *context) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    if (context->version != 0)
        __CFHalt("%s was given a context of version %ld; set it to 0.", __func__, context->version);
    __CFLock(&s->_lock);
    *context = s->_context;
    __CFUnlock(&s->_lock);
}
