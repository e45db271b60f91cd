/// Model.c: one pass in ten steps, the rules of what callbacks may do to it, and nothing else: no locks, no ports, no clock.
///
/// The numbers are those of the steps in DESIGN.md. What is true of the model's state: `now` grows while the loop sleeps, and by
/// a tick with every date that is set; a list of callees is made before the first is called and says who is called, unless the
/// callee has been invalidated meanwhile; whatever can end a wait is looked for in `onlyReady`, which insists that it is one
/// thing.
#include "Model.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned modes;       // a mask: those it is in
    bool common;          // it has been added to the common modes
    bool valid;
    bool busy;            // an observer or timer whose callback is running
    unsigned busyIn;      // a timer whose callback is running: the modes it has been in since
    short calls;          // of its callback so far
    int added[modeCount]; // an observer: when, for those of equal order
    bool signalled;       // a source: to be performed. A port: readable
    int signalTime;       // which came first
    long date;            // of a timer, in ticks
    bool soon;            // that date is a few units of time away
    short cause;          // the operation that last brought it near to ending a wait
} ItemState;

/// One run of the loop; they nest.
typedef struct Activation {
    struct Activation *outer;
    bool stopped, ignoresWakeUps;
    bool hasNested;       // a nested run has ended since this run last woke up
    long limit;           // when it is over, in ticks; -1: at once
    short operation;      // that has begun it
} Activation;

typedef enum { nothing, someTimer, somePort, mainQueue, wakeUp, timeLimit } Waker;

typedef struct {
    const Program *program;
    ItemState items[itemCount];
    unsigned commonModes, stoppedModes;
    bool hasModeNamedCommon; // a block for the common modes makes one
    short blocks[mostOperations];
    int blockCount;
    short functions[mostOperations];
    int functionCount;
    bool wakeUpPending;
    short wakeUpCause;
    Activation *activation;
    int mode;             // -1 when no run is going on
    int runs;             // how deep they are nested
    long now;             // in ticks: moments are told apart that no time lies between
    int clock;            // counts signals and additions
    short waits;          // so far
    int readyPort;        // that has ended a wait
    bool inFunction;      // of the main queue
    int handedOver;       // what has ended a wait (a Waker), and whose callback is about to come
    unsigned timersHandedOver; // the modes where it is their timers, in this run or one around it
    short last;           // the operation performed last
    OperationSet performed;
    int depth;
    FILE *log;
    jmp_buf undetermined;
    const char *reason;
    short culprit;
} Model;

static void performAll(Model *model, short place, short call);

__attribute__((format(printf, 2, 3)))
static void tell(Model *model, const char *format, ...) {
    fprintf(model->log, "%*s", model->depth * 2, "");
    va_list arguments;
    va_start(arguments, format);
    vfprintf(model->log, format, arguments);
    va_end(arguments);
    fputc('\n', model->log);
}

/// The program is not determined from here on, because of that operation.
static _Noreturn void giveUp(Model *model, const char *reason, short culprit) {
    model->reason = reason;
    model->culprit = culprit >= 0 ? culprit : model->last;
    longjmp(model->undetermined, 1);
}

/// The original is known to be wrong here. In a program that it does not perform the model goes on, by what is documented for ours.
static void spareTheOriginal(Model *model, const char *reason, short culprit) {
    if (!model->program->withoutOriginal) giveUp(model, reason, culprit);
}

static const ItemPlan *plan(const Model *model, int item) { return &model->program->items[item]; }
static bool isKind(const Model *model, int item, ItemKind kind) { return plan(model, item)->kind == kind; }
static bool isIn(const Model *model, int item, int mode) { return model->items[item].modes & 1u << mode; }

/// Among the common items, an item is in the loop even when it has been taken out of each mode alone.
static bool isInLoop(const ItemState *state) { return state->modes || state->common; }

static void call(Model *model, int item, const char *verb) {
    tell(model, "%s %s", plan(model, item)->name, verb);
    model->depth++;
    performAll(model, (short)item, model->items[item].calls++);
    model->depth--;
}

// MARK: - Items: in and out of modes

