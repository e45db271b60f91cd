/// main.c: the commands.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "Difference.h"
#include "Differences.h"
#include "Jobs.h"
#include "Perform.h"
#include "Scenarios.h"
#include "Trial.h"
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

static const char helpText[] =
    "Conformance: the same programs on the original's run loop and on ours.\n"
    "\n"
    "    Conformance list               the names of the scenarios\n"
    "    Conformance run [NAME...]      performs these scenarios, or all, on both, and compares the logs\n"
    "    Conformance log NAME           prints what a scenario says on the original's loop\n"
    "    Conformance random FROM TO     makes the programs of these seeds, performs them on both, and compares the\n"
    "                                   logs with each other and with the model's; shortens those that differ\n"
    "    Conformance program SEED       prints a random program, and the log that the model predicts\n"
    "    Conformance shrink SEED        performs it, and if there is a difference, makes it short\n"
    "    Conformance differences        the known differences, and how programs keep clear of them\n"
    "    Conformance help               this\n"
    "\n"
    "The original is loaded from the Swift toolchain's libFoundation.so at run time.\n"
    "Exit status: 0 nothing differs, 1 something does, 2 wrong usage, 3 a performance hangs, 77 the original is not there.\n";

enum {
    statusSame = 0, statusDifferent = 1, statusUsage = 2, statusNoOriginal = 77,
    attempts = 3,         // for a scenario
    workers = 16,         // they mostly wait
    longestShrinking = 45, // seconds
    mostShrunk = 3,       // programs of one command
};

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

/// Whether a scenario says the same on both sides. On a busy machine a limit may pass while a callback still runs: so a pair of
/// logs that differ is made again.
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
    printf("scenarios: %d the same, %d different\n", count - different, different);
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

static int printLog(const char *name) {
    const Scenario *scenario = scenarioNamed(name);
    if (!scenario) return usage("there is no scenario called %s", name);
    char *log = performScenario(scenario, original);
    printf("%s", log);
    free(log);
    return 0;
}

// MARK: - Random programs

