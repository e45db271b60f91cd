/// CFSocket_Internal.h: what CFSocket.c and the manager (CFSocketManager.c) share. Internal.
#if !defined(__COREFOUNDATION_CFSOCKET_INTERNAL__)
#define __COREFOUNDATION_CFSOCKET_INTERNAL__ 1

#include "CFSocketNative.h"

CF_EXTERN_C_BEGIN

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

#define __kCFSocketNoArrival ((__CFSocketArrival){NULL, NULL, -1})

struct __CFSocket {
    CFRuntimeBase _base;
    // These never change.
    CFOptionFlags _callBackTypes;
    CFSocketCallBack _callout;
    int _socketType;           // SOCK_STREAM …, or 0 if the descriptor is not a socket
    uint32_t _generation;      // distinguishes the CFSockets of a descriptor that is used again
    CFLock_t _writeLock;       // held while bytes are sent, so that those of two threads do not mix
    CFLock_t _lock;            // guards all below
    _Atomic(CFSocketNativeHandle) _socket; // -1 if the CFSocket is invalid
    CFOptionFlags _flags;
    CFOptionFlags _disabled;   // the kinds that CFSocketDisableCallBacks has disabled
    CFOptionFlags _armed;      // the kinds that the manager waits for
    CFOptionFlags _ready;      // the kinds that have happened, and are about to be called
    Boolean _isConnected;      // the connect callback has happened
    Boolean _isWatched;        // the descriptor is in the manager's epoll set
    Boolean _waitsForEdges;    // the set reports changes, not states: see __CFSocketIsUnconnected
    Boolean _isPaused;         // the set reports nothing for a while: see __kCFSocketPause
    SInt32 _errorCode;         // of the connection
    CFIndex _connectingCalls;  // the calls of CFSocketConnectToAddress now
    SInt32 _takenError;        // the error of a connection that such a call took from the socket
    __CFSocketArrival _arrival;
    CFIndex _socketSetCount;   // how many modes of how many loops have the source
    CFRunLoopSourceRef _source0;
    CFMutableArrayRef _runLoops; // the loops of those modes, not retained; NULL if invalid
    CFMutableArrayRef _cancelledFirst; // loops, not retained: see __CFSocketCancel; often NULL
    CFIndex _nativeUsers;      // the calls that use the descriptor now
    CFSocketNativeHandle _closedLater; // the last of them closes it; -1 for none
    CFIndex _infoUsers;        // the callbacks that use the context's info, and 1 while valid
    CFSocketContext _context;
};

/// Returns the kinds of the events that callbacks of these types wait for.
CF_INLINE CFOptionFlags __CFSocketKinds(CFOptionFlags callBackTypes) {
    CFOptionFlags kinds = callBackTypes & (__kCFSocketConnect | __kCFSocketWrite);
    return callBackTypes & kCFSocketDataCallBack ? kinds | __kCFSocketRead : kinds;
}

/// Returns which of read, accept and data callback the socket has.
CF_INLINE CFSocketCallBackType __CFSocketReadType(CFSocketRef s) {
    return (CFSocketCallBackType)(s->_callBackTypes & kCFSocketDataCallBack);
}

// MARK: - CFSocketManager.c: the table of all sockets, and the thread that waits for them

/// Returns the valid CFSocket of a descriptor, retained, or NULL.
CF_PRIVATE CFSocketRef __CFSocketCopyKnown(CFSocketNativeHandle sock);
/// Adds a CFSocket to the table, unless the descriptor has one. Returns the one in the table,
/// retained.
CF_PRIVATE CFSocketRef __CFSocketCopyAdded(CFSocketRef s);
/// Removes a CFSocket from the table. The caller has a reference to it.
CF_PRIVATE void __CFSocketForget(CFSocketRef s, CFSocketNativeHandle sock);
/// Waits for events of these kinds, if the socket is in a loop. s locked.
CF_PRIVATE void __CFSocketArm(CFSocketRef s, CFOptionFlags kinds);
/// Waits for no event of the socket any more. s locked.
CF_PRIVATE void __CFSocketUnwatch(CFSocketRef s);

CF_EXTERN_C_END

#endif
