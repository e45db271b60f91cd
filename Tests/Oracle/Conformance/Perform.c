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
    short index;     // its index in the program's items
    short calls;     // how often its callback was called
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
    const Program *program;
    double unit;
    CFRunLoopRef loop;
    CFRunLoopMode modes[modeCount + 1];
    Item items[itemCount];
    short waits;
    Sleeper sleeper;
    Rescuer rescuer;
};

static void performAll(Performance *performance, short place, short call);

// MARK: - Callbacks

static void called(Item *item) {
    stageDepth++;
    performAll(item->performance, item->index, item->calls++);
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
    say("%s %s", nameOf(info), activityText((unsigned)activity));
    called(info);
}

// MARK: - The two observers that every mode has

/// If a timer of this mode is due, waits until the original's timer descriptor reports it. Only then, because pauses add up, and would make
/// later events late.
static void letTimersBeDue(const Performance *performance) {
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    CFRunLoopMode mode = CFRunLoopCopyCurrentMode(performance->loop);
    bool isDue = false;
    for (int i = 0; i < itemCount; i++) {
        if (performance->program->items[i].kind != timerItem) continue;
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
    say("~ %s", activityText((unsigned)activity));
    if (activity == kCFRunLoopBeforeSources) letTimersBeDue(performance);
}

static bool hasOperations(const Program *program, short place, short call) {
    for (int i = 0; i < program->count; i++)
        if (program->operations[i].place == place && program->operations[i].call == call) return true;
    return false;
}

/// The last call before a wait: starts the thread that waits for the loop to sleep.
static void waits(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    Performance *performance = info;
    short wait = performance->waits++;
    if (!hasOperations(performance->program, whileWaiting, wait)) return;
    CFRunLoopRef loop = performance->loop;
    performance->sleeper.givenUp = false;
    performance->sleeper.isThere = true;
    performance->sleeper.thread = stageStartThread(^{
        while (!CFRunLoopIsWaiting(loop) && !performance->sleeper.givenUp) usleep(100);
        performAll(performance, whileWaiting, wait);
    });
}

static void addWatch(Performance *performance, CFRunLoopMode mode, CFOptionFlags activities, CFIndex order, CFRunLoopObserverCallBack callout) {
    CFRunLoopObserverContext context = {.info = performance};
    CFRunLoopObserverRef made = CFRunLoopObserverCreate(NULL, activities, true, order, callout, &context);
    CFRunLoopAddObserver(performance->loop, made, mode);
    CFRelease(made);
}

// MARK: - The world

static CFAbsoluteTime dateOf(const Performance *performance, Moment moment) {
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    if (moment.moment == soon) return now + (moment.number + 0.5) * performance->unit;
    // A day after a fixed moment, so that two such dates have the same order whenever they are set.
    return floor(now / 86400) * 86400 + (moment.moment == longAgo ? -86400 : 3 * 86400) + moment.number * 0.01;
}

static CFTimeInterval intervalOf(const Performance *performance, const ItemPlan *plan) {
    if (!plan->repeats) return 0;
    return plan->interval ? (plan->interval + 0.5) * performance->unit : 30 * 86400;
}

static CFTypeRef makeItem(Performance *performance, Item *item, const ItemPlan *plan) {
    if (plan->kind == portItem) item->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceContext source = {.info = item, .perform = perform};
    CFRunLoopSourceContext1 port = {.version = 1, .info = item, .getPort = portOf, .perform = performPort};
    CFRunLoopTimerContext timer = {.info = item};
    CFRunLoopObserverContext observer = {.info = item};
    switch (plan->kind) {
    case sourceItem: return CFRunLoopSourceCreate(NULL, plan->order, &source);
    case portItem: return CFRunLoopSourceCreate(NULL, plan->order, (CFRunLoopSourceContext *)&port);
    case timerItem:
        return CFRunLoopTimerCreate(NULL, dateOf(performance, plan->moment), intervalOf(performance, plan), 0, 0, fire, &timer);
    case observerItem: return CFRunLoopObserverCreate(NULL, plan->activities, plan->repeats, plan->order, observe, &observer);
    }
    return NULL;
}

/// A timer that is far ahead in every mode. Without it the original's timer descriptor would stay armed after the last timer. [D16]
static void addFarTimer(Performance *performance, int mode) {
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + 1e6 + mode, 0, 0, 0, fire, NULL);
    CFRunLoopAddTimer(performance->loop, timer, performance->modes[mode]);
    CFRelease(timer);
}

