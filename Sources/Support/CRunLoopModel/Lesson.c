/// Lesson.c: makes small programs that show one thing each.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "Lesson.h"
#include "Prediction.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    Program *program;
    uint64_t state;
} Teacher;

static unsigned pick(Teacher *teacher, unsigned count) {
    teacher->state = teacher->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(teacher->state >> 33) % count;
}

static bool chance(Teacher *teacher, unsigned percent) { return pick(teacher, 100) < percent; }

// MARK: - Items

/// The items by their place in the program.
enum { firstTimer = sourceCount + portCount, firstObserver = firstTimer + timerCount };

static void makeItems(Teacher *teacher, int level) {
    LoopProgram *loop = &teacher->program->loop;
    for (int i = 0; i < firstObserver; i++) {
        LoopItem *item = &loop->items[loop->itemCount++];
        *item = (LoopItem){.kind = aTimer, .thread = teacher->program->thread};
        if (i < sourceCount) {
            item->kind = aSource;
            item->order = level > 1 ? 1 - i : 0;
            snprintf(item->name, sizeof item->name, "s%d", i);
        } else if (i < firstTimer) {
            item->kind = aPort;
            snprintf(item->name, sizeof item->name, "p%d", i - sourceCount);
        } else {
            // A date that has passed before the run, or one that the run waits for. Two timers never have the same.
            int number = i - firstTimer;
            item->isAfterNow = !chance(teacher, 50);
            item->first = item->isAfterNow ? number + 0.5 : number - timerCount;
            snprintf(item->name, sizeof item->name, "t%d", number);
        }
    }
}

// MARK: - Actions

static LoopPlace own(const Teacher *teacher) { return (LoopPlace){.kind = ofThread, .index = teacher->program->thread}; }

/// The first call of an item's callback.
static LoopPlace firstCall(int item) { return (LoopPlace){.kind = inItem, .index = item, .call = 1}; }

/// Adds an action at a place; returns it.
static LoopAction *add(Teacher *teacher, LoopPlace place, LoopVerb verb) { return programAdd(teacher->program, verb, place); }

static LoopAction *addAbout(Teacher *teacher, LoopPlace place, LoopVerb verb, int item) {
    LoopAction *action = add(teacher, place, verb);
    action->item = item;
    if (verb == doAdd) action->modes = 1u << defaultModeIndex;
    return action;
}

/// A block, and sometimes what it does.
static void queueBlock(Teacher *teacher, LoopPlace place, int level) {
    LoopAction *block = add(teacher, place, doBlock);
    block->modes = 1u << defaultModeIndex;
    if (level == hardestLesson && chance(teacher, 30)) block->modes = 1u << modeA;
    if (level > easiestLesson && chance(teacher, 40))
        add(teacher, (LoopPlace){.kind = inBlock, .index = block->block}, doBlock)->modes = 1u << defaultModeIndex;
}

/// What a callback of an item does when it is first called.
static void fillCallback(Teacher *teacher, int item, int level) {
    if (chance(teacher, 50)) queueBlock(teacher, firstCall(item), level);
    if (level > easiestLesson && chance(teacher, 40)) addAbout(teacher, firstCall(item), doSignal, (int)pick(teacher, 2));
    if (level < hardestLesson) return;
    if (chance(teacher, 35)) add(teacher, firstCall(item), doStop);
    else if (chance(teacher, 40)) add(teacher, firstCall(item), doRun)->modes = 1u << defaultModeIndex;
}

static void makeRun(Teacher *teacher, int level) {
    LoopAction *run = add(teacher, own(teacher), doRun);
    run->modes = 1u << defaultModeIndex;
    run->seconds = chance(teacher, 40) ? 0 : 3 + (int)pick(teacher, 2);
    run->once = chance(teacher, 50);
    if (level == hardestLesson && chance(teacher, 25)) run->modes = 1u << modeA;
}

static void makeActions(Teacher *teacher, int level) {
    int sources = level > easiestLesson ? 2 : 1, timers = level > easiestLesson ? 1 + (int)pick(teacher, 2) : 0;
    for (int i = 0; i < sources; i++) addAbout(teacher, own(teacher), doAdd, i);
    for (int i = 0; i < timers; i++) addAbout(teacher, own(teacher), doAdd, firstTimer + i);
    for (int i = 0; i < sources; i++)
        if (chance(teacher, 70)) addAbout(teacher, own(teacher), doSignal, i);
    if (chance(teacher, 70)) queueBlock(teacher, own(teacher), level);
    for (int i = 0; i < sources; i++) fillCallback(teacher, i, level);
    for (int i = 0; i < timers; i++) fillCallback(teacher, firstTimer + i, level);
    makeRun(teacher, level);
    if (chance(teacher, 30)) makeRun(teacher, level);
}

char *lessonMake(uint64_t seed, int level, char **text) {
    Program *program = malloc(sizeof *program);
    for (;; seed += 0x9E3779B97F4A7C15u) { // a program without an event between its runs teaches nothing
        programBegin(program, seed, false);
        Teacher teacher = {program, seed};
        makeItems(&teacher, level);
        makeActions(&teacher, level);
        char *log = programDetermine(program, NULL, NULL);
        if (!strstr(log, "~ ")) {
            free(log);
            continue;
        }
        size_t length;
        FILE *out = open_memstream(text, &length);
        loopProgramWrite(out, &program->loop);
        fclose(out);
        free(program);
        return log;
    }
}
