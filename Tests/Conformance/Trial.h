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

/// What came of a program. The logs are to be freed with outcomeFree.
typedef struct {
    bool same;
    char *model, *original, *ours;
} Outcome;

/// How often, and with what units of time, a program is tried until all three logs are the same. On a busy machine things happen later than
/// a short unit allows for.
typedef enum { quick, thorough, patient } Patience;

/// Performs a determinate program on both sides and compares all three logs; takes over `model`.
Outcome tryProgram(const Program *program, char *model, Patience patience);
void outcomeFree(Outcome *outcome);
/// Prints which of the three differ, and how.
void outcomePrint(FILE *out, const Outcome *outcome);

/// Leaves out operations as long as the three logs go on differing. Says on `progress` how far it is, if that is not NULL. Stops
/// after `seconds`.
void shrink(Program *program, FILE *progress, int seconds);

#endif
