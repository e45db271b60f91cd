/// Model.c: one pass in ten steps, the rules of what callbacks may do to it, and nothing else: no
/// locks, no ports, no clock.
///
/// What is true of the model's state: `now` grows while threads sleep or are busy; a list of
/// callees is made before the first is called and says who is called, unless the callee has been
/// invalidated meanwhile; whatever can end a wait is looked for in `onlyReady`, which insists that
/// it is one thing. Each thread of the program has a stack of its own, and goes on until it waits.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "include/Model.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

typedef struct {
    unsigned modes;       // a mask: those it is in
    bool common;          // it has been added to the common modes
    bool valid;
    bool busy;            // an observer or timer whose callback is running
    unsigned busyIn;      // such a timer: the modes it has been in since
    int calls;            // of its callback so far
    int added[mostNames]; // when, to each mode: for those of equal order
    int dated;            // a timer: when its date was set, for those of equal date
    bool signalled;       // a source: to be performed. A port: readable
    int signalTime;       // which came first
    long date;            // of a timer
    bool soon;            // that date is less than a day away
    int cause;            // the action that last brought it near to ending a wait
} ItemState;

/// One run of a loop; they nest.
typedef struct Activation {
    struct Activation *outer;
    bool stopped, ignoresWakeUps;
    bool hasNested; // a nested run has ended since this run last woke up
    long limit;     // when it is over; -1: at once
    int action;     // that has begun it
} Activation;

typedef enum { nothing, someTimer, somePort, mainQueue, wakeUp, timeLimit } Waker;

/// A thread of the program, and its loop.
typedef struct {
    struct Model *model;
    unsigned commonModes, stoppedModes, madeModes;
    int blocks[mostActions]; // the actions that have queued them
    int blockCount;
    bool wakeUpPending;
    int wakeUpCause;
    Activation *activation;
    int mode;                  // -1 when no run is going on
    int runs;                  // how deep they are nested
    int waits, passes;         // so far
    int readyPort;             // that has ended a wait
    bool inFunction;           // of the main queue
    Waker handedOver;          // what has ended a wait, and whose callback is about to come
    unsigned timersHandedOver; // the modes where it is their timers, in this run or one around it
    unsigned changedSets;      // the modes in which a port has come or gone since the last wait
    unsigned embedded;         // the modes that a host waits for
    unsigned busyHosts;        // those of them whose host has something to do besides their ports
    int depth;
    bool isWaiting;            // CFRunLoopIsWaiting
    bool hasBegun;
    enum { canGoOn, sleeps, isBusy, hasEnded } state;
    bool servesQueue; // sleeps: the main queue can end it
    long until;       // sleeps: when the run is over. isBusy: when it goes on
    long late;        // sleeps: a fault adds so much time
    long interrupt;   // sleeps: a signal handler runs after so much time; -1: none
    ucontext_t context;
    char *stack;
} Loop;

typedef struct Model {
    const LoopProgram *program;
    const ModelOptions *options;
    Loop *loops, nobody; // of the threads; of a thread that is none of them
    ItemState items[mostNames];
    int functions[mostActions]; // in the main queue: the actions that have queued them
    int functionCount;
    bool isDone[mostPlaces]; // a moment whose actions have been performed
    const LoopAction *fault; // of the next wait
    long now;                // in nanoseconds
    int clock;               // counts signals and additions
    int last;                // the action performed last
    long events;             // so far
    ucontext_t home;         // the scheduler
    ModelResult result;
} Model;

static const long second = 1000000000, day = 86400 * 1000000000L;
enum { deepestRuns = 4, mostRuns = 12, stackOfARun = 10 << 10 }; // it takes 6 kB

static void performPlaces(Loop *loop, int kind, int index, int call);
static void performBefore(Loop *loop, int kind, int step, int call);

/// The program is not determined from here on, because of that action.
static _Noreturn void giveUp(Model *model, const char *reason, int culprit) {
    model->result.reason = reason;
    model->result.culprit = culprit >= 0 ? culprit : model->last;
    model->result.line = model->program->actions[model->result.culprit].line;
    setcontext(&model->home);
    abort();
}

static void tell(const Loop *loop, ModelEvent event) {
    Model *model = loop->model;
    if (++model->events == model->options->mostEvents) giveUp(model, "too-long", -1);
    event.now = model->now;
    event.depth = loop->depth;
    if (!event.thread) event.thread = model->program->threads[loop - model->loops];
    model->options->happens(&event, model->options->context);
}

static int indexOf(const Model *model, const LoopAction *action) {
    return (int)(action - model->program->actions);
}

/// The original is known to be wrong here. In a program that it does not perform the model goes on,
/// by what is documented for ours.
static void spareTheOriginal(Model *model, const char *reason, int culprit) {
    if (model->options->isForOriginal) giveUp(model, reason, culprit);
}

/// Whether two moments may come in either order.
static bool areNear(const Model *model, long one, long other) {
    return labs(one - other) < model->options->closeness;
}

