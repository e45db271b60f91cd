/// Difference.h: prints how two logs differ, with some of the lines around each difference.
#if !defined(DIFFERENCE_H)
#define DIFFERENCE_H 1

#include "../CRunLoopModel/LogDifference.h"

static void printDifference(FILE *out, const char *firstTitle, const char *first, const char *secondTitle, const char *second) {
    enum { around = 6, mostLines = 60 };
    fprintf(out, "  - %s\n  + %s\n", firstTitle, secondTitle);
    printLogDifference(out, first, second, around, mostLines);
}

#endif
