/// YourLoop.h: the run loop that you write, for chapter 8 of the book (Documentation/Book).
///
/// You write the seven functions below in YourLoop.c. Scripts/your-loop performs programs
/// (Documentation/Reference/programs.md) on them, and names the first line of a log that the model
/// does not have. The threads of a program take turns, and each goes on until it sleeps, so you
/// need no lock.
#if !defined(YOUR_LOOP_H)
#define YOUR_LOOP_H 1

#include <stdbool.h>
#include <stdlib.h>

typedef long Time; // in nanoseconds since the program began
enum { mostItems = 32, mostModes = 32 };
static const Time forever = 1L << 62;

/// The activities, as an observer has them in its mask.
enum { entry = 1, beforeTimers = 2, beforeSources = 4, beforeWaiting = 32, afterWaiting = 64, exiting = 128 };
/// Why a run ends.
enum { finished = 1, stopped, timedOut, handledSource };

/// An item, which the program has made. It may be in several modes of its loop.
typedef struct Item {
    enum { source, timer, observer } kind;
    int order;           // of a source or an observer
    unsigned activities; // of an observer
    bool isOnce;         // a timer that fires once, or an observer that is called once
    Time date, interval; // of a timer: when it fires next, and how often
    // These fields are yours. They are 0 at first, and only your functions look at them.
    bool isSignaled, isBusy;
    int since;
} Item;

/// Your loop: you say in YourLoop.c what is in it.
typedef struct Loop Loop;

// MARK: - What you write

/// Returns a loop without items. Each thread of a program has one.
Loop *makeLoop(void);
/// Adds an item to a mode, and removes it from one. Modes are numbers below mostModes.
void addItem(Loop *loop, Item *item, int mode);
void removeItem(Loop *loop, Item *item, int mode);
/// Marks a source. The loop performs it in step 4 of a pass in one of its modes.
void signalSource(Item *item);
/// Ends the sleep of a loop.
void wakeUp(Loop *loop);
/// Ends the innermost run of a loop.
void stopLoop(Loop *loop);
/// Runs the loop in a mode and says why the run has ended. `length` is the time limit: 0 for one
/// pass that does not wait, `forever` for none. With `untilSource` the run returns after a source.
int runLoop(Loop *loop, int mode, Time length, bool untilSource);

// MARK: - What you call

/// The time.
Time now(void);
/// Sleeps until a moment, or until somebody rings. If that moment has come, or somebody has rung
/// since the last sleep, it returns at once.
void sleepUntil(Loop *loop, Time moment);
/// Rings: the bell is what a Mac's loop has as its wake-up port.
void ring(Loop *loop);
/// Calls an item's callback, which may call any of your functions, for an observer with an activity.
void callOut(Item *item, unsigned activity);
/// Whether a mode of a loop is never empty, because it serves the main dispatch queue.
bool servesMainQueue(Loop *loop, int mode);

#endif