static long nanoseconds(double seconds) {
    return (long)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

static const LoopItem *plan(const Model *model, int item) { return &model->program->items[item]; }
static bool isKind(const Model *model, int item, int kind) {
    return (int)plan(model, item)->kind == kind;
}
static bool isIn(const Loop *loop, int item, int mode) {
    return &loop->model->loops[plan(loop->model, item)->thread] == loop
           && loop->model->items[item].modes & 1u << mode;
}

/// Among the common items, an item is in the loop even when it has been taken out of each mode
/// alone.
static bool isInLoop(const ItemState *state) { return state->modes || state->common; }

static void call(Loop *loop, int item, unsigned activity) {
    tell(loop, (ModelEvent){.kind = itemIsCalled, .item = item, .activity = activity});
    loop->depth++;
    performPlaces(loop, inItem, item, ++loop->model->items[item].calls);
    loop->depth--;
}

// MARK: - Items: in and out of modes

enum { commonBit = 1u << commonModesIndex };

/// The modes that an action on one mode concerns. The original forgets half of an item of the
/// common modes that leaves one of them alone.
static unsigned concerned(Model *model, const LoopAction *action, unsigned mode) {
    const ItemState *state = &model->items[action->item];
    const Loop *loop = &model->loops[plan(model, action->item)->thread];
    if (mode == commonBit) return loop->commonModes;
    if (action->verb == doRemove && state->common && mode & loop->commonModes)
        spareTheOriginal(model, "D29", indexOf(model, action));
    return mode;
}

static void setModes(Model *model, int item, unsigned modes) {
    ItemState *state = &model->items[item];
    unsigned changed = modes ^ state->modes;
    state->modes = modes;
    if (isKind(model, item, aPort))
        model->loops[plan(model, item)->thread].changedSets |= changed;
}

static void add(Model *model, const LoopAction *action, unsigned mode) {
    ItemState *state = &model->items[action->item];
    unsigned modes = concerned(model, action, mode);
    if (!state->valid) return;
    if (mode == commonBit) state->common = true;
    for (int i = 0; i < mostNames; i++)
        if (modes & ~state->modes & 1u << i) state->added[i] = model->clock++;
    setModes(model, action->item, state->modes | modes);
    state->busyIn |= modes;
    state->cause = indexOf(model, action);
    model->loops[plan(model, action->item)->thread].madeModes |= modes;
}

static void removeFrom(Model *model, const LoopAction *action, unsigned mode) {
    ItemState *state = &model->items[action->item];
    unsigned modes = concerned(model, action, mode);
    if (mode == commonBit) {
        if (!state->common) return;
        state->common = false;
    }
    setModes(model, action->item, state->modes & ~modes);
}

/// A port's bytes stay where they are.
static void invalidate(Model *model, int item) {
    ItemState *state = &model->items[item];
    state->valid = state->common = false;
    setModes(model, item, 0);
    if (isKind(model, item, aSource)) state->signalled = false;
}

// MARK: - Waking and stopping

/// A loop that is awake after its wait in this pass takes no notice, nor one that does not run,
/// unless a host waits for it.
static void wake(Loop *loop, int cause) {
    if (loop->activation ? loop->activation->ignoresWakeUps : !loop->embedded) return;
    loop->wakeUpPending = true;
    loop->wakeUpCause = cause;
}

/// A stop outside of a run is forgotten, but not the wake-up that comes with it.
static void stop(Loop *loop, int cause) {
    if (loop->activation) loop->activation->stopped = true;
    wake(loop, cause);
}

/// Common items get into the new mode in the order of a hash table, and make it. A mode that is
/// common already gets none: not even those that have been taken out of it alone. A host hears of
/// the new mode, because it may have to wait for the main queue there.
static void declare(Loop *loop, unsigned modes, int cause) {
    Model *model = loop->model;
    modes &= ~(loop->commonModes | 1u << commonModesIndex); // which are no mode
    loop->commonModes |= modes;
    for (int i = 0; i < model->program->itemCount; i++) {
        if (!model->items[i].common || &model->loops[plan(model, i)->thread] != loop) continue;
        loop->madeModes |= modes;
        setModes(model, i, model->items[i].modes | modes);
        model->items[i].busyIn |= modes;
        if (modes) model->items[i].added[__builtin_ctz(modes)] = model->clock++;
    }
    if (modes && loop->embedded) wake(loop, cause);
}

// MARK: - Timers

/// A date that has passed is taken for the moment at which it is set: of several moments, the first
/// is the first to fire.
static void setDate(Model *model, int item, double seconds, bool isAfterNow) {
    ItemState *state = &model->items[item];
    if (model->options->isForRealTime) model->now++; // some time passes between two of them
    long date = nanoseconds(seconds) + (isAfterNow ? model->now : 0);
    state->dated = model->clock++;
    state->date = date > model->now ? date : model->now;
    state->soon = date > model->now && date < model->now + day;
}

static void setTimer(Model *model, const LoopAction *action, bool isElsewhere) {
    ItemState *state = &model->items[action->item];
    Loop *loop = &model->loops[plan(model, action->item)->thread];
    if (!state->valid) return;
    setDate(model, action->item, action->seconds, action->isAfterNow);
    state->cause = indexOf(model, action);
    if (isElsewhere && isInLoop(state)) wake(loop, state->cause);
}

static bool waitsFor(const Loop *loop, int item, int mode) {
    const ItemState *state = &loop->model->items[item];
    return isKind(loop->model, item, aTimer) && isIn(loop, item, mode) && state->valid
           && !state->busy;
}

static long latestOf(const Model *model, int item) {
    const LoopItem *timer = plan(model, item);
    double tolerance = timer->tolerance;
    if (timer->interval > 0 && tolerance > timer->interval / 2) tolerance = timer->interval / 2;
    return model->items[item].date + nanoseconds(tolerance);
}

/// When the timers of a mode end a wait: at the last date at which none of them is too late. -1
/// without timers.
static long timersDate(const Loop *loop, int mode) {
    const Model *model = loop->model;
    long latest = -1, date = -1;
    for (int i = 0; i < model->program->itemCount; i++)
        if (waitsFor(loop, i, mode) && (latest < 0 || latestOf(model, i) < latest))
            latest = latestOf(model, i);
    for (int i = 0; i < model->program->itemCount; i++) {
        if (!waitsFor(loop, i, mode) || model->items[i].date > latest) continue;
        if (model->items[i].date > date) date = model->items[i].date;
    }
    return date;
}

/// The rhythm goes on with the next date that has not passed; those that have are left out.
static void goOn(Model *model, int item, long served) {
    ItemState *state = &model->items[item];
    long interval = nanoseconds(plan(model, item)->interval);
    state->date = served;
    state->dated = model->clock++;
    do {
        state->date += interval;
        if (areNear(model, state->date, model->now)) giveUp(model, "same-time", state->cause);
    } while (state->date <= model->now);
    state->soon = interval < day;
}

/// 9.1 for one timer. It is called if it is valid, due and in the loop at all. What its callback
/// makes of its date stands, if that is later than the one just served; if not, the rhythm goes on.
static void doTimer(Loop *loop, int mode, int item) {
    Model *model = loop->model;
    ItemState *state = &model->items[item];
    if (!state->valid || !isInLoop(state) || state->busy || state->date > model->now) return;
    long served = state->date;
    state->busy = true;
    state->busyIn = state->modes | 1u << mode; // another one's callback may have removed it
    call(loop, item, 0);
    state->busy = false;
    if (plan(model, item)->interval <= 0) invalidate(model, item);
    else if (state->valid && state->date <= served) goOn(model, item, served);
    else if (state->valid && state->modes & ~(1u << mode))
        spareTheOriginal(model, "D30", state->cause);
}

/// When a timer got its place among those of a mode that have the same date: it was added, or got
/// that date, which counts as adding it again.
static int turnOf(const ItemState *timer, int mode) {
    return timer->added[mode] > timer->dated ? timer->added[mode] : timer->dated;
}

static bool isEarlier(const ItemState *one, const ItemState *other, int mode) {
    if (one->date != other->date) return one->date < other->date;
    return turnOf(one, mode) < turnOf(other, mode);
}

static void doTimers(Loop *loop, int mode) {
    Model *model = loop->model;
    int due[mostNames], count = 0;
    for (int i = 0; i < model->program->itemCount; i++) {
        if (!waitsFor(loop, i, mode) || model->items[i].date > model->now) continue;
        int place = count++;
        const ItemState *state = &model->items[i];
        for (; place > 0 && isEarlier(state, &model->items[due[place - 1]], mode); place--)
            due[place] = due[place - 1];
        due[place] = i;
    }
    for (int i = 1; i < count; i++) { // two moments of the same distance from others are equal
        const ItemState *earlier = &model->items[due[i - 1]], *later = &model->items[due[i]];
        if (earlier->soon && later->soon && areNear(model, later->date, earlier->date))
            giveUp(model, "same-time", later->cause);
    }
    for (int i = 0; i < count; i++) doTimer(loop, mode, due[i]);
}

// MARK: - Observers

static bool comesBefore(const Model *model, int mode, int left, int right) {
    if (plan(model, left)->order != plan(model, right)->order)
        return plan(model, left)->order < plan(model, right)->order;
    return model->items[left].added[mode] < model->items[right].added[mode];
}

static void doObserver(Loop *loop, int item, unsigned activity) {
    ItemState *state = &loop->model->items[item];
    if (!state->valid || state->busy) return;
    state->busy = true;
    call(loop, item, activity);
    state->busy = false;
    if (plan(loop->model, item)->once) invalidate(loop->model, item);
}

/// One that is being called is not called again by a nested run. One that is removed by another of
/// its notification is still called.
static void doObservers(Loop *loop, int mode, unsigned activity) {
    const Model *model = loop->model;
    int called[mostNames], count = 0;
    tell(loop, (ModelEvent){.kind = activityBegins, .activity = activity});
    for (int i = 0; i < model->program->itemCount; i++) {
        bool wants = isKind(model, i, anObserver) && isIn(loop, i, mode) && model->items[i].valid
                     && !model->items[i].busy;
        if (!wants || !(plan(model, i)->activities & activity)) continue;
        int place = count++;
        for (; place > 0 && comesBefore(model, mode, i, called[place - 1]); place--)
            called[place] = called[place - 1];
        called[place] = i;
    }
    for (int i = 0; i < count; i++) doObserver(loop, called[i], activity);
}

// MARK: - Blocks

static bool isFor(const Loop *loop, int block, int mode) {
    unsigned modes = loop->model->program->actions[block].modes;
    return modes & 1u << mode || (modes & commonBit && loop->commonModes & 1u << mode);
}

static void callQueued(Loop *loop, int action) {
    tell(loop, (ModelEvent){.kind = blockIsCalled, .action = action});
    loop->depth++;
    performPlaces(loop, inBlock, loop->model->program->actions[action].block, 0);
    loop->depth--;
}

/// All blocks are taken, those of other modes put back before what was queued meanwhile.
static void doBlocks(Loop *loop, int mode) {
    int taken[mostActions], back[mostActions];
    int count = loop->blockCount, left = 0;
    memcpy(taken, loop->blocks, sizeof taken);
    loop->blockCount = 0;
    for (int i = 0; i < count; i++) {
        if (isFor(loop, taken[i], mode)) callQueued(loop, taken[i]);
        else back[left++] = taken[i];
    }
    memmove(loop->blocks + left, loop->blocks, (size_t)loop->blockCount * sizeof back[0]);
    memcpy(loop->blocks, back, (size_t)left * sizeof back[0]);
    loop->blockCount += left;
}

// MARK: - Sources

static bool isBefore(const Model *model, int left, int right) {
    if (plan(model, left)->order != plan(model, right)->order)
        return plan(model, left)->order < plan(model, right)->order;
    return model->items[left].signalTime < model->items[right].signalTime;
}

/// 4: whether any was performed. With `once` the first one is enough. The original answers for the
/// last one alone.
static bool doSources(Loop *loop, int mode, bool once) {
    Model *model = loop->model;
    int signalled[mostNames], count = 0;
    bool handled = false, lastHandled = false;
    for (int i = 0; i < model->program->itemCount; i++) {
        if (!isKind(model, i, aSource) || !isIn(loop, i, mode) || !model->items[i].signalled)
            continue;
        int place = count++;
        for (; place > 0 && isBefore(model, i, signalled[place - 1]); place--)
            signalled[place] = signalled[place - 1];
        signalled[place] = i;
    }
    for (int i = 0; i < count && !(once && handled); i++) {
        lastHandled = model->items[signalled[i]].signalled;
        if (!lastHandled) continue;
        model->items[signalled[i]].signalled = false;
        handled = true;
        call(loop, signalled[i], 0);
    }
    if (handled != lastHandled) spareTheOriginal(model, "D13", -1);
    return handled;
}

/// 9.3: whether it was performed. One that has been drained meanwhile is, one that has been taken
/// out is not, nor one that a nested run has performed meanwhile. If a port has come or gone since
/// the wait began, ours asks whether the port is still ready.
static bool doPort(Loop *loop, int mode, int item) {
    ItemState *state = &loop->model->items[item];
    if (!isIn(loop, item, mode)) return false;
    if (loop->activation->hasNested && !state->signalled) return false;
    if (loop->changedSets & 1u << mode && !state->signalled) {
        spareTheOriginal(loop->model, "D17", state->cause);
        return false;
    }
    state->signalled = false;
    call(loop, item, 0);
    return true;
}

// MARK: - The wait

static void findReady(Model *model, Waker found, int cause, Waker *ready, int *readyCause) {
    if (*ready != nothing && *ready != found)
        giveUp(model, "two-ready", cause > *readyCause ? cause : *readyCause);
    if (*ready == nothing || cause > *readyCause) *readyCause = cause;
    *ready = found;
}

/// What would end a wait in that mode at once. Of two such things either may be named first, so
/// there may be one only.
static Waker onlyReady(Loop *loop, int mode, bool servesQueue) {
    Model *model = loop->model;
    Waker ready = nothing;
    int cause = -1, ports = 0;
    bool hasTimers = timersDate(loop, mode) <= model->now;
    for (int i = 0; i < model->program->itemCount; i++) {
        const ItemState *state = &model->items[i];
        if (waitsFor(loop, i, mode) && state->date <= model->now && hasTimers)
            findReady(model, someTimer, state->cause, &ready, &cause);
        if (isKind(model, i, aPort) && isIn(loop, i, mode) && state->signalled) {
            findReady(model, somePort, state->cause, &ready, &cause);
            if (ports++) giveUp(model, "two-ready", cause);
            loop->readyPort = i;
        }
    }
    if (loop->wakeUpPending) findReady(model, wakeUp, loop->wakeUpCause, &ready, &cause);
    if (servesQueue && model->functionCount)
        findReady(model, mainQueue, model->functions[model->functionCount - 1], &ready, &cause);
    return ready;
}

/// Whether a timer's date is too near to now to say which is first.
static bool isNow(const Model *model, int item) {
    const ItemState *state = &model->items[item];
    return isKind(model, item, aTimer) && state->valid && state->soon
           && areNear(model, state->date, model->now);
}

/// An outer run's limit that is passed by a nested run's sleep: the original's wakes that, ours is
/// looked at when the nested run is over.
static void checkLimit(Loop *loop, const Activation *outer) {
    Model *model = loop->model;
    if (outer->limit < 0) return;
    if (outer->limit < model->now + second)
        spareTheOriginal(model, "D33", loop->activation->action);
    if (areNear(model, outer->limit, model->now))
        giveUp(model, "same-time", loop->activation->action);
}

/// Whatever else happens at the moment to which time has come, happens before or after it: who
/// knows.
static void checkMoment(Loop *loop, int except) {
    for (int i = 0; i < loop->model->program->itemCount; i++)
        if (i != except && isNow(loop->model, i))
            giveUp(loop->model, "same-time", loop->model->items[i].cause);
    for (Activation *outer = loop->activation->outer; outer; outer = outer->outer)
        checkLimit(loop, outer);
}

/// Whether the limit of this run has passed already, during a nested one. Then it does not sleep.
static bool limitHasPassed(const Loop *loop) {
    long limit = loop->activation->limit;
    return limit >= 0 && limit <= loop->model->now;
}

/// Gives the turn to another thread, until the scheduler gives it back.
static void yield(Loop *loop) { swapcontext(&loop->context, &loop->model->home); }

/// A fault that the program has asked for is the next wait's, even if that need not sleep. Returns
/// whether it ends the wait.
static bool takeFault(Loop *loop) {
    Model *model = loop->model;
    const LoopAction *fault = model->fault;
    loop->late = 0;
    loop->interrupt = -1;
    if (!fault) return false;
    model->fault = NULL;
    if (fault->fault == earlyFault) loop->late = -nanoseconds(fault->seconds);
    if (fault->fault == lateFault) loop->late = nanoseconds(fault->seconds);
    if (fault->fault == interruptFault) loop->interrupt = nanoseconds(fault->seconds);
    return fault->fault == spuriousFault;
}

/// Sleeps until a moment, or until something is ready.
static Waker sleepUntil(Loop *loop, int mode, bool servesQueue, long moment) {
    loop->state = sleeps;
    loop->servesQueue = servesQueue;
    loop->until = moment;
    yield(loop);
    return onlyReady(loop, mode, servesQueue);
}

/// A signal comes, and its handler runs on the thread, unless something has ended the wait before.
static Waker sleepUntilInterrupt(Loop *loop, int mode, bool servesQueue, long moment) {
    Waker waker = sleepUntil(loop, mode, servesQueue, moment);
    if (waker != nothing) return waker;
    performPlaces(loop, inHandler, 0, 0);
    return onlyReady(loop, mode, servesQueue);
}

static Waker sleepUntilSomething(Loop *loop, int mode, bool servesQueue) {
    Model *model = loop->model;
    if (limitHasPassed(loop)) return timeLimit;
    int next = -1;
    for (int i = 0; i < model->program->itemCount; i++) {
        if (!waitsFor(loop, i, mode)) continue;
        if (next < 0 || model->items[i].date < model->items[next].date) next = i;
    }
    long limit = loop->activation->limit;
    bool timerIsFirst = next >= 0 && model->items[next].date < limit;
    if (next >= 0 && areNear(model, model->items[next].date, limit))
        giveUp(model, "same-time", model->items[next].cause);
    Waker waker = nothing;
    long interrupt = model->now + loop->interrupt;
    if (loop->interrupt >= 0 && areNear(model, interrupt, limit))
        giveUp(model, "same-time", loop->activation->action);
    if (loop->interrupt >= 0 && interrupt < limit)
        waker = sleepUntilInterrupt(loop, mode, servesQueue, interrupt);
    if (waker == nothing && !limitHasPassed(loop))
        waker = sleepUntil(loop, mode, servesQueue, limit);
    checkMoment(loop, timerIsFirst ? next : -1);
    return waker == nothing ? timeLimit : waker;
}

static bool hasBlocks(const Loop *loop, int mode) {
    for (int i = 0; i < loop->blockCount; i++)
        if (isFor(loop, loop->blocks[i], mode)) return true;
    return false;
}

static bool hasSignals(const Loop *loop, int mode) {
    const Model *model = loop->model;
    for (int i = 0; i < model->program->itemCount; i++)
        if (isKind(model, i, aSource) && isIn(loop, i, mode) && model->items[i].signalled)
            return true;
    return false;
}

/// What a run that has nested in this one may have left undone: this run does not sleep on it.
static bool hasNewWork(const Loop *loop, int mode) {
    if (!loop->activation->hasNested) return false;
    if (loop->activation->stopped || loop->stoppedModes & 1u << mode) return true;
    return hasBlocks(loop, mode) || hasSignals(loop, mode);
}

static int whatHappensMeanwhile(const Loop *loop, int wait) {
    const LoopProgram *program = loop->model->program;
    int thread = (int)(loop - loop->model->loops);
    for (int i = 0; i < program->actionCount; i++) {
        const LoopPlace *place = &program->places[program->actions[i].place];
        if (place->kind == inWait && place->index == thread && place->call == wait) return i;
    }
    return -1;
}

/// 7
static Waker waitForSomething(Loop *loop, int mode, bool polls, bool servesQueue) {
    Waker waker = onlyReady(loop, mode, servesQueue);
    if (polls) return waker;
    int wait = ++loop->waits, meanwhile = whatHappensMeanwhile(loop, wait);
    bool hasWork = hasNewWork(loop, mode);
    if (!hasWork) performBefore(loop, beforeWait, 0, wait);
    waker = onlyReady(loop, mode, servesQueue);
    bool isSpurious = !hasWork && takeFault(loop);
    bool looksOnly = waker != nothing || hasWork || isSpurious;
    if (looksOnly) loop->late = 0;
    if ((looksOnly || limitHasPassed(loop)) && meanwhile >= 0)
        giveUp(loop->model, "not-asleep", meanwhile);
    if (meanwhile >= 0 && loop->late) giveUp(loop->model, "fault", meanwhile);
    if (isSpurious) return timeLimit; // with nothing to serve
    if (meanwhile >= 0) {
        if (!loop->model->options->isForRealTime) {
            loop->model->now += 2; // after which the simulated thread begins
            if (areNear(loop->model, loop->model->now, loop->activation->limit))
                giveUp(loop->model, "same-time", meanwhile);
        }
        performPlaces(loop, inWait, (int)(loop - loop->model->loops), wait);
        waker = onlyReady(loop, mode, servesQueue);
    }
    if (looksOnly && waker == nothing) spareTheOriginal(loop->model, "D36", -1);
    return looksOnly || waker != nothing ? waker : sleepUntilSomething(loop, mode, servesQueue);
}

// MARK: - The run

static bool isOnMainThread(const Loop *loop) { return loop == loop->model->loops; }

static bool isEmpty(const Loop *loop, int mode) {
    const Model *model = loop->model;
    if (!(loop->madeModes & ~commonBit & 1u << mode)) return true; // the common modes are no mode
    if (isOnMainThread(loop) && !loop->inFunction && loop->commonModes & 1u << mode) return false;
    for (int i = 0; i < model->program->itemCount; i++)
        if (!isKind(model, i, anObserver) && isIn(loop, i, mode)) return false;
    return !hasBlocks(loop, mode);
}

/// What is queued meanwhile has to wait for its turn.
static void drainMainQueue(Loop *loop) {
    int taken[mostActions], count = loop->model->functionCount;
    memcpy(taken, loop->model->functions, sizeof taken);
    loop->model->functionCount = 0;
    loop->inFunction = true;
    for (int i = 0; i < count; i++) callQueued(loop, taken[i]);
    loop->inFunction = false;
}

/// 9: whether what was served counts as a source.
static bool serve(Loop *loop, int mode, Waker waker, int port) {
    switch (waker) {
    case someTimer: doTimers(loop, mode); return false;
    case mainQueue: drainMainQueue(loop); return true;
    case somePort: return doPort(loop, mode, port);
    case wakeUp: case timeLimit: case nothing: return false;
    }
    return false;
}

enum { goesOn, finished, stopped, timedOut, handledSource };

static bool takeStop(Loop *loop, int mode) {
    bool *own = &loop->activation->stopped;
    if (*own) return *own = false, true;
    if (!(loop->stoppedModes & 1u << mode)) return false;
    loop->stoppedModes &= ~(1u << mode);
    return true;
}

static int decide(Loop *loop, int mode, bool stopsAfterSource) {
    if (stopsAfterSource) return handledSource;
    if (loop->activation->limit < 0 || limitHasPassed(loop)) return timedOut;
    if (takeStop(loop, mode)) return stopped;
    return isEmpty(loop, mode) ? finished : goesOn;
}

/// 8. What has ended the wait is between that and its callback while the observers are called.
static void handOver(Loop *loop, int mode, Waker waker) {
    unsigned before = loop->timersHandedOver;
    if (waker == someTimer) loop->timersHandedOver |= 1u << mode;
    loop->handedOver = waker == wakeUp || waker == timeLimit ? nothing : waker;
    doObservers(loop, mode, 64);
    loop->handedOver = nothing;
    loop->timersHandedOver = before;
}

static const long never = 1L << 62;

/// An embedded loop never ignores any, because its host sleeps.
static void ignoreWakeUps(Loop *loop) {
    if (!loop->embedded) loop->activation->ignoresWakeUps = true;
}

/// Steps 2 to 9, again and again.
static int passes(Loop *loop, int mode, const LoopAction *run) {
    if (takeStop(loop, mode)) return stopped;
    bool onQueue = isOnMainThread(loop) && !loop->inFunction && loop->commonModes & 1u << mode;
    bool queueServedLast = true;
    if (run->seconds > 0) loop->activation->limit = loop->model->now + nanoseconds(run->seconds);
    if (run->seconds < 0) loop->activation->limit = never;
    for (;;) {
        int pass = ++loop->passes;
        loop->activation->ignoresWakeUps = false;
        performBefore(loop, beforeStep, 2, pass);
        doObservers(loop, mode, 2);
        performBefore(loop, beforeStep, 3, pass);
        doObservers(loop, mode, 4);
        doBlocks(loop, mode);
        performBefore(loop, beforeStep, 4, pass);
        bool handled = doSources(loop, mode, run->once);
        if (handled) doBlocks(loop, mode);
        bool polls = handled || run->seconds == 0;
        Waker waker = nothing;
        if (onQueue && !queueServedLast) { // 5
            performBefore(loop, beforeStep, 5, pass);
            if (loop->model->functionCount) waker = mainQueue;
        }
        int port = -1;
        queueServedLast = false;
        if (waker == nothing) {
            if (!polls) performBefore(loop, beforeStep, 6, pass);
            if (!polls) doObservers(loop, mode, 32);
            performBefore(loop, beforeStep, 7, pass);
            loop->changedSets &= ~(1u << mode);
            loop->isWaiting = true;
            waker = waitForSomething(loop, mode, polls, onQueue);
            loop->isWaiting = false;
            if (waker == wakeUp) loop->wakeUpPending = false;
            ignoreWakeUps(loop);
            loop->activation->hasNested = false;
            port = loop->readyPort; // a nested run will find another
            if (!polls) performBefore(loop, beforeStep, 8, pass);
            if (!polls) handOver(loop, mode, waker);
        }
        performBefore(loop, beforeStep, 9, pass);
        ignoreWakeUps(loop);
        handled |= serve(loop, mode, waker, port);
        queueServedLast = waker == mainQueue;
        doBlocks(loop, mode);
        int result = decide(loop, mode, handled && run->once);
        if (result == goesOn) continue;
        loop->activation->ignoresWakeUps = !loop->embedded;
        return result;
    }
}

/// Whether the callback of a timer is running that is, or was when it was called, in several modes,
/// that one among them; -1: any.
static bool insideSharedTimer(const Loop *loop, int mode) {
    const Model *model = loop->model;
    for (int i = 0; i < model->program->itemCount; i++) {
        const ItemState *state = &model->items[i];
        bool isTimer = isKind(model, i, aTimer) && &model->loops[plan(model, i)->thread] == loop;
        if (!isTimer || !state->busy || __builtin_popcount(state->busyIn) < 2) continue;
        if (mode < 0 || state->busyIn & 1u << mode) return true;
    }
    return false;
}

/// How deep runs may be nested.
static int mostRunsOf(const Model *model) {
    return model->options->isForRealTime ? deepestRuns : mostRuns;
}

/// The hosts have what no port tells: signalled sources and blocks.
static void updateHosts(Loop *loop) {
    const Model *model = loop->model;
    loop->busyHosts = 0;
    for (int mode = 0; mode < model->program->modeCount; mode++) {
        bool isBusy = hasSignals(loop, mode) || hasBlocks(loop, mode);
        if (loop->embedded & 1u << mode && isBusy) loop->busyHosts |= 1u << mode;
    }
}

/// A wake-up that came during the outermost run was for that run.
static void endHostsRun(Loop *loop) {
    if (!loop->embedded || loop->activation) return;
    loop->wakeUpPending = false;
    updateHosts(loop);
}

static void beginRun(Loop *loop, const LoopAction *action) {
    Model *model = loop->model;
    int mode = __builtin_ctz(action->modes), outerMode = loop->mode, result = finished;
    int index = indexOf(model, action);
    if (loop->runs == mostRunsOf(model))
        giveUp(model, "too-deep", index);
    // Ours, too, may have armed the timer port of the other mode, with the date that is being
    // served.
    if (model->options->closeness && insideSharedTimer(loop, mode)) giveUp(model, "D16", index);
    if (insideSharedTimer(loop, -1)) spareTheOriginal(model, "D16", index);
    loop->depth++;
    if (!isEmpty(loop, mode)) {
        Activation activation = {.outer = loop->activation, .limit = -1, .action = index};
        loop->activation = &activation;
        loop->mode = mode;
        loop->runs++;
        loop->busyHosts = loop->embedded; // a callback may be the host
        doObservers(loop, mode, 1);
        result = passes(loop, mode, action);
        doObservers(loop, mode, 128);
        loop->runs--;
        loop->mode = outerMode;
        loop->activation = activation.outer;
        if (loop->activation) loop->activation->hasNested = true;
        endHostsRun(loop);
    }
    if (action->verb == doServe && result == finished) loop->wakeUpPending = false;
    if (action->verb == doServe) updateHosts(loop);
    loop->depth--;
    tell(loop, (ModelEvent){.kind = runEnds, .action = index, .answer = result});
}

// MARK: - Actions

/// Whether an action is about things of the kind that has ended the wait.
static bool concerns(const Model *model, const LoopAction *action, Waker waker) {
    bool aboutItem = action->verb <= doSet;
    switch (waker) {
    case someTimer:
        return action->verb == doDeclare || (aboutItem && isKind(model, action->item, aTimer));
    case somePort:
        return action->verb == doDeclare || (aboutItem && isKind(model, action->item, aPort));
    case mainQueue: return action->verb == doQueue;
    default: return false;
    }
}

/// Between a wait and the callback of what has ended it, the port is silent in one loop (as a mach
/// port is, when the message has been taken out of it), and may be ready still in the other. What
/// is known of ours: a client's port stays ready; timers are this run's, and a run of their mode
/// nested here sees none until something about them changes. Of the main queue's port nothing is
/// known: when libdispatch makes it ready again is its own affair.
static void mindTheHandOver(Loop *loop, const LoopAction *action) {
    Model *model = loop->model;
    int index = indexOf(model, action);
    bool runs = action->verb == doRun || action->verb == doServe;
    bool touches = runs || concerns(model, action, loop->handedOver);
    if (runs && action->modes & loop->timersHandedOver) giveUp(model, "D17", index);
    if (loop->handedOver == mainQueue && touches) giveUp(model, "D17", index);
    if (loop->handedOver != nothing && touches) spareTheOriginal(model, "D17", index);
    if (action->verb == doAskReadable && loop->handedOver != nothing) giveUp(model, "D17", index);
}

static void answer(const Loop *self, const LoopAction *action, const char *thread, int yes) {
    const Model *model = self->model;
    const ItemState *state = action->item >= 0 ? &model->items[action->item] : NULL;
    tell(self, (ModelEvent){.kind = isAnswered, .thread = thread, .answer = yes,
                            .action = indexOf(model, action),
                            .isSignalled = state && state->signalled,
                            .isPast = state && state->date <= model->now});
}

static bool hasTimer(const Loop *loop, int mode) {
    for (int i = 0; i < loop->model->program->itemCount; i++)
        if (isKind(loop->model, i, aTimer) && isIn(loop, i, mode)) return true;
    return false;
}

static bool isAwake(Loop *loop);

/// Whether the host of a mode finds its descriptor readable: a run of the mode has something to do.
static bool isReadable(Loop *loop, int mode) {
    const Model *model = loop->model;
    if (!(loop->embedded & 1u << mode)) return false;
    if (loop->busyHosts & 1u << mode || loop->wakeUpPending) return true;
    bool servesQueue = isOnMainThread(loop) && !loop->inFunction && loop->commonModes & 1u << mode;
    if (servesQueue && model->functionCount) return true;
    long date = timersDate(loop, mode);
    for (int i = 0; i < model->program->itemCount; i++)
        if (isKind(model, i, aPort) && isIn(loop, i, mode) && model->items[i].signalled) return true;
    return date >= 0 && date <= model->now;
}

static void ask(const Loop *self, Loop *loop, const LoopAction *action, const char *thread) {
    Model *model = loop->model;
    const ItemState *state = action->item >= 0 ? &model->items[action->item] : NULL;
    int mode = action->modes ? __builtin_ctz(action->modes) : 0, yes = 0;
    switch (action->verb) {
    case doAskWhether:
        yes = action->modes & commonBit ? state->common : (action->modes & state->modes) != 0;
        break;
    case doAskHow:
        yes = state->valid;
        if (yes && isNow(model, action->item))
            giveUp(model, "same-time", indexOf(model, action));
        break;
    case doAskMode: yes = loop->mode; break;
    case doAskModes: yes = (int)loop->madeModes; break;
    case doAskNext: yes = hasTimer(loop, mode); break;
    case doAskFinished: yes = isEmpty(loop, mode); break;
    case doAskReadable: yes = isReadable(loop, mode); break;
    case doAskWaiting: // whether it has woken up already, nobody knows
        if (loop->state == sleeps && isAwake(loop)) giveUp(model, "same-time", indexOf(model, action));
        yes = loop->isWaiting;
        break;
    default: break;
    }
    answer(self, action, thread, yes);
}

static void signalItem(Model *model, int item) {
    ItemState *state = &model->items[item];
    if (!state->valid || state->signalled) return; // the first time counts
    state->signalled = true;
    state->signalTime = model->clock++;
}

static void addOrRemove(Model *model, const LoopAction *action) {
    for (int i = 0; i < model->program->modeCount; i++) {
        if (!(action->modes & 1u << i)) continue;
        if (action->verb == doAdd) add(model, action, 1u << i);
        else removeFrom(model, action, 1u << i);
    }
}

/// `self` is the thread that performs, and `loop` the loop that the action is about.
static void change(Loop *self, Loop *loop, const LoopAction *action, const char *thread) {
    Model *model = loop->model;
    ItemState *state = action->item >= 0 ? &model->items[action->item] : NULL;
    int index = indexOf(model, action);
    if (action->verb >= doEmbed) spareTheOriginal(model, "embedding", index);
    switch (action->verb) {
    case doAdd: case doRemove: addOrRemove(model, action); break;
    case doInvalidate: invalidate(model, action->item); break;
    case doSignal: signalItem(model, action->item); break;
    case doSend:
        state->signalled = true;
        state->cause = index;
        break;
    case doReceive:
        answer(self, action, thread, state->signalled);
        state->signalled = false;
        break;
    case doSet:
        setTimer(model, action, thread || self != &model->loops[plan(model, action->item)->thread]);
        break;
    case doWake: wake(loop, index); break;
    case doStop:
        if (!action->modes) {
            stop(loop, index);
            break;
        }
        loop->stoppedModes |= action->modes;
        loop->madeModes |= action->modes;
        wake(loop, index);
        break;
    case doBlock:
        loop->blocks[loop->blockCount++ % mostActions] = index;
        loop->madeModes |= action->modes;
        break;
    case doQueue: model->functions[model->functionCount++ % mostActions] = index; break;
    case doDeclare: declare(loop, action->modes, index); break;
    case doRun: case doServe: beginRun(self, action); break;
    case doEmbed:
        if (self->embedded & action->modes) break;
        self->embedded |= action->modes;
        self->madeModes |= action->modes;
        updateHosts(self);
        break;
    case doSpend:
        self->state = isBusy;
        self->until = model->now + nanoseconds(action->seconds);
        yield(self);
        break;
    case doFault:
        if (action->fault == portsFault) giveUp(model, "no-port", index);
        model->fault = action;
        break;
    case doClose: giveUp(model, "closed", index);
    case doSay: break;
    default: ask(self, loop, action, thread);
    }
}

/// `self` is the thread that performs; NULL at a moment, on a thread that is none of the program's.
static void performOne(Loop *self, Model *model, const LoopAction *action, const char *thread) {
    int index = indexOf(model, action);
    Loop *loop = self ? self : model->loops;
    if (action->thread >= 0) loop = &model->loops[action->thread];
    if (!self) self = &model->nobody;
    if (action->item >= 0 && !model->loops[plan(model, action->item)->thread].hasBegun)
        giveUp(model, "too-early", index);
    if (!loop->hasBegun) giveUp(model, "too-early", index);
    if (action->elsewhere) thread = "elsewhere";
    tell(self, (ModelEvent){.kind = actionBegins, .action = index, .thread = thread});
    model->last = index;
    if (model->options->performed) model->options->performed[index] = true;
    mindTheHandOver(self, action);
    change(self, loop, action, thread);
    // The simulated thread that waits for it looks every two nanoseconds.
    if (action->elsewhere && !model->options->isForRealTime) model->now += 2;
}

static void performPlace(Loop *self, Model *model, int place, const char *thread) {
    for (int i = 0; i < model->program->actionCount; i++) {
        const LoopAction *action = &model->program->actions[i];
        if (action->place == place) performOne(self, model, action, thread);
    }
}

static void performPlaces(Loop *loop, int kind, int index, int call) {
    const LoopProgram *program = loop->model->program;
    for (int i = 0; i < program->placeCount; i++) {
        const LoopPlace *place = &program->places[i];
        if ((int)place->kind == kind && place->index == index
            && (!place->call || place->call == call))
            performPlace(loop, loop->model, i, place->name[0] ? place->name : NULL);
    }
}

/// Another thread acts before this one goes on: when it comes to a step, or is about to wait.
static void performBefore(Loop *loop, int kind, int step, int call) {
    const LoopProgram *program = loop->model->program;
    for (int i = 0; i < program->placeCount; i++) {
        const LoopPlace *place = &program->places[i];
        if ((int)place->kind == kind && place->step == step && place->call == call
            && place->index == loop - loop->model->loops)
            performPlace(loop, loop->model, i, place->name);
    }
}

// MARK: - Threads

static _Thread_local Loop *beginning;

static void live(void) {
    Loop *loop = beginning;
    Model *model = loop->model;
    int thread = (int)(loop - model->loops);
    loop->hasBegun = true;
    for (int i = 0; i < model->program->itemCount; i++) {
        const LoopItem *item = plan(model, i);
        if (item->thread == thread && item->kind == aTimer)
            setDate(model, i, item->first, item->isAfterNow);
    }
    performPlaces(loop, ofThread, thread, 0);
    loop->state = hasEnded;
    setcontext(&model->home);
}

/// When a sleep is to end, if nothing happens.
static long promisedEnd(const Loop *loop) {
    long date = timersDate(loop, loop->mode);
    return date >= 0 && date < loop->until ? date : loop->until;
}

/// When it does: a fault may make it shorter or longer.
static long endOfSleep(const Loop *loop) {
    return promisedEnd(loop) + loop->late;
}

/// When a thread goes on, if nothing happens.
static long dateOf(const Loop *loop) {
    if (loop->state == hasEnded) return never;
    return loop->state == sleeps ? endOfSleep(loop) : loop->until;
}

/// Whether a thread goes on now.
static bool isAwake(Loop *loop) {
    if (loop->state == canGoOn) return true;
    if (dateOf(loop) <= loop->model->now) return true;
    if (loop->state != sleeps) return false;
    if (loop->late > 0 && promisedEnd(loop) <= loop->model->now) return false; // nothing is heard
    Waker waker = onlyReady(loop, loop->mode, loop->servesQueue);
    return waker != nothing && waker != someTimer;
}

static Loop *nextThread(Model *model) {
    for (int i = 0; i < model->program->threadCount; i++)
        if (model->loops[i].state != hasEnded && isAwake(&model->loops[i])) return &model->loops[i];
    return NULL;
}

/// The next moment of the program whose time is `now` or later; -1: none.
static int nextMoment(const Model *model) {
    int next = -1;
    for (int i = 0; i < model->program->placeCount; i++) {
        const LoopPlace *place = &model->program->places[i];
        if (place->kind != atMoment || model->isDone[i]) continue;
        if (next < 0 || place->seconds < model->program->places[next].seconds) next = i;
    }
    return next;
}

/// Nobody knows who is first when two moments have the same date, or when one touches a loop whose
/// thread goes on at that date.
static void checkTie(Model *model, int moment, long date) {
    const LoopProgram *program = model->program;
    for (int i = 0; i < program->placeCount; i++) {
        const LoopPlace *other = &program->places[i];
        bool isTie = other->kind == atMoment && !model->isDone[i] && i != moment
                     && other->seconds <= program->places[moment].seconds;
        for (int j = 0; isTie && j < program->actionCount; j++)
            if (program->actions[j].place == i) giveUp(model, "same-time", j);
    }
    for (int i = 0; i < program->actionCount; i++) {
        const LoopAction *action = &program->actions[i];
        int thread = action->thread >= 0 ? action->thread : mainThreadIndex;
        if (action->item >= 0) thread = plan(model, action->item)->thread;
        if (action->place != moment || action->verb == doSay) continue;
        if (dateOf(&model->loops[thread]) == date) giveUp(model, "same-time", i);
    }
}

/// Lets time pass until something happens. Returns false if nothing will.
static bool passTime(Model *model) {
    int moment = nextMoment(model);
    long next = moment >= 0 ? nanoseconds(model->program->places[moment].seconds) : never;
    if (moment >= 0) checkTie(model, moment, next);
    for (int i = 0; i < model->program->threadCount; i++) {
        if (dateOf(&model->loops[i]) >= next) continue;
        next = dateOf(&model->loops[i]);
        moment = -1;
    }
    if (next >= never / 2) return false;
    if (next > model->now) model->now = next;
    if (moment >= 0) {
        model->isDone[moment] = true;
        performPlace(NULL, model, moment, model->program->places[moment].name);
    }
    return true;
}

/// Performs all threads until they have ended, or nothing happens any more.
static void performThreads(Model *model) {
    for (;;) {
        Loop *loop = nextThread(model);
        if (!loop) {
            if (passTime(model)) continue;
            for (int i = 0; i < model->program->threadCount; i++)
                model->result.isDeadlocked |= model->loops[i].state != hasEnded;
            return;
        }
        loop->state = canGoOn;
        beginning = loop;
        swapcontext(&model->home, &loop->context);
        if (model->result.reason) return;
    }
}

/// Where giveUp returns to, if the scheduler itself has found it.
static void schedule(Model *model) {
    getcontext(&model->home);
    if (!model->result.reason) performThreads(model);
}

static void beginThread(Model *model, int thread) {
    Loop *loop = &model->loops[thread];
    size_t size = (size_t)(mostRunsOf(model) + 1) * stackOfARun;
    *loop = (Loop){.model = model, .commonModes = 1u << defaultModeIndex, .mode = -1,
                   .madeModes = 1u << defaultModeIndex, .stack = malloc(size)};
    for (int i = 0; i < model->program->placeCount; i++) {
        // An observer in each mode sees the waits.
        const LoopPlace *place = &model->program->places[i];
        bool isWait = place->kind == inWait || place->kind == beforeWait;
        if (isWait && place->index == thread)
            loop->madeModes = ((1u << model->program->modeCount) - 1) & ~commonBit;
    }
    getcontext(&loop->context);
    loop->context.uc_stack.ss_sp = loop->stack;
    loop->context.uc_stack.ss_size = size;
    makecontext(&loop->context, live, 0);
}

ModelResult modelPerform(const LoopProgram *program, const ModelOptions *options) {
    Model *model = calloc(1, sizeof *model);
    model->program = program;
    model->options = options;
    model->last = -1;
    model->nobody.model = model;
    model->loops = calloc((size_t)program->threadCount, sizeof *model->loops);
    for (int i = 0; i < program->itemCount; i++)
        model->items[i] = (ItemState){.valid = true, .cause = -1};
    for (int i = 0; i < program->threadCount; i++) beginThread(model, i);
    schedule(model);
    ModelResult result = model->result;
    for (int i = 0; i < program->threadCount; i++) free(model->loops[i].stack);
    free(model->loops);
    free(model);
    return result;
}

static const char *const reasons[][3] = { // a name, and words in English and in Chinese
    {"same-time", "two things happen at the same moment", "两件事在同一时刻发生"},
    {"two-ready", "two things are ready at once, and either may be served first",
     "有两样东西同时就绪，先处理哪个都有可能"},
    {"not-asleep", "the loop does not sleep in this wait", "RunLoop 在这次等待里没有休眠"},
    {"fault", "a fault makes the wait shorter or longer", "故障让等待变短或变长"},
    {"D17", "a timer, port or queue changes between its wake-up and its callback",
     "从唤醒到回调之间，Timer、端口或队列发生了变化"},
    {"too-early", "it is about a thread that may not have begun", "它涉及的线程可能还没有开始"},
    {"too-deep", "too many runs are nested", "嵌套的运行太多"},
    {"too-long", "the program has no end, or a very long log", "程序不会结束，或者日志太长"},
    {"no-port", "the system has no port left", "系统没有端口可用了"},
    {"closed", "a port is closed behind the loop's back", "有人背着 RunLoop 关闭了端口"},
};

static const char *wordsOf(const char *reason, int language) {
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strcmp(reasons[i][0], reason) == 0) return reasons[i][1 + language];
    return reason;
}

