/// Simulated.c: random programs on the simulated kernel (Programs/CRunLoopPrograms), where they take microseconds and no machine is too busy.
/// Each program is printed as text that a person could have written (LoopProgram.h), read again, and performed; then the callbacks and results
/// of its log must be those that the model predicts.
#include "../CRunLoopPrograms/CRunLoopSimulated.c"
#include "../CRunLoopPrograms/PerformProgram.c"

#include "Model.h"
#include "Prediction.h"
#include "Simulated.h"
#include "Trial.h"
#include <math.h>
#include <stdio.h>

static void copyAction(LoopProgram *to, LoopAction action) { to->actions[to->actionCount++] = action; }

/// The rest of the arrays is never looked at.
static void copyItemsAndPlaces(LoopProgram *to, const LoopProgram *from) {
    memcpy(&to->itemCount, &from->itemCount, sizeof *to - offsetof(LoopProgram, itemCount));
    memcpy(to->items, from->items, (size_t)from->itemCount * sizeof to->items[0]);
    memcpy(to->places, from->places, (size_t)from->placeCount * sizeof to->places[0]);
    to->actionCount = 0;
}

static bool isNear(double seconds) { return seconds < 86400; }

/// A date that has passed counts as the moment at which it is set, and what is soon counts from that moment. A nanosecond lies between two such
/// moments on a real machine. Here it is put between them, also for each timer's first date: the program sets it.
static void addTicks(const Program *program, LoopProgram *to) {
    const LoopProgram *from = &program->loop;
    LoopAction tick = {.verb = doSpend, .item = -1, .thread = -1, .seconds = 2e-9};
    while (from->places[tick.place].kind != ofThread || from->places[tick.place].index != program->thread) tick.place++;
    int own = tick.place;
    copyItemsAndPlaces(to, from);
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

/// Returns a number below `count` that depends on the seed and an action alone, so that another action can be left out without a change.
static unsigned draw(const Program *program, const LoopAction *action, unsigned count) {
    uint64_t z = (program->seed + 1) * 0x9E3779B97F4A7C15u + (uint64_t)action->line * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 29) * 0x94D049BB133111EBu;
    return (unsigned)(z >> 33) % count;
}

/// Lets some of the waits have faults, and half of the signal handlers wake the loop.
static void addFaults(const Program *program, const LoopProgram *from, LoopProgram *to) {
    copyItemsAndPlaces(to, from);
    for (int i = 0; i < from->actionCount; i++) {
        const LoopAction *action = &from->actions[i];
        const LoopPlace *place = &from->places[action->place];
        unsigned chance = draw(program, action, 64);
        LoopAction fault = {.verb = doFault, .place = action->place, .item = -1, .thread = -1, .fault = (LoopFault)(chance % 4)};
        if (fault.fault != spuriousFault) fault.seconds = 0.1 * (1 + chance / 4 % 4);
        bool isOnLoop = place->kind != inWait && place->kind != atMoment;
        if (isOnLoop && action->verb != doSpend && chance < 16 && to->actionCount < mostActions - 4) copyAction(to, fault);
        copyAction(to, *action);
    }
    if (program->seed & 2 || to->actionCount >= mostActions - 2 || to->placeCount == mostPlaces) return;
    int handler = to->placeCount++;
    to->places[handler] = (LoopPlace){.kind = inHandler};
    copyAction(to, (LoopAction){.verb = doSignal, .place = handler, .item = 0, .thread = -1});
    copyAction(to, (LoopAction){.verb = doWake, .place = handler, .item = -1, .thread = program->thread});
}

typedef enum { withFaults, withEqualMoments, asInRealTime, manners } Manner;

/// Reads what a determinate program is as text, and lets the model predict its log. Returns why it does not, or NULL. Faults move moments onto one
/// another; where they do, nanoseconds decide.
static const char *predict(const Program *program, Manner manner, char **text, LoopProgram *read, char **predicted) {
    static LoopProgram exact, faulty;
    size_t size;
    bool hasFaults = manner == withFaults;
    if (manner == withEqualMoments) exact = program->loop;
    else addTicks(program, &exact);
    if (hasFaults) addFaults(program, &exact, &faulty);
    FILE *texts = open_memstream(text, &size), *log = open_memstream(predicted, &size);
    loopProgramWrite(texts, hasFaults ? &faulty : &exact);
    fclose(texts);
    const char *reason = loopProgramRead(read, *text) ? modelWriteLog(read, hasFaults ? 3 : 0, log).reason : read->error;
    fclose(log);
    return reason;
}

// MARK: - What happened

/// Whether two logs have the same lines, at the same times. What is done elsewhere takes some nanoseconds, and the model's times are rounded.
static bool isSameLog(const char *one, const char *other) {
    while (*one && *other) {
        char *after, *afterOther;
        double seconds = strtod(one, &after), difference = seconds - strtod(other, &afterOther);
        size_t length = strcspn(after, "\n");
        if (fabs(difference) > 0.00051 || length != strcspn(afterOther, "\n") || strncmp(after, afterOther, length) != 0) return false;
        one = after + length + (after[length] != 0);
        other = afterOther + length + (afterOther[length] != 0);
    }
    return *one == *other;
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

/// Performs a determinate program: one of two with faults, the others with moments that are equal, if the model knows what happens then. Returns
/// whether its log is the model's, and no rule is broken. If not, and `out` is not NULL, prints the program and both.
static bool agrees(const Program *program, FILE *out) {
    static LoopProgram read;
    char *text, *predicted;
    Manner manner = program->seed % 2 ? withFaults : withEqualMoments;
    const char *reason = predict(program, manner, &text, &read, &predicted);
    while (reason && ++manner < manners) {
        free(text);
        free(predicted);
        reason = predict(program, manner, &text, &read, &predicted);
    }
    SimulationResult result = reason ? (SimulationResult){0} : performSimulated(&read, (Simulation){.isQuiet = true});
    const char *performed = result.log ? result.log : "";
    if (!reason) reason = problemOf(result);
    bool fits = !reason && isSameLog(performed, predicted);
    if (!fits && out)
        fprintf(out, "%s\n%s\n%s\nthe model's log:\n%s\nthe log on the simulated kernel:\n%s\n", program->withoutOriginal ? " for ours alone" : "",
                text, reason ? reason : "", predicted, performed);
    free(text);
    free(result.log);
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
    enum { mostSeconds = 15 };
    eachProgram(seed, ^(const Program *program) {
        if (agrees(program, NULL)) return;
        Program shorter = *program;
        shrink(&shorter, NULL, mostSeconds, ^bool(const Program *attempt) { return !agrees(attempt, NULL); });
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
