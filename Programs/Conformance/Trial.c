/// Trial.c: makes a program from a seed, and decides whether the logs of both loops and the model agree.
#include "Trial.h"
#include "Difference.h"
#include "Jobs.h"
#include "Prediction.h"
#include "Perform.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// MARK: - Making it determinate

static void countLeftOut(const char *reason, void *tally) {
    if (tally) ((Tally *)tally)->leftOut[differenceNamed(reason)]++;
}

char *determine(Program *program, Tally *tally) {
    char *log = programDetermine(program, countLeftOut, tally);
    if (tally) tally->actions += program->loop.actionCount - program->given;
    return log;
}

// MARK: - Trying it

enum { mostAttempts = 3, repetitions = 8 };

/// In seconds; 0 ends the list of attempts.
static const double thorough[mostAttempts] = {0.02, 0.06}, patient[mostAttempts] = {0.02, 0.06, 0.2};
static const double shortest = 0.02, longest = 0.2;

Trial trialBegin(const Program *program, char *model) {
    return (Trial){.program = program, .model = model};
}

void trialEnd(Trial *trial) {
    free(trial->model);
    free(trial->original);
    free(trial->ours);
}

/// Performs the program on both sides at the same time, because they mostly sleep. Leaves `original` NULL if only ours performs it.
static void performBoth(const Program *program, double unit, char **originalLog, char **oursLog) {
    __block char *first = NULL;
    pthread_t thread = stageStartThreadOn(NULL, ^{
        if (!program->withoutOriginal) first = performOn(program, original, unit);
    });
    *oursLog = performOn(program, ours, unit);
    pthread_join(thread, NULL);
    *originalLog = first;
}

static Odd oddOne(const char *model, const char *originalLog, const char *oursLog) {
    bool modelIsOurs = !strcmp(model, oursLog);
    if (!originalLog) return modelIsOurs ? noSide : ourLoop;
    bool modelIsOriginal = !strcmp(model, originalLog);
    if (modelIsOurs) return modelIsOriginal ? noSide : theOriginal;
    if (modelIsOriginal) return ourLoop;
    return !strcmp(originalLog, oursLog) ? theModel : everySide;
}

/// Counts an attempt and takes ownership of the logs.
static void count(Trial *trial, char *originalLog, char *oursLog) {
    Odd odd = oddOne(trial->model, originalLog, oursLog);
    trial->attempts++;
    trial->odd[odd]++;
    if (odd == noSide || (trial->ours && odd != ourLoop)) {
        free(originalLog);
        free(oursLog);
        return;
    }
    free(trial->original);
    free(trial->ours);
    trial->shown = odd;
    trial->original = originalLog;
    trial->ours = oursLog;
}

static void tryOnce(Trial *trial, double unit) {
    char *originalLog, *oursLog;
    performBoth(trial->program, unit, &originalLog, &oursLog);
    count(trial, originalLog, oursLog);
}

static bool tryUntilSame(Trial *trial, const double *units) {
    for (int attempt = 0; attempt < mostAttempts && units[attempt] > 0 && !trial->odd[noSide]; attempt++) tryOnce(trial, units[attempt]);
    return trial->odd[noSide];
}

/// The unit of time of quick attempts: as short as the machine currently allows.
static double quickUnit = shortest;
static pthread_mutex_t quickUnitLock = PTHREAD_MUTEX_INITIALIZER;

static double getQuickUnit(void) {
    pthread_mutex_lock(&quickUnitLock);
    double unit = quickUnit;
    pthread_mutex_unlock(&quickUnitLock);
    return unit;
}

/// The unit grows with each attempt that fails, and shrinks slowly with those that do not, so that about one in twenty fails, however busy
/// the machine is.
static void adjustQuickUnit(bool failed) {
    pthread_mutex_lock(&quickUnitLock);
    quickUnit = failed ? fmin(quickUnit * 1.5, longest) : fmax(quickUnit * 0.98, shortest);
    pthread_mutex_unlock(&quickUnitLock);
}

bool tryQuickly(Trial *trial) {
    for (int attempt = 0; attempt < mostAttempts && !trial->odd[noSide] && !trial->odd[ourLoop]; attempt++) {
        tryOnce(trial, getQuickUnit());
        adjustQuickUnit(!trial->odd[noSide]);
    }
    return trial->odd[noSide];
}

