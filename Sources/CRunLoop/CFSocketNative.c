/// CFSocketNative.c: the system calls of a CFSocket that concern its address, its connection and
/// its bytes. CFSocket.c has those that wait for events.
#include "CFSocketNative.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/// The most that the manager reads at a time for a data callback, if it is not a larger message.
#define __kCFSocketChunk 65536

int __CFSocketNativeGetType(CFSocketNativeHandle sock) {
    int type = 0;
    socklen_t size = sizeof(type);
    return getsockopt(sock, SOL_SOCKET, SO_TYPE, &type, &size) == 0 ? type : 0;
}

Boolean __CFSocketTypeIsConnectionOriented(int socketType) {
    return socketType == SOCK_STREAM || socketType == SOCK_SEQPACKET;
}

Boolean __CFSocketNativeHasPeer(CFSocketNativeHandle sock) {
    struct sockaddr_storage peer;
    socklen_t size = sizeof(peer);
    return getpeername(sock, (struct sockaddr *)&peer, &size) == 0;
}

short __CFSocketNativeGetEvents(CFSocketNativeHandle sock) {
    struct pollfd checked = {sock, POLLIN | POLLOUT | POLLRDHUP, 0};
    return poll(&checked, 1, 0) > 0 ? checked.revents : 0;
}

Boolean __CFSocketNativeSetNonBlocking(CFSocketNativeHandle sock, Boolean nonBlocking) {
    int flags = fcntl(sock, F_GETFL);
    if (flags == -1) return false;
    Boolean was = (flags & O_NONBLOCK) != 0;
    if (was != nonBlocking) fcntl(sock, F_SETFL, flags ^ O_NONBLOCK);
    return was;
}

// MARK: - Addresses

/// Returns an address that the system has stored, or NULL for none. The size may exceed the room if
/// the address was cut off.
static CFDataRef __CFSocketCreateAddress(const struct sockaddr_storage *address, socklen_t size) {
    if (size == 0) return NULL;
    if (size > sizeof(*address)) size = sizeof(*address);
    return CFDataCreate(kCFAllocatorSystemDefault, (const UInt8 *)address, size);
}

CFDataRef __CFSocketNativeCopyAddress(CFSocketNativeHandle sock, Boolean ofPeer) {
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    int result = ofPeer ? getpeername(sock, (struct sockaddr *)&address, &size)
        : getsockname(sock, (struct sockaddr *)&address, &size);
    return result == 0 ? __CFSocketCreateAddress(&address, size) : NULL;
}

CFSocketError __CFSocketNativeBind(CFSocketNativeHandle sock, CFDataRef address) {
    const struct sockaddr *bytes = (const struct sockaddr *)CFDataGetBytePtr(address);
    if (bind(sock, bytes, (socklen_t)CFDataGetLength(address)) != 0) return kCFSocketError;
    // 256 is the original's number, in all versions.
    if (__CFSocketTypeIsConnectionOriented(__CFSocketNativeGetType(sock)) && listen(sock, 256) != 0)
        return kCFSocketError;
    return kCFSocketSuccess;
}

// MARK: - Time limits

/// Returns the moment `timeout` seconds from now.
static uint64_t __CFSocketLimit(CFTimeInterval timeout) {
    uint64_t now = mach_absolute_time(), wait = __CFTimeIntervalToTSR(timeout);
    return wait > UINT64_MAX - now ? UINT64_MAX : now + wait;
}

/// Waits until a socket is ready or the moment has come. Returns whether it is ready.
static Boolean __CFSocketWait(CFSocketNativeHandle sock, short events, uint64_t limit) {
    struct pollfd waited = {sock, events, 0};
    for (;;) {
        uint64_t now = mach_absolute_time(), left = limit > now ? limit - now : 0;
        struct timespec wait = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
        int count = ppoll(&waited, 1, &wait, NULL);
        if (count > 0) return true;
        if (count == 0 || errno != EINTR) return false;
    }
}

// MARK: - Connecting

/// The connection is being made in the background. Waits for its end.
static CFSocketError __CFSocketFinishConnecting(CFSocketNativeHandle sock, uint64_t limit) {
    if (!__CFSocketWait(sock, POLLOUT, limit)) {
        errno = ETIMEDOUT;
        return kCFSocketTimeout;
    }
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(sock, SOL_SOCKET, SO_ERROR, &error, &size);
    // The manager may have taken the error for a connect callback. Then the socket has no peer.
    if (error == 0 && __CFSocketNativeHasPeer(sock)) return kCFSocketSuccess;
    errno = error != 0 ? error : ENOTCONN;
    return kCFSocketError;
}

