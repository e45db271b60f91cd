/// Prediction.c: random programs in the language of the model, and its events in the words of their logs.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "include/Model.h"
#include "include/Prediction.h"
#include <stdlib.h>
#include <string.h>

// MARK: - A program in the language

typedef struct {
    const Program *program;
    LoopProgram *written;
    int thread;    // that performs it
    bool hasTicks; // before each date that is set, a little time passes
} Writer;

/// The bits of modes: Default, A and B, and the common modes.
static unsigned writtenModes(unsigned modes) {
    unsigned written = modes & 1 ? 1u << defaultModeIndex : 0;
    if (modes & commonBit) written |= 1u << commonModesIndex;
    return written | (modes & (commonBit - 2)) << commonModesIndex;
}

/// A moment in seconds; a unit of time is a second. What is soon counts from now, and the others from the beginning.
static double seconds(Moment moment) {
    if (moment.moment == soon) return moment.number + 0.5;
    return (moment.moment == longAgo ? -86400 : 3 * 86400) + moment.number * 0.01;
}

static LoopAction *writeAction(Writer *writer, LoopVerb verb, int place, int item) {
    LoopAction *action = &writer->written->actions[writer->written->actionCount++];
    *action = (LoopAction){.verb = verb, .place = place, .item = item, .thread = -1};
    return action;
}

/// A date that has passed counts as the moment at which it is set, and what is soon counts from that moment. So a nanosecond has to lie between
/// two such moments, as on a real machine.
static void writeTick(Writer *writer, Moment moment, int place) {
    if (writer->hasTicks && moment.moment != farOff) writeAction(writer, doSpend, place, -1)->seconds = 2e-9;
}

static void writeDate(LoopAction *action, Moment moment) {
    action->seconds = seconds(moment);
    action->isAfterNow = moment.moment == soon;
}

static LoopItem *writeItem(Writer *writer, int kind, const char *name) {
    LoopItem *item = &writer->written->items[writer->written->itemCount++];
    *item = (LoopItem){.kind = kind, .thread = writer->thread};
    snprintf(item->name, sizeof item->name, "%s", name);
    return item;
}

static void writePlan(Writer *writer, const ItemPlan *plan, int start) {
    static const int kinds[] = {aSource, aPort, aTimer, anObserver};
    LoopItem *item = writeItem(writer, kinds[plan->kind], plan->name);
    bool isSetLater = writer->hasTicks && plan->moment.moment != farOff;
    if (plan->kind != timerItem) item->order = plan->order;
    if (plan->kind == observerItem) {
        item->activities = plan->activities == 0xff ? 0x0FFFFFFF : plan->activities;
        item->once = !plan->repeats;
    }
    if (plan->kind != timerItem) return;
    if (plan->repeats) item->interval = plan->interval ? plan->interval + 0.5 : 30 * 86400;
    item->first = isSetLater ? 3 * 86400 : seconds(plan->moment);
    item->isAfterNow = !isSetLater && plan->moment.moment == soon;
    if (!isSetLater) return;
    writeTick(writer, plan->moment, start);
    writeDate(writeAction(writer, doSet, start, writer->written->itemCount - 1), plan->moment);
}

/// What each mode has: an observer, so that the mode exists, and perhaps a timer that is far off.
static void writeWorld(Writer *writer, int start) {
    LoopItem *watch = writeItem(writer, anObserver, "watch");
    watch->activities = 1;
    watch->order = -1000000;
    writeAction(writer, doAdd, start, writer->written->itemCount - 1)->modes = writtenModes(commonBit - 1);
    for (int mode = 0; writer->program->withTimers && mode < modeCount; mode++) {
        char name[8];
        snprintf(name, sizeof name, "far%d", mode);
        writeItem(writer, aTimer, name)->first = 1000000;
        writeAction(writer, doAdd, start, writer->written->itemCount - 1)->modes = writtenModes(1u << mode);
    }
}

static int writePlace(Writer *writer, const Operation *operation) {
    LoopProgram *written = writer->written;
    LoopPlace place = {.kind = ofThread, .index = writer->thread, .call = operation->call + 1};
    if (operation->place == wholeProgram) place.call = 0;
    else if (operation->place == whileWaiting) place.kind = inWait;
    else if (operation->place >= firstOwnPlace)
        place = (LoopPlace){.kind = inBlock, .index = operation->place - firstOwnPlace};
    else place.kind = inItem, place.index = operation->place;
    for (int i = written->placeCount - 1; i > 1; i--) // the first two are the main thread's and the start
        if (memcmp(&written->places[i], &place, sizeof place) == 0) return i;
    written->places[written->placeCount] = place;
    return written->placeCount++;
}

static void writeOperation(Writer *writer, const Operation *operation) {
    static const LoopVerb verbs[] = {
        doAdd, doRemove, doInvalidate, doSignal, doSend, doReceive, doSet, doWake, doStop, doStop, doBlock, doQueue, doDeclare, doRun,
        doAskWhether, doAskHow, doAskMode, doAskModes, doAskNext, doAskFinished,
    };
    int place = writePlace(writer, operation);
    bool isAboutItem = operation->action <= setTimer || operation->action == askContains || operation->action == askItem;
    bool hasModes = operation->action != wakeLoop && operation->action != stopLoop && operation->action != queueFunction;
    if (operation->action == setTimer && operation->place != whileWaiting) writeTick(writer, operation->moment, place);
    LoopAction *action = writeAction(writer, verbs[operation->action], place, isAboutItem ? operation->item : -1);
    if (hasModes) action->modes = writtenModes(operation->modes);
    action->elsewhere = operation->elsewhere && operation->place != whileWaiting;
    action->block = operation->number;
    if (operation->action == setTimer) writeDate(action, operation->moment);
    if (operation->action == runMode) action->seconds = operation->limit, action->once = operation->once;
    bool needsThread = operation->action >= wakeLoop && operation->action <= performBlock;
    if (needsThread) action->thread = writer->thread;
}

