/// Trial.h: a random program, made determinate, performed on both loops and by the model; and made short when the three do not
/// agree.
#if !defined(TRIAL_H)
#define TRIAL_H 1

#include "Differences.h"
#include "Program.h"

/// How often operations were left out for each of the known differences.
typedef struct {
    int leftOut[differenceCount];
    int operations; // that remained, and were reached
} Tally;

/// Leaves out operations until the model can tell what the program does; those that are never reached as well. `tally` may be NULL.
/// Returns the model's log, to be freed by the caller.
char *determine(Program *program, Tally *tally);

/// Whose log differs from the other two. Of a program that the original does not perform there are two logs, and ours is the odd one.
typedef enum { nobody, theOriginal, ourLoop, theModel, everybody, oddCount } Odd;

/// A determinate program, and what came of the attempts at it.
typedef struct {
    const Program *program;
    char *model;
    int attempts, odd[oddCount]; // how many there were, and how many of them had that odd one out
    Odd shown;                   // in an attempt that was not the same; one where ours alone differed, if there was any
    char *original, *ours;       // the logs of that
    bool wasBusy;                // the machine has been, too busy for a difference to mean much
} Trial;

/// A trial without attempts yet; takes over `model`. To be ended with trialEnd. The program must outlive it.
Trial trialBegin(const Program *program, char *model);
void trialEnd(Trial *trial);

/// On a busy machine things happen later than a short unit of time allows for. So there are three attempts at most, until the logs are the
/// same, or ours alone differs; and each that fails makes the unit longer, for this program and the next ones. Returns whether they are
/// the same.
bool tryQuickly(Trial *trial);
/// The same with longer units, and whoever differs. Returns whether the logs have been the same once.
bool tryPatiently(Trial *trial);
/// Eight attempts with a long unit, all at the same time: they mostly sleep. A thread beside them that does nothing else notes whether
/// the machine is busy.
void tryEightTimes(Trial *trial);

/// Prints which logs differ in the attempt that is shown, and how.
void trialPrint(FILE *out, const Trial *trial);
const char *oddText(Odd odd);

/// Leaves out operations as long as the three logs go on differing. Says on `progress` how far it is, if that is not NULL. Stops
/// after `seconds`.
void shrink(Program *program, FILE *progress, int seconds);

#endif