static void makeWorld(Performance *performance) {
    performance->loop = CFRunLoopGetCurrent();
    performance->modes[0] = kCFRunLoopDefaultMode;
    performance->modes[1] = stageString("A");
    performance->modes[2] = stageString("B");
    performance->modes[modeCount] = kCFRunLoopCommonModes;
    for (short i = 0; i < itemCount; i++) {
        performance->items[i] = (Item){performance, i, 0, -1, NULL};
        performance->items[i].ref = makeItem(performance, &performance->items[i], &performance->program->items[i]);
    }
    for (int mode = 0; mode < modeCount; mode++) {
        addWatch(performance, performance->modes[mode], kCFRunLoopAllActivities, LONG_MIN, watch);
        addWatch(performance, performance->modes[mode], kCFRunLoopBeforeWaiting, LONG_MAX, waits);
        if (performance->program->withTimers) addFarTimer(performance, mode);
    }
}

/// Invalidates everything, so that the loop's end logs nothing more, and then releases it.
static void dropWorld(Performance *performance) {
    for (int i = 0; i < itemCount; i++) {
        CFTypeRef ref = performance->items[i].ref;
        switch (performance->program->items[i].kind) {
        case sourceItem: case portItem: CFRunLoopSourceInvalidate((CFRunLoopSourceRef)ref); break;
        case timerItem: CFRunLoopTimerInvalidate((CFRunLoopTimerRef)ref); break;
        case observerItem: CFRunLoopObserverInvalidate((CFRunLoopObserverRef)ref); break;
        }
        CFRelease(ref);
        if (performance->items[i].descriptor >= 0) close(performance->items[i].descriptor);
    }
}

// MARK: - Operations

static CFRunLoopMode firstMode(const Performance *performance, unsigned modes) { return performance->modes[__builtin_ctz(modes)]; }

static void addOrRemove(Performance *performance, const Operation *operation) {
    CFTypeRef ref = performance->items[operation->item].ref;
    CFRunLoopRef loop = performance->loop;
    CFRunLoopMode mode = firstMode(performance, operation->modes);
    bool adds = operation->action == addItem;
    switch (performance->program->items[operation->item].kind) {
    case sourceItem: case portItem: (adds ? CFRunLoopAddSource : CFRunLoopRemoveSource)(loop, (CFRunLoopSourceRef)ref, mode); break;
    case timerItem: (adds ? CFRunLoopAddTimer : CFRunLoopRemoveTimer)(loop, (CFRunLoopTimerRef)ref, mode); break;
    case observerItem: (adds ? CFRunLoopAddObserver : CFRunLoopRemoveObserver)(loop, (CFRunLoopObserverRef)ref, mode); break;
    }
}

static void invalidate(ItemKind kind, CFTypeRef ref) {
    switch (kind) {
    case sourceItem: case portItem: CFRunLoopSourceInvalidate((CFRunLoopSourceRef)ref); break;
    case timerItem: CFRunLoopTimerInvalidate((CFRunLoopTimerRef)ref); break;
    case observerItem: CFRunLoopObserverInvalidate((CFRunLoopObserverRef)ref); break;
    }
}

