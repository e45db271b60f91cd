/// main.c: the commands.
#include "Difference.h"
#include "Jobs.h"
#include "Scenarios.h"
#include <stdarg.h>
#include <stdatomic.h>

static const char helpText[] =
    "Conformance: the same programs on the original's run loop and on ours.\n"
    "\n"
    "    Conformance list               the names of the scenarios\n"
    "    Conformance run [NAME...]      performs these scenarios, or all, on both, and compares the logs\n"
    "    Conformance log NAME           prints both logs of a scenario, side by side\n"
    "    Conformance help               this\n"
    "\n"
    "The original is loaded from the Swift toolchain's libFoundation.so at run time.\n"
    "Exit status: 0 nothing differs, 1 something does, 2 wrong usage, 3 a performance hangs, 77 the original is not there.\n";

enum { statusSame = 0, statusDifferent = 1, statusUsage = 2, statusNoOriginal = 77, attempts = 3, workers = 16 };

__attribute__((format(printf, 1, 2)))
static int usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "Conformance: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry: Conformance help\n");
    va_end(arguments);
    return statusUsage;
}

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

// MARK: - Scenarios

static int listScenarios(void) {
    int count;
    const Scenario *const *all = allScenarios(&count);
    for (int i = 0; i < count; i++) printf("%s\n", all[i]->name);
    return 0;
}

/// Whether a scenario says the same on both sides. On a busy machine a limit may pass while a callback still runs: so a pair of logs that
/// differ is made again.
static bool sameOnBothSides(const Scenario *scenario) {
    for (int attempt = 1;; attempt++) {
        char *logs[sideCount] = {performScenario(scenario, original), performScenario(scenario, ours)};
        bool same = !strcmp(logs[original], logs[ours]);
        if (same || attempt == attempts) {
            pthread_mutex_lock(&output);
            printf("%s  %s\n", same ? "same     " : "DIFFERENT", scenario->name);
            if (!same) printDifference(stdout, "original", logs[original], "ours", logs[ours], 60);
            fflush(stdout);
            pthread_mutex_unlock(&output);
        }
        for (Side side = original; side < sideCount; side++) free(logs[side]);
        if (same || attempt == attempts) return same;
    }
}

static int runScenarios(const Scenario *const *scenarios, int count) {
    __block atomic_int different = 0;
    doJobs(count, workers, ^(long number) {
        if (!sameOnBothSides(scenarios[number])) atomic_fetch_add(&different, 1);
    });
    printf("%d scenarios the same, %d different\n", count - different, different);
    return different ? statusDifferent : statusSame;
}

static int runNamed(char **names, int count) {
    const Scenario *chosen[count + 1];
    for (int i = 0; i < count; i++)
        if (!(chosen[i] = scenarioNamed(names[i]))) return usage("there is no scenario called %s", names[i]);
    if (count > 0) return runScenarios(chosen, count);
    int all;
    const Scenario *const *scenarios = allScenarios(&all);
    return runScenarios(scenarios, all);
}

/// The first command of a child: `scenario SIDE NAME`.
static int beChild(char **words, int count) {
    const Scenario *scenario = count == 3 && !strcmp(words[0], "scenario") ? scenarioNamed(words[2]) : NULL;
    if (!scenario) return usage("child is for this program's own use");
    performScenarioHere(scenario, !strcmp(words[1], sideName(ours)) ? ours : original);
    return 0;
}

static int dispatchCommand(const char *command, char **words, int count) {
    if (!strcmp(command, "child")) return beChild(words, count);
    const char *error;
    if (!CFRunLoopTableOriginal(&error)) {
        printf("skipped: %s\n", error);
        return statusNoOriginal;
    }
    if (!strcmp(command, "run")) return runNamed(words, count);
    return usage("there is no command %s", command);
}

int main(int count, char **words) {
    if (count < 2) return usage("what is to be done?");
    stageWatchOverAll(60);
    if (!strcmp(words[1], "help") || !strcmp(words[1], "--help") || !strcmp(words[1], "-h")) return printf("%s", helpText) < 0;
    if (!strcmp(words[1], "list")) return listScenarios();
    return dispatchCommand(words[1], words + 2, count - 2);
}