static bool readNumber(const char *text, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

typedef enum { sameEverywhere, unsteady, differentAgain } Verdict;

static Outcome tryPatiently(const Program *program) {
    Program copy = *program;
    return tryProgram(&copy, determine(&copy, NULL), patient);
}

static void tellDifference(const Program *program, const Outcome *outcome) {
    programPrint(stdout, program);
    outcomePrint(stdout, outcome);
    fflush(stdout);
}

/// A program that differs, as short as it can be made in the time; and as it was, if the short one does not differ any more.
static void report(const Program *found, const Outcome *outcome) {
    static int reported;
    printf("DIFFERENT  the program of seed %llu\n", (unsigned long long)found->seed);
    fflush(stdout);
    if (reported++ >= mostShrunk) return;
    Program shorter = *found;
    shrink(&shorter, isatty(STDERR_FILENO) ? stderr : NULL, longestShrinking);
    Outcome shortOutcome = tryPatiently(&shorter);
    if (shortOutcome.same) tellDifference(found, outcome);
    else tellDifference(&shorter, &shortOutcome);
    outcomeFree(&shortOutcome);
}

/// A program that differed, and later does not, has been late on a busy machine: it is told, and is no difference.
static Verdict tryAgain(const Program *program, const Outcome *first) {
    Outcome second = tryPatiently(program);
    Verdict verdict = second.same ? unsteady : differentAgain;
    if (verdict == differentAgain) {
        report(program, &second);
    } else {
        printf("unsteady   the program of seed %llu: there was a difference, and then not\n", (unsigned long long)program->seed);
        outcomePrint(stdout, first);
    }
    outcomeFree(&second);
    return verdict;
}

/// Many programs are tried at once, but one that differed alone: the others wait for it.
static pthread_rwlock_t others = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static Verdict trySeed(uint64_t seed, Tally *tally) {
    Program program;
    Verdict verdict = sameEverywhere;
    programMake(&program, seed);
    pthread_rwlock_rdlock(&others);
    Outcome outcome = tryProgram(&program, determine(&program, tally), quick);
    pthread_rwlock_unlock(&others);
    if (!outcome.same) {
        pthread_rwlock_wrlock(&others);
        verdict = tryAgain(&program, &outcome);
        pthread_rwlock_unlock(&others);
    }
    outcomeFree(&outcome);
    return verdict;
}

static void printTally(const Tally *tally) {
    printf("%d operations performed; left out:", tally->operations);
    for (int i = 0; i < differenceCount; i++)
        if (tally->leftOut[i]) printf(" %s %d", differences[i].name, tally->leftOut[i]);
    printf("\n");
}

static void addTally(Tally *to, const Tally *from) {
    for (int i = 0; i < differenceCount; i++) to->leftOut[i] += from->leftOut[i];
    to->operations += from->operations;
}

/// Says how far it is, every two seconds.
static void progress(long done, long count, int different) {
    static time_t last;
    if (time(NULL) < last + 2 || !isatty(STDERR_FILENO)) return;
    last = time(NULL);
    fprintf(stderr, "\r%ld of %ld programs, %d different ", done, count, different);
}

static int tryRandom(uint64_t from, uint64_t to) {
    __block Tally total = {{0}, 0};
    __block long done = 0;
    __block int different = 0, unsteadyOnes = 0;
    static pthread_mutex_t counts = PTHREAD_MUTEX_INITIALIZER;
    long count = (long)(to - from + 1);
    doJobs(count, workers, ^(long number) {
        Tally tally = {{0}, 0};
        Verdict verdict = trySeed(from + (uint64_t)number, &tally);
        pthread_mutex_lock(&counts);
        addTally(&total, &tally);
        different += verdict == differentAgain;
        unsteadyOnes += verdict == unsteady;
        progress(++done, count, different);
        pthread_mutex_unlock(&counts);
    });
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r");
    printf("programs: %ld the same, %d different; %d were unsteady; ", count - different, different, unsteadyOnes);
    printTally(&total);
    return different ? statusDifferent : statusSame;
}

static int printProgram(uint64_t seed) {
    Program program;
    Tally tally = {{0}, 0};
    programMake(&program, seed);
    char *log = determine(&program, &tally);
    programPrint(stdout, &program);
    printf("\nthe model's log:\n%s\n", log);
    printTally(&tally);
    free(log);
    return 0;
}

static int listDifferences(void) {
    for (int i = 0; differences[i].name; i++) {
        printf("%s\n    the original, or a right answer: %s\n    here: %s%s\n", differences[i].name, differences[i].there,
               differences[i].steppedAround, differences[i].byModel ? " (the model finds it)" : "");
    }
    return 0;
}

// MARK: - Commands

/// What a child does: `scenario SIDE NAME` or `program SIDE SEED OPERATIONS UNIT`.
static int beChild(char **words, int count) {
    Side side = count > 1 && !strcmp(words[1], sideName(ours)) ? ours : original;
    if (side == original && !sideTable(original)) return statusNoOriginal;
    uint64_t seed;
    OperationSet kept;
    if (count == 3 && !strcmp(words[0], "scenario") && scenarioNamed(words[2])) {
        performScenarioHere(scenarioNamed(words[2]), side);
        return 0;
    }
    if (count != 5 || strcmp(words[0], "program") || !readNumber(words[2], &seed) || !operationSetRead(&kept, words[3]))
        return usage("child is for this program's own use");
    Program program;
    programMake(&program, seed);
    programKeep(&program, &kept);
    performProgramHere(&program, side, strtod(words[4], NULL));
    return 0;
}

static int seedCommand(const char *command, const char *word) {
    uint64_t seed;
    if (!readNumber(word, &seed)) return usage("%s is no seed", word);
    return !strcmp(command, "program") ? printProgram(seed) : tryRandom(seed, seed);
}

static int randomCommand(char **words) {
    uint64_t from, to;
    if (!readNumber(words[0], &from) || !readNumber(words[1], &to) || to < from || to - from > 1000000000)
        return usage("random wants two seeds, the smaller first");
    return tryRandom(from, to);
}

/// The commands that need the original.
static int compareCommand(const char *command, char **words, int count) {
    const char *error;
    if (!CFRunLoopTableOriginal(&error)) {
        printf("skipped: %s\n", error);
        return statusNoOriginal;
    }
    if (!strcmp(command, "run")) return runNamed(words, count);
    if (!strcmp(command, "log")) return count == 1 ? printLog(words[0]) : usage("log wants the name of a scenario");
    if (!strcmp(command, "random")) return count == 2 ? randomCommand(words) : usage("random wants two seeds");
    return count == 1 ? seedCommand(command, words[0]) : usage("shrink wants a seed");
}

static bool isOneOf(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words)) words++;
    return *words != NULL;
}

static int command(const char *command, char **words, int count) {
    if (!strcmp(command, "child")) return beChild(words, count);
    if (isOneOf(command, (const char *[]){"run", "log", "random", "shrink", NULL})) return compareCommand(command, words, count);
    if (!strcmp(command, "program")) return count == 1 ? seedCommand(command, words[0]) : usage("program wants a seed");
    if (!isOneOf(command, (const char *[]){"list", "differences", "help", "--help", "-h", NULL})) return usage("there is no command %s", command);
    if (count > 0) return usage("%s wants nothing more", command);
    if (!strcmp(command, "list")) return listScenarios();
    if (!strcmp(command, "differences")) return listDifferences();
    return printf("%s", helpText) < 0;
}

int main(int count, char **words) {
    if (count < 2) return usage("what is to be done?");
    stageWatchOverAll(60);
    return command(words[1], words + 2, count - 2);
}
