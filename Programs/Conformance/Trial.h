/// Trial.h: a random program that is made determinate, performed on both loops and by the model, and shortened if the three logs differ.
#if !defined(TRIAL_H)
#define TRIAL_H 1

#include "Differences.h"
#include "Program.h"

/// How many actions were left out because of each known difference.
typedef struct {
    int leftOut[differenceCount];
    int actions; // the actions that remain and are reached
} Tally;

/// Leaves out actions until the model can predict what the program does, and those that are never reached. `tally` may be NULL. Returns
/// the model's log, which the caller frees.
char *determine(Program *program, Tally *tally);

/// The side whose log differs from the other two. If the original does not perform the program, there are two logs, and ours is the odd
/// one.
typedef enum { noSide, theOriginal, ourLoop, theModel, everySide, oddCount } Odd;

/// A determinate program, and the results of its attempts.
typedef struct {
    const Program *program;
    char *model;
    int attempts, odd[oddCount]; // how many attempts there were, and how many had which odd one
    Odd shown;                   // from an attempt with a difference; from one where only ours differed, if there is one
    char *original, *ours;       // the logs of that attempt
    bool wasBusy;                // whether the machine was too busy for a difference to mean much
} Trial;

/// A trial without attempts yet, which takes ownership of `model`. End it with trialEnd. The program must outlive it.
Trial trialBegin(const Program *program, char *model);
void trialEnd(Trial *trial);

/// On a busy machine events come later than a short unit of time allows for. So this makes up to three attempts, until the logs are the
/// same or only ours differs. Each attempt that fails makes the unit longer, for this program and the next ones. Returns whether the logs
/// are the same.
bool tryQuickly(Trial *trial);
/// Makes attempts with longer units, whichever side differs. Returns whether the logs were the same in one of them.
bool tryPatiently(Trial *trial);
/// Makes eight attempts with a long unit, all at the same time, because they mostly sleep. Meanwhile another thread measures whether the
/// machine is busy.
void tryEightTimes(Trial *trial);
/// Makes one attempt with a still longer unit. On a busy machine the eight may all be late by the same. Returns whether the logs were the same
/// in any attempt.
bool tryAlone(Trial *trial);

/// Prints which logs differ in the attempt that is shown, and how.
void trialPrint(FILE *out, const Trial *trial);
const char *oddText(Odd odd);

/// Whether the logs of a determinate program were the same in one of a few attempts.
bool tryThoroughly(const Program *program);

/// Leaves out actions as long as the program, determinate again, still fails. Prints the progress to `progress`, if that is not NULL. Stops
/// after `seconds`.
void shrink(Program *program, FILE *progress, int seconds, bool (^fails)(const Program *program));

#endif
