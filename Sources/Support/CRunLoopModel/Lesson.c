/// Lesson.c: makes small programs that show one thing each.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "Lesson.h"
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
    ItemPlan *items = teacher->program->items;
    for (int i = 0; i < itemCount; i++) {
        ItemPlan *item = &items[i];
        if (i < sourceCount) {
            *item = (ItemPlan){.kind = sourceItem, .order = level > 1 ? 1 - i : 0};
            snprintf(item->name, sizeof item->name, "s%d", i);
        } else if (i < firstTimer) {
            *item = (ItemPlan){.kind = portItem};
            snprintf(item->name, sizeof item->name, "p%d", i - sourceCount);
        } else if (i < firstObserver) {
            // A date that has passed before the run, or one that the run waits for. Two timers never have the same.
            int number = i - firstTimer;
            bool hasPassed = chance(teacher, 50);
            *item = (ItemPlan){.kind = timerItem, .moment = {hasPassed ? longAgo : soon, number}};
            snprintf(item->name, sizeof item->name, "t%d", number);
        } else {
            *item = (ItemPlan){.kind = observerItem, .repeats = true, .order = i, .activities = 0x20};
            snprintf(item->name, sizeof item->name, "o%d", i - firstObserver);
        }
    }
}

// MARK: - Operations

/// Adds an operation at a place; returns it.
static Operation *add(Teacher *teacher, short place, Action action) {
    Program *program = teacher->program;
    Operation *operation = &program->operations[program->count];
    *operation = (Operation){.number = (short)program->count, .place = place, .action = action, .modes = 1};
    program->count++;
    return operation;
}

static Operation *addAbout(Teacher *teacher, short place, Action action, int item) {
    Operation *operation = add(teacher, place, action);
    operation->item = (short)item;
    return operation;
}

/// A block, and sometimes what it does.
static void queueBlock(Teacher *teacher, short place, int level) {
    Operation *block = add(teacher, place, performBlock);
    if (level == hardestLesson && chance(teacher, 30)) block->modes = 2; // mode A
    if (level > easiestLesson && chance(teacher, 40)) add(teacher, firstOwnPlace + block->number, performBlock);
}

/// What a callback of an item does when it is first called.
static void fillCallback(Teacher *teacher, short item, int level) {
    if (chance(teacher, 50)) queueBlock(teacher, item, level);
    if (level > easiestLesson && chance(teacher, 40)) addAbout(teacher, item, signalSource, (int)pick(teacher, 2));
    if (level < hardestLesson) return;
    if (chance(teacher, 35)) add(teacher, item, stopLoop);
    else if (chance(teacher, 40)) add(teacher, item, runMode)->limit = 0;
}

static void makeRun(Teacher *teacher, int level) {
    Operation *run = add(teacher, wholeProgram, runMode);
    run->limit = (short)(chance(teacher, 40) ? 0 : 3 + pick(teacher, 2));
    run->once = chance(teacher, 50);
    if (level == hardestLesson && chance(teacher, 25)) run->modes = 2;
}

static void makeOperations(Teacher *teacher, int level) {
    int sources = level > easiestLesson ? 2 : 1, timers = level > easiestLesson ? 1 + (int)pick(teacher, 2) : 0;
    for (int i = 0; i < sources; i++) addAbout(teacher, wholeProgram, addItem, i);
    for (int i = 0; i < timers; i++) addAbout(teacher, wholeProgram, addItem, firstTimer + i);
    for (int i = 0; i < sources; i++)
        if (chance(teacher, 70)) addAbout(teacher, wholeProgram, signalSource, i);
    if (chance(teacher, 70)) queueBlock(teacher, wholeProgram, level);
    for (int i = 0; i < sources; i++) fillCallback(teacher, (short)i, level);
    for (int i = 0; i < timers; i++) fillCallback(teacher, (short)(firstTimer + i), level);
    makeRun(teacher, level);
    if (chance(teacher, 30)) makeRun(teacher, level);
}

static int byPlace(const void *left, const void *right) {
    const Operation *one = left, *other = right;
    if (one->place != other->place) return one->place < other->place ? -1 : 1;
    return one->number - other->number;
}

char *lessonMake(Program *program, uint64_t seed, int level) {
    for (;; seed += 0x9E3779B97F4A7C15u) { // a program without an event between its runs teaches nothing
        *program = (Program){.seed = seed};
        Teacher teacher = {program, seed};
        makeItems(&teacher, level);
        makeOperations(&teacher, level);
        char *log = programDetermine(program, NULL, NULL);
        qsort(program->operations, (size_t)program->count, sizeof *program->operations, byPlace);
        if (strstr(log, "~ ")) return log;
        free(log);
    }
}

char *lessonText(const Program *program) {
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    programPrint(out, program);
    fclose(out);
    return text;
}
