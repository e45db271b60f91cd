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
/// For a data or accept callback step 6 comes before step 5, because the manager has taken what
/// there was.
///
/// A mach port cannot be a socket, so a Mac needs the thread. On Linux a version 1 source could
/// wait for the socket itself (CFPortSupport.h). This file does it as a Mac does, because the
/// events of a Source0 have their place before the loop's sleep, and because data is read and
/// connections are accepted while the loop is busy. [I6]
///
/// On a Mac (all versions) the manager waits with select, and a byte in a pipe wakes it up when its
/// sockets change. Here it waits with epoll, whose set may change meanwhile. __CFSocketWatch makes
/// epoll report a socket if it is ready, and then again after every change (EPOLLET). A report only
/// says "look": the manager asks for the events of this moment. So a late report does no harm, and
/// a socket that stays ready with nothing to read is reported once.
#include "Base/CFInternal.h"
#include <CoreFoundation/CFSocket.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/// Returns the kinds of events that callbacks of these types wait for: read, connect, write. Accept
/// and data callbacks wait for the kind read. The flags that enable callbacks again have the same
/// numbers.
static CFOptionFlags __CFSocketKinds(CFOptionFlags callBackTypes) {
    CFOptionFlags read = callBackTypes & kCFSocketDataCallBack ? kCFSocketReadCallBack : 0;
    return read | (callBackTypes & (kCFSocketConnectCallBack | kCFSocketWriteCallBack));
}

/// What the manager has prepared for the next callback of the read kind.
typedef struct {
    CFDataRef data;                // retained; of a data callback
    CFDataRef address;             // retained; of a data or accept callback
    CFSocketNativeHandle accepted; // of an accept callback, otherwise -1
} __CFSocketArrival;

#define __kCFSocketNoArrival ((__CFSocketArrival){NULL, NULL, -1})

struct __CFSocket {
    CFRuntimeBase _base;
    // These never change.
    CFOptionFlags _callBackTypes;
    CFSocketCallBackType _readType; // read, accept, data, or none of them
    CFSocketCallBack _callout;
    int _socketType;         // SOCK_STREAM …, or 0 if the descriptor is not a socket
    CFLock_t _writeLock;     // held while bytes are sent, so that those of two threads do not mix;
                             // taken before the lock of __CFAllSockets, which guards all below
    _Atomic(CFSocketNativeHandle) _socket; // -1 if invalid; then only CFSocketInvalidate may use
                                           // _arrival, _source0 and _runLoops
    CFOptionFlags _flags;
    CFOptionFlags _disabled; // the kinds that CFSocketDisableCallBacks has disabled
    CFOptionFlags _armed;    // the kinds that the manager waits for
    CFOptionFlags _ready;    // the kinds that have happened, and are about to be called
    Boolean _isConnected;    // the connect callback has happened
    SInt32 _errorCode;       // of the connection
    __CFSocketArrival _arrival;
    CFMutableArrayRef _runLoops; // the source's loops, each once for each of its modes
    CFMutableArrayRef _cancelled; // those whose cancel came before their schedule
    CFRunLoopSourceRef _source0;
    CFIndex _infoUsers;      // the calls that use the context's info, and 1 while valid
    CFSocketContext _context;
};

/// All CFSockets. A thread that holds the lock may signal a source and wake a loop (their locks
/// come after it), but it calls no client and does not wait. It may use a descriptor: only the
/// lock's holder makes a CFSocket invalid, whose descriptor's number may become another file's.
static struct {
    CFLock_t _lock;
    CFMutableDictionaryRef _byDescriptor; // the valid ones; retained
    int _set;                             // the manager's epoll set; -1: there is no manager yet
    Boolean _managerPauses;               // see __CFSocketAccept
} __CFAllSockets = {CF_LOCK_INITIALIZER, NULL, -1, false};

// MARK: - Handling events

/// Takes the error of a connection from the socket. Returns it, or the one that an earlier call for
/// this connection has taken.
static SInt32 __CFSocketTakeError(CFSocketRef s, CFSocketNativeHandle sock) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    SInt32 error = 0;
    socklen_t size = sizeof(error);
    getsockopt(sock, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) s->_errorCode = error;
    return s->_errorCode;
}

