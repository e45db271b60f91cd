/// Simulated.c: random programs on the simulated kernel (Sources/Support/CRunLoopSimulated), where they take microseconds and no machine is too busy.
/// Each program is printed as text that a person could have written (LoopProgram.h), read again, and performed; then the callbacks and results
/// of its log must be those that the model predicts.
#include "../../../Sources/Support/CRunLoopSimulated/CRunLoopSimulated.c"
#include "../../../Sources/Support/CRunLoopSimulated/PerformProgram.c"

#include "Lesson.h"
#include "Simulated.h"
#include <stdio.h>

// MARK: - A program as text

static const char *const modeNames[] = {"default", "A", "B", "common"};

static void printModes(FILE *out, unsigned modes) {
    const char *separator = "";
    for (int mode = 0; mode <= modeCount; mode++) {
        if (!(modes & 1u << mode)) continue;
        fprintf(out, "%s%s", separator, modeNames[mode]);
        separator = ", ";
    }
}

/// A moment in seconds; a unit of time is a second. What is soon counts from now, and the others from the beginning.
static double seconds(Moment moment) {
    if (moment.moment == soon) return moment.number + 0.5;
    return (moment.moment == longAgo ? -86400 : 3 * 86400) + moment.number * 0.01;
}

static void printItem(FILE *out, const ItemPlan *item, const char *indent) {
    double interval = item->interval ? item->interval + 0.5 : 30 * 86400;
    Moment moment = item->moment;
    switch (item->kind) {
    case sourceItem: fprintf(out, "%ssource %s order %d\n", indent, item->name, item->order); break;
    case portItem: fprintf(out, "%sport %s order %d\n", indent, item->name, item->order); break;
    case timerItem: // printAsText sets the other dates
        if (item->moment.moment != farOff) moment = (Moment){farOff, 0};
        if (item->repeats) fprintf(out, "%stimer %s every %.1fs from %.2fs\n", indent, item->name, interval, seconds(moment));
        else fprintf(out, "%stimer %s at %.2fs\n", indent, item->name, seconds(moment));
        break;
    case observerItem:
        fprintf(out, "%sobserver %s of ", indent, item->name);
        if (item->activities == 0xff) fprintf(out, "everything");
        for (unsigned bit = 1, first = true; bit < 0xff && item->activities != 0xff; bit *= 2) {
            if (!(item->activities & bit)) continue;
            fprintf(out, "%s%s", first ? "" : ", ", activityText(bit));
            first = false;
        }
        fprintf(out, "%s order %d\n", item->repeats ? "" : " once", item->order);
    }
}

/// A date that has passed counts as the moment at which it is set, and what is soon counts from that moment. So a nanosecond has to lie between
/// two such moments, as on a real machine.
static void printTick(FILE *out, Moment moment) {
    if (moment.moment != farOff) fprintf(out, "    spend 0.000002ms\n");
}

static void printDate(FILE *out, const char *timer, Moment moment) {
    fprintf(out, "set %s %s %.2fs", timer, moment.moment == soon ? "in" : "to", seconds(moment));
}

/// Questions change nothing, so the text leaves them out.
static void printOperation(FILE *out, const Program *program, const Operation *operation, const char *thread) {
    const char *item = program->items[operation->item].name;
    if (operation->action == setTimer && operation->place != whileWaiting) printTick(out, operation->moment);
    fprintf(out, "    %s", operation->elsewhere && operation->place != whileWaiting ? "elsewhere " : "");
    switch (operation->action) {
    case addItem: case removeItem:
        fprintf(out, operation->action == addItem ? "add %s to " : "remove %s from ", item);
        printModes(out, operation->modes);
        break;
    case invalidateItem: fprintf(out, "invalidate %s", item); break;
    case signalSource: fprintf(out, "signal %s", item); break;
    case pokePort: fprintf(out, "send %s", item); break;
    case drainPort: fprintf(out, "receive %s", item); break;
    case setTimer: printDate(out, item, operation->moment); break;
    case wakeLoop: fprintf(out, "wake %s", thread); break;
    case stopLoop: fprintf(out, "stop %s", thread); break;
    case stopMode: fprintf(out, "stop %s in %s", thread, modeNames[__builtin_ctz(operation->modes)]); break;
    case performBlock:
        fprintf(out, "block K%d in ", operation->number);
        printModes(out, operation->modes);
        fprintf(out, " of %s", thread);
        break;
    case queueFunction: fprintf(out, "queue K%d", operation->number); break;
    case declareCommon: fprintf(out, "declare %s common", modeNames[__builtin_ctz(operation->modes)]); break;
    default:
        fprintf(out, "run %s ", modeNames[__builtin_ctz(operation->modes)]);
        if (operation->limit) fprintf(out, "for %ds", operation->limit);
        else fprintf(out, "once");
        if (operation->once) fprintf(out, " until a source");
    }
    fputc('\n', out);
}

static void printPlace(FILE *out, const Program *program, const Operation *first, const char *thread) {
    static const char *const verbs[] = {"performs", "performs", "fires", "observes"};
    if (first->place == wholeProgram) fprintf(out, "thread %s:\n", thread);
    else if (first->place == whileWaiting) fprintf(out, "in wait %d of %s:\n", first->call + 1, thread);
    else if (first->place >= firstOwnPlace) fprintf(out, "when K%d runs:\n", first->place - firstOwnPlace);
    else {
        const ItemPlan *item = &program->items[first->place];
        fprintf(out, "when %s %s %d:\n", item->name, verbs[item->kind], first->call + 1);
    }
}

void printAsText(FILE *out, const Program *program) {
    const char *thread = program->onMainThread ? "main" : "P";
    fprintf(out, "thread %s:\n", thread);
    for (int i = 0; i < itemCount; i++) printItem(out, &program->items[i], "    ");
    fprintf(out, "    observer watch of Entry order -1000000 in default, A, B\n"); // so that the modes exist, as in Perform.c
    for (int mode = 0; program->withTimers && mode < modeCount; mode++)
        fprintf(out, "    timer far%d at 1000000s in %s\n", mode, modeNames[mode]);
    for (int i = 0; i < itemCount; i++) {
        const ItemPlan *item = &program->items[i];
        if (item->kind != timerItem || item->moment.moment == farOff) continue;
        printTick(out, item->moment);
        fputs("    ", out);
        printDate(out, item->name, item->moment);
        fputc('\n', out);
    }
    const Operation *previous = NULL;
    for (int i = 0; i < program->count; i++) {
        const Operation *operation = &program->operations[i];
        if (operation->action >= askContains) continue;
        if (!previous || previous->place != operation->place || previous->call != operation->call)
            printPlace(out, program, operation, thread);
        printOperation(out, program, operation, thread);
        previous = operation;
    }
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
