/// CFRunLoopPass.h: the record of one pass of a run. Internal.
///
/// Every build keeps these records, so that a debugger can read them in a live process or in a core
/// file. The original (all versions) has none. CFRunLoopProbes.h has the functions that write them.
#if !defined(__COREFOUNDATION_CFRUNLOOPPASS__)
#define __COREFOUNDATION_CFRUNLOOPPASS__ 1

#include "CFPort.h"
#include <CoreFoundation/CFRunLoopTrace.h>

/// The loop's thread writes the record: with rl locked, except for `_steps`, which is atomic, and
/// `_callouts`, which only the loop's thread and a debugger read.
struct __CFRunLoopPass {
    // The steps so far, one hexadecimal digit each, the latest lowest; A is step 10. 0x23467: the
    // thread sleeps or is about to. 0x2347: a non-blocking pass looks at the ports.
    _Atomic(uint64_t) _steps;
    // How many callbacks it has called, by kind. A count stays at 65535 once it is there.
    uint16_t _callouts[kCFRunLoopTraceCalloutCount];
    __CFPort _port;                     // the port that step 9 serves
    uint64_t _sleepTSR;                 // when the thread fell asleep; 0: it has not slept
    uint64_t _wakeTSR;                  // when it woke up; 0: it has not
    struct __CFRunLoopMode *_mode;      // the run's mode
    CFRunLoopTraceReason _reason;       // what step 9 serves
    pid_t _sender;                      // the thread whose wake-up ended the sleep; 0: no trace on
    uint32_t _depth;                    // how many runs are active, counting this one
};

/// How many completed passes a loop keeps.
#define __kCFRunLoopPassesKept 32

#endif