/// Returns an address that the system has stored, or NULL for none. The caller releases it.
static CFDataRef __CFSocketCreateAddress(const struct sockaddr_storage *address, socklen_t size) {
    if (size == 0) return NULL;
    if (size > sizeof(*address)) size = sizeof(*address); // it was cut off
    return CFDataCreate(kCFAllocatorSystemDefault, (const UInt8 *)address, size);
}

/// Reads for a data callback. At the end of the file, and if the socket has failed, the data is
/// empty. Returns false if there is nothing to read.
static Boolean __CFSocketReadData(CFSocketRef s) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    struct sockaddr_storage from;
    socklen_t size = sizeof(from);
    int most = 0; // a message must fit, because the system throws away the rest of it
    Boolean hasMessages = s->_socketType != SOCK_STREAM && s->_socketType != 0;
    if (!hasMessages || ioctl(s->_socket, FIONREAD, &most) != 0 || most < 65536) most = 65536;
    UInt8 *buffer = malloc((size_t)most);
    if (!buffer) __CF_HAS_NO_MEMORY_LEFT__("the bytes of a CFSocket");
    ssize_t count =
        recvfrom(s->_socket, buffer, (size_t)most, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
    // What is no socket had something to read a moment ago, so this does not wait.
    if (count < 0 && errno == ENOTSOCK) count = read(s->_socket, buffer, (size_t)most);
    Boolean isNothing = count < 0 && errno == EAGAIN;
    if (!isNothing) {
        s->_arrival.data = CFDataCreate(kCFAllocatorSystemDefault, buffer, count > 0 ? count : 0);
        // A connection has no sender in each message. The sender is the other end.
        if (count <= 0 || size == 0 || s->_socketType == 0) {
            size = sizeof(from);
            if (getpeername(s->_socket, (struct sockaddr *)&from, &size) != 0) size = 0;
        }
        s->_arrival.address = __CFSocketCreateAddress(&from, size);
    }
    free(buffer);
    return !isNothing;
}

static void __CFSocketWatch(CFSocketRef s);

/// Accepts for an accept callback. Returns false if there is no connection.
static Boolean __CFSocketAccept(CFSocketRef s) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    struct sockaddr_storage from;
    socklen_t size = sizeof(from);
    s->_arrival.accepted = accept(s->_socket, (struct sockaddr *)&from, &size);
    if (s->_arrival.accepted >= 0) s->_arrival.address = __CFSocketCreateAddress(&from, size);
    // If there is no descriptor for the connection, it stays in the queue, so the manager tries
    // again after a pause. EINVAL: a client has ended the listening.
    else if (errno != EAGAIN && errno != EINVAL) {
        __CFAllSockets._managerPauses = true;
        __CFSocketWatch(s);
    }
    return s->_arrival.accepted >= 0;
}

/// Wakes every loop that has the source, because this thread does not know which of them runs in
/// the right mode. On a Mac (all versions) one of them is chosen.
static void __CFSocketWakeUpLoops(CFSocketRef s) {
    for (CFIndex i = 0; i < CFArrayGetCount(s->_runLoops); i++)
        CFRunLoopWakeUp((CFRunLoopRef)CFArrayGetValueAtIndex(s->_runLoops, i));
}

static void __CFSocketSignal(CFSocketRef s) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    if (!s->_source0) return;
    CFRunLoopSourceSignal(s->_source0);
    __CFSocketWakeUpLoops(s);
}

/// Events of these kinds have happened: takes the error, reads or accepts, and signals the loop.
static void __CFSocketHandleKinds(CFSocketRef s, CFOptionFlags kinds) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    kinds &= s->_armed;
    if (kinds & kCFSocketConnectCallBack) {
        s->_isConnected = true;
        if (!(s->_flags & kCFSocketLeaveErrors) && __CFSocketTakeError(s, s->_socket)) {
            s->_armed &= ~kCFSocketWriteCallBack; // a connection that failed has no room
            kinds &= s->_armed;
        }
    }
    if (kinds & kCFSocketReadCallBack
        && ((s->_readType == kCFSocketDataCallBack && !__CFSocketReadData(s))
            || (s->_readType == kCFSocketAcceptCallBack && !__CFSocketAccept(s))))
        kinds &= ~kCFSocketReadCallBack; // it only seemed to be ready, and stays armed
    s->_armed &= ~kinds;
    s->_ready |= kinds;
    if (kinds) __CFSocketSignal(s);
}

