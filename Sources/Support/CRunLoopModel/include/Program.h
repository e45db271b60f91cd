/// Program.h: a program made of a random number, as data: a few items, and a list of operations, each of which belongs to a
/// place: the program itself, one call of an item's callback, a block, a function in the main queue, or one of the loop's waits.
/// When that place is reached its operations are performed in order. Every operation is performed once at most, so one can be
/// left out without a change to the others: that is how programs are made determinate (Model.h) and short (Shrink.h).
#if !defined(PROGRAM_H)
#define PROGRAM_H 1

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    sourceCount = 4, portCount = 2, timerCount = 4, observerCount = 5,
    itemCount = sourceCount + portCount + timerCount + observerCount,
    modeCount = 3,                   // Default, A, B
    commonBit = 1 << modeCount,      // in a mask of modes: kCFRunLoopCommonModes
    mostOperations = 256,
    deepest = 4,                     // runs in runs
};

typedef enum { sourceItem, portItem, timerItem, observerItem } ItemKind;

/// When a timer is due. All dates but those of one kind of moment are far apart, and all dates of a program differ.
typedef struct {
    enum { longAgo, soon, farOff } moment;
    int number; // longAgo, farOff: a hundredth of a second each; soon: units of time, and a half (limits are whole ones), from then on
} Moment;

typedef struct {
    ItemKind kind;
    char name[4];
    int order;             // of a source, a port or an observer
    unsigned activities;   // of an observer
    bool repeats;          // of an observer or a timer
    Moment moment;         // of a timer
    int interval;          // of a timer that repeats: units of time, and a half; 0: a month
} ItemPlan;

typedef enum {
    addItem, removeItem, invalidateItem, signalSource, pokePort, drainPort, setTimer,
    wakeLoop, stopLoop, stopMode, performBlock, queueFunction, declareCommon, runMode,
    askContains, askItem, askLoop, askModes, askNextDate, askFinished,
} Action;

/// The places that operations belong to, beside the items' callbacks (0 to itemCount - 1): an operation's own number, from
/// `firstOwnPlace` on, is the place of what it has queued.
enum { wholeProgram = -1, whileWaiting = -2, firstOwnPlace = 100 };

typedef struct {
    short number;          // of the operation; stays the same when others are left out
    short place;           // see above
    short call;            // the how manieth call of the callback, or wait of the loop, from 0
    Action action;
    short item;
    unsigned modes;        // a mask; commonBit where the common modes are meant
    Moment moment;         // setTimer
    short limit;           // runMode: in time units; 0: one pass
    bool once;             // runMode: return after a source has been handled
    bool elsewhere;        // on another thread, for which this one waits
} Operation;

typedef struct {
    uint64_t seed;
    bool onMainThread;
    bool withTimers;       // if not, no mode has a timer, and modes can be empty
    bool withoutOriginal;  // it is for ours and the model alone: what the original does wrong stays in
    ItemPlan items[itemCount];
    int count;
    Operation operations[mostOperations];
} Program;

/// A set of operations, by number.
typedef struct {
    bool has[mostOperations];
} OperationSet;

/// The program of a seed, as it comes: for both loops, and not yet determinate.
void programMake(Program *program, uint64_t seed);
/// Leaves out the operations that are not in `kept`.
void programKeep(Program *program, const OperationSet *kept);
/// The operations of a program, and as text of hexadecimal digits for a child; the text is good for mostOperations / 4 + 1 bytes.
OperationSet programOperations(const Program *program);
void operationSetWrite(const OperationSet *set, char *text);
bool operationSetRead(OperationSet *set, const char *text);

/// Prints a program as text.
void programPrint(FILE *out, const Program *program);

/// The operations as lines of a log: what both loops' performances and the model write before they perform one. `line` has
/// lineLength bytes.
enum { lineLength = 160 };
void describeOperation(const Program *program, const Operation *operation, char *line);

/// Names, as the log has them.
const char *modeText(int mode);
const char *resultText(int result);
const char *activityText(unsigned activity);

#endif
