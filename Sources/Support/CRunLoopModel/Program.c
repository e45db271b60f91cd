/// Program.c: makes programs of random numbers, and text of programs.
#include "Program.h"
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

static Moment anyMoment(Maker *maker) {
    // 0 to 255 in a scrambled order, so that what is set later is not always due later.
    int number = (maker->dates++ * 151) % 256;
    unsigned choice = pick(&maker->state, 100);
    if (choice < 45) return (Moment){longAgo, number};
    if (choice < 75) return (Moment){soon, (int)pick(&maker->state, 4)};
    return (Moment){farOff, number};
}

static ItemPlan makeItem(Maker *maker, ItemKind kind, int index) {
    static const char letters[] = "spto";
    static const unsigned masks[] = {1, 2, 4, 32, 64, 128, 2 | 32, 1 | 128, 0xff, 4 | 64};
    ItemPlan item = {.kind = kind, .order = (int)pick(&maker->state, 3) - 1, .repeats = chance(&maker->state, 60)};
    snprintf(item.name, sizeof item.name, "%c%d", letters[kind], index);
    item.activities = masks[pick(&maker->state, 10)];
    item.moment = anyMoment(maker);
    item.interval = chance(&maker->state, 40) ? 1 + (int)pick(&maker->state, 3) : 0;
    // Observers of one order are called as they were added; but a new common mode gets the common items in the order of a hash
    // table. So half of the programs have equal orders and declare no mode common, half the other way round.
    if (kind == observerItem && maker->program->seed % 2) item.order = item.order * 10 + index;
    return item;
}

static void makeItems(Maker *maker) {
    static const int counts[] = {sourceCount, portCount, timerCount, observerCount};
    ItemPlan *next = maker->program->items;
    for (ItemKind kind = sourceItem; kind <= observerItem; kind++)
        for (int i = 0; i < counts[kind]; i++) *next++ = makeItem(maker, kind, i);
}

// MARK: - Operations

/// The default mode more often than the others, so that things meet.
static unsigned anyMode(Maker *maker) { return chance(&maker->state, 50) ? 1 : 1u << pick(&maker->state, modeCount); }
static unsigned anyModeOrCommon(Maker *maker) { return chance(&maker->state, 25) ? commonBit : anyMode(maker); }

static short anyItem(Maker *maker) {
    static const short firsts[] = {0, sourceCount, sourceCount + portCount, sourceCount + portCount + timerCount};
    static const unsigned counts[] = {sourceCount, portCount, timerCount, observerCount};
    unsigned kind = pick(&maker->state, 4);
    if (kind == timerItem && !maker->program->withTimers) kind = sourceItem;
    return (short)(firsts[kind] + (short)pick(&maker->state, counts[kind]));
}

static short itemOfKind(Maker *maker, ItemKind kind) {
    short item;
    do item = anyItem(maker);
    while (maker->program->items[item].kind != kind);
    return item;
}

/// How often each action comes, of a hundred and some.
static const struct {
    Action action;
    unsigned weight;
} weights[] = {
    {addItem, 18}, {removeItem, 9}, {invalidateItem, 4}, {signalSource, 14}, {pokePort, 6}, {drainPort, 1}, {setTimer, 5},
    {wakeLoop, 5}, {stopLoop, 5}, {stopMode, 2}, {performBlock, 9}, {queueFunction, 4}, {declareCommon, 2}, {runMode, 15},
    {askContains, 4}, {askItem, 4}, {askLoop, 2}, {askModes, 1}, {askNextDate, 1}, {askFinished, 2},
};

/// Some kinds of program exist for the sake of some actions.
static Action anyAction(Maker *maker) {
    unsigned total = 0;
    if (maker->program->onMainThread && chance(&maker->state, 10)) return queueFunction;
    if (!maker->program->withTimers && chance(&maker->state, 15)) return chance(&maker->state, 60) ? invalidateItem : stopLoop;
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) total += weights[i].weight;
    unsigned chosen = pick(&maker->state, total);
    size_t i = 0;
    while (chosen >= weights[i].weight) chosen -= weights[i++].weight;
    return weights[i].action;
}

static bool fits(const Program *program, Action action) {
    if (action == setTimer || action == askNextDate) return program->withTimers;
    if (action == queueFunction) return program->onMainThread;
    if (action == declareCommon) return program->seed % 2;
    return true;
}

static void fillIn(Maker *maker, Operation *operation) {
    switch (operation->action) {
    case addItem: case removeItem: case askContains:
        operation->item = anyItem(maker);
        operation->modes = anyModeOrCommon(maker);
        break;
    case invalidateItem: case askItem: operation->item = anyItem(maker); break;
    case signalSource: operation->item = itemOfKind(maker, sourceItem); break;
    case pokePort: case drainPort: operation->item = itemOfKind(maker, portItem); break;
    case setTimer:
        operation->item = itemOfKind(maker, timerItem);
        operation->moment = anyMoment(maker);
        break;
    case performBlock: operation->modes = anyModeOrCommon(maker) | (chance(&maker->state, 20) ? anyModeOrCommon(maker) : 0); break;
    case runMode:
        operation->limit = chance(&maker->state, 40) ? 0 : (short)(2 + pick(&maker->state, 4));
        operation->once = chance(&maker->state, 30);
        operation->modes = anyMode(maker);
        break;
    default: operation->modes = anyMode(maker);
    }
}

