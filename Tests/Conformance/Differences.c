/// Differences.c: the known differences, and nothing else.
#include "Differences.h"
#include <stddef.h>
#include <string.h>

const Difference differences[] = {
    {"D2", "keeps a run's limit with a dispatch timer, which is late when libdispatch's threads are busy",
     "random: where the original alone differs is tried again, with a longer unit of time, and counts if it always differs", byHand},
    {"D12", "ignores a timer's tolerance", "nothing sets one", byHand},
    {"D13", "asks only the last of a pass's source 0s whether it was handled: a block queued by an earlier one may sleep",
     "scenarios: none does; random: no nested run, and no invalidation, that takes the last one's turn", forTheOriginal},
    {"D14", "knows kCFRunLoopCommonModes by its address", "only the constant is used", byHand},
    {"D15", "makes a mode of that name when a block is queued for the common modes", "that mode is left out of what is said", byHand},
    {"D16", "never disarms a mode's timer descriptor, and in a timer's callback re-arms that of one mode only",
     "random: a far timer in each mode, no nested run in the callback of a timer in several modes; scenarios: no pass is counted after "
     "the last of several timers", forTheOriginal},
    {"D17", "reads eight bytes of a port before its callback is called (D18: and is told of new bytes only)",
     "ports are eventfds, read once by their callback; random: no run, and nothing done to what has ended a wait, between that and its "
     "callback; for ours alone: no run of the mode whose timers have ended it, and nothing at all if the main queue has", forTheOriginal},
    {"D21", "fires timers of the same date in any order", "all dates differ", byHand},
    {"D29", "forgets half of an item of the common modes that is removed from one of them alone", "random: it is removed from all at "
     "once; scenarios: nothing is asked that depends on it", forTheOriginal},
    {"D30", "re-arms one mode only when a timer in two modes changes its date in its own callback", "only timers in one mode do",
     forTheOriginal},
    {"D31", "keeps a loop with a limited run after its thread's end", "threads pause before they end", byHand},
    {"D33", "lets an outer run's limit, passing while a nested run sleeps, wake the nested one, and not the outer",
     "no outer limit passes during a nested run", forTheOriginal},
    {"D36", "lets a nested run take a wake-up that is about the run around it, which sleeps on",
     "random: no nested run takes a wake-up while the run around it would need it", forTheOriginal},
    {"D41", "takes a date that has passed for the moment at which it was set: such timers fire in the order in which they were set",
     "no two timers are due at once whose dates say something else", forTheOriginal},
    {"two-ready", "of two things that are ready at once (a timer and a port, say) the system may name either first",
     "one thing is ready at a time", byModel},
    {"same-time", "of two moments that are the same either may come first", "moments differ by a unit of time", byModel},
    {"not-asleep", "what is to happen while the loop sleeps cannot, if something is ready", "it is left out", byModel},
    {"too-deep", "no difference: runs nest four deep here at most, to keep programs readable", "deeper ones are left out", byModel},
    {"hash-order", "a new common mode gets the common items in the order of a hash table",
     "where modes are declared common, no two observers have the same order", byHand},
    {"crash", "crashes for NULL as a mode of some calls, or as a source's context, and for AddCommonMode of the common modes",
     "not done", byHand},
    {NULL, NULL, NULL, byHand},
};

_Static_assert(sizeof differences / sizeof differences[0] == differenceCount + 1, "differenceCount is wrong");

int differenceNamed(const char *name) {
    for (int i = 0; differences[i].name; i++)
        if (!strcmp(differences[i].name, name)) return i;
    return -1;
}
