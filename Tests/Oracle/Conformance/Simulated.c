/// Simulated.c: random programs on the simulated kernel (Sources/Support/CRunLoopSimulated), where they take microseconds and no machine is too busy.
/// Each program is printed as text that a person could have written (LoopProgram.h), read again, and performed; then the callbacks and results
/// of its log must be those that the model predicts.
#include "../../../Sources/Support/CRunLoopSimulated/CRunLoopSimulated.c"
#include "../../../Sources/Support/CRunLoopSimulated/PerformProgram.c"

#include "Lesson.h"
#include "Simulated.h"
#include <stdio.h>

void printAsText(FILE *out, const Program *program) {
    LoopProgram *written = malloc(sizeof *written);
    programWrite(program, written);
    loopProgramWrite(out, written);
    free(written);
}

// MARK: - What happened

/// Whether a line of a log, without its spaces, tells of a callback or a result; then `event` says so in the words of both logs.
static bool isEvent(const char *line, int length, char *event) {
    char word[64], second[64];
    int number;
    snprintf(event, 64, "%.*s", length, line);
    if (sscanf(event, "block #%d", &number) == 1 && !strchr(event + 6, ' ')) return sprintf(event, "K%d runs", number) > 0;
    if (sscanf(event, "function #%d", &number) == 1) return sprintf(event, "K%d runs", number) > 0;
    if (sscanf(event, "run %63[^: ]: %63s", word, second) == 2) return sprintf(event, "result %s", second) > 0;
    if (strncmp(event, "result ", 7) == 0) return true;
    if (sscanf(event, "%63s %63s", word, second) != 2 || strchr(event + strlen(word) + 1, ' ')) return false;
    if (!strchr("sptoK", word[0]) || word[1] < '0' || word[1] > '9') return false;
    return strcmp(second, "performs") == 0 || strcmp(second, "fires") == 0 || strcmp(second, "runs") == 0
        || (second[0] >= 'A' && second[0] <= 'Z');
}

/// Returns the events of a log, a line each. `words` is how many words stand before each line's text.
static char *eventsOf(const char *log, int words) {
    char *events = calloc(1, strlen(log) + 64 * 256), event[64];
    size_t used = 0;
    for (const char *line = log; *line; line += strcspn(line, "\n") + 1) {
        const char *at = line;
        for (int i = 0; i < words; i++) at += strcspn(at, " ") + 1;
        at += strspn(at, " ");
        if (isEvent(at, (int)strcspn(at, "\n"), event)) used += (size_t)sprintf(events + used, "%s\n", event);
    }
    return events;
}

/// Returns what is wrong with a simulation that has ended, or NULL.
static const char *problemOf(SimulationResult result) {
    if (performance.complaint[0]) return performance.complaint;
    if (result.isAborted)
        return performance.hasNoPorts && strstr(result.log, "no port is available for ") ? NULL : "the library aborted";
    if (result.isDeadlocked) return "all threads wait forever";
    return result.leakCount ? "something was not freed" : NULL;
}

// MARK: - Against the model

/// Performs a determinate program. Returns whether its callbacks and results are those of the model's log, and no rule is broken. If not, and
/// `out` is not NULL, prints the program and both.
static bool agrees(const Program *program, const char *model, FILE *out) {
    static LoopProgram read;
    char *text = NULL;
    size_t size;
    FILE *texts = open_memstream(&text, &size);
    printAsText(texts, program);
    fclose(texts);
    bool isRead = loopProgramRead(&read, text);
    SimulationResult result = {0};
    if (isRead) result = performSimulated(&read, (Simulation){.isQuiet = true});
    char *events = eventsOf(result.log ? result.log : "", 2), *predicted = eventsOf(model, 0);
    bool fits = isRead && !problemOf(result) && strcmp(events, predicted) == 0;
    if (!fits && out)
        fprintf(out, "%s\n%s\n%s\nthe model's events:\n%s\nthe events on the simulated kernel:\n%s\n", program->withoutOriginal ? " for ours alone" : "",
                text, isRead ? problemOf(result) ? problemOf(result) : "" : read.error, predicted, events);
    free(text);
    free(result.log);
    free(events);
    free(predicted);
    return fits;
}

/// Calls `try` with the programs of a seed and their logs: the one for both loops, and, if it is another one, the one for ours alone.
static void eachProgram(uint64_t seed, void (^try)(const Program *program, const char *model)) {
    OperationSet forBoth;
    for (int withoutOriginal = 0; withoutOriginal < 2; withoutOriginal++) {
        Program program;
        programMake(&program, seed);
        program.withoutOriginal = withoutOriginal;
        char *model = programDetermine(&program, NULL, NULL);
        OperationSet kept = programOperations(&program);
        if (!withoutOriginal || memcmp(&kept, &forBoth, sizeof kept)) try(&program, model);
        forBoth = kept;
        free(model);
    }
}

int simulateModelled(uint64_t seed) {
    __block int programs = 0;
    __block bool areAsPredicted = true;
    eachProgram(seed, ^(const Program *program, const char *model) {
        programs++;
        areAsPredicted &= agrees(program, model, NULL);
    });
    return areAsPredicted ? programs : -1;
}

void simulateReport(uint64_t seed) {
    eachProgram(seed, ^(const Program *program, const char *model) {
        if (agrees(program, model, NULL)) return;
        __block Program shorter = *program;
        for (bool any = true; any;) {
            any = false;
            for (int i = 0; i < shorter.count; i++) {
                Program attempt = shorter;
                OperationSet kept = programOperations(&attempt);
                kept.has[attempt.operations[i].number] = false;
                programKeep(&attempt, &kept);
                char *log = programDetermine(&attempt, NULL, NULL);
                if (!agrees(&attempt, log, NULL)) shorter = attempt, any = true;
                free(log);
            }
        }
        char *log = programDetermine(&shorter, NULL, NULL);
        agrees(&shorter, log, stdout);
        free(log);
    });
}

// MARK: - Against the rules

char *simulateThreads(const LoopProgram *program, uint64_t order) {
    static char words[1 << 16];
    SimulationResult result = performSimulated(program, (Simulation){.seed = order, .isQuiet = true, .isSilent = true});
    const char *problem = problemOf(result);
    free(result.log);
    if (!problem) return NULL;
    result = performSimulated(program, (Simulation){.seed = order, .isQuiet = true});
    snprintf(words, sizeof words, "%s%s\n", result.log ? result.log : "", problem);
    free(result.log);
    return words;
}
