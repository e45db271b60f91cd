/// CFSocket.h: a socket whose events reach a run loop.
///
/// A CFSocket wraps a socket that the system knows by its descriptor. A thread of this library, the
/// socket manager, waits for the descriptors of all CFSockets. When something happens to one, it
/// signals the CFSocket's Source0 and wakes the run loop, and the loop calls your function. The
/// manager's name is com.apple.CFSocket.private. Linux keeps 15 characters of it, so a debugger and
/// `ps -T` show com.apple.CFSoc.
///
/// Callbacks: when you create a CFSocket you choose the events that call your function: one of
/// kCFSocketReadCallBack, kCFSocketAcceptCallBack and kCFSocketDataCallBack, and with it
/// kCFSocketConnectCallBack and kCFSocketWriteCallBack. An event calls once and is then disabled.
/// The loop enables accept and data callbacks again just before it calls your function, and read
/// callbacks after your function has returned. It enables write callbacks again only if you ask for
/// it with CFSocketSetSocketFlags. A connect callback is called once in the life of a CFSocket. If
/// several events have happened, connect is called first, then read, accept or data, then write.
///
/// Lifetime: a CFSocket lives until it is invalidated, even if you release it, because the manager
/// has a reference to it. CFSocketInvalidate closes the descriptor, unless you have cleared
/// kCFSocketCloseOnInvalidate. Do not close the descriptor before that.
///
/// Threads: you may call every function on any thread. NULL instead of a CFSocket aborts the
/// program with a message. No lock is held while your function is called. In a child of fork that
/// has not called exec, every function aborts the program with a message, except CFSocketGetNative
/// and CFSocketIsValid.
///
/// The original's name registry (CFSocketRegisterValue and its relatives) is not here, because it
/// needs a server that Linux does not have.
// [I6, D69, D70]
#if !defined(__COREFOUNDATION_CFSOCKET__)
#define __COREFOUNDATION_CFSOCKET__ 1

#include "CFRunLoop.h"
#include "CFData.h"

CF_EXTERN_C_BEGIN

/// A socket.
typedef struct CF_BRIDGED_MUTABLE_TYPE(id) __CFSocket *CFSocketRef;

/// The results of functions that may fail. If the system refused, errno has the reason.
typedef CF_ENUM(CFIndex, CFSocketError) {
    kCFSocketSuccess = 0,
    kCFSocketError = -1L,
    kCFSocketTimeout = -2L
};

/// What a socket is and which address belongs to it.
typedef struct {
    /// PF_INET, PF_INET6, PF_UNIX …
    SInt32 protocolFamily;
    /// SOCK_STREAM, SOCK_DGRAM …
    SInt32 socketType;
    /// IPPROTO_TCP, IPPROTO_UDP, or 0 for the usual one.
    SInt32 protocol;
    /// A struct sockaddr.
    CFDataRef address;
} CFSocketSignature;

/// The events that call your function. Combine one of the first three with the other two.
typedef CF_OPTIONS(CFOptionFlags, CFSocketCallBackType) {
    kCFSocketNoCallBack = 0,
    /// There is something to read, or a connection to accept, or the other end has closed. Your
    /// function reads or accepts.
    kCFSocketReadCallBack = 1,
    /// The manager has accepted a connection. `data` is a pointer to its CFSocketNativeHandle,
    /// which is yours; `address` is the other end's.
    kCFSocketAcceptCallBack = 2,
    /// The manager has read. `data` is a CFDataRef; `address` is the sender's. If the other end of
    /// a connection has closed, the CFDataRef is empty, and the CFSocket is invalidated afterwards.
    kCFSocketDataCallBack = 3,
    /// A connection in the background has ended: see CFSocketConnectToAddress. `data` is NULL, or a
    /// pointer to an SInt32 with the error number.
    kCFSocketConnectCallBack = 4,
    /// There is room to write.
    kCFSocketWriteCallBack = 8
};

