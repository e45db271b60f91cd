/// CFSocketNative.h: what a CFSocket asks the system for. Internal.
#if !defined(__COREFOUNDATION_CFSOCKETNATIVE__)
#define __COREFOUNDATION_CFSOCKETNATIVE__ 1

#include "Base/CFInternal.h"
#include <CoreFoundation/CFSocket.h>

CF_EXTERN_C_BEGIN

/// Returns the type of a socket (SOCK_STREAM …), or 0 for a descriptor that is none.
CF_PRIVATE int __CFSocketNativeGetType(CFSocketNativeHandle sock);
/// Returns whether sockets of this type have connections.
CF_PRIVATE Boolean __CFSocketTypeIsConnectionOriented(int socketType);
/// Returns the events that a descriptor has now: POLLIN, POLLOUT, POLLRDHUP, POLLHUP, POLLERR. A
/// socket whose connection is being made has none.
CF_PRIVATE short __CFSocketNativeGetEvents(CFSocketNativeHandle sock);
/// Makes a descriptor non-blocking or blocking. Returns whether it was non-blocking.
CF_PRIVATE Boolean __CFSocketNativeSetNonBlocking(CFSocketNativeHandle sock, Boolean nonBlocking);
/// Returns the socket's own address, or the other end's, or NULL. The caller releases it.
CF_PRIVATE CFDataRef __CFSocketNativeCopyAddress(CFSocketNativeHandle sock, Boolean ofPeer);
/// Returns whether a socket is connected.
CF_PRIVATE Boolean __CFSocketNativeHasPeer(CFSocketNativeHandle sock);
/// Binds a socket, and listens if it is for connections.
CF_PRIVATE CFSocketError __CFSocketNativeBind(CFSocketNativeHandle sock, CFDataRef address);
/// Connects a socket: see CFSocketConnectToAddress.
CF_PRIVATE CFSocketError __CFSocketNativeConnect(CFSocketNativeHandle sock, CFDataRef address,
                                                CFTimeInterval timeout);
/// Sends bytes: see CFSocketSendData.
CF_PRIVATE CFSocketError __CFSocketNativeSend(CFSocketNativeHandle sock, CFDataRef address,
                                             CFDataRef data, CFTimeInterval timeout);
/// Reads what there is, up to some size, or one whole message, without waiting, and returns it.
/// Returns an empty CFData at the end of the file and if the socket has failed, and NULL if there
/// is nothing to read. `*address` becomes the sender's address, or NULL. The caller releases both.
CF_PRIVATE CFDataRef __CFSocketNativeCopyData(CFSocketNativeHandle sock, int socketType,
                                             CFDataRef *address);
/// Accepts a connection without waiting. Returns -1 if there is none. `*address` becomes the other
/// end's address. The caller releases it.
CF_PRIVATE CFSocketNativeHandle __CFSocketNativeAccept(CFSocketNativeHandle sock,
                                                      CFDataRef *address);

CF_EXTERN_C_END

#endif
