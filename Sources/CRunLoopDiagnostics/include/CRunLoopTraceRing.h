// CRunLoopTraceRing.h: a recording of what all run loops of a process do. It is the client of the library's trace
// (CFRunLoopTrace.h): its hook puts each event into a ring, and you receive the events when it suits you, on a thread of your
// choice:
//
//     CRunLoopTraceStart();
//     … run loops, on any threads …
//     CRunLoopTraceReceive(handler, info);  // calls handler(event, info) for each new event
//     CRunLoopTraceStop();
//
// Recording an event takes no lock and allocates nothing, and it is safe in a signal handler. You may call the functions on any
// thread. In a child that the process forks, you may call them only after it has called exec.

#ifndef CRUNLOOPTRACERING_H
#define CRUNLOOPTRACERING_H

#if !defined(__APPLE__) // where nothing uses this target

#include <CoreFoundation/CFRunLoopTrace.h>

/// A function that receives one event. `info` is the pointer given to CRunLoopTraceReceive.
///
/// The event is valid until the function returns.
typedef void (*CRunLoopTraceCallBack)(const CFRunLoopTraceEvent *event, void *info);

/// The number of events that the ring holds. While it is full, new events are counted as lost, until you receive some.
#define CRunLoopTraceCapacity 32768

/// Starts to record.
///
/// Events that an earlier recording left in the ring are discarded. Returns false if the library has a hook already, this one or
/// another caller's, or if there is no memory for the ring.
Boolean CRunLoopTraceStart(void);

/// Stops recording. You can still receive the events that were recorded. Nothing happens if nothing is being recorded.
void CRunLoopTraceStop(void);

/// Calls a function with each event recorded since the last call, the oldest first.
///
/// The calls happen on the calling thread with no lock held, so `handler` may do anything, even run a loop. With a NULL `handler`
/// the events are discarded. Returns the number of events, at most CRunLoopTraceCapacity. If two threads call it at the same
/// time, they share the events.
CFIndex CRunLoopTraceReceive(CRunLoopTraceCallBack handler, void *info);

/// Returns how many events of the present or last recording were lost.
///
/// An event is lost if the ring has no room for it. It is also lost if the thread that records it is cancelled before it
/// finishes, or leaves by siglongjmp from a signal handler. Such a loss is known after a second, and the place in the ring is
/// lost, too.
uint64_t CRunLoopTraceGetLostCount(void);

#endif

#endif
