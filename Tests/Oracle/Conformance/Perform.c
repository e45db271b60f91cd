/// Perform.c: performs a program on the run loop of its stage. It does what the program says and logs what the loop does and returns; it
/// decides nothing.
#include "Perform.h"
#include "Child.h"
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

typedef struct dispatch_queue_s *dispatch_queue_t;
extern struct dispatch_queue_s _dispatch_main_q;
extern void dispatch_async_f(dispatch_queue_t queue, void *context, void (*work)(void *));

#undef CFSTR
#define TABLE (stage->table)
#include "CFRunLoopTableNames.h"

typedef struct Performance Performance;

/// An item of the loop and what its callback needs.
typedef struct {
    Performance *performance;
    int index;       // its index in the program's items
    int calls;       // how often its callback was called
    int descriptor;  // the descriptor of a port, otherwise -1
    CFTypeRef ref;
} Item;

/// The thread that acts while the loop sleeps.
typedef struct {
    pthread_t thread;
    bool isThere;
    atomic_bool givenUp;
} Sleeper;

/// The thread that ends a performance that hangs, so that its log can be compared and the program shortened like any other.
typedef struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool isOver;
} Rescuer;

struct Performance {
    const Program *whole;
    const LoopProgram *program;
    double unit;
    CFRunLoopRef loop;
    CFRunLoopMode modes[mostNames];
    Item items[mostNames];
    int waits;
    Sleeper sleeper;
    Rescuer rescuer;
};

static void performAll(Performance *performance, int kind, int index, int call);

// MARK: - Callbacks

static void called(Item *item) {
    stageDepth++;
    performAll(item->performance, inItem, item->index, ++item->calls);
    stageDepth--;
}

static const char *nameOf(const Item *item) { return item->performance->program->items[item->index].name; }

static void perform(void *info) {
    say("%s performs", nameOf(info));
    called(info);
}

/// The original's loop reads a port's bytes itself; ours leaves them to the source. So the source reads, and it is no error if there is
/// nothing to read. [D17]
static void performPort(void *info) {
    uint64_t count;
    if (read(((Item *)info)->descriptor, &count, sizeof count) < 0) count = 0;
    perform(info);
}

static __CFPort portOf(void *info) { return ((Item *)info)->descriptor; }

static void fire(CFRunLoopTimerRef timer, void *info) {
    say("%s fires", nameOf(info));
    called(info);
}

static void observe(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    say("%s %s", nameOf(info), loopActivityName((unsigned)activity));
    called(info);
}

// MARK: - The two observers that every mode has

/// If a timer of this mode is due, waits until the original's timer descriptor reports it. Only then, because pauses add up, and would make
/// later events late.
static void letTimersBeDue(const Performance *performance) {
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    CFRunLoopMode mode = CFRunLoopCopyCurrentMode(performance->loop);
    bool isDue = false;
    for (int i = 0; i < performance->program->itemCount; i++) {
        if (performance->program->items[i].kind != aTimer) continue;
        CFRunLoopTimerRef timer = (CFRunLoopTimerRef)performance->items[i].ref;
        isDue |= CFRunLoopContainsTimer(performance->loop, timer, mode) && CFRunLoopTimerGetNextFireDate(timer) <= now;
    }
    CFRelease(mode);
    if (isDue) usleep(300);
}

/// The first call of each callback: logs it. If it ends a wait, the time for actions during the sleep is over.
static void watch(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    Performance *performance = info;
    if (activity == kCFRunLoopAfterWaiting && performance->sleeper.isThere) {
        performance->sleeper.givenUp = true;
        pthread_join(performance->sleeper.thread, NULL);
        performance->sleeper.isThere = false;
    }
    say("~ %s", loopActivityName((unsigned)activity));
    if (activity == kCFRunLoopBeforeSources) letTimersBeDue(performance);
}

static bool hasActions(const Performance *performance, int wait) {
    const LoopProgram *program = performance->program;
    for (int i = 0; i < program->actionCount; i++) {
        const LoopPlace *place = &program->places[program->actions[i].place];
        if (place->kind == inWait && place->call == wait) return true;
    }
    return false;
}

