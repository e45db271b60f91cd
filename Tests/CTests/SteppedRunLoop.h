/// SteppedRunLoop.h: to be included first, and instead of <CoreFoundation/CoreFoundation.h>: a second copy of the whole library, whose
/// accesses to atomic variables, locks and ports are steps of a Stepper. Linker and debugger know its functions by the prefix STEPPED_.
#if !defined(STEPPEDRUNLOOP_H)
#define STEPPEDRUNLOOP_H 1

#include "CTests.h"
#define CF_BUILDING_CF 1
#define CF_LINKER_NAME(name) STEPPED_##name
#define CF_HAS_LINKER_ALIASES 0 // or a breakpoint at CFRunLoopRun would stop in either copy
#include <CoreFoundation/CoreFoundation.h>

/// What the copy does differently from the original, for tests that are to see it fail.
typedef enum SteppedMutation {
    NoMutation,
    ClearsIgnoreWakeUpsTooLate, // at the end of a pass ignoreWakeUps is cleared only after the thread has looked whether there is something to do
    TrustsTheFirstSignaller,    // a signaller that finds its source signalled does not report it
    SleepsBeforeItSaysSo,       // a thread reads the timer's deadline first, and then says that it sleeps
} SteppedMutation;
extern SteppedMutation Mutation;

/// How many locks the calling thread has taken, in steps.
extern __thread int LocksTaken;

#endif