bool tryPatiently(Trial *trial) {
    return tryUntilSame(trial, patient);
}

/// Measures how late a thread is, in total, that sleeps for a unit and has another thread act, repeatedly until `isOver`. A program may be as
/// late: a timer keeps the rhythm of its first date, and the limits of the runs add up what each was late.
static double latenessUntil(atomic_bool *isOver) {
    double lateness = 0;
    while (!atomic_load(isOver)) {
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        usleep((useconds_t)(longest * 1e6));
        pthread_join(stageStartThreadOn(NULL, ^{}), NULL);
        clock_gettime(CLOCK_MONOTONIC, &after);
        lateness += (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9 - longest;
    }
    return lateness;
}

void tryEightTimes(Trial *trial) {
    char *logs[repetitions][2], *(*pairs)[2] = logs;
    __block atomic_bool isOver = false;
    __block double lateness;
    pthread_t witness = stageStartThreadOn(NULL, ^{ lateness = latenessUntil(&isOver); });
    doJobs(repetitions, repetitions, ^(long number) {
        usleep((useconds_t)((double)number * longest * 1e6 / repetitions)); // so that they do not all wake at the same moments
        performBoth(trial->program, longest, &pairs[number][0], &pairs[number][1]);
    });
    atomic_store(&isOver, true);
    pthread_join(witness, NULL);
    trial->wasBusy = lateness > longest / 4; // half a unit changes the order of events
    for (int i = 0; i < repetitions; i++) count(trial, logs[i][0], logs[i][1]);
}

bool tryAlone(Trial *trial) {
    tryOnce(trial, 2 * longest);
    return trial->odd[noSide];
}

const char *oddText(Odd odd) {
    return (const char *[]){"none", "the original alone", "ours alone", "both loops", "all three"}[odd];
}

void trialPrint(FILE *out, const Trial *trial) {
    const char *others = trial->original ? "the original, and the model" : "the model";
    switch (trial->shown) {
    case noSide: break;
    case theOriginal: printDifference(out, "the original", trial->original, "ours, and the model", trial->ours); break;
    case ourLoop: printDifference(out, others, trial->model, "ours", trial->ours); break;
    case theModel: printDifference(out, "both loops", trial->ours, "the model", trial->model); break;
    default:
        printDifference(out, "the original", trial->original, "the model", trial->model);
        printDifference(out, "the original", trial->original, "ours", trial->ours);
    }
}

// MARK: - Making it short

bool tryThoroughly(const Program *program) {
    Program copy = *program;
    Trial trial = trialBegin(&copy, determine(&copy, NULL));
    bool areSame = tryUntilSame(&trial, thorough);
    trialEnd(&trial);
    return areSame;
}

/// Makes a program that lacks `count` actions from `first` on, and is determinate again.
static void leaveOut(const Program *program, int first, int count, Program *shorter) {
    *shorter = *program;
    ActionSet kept = programActions(program);
    const LoopProgram *loop = &program->loop;
    for (int i = first; i < first + count && i < loop->actionCount; i++) kept.has[loop->actions[i].line] = false;
    programKeep(shorter, &kept);
    free(determine(shorter, NULL));
}

/// Tries to remove each piece of that size. Returns whether it could remove any.
static bool leaveOutPieces(Program *program, int size, FILE *progress, time_t end, bool (^fails)(const Program *program)) {
    bool any = false;
    for (int first = program->given; first < program->loop.actionCount && time(NULL) < end;) {
        Program shorter;
        leaveOut(program, first, size, &shorter);
        if (!fails(&shorter)) {
            first += size;
            continue;
        }
        *program = shorter;
        any = true;
        if (progress) fprintf(progress, "\r%d actions ", program->loop.actionCount), fflush(progress);
    }
    return any;
}

void shrink(Program *program, FILE *progress, int seconds, bool (^fails)(const Program *program)) {
    time_t end = time(NULL) + seconds;
    free(determine(program, NULL));
    for (int size = program->loop.actionCount / 2; size >= 1 && time(NULL) < end;) {
        bool any = leaveOutPieces(program, size, progress, end, fails);
        if (size > 1) size /= 2;
        else if (!any) break;
    }
    if (progress) fprintf(progress, "\n");
}
