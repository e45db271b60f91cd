/// SteppedRunLoop.h: to be included first, and instead of <CoreFoundation/CoreFoundation.h>: a second copy of the whole library, whose
/// accesses to atomic variables, locks and ports are steps of a Stepper. Linker and debugger know its functions by the prefix CRL_.
#if !defined(STEPPEDRUNLOOP_H)
#define STEPPEDRUNLOOP_H 1

#include "CTests.h"
#if __has_include(<CFRenamedSymbols.h>)
#define STEPPED_RUN_LOOP_IS_MISSING 1 // the trait RenamedSymbols has given its names to the first copy
#else
#include "../../Sources/CRunLoopRenamed/include/CFRenamedSymbols.h"
#endif
#include <CoreFoundation/CoreFoundation.h>

/// What the copy does differently from the original, for tests that are to see it fail.
typedef enum SteppedMutation {
    NoMutation,
    ClearsIgnoreWakeUpsTooLate, // at the end of a pass ignoreWakeUps is cleared only after the thread has looked whether there is something to do
    IgnoresReporters,           // a pass does not ask whether a signal is under way
} SteppedMutation;
extern SteppedMutation Mutation;

/// How many locks the calling thread has taken, in steps.
extern __thread int LocksTaken;

#endif
