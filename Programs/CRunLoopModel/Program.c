/// Program.c: makes programs of random numbers.
#include "include/Program.h"
#include <string.h>

// MARK: - Chance

static unsigned pick(uint64_t *state, unsigned count) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % count;
}

static bool chance(uint64_t *state, unsigned percent) { return pick(state, 100) < percent; }

// MARK: - Items

typedef struct {
    Program *program;
    uint64_t state;
    int dates; // made so far
} Maker;

typedef struct {
    double seconds;
    bool isAfterNow;
} Moment;

/// All dates but those of one kind of moment are far apart, and all dates of a program differ. What is soon is half a unit away from the
/// limits of runs, which are whole ones.
static Moment anyMoment(Maker *maker) {
    // 0 to 255 in a scrambled order, so that what is set later is not always due later.
    int number = (maker->dates++ * 151) % 256;
    unsigned choice = pick(&maker->state, 100);
    if (choice < 45) return (Moment){-86400 + number * 0.01, false};
    if (choice < 75) return (Moment){(int)pick(&maker->state, 4) + 0.5, true};
    return (Moment){3 * 86400 + number * 0.01, false};
}

static LoopItem makeItem(Maker *maker, int kind, int index) {
    static const char letters[] = "spto";
    static const unsigned masks[] = {1, 2, 4, 32, 64, 128, 2 | 32, 1 | 128, 0x0FFFFFFF, 4 | 64};
    int order = (int)pick(&maker->state, 3) - 1;
    bool repeats = chance(&maker->state, 60);
    unsigned activities = masks[pick(&maker->state, 10)];
    Moment moment = anyMoment(maker);
    double interval = chance(&maker->state, 40) ? 1 + (int)pick(&maker->state, 3) + 0.5 : 30 * 86400;
    LoopItem item = {.kind = kind, .thread = maker->program->thread};
    snprintf(item.name, sizeof item.name, "%c%d", letters[kind], index);
    if (kind != aTimer) item.order = order;
    // Observers of one order are called as they were added; but a new common mode gets the common items in the order of a hash
    // table. So half of the programs have equal orders and declare no mode common, half the other way round.
    if (kind == anObserver && maker->program->seed % 2) item.order = order * 10 + index;
    if (kind == anObserver) item.activities = activities, item.once = !repeats;
    if (kind == aTimer) item.first = moment.seconds, item.isAfterNow = moment.isAfterNow, item.interval = repeats ? interval : 0;
    return item;
}

static void makeItems(Maker *maker) {
    static const int counts[] = {sourceCount, portCount, timerCount, observerCount};
    LoopProgram *loop = &maker->program->loop;
    for (int kind = aSource; kind <= anObserver; kind++)
        for (int i = 0; i < counts[kind]; i++) loop->items[loop->itemCount++] = makeItem(maker, kind, i);
}

static const unsigned modes[] = {1u << defaultModeIndex, 1u << modeA, 1u << modeB};

/// A timer that is far ahead in every mode. Without it the original's timer descriptor would stay armed after the last timer. [D16]
static void makeFarTimers(Program *program) {
    LoopProgram *loop = &program->loop;
    for (int mode = 0; program->withTimers && mode < 3; mode++) {
        LoopItem *item = &loop->items[loop->itemCount];
        *item = (LoopItem){.kind = aTimer, .thread = program->thread, .first = 1000000 + mode};
        snprintf(item->name, sizeof item->name, "far%d", mode);
        LoopAction *action = programAdd(program, doAdd, (LoopPlace){.kind = ofThread, .index = program->thread});
        action->item = loop->itemCount++;
        action->modes = modes[mode];
        program->given++;
    }
}

// MARK: - Actions

/// The default mode more often than the others, so that things meet.
static unsigned anyMode(Maker *maker) { return chance(&maker->state, 50) ? modes[0] : modes[pick(&maker->state, 3)]; }
static unsigned anyModeOrCommon(Maker *maker) { return chance(&maker->state, 25) ? 1u << commonModesIndex : anyMode(maker); }

static int anyItem(Maker *maker) {
    static const int firsts[] = {0, sourceCount, sourceCount + portCount, sourceCount + portCount + timerCount};
    static const unsigned counts[] = {sourceCount, portCount, timerCount, observerCount};
    unsigned kind = pick(&maker->state, 4);
    if (kind == aTimer && !maker->program->withTimers) kind = aSource;
    return firsts[kind] + (int)pick(&maker->state, counts[kind]);
}

static int itemOfKind(Maker *maker, int kind) {
    int item;
    do item = anyItem(maker);
    while ((int)maker->program->loop.items[item].kind != kind);
    return item;
}

/// What an action is drawn as: a stop may be that of a mode.
typedef struct {
    LoopVerb verb;
    bool isOfMode;
} Draw;

