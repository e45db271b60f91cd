/// LogDifference.h: what two logs have in common (their longest common subsequence), and the difference, line by line. Conformance uses it, too.
#if !defined(LOGDIFFERENCE_H)
#define LOGDIFFERENCE_H 1

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *text; // cut at its newlines
    char **lines;
    int count;
} LogLines;

/// A line of a difference.
typedef struct {
    char sign;
    const char *line;
    int next; // the row of the next line that is not in both, from this one on
} LogRow;

static LogLines logLinesOf(const char *text) {
    LogLines result = {strdup(text), NULL, 0};
    char *rest = result.text;
    for (char *line; (line = strsep(&rest, "\n")) && (*line || rest);) {
        result.lines = realloc(result.lines, sizeof(char *) * (size_t)(result.count + 1));
        result.lines[result.count++] = line;
    }
    return result;
}

/// common[i * (b.count + 1) + j] is the length of the longest common subsequence of the lines of `a` from i on and of `b` from j on.
static int *commonLogLines(LogLines a, LogLines b) {
    int width = b.count + 1;
    int *common = calloc((size_t)(a.count + 1) * (size_t)width, sizeof(int));
    for (int i = a.count - 1; i >= 0; i--) {
        for (int j = b.count - 1; j >= 0; j--) {
            int down = common[(i + 1) * width + j], right = common[i * width + j + 1];
            bool same = strcmp(a.lines[i], b.lines[j]) == 0;
            common[i * width + j] = same ? common[(i + 1) * width + j + 1] + 1 : down > right ? down : right;
        }
    }
    return common;
}

/// Prints the lines of both: behind "-" those of the first log alone, and behind "+" those of the second. Leaves out lines of both that are
/// more than `around` lines from a difference, and what comes after `most` lines.
static void printLogDifference(FILE *out, const char *first, const char *second, int around, int most) {
    LogLines a = logLinesOf(first), b = logLinesOf(second);
    int *common = commonLogLines(a, b), width = b.count + 1, count = 0, last = -1, printed = 0;
    LogRow rows[a.count + b.count + 1];
    for (int i = 0, j = 0; i < a.count || j < b.count; count++) {
        bool both = i < a.count && j < b.count, same = both && strcmp(a.lines[i], b.lines[j]) == 0;
        bool left = !same && (j == b.count || (both && common[(i + 1) * width + j] >= common[i * width + j + 1]));
        rows[count].sign = same ? ' ' : left ? '-' : '+';
        rows[count].line = same || left ? a.lines[i] : b.lines[j];
        i += same || left;
        j += same || !left;
    }
    int next = count + around + 1; // too far to be near
    for (int row = count - 1; row >= 0; row--) {
        if (rows[row].sign != ' ') next = row;
        rows[row].next = next;
    }
    for (int row = 0, left = 0; row < count && printed < most; row++) {
        if (rows[row].sign != ' ') last = row;
        if (rows[row].next - row > around && (last < 0 || row - last > around)) {
            left++;
            continue;
        }
        if (left) fprintf(out, "    ... %d lines the same\n", left);
        left = 0;
        fprintf(out, "  %c %s\n", rows[row].sign, rows[row].line);
        printed++;
    }
    if (printed == most) fprintf(out, "    ... and so on\n");
    free(common);
    for (int i = 0; i < 2; i++) {
        free(i ? b.lines : a.lines);
        free(i ? b.text : a.text);
    }
}

#endif