/// The last call before a wait: starts the thread that waits for the loop to sleep.
static void waits(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    Performance *performance = info;
    int wait = ++performance->waits;
    if (!hasActions(performance, wait)) return;
    CFRunLoopRef loop = performance->loop;
    performance->sleeper.givenUp = false;
    performance->sleeper.isThere = true;
    performance->sleeper.thread = stageStartThread(^{
        while (!CFRunLoopIsWaiting(loop) && !performance->sleeper.givenUp) usleep(100);
        performAll(performance, inWait, performance->whole->thread, wait);
    });
}

static void addWatch(Performance *performance, CFRunLoopMode mode, CFOptionFlags activities, CFIndex order, CFRunLoopObserverCallBack callout) {
    CFRunLoopObserverContext context = {.info = performance};
    CFRunLoopObserverRef made = CFRunLoopObserverCreate(NULL, activities, true, order, callout, &context);
    CFRunLoopAddObserver(performance->loop, made, mode);
    CFRelease(made);
}

// MARK: - The world

/// What is soon, or less than a day long, counts in units.
static CFAbsoluteTime dateOf(const Performance *performance, double seconds, bool isAfterNow) {
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    if (isAfterNow) return now + seconds * performance->unit;
    return floor(now / 86400) * 86400 + seconds; // from a fixed moment on, so that two such dates have the same order whenever they are set
}

static CFTimeInterval intervalOf(const Performance *performance, const LoopItem *plan) {
    return plan->interval < 86400 ? plan->interval * performance->unit : plan->interval;
}

static CFTypeRef makeItem(Performance *performance, Item *item, const LoopItem *plan) {
    if (plan->kind == aPort) item->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceContext source = {.info = item, .perform = perform};
    CFRunLoopSourceContext1 port = {.version = 1, .info = item, .getPort = portOf, .perform = performPort};
    CFRunLoopTimerContext timer = {.info = item};
    CFRunLoopObserverContext observer = {.info = item};
    switch (plan->kind) {
    case aSource: return CFRunLoopSourceCreate(NULL, plan->order, &source);
    case aPort: return CFRunLoopSourceCreate(NULL, plan->order, (CFRunLoopSourceContext *)&port);
    case aTimer:
        return CFRunLoopTimerCreate(NULL, dateOf(performance, plan->first, plan->isAfterNow), intervalOf(performance, plan), 0, 0, fire, &timer);
    case anObserver: return CFRunLoopObserverCreate(NULL, plan->activities & kCFRunLoopAllActivities, !plan->once, plan->order, observe, &observer);
    }
    return NULL;
}

static void makeWorld(Performance *performance) {
    performance->loop = CFRunLoopGetCurrent();
    performance->modes[defaultModeIndex] = kCFRunLoopDefaultMode;
    performance->modes[commonModesIndex] = kCFRunLoopCommonModes;
    for (int i = commonModesIndex + 1; i < performance->program->modeCount; i++) performance->modes[i] = stageString(performance->program->modes[i]);
    for (int i = 0; i < performance->program->itemCount; i++) {
        performance->items[i] = (Item){performance, i, 0, -1, NULL};
        performance->items[i].ref = makeItem(performance, &performance->items[i], &performance->program->items[i]);
    }
    for (int mode = 0; mode < performance->program->modeCount; mode++) {
        if (mode == commonModesIndex) continue;
        addWatch(performance, performance->modes[mode], kCFRunLoopAllActivities, LONG_MIN, watch);
        addWatch(performance, performance->modes[mode], kCFRunLoopBeforeWaiting, LONG_MAX, waits);
    }
}

/// Invalidates everything, so that the loop's end logs nothing more, and then releases it.
static void dropWorld(Performance *performance) {
    for (int i = 0; i < performance->program->itemCount; i++) {
        CFTypeRef ref = performance->items[i].ref;
        switch (performance->program->items[i].kind) {
        case aSource: case aPort: CFRunLoopSourceInvalidate((CFRunLoopSourceRef)ref); break;
        case aTimer: CFRunLoopTimerInvalidate((CFRunLoopTimerRef)ref); break;
        case anObserver: CFRunLoopObserverInvalidate((CFRunLoopObserverRef)ref); break;
        }
        CFRelease(ref);
        if (performance->items[i].descriptor >= 0) close(performance->items[i].descriptor);
    }
}

