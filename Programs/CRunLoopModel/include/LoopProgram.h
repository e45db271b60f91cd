/// LoopProgram.h: programs for run loops, as text that a person writes, and as the data that the
/// text is read into.
///
///     source S in default
///     timer T every 1s in default
///     when T fires: say "tick"
///     at 2.5s thread B signals S and wakes
///     run default for 10s
///
/// Documentation/Reference/programs.md describes the language. PerformProgram.c performs a program
/// on the simulated kernel or on the real one. A program is a list of actions, each of which
/// belongs to a place: a thread's own code, a moment, the calls of an item, a wait, a step of a
/// pass, a block, or a signal handler. An action can be left out without a change to the others.
#if !defined(LOOP_PROGRAM_H)
#define LOOP_PROGRAM_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    mostNames = 32, // of items, modes and threads each
    mostBlocks = 256,
    mostPlaces = 256,
    mostActions = 512,
    longestName = 24,
    defaultModeIndex = 0, // in the list of modes; a mask has the bit of each mode
    commonModesIndex = 1,
    mainThreadIndex = 0,
};

typedef struct {
    enum { aSource, aPort, aTimer, anObserver } kind;
    char name[longestName];
    int thread; // whose loop it belongs to
    int order;
    unsigned activities; // of an observer
    bool once;           // of an observer
    bool isAfterNow;     // of a timer: `first` counts from the moment at which it is made
    double first, interval, tolerance; // of a timer, in seconds; interval 0: once
} LoopItem;

typedef struct {
    enum { ofThread, atMoment, inItem, inWait, inBlock, inHandler, beforeWait, beforeStep } kind;
    int index;              // of the item, the block, or the thread whose code or loop it is
    int call;               // which call, wait or pass, from 1; 0: every call
    int step;               // beforeStep: of that pass
    double seconds;         // atMoment
    char name[longestName]; // what the thread is called that acts at that moment, wait or step
    int line;               // of the text, from 1
} LoopPlace;

typedef enum {
    doAdd, doRemove, doInvalidate, doSignal, doSend, doReceive, doSet, doWake, doStop, doBlock,
    doQueue, doDeclare, doRun, doSpend, doSay, doAskWhether, doAskHow, doAskMode, doAskModes,
    doAskNext, doAskFinished, doAskWaiting, doFault, doClose,
    doEmbed, doServe, doAskReadable, // of a host: the loop's own thread
} LoopVerb;

typedef enum { // as SimulationFault
    spuriousFault, earlyFault, lateFault, interruptFault, portsFault,
} LoopFault;

typedef struct {
    LoopVerb verb;
    int place;
    int item;        // -1: none
    int thread;      // doWake, doStop, doBlock, doAskWaiting: whose loop; -1: see programs.md
    int block;       // doBlock, doQueue
    unsigned modes;  // a mask
    double seconds;  // a moment or a length of time; doRun: < 0: no limit
    bool once;       // doRun: returns after a source
    bool isAfterNow; // doSet: `seconds` counts from now
    bool elsewhere;  // on another thread, for which this one waits
    LoopFault fault; // doFault
    int line;        // of the text, from 1
    char text[64];   // doSay
} LoopAction;

typedef struct {
    LoopItem items[mostNames];
    LoopPlace places[mostPlaces];
    LoopAction actions[mostActions];
    int itemCount, placeCount, actionCount;
    char modes[mostNames][longestName], threads[mostNames][longestName],
        blocks[mostBlocks][longestName];
    int modeCount, threadCount, blockCount;
    char error[200], errorInChinese[240]; // of loopProgramRead
} LoopProgram;

/// Reads a program. Returns false if the text is wrong; `error` says where and why, "line 3, column
/// 9: …", and `errorInChinese` says the same: "第 3 行第 9 列，…".
bool loopProgramRead(LoopProgram *program, const char *text);

/// Writes a program as text, from which loopProgramRead makes the same program, without the items
/// and threads that nothing is about.
void loopProgramWrite(FILE *out, const LoopProgram *program);

/// Writes an action as a line, without its end.
void loopActionWrite(FILE *out, const LoopProgram *program, const LoopAction *action);

/// The line of a place that only the simulated kernel has: before a step or a wait; 0: none.
int loopProgramStepLine(const LoopProgram *program);

/// The names of a run's results and of activities, as programs and logs spell them.
const char *loopResultName(int result);
const char *loopActivityName(unsigned activity);
/// What a log says of a call of an item: "performs", "fires", or an observer's activity.
const char *loopCallName(const LoopProgram *program, int item, unsigned activity);

#endif