const char *modelReason(const char *reason) { return wordsOf(reason, 0); }
const char *modelReasonInChinese(const char *reason) { return wordsOf(reason, 1); }

// MARK: - A log

static void writeAnswer(FILE *out, const LoopProgram *program, const ModelEvent *event) {
    const LoopAction *action = &program->actions[event->action];
    const char *item = action->item < 0 ? "" : program->items[action->item].name;
    const char *mode = action->modes ? program->modes[__builtin_ctz(action->modes)] : "";
    const char *no = event->answer ? "" : " not";
    switch (action->verb) {
    case doAskWhether: fprintf(out, "%s is%s in %s", item, no, mode); break;
    case doAskHow: fprintf(out, "%s is %s", item, event->answer ? "valid" : "invalid"); break;
    case doAskMode:
        fprintf(out, "runs in %s", event->answer < 0 ? "no mode" : program->modes[event->answer]);
        break;
    case doAskNext:
        fprintf(out, "%s has %s", mode, event->answer ? "a next timer" : "no timer");
        break;
    case doAskWaiting:
        fprintf(out, "%s is%s waiting", program->threads[action->thread], no);
        break;
    case doAskReadable: fprintf(out, "%s is%s readable", mode, no); break;
    default: fprintf(out, "%s is%s finished", mode, no);
    }
}

