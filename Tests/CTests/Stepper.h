/// Stepper.h: runs a few threads in every order in which their steps can follow each other, one step at a time.
///
/// A thread that takes part, a player, stops before each of its steps and names the object that it is about to read or change. Then the
/// stepper chooses which player continues. It tries all choices by running the whole play again and again; of orders that differ only in
/// independent steps (on different objects, for example) it runs one. It searches for an order in which all remaining players wait: there,
/// a wake-up has been lost. It then ends the case and prints all the steps.
#if !defined(STEPPER_H)
#define STEPPER_H 1

#include "CTests.h"

/// What a step does to its object. Two reads, or two additions to a count, have the same result in either order.
typedef enum StepKind { Looks, Adds, Changes } StepKind;

/// Call it before a step of the calling thread; it returns when the thread may make the step. It has no effect on a thread that is not a
/// player, or between StepperPause and StepperResume. `what` describes the step in words.
void Step(const void *object, StepKind kind, const char *what, const char *function);
/// Like Step, for a step that can only be made while `isReady` returns true.
void StepWhenReady(const void *object, StepKind kind, const char *what, const char *function, bool (*isReady)(const void *object));
/// The code between these two calls is not divided into steps.
void StepperPause(void);
void StepperResume(void);
/// Whether the calling thread is a player and its steps count at the moment.
bool StepperIsOn(void);

enum { MostPlayers = 3 };

typedef struct Play {
    const char *names[MostPlayers];     // ends with a NULL
    void (*parts[MostPlayers])(void);   // the code of each player; the same thread runs it in every play
    void (*before)(void), (*after)(void); // called around each play on the caller's thread, may check its result; may be NULL
} Play;

/// Runs all orders. Prints and returns how many there were.
long RunAllOrders(const char *title, Play play);

#endif