/// The original forgets half of an item of the common modes that leaves one of them alone.
static unsigned concerned(Model *model, const Operation *operation) {
    ItemState *state = &model->items[operation->item];
    if (operation->modes & commonBit) return model->commonModes;
    if (operation->action == removeItem && state->common && operation->modes & model->commonModes)
        spareTheOriginal(model, "D29", operation->number);
    return operation->modes;
}

static void add(Model *model, const Operation *operation) {
    ItemState *state = &model->items[operation->item];
    unsigned modes = concerned(model, operation);
    if (!state->valid) return;
    if (operation->modes & commonBit) state->common = true;
    for (int mode = 0; mode < modeCount; mode++)
        if (modes & ~state->modes & 1u << mode) state->added[mode] = model->clock++;
    state->modes |= modes;
    state->busyIn |= modes;
    state->cause = operation->number;
}

static void removeFrom(Model *model, const Operation *operation) {
    ItemState *state = &model->items[operation->item];
    unsigned modes = concerned(model, operation);
    if (operation->modes & commonBit) {
        if (!state->common) return;
        state->common = false;
    }
    state->modes &= ~modes;
}

/// A port's bytes stay where they are.
static void invalidate(Model *model, int item) {
    ItemState *state = &model->items[item];
    state->valid = state->common = false;
    state->modes = 0;
    if (isKind(model, item, sourceItem)) state->signalled = false;
}

/// Common items get into the new mode in the order of a hash table; that is why those programs' observers all have orders of
/// their own. A mode that is common already gets none: not even those that have been taken out of it alone.
static void declare(Model *model, unsigned modes) {
    modes &= ~model->commonModes;
    model->commonModes |= modes;
    for (int i = 0; i < itemCount; i++)
        if (model->items[i].common) model->items[i].modes |= modes, model->items[i].busyIn |= modes;
}

// MARK: - Waking and stopping

/// A loop that is awake after its wait in this pass, or does not run, takes no notice.
static void wake(Model *model, short cause) {
    if (!model->activation || model->activation->ignoresWakeUps) return;
    model->wakeUpPending = true;
    model->wakeUpCause = cause;
}

static void stop(Model *model, short cause) {
    if (!model->activation) return;
    model->activation->stopped = true;
    wake(model, cause);
}

// MARK: - Timers

/// Long enough for anything that a unit of time can hold.
static const long unit = 10000, farAway = 1000000000, month = 100000000000;

/// A date that has passed is taken for the moment at which it is set: of several, the first to be set is the first to fire.
static void setMoment(Model *model, int item, Moment moment) {
    ItemState *state = &model->items[item];
    model->now++;
    state->soon = moment.moment == soon;
    switch (moment.moment) {
    case longAgo: state->date = model->now; break;
    case soon: state->date = model->now + moment.number * unit + unit / 2; break;
    case farOff: state->date = farAway + moment.number; break;
    }
}

static void setDate(Model *model, const Operation *operation) {
    ItemState *state = &model->items[operation->item];
    if (!state->valid) return;
    setMoment(model, operation->item, operation->moment);
    state->cause = operation->number;
    if (operation->elsewhere && isInLoop(state)) wake(model, operation->number);
}

static bool waitsFor(const Model *model, int item, int mode) {
    return isKind(model, item, timerItem) && isIn(model, item, mode) && model->items[item].valid && !model->items[item].busy;
}

/// The rhythm goes on with the next date that has not passed; those that have are left out.
static void goOn(Model *model, int item, long served) {
    ItemState *state = &model->items[item];
    int interval = plan(model, item)->interval;
    state->date = served;
    do {
        state->date += interval ? interval * unit + unit / 2 : month;
        if (labs(state->date - model->now) < unit / 4) giveUp(model, "same-time", state->cause);
    } while (state->date <= model->now);
    state->soon = interval;
}

/// 9.1 for one timer. It is called if it is valid, due and in the loop at all. What its callback makes of its date stands, if that
/// is later than the one just served; if not, the rhythm goes on.
static void doTimer(Model *model, int mode, int item) {
    ItemState *state = &model->items[item];
    if (!state->valid || !isInLoop(state) || state->busy || state->date > model->now) return;
    long served = state->date;
    state->busy = true;
    state->busyIn = state->modes;
    call(model, item, "fires");
    state->busy = false;
    if (!plan(model, item)->repeats) invalidate(model, item);
    else if (state->valid && state->date <= served) goOn(model, item, served);
    else if (state->valid && state->modes & ~(1u << mode)) spareTheOriginal(model, "D30", state->cause);
}