static bool mayBeElsewhere(Action action) { return action < queueFunction || action == declareCommon; }

/// Adds an operation, unless the program has enough.
static void makeOperation(Maker *maker, Action action, short place, short call) {
    Program *program = maker->program;
    if (program->count == mostOperations || !fits(program, action)) return;
    Operation *operation = &program->operations[program->count];
    *operation = (Operation){.number = (short)program->count, .place = place, .call = call, .action = action};
    fillIn(maker, operation);
    operation->elsewhere = mayBeElsewhere(action) && (place == whileWaiting || chance(&maker->state, 8));
    program->count++;
}

static void makeOperations(Maker *maker, unsigned count, short place, short call) {
    for (unsigned i = 0; i < count; i++) makeOperation(maker, anyAction(maker), place, call);
}

static void makeCallbacks(Maker *maker) {
    for (short item = 0; item < itemCount; item++) {
        bool observes = maker->program->items[item].kind == observerItem;
        for (short call = 0; call < 4; call++) makeOperations(maker, observes ? pick(&maker->state, 2) : pick(&maker->state, 4), item, call);
    }
}

/// While the loop waits, one operation at most: the loop's thread and the other one would write into the log at the same time.
static void makeWaits(Maker *maker) {
    for (short wait = 0; wait < 10; wait++) {
        Action action = anyAction(maker);
        if (mayBeElsewhere(action) && chance(&maker->state, 60)) makeOperation(maker, action, whileWaiting, wait);
    }
}

/// What the blocks and queued functions do; which may be to queue more of them.
static void makeQueued(Maker *maker) {
    Program *program = maker->program;
    for (int i = 0; i < program->count; i++) {
        Action action = program->operations[i].action;
        short place = (short)(firstOwnPlace + program->operations[i].number);
        if (action == queueFunction && chance(&maker->state, 25)) makeOperation(maker, runMode, place, 0);
        if (action == performBlock || action == queueFunction) makeOperations(maker, pick(&maker->state, 3), place, 0);
    }
}

void programMake(Program *program, uint64_t seed) {
    *program = (Program){.seed = seed, .onMainThread = seed % 8 == 0, .withTimers = seed % 3 != 0};
    Maker maker = {program, seed * 0x9e3779b97f4a7c15u + 1, 0};
    for (int i = 0; i < 8; i++) pick(&maker.state, 1);
    makeItems(&maker);
    for (int i = 0; i < (program->withTimers ? 8 : 4); i++) makeOperation(&maker, addItem, wholeProgram, 0);
    for (int i = 0; i < 10; i++) {
        makeOperations(&maker, 1 + pick(&maker.state, 4), wholeProgram, 0);
        makeOperation(&maker, runMode, wholeProgram, 0);
    }
    makeCallbacks(&maker);
    makeWaits(&maker);
    makeQueued(&maker);
}

// MARK: - Sets of operations

void programKeep(Program *program, const OperationSet *kept) {
    int count = 0;
    for (int i = 0; i < program->count; i++)
        if (kept->has[program->operations[i].number]) program->operations[count++] = program->operations[i];
    program->count = count;
}

OperationSet programOperations(const Program *program) {
    OperationSet set = {{0}};
    for (int i = 0; i < program->count; i++) set.has[program->operations[i].number] = true;
    return set;
}

void operationSetWrite(const OperationSet *set, char *text) {
    for (int i = 0; i < mostOperations; i += 4)
        *text++ = "0123456789abcdef"[set->has[i] | set->has[i + 1] << 1 | set->has[i + 2] << 2 | set->has[i + 3] << 3];
    *text = '\0';
}

bool operationSetRead(OperationSet *set, const char *text) {
    if (strlen(text) != mostOperations / 4 || strspn(text, "0123456789abcdef") != mostOperations / 4) return false;
    for (int i = 0; i < mostOperations; i++) {
        char digit = text[i / 4];
        set->has[i] = (digit <= '9' ? digit - '0' : digit - 'a' + 10) >> i % 4 & 1;
    }
    return true;
}

// MARK: - Text

const char *modeText(int mode) { return mode < 0 ? "none" : (const char *[]){"Default", "A", "B", "Common"}[mode]; }

const char *resultText(int result) {
    static const char *const names[] = {"0", "Finished", "Stopped", "TimedOut", "HandledSource"};
    return result >= 0 && result <= 4 ? names[result] : "(unknown)";
}

const char *activityText(unsigned activity) {
    switch (activity) {
    case 1: return "Entry";
    case 2: return "BeforeTimers";
    case 4: return "BeforeSources";
    case 32: return "BeforeWaiting";
    case 64: return "AfterWaiting";
    case 128: return "Exit";
    default: return "(more than one)";
    }
}