/// epoll has reported the socket.
static void __CFSocketHandleReport(CFSocketRef s) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    struct pollfd now = {s->_socket, POLLIN | POLLOUT | POLLRDHUP, 0};
    if (poll(&now, 1, 0) <= 0) return;
    short ends = now.revents & (POLLIN | POLLRDHUP | POLLERR | POLLHUP);
    // No connection has been asked for. At the end of one, the socket is readable, too. [D69]
    if (ends == POLLHUP && s->_socketType != 0) return;
    CFOptionFlags kinds = ends ? kCFSocketReadCallBack : 0;
    if (now.revents & (POLLOUT | POLLHUP | POLLERR))
        kinds |= kCFSocketConnectCallBack | kCFSocketWriteCallBack;
    __CFSocketHandleKinds(s, kinds);
}

// MARK: - The manager

static void *__CFSocketManager(void *unused) {
    struct epoll_event events[64];
    pthread_setname_np(pthread_self(), "com.apple.CFSoc"); // com.apple.CFSocket.private, cut off
    for (;;) {
        int count = epoll_wait(__CFAllSockets._set, events, 64, -1);
        if (count < 0 && errno != EINTR)
            __CFHalt("CFSocket: the manager cannot wait: %s.", strerror(errno));
        __CFLock(&__CFAllSockets._lock);
        for (int i = 0; i < count; i++) {
            const void *key = (const void *)(intptr_t)events[i].data.fd;
            CFSocketRef s = (CFSocketRef)CFDictionaryGetValue(__CFAllSockets._byDescriptor, key);
            if (s) __CFSocketHandleReport(s);
        }
        Boolean pauses = __CFAllSockets._managerPauses;
        __CFAllSockets._managerPauses = false;
        __CFUnlock(&__CFAllSockets._lock);
        if (pauses) usleep(50000);
    }
    return NULL;
}

/// Starts the manager, a thread that never ends, and to which no signal is delivered.
static void __CFSocketManagerStart(void) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    pthread_t thread;
    sigset_t all, mask;
    __CFAllSockets._set = epoll_create1(EPOLL_CLOEXEC);
    if (__CFAllSockets._set < 0)
        __CFHalt("CFSocket: the manager's epoll set cannot be created: %s.", strerror(errno));
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    int error = pthread_create(&thread, NULL, __CFSocketManager, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (error) __CFHalt("CFSocket: the manager's thread cannot be created: %s.", strerror(error));
    pthread_detach(thread);
}

/// Makes epoll report the socket: at once if one of the armed kinds is ready, and later whenever
/// one becomes ready.
static void __CFSocketWatch(CFSocketRef s) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    if (__CFAllSockets._set < 0) __CFSocketManagerStart();
    struct epoll_event event = {.events = EPOLLET, .data.fd = s->_socket};
    if (s->_armed & kCFSocketReadCallBack) event.events |= EPOLLIN | EPOLLRDHUP;
    if (s->_armed & (kCFSocketConnectCallBack | kCFSocketWriteCallBack)) event.events |= EPOLLOUT;
    int result = epoll_ctl(__CFAllSockets._set, EPOLL_CTL_MOD, s->_socket, &event);
    if (result != 0 && errno == ENOENT) // the set does not contain it yet
        result = epoll_ctl(__CFAllSockets._set, EPOLL_CTL_ADD, s->_socket, &event);
    // A file or directory is always ready, so epoll does not accept it.
    if (result != 0 && errno == EPERM) __CFSocketHandleKinds(s, s->_armed);
    else if (result != 0 && (errno == ENOMEM || errno == ENOSPC))
        __CFHalt("CFSocket: the system cannot wait for another descriptor: %s.", strerror(errno));
}

/// Waits for no event of the socket any more.
static void __CFSocketUnwatch(CFSocketRef s) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    s->_armed = 0;
    epoll_ctl(__CFAllSockets._set, EPOLL_CTL_DEL, s->_socket, NULL);
}

