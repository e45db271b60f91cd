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
/// CFSocketManager.c has the thread. Both files use run loops as any client does, through
/// CFRunLoop.h.
#include "CFSocket_Internal.h"

#include <fcntl.h>
#include <sys/socket.h>

/// The first statement of the public functions. A manager or a client may have held a lock when the
/// process was forked, so a child could wait for ever.
#define CHECK_SOCKET(s) do { \
        CHECK_FOR_FORK(); \
        if (CF_UNLIKELY(!(s))) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__); \
    } while (0)

// MARK: - Enabling and disabling

void CFSocketEnableCallBacks(CFSocketRef s, CFOptionFlags callBackTypes) {
    CHECK_SOCKET(s);
    __CFLock(&s->_lock);
    s->_disabled &= ~__CFSocketKinds(callBackTypes);
    __CFSocketArm(s, __CFSocketKinds(callBackTypes));
    __CFUnlock(&s->_lock);
}

void CFSocketDisableCallBacks(CFSocketRef s, CFOptionFlags callBackTypes) {
    CHECK_SOCKET(s);
    __CFLock(&s->_lock);
    s->_disabled |= __CFSocketKinds(callBackTypes);
    s->_armed &= ~__CFSocketKinds(callBackTypes); // an event on its way is ignored
    __CFUnlock(&s->_lock);
}

CFOptionFlags CFSocketGetSocketFlags(CFSocketRef s) {
    CHECK_SOCKET(s);
    __CFLock(&s->_lock);
    CFOptionFlags flags = s->_flags;
    __CFUnlock(&s->_lock);
    return flags;
}

void CFSocketSetSocketFlags(CFSocketRef s, CFOptionFlags flags) {
    CHECK_SOCKET(s);
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
    CHECK_SOCKET(s);
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
    CHECK_FOR_FORK();
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
    CHECK_SOCKET(s);
    CFSocketNativeHandle sock = address ? __CFSocketBeginUse(s) : -1;
    if (sock < 0) return kCFSocketError;
    CFSocketError error = __CFSocketNativeBind(sock, address);
    __CFSocketEndUse(s);
    return error;
}

CFSocketError CFSocketConnectToAddress(CFSocketRef s, CFDataRef address, CFTimeInterval timeout) {
    CHECK_SOCKET(s);
    CFSocketNativeHandle sock = address ? __CFSocketBeginUse(s) : -1;
    if (sock < 0) return kCFSocketError;
    __CFLock(&s->_lock);
    s->_connectingCalls++;
    __CFUnlock(&s->_lock);
    CFSocketError error = __CFSocketNativeConnect(sock, address, timeout);
    int reason = errno;
    __CFLock(&s->_lock);
    s->_connectingCalls--;
    // Either the manager has taken the error from the socket, or this call has.
    if (error == kCFSocketError && reason == ENOTCONN && s->_errorCode) reason = s->_errorCode;
    else if (error == kCFSocketError) s->_takenError = reason;
    // A connection within this system may be made at once, which epoll does not report as a change.
    __CFSocketArm(s, s->_armed);
    __CFUnlock(&s->_lock);
    errno = reason;
    __CFSocketEndUse(s);
    return error;
}

/// Returns the socket's own address, or that of the other end.
static CFDataRef __CFSocketCopyAddress(CFSocketRef s, Boolean ofPeer) {
    CFSocketNativeHandle sock = __CFSocketBeginUse(s);
    if (sock < 0) return NULL;
    CFDataRef address = __CFSocketNativeCopyAddress(sock, ofPeer);
    __CFSocketEndUse(s);
    return address;
}

CFDataRef CFSocketCopyAddress(CFSocketRef s) {
    CHECK_SOCKET(s);
    return __CFSocketCopyAddress(s, false);
}

CFDataRef CFSocketCopyPeerAddress(CFSocketRef s) {
    CHECK_SOCKET(s);
    return __CFSocketCopyAddress(s, true);
}

CFSocketError CFSocketSendData(CFSocketRef s, CFDataRef address, CFDataRef data,
                               CFTimeInterval timeout) {
    CHECK_SOCKET(s);
    CFSocketNativeHandle sock = data ? __CFSocketBeginUse(s) : -1;
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
    CHECK_SOCKET(s);
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

/// This and CFSocketGetNative take no lock, so a child of fork may call them before exec.
Boolean CFSocketIsValid(CFSocketRef s) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return atomic_load(&s->_socket) >= 0;
}

CFSocketNativeHandle CFSocketGetNative(CFSocketRef s) {
    if (CF_UNLIKELY(!s)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return atomic_load(&s->_socket);
}

void CFSocketGetContext(CFSocketRef s, CFSocketContext *context) {
    CHECK_SOCKET(s);
    if (context->version != 0)
        __CFHalt("%s was given a context of version %ld; set it to 0.", __func__, context->version);
    __CFLock(&s->_lock);
    *context = s->_context;
    __CFUnlock(&s->_lock);
}
