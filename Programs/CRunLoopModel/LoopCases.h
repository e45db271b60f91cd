/// LoopCases.h: reads the cases of Programs/Cases, which are programs (LoopProgram.h) with a name and a sentence, and compares their logs. CTests and
/// Conformance include it.
///
///     ## L3_an_item_in_another_mode_does_not_keep_it_running
///     # An item in another mode does not count, even if it has something to do
///     # log 0c2f6b1d
///     source S in B
///     signal S
///     run A for 20s
///
/// No case says what happens: that is what the loops and the model are asked for, and they must agree. `log` is the digest of the log that the
/// toolchain's loop wrote, for platforms that have neither that loop nor the model. Where the toolchain's loop is known to be wrong, a line names
/// the difference (Conformance differences) and has the digest of that loop's log, and the other digest is that of ours:
///
///     # The toolchain's loop differs: D33, log 5b1d0c2f
///     # The toolchain's loop is not asked: crash
///     # Only the simulated kernel is asked: faults
#if !defined(LOOPCASES_H)
#define LOOPCASES_H 1

#include "include/LoopProgram.h"
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name[128], sentence[512], path[512];
    int line; // of its name
    char difference[16]; // empty: the toolchain's loop does the same
    bool isForOursAlone, isSimulatedAlone;
    uint32_t recorded, recordedThere; // the digests
    char *text;        // the lines of the program
} LoopCase;

enum { mostCases = 256 };

// MARK: - Reading

/// If the line begins with `words`, stores what comes behind them.
static inline bool loopCaseReads(const char *line, const char *words, char *to, size_t size) {
    size_t length = strlen(words);
    if (strncmp(line, words, length) != 0) return false;
    snprintf(to, size, "%s", line + length);
    return true;
}

static inline void loopCaseReadLine(LoopCase *to, const char *line) {
    char digest[16];
    size_t length = strlen(to->text);
    if (loopCaseReads(line, "# log ", digest, sizeof digest)) to->recorded = (uint32_t)strtoul(digest, NULL, 16);
    else if (sscanf(line, "# The toolchain's loop differs: %15[^,], log %x", to->difference, &to->recordedThere) > 0) return;
    else if (loopCaseReads(line, "# The toolchain's loop is not asked: ", to->difference, sizeof to->difference)) to->isForOursAlone = true;
    else if (loopCaseReads(line, "# Only the simulated kernel is asked: ", to->difference, sizeof to->difference)) to->isForOursAlone = to->isSimulatedAlone = true;
    else if (!to->sentence[0] && loopCaseReads(line, "# ", to->sentence, sizeof to->sentence)) return;
    else if (line[0]) {
        to->text = realloc(to->text, length + strlen(line) + 2);
        sprintf(to->text + length, "%s\n", line);
    }
}

/// Reads the cases of all files in the folder beside `source`, which is __FILE__ and some steps from it. Returns how many there are.
static inline int loopCasesRead(const char *source, const char *folder, LoopCase cases[mostCases]) {
    char pattern[512], line[1024];
    int count = 0;
    glob_t files;
    snprintf(pattern, sizeof pattern, "%.*s%s/*.txt", (int)(strrchr(source, '/') + 1 - source), source, folder);
    if (glob(pattern, 0, NULL, &files) != 0) return 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "re");
        for (int number = 1; file && fgets(line, sizeof line, file); number++) {
            line[strcspn(line, "\n")] = 0;
            LoopCase new = {.line = number};
            if (loopCaseReads(line, "## ", new.name, sizeof new.name) && count < mostCases) {
                snprintf(new.path, sizeof new.path, "%s", files.gl_pathv[i]);
                new.text = calloc(1, 1);
                cases[count++] = new;
            } else if (count) loopCaseReadLine(&cases[count - 1], line);
        }
        if (file) fclose(file);
    }
    globfree(&files);
    return count;
}

/// Lets a second of the program take so many seconds.
static inline void loopProgramScale(LoopProgram *program, double unit) {
    for (int i = 0; i < program->itemCount; i++) {
        program->items[i].first *= unit;
        program->items[i].interval *= unit;
        program->items[i].tolerance *= unit;
    }
    for (int i = 0; i < program->placeCount; i++) program->places[i].seconds *= unit;
    for (int i = 0; i < program->actionCount; i++) program->actions[i].seconds *= unit;
}

// MARK: - Logs

typedef struct {
    char thread[32], time[16];
    const char *words;
    int number;
} LoopLogLine;

static inline int loopLogOrder(const void *one, const void *other) {
    const LoopLogLine *left = one, *right = other;
    int order = strcmp(left->thread, right->thread);
    return order ? order : left->number - right->number;
}

/// A log thread by thread, because two threads may write their lines in either order; with times, to the millisecond, or without. The caller
/// frees it.
static inline char *loopLogByThread(const char *log, bool hasTimes) {
    char *copy = strdup(log), *rest = copy, *result = NULL;
    LoopLogLine *lines = NULL;
    size_t size;
    int count = 0;
    for (char *line; (line = strsep(&rest, "\n")) && rest;) {
        LoopLogLine new = {.words = line, .number = count};
        double time;
        int length = 0;
        if (sscanf(line, "%lf %31s%n", &time, new.thread, &length) == 2) {
            snprintf(new.time, sizeof new.time, "%.3f ", time);
            new.words = line + length;
        }
        lines = realloc(lines, (size_t)(count + 1) * sizeof *lines);
        lines[count++] = new;
    }
    if (count) qsort(lines, (size_t)count, sizeof *lines, loopLogOrder);
    FILE *out = open_memstream(&result, &size);
    for (int i = 0; i < count; i++) fprintf(out, "%s%s%s\n", hasTimes ? lines[i].time : "", lines[i].thread, lines[i].words);
    fclose(out);
    free(lines);
    free(copy);
    return result;
}

/// The digest of a log by thread, without times.
static inline uint32_t loopLogDigest(const char *log) {
    uint32_t digest = 2166136261;
    for (; *log; log++) digest = (digest ^ (unsigned char)*log) * 16777619;
    return digest;
}

/// The digest of a log without its indentation and without an empty line at the end.
static inline uint32_t loopEventsDigest(const char *log) {
    uint32_t digest = 2166136261;
    for (bool isIndentation = true; *log; log++) {
        if (isIndentation && *log == ' ') continue;
        isIndentation = *log == '\n';
        if (!isIndentation || log[1]) digest = (digest ^ (unsigned char)*log) * 16777619;
    }
    return digest;
}

/// Prints a program, and two logs side by side. A * marks the first line that differs.
static inline void loopCasePrint(FILE *out, const LoopCase *of, const char *leftTitle, const char *left, const char *rightTitle, const char *right) {
    bool isSame = true;
    fprintf(out, "%s\n%s\n    %-40s  %s\n", of->sentence, of->text, leftTitle, rightTitle);
    while (*left || *right) {
        int leftLength = (int)strcspn(left, "\n"), rightLength = (int)strcspn(right, "\n");
        bool differs = leftLength != rightLength || memcmp(left, right, (size_t)leftLength) != 0;
        fprintf(out, "  %c %-40.*s  %.*s\n", differs && isSame ? '*' : ' ', leftLength, left, rightLength, right);
        isSame &= !differs;
        left += leftLength + (left[leftLength] != 0);
        right += rightLength + (right[rightLength] != 0);
    }
}

#endif