/// Waits for those of these kinds that the socket has and that are enabled, if it is in a loop.
static void __CFSocketArm(CFSocketRef s, CFOptionFlags kinds) {
    CF_ASSERT_LOCKED(&__CFAllSockets);
    kinds &= __CFSocketKinds(s->_callBackTypes) & ~s->_disabled;
    if (s->_isConnected) kinds &= ~kCFSocketConnectCallBack;
    if (s->_socket < 0 || !CFArrayGetCount(s->_runLoops) || !s->_callout) return;
    if (s->_ready & kinds) __CFSocketSignal(s); // it happened while it was disabled
    s->_armed |= kinds & ~s->_ready;
    if (kinds & ~s->_ready) __CFSocketWatch(s);
}

/// The first statement of the public functions. A thread may have held the lock when the process
/// was forked, so a child could wait forever.
#define CHECK_AND_LOCK(s) do { \
        CHECK_FOR_FORK(); \
        if (CF_UNLIKELY(!(s))) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__); \
        __CFLock(&__CFAllSockets._lock); \
    } while (0)

void CFSocketEnableCallBacks(CFSocketRef s, CFOptionFlags callBackTypes) {
    CHECK_AND_LOCK(s);
    s->_disabled &= ~__CFSocketKinds(callBackTypes);
    __CFSocketArm(s, __CFSocketKinds(callBackTypes));
    __CFUnlock(&__CFAllSockets._lock);
}

void CFSocketDisableCallBacks(CFSocketRef s, CFOptionFlags callBackTypes) {
    CHECK_AND_LOCK(s);
    s->_disabled |= __CFSocketKinds(callBackTypes);
    s->_armed &= ~__CFSocketKinds(callBackTypes); // an event on its way is ignored
    __CFUnlock(&__CFAllSockets._lock);
}

CFOptionFlags CFSocketGetSocketFlags(CFSocketRef s) {
    CHECK_AND_LOCK(s);
    CFOptionFlags flags = s->_flags;
    __CFUnlock(&__CFAllSockets._lock);
    return flags;
}

void CFSocketSetSocketFlags(CFSocketRef s, CFOptionFlags flags) {
    CHECK_AND_LOCK(s);
    s->_flags = flags;
    __CFUnlock(&__CFAllSockets._lock);
}

// MARK: - The source

/// Removes a loop from an array of loops, once. Returns false if it is not there.
static Boolean __CFSocketRemoveLoop(CFMutableArrayRef loops, CFRunLoopRef rl) {
    CFIndex index = CFArrayGetFirstIndexOfValue(loops, CFRangeMake(0, CFArrayGetCount(loops)), rl);
    if (index != kCFNotFound) CFArrayRemoveValueAtIndex(loops, index);
    return index != kCFNotFound;
}

/// The source was added to a mode. Any thread, nothing locked.
static void __CFSocketSchedule(void *info, CFRunLoopRef rl, CFRunLoopMode mode) {
    CFSocketRef s = info;
    __CFLock(&__CFAllSockets._lock);
    if (s->_socket >= 0 && !__CFSocketRemoveLoop(s->_cancelled, rl)) {
        CFArrayAppendValue(s->_runLoops, rl);
        if (CFArrayGetCount(s->_runLoops) == 1) {
            // The manager must not wait in accept if another thread takes the connection first.
            if (s->_readType == kCFSocketAcceptCallBack)
                fcntl(s->_socket, F_SETFL, fcntl(s->_socket, F_GETFL) | O_NONBLOCK);
            s->_disabled = 0;
            __CFSocketArm(s, __CFSocketKinds(s->_callBackTypes));
        }
    }
    __CFUnlock(&__CFAllSockets._lock);
}

/// The source was removed from a mode, or that loop's thread has ended. The loop has no lock while
/// it calls these two functions, so if one thread removes the source while another one adds it,
/// this call may come before the other.
static void __CFSocketCancel(void *info, CFRunLoopRef rl, CFRunLoopMode mode) {
    CFSocketRef s = info;
    __CFLock(&__CFAllSockets._lock);
    if (s->_socket >= 0) {
        if (!__CFSocketRemoveLoop(s->_runLoops, rl)) CFArrayAppendValue(s->_cancelled, rl);
        else if (!CFArrayGetCount(s->_runLoops)) __CFSocketUnwatch(s);
    }
    __CFUnlock(&__CFAllSockets._lock);
}

