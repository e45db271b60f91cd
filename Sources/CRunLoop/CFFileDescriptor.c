/// CFFileDescriptor.c: a descriptor whose events call a client once each.
///
/// The source is a version 1 source. Its port is an epoll set that contains only the descriptor, so
/// there is no thread. The port is not the descriptor itself, because a program may have two
/// CFFileDescriptors for one descriptor, and a mode finds a source by its port. epoll does not
/// accept files and directories, which are always ready. Their port is an event descriptor that is
/// always set.
///
/// This file uses run loops as any client does (CFRunLoop.h, CFPortSupport.h).
#include "Base/CFInternal.h"
#include <CoreFoundation/CFFileDescriptor.h>
#include <CoreFoundation/CFPortSupport.h>

#include <fcntl.h>
#include <sys/epoll.h>

struct __CFFileDescriptor {
    CFRuntimeBase _base;
    // These never change.
    CFFileDescriptorCallBack _callout;
    Boolean _closesOnInvalidate;
    Boolean _isAlwaysReady;
    CFLock_t _lock;               // guards all below
    _Atomic(int) _fd;             // -1 if the CFFileDescriptor is invalid
    int _port;                    // what the source waits for: an epoll set or event descriptor
    CFOptionFlags _enabled;       // the callbacks that are enabled
    uint64_t _armings;            // counts the calls of epoll_ctl: a report has its number
    CFRunLoopSourceRef _source;   // retained until the invalidation
    CFIndex _infoUsers;           // the callbacks that use the context's info, and 1 while valid
    CFFileDescriptorContext _context;
};

#define __kCFFileDescriptorAll (kCFFileDescriptorReadCallBack | kCFFileDescriptorWriteCallBack)

// MARK: - Waiting

/// Makes the port ready at the next event of the enabled callbacks. The descriptor may have left
/// the set, because a client has closed it and opened another file under its number. Returns false
/// if it is closed.
static Boolean __CFFileDescriptorArm(CFFileDescriptorRef f) {
    CF_ASSERT_LOCKED(f);
    struct epoll_event event = {.events = EPOLLONESHOT, .data.u64 = ++f->_armings};
    if (f->_enabled & kCFFileDescriptorReadCallBack) event.events |= EPOLLIN | EPOLLRDHUP;
    if (f->_enabled & kCFFileDescriptorWriteCallBack) event.events |= EPOLLOUT;
    if (epoll_ctl(f->_port, EPOLL_CTL_MOD, f->_fd, &event) == 0) return true;
    return errno == ENOENT && epoll_ctl(f->_port, EPOLL_CTL_ADD, f->_fd, &event) == 0;
}

/// Makes the loops wait for the callbacks that are enabled. If there are none, they do not wait for
/// the port, because epoll reports the end of a connection in any case.
static void __CFFileDescriptorUpdateSource(CFFileDescriptorRef f) {
    CF_ASSERT_LOCKED(f);
    Boolean waits = f->_fd >= 0 && f->_enabled && (f->_isAlwaysReady || __CFFileDescriptorArm(f));
    if (f->_source) CFRunLoopSourceSetWatchEvents(f->_source, waits ? kCFWatchReadable : 0);
}