static void doTimers(Model *model, int mode) {
    int due[itemCount], count = 0;
    for (int i = 0; i < itemCount; i++)
        if (waitsFor(model, i, mode) && model->items[i].date <= model->now) due[count++] = i;
    for (int i = 1; i < count; i++) // by date
        for (int j = i; j > 0 && model->items[due[j]].date < model->items[due[j - 1]].date; j--) {
            int swapped = due[j];
            due[j] = due[j - 1], due[j - 1] = swapped;
        }
    for (int i = 1; i < count; i++) { // two moments of the same distance from others are equal
        const ItemState *earlier = &model->items[due[i - 1]], *later = &model->items[due[i]];
        if (earlier->soon && later->soon && later->date - earlier->date < unit / 4) giveUp(model, "same-time", later->cause);
    }
    for (int i = 0; i < count; i++) doTimer(model, mode, due[i]);
}

// MARK: - Observers

static bool comesBefore(const Model *model, int mode, int left, int right) {
    if (plan(model, left)->order != plan(model, right)->order) return plan(model, left)->order < plan(model, right)->order;
    return model->items[left].added[mode] < model->items[right].added[mode];
}

static void doObserver(Model *model, int item, unsigned activity) {
    ItemState *state = &model->items[item];
    if (!state->valid || state->busy) return;
    state->busy = true;
    call(model, item, activityText(activity));
    state->busy = false;
    if (!plan(model, item)->repeats) invalidate(model, item);
}

/// One that is being called is not called again by a nested run. One that is removed by another of its notification is still
/// called.
static void doObservers(Model *model, int mode, unsigned activity) {
    int called[itemCount], count = 0;
    tell(model, "~ %s", activityText(activity));
    for (int i = 0; i < itemCount; i++) {
        bool wants = isKind(model, i, observerItem) && isIn(model, i, mode) && model->items[i].valid && !model->items[i].busy;
        if (!wants || !(plan(model, i)->activities & activity)) continue;
        int place = count++;
        for (; place > 0 && comesBefore(model, mode, i, called[place - 1]); place--) called[place] = called[place - 1];
        called[place] = i;
    }
    for (int i = 0; i < count; i++) doObserver(model, called[i], activity);
}

// MARK: - Blocks

static const Operation *operationNumbered(const Model *model, short number) {
    for (int i = 0; i < model->program->count; i++)
        if (model->program->operations[i].number == number) return &model->program->operations[i];
    return NULL;
}

static bool isFor(const Model *model, short block, int mode) {
    unsigned modes = operationNumbered(model, block)->modes;
    return modes & 1u << mode || (modes & commonBit && model->commonModes & 1u << mode);
}

static void callQueued(Model *model, const char *what, short number) {
    tell(model, "%s #%d", what, number);
    model->depth++;
    performAll(model, (short)(firstOwnPlace + number), 0);
    model->depth--;
}

/// All blocks are taken, those of other modes put back before what was queued meanwhile.
static void doBlocks(Model *model, int mode) {
    short taken[mostOperations], back[mostOperations];
    int count = model->blockCount, left = 0;
    memcpy(taken, model->blocks, sizeof taken);
    model->blockCount = 0;
    for (int i = 0; i < count; i++) {
        if (isFor(model, taken[i], mode)) callQueued(model, "block", taken[i]);
        else back[left++] = taken[i];
    }
    memmove(model->blocks + left, model->blocks, (size_t)model->blockCount * sizeof back[0]);
    memcpy(model->blocks, back, (size_t)left * sizeof back[0]);
    model->blockCount += left;
}

// MARK: - Sources

static bool isBefore(const Model *model, int left, int right) {
    if (plan(model, left)->order != plan(model, right)->order) return plan(model, left)->order < plan(model, right)->order;
    return model->items[left].signalTime < model->items[right].signalTime;
}