static void __CFSocketArrivalRelease(__CFSocketArrival *arrival) {
    if (arrival->data) CFRelease(arrival->data);
    if (arrival->address) CFRelease(arrival->address);
    if (arrival->accepted >= 0) close(arrival->accepted);
}

/// Gives back a use of the context's info. The last one is that of the invalidation.
static void __CFSocketReleaseInfo(CFSocketRef s, void *info) {
    __CFLock(&__CFAllSockets._lock);
    Boolean isLast = --s->_infoUsers == 0;
    __CFUnlock(&__CFAllSockets._lock);
    if (isLast && info && s->_context.release) s->_context.release(info);
}

/// Calls the client for each of the kinds, in the order connect, read, write, as long as the
/// CFSocket is valid. Nothing locked. DOES CALLOUT
__attribute__((noinline)) static void __CFSocketDoCallback(
    CFSocketRef s, CFOptionFlags kinds, __CFSocketArrival *arrival, SInt32 errorCode, void *info) {
    if (kinds & kCFSocketConnectCallBack)
        s->_callout(s, kCFSocketConnectCallBack, NULL, errorCode ? &errorCode : NULL, info);
    if (kinds & kCFSocketReadCallBack && CFSocketIsValid(s)) {
        CFSocketNativeHandle accepted = arrival->accepted;
        const void *data = arrival->accepted >= 0 ? (const void *)&accepted : arrival->data;
        arrival->accepted = -1; // it is the client's now
        s->_callout(s, s->_readType, arrival->address, data, info);
    }
    if (kinds & kCFSocketWriteCallBack && CFSocketIsValid(s))
        s->_callout(s, kCFSocketWriteCallBack, NULL, NULL, info);
    __asm__ volatile(""); // so that the last call is not a jump, and this function is in the stack
}

/// The loop performs the source: calls the client, and enables the events again. DOES CALLOUT
static void __CFSocketPerformV0(void *perform) {
    CFSocketRef s = perform;
    __CFSocketArrival arrival = __kCFSocketNoArrival;
    __CFLock(&__CFAllSockets._lock);
    CFOptionFlags kinds = s->_socket >= 0 ? s->_ready & ~s->_disabled : 0;
    if (!kinds) {
        __CFUnlock(&__CFAllSockets._lock);
        return;
    }
    s->_ready &= ~kinds;
    if (kinds & kCFSocketReadCallBack) {
        arrival = s->_arrival;
        s->_arrival = __kCFSocketNoArrival;
    }
    Boolean isAtEnd = arrival.data && CFDataGetLength(arrival.data) == 0
        && s->_socketType != SOCK_DGRAM && s->_socketType != SOCK_RAW;
    // The manager can take the next data or connection. It must do so before the callback, which
    // may not return here, because it throws an exception or calls longjmp.
    Boolean isTaken = (arrival.data && !isAtEnd) || arrival.accepted >= 0;
    if (isTaken) __CFSocketArm(s, __CFSocketKinds(s->_flags) & kCFSocketReadCallBack);
    SInt32 errorCode = s->_errorCode;
    void *info = s->_context.info;
    Boolean retains = info && s->_context.retain;
    s->_infoUsers++;
    __CFUnlock(&__CFAllSockets._lock);

    void *retained = retains ? (void *)s->_context.retain(info) : info;
    if (retains) __CFSocketReleaseInfo(s, info);
    __CFSocketDoCallback(s, kinds, &arrival, errorCode, retained);
    __CFSocketArrivalRelease(&arrival);
    if (isAtEnd) CFSocketInvalidate(s);
    if (!retains) __CFSocketReleaseInfo(s, info);
    else if (s->_context.release) s->_context.release(retained);

    __CFLock(&__CFAllSockets._lock);
    if (isTaken) kinds &= ~kCFSocketReadCallBack;
    __CFSocketArm(s, kinds & __CFSocketKinds(s->_flags));
    __CFUnlock(&__CFAllSockets._lock);
}