/// Returns which of the enabled callbacks are to be called now. A report from an earlier arming is
/// taken from the port and ignored: it may be about another file, which had the descriptor's number
/// before.
static CFOptionFlags __CFFileDescriptorTakeReady(CFFileDescriptorRef f) {
    CF_ASSERT_LOCKED(f);
    if (f->_fd < 0 || !f->_enabled) return 0;
    if (f->_isAlwaysReady) return f->_enabled;
    CFOptionFlags ready = 0;
    struct epoll_event report;
    while (epoll_wait(f->_port, &report, 1, 0) > 0) {
        if (report.data.u64 != f->_armings) continue;
        if (report.events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
            ready |= kCFFileDescriptorReadCallBack;
        if (report.events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
            ready |= kCFFileDescriptorWriteCallBack;
    }
    return ready & f->_enabled;
}

/// Gives back a use of the context's info. The last one is that of the invalidation.
static void __CFFileDescriptorReleaseInfo(CFFileDescriptorRef f, void *info) {
    __CFLock(&f->_lock);
    Boolean isLast = --f->_infoUsers == 0;
    __CFUnlock(&f->_lock);
    if (isLast && info && f->_context.release) f->_context.release(info);
}

static __CFPort __CFFileDescriptorGetPort(void *info) {
    return ((CFFileDescriptorRef)info)->_port;
}

/// The loop performs the source. DOES CALLOUT
static void __CFFileDescriptorPerform(void *perform) {
    CFFileDescriptorRef f = perform;
    __CFLock(&f->_lock);
    CFOptionFlags ready = __CFFileDescriptorTakeReady(f);
    void *info = f->_context.info;
    f->_enabled &= ~ready;
    if (ready) f->_infoUsers++;
    __CFFileDescriptorUpdateSource(f);
    __CFUnlock(&f->_lock);
    if (!ready) return;
    f->_callout(f, ready, info);
    __CFFileDescriptorReleaseInfo(f, info);
}

/// A callback that is enabled already may be enabled again: the descriptor's number may belong to
/// another file now, which this adds to the port.
static void __CFFileDescriptorChange(CFFileDescriptorRef f, CFOptionFlags on, CFOptionFlags off) {
    __CFLock(&f->_lock);
    CFOptionFlags enabled = ((f->_enabled | on) & ~off) & __kCFFileDescriptorAll;
    Boolean changes = f->_fd >= 0 && (on || enabled != f->_enabled);
    if (changes) {
        f->_enabled = enabled;
        __CFFileDescriptorUpdateSource(f);
    }
    __CFUnlock(&f->_lock);
}

void CFFileDescriptorEnableCallBacks(CFFileDescriptorRef f, CFOptionFlags callBackTypes) {
    CHECK_FOR_FORK();
    if (CF_UNLIKELY(!f)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFFileDescriptorChange(f, callBackTypes, 0);
}

void CFFileDescriptorDisableCallBacks(CFFileDescriptorRef f, CFOptionFlags callBackTypes) {
    CHECK_FOR_FORK();
    if (CF_UNLIKELY(!f)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFFileDescriptorChange(f, 0, callBackTypes);
}

// MARK: - The class

static void __CFFileDescriptorFinalize(CFTypeRef cf) {
    CFFileDescriptorInvalidate((CFFileDescriptorRef)cf);
}

static CFStringRef __CFFileDescriptorCopyDescription(CFTypeRef cf) {
    CFFileDescriptorRef f = (CFFileDescriptorRef)cf;
    __CFLock(&f->_lock);
    int fd = f->_fd;
    CFOptionFlags enabled = f->_enabled;
    const void *source = f->_source;
    void *info = f->_context.info;
    if (info) f->_infoUsers++; // otherwise the last user might be this one, which has no info
    __CFUnlock(&f->_lock);
    CFStringRef context = info && f->_context.copyDescription ? f->_context.copyDescription(info)
        : CFStringCreateWithFormat(NULL, NULL, CFSTR("<CFFileDescriptor context %p>"), info);
    if (info) __CFFileDescriptorReleaseInfo(f, info);
    CFStringRef callout = __CFCopyNameOfFunction((const void *)f->_callout);
    CFStringRef text = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFFileDescriptor %p [%p]>{valid = %s, fd = %d, enabled callback types = 0x%lx, "
              "source = %p, callout = %@ (%p), context = %@}"),
        cf, CFGetAllocator(cf), fd >= 0 ? "Yes" : "No", fd, (unsigned long)enabled, source, callout,
        (const void *)f->_callout, context);
    if (callout) CFRelease(callout);
    if (context) CFRelease(context);
    return text;
}

CF_SHARED const CFRuntimeClass __CFFileDescriptorClass = {
    .typeID = _kCFRuntimeIDCFFileDescriptor,
    .className = "CFFileDescriptor",
    .finalize = __CFFileDescriptorFinalize,
    .copyDebugDesc = __CFFileDescriptorCopyDescription,
};

CFTypeID CFFileDescriptorGetTypeID(void) {
    return _kCFRuntimeIDCFFileDescriptor;
}

// MARK: - The beginning and the end

/// Creates the port of a descriptor, and returns it, or -1.
static int __CFFileDescriptorCreatePort(int fd, Boolean *isAlwaysReady) {
    struct epoll_event event = {.events = EPOLLONESHOT}; // every report is a single one
    int port = epoll_create1(EPOLL_CLOEXEC);
    *isAlwaysReady = false;
    if (port < 0 || epoll_ctl(port, EPOLL_CTL_ADD, fd, &event) == 0) return port;
    close(port);
    *isAlwaysReady = errno == EPERM;
    return *isAlwaysReady ? CFEventDescriptorCreate(true) : -1;
}

CFFileDescriptorRef CFFileDescriptorCreate(CFAllocatorRef allocator,
                                           CFFileDescriptorNativeDescriptor fd,
                                           Boolean closeOnInvalidate,
                                           CFFileDescriptorCallBack callout,
                                           const CFFileDescriptorContext *context) {
    CHECK_FOR_FORK();
    __CFForbidUseAfterFork(); // a child shares the port with its parent
    if (!callout || fcntl(fd, F_GETFD) == -1) return NULL;
    if (context && context->version != 0)
        __CFHalt("%s was given a context of version %ld; set it to 0.", __func__, context->version);
    Boolean isAlwaysReady;
    int port = __CFFileDescriptorCreatePort(fd, &isAlwaysReady);
    if (port < 0) return NULL;
    CFFileDescriptorRef f = (CFFileDescriptorRef)_CFRuntimeCreateInstance(
        allocator, &__CFFileDescriptorClass, sizeof(struct __CFFileDescriptor));
    if (!f) {
        close(port);
        return NULL;
    }
    __CFLockInit(&f->_lock);
    f->_fd = fd;
    f->_port = port;
    f->_isAlwaysReady = isAlwaysReady;
    f->_closesOnInvalidate = closeOnInvalidate;
    f->_callout = callout;
    f->_infoUsers = 1;
    if (!context) return f;
    f->_context = *context;
    if (context->info && context->retain) f->_context.info = context->retain(context->info);
    return f;
}

void CFFileDescriptorInvalidate(CFFileDescriptorRef f) {
    if (CF_UNLIKELY(!f)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFLock(&f->_lock);
    int fd = f->_fd, port = f->_port;
    CFRunLoopSourceRef source = f->_source;
    void *info = f->_context.info;
    f->_fd = -1;
    f->_enabled = 0;
    f->_source = NULL;
    f->_context.info = NULL;
    __CFUnlock(&f->_lock);
    if (fd < 0) return;
    CFRetain(f); // the source may have the last reference
    // The source first: its port must be open as long as it is in a loop.
    if (source) {
        CFRunLoopSourceInvalidate(source);
        CFRelease(source);
    }
    close(port);
    if (f->_closesOnInvalidate) close(fd);
    __CFFileDescriptorReleaseInfo(f, info);
    CFRelease(f);
}

CFRunLoopSourceRef CFFileDescriptorCreateRunLoopSource(CFAllocatorRef allocator,
                                                       CFFileDescriptorRef f, CFIndex order) {
    CHECK_FOR_FORK();
    if (CF_UNLIKELY(!f)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    CFRunLoopSourceRef source = NULL, old = NULL;
    __CFLock(&f->_lock);
    if (f->_source && !CFRunLoopSourceIsValid(f->_source)) {
        old = f->_source;
        f->_source = NULL;
    }
    if (f->_fd >= 0 && !f->_source) {
        CFRunLoopSourceContext1 context = {
            .version = 1, .info = f, .retain = CFRetain, .release = CFRelease,
            .copyDescription = CFCopyDescription, .getPort = __CFFileDescriptorGetPort,
            .perform = __CFFileDescriptorPerform};
        f->_source = CFRunLoopSourceCreate(allocator, order, (CFRunLoopSourceContext *)&context);
        __CFFileDescriptorUpdateSource(f);
    }
    if (f->_source) source = (CFRunLoopSourceRef)CFRetain(f->_source);
    __CFUnlock(&f->_lock);
    if (old) CFRelease(old);
    return source;
}

/// This and CFFileDescriptorIsValid take no lock, so a child of fork may call them before exec.
CFFileDescriptorNativeDescriptor CFFileDescriptorGetNativeDescriptor(CFFileDescriptorRef f) {
    if (CF_UNLIKELY(!f)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return atomic_load(&f->_fd);
}

Boolean CFFileDescriptorIsValid(CFFileDescriptorRef f) {
    if (CF_UNLIKELY(!f)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return atomic_load(&f->_fd) >= 0;
}

void CFFileDescriptorGetContext(CFFileDescriptorRef f, CFFileDescriptorContext *context) {
    CHECK_FOR_FORK();
    if (CF_UNLIKELY(!f)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    if (context->version != 0)
        __CFHalt("%s was given a context of version %ld; set it to 0.", __func__, context->version);
    __CFLock(&f->_lock);
    *context = f->_context;
    __CFUnlock(&f->_lock);
}