/// Flags of a CFSocket. A new one has kCFSocketCloseOnInvalidate and the flag for its read, accept
/// or data callback.
CF_ENUM(CFOptionFlags) {
    /// After a read callback the next one is enabled by itself.
    kCFSocketAutomaticallyReenableReadCallBack = 1,
    kCFSocketAutomaticallyReenableAcceptCallBack = 2,
    kCFSocketAutomaticallyReenableDataCallBack = 3,
    /// After a write callback the next one is enabled by itself. It is called in every pass as long
    /// as there is room.
    kCFSocketAutomaticallyReenableWriteCallBack = 8,
    /// A connect callback does not take the error from the socket: it is passed NULL, and
    /// getsockopt(SO_ERROR) returns the error.
    kCFSocketLeaveErrors = 64,
    /// CFSocketInvalidate closes the descriptor.
    kCFSocketCloseOnInvalidate = 128
};

/// Your function. `type` is the event; `address` and `data` depend on it (CFSocketCallBackType),
/// and are valid until your function returns.
typedef void (*CFSocketCallBack)(CFSocketRef s, CFSocketCallBackType type, CFDataRef address,
                                 const void *data, void *info);

/// What your function gets as `info`. Every callback may be NULL. `info` is retained when the
/// CFSocket is created and while your function is running, and released when the CFSocket is
/// invalidated. Without `retain`, that release waits until your function has returned. `version` is
/// 0.
typedef struct {
    CFIndex version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
} CFSocketContext;

/// A descriptor.
typedef int CFSocketNativeHandle;

/// Returns the type id of CFSocket.
CF_EXPORT CFTypeID CFSocketGetTypeID(void);

// MARK: - Creating

/// Creates a socket. The caller owns the CFSocket.
///
/// A `protocolFamily` of 0 or less means PF_INET. For PF_INET a `socketType` of 0 or less means
/// SOCK_STREAM, and a `protocol` of 0 or less the usual one. `callout` may be NULL. The context is
/// copied. Returns NULL if the system refuses; errno says why.
CF_EXPORT CFSocketRef CFSocketCreate(CFAllocatorRef allocator, SInt32 protocolFamily,
                                     SInt32 socketType, SInt32 protocol,
                                     CFOptionFlags callBackTypes, CFSocketCallBack callout,
                                     const CFSocketContext *context);
/// Creates a CFSocket for a descriptor that you have. The caller owns the CFSocket.
///
/// If there is a valid CFSocket for the descriptor, the function returns that one, retained, and
/// ignores the other arguments. It need not be a socket: a pipe or a terminal may have read and
/// write callbacks. Returns NULL if the descriptor is not open.
CF_EXPORT CFSocketRef CFSocketCreateWithNative(CFAllocatorRef allocator, CFSocketNativeHandle sock,
                                               CFOptionFlags callBackTypes,
                                               CFSocketCallBack callout,
                                               const CFSocketContext *context);
/// Creates a socket and binds it with CFSocketSetAddress. The caller owns the CFSocket.
///
/// Returns NULL if one of these fails.
CF_EXPORT CFSocketRef CFSocketCreateWithSocketSignature(CFAllocatorRef allocator,
                                                        const CFSocketSignature *signature,
                                                        CFOptionFlags callBackTypes,
                                                        CFSocketCallBack callout,
                                                        const CFSocketContext *context);
/// Creates a socket and connects it with CFSocketConnectToAddress. The caller owns the CFSocket.
///
/// Returns NULL if one of these fails.
CF_EXPORT CFSocketRef CFSocketCreateConnectedToSocketSignature(
    CFAllocatorRef allocator, const CFSocketSignature *signature, CFOptionFlags callBackTypes,
    CFSocketCallBack callout, const CFSocketContext *context, CFTimeInterval timeout);

// MARK: - Addresses and connections