CFRunLoopSourceRef CFSocketCreateRunLoopSource(CFAllocatorRef allocator, CFSocketRef s,
                                               CFIndex order) {
    CHECK_AND_LOCK(s);
    CFRunLoopSourceRef source = NULL, old = NULL;
    if (s->_socket >= 0 && s->_source0 && !CFRunLoopSourceIsValid(s->_source0)) {
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
    if (s->_socket >= 0 && s->_source0) source = (CFRunLoopSourceRef)CFRetain(s->_source0);
    __CFUnlock(&__CFAllSockets._lock);
    if (old) CFRelease(old);
    return source;
}

// MARK: - The class, and creating

static CFStringRef __CFSocketCopyDescription(CFTypeRef cf) {
    CFSocketRef s = (CFSocketRef)cf;
    CFMutableArrayRef loops = NULL; // a copy that describes the loops' addresses
    const void *source = NULL;
    __CFLock(&__CFAllSockets._lock);
    CFSocketNativeHandle sock = s->_socket;
    CFIndex count = sock >= 0 ? CFArrayGetCount(s->_runLoops) : 0;
    void *info = s->_context.info;
    if (sock >= 0) {
        source = s->_source0;
        loops = CFArrayCreateMutable(NULL, 0, NULL);
        for (CFIndex i = 0; i < count; i++)
            CFArrayAppendValue(loops, CFArrayGetValueAtIndex(s->_runLoops, i));
    }
    if (info) s->_infoUsers++; // otherwise the last user might be this one, which has no info
    __CFUnlock(&__CFAllSockets._lock);
    CFStringRef context = info && s->_context.copyDescription ? s->_context.copyDescription(info)
        : CFStringCreateWithFormat(NULL, NULL, CFSTR("<CFSocket context %p>"), info);
    if (info) __CFSocketReleaseInfo(s, info);
    CFStringRef callout = __CFCopyNameOfFunction((const void *)s->_callout);
    CFStringRef text = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFSocket %p [%p]>{valid = %s, type = %d, socket = %d, socket set count = %ld,\n"
              "    callback types = 0x%lx, callout = %@ (%p), source = %p,\n"
              "    run loops = %@,\n    context = %@}"),
        cf, CFGetAllocator(cf), sock >= 0 ? "Yes" : "No", s->_socketType, sock, count,
        (unsigned long)s->_callBackTypes, callout, (const void *)s->_callout, source,
        loops, context);
    if (loops) CFRelease(loops);
    CFRelease(callout);
    if (context) CFRelease(context);
    return text;
}

CF_SHARED const CFRuntimeClass __CFSocketClass = {
    .typeID = _kCFRuntimeIDCFSocket,
    .className = "CFSocket",
    .copyDebugDesc = __CFSocketCopyDescription,
};

CFTypeID CFSocketGetTypeID(void) { return _kCFRuntimeIDCFSocket; }

/// Returns the CFSocket of a descriptor, retained, or NULL. If there is none, `s` becomes it.
static CFSocketRef __CFSocketCopyKnown(CFSocketNativeHandle sock, CFSocketRef s) {
    const void *key = (const void *)(intptr_t)sock;
    __CFLock(&__CFAllSockets._lock);
    if (!__CFAllSockets._byDescriptor)
        __CFAllSockets._byDescriptor =
            CFDictionaryCreateMutable(NULL, 0, NULL, &kCFTypeDictionaryValueCallBacks);
    CFSocketRef known = (CFSocketRef)CFDictionaryGetValue(__CFAllSockets._byDescriptor, key);
    if (!known && s) CFDictionarySetValue(__CFAllSockets._byDescriptor, key, known = s);
    if (known) CFRetain(known);
    __CFUnlock(&__CFAllSockets._lock);
    return known;
}