/// The operations come first, so an action has the number of its operation in the program; unless there are ticks.
static void writeProgram(const Program *program, LoopProgram *written, bool hasTicks) {
    static const char *const modes[] = {"default", "common", "A", "B"};
    Writer writer = {program, written, program->onMainThread ? mainThreadIndex : 1, hasTicks};
    enum { start = 1 };
    memset(written, 0, sizeof *written);
    for (written->modeCount = 0; written->modeCount < 4; written->modeCount++) strcpy(written->modes[written->modeCount], modes[written->modeCount]);
    strcpy(written->threads[mainThreadIndex], "main");
    strcpy(written->threads[1], "P");
    written->threadCount = writer.thread + 1;
    written->places[start] = (LoopPlace){.kind = ofThread, .index = writer.thread};
    written->placeCount = 2;
    for (written->blockCount = 0; written->blockCount < mostOperations; written->blockCount++)
        sprintf(written->blocks[written->blockCount], "K%d", written->blockCount);
    if (hasTicks)
        for (int i = 0; i < itemCount; i++) writePlan(&writer, &program->items[i], start);
    else {
        for (int i = 0; i < program->count; i++) writeOperation(&writer, &program->operations[i]);
        for (int i = 0; i < itemCount; i++) writePlan(&writer, &program->items[i], start);
    }
    writeWorld(&writer, start);
    for (int i = 0; hasTicks && i < program->count; i++)
        if (program->operations[i].action < askContains) writeOperation(&writer, &program->operations[i]);
}

void programWrite(const Program *program, LoopProgram *written) { writeProgram(program, written, true); }

// MARK: - A log

typedef struct {
    const Program *program;
    FILE *log;
} Listener;

static void writeAnswer(const Listener *listener, const ModelEvent *event, const Operation *operation) {
    static const char *const modes[] = {"Default", "Common", "A", "B"};
    ItemKind kind = listener->program->items[operation->item].kind;
    fprintf(listener->log, "%*s", event->depth * 2 + 2 * (operation->action != drainPort), "");
    switch (operation->action) {
    case drainPort: fputs(event->answer ? "drained" : "was empty", listener->log); break;
    case askItem:
        fprintf(listener->log, "valid %d", event->answer);
        if (kind == sourceItem) fprintf(listener->log, ", signalled %d", event->isSignalled);
        if (kind == timerItem) fprintf(listener->log, ", next %s", !event->answer ? "none" : event->isPast ? "past" : "future");
        break;
    case askLoop: fputs(event->answer < 0 ? "none" : modes[event->answer], listener->log); break;
    case askModes: fprintf(listener->log, "Default 1, A 1, B 1, CommonModes %d", event->answer >> commonModesIndex & 1); break;
    default: fprintf(listener->log, "%d", event->answer);
    }
    fputc('\n', listener->log);
}

/// Writes an event as a performance does. What happens in the world around the program it does not tell.
static void hear(const ModelEvent *event, void *context) {
    const Listener *listener = context;
    const Program *program = listener->program;
    static const char *const verbs[] = {"performs", "performs", "fires"};
    bool isCall = event->kind == itemIsCalled || event->kind == activityBegins;
    if ((!isCall && event->action >= program->count) || (event->kind == itemIsCalled && event->item >= itemCount)) return;
    const Operation *operation = &program->operations[event->action];
    char line[lineLength];
    int indent = event->depth * 2;
    switch (event->kind) {
    case actionBegins:
        describeOperation(program, operation, line);
        fprintf(listener->log, "%*s%s\n", indent, "", line);
        break;
    case activityBegins: fprintf(listener->log, "%*s~ %s\n", indent, "", activityText(event->activity)); break;
    case itemIsCalled:
        fprintf(listener->log, "%*s%s %s\n", indent, "", program->items[event->item].name,
                event->activity ? activityText(event->activity) : verbs[program->items[event->item].kind]);
        break;
    case blockIsCalled:
        fprintf(listener->log, "%*s%s #%d\n", indent, "", operation->action == queueFunction ? "function" : "block", operation->number);
        break;
    case runEnds: fprintf(listener->log, "%*sresult %s\n", indent, "", resultText(event->answer)); break;
    case isAnswered: writeAnswer(listener, event, operation); break;
    }
}

Prediction predict(const Program *program) {
    LoopProgram *written = malloc(sizeof *written);
    Prediction prediction = {0};
    bool performed[mostActions] = {false};
    size_t length;
    Listener listener = {program, open_memstream(&prediction.log, &length)};
    writeProgram(program, written, false);
    ModelResult result = modelPerform(written, &(ModelOptions){
        .isForRealTime = true, .isForOriginal = !program->withoutOriginal, .happens = hear, .context = &listener, .performed = performed});
    if (!result.reason) fputs("end\n", listener.log);
    fclose(listener.log);
    prediction.reason = result.reason;
    if (result.reason) prediction.culprit = program->operations[result.culprit].number;
    for (int i = 0; i < program->count; i++) prediction.performed.has[program->operations[i].number] = performed[i];
    free(written);
    return prediction;
}

char *programDetermine(Program *program, void (*leavesOut)(const char *reason, void *context), void *context) {
    for (;;) {
        Prediction prediction = predict(program);
        if (!prediction.reason) {
            programKeep(program, &prediction.performed);
            return prediction.log;
        }
        free(prediction.log);
        if (leavesOut) leavesOut(prediction.reason, context);
        OperationSet kept = programOperations(program);
        kept.has[prediction.culprit] = false;
        programKeep(program, &kept);
    }
}