static const char *momentText(Moment moment, char *text, size_t size) {
    if (moment.moment == soon) snprintf(text, size, "soon (%d.5)", moment.number);
    else snprintf(text, size, "%s (%d)", moment.moment == longAgo ? "long ago" : "far off", moment.number);
    return text;
}

static void modesText(unsigned modes, char *text) {
    *text = '\0';
    for (int mode = 0; mode <= modeCount; mode++)
        if (modes & 1u << mode) sprintf(text + strlen(text), "%s%s", *text ? " and " : "", modeText(mode));
}

void describeOperation(const Program *program, const Operation *operation, char *line) {
    const char *item = program->items[operation->item].name, *where = operation->elsewhere ? "elsewhere: " : "";
    char modes[64], moment[32];
    modesText(operation->modes, modes);
    momentText(operation->moment, moment, sizeof moment);
    switch (operation->action) {
    case addItem: snprintf(line, lineLength, "%sadd %s to %s", where, item, modes); break;
    case removeItem: snprintf(line, lineLength, "%sremove %s from %s", where, item, modes); break;
    case invalidateItem: snprintf(line, lineLength, "%sinvalidate %s", where, item); break;
    case signalSource: snprintf(line, lineLength, "%ssignal %s", where, item); break;
    case pokePort: snprintf(line, lineLength, "%spoke %s", where, item); break;
    case drainPort: snprintf(line, lineLength, "%sdrain %s", where, item); break;
    case setTimer: snprintf(line, lineLength, "%sset %s to %s", where, item, moment); break;
    case wakeLoop: snprintf(line, lineLength, "%swake up", where); break;
    case stopLoop: snprintf(line, lineLength, "%sstop", where); break;
    case stopMode: snprintf(line, lineLength, "%sstop %s", where, modes); break;
    case performBlock: snprintf(line, lineLength, "%sblock #%d for %s", where, operation->number, modes); break;
    case queueFunction: snprintf(line, lineLength, "queue function #%d", operation->number); break;
    case declareCommon: snprintf(line, lineLength, "%sdeclare %s common", where, modes); break;
    case runMode: snprintf(line, lineLength, "run %s, limit %d%s", modes, operation->limit, operation->once ? ", one source" : ""); break;
    case askContains: snprintf(line, lineLength, "is %s in %s?", item, modes); break;
    case askItem: snprintf(line, lineLength, "how is %s?", item); break;
    case askLoop: snprintf(line, lineLength, "current mode?"); break;
    case askModes: snprintf(line, lineLength, "modes?"); break;
    case askNextDate: snprintf(line, lineLength, "next timer of %s?", modes); break;
    case askFinished: snprintf(line, lineLength, "is %s finished?", modes); break;
    }
}

static void printItem(FILE *out, const ItemPlan *item) {
    char moment[32];
    fprintf(out, "    %s: ", item->name);
    switch (item->kind) {
    case sourceItem: fprintf(out, "source 0, order %d\n", item->order); break;
    case portItem: fprintf(out, "source 1, order %d\n", item->order); break;
    case timerItem:
        fprintf(out, "timer, due %s, ", momentText(item->moment, moment, sizeof moment));
        if (item->repeats && item->interval) fprintf(out, "every %d.5\n", item->interval);
        else fprintf(out, "%s\n", item->repeats ? "every month" : "once");
        break;
    case observerItem:
        fprintf(out, "observer of %#x, order %d%s\n", item->activities, item->order, item->repeats ? "" : ", once only");
    }
}

static void printTitle(FILE *out, const Program *program, const Operation *first) {
    if (first->place == wholeProgram) fprintf(out, "program:\n");
    else if (first->place == whileWaiting) fprintf(out, "while the loop sleeps in wait %d:\n", first->call + 1);
    else if (first->place >= firstOwnPlace) fprintf(out, "in #%d:\n", first->place - firstOwnPlace);
    else fprintf(out, "in call %d of %s:\n", first->call + 1, program->items[first->place].name);
}

static bool isAboutAnItem(Action action) { return action <= setTimer || action == askContains || action == askItem; }

static bool mentions(const Program *program, int item) {
    for (int i = 0; i < program->count; i++)
        if (program->operations[i].item == item && isAboutAnItem(program->operations[i].action)) return true;
    return false;
}

void programPrint(FILE *out, const Program *program) {
    char line[lineLength];
    fprintf(out, "seed %llu, on %s%s%s\n", (unsigned long long)program->seed, program->onMainThread ? "the main thread" : "a thread",
            program->withTimers ? "; each mode has a timer that is far off" : "",
            program->withoutOriginal ? "; for ours and the model alone" : "");
    fprintf(out, "items:\n");
    for (int i = 0; i < itemCount; i++)
        if (mentions(program, i)) printItem(out, &program->items[i]);
    for (int i = 0; i < program->count; i++) {
        const Operation *operation = &program->operations[i], *previous = i > 0 ? operation - 1 : NULL;
        if (!previous || previous->place != operation->place || previous->call != operation->call) printTitle(out, program, operation);
        describeOperation(program, operation, line);
        fprintf(out, "    %s\n", line);
    }
}
