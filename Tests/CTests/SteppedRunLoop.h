/// SteppedRunLoop.h: a second copy of the whole library, whose accesses to atomic variables, locks and ports are steps of a Stepper.
/// Include it first, and instead of <CoreFoundation/CoreFoundation.h>. To the linker, the copy's public functions have the prefix STEPPED_.
#if !defined(STEPPEDRUNLOOP_H)
#define STEPPEDRUNLOOP_H 1

#include "CTests.h"
#define CF_LINKER_NAME(name) STEPPED_##name
#include <CoreFoundation/CoreFoundation.h>

/// Deliberate defects of the copy, for tests that must find them.
typedef enum SteppedMutation {
    NoMutation,
    ClearsIgnoreWakeUpsTooLate, // at the end of a pass, clears ignoreWakeUps only after checking for changes
    SleepsBeforeItSaysSo,       // a thread reads the timer's deadline first, and then says that it sleeps
} SteppedMutation;
extern SteppedMutation Mutation;

/// Makes another port than the timer's count as the one that the mode's port set has reported last.
void SteppedModeForgetTimersTurn(CFRunLoopRef loop, CFStringRef mode);

/// How many locks the calling thread has taken, in steps.
extern __thread int LocksTaken;

#endif