/// How often each action comes, of a hundred and some.
static const struct {
    Draw draw;
    unsigned weight;
} weights[] = {
    {{doAdd, false}, 18}, {{doRemove, false}, 9}, {{doInvalidate, false}, 4}, {{doSignal, false}, 14}, {{doSend, false}, 6}, {{doReceive, false}, 1}, {{doSet, false}, 5},
    {{doWake, false}, 5}, {{doStop, false}, 5}, {{doStop, true}, 2}, {{doBlock, false}, 9}, {{doQueue, false}, 4}, {{doDeclare, false}, 2}, {{doRun, false}, 15},
    {{doAskWhether, false}, 4}, {{doAskHow, false}, 4}, {{doAskMode, false}, 2}, {{doAskModes, false}, 1}, {{doAskNext, false}, 1}, {{doAskFinished, false}, 2},
};

static bool isOnMainThread(const Program *program) { return program->thread == mainThreadIndex; }

/// Whether the loop's thread is also the host of its modes.
static bool isHost(const Program *program) { return program->seed % 5 == 0; }

/// Some kinds of program exist for the sake of some actions.
static Draw anyAction(Maker *maker) {
    static const LoopVerb ofHosts[] = {doServe, doAskReadable, doServe, doAskReadable, doWake, doEmbed};
    unsigned total = 0;
    if (isHost(maker->program) && chance(&maker->state, 25)) return (Draw){.verb = ofHosts[pick(&maker->state, 6)]};
    if (isOnMainThread(maker->program) && chance(&maker->state, 10)) return (Draw){.verb = doQueue};
    if (!maker->program->withTimers && chance(&maker->state, 15)) return (Draw){.verb = chance(&maker->state, 60) ? doInvalidate : doStop};
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) total += weights[i].weight;
    unsigned chosen = pick(&maker->state, total);
    size_t i = 0;
    while (chosen >= weights[i].weight) chosen -= weights[i++].weight;
    return weights[i].draw;
}

static bool fits(const Program *program, LoopVerb verb) {
    if (verb == doSet || verb == doAskNext) return program->withTimers;
    if (verb == doQueue) return isOnMainThread(program);
    if (verb == doDeclare) return program->seed % 2;
    return true;
}

static void fillIn(Maker *maker, LoopAction *action, Draw draw) {
    Moment moment;
    unsigned mode;
    switch (action->verb) {
    case doAdd: case doRemove: case doAskWhether:
        action->item = anyItem(maker);
        action->modes = anyModeOrCommon(maker);
        break;
    case doInvalidate: case doAskHow: action->item = anyItem(maker); break;
    case doSignal: action->item = itemOfKind(maker, aSource); break;
    case doSend: case doReceive: action->item = itemOfKind(maker, aPort); break;
    case doSet:
        action->item = itemOfKind(maker, aTimer);
        moment = anyMoment(maker);
        action->seconds = moment.seconds;
        action->isAfterNow = moment.isAfterNow;
        break;
    case doBlock:
        action->modes = anyModeOrCommon(maker);
        if (chance(&maker->state, 20)) action->modes |= anyModeOrCommon(maker);
        break;
    case doRun:
        action->seconds = chance(&maker->state, 40) ? 0 : 2 + (int)pick(&maker->state, 4);
        action->once = chance(&maker->state, 30);
        action->modes = anyMode(maker);
        break;
    default:
        mode = anyMode(maker);
        if (draw.isOfMode || action->verb == doDeclare || action->verb == doAskNext || action->verb == doAskFinished
            || action->verb >= doEmbed)
            action->modes = mode;
    }
}

static bool mayBeElsewhere(LoopVerb verb) { return verb < doQueue || verb == doDeclare; }

/// Adds an action, unless the program has enough.
static void makeAction(Maker *maker, Draw draw, LoopPlace place) {
    if (!fits(maker->program, draw.verb)) return;
    LoopAction *action = programAdd(maker->program, draw.verb, place);
    if (!action) return;
    fillIn(maker, action, draw);
    bool isOutside = place.kind == inWait; // on another thread as it is
    action->elsewhere = mayBeElsewhere(draw.verb) && !isOutside && chance(&maker->state, 8);
}

static void makeActions(Maker *maker, unsigned count, LoopPlace place) {
    for (unsigned i = 0; i < count; i++) makeAction(maker, anyAction(maker), place);
}

static void makeCallbacks(Maker *maker) {
    for (int item = 0; item < itemCount; item++) {
        bool observes = maker->program->loop.items[item].kind == anObserver;
        for (int call = 1; call <= 4; call++) {
            unsigned count = observes ? pick(&maker->state, 2) : pick(&maker->state, 4);
            makeActions(maker, count, (LoopPlace){.kind = inItem, .index = item, .call = call});
        }
    }
}

/// While the loop waits, one action at most: the loop's thread and the other one would write into the log at the same time.
static void makeWaits(Maker *maker) {
    for (int wait = 1; wait <= 10; wait++) {
        Draw draw = anyAction(maker);
        if (mayBeElsewhere(draw.verb) && chance(&maker->state, 60))
            makeAction(maker, draw, (LoopPlace){.kind = inWait, .index = maker->program->thread, .call = wait, .name = "outside"});
    }
}

