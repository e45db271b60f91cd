/// Differences.h: where two right results may differ, and where the original is known to be wrong or unfinished: by name, with the reason.
#if !defined(DIFFERENCES_H)
#define DIFFERENCES_H 1

#include <stdbool.h>

typedef struct {
    const char *name;        // the D id, or a word
    const char *there;       // what the original does; for a word: why there is more than one right result
    const char *steppedAround; // how scenarios and random programs avoid it
    enum { explicitly, byModel, forTheOriginal } leftOut; // byModel: the model always leaves it out; forTheOriginal: only if the original performs the program, too
} Difference;

/// All of them; the last one has no name.
extern const Difference differences[];

/// The index of a difference; -1 if it is not known.
int differenceNamed(const char *name);

enum { differenceCount = 18 };

#endif
