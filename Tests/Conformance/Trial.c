/// Trial.c: from a seed to a verdict.
#include "Trial.h"
#include "Difference.h"
#include "Model.h"
#include "Perform.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// MARK: - Making it determinate

char *determine(Program *program, Tally *tally) {
    for (;;) {
        Prediction prediction = predict(program);
        if (!prediction.reason) {
            programKeep(program, &prediction.performed);
            if (tally) tally->operations += program->count;
            return prediction.log;
        }
        free(prediction.log);
        if (tally) tally->leftOut[differenceNamed(prediction.reason)]++;
        OperationSet kept = programOperations(program);
        kept.has[prediction.culprit] = false;
        programKeep(program, &kept);
    }
}

// MARK: - Trying it

enum { mostAttempts = 3 };

/// In seconds; 0: no more attempts.
static const double units[][mostAttempts] = {
    [quick] = {0.01, 0.02, 0.04},
    [thorough] = {0.02, 0.06},
    [patient] = {0.02, 0.06, 0.2},
};

/// Both sides at once: most of the time they sleep.
static void performBoth(const Program *program, Outcome *outcome, double unit) {
    __block char *first;
    pthread_t thread = stageStartThreadOn(NULL, ^{ first = performProgram(program, original, unit); });
    outcome->ours = performProgram(program, ours, unit);
    pthread_join(thread, NULL);
    outcome->original = first;
}

Outcome tryProgram(const Program *program, char *model, Patience patience) {
    Outcome outcome = {.model = model};
    for (int attempt = 0; attempt < mostAttempts && units[patience][attempt] > 0; attempt++) {
        free(outcome.original);
        free(outcome.ours);
        performBoth(program, &outcome, units[patience][attempt]);
        outcome.same = !strcmp(outcome.original, outcome.ours) && !strcmp(outcome.ours, outcome.model);
        if (outcome.same) break;
    }
    return outcome;
}

void outcomeFree(Outcome *outcome) {
    free(outcome->model);
    free(outcome->original);
    free(outcome->ours);
}

void outcomePrint(FILE *out, const Outcome *outcome) {
    enum { mostLines = 60 };
    if (!strcmp(outcome->original, outcome->ours))
        printDifference(out, "both loops", outcome->ours, "the model", outcome->model, mostLines);
    else if (!strcmp(outcome->original, outcome->model))
        printDifference(out, "the original, and the model", outcome->original, "ours", outcome->ours, mostLines);
    else if (!strcmp(outcome->ours, outcome->model))
        printDifference(out, "the original", outcome->original, "ours, and the model", outcome->ours, mostLines);
    else {
        printDifference(out, "the original", outcome->original, "the model", outcome->model, mostLines);
        printDifference(out, "the original", outcome->original, "ours", outcome->ours, mostLines);
    }
}

// MARK: - Making it short

/// The program without `count` operations from `first` on, determined again; whether it still shows a difference.
static bool stillDiffers(const Program *program, int first, int count, Program *shorter) {
    *shorter = *program;
    OperationSet kept = programOperations(program);
    for (int i = first; i < first + count && i < program->count; i++) kept.has[program->operations[i].number] = false;
    programKeep(shorter, &kept);
    Outcome outcome = tryProgram(shorter, determine(shorter, NULL), thorough);
    bool differs = !outcome.same;
    outcomeFree(&outcome);
    return differs;
}

/// One round with pieces of that size; whether anything could be left out.
static bool leaveOutPieces(Program *program, int size, FILE *progress, time_t end) {
    bool any = false;
    for (int first = 0; first < program->count && time(NULL) < end;) {
        Program shorter;
        if (!stillDiffers(program, first, size, &shorter)) {
            first += size;
            continue;
        }
        *program = shorter;
        any = true;
        if (progress) fprintf(progress, "\r%d operations ", program->count), fflush(progress);
    }
    return any;
}

void shrink(Program *program, FILE *progress, int seconds) {
    time_t end = time(NULL) + seconds;
    free(determine(program, NULL));
    for (int size = program->count / 2; size >= 1 && time(NULL) < end;) {
        bool any = leaveOutPieces(program, size, progress, end);
        if (size > 1) size /= 2;
        else if (!any) break;
    }
    if (progress) fprintf(progress, "\n");
}