CFSocketRef CFSocketCreateWithNative(CFAllocatorRef allocator, CFSocketNativeHandle sock,
                                     CFOptionFlags callBackTypes, CFSocketCallBack callout,
                                     const CFSocketContext *context) {
    CHECK_FOR_FORK();
    CFSocketRef known = __CFSocketCopyKnown(sock, NULL);
    if (known || fcntl(sock, F_GETFD) == -1) return known;
    CFSocketRef s = (CFSocketRef)_CFRuntimeCreateInstance(allocator, &__CFSocketClass,
                                                          sizeof(struct __CFSocket));
    if (!s) return NULL;
    socklen_t size = sizeof(s->_socketType);
    getsockopt(sock, SOL_SOCKET, SO_TYPE, &s->_socketType, &size); // stays 0 if it is no socket
    __CFLockInit(&s->_writeLock);
    s->_socket = sock;
    s->_callBackTypes = callBackTypes;
    s->_readType = (CFSocketCallBackType)(callBackTypes & kCFSocketDataCallBack);
    s->_callout = callout;
    s->_flags = kCFSocketCloseOnInvalidate | (callBackTypes & kCFSocketDataCallBack);
    s->_arrival = __kCFSocketNoArrival;
    s->_runLoops = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    s->_cancelled = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    s->_infoUsers = 1;
    if (context) s->_context = *context;
    if (s->_context.info && s->_context.retain)
        s->_context.info = (void *)s->_context.retain(s->_context.info);
    // Another thread may have made a CFSocket for the descriptor meanwhile.
    known = __CFSocketCopyKnown(sock, s);
    if (known != s) {
        __CFSocketReleaseInfo(s, s->_context.info);
        CFRelease(s->_runLoops);
        CFRelease(s->_cancelled);
    }
    CFRelease(s);
    return known;
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

/// Waits for room in a socket, or for the end of an attempt to connect. Returns 1 if there may be,
/// and -1 if the time limit of a call that began at `start` is over; 0 or less is no limit. Returns
/// 0 after a second, because another thread may close the descriptor. Nothing locked.
static int __CFSocketWait(CFSocketNativeHandle sock, CFTimeInterval timeout, uint64_t start) {
    struct pollfd waited = {sock, POLLOUT, 0};
    CFTimeInterval left = 1;
    if (timeout > 0) left = timeout - __CFTSRToTimeInterval(mach_absolute_time() - start);
    if (left <= 0) return -1;
    return poll(&waited, 1, left < 1 ? (int)(left * 1000) + 1 : 1000) > 0;
}

CFSocketError CFSocketSetAddress(CFSocketRef s, CFDataRef address) {
    CHECK_AND_LOCK(s);
    const void *bytes = address ? CFDataGetBytePtr(address) : NULL;
    int result = bytes ? bind(s->_socket, bytes, (socklen_t)CFDataGetLength(address)) : -1;
    // 256 is the original's number, in all versions.
    if (result == 0 && listen(s->_socket, 256) != 0 && errno != EOPNOTSUPP) result = -1;
    __CFUnlock(&__CFAllSockets._lock);
    return result == 0 ? kCFSocketSuccess : kCFSocketError;
}

CFSocketError CFSocketConnectToAddress(CFSocketRef s, CFDataRef address, CFTimeInterval timeout) {
    CHECK_AND_LOCK(s);
    uint64_t start = mach_absolute_time();
    int own = address ? fcntl(s->_socket, F_DUPFD_CLOEXEC, 0) : -1; // ours alone
    s->_errorCode = 0;
    __CFUnlock(&__CFAllSockets._lock);
    if (own < 0) return kCFSocketError;
    int flags = fcntl(own, F_GETFL);
    if (timeout != 0) fcntl(own, F_SETFL, flags | O_NONBLOCK);
    const void *bytes = CFDataGetBytePtr(address);
    int reason = connect(own, bytes, (socklen_t)CFDataGetLength(address)) == 0 ? 0 : errno;
    Boolean isPending = reason == EINPROGRESS || reason == EINTR;
    int end = isPending && timeout >= 0 ? 0 : 1;
    while (end == 0) end = __CFSocketWait(own, timeout, start);
    if (timeout > 0) fcntl(own, F_SETFL, flags);
    __CFLock(&__CFAllSockets._lock);
    if (isPending) reason = timeout < 0 ? 0 : end < 0 ? ETIMEDOUT : __CFSocketTakeError(s, own);
    else if (reason && s->_errorCode) reason = s->_errorCode; // the manager has taken it
    // A connection within this system is made at once, which epoll does not report as a change.
    __CFSocketArm(s, s->_armed);
    __CFUnlock(&__CFAllSockets._lock);
    close(own);
    if (reason) errno = reason;
    return reason == 0 ? kCFSocketSuccess : end < 0 ? kCFSocketTimeout : kCFSocketError;
}

CFSocketError CFSocketSendData(CFSocketRef s, CFDataRef address, CFDataRef data,
                               CFTimeInterval timeout) {
    CHECK_FOR_FORK();
    if (!CFSocketIsValid(s) || !data) return kCFSocketError;
    const void *to = address ? CFDataGetBytePtr(address) : NULL;
    socklen_t size = address ? (socklen_t)CFDataGetLength(address) : 0;
    const UInt8 *bytes = CFDataGetBytePtr(data);
    size_t left = (size_t)CFDataGetLength(data);
    uint64_t start = mach_absolute_time();
    ssize_t count;
    __CFLock(&s->_writeLock);
    for (;;) {
        __CFLock(&__CFAllSockets._lock);
        count = sendto(s->_socket, bytes, left, MSG_NOSIGNAL | MSG_DONTWAIT, to, size);
        Boolean waits = count < 0 && errno == EAGAIN
            && (timeout > 0 || !(fcntl(s->_socket, F_GETFL) & O_NONBLOCK));
        __CFUnlock(&__CFAllSockets._lock);
        if (count < 0 && (!waits || __CFSocketWait(s->_socket, timeout, start) < 0)) break;
        if (count < 0) continue;
        bytes += count;
        left -= (size_t)count;
        if (left == 0) break;
    }
    __CFUnlock(&s->_writeLock);
    return count < 0 ? kCFSocketError : kCFSocketSuccess;
}

static CFDataRef __CFSocketCopyAddress(CFSocketRef s, __typeof__(getsockname) *get) {
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    CHECK_AND_LOCK(s);
    int result = get(s->_socket, (struct sockaddr *)&address, &size);
    __CFUnlock(&__CFAllSockets._lock);
    return result == 0 ? __CFSocketCreateAddress(&address, size) : NULL;
}

CFDataRef CFSocketCopyAddress(CFSocketRef s) { return __CFSocketCopyAddress(s, getsockname); }

CFDataRef CFSocketCopyPeerAddress(CFSocketRef s) { return __CFSocketCopyAddress(s, getpeername); }

// MARK: - The end, and the rest

void CFSocketInvalidate(CFSocketRef s) {
    CHECK_AND_LOCK(s);
    CFSocketNativeHandle sock = s->_socket;
    void *info = s->_context.info;
    if (sock < 0) {
        __CFUnlock(&__CFAllSockets._lock);
        return;
    }
    CFRetain(s); // the table may have the last reference
    __CFSocketUnwatch(s);
    CFDictionaryRemoveValue(__CFAllSockets._byDescriptor, (const void *)(intptr_t)sock);
    Boolean closes = (s->_flags & kCFSocketCloseOnInvalidate) != 0;
    s->_context.info = NULL;
    s->_socket = -1; // from here on the rest belongs to this call
    __CFUnlock(&__CFAllSockets._lock);
    if (closes) close(sock); // which may wait (SO_LINGER)
    __CFSocketArrivalRelease(&s->_arrival);
    if (s->_source0) {
        CFRunLoopSourceInvalidate(s->_source0);
        CFRelease(s->_source0);
    }
    __CFSocketWakeUpLoops(s); // one may sleep in a mode that is empty now
    CFRelease(s->_runLoops);
    CFRelease(s->_cancelled);
    __CFSocketReleaseInfo(s, info);
    CFRelease(s);
}

/// This and CFSocketGetNative take no lock, so a child of fork may call them before exec.
Boolean CFSocketIsValid(CFSocketRef s) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return s->_socket >= 0;
}

CFSocketNativeHandle CFSocketGetNative(CFSocketRef s) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return s->_socket;
}

void CFSocketGetContext(CFSocketRef s, CFSocketContext *context) {
    CHECK_AND_LOCK(s);
    *context = s->_context;
    __CFUnlock(&__CFAllSockets._lock);
}
