/// LabSocket.h: a socket whose events reach a run loop through a Source0, as the articles draw
/// CFSocket. It stands in for CFSocket in RunLoopLab and in the debuggers' scenarios. (I6, A8, 1.37)
///
/// It has only what the articles show. A program of yours adds a version 1 source for the
/// descriptor, because on Linux the loop itself can wait for a socket: Documentation/Guides/c.md.
#if !defined(LABSOCKET_H)
#define LABSOCKET_H 1

#include <CoreFoundation/CoreFoundation.h>

CF_EXTERN_C_BEGIN

typedef struct LabSocket LabSocket;

/// The events that call your function.
typedef CF_OPTIONS(CFOptionFlags, LabSocketEvents) {
    /// There is something to read, or a connection to accept, or the other end has closed. Enabled
    /// again when your function returns.
    kLabSocketReadable = 1,
    /// There is room to write, or a connection has been made, or it has failed. Enabled again by
    /// LabSocketEnable.
    kLabSocketWritable = 8
};

/// Your function, which the loop's thread calls in step 4, once for each event.
typedef void (*LabSocketCallBack)(LabSocket *s, LabSocketEvents event, void *info);

/// Creates a LabSocket, which owns the descriptor, and `info` if there is a `release`.
///
/// It lives until LabSocketInvalidate. Returns NULL if no memory is available.
LabSocket *LabSocketCreate(int descriptor, LabSocketEvents events, LabSocketCallBack callBack,
                           void *info, void (*release)(void *info));
/// Returns the Source0, for CFRunLoopAddSource. Add it to the modes of one loop. The LabSocket owns
/// the source.
CFRunLoopSourceRef LabSocketGetSource(LabSocket *s)
    __attribute__((swift_attr("returns_unretained")));
/// Returns the descriptor.
int LabSocketGetDescriptor(LabSocket *s);
/// Enables events that have called your function. Any thread may call this.
void LabSocketEnable(LabSocket *s, LabSocketEvents events);
/// Closes the descriptor, invalidates the source, and releases `info`. Do not use the LabSocket
/// afterwards. Call this on the loop's thread; your function may call it.
void LabSocketInvalidate(LabSocket *s);

CF_EXTERN_C_END

#endif