static void queueBlock(Performance *performance, const Operation *operation) {
    const void *modes[modeCount + 1];
    CFIndex count = 0;
    for (int mode = 0; mode <= modeCount; mode++)
        if (operation->modes & 1u << mode) modes[count++] = performance->modes[mode];
    CFTypeRef wanted = count == 1 ? CFRetain(modes[0]) : (CFTypeRef)CFArrayCreate(NULL, modes, count, &kCFTypeArrayCallBacks);
    short number = operation->number;
    CFRunLoopPerformBlock(performance->loop, wanted, ^{
        say("block #%d", number);
        stageDepth++;
        performAll(performance, (short)(firstOwnPlace + number), 0);
        stageDepth--;
    });
    CFRelease(wanted);
}

typedef struct {
    Performance *performance;
    short number;
} Function;

static void callFunction(void *context) {
    Function function = *(Function *)context;
    free(context);
    say("function #%d", function.number);
    stageDepth++;
    performAll(function.performance, (short)(firstOwnPlace + function.number), 0);
    stageDepth--;
}

static void queue(Performance *performance, const Operation *operation) {
    Function *function = malloc(sizeof *function);
    *function = (Function){performance, operation->number};
    dispatch_async_f(&_dispatch_main_q, function, callFunction);
}

static void runLoop(Performance *performance, const Operation *operation) {
    stageDepth++;
    SInt32 result = CFRunLoopRunInMode(firstMode(performance, operation->modes), operation->limit * performance->unit, operation->once);
    stageDepth--;
    say("result %s", resultText(result));
}

static void writePort(const Item *port) {
    uint64_t one = 1;
    if (write(port->descriptor, &one, sizeof one) < 0) say("the port is full");
}

static void readPort(const Item *port) {
    uint64_t count;
    say("%s", read(port->descriptor, &count, sizeof count) < 0 ? "was empty" : "drained");
}

static void change(Performance *performance, const Operation *operation) {
    Item *item = &performance->items[operation->item];
    CFRunLoopRef loop = performance->loop;
    switch (operation->action) {
    case addItem: case removeItem: addOrRemove(performance, operation); break;
    case invalidateItem: invalidate(performance->program->items[operation->item].kind, item->ref); break;
    case signalSource: CFRunLoopSourceSignal((CFRunLoopSourceRef)item->ref); break;
    case pokePort: writePort(item); break;
    case drainPort: readPort(item); break;
    case setTimer: CFRunLoopTimerSetNextFireDate((CFRunLoopTimerRef)item->ref, dateOf(performance, operation->moment)); break;
    case wakeLoop: CFRunLoopWakeUp(loop); break;
    case stopLoop: CFRunLoopStop(loop); break;
    case stopMode: _CFRunLoopStopMode(loop, firstMode(performance, operation->modes)); break;
    case performBlock: queueBlock(performance, operation); break;
    case queueFunction: queue(performance, operation); break;
    case declareCommon: CFRunLoopAddCommonMode(loop, firstMode(performance, operation->modes)); break;
    default: runLoop(performance, operation);
    }
}

// MARK: - Questions

static bool contains(const Performance *performance, const Operation *operation) {
    CFTypeRef ref = performance->items[operation->item].ref;
    CFRunLoopMode mode = firstMode(performance, operation->modes);
    switch (performance->program->items[operation->item].kind) {
    case sourceItem: case portItem: return CFRunLoopContainsSource(performance->loop, (CFRunLoopSourceRef)ref, mode);
    case timerItem: return CFRunLoopContainsTimer(performance->loop, (CFRunLoopTimerRef)ref, mode);
    case observerItem: return CFRunLoopContainsObserver(performance->loop, (CFRunLoopObserverRef)ref, mode);
    }
    return false;
}

static const char *dateText(CFAbsoluteTime date) {
    CFTimeInterval from = date - CFAbsoluteTimeGetCurrent();
    return from < -1e7 ? "none" : from < 0 ? "past" : "future";
}