CFSocketError __CFSocketNativeConnect(CFSocketNativeHandle sock, CFDataRef address,
                                      CFTimeInterval timeout) {
    const struct sockaddr *bytes = (const struct sockaddr *)CFDataGetBytePtr(address);
    uint64_t limit = timeout > 0 ? __CFSocketLimit(timeout) : UINT64_MAX;
    Boolean wasNonBlocking = timeout != 0 && __CFSocketNativeSetNonBlocking(sock, true);
    int result = connect(sock, bytes, (socklen_t)CFDataGetLength(address));
    Boolean isInProgress = result != 0 && (errno == EINPROGRESS || errno == EINTR);
    CFSocketError error = result == 0 ? kCFSocketSuccess : kCFSocketError;
    if (isInProgress)
        error = timeout < 0 ? kCFSocketSuccess : __CFSocketFinishConnecting(sock, limit);
    if (timeout > 0 && !wasNonBlocking) {
        int saved = errno;
        __CFSocketNativeSetNonBlocking(sock, false);
        errno = saved;
    }
    return error;
}

// MARK: - Bytes

CFSocketError __CFSocketNativeSend(CFSocketNativeHandle sock, CFDataRef address, CFDataRef data,
                                   CFTimeInterval timeout) {
    const struct sockaddr *to = address ? (const struct sockaddr *)CFDataGetBytePtr(address) : NULL;
    socklen_t size = address ? (socklen_t)CFDataGetLength(address) : 0;
    const UInt8 *bytes = CFDataGetBytePtr(data);
    size_t left = (size_t)CFDataGetLength(data);
    uint64_t limit = timeout > 0 ? __CFSocketLimit(timeout) : 0;
    // With a time limit no call waits in send. It waits in __CFSocketWait.
    int flags = MSG_NOSIGNAL | (timeout > 0 ? MSG_DONTWAIT : 0);
    do {
        ssize_t count = sendto(sock, bytes, left, flags, to, size);
        if (count >= 0) {
            bytes += count;
            left -= (size_t)count;
            continue;
        }
        if (errno == EINTR) continue;
        Boolean isFull = errno == EAGAIN || errno == EWOULDBLOCK;
        if (!isFull || timeout <= 0) return kCFSocketError;
        if (__CFSocketWait(sock, POLLOUT, limit)) continue;
        errno = EAGAIN;
        return kCFSocketError;
    } while (left > 0);
    return kCFSocketSuccess;
}

/// Returns how many bytes to read next. The next message must fit, because the system throws away
/// what does not.
static size_t __CFSocketNativeGetReadSize(CFSocketNativeHandle sock, int socketType) {
    int next = 0;
    Boolean hasMessages = socketType != SOCK_STREAM && socketType != 0;
    if (hasMessages && ioctl(sock, FIONREAD, &next) == 0 && next > __kCFSocketChunk)
        return (size_t)next;
    return __kCFSocketChunk;
}

CFDataRef __CFSocketNativeCopyData(CFSocketNativeHandle sock, int socketType, CFDataRef *address) {
    size_t most = __CFSocketNativeGetReadSize(sock, socketType);
    UInt8 *buffer = malloc(most);
    if (!buffer) __CF_HAS_NO_MEMORY_LEFT__("the bytes of a CFSocket");
    struct sockaddr_storage from;
    socklen_t size = sizeof(from);
    *address = NULL;
    ssize_t count;
    do {
        count = recvfrom(sock, buffer, most, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
    } while (count < 0 && errno == EINTR);
    if (count < 0 && errno == ENOTSOCK) {
        size = 0;
        count = read(sock, buffer, most);
    }
    CFDataRef data = NULL;
    Boolean isEmpty = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!isEmpty) data = CFDataCreate(kCFAllocatorSystemDefault, buffer, count > 0 ? count : 0);
    free(buffer);
    if (!data) return NULL;
    // A connection has no sender in each message. The sender is the other end.
    if (count > 0) *address = __CFSocketCreateAddress(&from, size);
    if (!*address) *address = __CFSocketNativeCopyAddress(sock, true);
    return data;
}

CFSocketNativeHandle __CFSocketNativeAccept(CFSocketNativeHandle sock, CFDataRef *address) {
    struct sockaddr_storage from;
    socklen_t size = sizeof(from);
    *address = NULL;
    CFSocketNativeHandle accepted;
    do {
        accepted = accept(sock, (struct sockaddr *)&from, &size);
    } while (accepted < 0 && errno == EINTR);
    if (accepted >= 0) *address = __CFSocketCreateAddress(&from, size);
    return accepted;
}
