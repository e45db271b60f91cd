/// Threads.c: makes random programs of several threads. No model predicts them, because the order of their events depends on who goes first;
/// CheckProgram.c has the rules that every order obeys.
#include "Threads.h"
#include <string.h>

typedef struct {
    LoopProgram *program;
    uint64_t state;
    int place, thread; // of the next actions; the thread is -1 outside of all loops
} Maker;

enum { modeA = 2, mostLoops = 3 };

static unsigned pick(Maker *maker, unsigned count) {
    maker->state = maker->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(maker->state >> 33) % count;
}

static bool chance(Maker *maker, unsigned percent) { return pick(maker, 100) < percent; }

/// A few moments, so that some things happen at the same one.
static double moment(Maker *maker) { return 0.25 * (1 + pick(maker, 12)); }

static unsigned anyModes(Maker *maker) {
    static const unsigned masks[] = {1u << defaultModeIndex, 1u << defaultModeIndex, 1u << commonModesIndex, 1u << modeA};
    return masks[pick(maker, 4)];
}

static unsigned anyRealMode(Maker *maker) { return chance(maker, 70) ? 1u << defaultModeIndex : 1u << modeA; }

static void setPlace(Maker *maker, LoopPlace place, int thread) {
    maker->place = maker->program->placeCount;
    maker->thread = thread;
    maker->program->places[maker->program->placeCount++] = place;
}

static LoopAction *add(Maker *maker, LoopVerb verb) {
    LoopAction *action = &maker->program->actions[maker->program->actionCount++];
    *action = (LoopAction){.verb = verb, .place = maker->place, .item = -1, .thread = -1};
    return action;
}

static void setName(char *name, char letter, int number) {
    name[0] = letter;
    name[1] = (char)('0' + number / 10);
    name[2] = (char)('0' + number % 10);
    name[3] = 0;
}

// MARK: - Items

static void makeItem(Maker *maker, LoopItem item, unsigned modes) {
    static const char letters[] = "SPTO";
    LoopProgram *program = maker->program;
    setName(item.name, letters[item.kind], program->itemCount);
    item.thread = maker->thread;
    program->items[program->itemCount++] = item;
    LoopAction *added = add(maker, doAdd);
    added->item = program->itemCount - 1;
    added->modes = modes;
}

/// The first one is never touched again, so it sees each run of the two modes.
static void makeItems(Maker *maker) {
    static const unsigned masks[] = {1, 2, 4, 32, 64, 128};
    makeItem(maker, (LoopItem){.kind = anObserver, .activities = 0x0FFFFFFF, .order = -1000}, 1u << defaultModeIndex | 1u << modeA);
    for (unsigned i = 0, count = 1 + pick(maker, 2); i < count; i++)
        makeItem(maker, (LoopItem){.kind = aSource, .order = (int)pick(maker, 2)}, anyModes(maker));
    if (chance(maker, 50)) makeItem(maker, (LoopItem){.kind = aPort}, anyModes(maker));
    for (unsigned i = 0, count = pick(maker, 3); i < count; i++) {
        double interval = chance(maker, 40) ? 0.5 * (1 + pick(maker, 3)) : 0;
        double tolerance = chance(maker, 20) ? 0.25 : 0;
        makeItem(maker, (LoopItem){.kind = aTimer, .first = moment(maker), .interval = interval, .tolerance = tolerance}, anyModes(maker));
    }
    if (chance(maker, 40)) makeItem(maker, (LoopItem){.kind = anObserver, .activities = masks[pick(maker, 6)], .once = chance(maker, 30)}, anyModes(maker));
}

// MARK: - Actions

static int anyItem(Maker *maker, int kind) {
    const LoopProgram *program = maker->program;
    int start = (int)pick(maker, (unsigned)program->itemCount);
    for (int i = 0; i < program->itemCount; i++) {
        int item = (start + i) % program->itemCount;
        if (program->items[item].order != -1000 && (kind < 0 || (int)program->items[item].kind == kind)) return item;
    }
    return -1;
}

