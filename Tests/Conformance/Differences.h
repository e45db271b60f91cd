/// Differences.h: where two right answers may differ, and where the original is known to be wrong or unfinished: by name, with
/// the reason.
#if !defined(DIFFERENCES_H)
#define DIFFERENCES_H 1

#include <stdbool.h>

typedef struct {
    const char *name;        // the number that the notes on the original give it, or a word
    const char *there;       // what the original does; for a word: why there is more than one right answer
    const char *steppedAround; // how scenarios and random programs keep clear of it
    enum { byHand, byModel, forTheOriginal } leftOut; // by the model: always; or only if the original performs the program as well
} Difference;

/// All of them; the last has no name.
extern const Difference differences[];

/// The index of a difference; -1 if it is not known.
int differenceNamed(const char *name);

enum { differenceCount = 20 };

#endif