/// 4: whether any was performed. With `once` the first one is enough. The original answers for the last one alone.
static bool doSources(Model *model, int mode, bool once) {
    int signalled[itemCount], count = 0;
    bool handled = false, lastHandled = false;
    for (int i = 0; i < itemCount; i++) {
        if (!isKind(model, i, sourceItem) || !isIn(model, i, mode) || !model->items[i].signalled) continue;
        int place = count++;
        for (; place > 0 && isBefore(model, i, signalled[place - 1]); place--) signalled[place] = signalled[place - 1];
        signalled[place] = i;
    }
    for (int i = 0; i < count && !(once && handled); i++) {
        lastHandled = model->items[signalled[i]].signalled;
        if (!lastHandled) continue;
        model->items[signalled[i]].signalled = false;
        handled = true;
        call(model, signalled[i], "performs");
    }
    if (handled != lastHandled) spareTheOriginal(model, "D13", -1);
    return handled;
}

/// 9.3: whether it was performed. One that has been drained meanwhile is, one that has been taken out is not, nor one that a nested run
/// has performed meanwhile.
static bool doPort(Model *model, int mode, int item) {
    if (!isIn(model, item, mode)) return false;
    if (model->activation->hasNested && !model->items[item].signalled) return false;
    model->items[item].signalled = false;
    call(model, item, "performs");
    return true;
}

// MARK: - The wait

static void findReady(Model *model, Waker found, short cause, Waker *ready, short *readyCause) {
    if (*ready != nothing && *ready != found) giveUp(model, "two-ready", cause > *readyCause ? cause : *readyCause);
    if (*ready == nothing || cause > *readyCause) *readyCause = cause;
    *ready = found;
}

/// What would end a wait in that mode at once. Of two such things either may be named first, so there may be one only.
static Waker onlyReady(Model *model, int mode, bool servesQueue) {
    Waker ready = nothing;
    short cause = -1;
    int ports = 0;
    for (int i = 0; i < itemCount; i++) {
        ItemState *state = &model->items[i];
        if (waitsFor(model, i, mode) && state->date <= model->now) findReady(model, someTimer, state->cause, &ready, &cause);
        if (isKind(model, i, portItem) && isIn(model, i, mode) && state->signalled) {
            findReady(model, somePort, state->cause, &ready, &cause);
            if (ports++) giveUp(model, "two-ready", cause);
            model->readyPort = i;
        }
    }
    if (model->wakeUpPending) findReady(model, wakeUp, model->wakeUpCause, &ready, &cause);
    if (servesQueue && model->functionCount) findReady(model, mainQueue, model->functions[model->functionCount - 1], &ready, &cause);
    return ready;
}

/// Whether a timer's date is too near to now to say which is first.
static bool isNow(const Model *model, int item) {
    const ItemState *state = &model->items[item];
    return isKind(model, item, timerItem) && state->valid && state->soon && labs(state->date - model->now) < unit / 4;
}

/// An outer run's limit that is passed by a nested run's sleep: the original's wakes that, ours is looked at when the nested run is over.
static void checkLimit(Model *model, const Activation *outer) {
    if (outer->limit < 0) return;
    if (outer->limit < model->now + unit) spareTheOriginal(model, "D33", model->activation->operation);
    if (labs(outer->limit - model->now) < unit / 4) giveUp(model, "same-time", model->activation->operation);
}

/// Whatever else happens at the moment to which time has come, happens before or after it: who knows.
static void checkMoment(Model *model, int except) {
    for (int i = 0; i < itemCount; i++)
        if (i != except && isNow(model, i)) giveUp(model, "same-time", model->items[i].cause);
    for (Activation *outer = model->activation->outer; outer; outer = outer->outer) checkLimit(model, outer);
}

/// Whether the limit of this run has passed already, during a nested one. Then it does not sleep.
static bool limitHasPassed(const Model *model) {
    long limit = model->activation->limit;
    return limit >= 0 && limit <= model->now;
}

static Waker sleepUntilSomething(Model *model, int mode) {
    if (limitHasPassed(model)) return timeLimit;
    int next = -1;
    for (int i = 0; i < itemCount; i++)
        if (waitsFor(model, i, mode) && (next < 0 || model->items[i].date < model->items[next].date)) next = i;
    long limit = model->activation->limit;
    bool timerIsFirst = next >= 0 && model->items[next].date < limit;
    if (next >= 0 && labs(model->items[next].date - limit) < unit / 4) giveUp(model, "same-time", model->items[next].cause);
    model->now = timerIsFirst ? model->items[next].date : limit;
    checkMoment(model, timerIsFirst ? next : -1);
    return timerIsFirst ? someTimer : timeLimit;
}