static void wake(Maker *maker, int thread) { add(maker, doWake)->thread = thread; }

static void actOnItem(Maker *maker, LoopVerb verb, int kind, bool elsewhere) {
    int item = anyItem(maker, kind);
    if (item < 0) return;
    bool needsWake = verb == doSignal || verb == doAdd;
    LoopAction *action = add(maker, verb);
    action->item = item;
    action->elsewhere = elsewhere && !needsWake;
    if (verb == doAdd || verb == doRemove) action->modes = anyModes(maker);
    if (verb == doSet) action->seconds = moment(maker);
    if (needsWake) wake(maker, maker->program->items[item].thread);
}

static void makeBlock(Maker *maker, LoopVerb verb) {
    LoopProgram *program = maker->program;
    if (program->blockCount >= 30) return;
    LoopAction *action = add(maker, verb);
    action->block = program->blockCount++;
    setName(program->blocks[action->block], 'K', action->block);
    if (verb == doQueue) return;
    action->thread = (int)pick(maker, (unsigned)program->threadCount);
    action->modes = anyModes(maker);
    wake(maker, action->thread);
}

static void makeFault(Maker *maker) {
    LoopAction *action = add(maker, doFault);
    action->fault = chance(maker, 10) ? portsFault : (LoopFault)pick(maker, 4);
    if (action->fault != spuriousFault && action->fault != portsFault) action->seconds = 0.1 * (1 + pick(maker, 5));
}

/// Behind the loop's back, which hears of it a moment later. Otherwise another port may get the number, and wake the loop for ever.
static void closePort(Maker *maker) {
    int item = anyItem(maker, aPort);
    if (item < 0) return;
    add(maker, doClose)->item = item;
    add(maker, doInvalidate)->item = item;
}

/// The common items join the mode, also those that have been signalled. The wake-up is for the own loop, which is the main one outside of all.
static void declare(Maker *maker) {
    add(maker, doDeclare)->modes = 1u << modeA;
    wake(maker, -1);
}

static void makeAction(Maker *maker) {
    bool isOnLoop = maker->thread >= 0, elsewhere = isOnLoop && chance(maker, 15);
    if (maker->program->actionCount > 80) return;
    unsigned choice = pick(maker, 100);
    if (choice < 28) return actOnItem(maker, doSignal, aSource, false);
    if (choice < 38) return makeBlock(maker, doBlock);
    if (choice < 46) return actOnItem(maker, doSend, aPort, elsewhere);
    if (choice < 54) return actOnItem(maker, doAdd, -1, false);
    if (choice < 62) return actOnItem(maker, doRemove, -1, elsewhere);
    if (choice < 66) return actOnItem(maker, doInvalidate, -1, elsewhere);
    if (choice < 72) return actOnItem(maker, doSet, aTimer, elsewhere);
    if (choice < 75) return makeBlock(maker, doQueue);
    if (choice < 78) return makeFault(maker);
    if (choice < 79) return closePort(maker);
    if (choice < 80) return declare(maker);
    if (choice < 85) return wake(maker, (int)pick(maker, (unsigned)maker->program->threadCount));
    LoopAction *action;
    if (choice < 91) {
        action = add(maker, doStop);
        action->thread = (int)pick(maker, (unsigned)maker->program->threadCount);
        if (chance(maker, 30)) action->modes = anyRealMode(maker);
    } else if (isOnLoop && choice < 97) {
        action = add(maker, doRun);
        action->modes = anyRealMode(maker);
        action->seconds = chance(maker, 30) ? 0 : 0.25 * (1 + pick(maker, 4));
        action->once = chance(maker, 30);
    } else if (isOnLoop) add(maker, doSpend)->seconds = 0.25 * (1 + pick(maker, 2));
}

static void makeActions(Maker *maker, unsigned count) {
    for (unsigned i = 0; i < count; i++) makeAction(maker);
}

