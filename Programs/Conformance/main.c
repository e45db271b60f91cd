/// main.c: the commands.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "Cases.h"
#include "Difference.h"
#include "Differences.h"
#include "Jobs.h"
#include "Perform.h"
#include "Scenarios.h"
#include "../CRunLoopModel/LoopCases.h"
#include "Simulate.h"
#include "Simulated.h"
#include "Trial.h"
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

static const char helpText[] =
    "Conformance: the same programs on the original's run loop and on ours.\n"
    "\n"
    "    Conformance list               the names of the scenarios\n"
    "    Conformance run [NAME...]      runs these scenarios, or all, on both loops, and compares the logs\n"
    "    Conformance log NAME           prints a scenario's log on the original's loop\n"
    "    Conformance cases [NAME...]    performs these programs of Programs/Cases, or all, on both loops, and compares the logs with the model's\n"
    "    Conformance random FROM TO     runs the random programs of these seeds on both loops, compares the logs with each\n"
    "                                   other and with the model's, and shortens programs that differ. A second\n"
    "                                   program, for ours alone, has the actions that the original gets wrong\n"
    "    Conformance program SEED       prints a seed's random program and the log that the model predicts; then the second\n"
    "                                   program, if there is one\n"
    "    Conformance text SEED          prints the program as text for RunLoopLab play\n"
    "    Conformance simulate FROM TO   performs other random programs on the simulated kernel, most of them with several\n"
    "                                   threads and faults, and checks what always holds; compares one in 64 with the model.\n"
    "                                   Shortens those that fail to the text of a program\n"
    "    Conformance threads SEED       prints such a program of several threads as text\n"
    "    Conformance differences        prints the known differences, and how programs avoid them\n"
    "    Conformance help               prints this help\n"
    "\n"
    "The original is loaded from the Swift toolchain's libFoundation.so at run time.\n"
    "Exit status: 0 nothing differs, 1 logs differ, 2 wrong usage, 3 a run hangs, 77 the original is not installed.\n";