/// What a run that has nested in this one may have left undone: this run does not sleep on it.
static bool hasNewWork(const Model *model, int mode) {
    if (!model->activation->hasNested) return false;
    if (model->activation->stopped || model->stoppedModes & 1u << mode) return true;
    for (int i = 0; i < model->blockCount; i++)
        if (isFor(model, model->blocks[i], mode)) return true;
    for (int i = 0; i < itemCount; i++)
        if (isKind(model, i, sourceItem) && isIn(model, i, mode) && model->items[i].signalled) return true;
    return false;
}

static short whatHappensMeanwhile(const Model *model, short wait) {
    for (int i = 0; i < model->program->count; i++) {
        const Operation *operation = &model->program->operations[i];
        if (operation->place == whileWaiting && operation->call == wait) return operation->number;
    }
    return -1;
}

/// 7
static Waker waitForSomething(Model *model, int mode, bool polls, bool servesQueue) {
    Waker waker = onlyReady(model, mode, servesQueue);
    if (polls) return waker;
    short meanwhile = whatHappensMeanwhile(model, model->waits);
    bool looksOnly = waker != nothing || hasNewWork(model, mode);
    if ((looksOnly || limitHasPassed(model)) && meanwhile >= 0) giveUp(model, "not-asleep", meanwhile);
    if (meanwhile >= 0) {
        int depth = model->depth;
        model->depth = 0;
        performAll(model, whileWaiting, model->waits);
        model->depth = depth;
        waker = onlyReady(model, mode, servesQueue);
    }
    model->waits++;
    if (looksOnly && waker == nothing) spareTheOriginal(model, "D36", -1);
    return looksOnly || waker != nothing ? waker : sleepUntilSomething(model, mode);
}

// MARK: - The run

static bool isEmpty(const Model *model, int mode) {
    if (model->program->withTimers) return false;
    if (model->program->onMainThread && !model->inFunction && model->commonModes & 1u << mode) return false;
    for (int i = 0; i < itemCount; i++)
        if (!isKind(model, i, observerItem) && isIn(model, i, mode)) return false;
    for (int i = 0; i < model->blockCount; i++)
        if (isFor(model, model->blocks[i], mode)) return false;
    return true;
}

/// What is queued meanwhile has to wait for its turn.
static void drainMainQueue(Model *model) {
    short taken[mostOperations];
    int count = model->functionCount;
    memcpy(taken, model->functions, sizeof taken);
    model->functionCount = 0;
    model->inFunction = true;
    for (int i = 0; i < count; i++) callQueued(model, "function", taken[i]);
    model->inFunction = false;
}

/// 9: whether what was served counts as a source.
static bool serve(Model *model, int mode, Waker waker, int port) {
    switch (waker) {
    case someTimer: doTimers(model, mode); return false;
    case mainQueue: drainMainQueue(model); return true;
    case somePort: return doPort(model, mode, port);
    case wakeUp: case timeLimit: case nothing: return false;
    }
    return false;
}

enum { goesOn, finished, stopped, timedOut, handledSource };

static bool takeStop(Model *model, int mode) {
    bool *own = &model->activation->stopped;
    if (*own) return *own = false, true;
    if (!(model->stoppedModes & 1u << mode)) return false;
    model->stoppedModes &= ~(1u << mode);
    return true;
}

static int decide(Model *model, int mode, bool stopsAfterSource) {
    if (stopsAfterSource) return handledSource;
    if (model->activation->limit < 0 || limitHasPassed(model)) return timedOut;
    if (takeStop(model, mode)) return stopped;
    return isEmpty(model, mode) ? finished : goesOn;
}

/// 8. What has ended the wait is between that and its callback while the observers are called.
static void handOver(Model *model, int mode, Waker waker) {
    unsigned before = model->timersHandedOver;
    if (waker == someTimer) model->timersHandedOver |= 1u << mode;
    model->handedOver = waker == wakeUp || waker == timeLimit ? nothing : waker;
    doObservers(model, mode, 64);
    model->handedOver = nothing;
    model->timersHandedOver = before;
}