/// What a signal handler may do.
static void makeHandlersAction(Maker *maker) {
    unsigned choice = pick(maker, 100);
    if (choice < 50) return actOnItem(maker, doSignal, aSource, false);
    if (choice < 65) return actOnItem(maker, doSend, aPort, false);
    int thread = (int)pick(maker, (unsigned)maker->program->threadCount);
    if (choice < 80) add(maker, doStop)->thread = thread;
    else wake(maker, thread);
}

// MARK: - Places

static void makeThread(Maker *maker, int thread) {
    maker->thread = thread;
    if (thread == mainThreadIndex) maker->place = 0;
    else setPlace(maker, (LoopPlace){.kind = ofThread, .index = thread}, thread);
    makeItems(maker);
}

static void makeBody(Maker *maker, int thread) {
    setPlace(maker, (LoopPlace){.kind = ofThread, .index = thread}, thread);
    for (unsigned i = 0, runs = 1 + pick(maker, 3); i < runs; i++) {
        makeActions(maker, pick(maker, 3));
        LoopAction *run = add(maker, doRun);
        run->modes = anyRealMode(maker);
        run->seconds = moment(maker);
        run->once = chance(maker, 20);
    }
}

static void makeCallbacks(Maker *maker) {
    for (int item = 0, count = maker->program->itemCount; item < count; item++) {
        if (maker->program->items[item].order == -1000) continue;
        for (int call = 1; call <= 2 && chance(maker, 50); call++) {
            setPlace(maker, (LoopPlace){.kind = inItem, .index = item, .call = call}, maker->program->items[item].thread);
            makeActions(maker, 1 + pick(maker, 2));
        }
    }
}

static void makeMoments(Maker *maker) {
    for (unsigned i = 0, count = pick(maker, 4); i < count; i++) {
        setPlace(maker, (LoopPlace){.kind = atMoment, .seconds = moment(maker), .name = "outside"}, -1);
        makeActions(maker, 1 + pick(maker, 3));
    }
}

static void makeHandler(Maker *maker) {
    if (chance(maker, 60)) return;
    setPlace(maker, (LoopPlace){.kind = inHandler}, -1);
    for (unsigned i = 0, count = 1 + pick(maker, 2); i < count; i++) makeHandlersAction(maker);
}

/// What the blocks do, which may be to queue more of them.
static void makeBlocks(Maker *maker) {
    LoopProgram *program = maker->program;
    for (int i = 0; i < program->actionCount; i++) {
        const LoopAction action = program->actions[i];
        if ((action.verb != doBlock && action.verb != doQueue) || chance(maker, 50)) continue;
        setPlace(maker, (LoopPlace){.kind = inBlock, .index = action.block}, action.verb == doQueue ? mainThreadIndex : action.thread);
        makeActions(maker, 1 + pick(maker, 2));
    }
}

void threadsMake(LoopProgram *program, uint64_t seed) {
    static const char *const modes[] = {"default", "common", "A"}, *const threads[] = {"main", "B", "C"};
    Maker maker = {program, seed * 0x9e3779b97f4a7c15u + 1, 0, mainThreadIndex};
    for (int i = 0; i < 4; i++) pick(&maker, 1);
    program->itemCount = program->actionCount = program->blockCount = 0;
    program->placeCount = 1;
    program->places[0] = (LoopPlace){.kind = ofThread};
    program->modeCount = 3;
    program->threadCount = 1 + (int)pick(&maker, mostLoops);
    program->error[0] = 0;
    for (int i = 0; i < 3; i++) strcpy(program->modes[i], modes[i]);
    for (int i = 0; i < program->threadCount; i++) strcpy(program->threads[i], threads[i]);
    for (int i = 0; i < program->threadCount; i++) makeThread(&maker, i);
    for (int i = 0; i < program->threadCount; i++) makeBody(&maker, i);
    makeCallbacks(&maker);
    makeMoments(&maker);
    makeHandler(&maker);
    makeBlocks(&maker);
}