// MARK: - Actions

static CFRunLoopMode firstMode(const Performance *performance, unsigned modes) { return performance->modes[__builtin_ctz(modes)]; }

static void addOrRemove(Performance *performance, const LoopAction *action) {
    CFTypeRef ref = performance->items[action->item].ref;
    CFRunLoopRef loop = performance->loop;
    CFRunLoopMode mode = firstMode(performance, action->modes);
    bool adds = action->verb == doAdd;
    switch (performance->program->items[action->item].kind) {
    case aSource: case aPort: (adds ? CFRunLoopAddSource : CFRunLoopRemoveSource)(loop, (CFRunLoopSourceRef)ref, mode); break;
    case aTimer: (adds ? CFRunLoopAddTimer : CFRunLoopRemoveTimer)(loop, (CFRunLoopTimerRef)ref, mode); break;
    case anObserver: (adds ? CFRunLoopAddObserver : CFRunLoopRemoveObserver)(loop, (CFRunLoopObserverRef)ref, mode); break;
    }
}

static void invalidate(int kind, CFTypeRef ref) {
    switch (kind) {
    case aSource: case aPort: CFRunLoopSourceInvalidate((CFRunLoopSourceRef)ref); break;
    case aTimer: CFRunLoopTimerInvalidate((CFRunLoopTimerRef)ref); break;
    case anObserver: CFRunLoopObserverInvalidate((CFRunLoopObserverRef)ref); break;
    }
}

static void callBlock(Performance *performance, int block) {
    say("%s runs", performance->program->blocks[block]);
    stageDepth++;
    performAll(performance, inBlock, block, 0);
    stageDepth--;
}

static void queueBlock(Performance *performance, const LoopAction *action) {
    const void *modes[mostNames];
    CFIndex count = 0;
    for (int mode = 0; mode < performance->program->modeCount; mode++)
        if (action->modes & 1u << mode) modes[count++] = performance->modes[mode];
    CFTypeRef wanted = count == 1 ? CFRetain(modes[0]) : (CFTypeRef)CFArrayCreate(NULL, modes, count, &kCFTypeArrayCallBacks);
    int block = action->block;
    CFRunLoopPerformBlock(performance->loop, wanted, ^{ callBlock(performance, block); });
    CFRelease(wanted);
}

typedef struct {
    Performance *performance;
    int block;
} Function;

static void callFunction(void *context) {
    Function function = *(Function *)context;
    free(context);
    callBlock(function.performance, function.block);
}

static void queue(Performance *performance, const LoopAction *action) {
    Function *function = malloc(sizeof *function);
    *function = (Function){performance, action->block};
    dispatch_async_f(&_dispatch_main_q, function, callFunction);
}

static void runLoop(Performance *performance, const LoopAction *action) {
    stageDepth++;
    SInt32 result = CFRunLoopRunInMode(firstMode(performance, action->modes), action->seconds * performance->unit, action->once);
    stageDepth--;
    say("result %s", loopResultName(result));
}

static void writePort(const Item *port) {
    uint64_t one = 1;
    if (write(port->descriptor, &one, sizeof one) < 0) say("the port is full");
}

static void readPort(const Item *port) {
    uint64_t count;
    say("%s", read(port->descriptor, &count, sizeof count) < 0 ? "was empty" : "drained");
}

static void change(Performance *performance, const LoopAction *action) {
    Item *item = action->item < 0 ? NULL : &performance->items[action->item];
    CFRunLoopRef loop = performance->loop;
    switch (action->verb) {
    case doAdd: case doRemove: addOrRemove(performance, action); break;
    case doInvalidate: invalidate(performance->program->items[action->item].kind, item->ref); break;
    case doSignal: CFRunLoopSourceSignal((CFRunLoopSourceRef)item->ref); break;
    case doSend: writePort(item); break;
    case doReceive: readPort(item); break;
    case doSet: CFRunLoopTimerSetNextFireDate((CFRunLoopTimerRef)item->ref, dateOf(performance, action->seconds, action->isAfterNow)); break;
    case doWake: CFRunLoopWakeUp(loop); break;
    case doStop:
        if (action->modes) _CFRunLoopStopMode(loop, firstMode(performance, action->modes));
        else CFRunLoopStop(loop);
        break;
    case doBlock: queueBlock(performance, action); break;
    case doQueue: queue(performance, action); break;
    case doDeclare: CFRunLoopAddCommonMode(loop, firstMode(performance, action->modes)); break;
    default: runLoop(performance, action);
    }
}

