/// Model.h: what a program (LoopProgram.h) does, by the rules of a pass alone.
///
/// The model is written from the ten steps of a pass and from what is known to be the contract, and
/// shares nothing with any loop. It has a clock of its own, on which nothing but sleeping and
/// `spend` takes time. It says what happens, up to the moment from which on that is not determined.
#if !defined(MODEL_H)
#define MODEL_H 1

#include "LoopProgram.h"

/// Something that happens.
typedef struct {
    enum { actionBegins, activityBegins, itemIsCalled, blockIsCalled, runEnds, isAnswered } kind;
    long now;           // in nanoseconds
    const char *thread; // its name
    int depth;          // the runs and callbacks around it
    int action;         // the number of the action: that begins, that has begun the run, that asks,
                        // or that has queued the block
    int item;           // itemIsCalled
    unsigned activity;  // activityBegins, and itemIsCalled for an observer
    int answer;         // runEnds: the result. isAnswered: 1 for yes; the mode, or -1; the modes
    bool isSignalled, isPast; // isAnswered: a source, and a timer's date
} ModelEvent;

typedef struct {
    /// The program is for Conformance: things that may happen in another order on a real machine
    /// are not determined.
    bool isForRealTime;
    /// Moments that are less than so many nanoseconds apart are not determined: a real machine may
    /// be late, and on the simulated kernel dates are rounded. 0: all are as they come.
    long closeness;
    /// And where the original is known to be wrong, it is not determined, either.
    bool isForOriginal;
    void (*happens)(const ModelEvent *event, void *context);
    void *context;
    bool *performed; // of mostActions, or NULL: which actions were reached
    long mostEvents; // it stops behind so many; 0: no limit
} ModelOptions;

typedef struct {
    const char *reason; // NULL: all is determined. Otherwise a name: modelReason
    int culprit;        // then: the action that is to blame
    int line;           // then: its line in the text
    bool isDeadlocked;  // all threads wait, and nothing can end it
} ModelResult;

ModelResult modelPerform(const LoopProgram *program, const ModelOptions *options);

typedef struct {
    FILE *out;
    const LoopProgram *program;
    bool isForRealTime; // without times and threads, but with all that happens
} ModelLog;

/// Writes an event into a ModelLog.
void modelWriteEvent(const ModelEvent *event, void *log);

/// Performs a program and writes the log that the simulated kernel should write, as far as 200,000
/// events go.
ModelResult modelWriteLog(const LoopProgram *program, long closeness, FILE *out);

/// What a reason means, in words.
const char *modelReason(const char *reason);
const char *modelReasonInChinese(const char *reason);

#endif
