/// Simulated.c: random programs on the simulated kernel (Sources/Support/CRunLoopSimulated), where they take microseconds and no machine is too busy.
/// Each program is printed as text that a person could have written (LoopProgram.h), read again, and performed; then the callbacks and results
/// of its log must be those that the model predicts.
#include "../../../Sources/Support/CRunLoopSimulated/CRunLoopSimulated.c"
#include "../../../Sources/Support/CRunLoopSimulated/PerformProgram.c"

#include "Model.h"
#include "Prediction.h"
#include "Simulated.h"
#include <stdio.h>

static void copyAction(LoopProgram *to, LoopAction action) { to->actions[to->actionCount++] = action; }

static bool isNear(double seconds) { return seconds < 86400; }

/// A date that has passed counts as the moment at which it is set, and what is soon counts from that moment. So a nanosecond has to lie between
/// two such moments, as on a real machine. For each timer's first date, too: the program sets it.
static void addTicks(const Program *program, LoopProgram *to) {
    const LoopProgram *from = &program->loop;
    LoopAction tick = {.verb = doSpend, .item = -1, .thread = -1, .seconds = 2e-9};
    while (from->places[tick.place].kind != ofThread || from->places[tick.place].index != program->thread) tick.place++;
    int own = tick.place;
    *to = *from;
    to->actionCount = 0;
    for (int i = 0; i < from->itemCount; i++) {
        const LoopItem *item = &from->items[i];
        if (item->kind != aTimer || !isNear(item->first)) continue;
        to->items[i].first = 3 * 86400;
        to->items[i].isAfterNow = false;
        copyAction(to, tick);
        copyAction(to, (LoopAction){.verb = doSet, .place = own, .item = i, .thread = -1, .seconds = item->first, .isAfterNow = item->isAfterNow});
    }
    for (int i = 0; i < from->actionCount; i++) {
        tick.place = from->actions[i].place;
        bool isDated = from->actions[i].verb == doSet && isNear(from->actions[i].seconds);
        if (isDated && from->places[tick.place].kind != inWait) copyAction(to, tick);
        copyAction(to, from->actions[i]);
    }
}

void printAsText(FILE *out, const Program *program) {
    LoopProgram *written = malloc(sizeof *written);
    addTicks(program, written);
    loopProgramWrite(out, written);
    free(written);
}

// MARK: - What happened

/// Removes the times from a log: what is done elsewhere takes some nanoseconds.
static void removeTimes(char *log) {
    char *to = log;
    for (char *line = log, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) next++;
        line += strcspn(line, " ");
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = 0;
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

/// Performs a determinate program. Returns whether its log is the model's, and no rule is broken. If not, and `out` is not NULL, prints the
/// program and both.
static bool agrees(const Program *program, FILE *out) {
    static LoopProgram read;
    char *text = NULL, *predicted = NULL;
    size_t size;
    FILE *texts = open_memstream(&text, &size);
    printAsText(texts, program);
    fclose(texts);
    bool isRead = loopProgramRead(&read, text);
    SimulationResult result = {0};
    FILE *log = open_memstream(&predicted, &size);
    const char *reason = isRead ? modelWriteLog(&read, log).reason : read.error;
    fclose(log);
    if (isRead) result = performSimulated(&read, (Simulation){.isQuiet = true});
    char *performed = result.log ? result.log : strdup("");
    removeTimes(predicted);
    removeTimes(performed);
    if (!reason && isRead) reason = problemOf(result);
    bool fits = !reason && strcmp(performed, predicted) == 0;
    if (!fits && out)
        fprintf(out, "%s\n%s\n%s\nthe model's log:\n%s\nthe log on the simulated kernel:\n%s\n", program->withoutOriginal ? " for ours alone" : "",
                text, reason ? reason : "", predicted, performed);
    free(text);
    free(performed);
    free(predicted);
    return fits;
}

/// Calls `try` with the programs of a seed: the one for both loops, and, if it is another one, the one for ours alone.
static void eachProgram(uint64_t seed, void (^try)(const Program *program)) {
    ActionSet forBoth;
    for (int withoutOriginal = 0; withoutOriginal < 2; withoutOriginal++) {
        Program program;
        programMake(&program, seed);
        program.withoutOriginal = withoutOriginal;
        free(programDetermine(&program, NULL, NULL));
        ActionSet kept = programActions(&program);
        if (!withoutOriginal || memcmp(&kept, &forBoth, sizeof kept)) try(&program);
        forBoth = kept;
    }
}

int simulateModelled(uint64_t seed) {
    __block int programs = 0;
    __block bool areAsPredicted = true;
    eachProgram(seed, ^(const Program *program) {
        programs++;
        areAsPredicted &= agrees(program, NULL);
    });
    return areAsPredicted ? programs : -1;
}

void simulateReport(uint64_t seed) {
    eachProgram(seed, ^(const Program *program) {
        if (agrees(program, NULL)) return;
        Program shorter = *program;
        for (bool any = true; any;) {
            any = false;
            for (int i = shorter.given; i < shorter.loop.actionCount; i++) {
                Program attempt = shorter;
                ActionSet kept = programActions(&attempt);
                kept.has[attempt.loop.actions[i].line] = false;
                programKeep(&attempt, &kept);
                free(programDetermine(&attempt, NULL, NULL));
                if (!agrees(&attempt, NULL)) shorter = attempt, any = true;
            }
        }
        agrees(&shorter, stdout);
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