// MARK: - Questions

static bool contains(const Performance *performance, const LoopAction *action) {
    CFTypeRef ref = performance->items[action->item].ref;
    CFRunLoopMode mode = firstMode(performance, action->modes);
    switch (performance->program->items[action->item].kind) {
    case aSource: case aPort: return CFRunLoopContainsSource(performance->loop, (CFRunLoopSourceRef)ref, mode);
    case aTimer: return CFRunLoopContainsTimer(performance->loop, (CFRunLoopTimerRef)ref, mode);
    case anObserver: return CFRunLoopContainsObserver(performance->loop, (CFRunLoopObserverRef)ref, mode);
    }
    return false;
}

static const char *dateText(CFAbsoluteTime date) {
    CFTimeInterval from = date - CFAbsoluteTimeGetCurrent();
    return from < -1e7 ? "none" : from < 0 ? "past" : "future";
}

static void answerItem(const Performance *performance, const LoopAction *action) {
    CFTypeRef ref = performance->items[action->item].ref;
    switch (performance->program->items[action->item].kind) {
    case aSource:
        say("valid %d, signalled %d", CFRunLoopSourceIsValid((CFRunLoopSourceRef)ref), CFRunLoopSourceIsSignalled((CFRunLoopSourceRef)ref));
        break;
    case aPort: say("valid %d", CFRunLoopSourceIsValid((CFRunLoopSourceRef)ref)); break;
    case aTimer:
        say("valid %d, next %s", CFRunLoopTimerIsValid((CFRunLoopTimerRef)ref), dateText(CFRunLoopTimerGetNextFireDate((CFRunLoopTimerRef)ref)));
        break;
    case anObserver: say("valid %d", CFRunLoopObserverIsValid((CFRunLoopObserverRef)ref)); break;
    }
}

static int modeIndex(const Performance *performance, CFRunLoopMode mode) {
    for (int i = 0; mode && i < performance->program->modeCount; i++)
        if (CFEqual(mode, performance->modes[i])) return i;
    return -1;
}

static void answerLoop(const Performance *performance) {
    CFRunLoopMode mode = CFRunLoopCopyCurrentMode(performance->loop);
    int index = modeIndex(performance, mode);
    say("%s", index < 0 ? "none" : performance->program->modes[index]);
    if (mode) CFRelease(mode);
}

/// Which of the program's modes the loop has, and whether a block for the common modes has made one of that name.
static void answerModes(const Performance *performance) {
    CFArrayRef all = CFRunLoopCopyAllModes(performance->loop);
    CFRange range = {0, CFArrayGetCount(all)};
    bool has[mostNames];
    for (int i = 0; i < performance->program->modeCount; i++) has[i] = CFArrayContainsValue(all, range, performance->modes[i]);
    CFRelease(all);
    say("default %d, A %d, B %d, common %d", has[defaultModeIndex], has[modeA], has[modeB], has[commonModesIndex]);
}

static void ask(const Performance *performance, const LoopAction *action) {
    switch (action->verb) {
    case doAskWhether: say("%d", contains(performance, action)); break;
    case doAskHow: answerItem(performance, action); break;
    case doAskMode: answerLoop(performance); break;
    case doAskModes: answerModes(performance); break;
    case doAskNext:
        say("%d", CFRunLoopGetNextTimerFireDate(performance->loop, firstMode(performance, action->modes)) != 0);
        break;
    default: say("%d", _CFRunLoopFinished(performance->loop, firstMode(performance, action->modes)));
    }
}

// MARK: - Places

static void sayAction(const Performance *performance, const LoopAction *action) {
    char line[160];
    FILE *out = fmemopen(line, sizeof line, "w");
    loopActionWrite(out, performance->program, action);
    fclose(out);
    say("%s", line);
}

