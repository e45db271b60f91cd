/// Difference.h: two logs side by side.
#if !defined(DIFFERENCE_H)
#define DIFFERENCE_H 1

#include <stdio.h>

/// Prints two logs in two columns, with the lines that differ marked and a few lines around each; at most `mostLines` lines.
void printDifference(FILE *out, const char *leftTitle, const char *left, const char *rightTitle, const char *right, int mostLines);

#endif