static void answerItem(const Performance *performance, const Operation *operation) {
    CFTypeRef ref = performance->items[operation->item].ref;
    switch (performance->program->items[operation->item].kind) {
    case sourceItem:
        say("valid %d, signalled %d", CFRunLoopSourceIsValid((CFRunLoopSourceRef)ref), CFRunLoopSourceIsSignalled((CFRunLoopSourceRef)ref));
        break;
    case portItem: say("valid %d", CFRunLoopSourceIsValid((CFRunLoopSourceRef)ref)); break;
    case timerItem:
        say("valid %d, next %s", CFRunLoopTimerIsValid((CFRunLoopTimerRef)ref), dateText(CFRunLoopTimerGetNextFireDate((CFRunLoopTimerRef)ref)));
        break;
    case observerItem: say("valid %d", CFRunLoopObserverIsValid((CFRunLoopObserverRef)ref)); break;
    }
}

static int modeIndex(const Performance *performance, CFRunLoopMode mode) {
    for (int i = 0; mode && i < modeCount; i++)
        if (CFEqual(mode, performance->modes[i])) return i;
    return -1;
}

static void answerLoop(const Performance *performance) {
    CFRunLoopMode mode = CFRunLoopCopyCurrentMode(performance->loop);
    say("%s", modeText(modeIndex(performance, mode)));
    if (mode) CFRelease(mode);
}

/// Which of the program's modes the loop has, and whether a block for the common modes has made one of that name.
static void answerModes(const Performance *performance) {
    CFArrayRef all = CFRunLoopCopyAllModes(performance->loop);
    CFRange range = {0, CFArrayGetCount(all)};
    bool has[modeCount + 1];
    for (int i = 0; i <= modeCount; i++) has[i] = CFArrayContainsValue(all, range, performance->modes[i]);
    CFRelease(all);
    say("Default %d, A %d, B %d, CommonModes %d", has[0], has[1], has[2], has[3]);
}

static void ask(const Performance *performance, const Operation *operation) {
    switch (operation->action) {
    case askContains: say("%d", contains(performance, operation)); break;
    case askItem: answerItem(performance, operation); break;
    case askLoop: answerLoop(performance); break;
    case askModes: answerModes(performance); break;
    case askNextDate:
        say("%d", CFRunLoopGetNextTimerFireDate(performance->loop, firstMode(performance, operation->modes)) != 0);
        break;
    default: say("%d", _CFRunLoopFinished(performance->loop, firstMode(performance, operation->modes)));
    }
}

// MARK: - Places

static void performOne(Performance *performance, const Operation *operation) {
    char line[lineLength];
    describeOperation(performance->program, operation, line);
    say("%s", line);
    if (operation->action >= askContains) {
        stageDepth++;
        ask(performance, operation);
        stageDepth--;
    } else if (operation->elsewhere && operation->place != whileWaiting) {
        int depth = stageDepth;
        pthread_join(stageStartThread(^{
            stageDepth = depth;
            change(performance, operation);
        }), NULL);
    } else {
        change(performance, operation);
    }
}

static void performAll(Performance *performance, short place, short call) {
    const Program *program = performance->program;
    for (int i = 0; i < program->count; i++) {
        const Operation *operation = &program->operations[i];
        if (operation->place == place && operation->call == call) performOne(performance, operation);
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
    performance->program = program;
    performance->unit = unit;
    makeWorld(performance);
    startRescuer(performance);
    performAll(performance, wholeProgram, 0);
    endRescuer(&performance->rescuer);
    say("end");
    dropWorld(performance);
    usleep(2000); // the original cancels its limits on other threads [D31]
    if (!program->onMainThread) free(performance);
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
    char seed[24], operations[mostOperations / 4 + 1], seconds[32];
    OperationSet kept = programOperations(program);
    operationSetWrite(&kept, operations);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)program->seed);
    snprintf(seconds, sizeof seconds, "%g", unit);
    return childLog((const char *[]){"program", sideName(side), seed, operations, seconds, NULL});
}

char *performProgram(const Program *program, Side side, double unit) {
    if (program->onMainThread) return inChild(program, side, unit);
    char title[64];
    nameStage(title, sizeof title, program);
    Stage *where = stageMake(side, title);
    pthread_join(stageStartThreadOn(where, ^{ performWhole(program, unit); }), NULL);
    char *log = stageTakeLog(where);
    stageFree(where);
    return log;
}
