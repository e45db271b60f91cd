/// CFRunLoopPass.h: the record of one pass of a run. Internal.
///
/// Every build keeps these records, so that a debugger can read them in a live process or in a core
/// file. The loop itself reads none of them. The original (all versions) has none.
/// CFRunLoopProbes.h has the functions that write them.
#if !defined(__COREFOUNDATION_CFRUNLOOPPASS__)
#define __COREFOUNDATION_CFRUNLOOPPASS__ 1

#include "CFRunLoop_Internal.h"

/// The record of a pass. Only the loop's thread writes it, with rl locked, except for the fields
/// that are atomic, and for `_callouts`, which no other thread reads.
struct __CFRunLoopPass {
    // The steps so far, one hexadecimal digit each. The lowest digit is the latest step, and A is
    // step 10. For example, 0x23467: the thread sleeps or is about to sleep. 0x2347: the pass
    // polls.
    _Atomic(uint64_t) _steps;
    // How many callbacks the pass has called, by kind. A count stays at 65535.
    uint16_t _callouts[kCFRunLoopTraceCalloutCount];
    __CFPort _port;                     // the port that step 9 serves
    _Atomic(uint64_t) _sleepTSR;        // when the thread fell asleep; 0: it has not slept
    _Atomic(uint64_t) _wakeTSR;         // when it woke up; 0: it has not
    struct __CFRunLoopMode *_mode;      // the run's mode
    CFRunLoopTraceReason _reason;       // what step 9 serves
    uint32_t _depth;                    // how many runs are active, counting this one
};

/// The data of a run, and behind it the record of the run's present pass.
struct __CFRecordedRun {
    _per_run_data data;
    struct __CFRunLoopPass pass;
};

/// How many completed passes a loop keeps.
#define __kCFRunLoopPassesKept 8

/// The completed passes. Pass n, counted from 0 over all runs, is at n % __kCFRunLoopPassesKept.
struct __CFRunLoopPasses {
    uint64_t _count;                    // how many passes are complete
    struct __CFRunLoopPass _kept[__kCFRunLoopPassesKept];
};

#endif
