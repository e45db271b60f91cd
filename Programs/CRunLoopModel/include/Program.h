/// Program.h: a program made of a random number, in the language of LoopProgram.h: a few items, and a list of actions, each of which
/// belongs to a place: the thread itself, one call of an item's callback, a block, a function in the main queue, or one of the loop's
/// waits. Every action is performed once at most, so one can be left out without a change to the others: that is how programs are made
/// determinate (Prediction.h) and short (Trial.h).
#if !defined(PROGRAM_H)
#define PROGRAM_H 1

#include "LoopProgram.h"
#include <stdint.h>

enum {
    sourceCount = 4, portCount = 2, timerCount = 4, observerCount = 5,
    itemCount = sourceCount + portCount + timerCount + observerCount, // behind them come the timers that are far off
    modeA = 2, modeB = 3,                                             // behind the default mode and the common modes
};

typedef struct {
    uint64_t seed;
    int thread;            // that performs it: the main thread, or the other one
    bool withTimers;       // if so, each mode has a timer that is far off; if not, modes can be empty
    int given;             // so many actions at the beginning add these timers; nothing leaves them out
    bool withoutOriginal;  // it is for ours and the model alone: what the original does wrong stays in
    LoopProgram loop;      // `line` of an action is its number, which stays the same when others are left out
} Program;

/// A set of actions, by number.
typedef struct {
    bool has[mostActions];
} ActionSet;

/// The program of a seed, as it comes: for both loops, and not yet determinate. A unit of time is a second; dates that are not soon are
/// days away.
void programMake(Program *program, uint64_t seed);
/// Begins a program without actions, whose thread is not the main one, unless it has to be.
void programBegin(Program *program, uint64_t seed, bool onMainThread);
/// Adds an action, unless the program has enough: then it returns NULL.
LoopAction *programAdd(Program *program, LoopVerb verb, LoopPlace place);
/// Leaves out the actions that are not in `kept`.
void programKeep(Program *program, const ActionSet *kept);
/// The actions of a program, and as text of hexadecimal digits for a child; the text is good for mostActions / 4 + 1 bytes.
ActionSet programActions(const Program *program);
void actionSetWrite(const ActionSet *set, char *text);
bool actionSetRead(ActionSet *set, const char *text);

/// Prints a program as text, behind a comment that says for whom it is.
void programPrint(FILE *out, const Program *program);

#endif