/// Binds the socket to an address, a struct sockaddr. A socket for connections also begins to
/// listen.
CF_EXPORT CFSocketError CFSocketSetAddress(CFSocketRef s, CFDataRef address);
/// Connects the socket to an address, a struct sockaddr.
///
/// - If `timeout` is positive, the call returns after that many seconds at the latest, then with
///   kCFSocketTimeout. This does not end the attempt: the connection may still be made, and then
///   the connect callback is called. CFSocketInvalidate ends it.
/// - If it is 0, the call returns when the connection is made or has failed.
/// - If it is negative, the call returns at once, and the connection is made in the background. A
///   connect callback is called at its end. The descriptor stays non-blocking.
///
/// If you connect a socket of the Unix domain yourself, with connect(2), enable its callbacks
/// afterwards with CFSocketEnableCallBacks: Linux does not report such a connection.
CF_EXPORT CFSocketError CFSocketConnectToAddress(CFSocketRef s, CFDataRef address,
                                                 CFTimeInterval timeout);
/// Returns the socket's own address, or NULL if there is none. The caller releases it.
CF_EXPORT CFDataRef CFSocketCopyAddress(CFSocketRef s);
/// Returns the address of the other end, or NULL if the socket is not connected. The caller
/// releases it.
CF_EXPORT CFDataRef CFSocketCopyPeerAddress(CFSocketRef s);
/// Sends bytes. `address` is a struct sockaddr, or NULL if the socket is connected.
///
/// If `timeout` is positive, the call gives up after that many seconds; otherwise it waits for room
/// unless the descriptor is non-blocking. Success means that the system has taken all bytes. The
/// call raises no SIGPIPE.
CF_EXPORT CFSocketError CFSocketSendData(CFSocketRef s, CFDataRef address, CFDataRef data,
                                         CFTimeInterval timeout);

// MARK: - Events

/// Returns the version 0 source of a CFSocket, for CFRunLoopAddSource. The caller releases it.
///
/// A CFSocket has one source: further calls return the same, retained, and ignore `order`. If it
/// was invalidated, the next call makes another one. Returns NULL if the CFSocket is invalid.
CF_EXPORT CFRunLoopSourceRef CFSocketCreateRunLoopSource(CFAllocatorRef allocator, CFSocketRef s,
                                                         CFIndex order);
/// Returns the flags of a CFSocket.
CF_EXPORT CFOptionFlags CFSocketGetSocketFlags(CFSocketRef s);
/// Sets the flags of a CFSocket.
///
/// Those that enable callbacks again are read when the loop does so, kCFSocketLeaveErrors before a
/// connect callback, and kCFSocketCloseOnInvalidate by CFSocketInvalidate.
CF_EXPORT void CFSocketSetSocketFlags(CFSocketRef s, CFOptionFlags flags);
/// Disables callbacks, which are then not called until they are enabled.
///
/// When the source is added to its first mode, all callbacks are enabled.
CF_EXPORT void CFSocketDisableCallBacks(CFSocketRef s, CFOptionFlags callBackTypes);
/// Enables callbacks. Types that the CFSocket was not created with are ignored.
CF_EXPORT void CFSocketEnableCallBacks(CFSocketRef s, CFOptionFlags callBackTypes);

// MARK: - The rest

/// Makes a CFSocket invalid: your function is never called again, the source is invalidated, and
/// the descriptor is closed (kCFSocketCloseOnInvalidate). If another thread waits to send, that
/// call fails. If one waits for a connection, the connection is closed when that call returns.
CF_EXPORT void CFSocketInvalidate(CFSocketRef s);
/// Returns whether a CFSocket is valid.
CF_EXPORT Boolean CFSocketIsValid(CFSocketRef s);
/// Returns the descriptor, or -1 if the CFSocket is invalid.
CF_EXPORT CFSocketNativeHandle CFSocketGetNative(CFSocketRef s);
/// Copies the context into `context`. After the invalidation `info` is NULL.
CF_EXPORT void CFSocketGetContext(CFSocketRef s, CFSocketContext *context);

CF_EXTERN_C_END

#endif