static void performOne(Performance *performance, const LoopAction *action) {
    sayAction(performance, action);
    if (action->verb >= doAskWhether && action->verb <= doAskFinished) {
        stageDepth++;
        ask(performance, action);
        stageDepth--;
    } else if (action->elsewhere) {
        int depth = stageDepth;
        pthread_join(stageStartThread(^{
            stageDepth = depth;
            change(performance, action);
        }), NULL);
    } else {
        change(performance, action);
    }
}

static void performAll(Performance *performance, int kind, int index, int call) {
    const LoopProgram *program = performance->program;
    for (int i = 0; i < program->actionCount; i++) {
        const LoopPlace *place = &program->places[program->actions[i].place];
        if ((int)place->kind == kind && place->index == index && place->call == call) performOne(performance, &program->actions[i]);
    }
}

// MARK: - Rescue

/// Whether the performance has ended, waiting for at most `seconds`.
static bool isOverWithin(Rescuer *rescuer, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - floor(seconds)) * 1e9);
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    int problem = 0;
    pthread_mutex_lock(&rescuer->lock);
    while (!rescuer->isOver && problem != ETIMEDOUT) problem = pthread_cond_timedwait(&rescuer->ended, &rescuer->lock, &until);
    bool isOver = rescuer->isOver;
    pthread_mutex_unlock(&rescuer->lock);
    return isOver;
}

/// Stops a run whose limit is lost, and the runs around it, until the program has ended. In the original that happens when the machine is
/// so busy that an outer run's limit passes during a nested run. [D33]
static void startRescuer(Performance *performance) {
    enum { longestInUnits = 120, patience = 3 };
    pthread_mutex_init(&performance->rescuer.lock, NULL);
    pthread_cond_init(&performance->rescuer.ended, NULL);
    performance->rescuer.thread = stageStartThread(^{
        if (isOverWithin(&performance->rescuer, patience + longestInUnits * performance->unit)) return;
        say("THE PROGRAM HANGS; what follows is stopped");
        do CFRunLoopStop(performance->loop);
        while (!isOverWithin(&performance->rescuer, 0.02));
    });
}

static void endRescuer(Rescuer *rescuer) {
    pthread_mutex_lock(&rescuer->lock);
    rescuer->isOver = true;
    pthread_cond_signal(&rescuer->ended);
    pthread_mutex_unlock(&rescuer->lock);
    pthread_join(rescuer->thread, NULL);
    pthread_cond_destroy(&rescuer->ended);
    pthread_mutex_destroy(&rescuer->lock);
}

// MARK: - The whole

static void performWhole(const Program *program, double unit) {
    Performance *performance = calloc(1, sizeof *performance);
    performance->whole = program;
    performance->program = &program->loop;
    performance->unit = unit;
    makeWorld(performance);
    startRescuer(performance);
    performAll(performance, ofThread, program->thread, 0);
    endRescuer(&performance->rescuer);
    say("end");
    dropWorld(performance);
    usleep(2000); // the original cancels its limits on other threads [D31]
    if (program->thread != mainThreadIndex) free(performance);
}

static void nameStage(char *title, size_t size, const Program *program) {
    snprintf(title, size, "the program of seed %llu", (unsigned long long)program->seed);
}

void performProgramHere(const Program *program, Side side, double unit) {
    char title[64];
    nameStage(title, sizeof title, program);
    stage = stageMake(side, title);
    stage->log.copyTo = STDOUT_FILENO;
    performWhole(program, unit);
}

static char *inChild(const Program *program, Side side, double unit) {
    char seed[24], actions[mostActions / 4 + 1], seconds[32];
    ActionSet kept = programActions(program);
    actionSetWrite(&kept, actions);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)program->seed);
    snprintf(seconds, sizeof seconds, "%g", unit);
    return childLog((const char *[]){"program", sideName(side), seed, actions, seconds, NULL});
}

char *performProgram(const Program *program, Side side, double unit) {
    if (program->thread == mainThreadIndex) return inChild(program, side, unit);
    char title[64];
    nameStage(title, sizeof title, program);
    Stage *where = stageMake(side, title);
    pthread_join(stageStartThreadOn(where, ^{ performWhole(program, unit); }), NULL);
    char *log = stageTakeLog(where);
    stageFree(where);
    return log;
}