/// Steps 2 to 9, again and again.
static int passes(Model *model, int mode, int limit, bool once) {
    if (takeStop(model, mode)) return stopped;
    bool onQueue = model->program->onMainThread && !model->inFunction && model->commonModes & 1u << mode;
    bool queueServedLast = true;
    model->activation->limit = limit > 0 ? model->now + limit * unit : -1;
    for (;;) {
        model->activation->ignoresWakeUps = false;
        doObservers(model, mode, 2);
        doObservers(model, mode, 4);
        doBlocks(model, mode);
        bool handled = doSources(model, mode, once);
        if (handled) doBlocks(model, mode);
        bool polls = handled || limit == 0;
        Waker waker = onQueue && !queueServedLast && model->functionCount ? mainQueue : nothing; // 5
        int port = -1;
        queueServedLast = false;
        if (waker == nothing) {
            if (!polls) doObservers(model, mode, 32);
            waker = waitForSomething(model, mode, polls, onQueue);
            if (waker == wakeUp) model->wakeUpPending = false;
            model->activation->ignoresWakeUps = true;
            model->activation->hasNested = false;
            port = model->readyPort; // a nested run will find another
            if (!polls) handOver(model, mode, waker);
        }
        model->activation->ignoresWakeUps = true;
        handled |= serve(model, mode, waker, port);
        queueServedLast = waker == mainQueue;
        doBlocks(model, mode);
        int result = decide(model, mode, handled && once);
        if (result != goesOn) return result;
    }
}

/// Whether the callback of a timer is running that is, or was when it was called, in several modes, that one among them; -1: any.
static bool insideSharedTimer(const Model *model, int mode) {
    for (int i = 0; i < itemCount; i++) {
        const ItemState *state = &model->items[i];
        bool isShared = isKind(model, i, timerItem) && state->busy && __builtin_popcount(state->busyIn) > 1;
        if (isShared && (mode < 0 || state->busyIn & 1u << mode)) return true;
    }
    return false;
}

static void beginRun(Model *model, const Operation *operation) {
    int mode = __builtin_ctz(operation->modes), outerMode = model->mode, result = finished;
    if (model->runs == deepest) giveUp(model, "too-deep", operation->number);
    // Ours, too, may have armed the timer port of the other mode, with the date that is being served.
    if (insideSharedTimer(model, mode)) giveUp(model, "D16", operation->number);
    if (insideSharedTimer(model, -1)) spareTheOriginal(model, "D16", operation->number);
    model->depth++;
    if (!isEmpty(model, mode)) {
        Activation activation = {.outer = model->activation, .limit = -1, .operation = operation->number};
        model->activation = &activation;
        model->mode = mode;
        model->runs++;
        doObservers(model, mode, 1);
        result = passes(model, mode, operation->limit, operation->once);
        doObservers(model, mode, 128);
        model->runs--;
        model->mode = outerMode;
        model->activation = activation.outer;
        if (model->activation) model->activation->hasNested = true;
    }
    model->depth--;
    tell(model, "result %s", resultText(result));
}

// MARK: - Operations

/// Whether an operation is about things of the kind that has ended the wait.
static bool concerns(const Model *model, const Operation *operation, Waker waker) {
    bool aboutItem = operation->action <= setTimer;
    switch (waker) {
    case someTimer: return operation->action == declareCommon || (aboutItem && isKind(model, operation->item, timerItem));
    case somePort: return operation->action == declareCommon || (aboutItem && isKind(model, operation->item, portItem));
    case mainQueue: return operation->action == queueFunction;
    default: return false;
    }
}

/// Between a wait and the callback of what has ended it, the port is silent in one loop (as a mach port is, when the message has
/// been taken out of it), and may be ready still in the other. What is known of ours: a client's port stays ready; timers are this
/// run's, and a run of their mode nested here sees none until something about them changes. Of the main queue's port nothing is
/// known: when libdispatch makes it ready again is its own affair.
static void mindTheHandOver(Model *model, const Operation *operation) {
    bool runs = operation->action == runMode;
    bool touches = runs || concerns(model, operation, model->handedOver);
    if (runs && operation->modes & model->timersHandedOver) giveUp(model, "D17", operation->number);
    if (model->handedOver == mainQueue && touches) giveUp(model, "D17", operation->number);
    if (model->handedOver != nothing && touches) spareTheOriginal(model, "D17", operation->number);
}

