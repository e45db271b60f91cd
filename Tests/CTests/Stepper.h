/// Stepper.h: runs a few threads in every order in which their steps can follow each other, one step at a time.
///
/// A thread that takes part, a player, stops in front of each of its steps and says which object it is about to look at or to change. Then
/// the stepper chooses who goes on. It tries all choices, by running the whole again and again; of orders that differ only in steps
/// which have nothing to do with each other (on different objects, for example) it runs one. An order in which everybody who is
/// left waits for something is what it is looking for: there, a wake-up has been lost. It ends the case and prints all the steps.
#if !defined(STEPPER_H)
#define STEPPER_H 1

#include "CTests.h"

/// What a step does to its object. Two that look, or two that add to a count, come to the same in either order.
typedef enum StepKind { Looks, Adds, Changes } StepKind;

/// In front of a step of the calling thread; returns when it may be done. Nothing happens on a thread that is not a player, or between
/// StepperPause and StepperResume. `what` says in words what it does.
void Step(const void *object, StepKind kind, const char *what, const char *function);
/// The same for a step that can only be done while `isReady` says so.
void StepWhenReady(const void *object, StepKind kind, const char *what, const char *function, bool (*isReady)(const void *object));
/// What the calling thread does in between is not divided into steps.
void StepperPause(void);
void StepperResume(void);
/// Whether the calling thread takes part, and its steps count at the moment.
bool StepperIsOn(void);

enum { MostPlayers = 3 };

typedef struct Play {
    const char *names[MostPlayers];     // up to a NULL
    void (*parts[MostPlayers])(void);   // what each does, on a thread of its own: always the same one, play after play
    void (*before)(void), (*after)(void); // around each play, on the caller's thread: may check what the play has come to; may be NULL
} Play;

/// Runs all orders; returns how many there were, and says it.
long RunAllOrders(const char *title, Play play);

#endif