static void writeStart(const ModelLog *log, const ModelEvent *event) {
    if (!log->isForRealTime)
        fprintf(log->out, "%.3f %s ", (double)event->now / 1e9, event->thread);
    fprintf(log->out, "%*s", 2 * event->depth, "");
}

/// What a program does not log.
static void writeMore(const ModelLog *log, const ModelEvent *event) {
    const LoopAction *action = &log->program->actions[event->action];
    int kind = action->item < 0 ? -1 : (int)log->program->items[action->item].kind;
    const char *date = !event->answer ? "none" : event->isPast ? "past" : "future";
    if (event->kind == actionBegins) {
        writeStart(log, event);
        loopActionWrite(log->out, log->program, action);
        fputc('\n', log->out);
    } else if (event->kind == activityBegins) {
        writeStart(log, event);
        fprintf(log->out, "~ %s\n", loopActivityName(event->activity));
    } else if (event->kind == isAnswered && action->verb == doReceive) {
        writeStart(log, event);
        fprintf(log->out, "%s\n", event->answer ? "drained" : "was empty");
    } else if (event->kind == isAnswered && action->verb == doAskHow) {
        if (kind == aSource || kind == aTimer) writeStart(log, event);
        if (kind == aSource) fprintf(log->out, "signalled %d\n", event->isSignalled);
        if (kind == aTimer) fprintf(log->out, "next %s\n", date);
    }
}