static void poke(Model *model, const Operation *operation) {
    model->items[operation->item].signalled = true;
    model->items[operation->item].cause = operation->number;
}

static void signalItem(Model *model, const Operation *operation) {
    ItemState *state = &model->items[operation->item];
    if (!state->valid || state->signalled) return; // the first time counts
    state->signalled = true;
    state->signalTime = model->clock++;
}

static void change(Model *model, const Operation *operation) {
    ItemState *state = &model->items[operation->item];
    switch (operation->action) {
    case addItem: add(model, operation); break;
    case removeItem: removeFrom(model, operation); break;
    case invalidateItem: invalidate(model, operation->item); break;
    case signalSource: signalItem(model, operation); break;
    case pokePort: poke(model, operation); break;
    case drainPort:
        tell(model, "%s", state->signalled ? "drained" : "was empty");
        state->signalled = false;
        break;
    case setTimer: setDate(model, operation); break;
    case wakeLoop: wake(model, operation->number); break;
    case stopLoop: stop(model, operation->number); break;
    case stopMode:
        model->stoppedModes |= operation->modes;
        wake(model, operation->number);
        break;
    case performBlock:
        model->blocks[model->blockCount++] = operation->number;
        model->hasModeNamedCommon |= (operation->modes & commonBit) != 0;
        break;
    case queueFunction: model->functions[model->functionCount++] = operation->number; break;
    case declareCommon: declare(model, operation->modes); break;
    default: beginRun(model, operation);
    }
}

static void answerItem(Model *model, const Operation *operation) {
    const ItemState *state = &model->items[operation->item];
    switch (plan(model, operation->item)->kind) {
    case sourceItem: tell(model, "valid %d, signalled %d", state->valid, state->signalled); break;
    case timerItem:
        if (isNow(model, operation->item)) giveUp(model, "same-time", operation->number);
        tell(model, "valid %d, next %s", state->valid, !state->valid ? "none" : state->date <= model->now ? "past" : "future");
        break;
    default: tell(model, "valid %d", state->valid);
    }
}

static void ask(Model *model, const Operation *operation) {
    const ItemState *state = &model->items[operation->item];
    switch (operation->action) {
    case askContains: tell(model, "%d", operation->modes & commonBit ? state->common : (operation->modes & state->modes) != 0); break;
    case askItem: answerItem(model, operation); break;
    case askLoop: tell(model, "%s", modeText(model->mode)); break;
    case askModes: tell(model, "Default 1, A 1, B 1, CommonModes %d", model->hasModeNamedCommon); break;
    case askNextDate: tell(model, "1"); break; // each mode has its timer that is far off
    default: tell(model, "%d", isEmpty(model, __builtin_ctz(operation->modes)));
    }
}

static void performOne(Model *model, const Operation *operation) {
    char line[lineLength];
    describeOperation(model->program, operation, line);
    tell(model, "%s", line);
    model->last = operation->number;
    model->performed.has[operation->number] = true;
    mindTheHandOver(model, operation);
    if (operation->action < askContains) return change(model, operation);
    model->depth++;
    ask(model, operation);
    model->depth--;
}

static void performAll(Model *model, short place, short call) {
    const Program *program = model->program;
    for (int i = 0; i < program->count; i++) {
        const Operation *operation = &program->operations[i];
        if (operation->place == place && operation->call == call) performOne(model, operation);
    }
}

Prediction predict(const Program *program) {
    Model *model = calloc(1, sizeof *model);
    Prediction prediction = {0};
    size_t length;
    *model = (Model){.program = program, .commonModes = 1, .mode = -1, .last = -1};
    model->log = open_memstream(&prediction.log, &length);
    for (int i = 0; i < itemCount; i++) {
        model->items[i] = (ItemState){.valid = true, .cause = -1};
        setMoment(model, i, program->items[i].moment);
    }
    if (setjmp(model->undetermined) == 0) {
        performAll(model, wholeProgram, 0);
        tell(model, "end");
    }
    fclose(model->log);
    prediction.reason = model->reason;
    prediction.culprit = model->culprit;
    prediction.performed = model->performed;
    free(model);
    return prediction;
}
