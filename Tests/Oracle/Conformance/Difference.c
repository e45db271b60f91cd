/// Difference.c: finds what two logs have in common (their longest common subsequence) and prints them in two columns.
#include "Difference.h"
#include <stdlib.h>
#include <string.h>

enum { columnWidth = 58, around = 6 };

typedef struct {
    char *text; // split into lines
    char **lines;
    int count;
} Lines;

static Lines split(const char *text) {
    Lines lines = {strdup(text), NULL, 0};
    char *rest = lines.text, *line;
    while ((line = strsep(&rest, "\n")) && rest) {
        lines.lines = realloc(lines.lines, (size_t)(lines.count + 1) * sizeof *lines.lines);
        lines.lines[lines.count++] = line;
    }
    return lines;
}

static void drop(Lines lines) {
    free(lines.lines);
    free(lines.text);
}

/// A row of the two columns; NULL where a column is empty.
typedef struct {
    const char *left, *right;
} Row;

static int same(Row row) { return row.left && row.right && !strcmp(row.left, row.right); }

/// common[i * (right.count + 1) + j]: the length of the longest common subsequence of left from i on and right from j on.
static int *commonLines(Lines left, Lines right) {
    int width = right.count + 1;
    int *common = calloc((size_t)(left.count + 1) * (size_t)width, sizeof *common);
    for (int i = left.count - 1; i >= 0; i--) {
        for (int j = right.count - 1; j >= 0; j--) {
            int below = common[(i + 1) * width + j], beside = common[i * width + j + 1];
            common[i * width + j] = !strcmp(left.lines[i], right.lines[j]) ? common[(i + 1) * width + j + 1] + 1 :
                below > beside ? below : beside;
        }
    }
    return common;
}

static Row *align(Lines left, Lines right, int *count) {
    int *common = commonLines(left, right), width = right.count + 1, i = 0, j = 0;
    Row *rows = malloc((size_t)(left.count + right.count + 1) * sizeof *rows);
    *count = 0;
    while (i < left.count || j < right.count) {
        Row row = {NULL, NULL};
        if (i < left.count && j < right.count && !strcmp(left.lines[i], right.lines[j])) row = (Row){left.lines[i++], right.lines[j++]};
        else if (j == right.count || (i < left.count && common[(i + 1) * width + j] >= common[i * width + j + 1])) row.left = left.lines[i++];
        else row.right = right.lines[j++];
        rows[(*count)++] = row;
    }
    free(common);
    return rows;
}

static int nearDifference(const Row *rows, int count, int row) {
    for (int i = row - around; i <= row + around; i++)
        if (i >= 0 && i < count && !same(rows[i])) return 1;
    return 0;
}

static void printRow(FILE *out, Row row) {
    const char *sign = same(row) ? " " : row.left ? "<" : ">";
    fprintf(out, "    %-*.*s %s %.*s\n", columnWidth, columnWidth, row.left ? row.left : "", sign, columnWidth, row.right ? row.right : "");
}

void printDifference(FILE *out, const char *leftTitle, const char *left, const char *rightTitle, const char *right, int mostLines) {
    Lines leftLines = split(left), rightLines = split(right);
    int count, printed = 0, skipped = 0;
    Row *rows = align(leftLines, rightLines, &count);
    printRow(out, (Row){leftTitle, rightTitle});
    for (int i = 0; i < count && printed < mostLines; i++) {
        if (!nearDifference(rows, count, i)) {
            skipped++;
            continue;
        }
        if (skipped) fprintf(out, "    ... %d lines the same\n", skipped);
        skipped = 0;
        printRow(out, rows[i]);
        printed++;
    }
    if (printed == mostLines) fprintf(out, "    ... and so on\n");
    free(rows);
    drop(leftLines);
    drop(rightLines);
}