enum {
    statusSame = 0, statusDifferent = 1, statusUsage = 2, statusNoOriginal = 77,
    attempts = 3,         // for a scenario
    workers = 16,         // the jobs mostly wait
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

/// Whether a scenario's logs are the same on both sides, and the recorded ones. On a busy machine a limit may pass while a callback still runs, so logs that
/// differ are made again.
static bool sameOnBothSides(const Scenario *scenario) {
    for (int attempt = 1;; attempt++) {
        char *logs[sideCount] = {performScenario(scenario, original), performScenario(scenario, ours)};
        uint32_t digest = loopEventsDigest(logs[original]);
        bool agree = !strcmp(logs[original], logs[ours]), same = agree && digest == scenario->digest;
        if (same || attempt == attempts) {
            pthread_mutex_lock(&output);
            printf("%s  %s\n", same ? "same     " : "DIFFERENT", scenario->name);
            if (!agree) printDifference(stdout, "original", logs[original], "ours", logs[ours]);
            else if (!same) printf("    the recorded digest is another one; this one is 0x%08x\n", digest);
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
        if (!(chosen[i] = scenarioNamed(names[i]))) return usage("unknown scenario: %s", names[i]);
    if (count > 0) return runScenarios(chosen, count);
    int all;
    const Scenario *const *scenarios = allScenarios(&all);
    return runScenarios(scenarios, all);
}

static int printLog(const char *name) {
    const Scenario *scenario = scenarioNamed(name);
    if (!scenario) return usage("unknown scenario: %s", name);
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

typedef enum { agrees, unsteady, differs, verdictCount } Verdict;

/// The results of the programs that both loops perform, or of those for ours alone.
typedef struct {
    long programs, verdicts[verdictCount];
    int unsteadyBy[oddCount]; // which side differed in some attempts
    Tally tally;
} Results;

/// The program of a seed, made determinate. Returns false if there is none for ours alone, because the original gets nothing in it wrong.
static bool makeProgram(uint64_t seed, bool withoutOriginal, Program *program, char **model, Tally *tally) {
    Program forBoth;
    programMake(program, seed);
    program->withoutOriginal = withoutOriginal;
    *model = determine(program, tally);
    if (!withoutOriginal) return true;
    programMake(&forBoth, seed);
    free(determine(&forBoth, NULL));
    ActionSet here = programActions(program), there = programActions(&forBoth);
    if (memcmp(&here, &there, sizeof here)) return true;
    free(*model);
    return false;
}

static void name(const Trial *trial) {
    printf("the program of seed %llu", (unsigned long long)trial->program->seed);
    if (trial->program->withoutOriginal) printf(" for ours alone: not as the model says");
    else printf(": %s", oddText(trial->shown));
}

static void tell(const Trial *trial) {
    programPrint(stdout, trial->program);
    trialPrint(stdout, trial);
    fflush(stdout);
}

/// A program that always differs: shortened as far as the time allows; or unshortened, if the short one does not differ any more.
static void tellShort(const Trial *found) {
    Program shorter = *found->program;
    shrink(&shorter, isatty(STDERR_FILENO) ? stderr : NULL, longestShrinking, ^bool(const Program *attempt) { return !tryThoroughly(attempt); });
    Trial trial = trialBegin(&shorter, determine(&shorter, NULL));
    tell(tryPatiently(&trial) ? found : &trial);
    trialEnd(&trial);
}

static void report(const Trial *found, bool always) {
    static int reported;
    pthread_mutex_lock(&output);
    printf("DIFFERENT  ");
    name(found);
    printf(", in %d of %d attempts\n", found->odd[found->shown], found->attempts);
    fflush(stdout);
    if (reported++ < mostShrunk) {
        if (always) tellShort(found);
        else tell(found);
    }
    pthread_mutex_unlock(&output);
}

/// On a busy machine events come late, and then a program differs once. It may also differ because of a fault that shows only sometimes. So
/// this tries it again, with enough time. The program is different if it always differs, or if only ours differs again although the machine
/// was not busy. If the original differs sometimes, or both loops on a busy machine, the program is unsteady: the loops are late. [D2]
static Verdict tryAgain(const Trial *first) {
    Trial again = trialBegin(first->program, strdup(first->model));
    tryEightTimes(&again);
    bool always = again.wasBusy ? again.odd[ourLoop] == again.attempts : !again.odd[noSide];
    if (always && again.wasBusy) always = !tryAlone(&again);
    bool oursAgain = !again.wasBusy && again.odd[ourLoop] && again.odd[ourLoop] + first->odd[ourLoop] > 1;
    if (oursAgain && !always && again.odd[ourLoop] == 1) { // one attempt of eight may have been late for itself: a fault shows in another eight
        Trial last = trialBegin(first->program, strdup(first->model));
        tryEightTimes(&last);
        oursAgain = !last.wasBusy && last.odd[ourLoop];
        trialEnd(&last);
    }
    if (always || oursAgain) report(&again, always);
    trialEnd(&again);
    return always || oursAgain ? differs : unsteady;
}

static void tellUnsteady(const Trial *trial) {
    pthread_mutex_lock(&output);
    printf("unsteady   ");
    name(trial);
    printf(", and then they agreed\n");
    if (trial->shown == ourLoop) trialPrint(stdout, trial);
    pthread_mutex_unlock(&output);
}

static Verdict judge(Trial *trial) {
    bool agreed = tryQuickly(trial);
    if (agreed && trial->attempts == 1) return agrees;
    Verdict verdict = agreed ? unsteady : tryAgain(trial);
    if (verdict == unsteady) tellUnsteady(trial);
    return verdict;
}

static void addTally(Tally *to, const Tally *from) {
    for (int i = 0; i < differenceCount; i++) to->leftOut[i] += from->leftOut[i];
    to->actions += from->actions;
}

static pthread_mutex_t counts = PTHREAD_MUTEX_INITIALIZER;

static void trySeed(uint64_t seed, bool withoutOriginal, Results *results) {
    Program program;
    Tally tally = {{0}, 0};
    char *model;
    if (!makeProgram(seed, withoutOriginal, &program, &model, &tally)) return;
    Trial trial = trialBegin(&program, model);
    Verdict verdict = judge(&trial);
    pthread_mutex_lock(&counts);
    results->programs++;
    results->verdicts[verdict]++;
    if (verdict == unsteady) results->unsteadyBy[trial.shown]++;
    addTally(&results->tally, &tally);
    pthread_mutex_unlock(&counts);
    trialEnd(&trial);
}

static void printTally(const Tally *tally) {
    printf("%d actions performed; left out:", tally->actions);
    for (int i = 0; i < differenceCount; i++)
        if (tally->leftOut[i]) printf(" %s %d", differences[i].name, tally->leftOut[i]);
    printf("\n");
}

static void printResults(const char *title, const Results *results) {
    const char *separator = " (";
    printf("%s: %ld the same, %ld unsteady", title, results->verdicts[agrees], results->verdicts[unsteady]);
    for (Odd odd = theOriginal; odd < oddCount; odd++) {
        if (!results->unsteadyBy[odd]) continue;
        printf("%s%s %d", separator, oddText(odd), results->unsteadyBy[odd]);
        separator = ", ";
    }
    printf("%s, %ld different; ", results->verdicts[unsteady] ? ")" : "", results->verdicts[differs]);
    printTally(&results->tally);
}

/// Prints the progress: on a terminal in one line, every two seconds; elsewhere a line every ten seconds.
static void progress(long done, long count, long differing) {
    static time_t last;
    bool onTerminal = isatty(STDERR_FILENO);
    if (!last) last = time(NULL);
    if (time(NULL) < last + (onTerminal ? 2 : 10)) return;
    last = time(NULL);
    fprintf(stderr, "%s%ld of %ld seeds, %ld programs different%s", onTerminal ? "\r" : "", done, count, differing,
            onTerminal ? " " : "\n");
}

static int tryRandom(uint64_t from, uint64_t to) {
    __block Results both = {0}, alone = {0};
    __block long done = 0;
    long count = (long)(to - from + 1);
    progress(0, count, 0);
    doJobs(count, workers, ^(long number) {
        trySeed(from + (uint64_t)number, false, &both);
        trySeed(from + (uint64_t)number, true, &alone);
        pthread_mutex_lock(&counts);
        progress(++done, count, both.verdicts[differs] + alone.verdicts[differs]);
        pthread_mutex_unlock(&counts);
    });
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r");
    printResults("programs on both loops", &both);
    printResults("programs on ours alone", &alone);
    return both.verdicts[differs] + alone.verdicts[differs] ? statusDifferent : statusSame;
}

static void printMade(uint64_t seed, bool withoutOriginal) {
    Program program;
    Tally tally = {{0}, 0};
    char *log;
    if (!makeProgram(seed, withoutOriginal, &program, &log, &tally)) return;
    if (withoutOriginal) printf("\n");
    programPrint(stdout, &program);
    printf("\nthe model's log:\n%s\n", log);
    printTally(&tally);
    free(log);
}

static int printProgram(uint64_t seed) {
    printMade(seed, false);
    printMade(seed, true);
    return 0;
}

static int printText(uint64_t seed) {
    Program program;
    char *model;
    makeProgram(seed, false, &program, &model, NULL);
    printAsText(stdout, &program);
    free(model);
    return 0;
}

static int listDifferences(void) {
    static const char *const finders[] = {
        [explicitly] = "", [byModel] = " (the model finds it)",
        [forTheOriginal] = " (the model finds it; the program for ours alone keeps it)",
    };
    for (int i = 0; differences[i].name; i++) {
        printf("%s\n    the original, or a right answer: %s\n    here: %s%s\n", differences[i].name, differences[i].there,
               differences[i].steppedAround, finders[differences[i].leftOut]);
    }
    return 0;
}

// MARK: - Commands

/// The command for a child: `scenario SIDE NAME`, `case SIDE NAME UNIT` or `program SIDE SEED ACTIONS UNIT`.
static int beChild(char **words, int count) {
    Side side = count > 1 && !strcmp(words[1], sideName(ours)) ? ours : original;
    if (side == original && !sideTable(original)) return statusNoOriginal;
    uint64_t seed;
    ActionSet kept;
    if (count == 3 && !strcmp(words[0], "scenario") && scenarioNamed(words[2])) {
        performScenarioHere(scenarioNamed(words[2]), side);
        return 0;
    }
    if (count == 4 && !strcmp(words[0], "case") && performCaseHere(words[2], words[1], words[3])) return 0;
    if (count != 5 || strcmp(words[0], "program") || !readNumber(words[2], &seed) || !actionSetRead(&kept, words[3]))
        return usage("child is for internal use");
    Program program;
    programMake(&program, seed);
    programKeep(&program, &kept);
    performHere(&program, side, strtod(words[4], NULL));
    return 0;
}

static int seedCommand(const char *command, const char *word) {
    uint64_t seed;
    if (!readNumber(word, &seed)) return usage("%s is not a seed", word);
    if (!strcmp(command, "text")) return printText(seed);
    if (!strcmp(command, "threads")) return simulatePrint(seed), 0;
    return printProgram(seed);
}

static int randomCommand(const char *command, char **words) {
    uint64_t from, to;
    if (!readNumber(words[0], &from) || !readNumber(words[1], &to) || to < from || to - from > 1000000000)
        return usage("%s needs two seeds, the smaller one first, at most a thousand million apart", command);
    if (!strcmp(command, "random")) return tryRandom(from, to);
    return simulate(from, to) ? statusDifferent : statusSame;
}

static int runCases(char **names, int count) {
    int different = tryCases(names, count);
    return different < 0 ? usage("cases wants names of Programs/Cases") : different ? statusDifferent : statusSame;
}

/// The commands that need the original.
static int compareCommand(const char *command, char **words, int count) {
    const char *error;
    if (!CFRunLoopTableOriginal(&error)) {
        printf("skipped: %s\n", error);
        return statusNoOriginal;
    }
    if (!strcmp(command, "run")) return runNamed(words, count);
    if (!strcmp(command, "cases")) return runCases(words, count);
    if (!strcmp(command, "log")) return count == 1 ? printLog(words[0]) : usage("log needs the name of a scenario");
    return count == 2 ? randomCommand(command, words) : usage("random needs two seeds");
}

static bool isOneOf(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words)) words++;
    return *words != NULL;
}

static int command(const char *command, char **words, int count) {
    if (!strcmp(command, "child")) return beChild(words, count);
    if (isOneOf(command, (const char *[]){"run", "log", "cases", "random", NULL})) return compareCommand(command, words, count);
    if (isOneOf(command, (const char *[]){"program", "text", "threads", NULL}))
        return count == 1 ? seedCommand(command, words[0]) : usage("%s wants a seed", command);
    if (!strcmp(command, "simulate")) return count == 2 ? randomCommand(command, words) : usage("simulate needs two seeds");
    if (!isOneOf(command, (const char *[]){"list", "differences", "help", "--help", "-h", NULL})) return usage("there is no command %s", command);
    if (count > 0) return usage("%s wants nothing more", command);
    if (!strcmp(command, "list")) return listScenarios();
    if (!strcmp(command, "differences")) return listDifferences();
    return printf("%s", helpText) < 0;
}

int main(int count, char **words) {
    if (count < 2) return usage("what is to be done?");
    if (strcmp(words[1], "simulate")) stageWatchOverAll(60); // which has a parent that watches
    return command(words[1], words + 2, count - 2);
}
