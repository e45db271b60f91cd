/// Differences.c: the table of the known differences.
#include "Differences.h"
#include <stddef.h>
#include <string.h>

const Difference differences[] = {
    {"D2", "keeps a run's limit with a dispatch timer, which is late when libdispatch's threads are busy",
     "random: a program in which only the original differs is tried again, with a longer unit of time, and counts if it always differs", explicitly},
    {"D12", "ignores a timer's tolerance", "nothing sets one", explicitly},
    {"D13", "asks only the last Source0 of a pass whether it was handled, so a block that an earlier one queued may have to wait",
     "scenarios: none does; random: no nested run and no invalidation takes the last one's turn", forTheOriginal},
    {"D14", "knows kCFRunLoopCommonModes by its address", "only the constant is used", explicitly},
    {"D16", "never disarms a mode's timer descriptor, and in a timer's callback re-arms that of one mode only",
     "random: a far timer in each mode, no nested run in the callback of a timer in several modes; scenarios: no pass is counted after "
     "the last of several timers", forTheOriginal},
    {"D17", "reads eight bytes of a port before it calls the callback (D18: and notices only new bytes)",
     "ports are eventfds, read once by their callback; random: between the end of a wait and the callback, no run, and no change of the "
     "item that ended it; for ours alone: no run of the mode whose timers ended the wait, and no action if the main queue ended it", forTheOriginal},
    {"D29", "half forgets an item of the common modes that is removed from only one of them", "random: it is removed from all at "
     "once; scenarios: no query depends on it", forTheOriginal},
    {"D30", "re-arms one mode only when a timer in two modes changes its date in its own callback", "only timers in one mode do",
     forTheOriginal},
    {"D31", "keeps a loop with a limited run after its thread's end", "threads pause before they end", explicitly},
    {"D33", "lets an outer run's limit, passing while a nested run sleeps, wake the nested one, and not the outer",
     "no outer limit passes during a nested run", forTheOriginal},
    {"D36", "sleeps on a stop, a block or a signalled Source0 that a nested run has left, if that run took the wake-up",
     "random: no run that would sleep on such work goes on", forTheOriginal},
    {"embedding", "no mode of it can be embedded in another event loop", "scenarios: none is; random: none is, and so no host serves a mode", forTheOriginal},
    {"two-ready", "of two events that are ready at once (a timer and a port, for example) the system may report either first",
     "only one event is ready at a time", byModel},
    {"same-time", "of two equal moments either may come first", "moments differ by a unit of time", byModel},
    {"not-asleep", "an action during the loop's sleep cannot happen if an event is ready", "it is left out", byModel},
    {"too-deep", "no difference: runs nest four deep here at most, to keep programs readable", "deeper ones are left out", byModel},
    {"hash-order", "a new common mode gets the common items in the order of a hash table",
     "where modes are declared common, no two observers have the same order", explicitly},
    {"crash", "crashes for NULL as a mode of some calls, or as a source's context, and for AddCommonMode of the common modes",
     "not done", explicitly},
    {NULL, NULL, NULL, explicitly},
};

_Static_assert(sizeof differences / sizeof differences[0] == differenceCount + 1, "differenceCount is wrong");

int differenceNamed(const char *name) {
    for (int i = 0; differences[i].name; i++)
        if (!strcmp(differences[i].name, name)) return i;
    return -1;
}