/// What the blocks and queued functions do; which may be to queue more of them.
static void makeQueued(Maker *maker) {
    const LoopProgram *loop = &maker->program->loop;
    for (int i = 0; i < loop->actionCount; i++) {
        LoopVerb verb = loop->actions[i].verb;
        LoopPlace place = {.kind = inBlock, .index = loop->actions[i].block};
        if (verb == doQueue && chance(&maker->state, 25)) makeAction(maker, (Draw){.verb = doRun}, place);
        if (verb == doBlock || verb == doQueue) makeActions(maker, pick(&maker->state, 3), place);
    }
}

void programMake(Program *program, uint64_t seed) {
    programBegin(program, seed, seed % 8 == 0);
    program->withTimers = seed % 3 != 0;
    Maker maker = {program, seed * 0x9e3779b97f4a7c15u + 1, 0};
    LoopPlace own = {.kind = ofThread, .index = program->thread};
    for (int i = 0; i < 8; i++) pick(&maker.state, 1);
    makeItems(&maker);
    makeFarTimers(program);
    for (int i = 0; i < (program->withTimers ? 8 : 4); i++) makeAction(&maker, (Draw){.verb = doAdd}, own);
    for (int i = 0; isHost(program) && i < 2; i++) makeAction(&maker, (Draw){.verb = doEmbed}, own);
    for (int i = 0; i < 10; i++) {
        makeActions(&maker, 1 + pick(&maker.state, 4), own);
        makeAction(&maker, (Draw){.verb = doRun}, own);
    }
    makeCallbacks(&maker);
    makeWaits(&maker);
    makeQueued(&maker);
}

// MARK: - Programs

void programBegin(Program *program, uint64_t seed, bool onMainThread) {
    static const char *const names[] = {"default", "common", "A", "B"};
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->thread = onMainThread ? mainThreadIndex : mainThreadIndex + 1;
    LoopProgram *loop = &program->loop;
    for (loop->modeCount = 0; loop->modeCount < 4; loop->modeCount++) strcpy(loop->modes[loop->modeCount], names[loop->modeCount]);
    strcpy(loop->threads[mainThreadIndex], "main");
    if (!onMainThread) strcpy(loop->threads[program->thread], "P");
    loop->threadCount = program->thread + 1;
    loop->placeCount = 1; // the main thread's
}

static int placeIndex(LoopProgram *loop, LoopPlace place) {
    for (int i = loop->placeCount - 1; i >= 0; i--)
        if (loop->places[i].kind == place.kind && loop->places[i].index == place.index && loop->places[i].call == place.call) return i;
    loop->places[loop->placeCount] = place;
    return loop->placeCount++;
}

LoopAction *programAdd(Program *program, LoopVerb verb, LoopPlace place) {
    enum { mostOfOne = 256 };
    LoopProgram *loop = &program->loop;
    if (loop->actionCount == mostOfOne + program->given || loop->placeCount == mostPlaces) return NULL;
    LoopAction *action = &loop->actions[loop->actionCount];
    *action = (LoopAction){.verb = verb, .place = placeIndex(loop, place), .item = -1, .thread = -1, .line = loop->actionCount};
    loop->actionCount++;
    if (verb == doBlock || verb == doQueue) {
        action->block = loop->blockCount;
        snprintf(loop->blocks[loop->blockCount], longestName, "K%d", loop->blockCount);
        loop->blockCount++;
    }
    return action;
}

void programPrint(FILE *out, const Program *program) {
    fprintf(out, "# seed %llu%s\n", (unsigned long long)program->seed, program->withoutOriginal ? ", for ours and the model alone" : "");
    loopProgramWrite(out, &program->loop);
}

// MARK: - Sets of actions

void programKeep(Program *program, const ActionSet *kept) {
    LoopProgram *loop = &program->loop;
    int count = 0;
    for (int i = 0; i < loop->actionCount; i++)
        if (kept->has[loop->actions[i].line]) loop->actions[count++] = loop->actions[i];
    loop->actionCount = count;
}

ActionSet programActions(const Program *program) {
    ActionSet set = {{0}};
    for (int i = 0; i < program->loop.actionCount; i++) set.has[program->loop.actions[i].line] = true;
    return set;
}

void actionSetWrite(const ActionSet *set, char *text) {
    for (int i = 0; i < mostActions; i += 4)
        *text++ = "0123456789abcdef"[set->has[i] | set->has[i + 1] << 1 | set->has[i + 2] << 2 | set->has[i + 3] << 3];
    *text = '\0';
}

bool actionSetRead(ActionSet *set, const char *text) {
    if (strlen(text) != mostActions / 4 || strspn(text, "0123456789abcdef") != mostActions / 4) return false;
    for (int i = 0; i < mostActions; i++) {
        char digit = text[i / 4];
        set->has[i] = (digit <= '9' ? digit - '0' : digit - 'a' + 10) >> i % 4 & 1;
    }
    return true;
}
