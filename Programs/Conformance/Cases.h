/// Cases.h: the programs of Programs/Cases on both loops and in the model.
#if !defined(CASES_H)
#define CASES_H 1

#include <stdbool.h>

/// Performs the named cases, or all if `count` is 0, and prints which are the same. Returns how many are not, or -1 after a message about a name
/// that no case has.
int tryCases(char **names, int count);
/// Performs one on the calling thread, with so many seconds for a second, for a child.
bool performCaseHere(const char *name, const char *side, const char *unit);

#endif