void modelWriteEvent(const ModelEvent *event, void *context) {
    const ModelLog *log = context;
    const LoopProgram *program = log->program;
    const LoopAction *action = &program->actions[event->action];
    bool says = event->kind == actionBegins && action->verb == doSay;
    bool isLeftOut = event->kind == activityBegins || (event->kind == actionBegins && !says)
                     || (event->kind == isAnswered && action->verb == doReceive);
    if (log->isForRealTime) writeMore(log, event);
    if (isLeftOut) return;
    if (event->kind == isAnswered && action->verb == doAskModes) {
        for (int i = 0; i < program->modeCount; i++) {
            if (!(event->answer & 1 << i)) continue;
            writeStart(log, event);
            fprintf(log->out, "has the mode %s\n", program->modes[i]);
        }
        return;
    }
    writeStart(log, event);
    switch (event->kind) {
    case itemIsCalled:
        fprintf(log->out, "%s %s", program->items[event->item].name,
                loopCallName(program, event->item, event->activity));
        break;
    case blockIsCalled: fprintf(log->out, "%s runs", program->blocks[action->block]); break;
    case runEnds:
        fprintf(log->out, "%s %s: %s", action->verb == doServe ? "serve" : "run",
                program->modes[__builtin_ctz(action->modes)], loopResultName(event->answer));
        break;
    case isAnswered: writeAnswer(log->out, program, event); break;
    default: fputs(action->text, log->out);
    }
    fputc('\n', log->out);
}

ModelResult modelWriteLog(const LoopProgram *program, long closeness, FILE *out) {
    ModelLog log = {out, program, false};
    ModelOptions options = {.closeness = closeness, .happens = modelWriteEvent, .context = &log,
                            .mostEvents = 200000};
    return modelPerform(program, &options);
}
