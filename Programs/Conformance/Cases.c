/// Cases.c: the programs of Programs/Cases, which the C tests perform on our loop, on the toolchain's loop as well: the logs must be those that the
/// model writes. Where a case names a difference, the toolchain's log must be the one that it wrote before.
#include "../CRunLoopPrograms/PlayOnTable.c"

#include "../CRunLoopModel/LoopCases.h"
#include "Cases.h"
#include "Child.h"
#include "Jobs.h"
#include "Model.h"
#include "Stage.h"
#include <stdatomic.h>

static LoopCase cases[mostCases];

static const LoopCase *caseNamed(const char *name, int count) {
    for (int i = 0; i < count; i++)
        if (!strcmp(cases[i].name, name)) return &cases[i];
    return NULL;
}

/// Stores NULL if the model does not know what happens.
static LoopProgram *readCase(const LoopCase *of, char **model) {
    LoopProgram *program = malloc(sizeof *program);
    size_t size;
    char *log;
    if (!loopProgramRead(program, of->text)) printf("%s:%d: %s\n", of->path, of->line, program->error), exit(1);
    FILE *out = open_memstream(&log, &size);
    ModelResult result = modelWriteLog(program, 0, out);
    fclose(out);
    *model = loopLogByThread(log, false);
    free(log);
    if (result.reason) printf("%s:%d: not determined: %s\n", of->path, of->line, modelReason(result.reason)), exit(1);
    return program;
}

bool performCaseHere(const char *name, const char *side, const char *unit) {
    const LoopCase *of = caseNamed(name, loopCasesRead(__FILE__, "../Cases", cases));
    char *model;
    if (!of) return false;
    LoopProgram *program = readCase(of, &model);
    loopProgramScale(program, strtod(unit, NULL));
    playOnTable(program, sideTable(strcmp(side, sideName(ours)) ? original : ours), stdout);
    return true;
}

static char *logOn(const LoopCase *of, Side side, double unit) {
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%g", unit);
    char *log = childLog((const char *[]){"case", sideName(side), of->name, seconds, NULL}), *sorted = loopLogByThread(log, false);
    free(log);
    return sorted;
}

/// On a busy machine events come late, so logs that are not as they should be are made again, with more time.
static bool isAsItShouldBe(const LoopCase *of, FILE *out) {
    static const double units[] = {0.02, 0.1, 0.5};
    char *model;
    free(readCase(of, &model));
    bool differs = of->difference[0] && !of->isForOursAlone, isRight = false;
    for (size_t i = 0; i < sizeof units / sizeof units[0] && !isRight; i++) {
        char *log = of->isSimulatedAlone ? strdup(model) : logOn(of, ours, units[i]), *there = of->isForOursAlone ? strdup("") : logOn(of, original, units[i]);
        isRight = !strcmp(log, model) && (of->isForOursAlone || (differs ? loopLogDigest(there) == of->recordedThere : !strcmp(there, model)));
        if (!isRight && i + 1 == sizeof units / sizeof units[0]) {
            fprintf(out, "DIFFERENT  %s\n", of->name);
            if (strcmp(log, model)) loopCasePrint(out, of, "ours", log, "the model", model);
            else if (differs && !strcmp(there, model)) fprintf(out, "%s\nThe toolchain's loop does the same as ours: the difference %s is gone\n", of->text, of->difference);
            else if (differs) fprintf(out, "%s\n%s\nThis is not the log that the toolchain's loop wrote before: %s, log %08x\n", of->text, there, of->difference, loopLogDigest(there));
            else loopCasePrint(out, of, "the toolchain's loop", there, "ours, and the model", model);
        }
        free(log);
        free(there);
    }
    if (isRight && loopLogDigest(model) != of->recorded) {
        fprintf(out, "DIFFERENT  %s\n%s:%d: the recorded log is another one; this one is\n# log %08x\n", of->name, of->path, of->line, loopLogDigest(model));
        isRight = false;
    } else if (isRight) fprintf(out, "same       %s%s%s\n", of->name, of->difference[0] ? ", but for the known difference " : "", of->difference);
    free(model);
    return isRight;
}

int tryCases(char **names, int count) {
    enum { workers = 16 };
    int all = loopCasesRead(__FILE__, "../Cases", cases);
    __block atomic_int different = 0;
    const LoopCase *chosen[mostCases];
    const LoopCase **tried = chosen;
    for (int i = 0; i < count; i++) {
        if ((chosen[i] = caseNamed(names[i], all))) continue;
        fprintf(stderr, "Conformance: there is no case %s\n", names[i]);
        return -1;
    }
    for (int i = 0; !count && i < all; i++) chosen[i] = &cases[i];
    doJobs(count ? count : all, workers, ^(long number) {
        char *words;
        size_t size;
        FILE *out = open_memstream(&words, &size);
        if (!isAsItShouldBe(tried[number], out)) atomic_fetch_add(&different, 1);
        fclose(out);
        printf("%s", words);
        fflush(stdout);
        free(words);
    });
    printf("cases: %d the same, %d different\n", (count ? count : all) - different, different);
    return different;
}
