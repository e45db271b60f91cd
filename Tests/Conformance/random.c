/// random: a program made of a random number. Operations on one loop, from outside and from inside every callback, each with a line
/// in the log, and every answer the loop gives.
///
///     random SEED [OPERATIONS]
///
/// OPERATIONS is how many operations there are at most; lower it to make a difference short.
///
/// The log must depend on nothing but the seed, so whatever two right answers may differ in is avoided. Of the things that can end
/// a wait (a due timer, a ready port, the main queue, a wake-up) at most one is pending at a time: which of two the kernel names
/// first is nobody's promise. And the original's known faults are stepped around, unless a switch asks for them:
///
///     -DWITH_D13   a run nested in a source 0, and the invalidation of sources, while further source 0s wait in the same pass
///     -DWITH_D16   no far timer in every mode: the original's timer descriptor then stays armed
///     -DWITH_D29   items of the common modes removed from one mode alone
///     -DWITH_D30   the next fire date set inside the callout of a timer that is in several modes
///     -DWITH_D33   limited runs nested in limited runs
#include "conformance.h"

#if defined(WITH_D13)
#define D13 1
#else
#define D13 0
#endif
#if defined(WITH_D16)
#define D16 1
#else
#define D16 0
#endif
#if defined(WITH_D29)
#define D29 1
#else
#define D29 0
#endif
#if defined(WITH_D30)
#define D30 1
#else
#define D30 0
#endif
#if defined(WITH_D33)
#define D33 1
#else
#define D33 0
#endif

typedef struct dispatch_queue_s *dispatch_queue_t;
extern struct dispatch_queue_s _dispatch_main_q;
extern void dispatch_async_f(dispatch_queue_t queue, void *context, void (*work)(void *));

// MARK: - Chance

static uint64_t state;

/// A number from 0 to `count` - 1.
static unsigned pick(unsigned count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % count;
}

static int chance(unsigned percent) { return pick(100) < percent; }

// MARK: - The world

enum { sourceCount = 5, portCount = 3, timerCount = 6, observerCount = 5, modeCount = 3, deepest = 4 };

/// One source, timer or observer, and what the generator knows of it.
typedef struct {
    CFTypeRef ref;
    char name[8];
    int common;   // it has been added to the common modes
    int ready;    // a port: has been poked; a timer: its date has passed and it has not fired since
    int inside;   // its callback is running
} Thing;

static Thing sources[sourceCount], ports[portCount], timers[timerCount], observers[observerCount];
static CFRunLoopMode modes[modeCount];
static int budget, blocksMade, queuedMade;
static int handingOver;   // a port has ended a wait, and its callback is about to come
static int queued;        // functions in the main queue
static int woken;         // a wake-up may be pending
static int runDepth, limitedRuns, inSource0;
static int withTimers;         // this program has timers
static int withCommonModes;    // and declares common modes

static void operate(void);

/// What every callback does: up to three operations.
static void callback(void) {
    for (unsigned i = pick(4); i > 0; i--) operate();
}

static int anyReady(const Thing *things, int count) {
    for (int i = 0; i < count; i++) if (things[i].ready) return 1;
    return 0;
}

/// Whether something other than `except` could end the next wait.
enum Waker { wakerTimer, wakerPort, wakerQueue, wakerWakeUp };
static int somethingElsePending(enum Waker except) {
    return (except != wakerTimer && anyReady(timers, timerCount)) || anyReady(ports, portCount) ||
        (except != wakerQueue && queued) || (except != wakerWakeUp && woken);
}

static int signalledSources(void) {
    int count = 0;
    for (int i = 0; i < sourceCount; i++) count += CFRunLoopSourceIsSignalled((CFRunLoopSourceRef)sources[i].ref);
    return count;
}

/// The default mode more often than the others, so that things meet.
static CFRunLoopMode anyMode(void) { return chance(50) ? modes[0] : modes[pick(modeCount)]; }
static CFRunLoopMode anyModeOrCommon(void) { return chance(25) ? COMMON : anyMode(); }

/// The mode to remove a thing from: not one mode alone, if it is a common item. [D29]
static CFRunLoopMode modeToLeave(const Thing *thing) { return thing->common && !D29 ? COMMON : anyModeOrCommon(); }

// MARK: - Making things

static void makeSource(Thing *thing, int index) {
    snprintf(thing->name, sizeof thing->name, "s%d", index);
    thing->ref = source(thing->name, (CFIndex)pick(3) - 1, ^{
        inSource0++;
        callback();
        inSource0--;
    });
}

static void makePort(Thing *thing, int index) {
    snprintf(thing->name, sizeof thing->name, "p%d", index);
    thing->ref = portSource(thing->name, (CFIndex)pick(3) - 1, ^{
        thing->ready = handingOver = 0;
        callback();
    });
}

/// Observers of equal order are called as they were added, but a new common mode gets the common items in the order of a hash table:
/// where common modes are declared, no two observers of the mode have the same order.
static void makeObserver(Thing *thing, int index) {
    static const CFOptionFlags masks[] = {1, 2, 4, 32, 64, 128, 2 | 32, 1 | 128, kCFRunLoopAllActivities, 4 | 64};
    snprintf(thing->name, sizeof thing->name, "o%d", index);
    thing->ref = observer(thing->name, masks[pick(10)], chance(70), ((CFIndex)pick(3) - 1) * 10 + (withCommonModes ? index : 0), ^(CFRunLoopActivity activity) {
        if (chance(50)) operate();
    });
    thing->common = 0;
}

/// A new timer, in the past or far away; always a different date.
static void makeTimer(Thing *thing, int index) {
    static int made;
    int due = !somethingElsePending(wakerTimer) && chance(60);
    snprintf(thing->name, sizeof thing->name, "t%d.%d", index, made++);
    thing->common = 0;
    thing->ready = due;
    say("new %s timer %s", due ? "due" : "far", thing->name);
    thing->ref = timer(strdup(thing->name), due ? -1 : 3600 + made, chance(50) ? 0 : 3600, ^{
        thing->ready = 0;
        thing->inside = 1;
        callback();
        thing->inside = 0;
    });
}

// MARK: - Operations

static void addOrRemoveSource(void) {
    Thing *thing = chance(70) || handingOver ? &sources[pick(sourceCount)] : &ports[pick(portCount)];
    if (chance(65)) {
        CFRunLoopMode mode = anyModeOrCommon();
        say("add %s to %s", thing->name, text(mode));
        if (mode == COMMON && CFRunLoopSourceIsValid((CFRunLoopSourceRef)thing->ref)) thing->common = 1;
        CFRunLoopAddSource(LOOP, (CFRunLoopSourceRef)thing->ref, mode);
    } else {
        CFRunLoopMode mode = modeToLeave(thing);
        say("remove %s from %s", thing->name, text(mode));
        if (mode == COMMON) thing->common = 0;
        CFRunLoopRemoveSource(LOOP, (CFRunLoopSourceRef)thing->ref, mode);
    }
}

static void addOrRemoveTimer(void) {
    if (!withTimers) return;
    int index = pick(timerCount);
    Thing *thing = &timers[index];
    if (!thing->ref || !CFRunLoopTimerIsValid((CFRunLoopTimerRef)thing->ref)) makeTimer(thing, index);
    CFRunLoopTimerRef t = (CFRunLoopTimerRef)thing->ref;
    if (chance(75)) {
        CFRunLoopMode mode = anyModeOrCommon();
        say("add %s to %s", thing->name, text(mode));
        if (mode == COMMON) thing->common = 1;
        CFRunLoopAddTimer(LOOP, t, mode);
    } else {
        CFRunLoopMode mode = modeToLeave(thing);
        say("remove %s from %s", thing->name, text(mode));
        if (mode == COMMON) thing->common = 0;
        CFRunLoopRemoveTimer(LOOP, t, mode);
    }
    usleep(300);
}

static int modesOf(CFRunLoopTimerRef t) {
    int count = 0;
    for (int i = 0; i < modeCount; i++) count += CFRunLoopContainsTimer(LOOP, t, modes[i]);
    return count;
}

static void setTimer(void) {
    static int set;
    Thing *thing = &timers[pick(timerCount)];
    if (!thing->ref) return;
    CFRunLoopTimerRef t = (CFRunLoopTimerRef)thing->ref;
    if (thing->inside && modesOf(t) != 1 && !D30) return;
    int due = !somethingElsePending(wakerTimer) && modesOf(t) && chance(70);
    say("set %s %s", thing->name, due ? "to the past" : "far off");
    if (CFRunLoopTimerIsValid(t)) thing->ready = due && !(thing->inside && !CFRunLoopTimerDoesRepeat(t));
    CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + (due ? -1 : 7200 + set++));
    usleep(300);
}

static void addOrRemoveObserver(void) {
    int index = pick(observerCount);
    Thing *thing = &observers[index];
    if (!CFRunLoopObserverIsValid((CFRunLoopObserverRef)thing->ref) && chance(50)) {
        makeObserver(thing, index);
        say("new observer %s, activities %lx, order %ld", thing->name, CFRunLoopObserverGetActivities((CFRunLoopObserverRef)thing->ref),
            (long)CFRunLoopObserverGetOrder((CFRunLoopObserverRef)thing->ref));
    }
    CFRunLoopObserverRef o = (CFRunLoopObserverRef)thing->ref;
    if (chance(65)) {
        CFRunLoopMode mode = anyModeOrCommon();
        say("add %s to %s", thing->name, text(mode));
        if (mode == COMMON && CFRunLoopObserverIsValid(o)) thing->common = 1;
        CFRunLoopAddObserver(LOOP, o, mode);
    } else {
        CFRunLoopMode mode = modeToLeave(thing);
        say("remove %s from %s", thing->name, text(mode));
        if (mode == COMMON) thing->common = 0;
        CFRunLoopRemoveObserver(LOOP, o, mode);
    }
}

static void invalidate(void) {
    Thing *thing;
    switch (pick(4)) {
    case 0:
        if (inSource0 && signalledSources() && !D13) return;
        thing = &sources[pick(sourceCount)];
        say("invalidate %s", thing->name);
        CFRunLoopSourceInvalidate((CFRunLoopSourceRef)thing->ref);
        makeSource(thing, (int)(thing - sources));
        break;
    case 1:
        if (handingOver) return;
        thing = &ports[pick(portCount)];
        say("invalidate %s", thing->name);
        CFRunLoopSourceInvalidate((CFRunLoopSourceRef)thing->ref);
        say("valid %d", CFRunLoopSourceIsValid((CFRunLoopSourceRef)thing->ref));
        makePort(thing, (int)(thing - ports));
        break;
    case 2:
        thing = &timers[pick(timerCount)];
        if (!thing->ref) return;
        say("invalidate %s", thing->name);
        CFRunLoopTimerInvalidate((CFRunLoopTimerRef)thing->ref);
        break;
    default:
        thing = &observers[pick(observerCount)];
        say("invalidate %s", thing->name);
        CFRunLoopObserverInvalidate((CFRunLoopObserverRef)thing->ref);
    }
    thing->ready = thing->common = 0;
}

static void signalSource(void) {
    Thing *thing = &sources[pick(sourceCount)];
    say("signal %s", thing->name);
    CFRunLoopSourceSignal((CFRunLoopSourceRef)thing->ref);
}

static void wake(void) {
    if (somethingElsePending(wakerWakeUp) || (runDepth == 0 && chance(80))) return;
    woken = 1;
    if (chance(60)) {
        say("wake");
        CFRunLoopWakeUp(LOOP);
    } else {
        say("stop");
        CFRunLoopStop(LOOP);
    }
}

/// A ready port that no mode has would be pending for good.
static int isInSomeMode(CFRunLoopSourceRef source) {
    for (int i = 0; i < modeCount; i++) if (CFRunLoopContainsSource(LOOP, source, modes[i])) return 1;
    return 0;
}

static void pokePort(void) {
    Thing *thing = &ports[pick(portCount)];
    if (handingOver) return;
    if (thing->ready && chance(30)) {
        CFRunLoopSourceContext1 context = {.version = 1};
        uint64_t count;
        say("drain %s", thing->name);
        CFRunLoopSourceGetContext((CFRunLoopSourceRef)thing->ref, (CFRunLoopSourceContext *)&context);
        if (read(((Item *)context.info)->descriptor, &count, sizeof count) < 0) say("was empty");
        thing->ready = 0;
    } else if (!somethingElsePending(wakerPort) && isInSomeMode((CFRunLoopSourceRef)thing->ref)) {
        say("poke %s", thing->name);
        poke((CFRunLoopSourceRef)thing->ref);
        thing->ready = 1;
    }
}

static void queueBlock(void) {
    char *name = malloc(8);
    snprintf(name, 8, "b%d", blocksMade++);
    if (chance(15)) {
        const void *both[] = {anyMode(), anyMode()};
        CFArrayRef array = CFArrayCreate(NULL, both, 2, &kCFTypeArrayCallBacks);
        say("block %s for %s and %s", name, text(both[0]), text(both[1]));
        perform(array, name, ^{ callback(); });
        CFRelease(array);
    } else {
        CFRunLoopMode mode = anyModeOrCommon();
        say("block %s for %s", name, text(mode));
        perform(mode, name, ^{ callback(); });
    }
}

static void callQueued(void *name) {
    queued--;
    say("queued %s", (char *)name);
    depth++;
    callback();
    depth--;
}

static void queueFunction(void) {
    if (LOOP != CFRunLoopGetMain() || somethingElsePending(wakerQueue)) return;
    char *name = malloc(8);
    snprintf(name, 8, "q%d", queuedMade++);
    say("queue %s", name);
    queued++;
    dispatch_async_f(&_dispatch_main_q, name, callQueued);
}

/// A timer in several modes that is being called still ends the waits of the other modes there.
static int insideSharedTimer(void) {
    for (int i = 0; i < timerCount; i++) if (timers[i].inside && modesOf((CFRunLoopTimerRef)timers[i].ref) > 1) return 1;
    return 0;
}

static void runSome(void) {
    if (runDepth >= deepest || handingOver || (insideSharedTimer() && !D16) || (inSource0 && signalledSources() && !D13)) return;
    int limited = chance(50) && (!limitedRuns || D33);
    CFRunLoopMode mode = anyMode();
    int outerSource0 = inSource0;
    inSource0 = 0;
    runDepth++;
    limitedRuns += limited;
    run(mode, limited ? 0.03 : 0, chance(30));
    limitedRuns -= limited;
    runDepth--;
    inSource0 = outerSource0;
}

static void ask(void) {
    CFRunLoopMode mode = anyModeOrCommon();
    int s = pick(sourceCount), p = pick(portCount), t = pick(timerCount), o = pick(observerCount);
    switch (pick(5)) {
    case 0:
        say("%s has %s %d, %s %d, %s %d", text(mode), sources[s].name, CFRunLoopContainsSource(LOOP, (CFRunLoopSourceRef)sources[s].ref, mode),
            ports[p].name, CFRunLoopContainsSource(LOOP, (CFRunLoopSourceRef)ports[p].ref, mode),
            observers[o].name, CFRunLoopContainsObserver(LOOP, (CFRunLoopObserverRef)observers[o].ref, mode));
        break;
    case 1:
        if (!timers[t].ref) return;
        CFRunLoopTimerRef timer = (CFRunLoopTimerRef)timers[t].ref;
        CFTimeInterval next = CFRunLoopTimerGetNextFireDate(timer) - CFAbsoluteTimeGetCurrent();
        say("%s: valid %d, in %s %d, next %s", timers[t].name, CFRunLoopTimerIsValid(timer), text(mode), CFRunLoopContainsTimer(LOOP, timer, mode),
            next < -1e6 ? "none" : next < 0 ? "past" : "future");
        break;
    case 2:
        say("%s: signalled %d; %s: valid %d", sources[s].name, CFRunLoopSourceIsSignalled((CFRunLoopSourceRef)sources[s].ref),
            observers[o].name, CFRunLoopObserverIsValid((CFRunLoopObserverRef)observers[o].ref));
        break;
    case 3:
        sayModes(LOOP);
        break;
    default:
        sayCurrentMode(LOOP);
        say("waiting %d, a timer in %s %d", CFRunLoopIsWaiting(LOOP), text(mode), CFRunLoopGetNextTimerFireDate(LOOP, mode) != 0);
    }
}

static void declareCommon(void) {
    CFRunLoopMode mode = anyMode();
    if (!withCommonModes || chance(50)) return;
    say("common mode %s", text(mode));
    CFRunLoopAddCommonMode(LOOP, mode);
    usleep(300);
}

static void operate(void) {
    static void (*const operations[])(void) = {
        addOrRemoveSource, addOrRemoveSource, addOrRemoveTimer, addOrRemoveTimer, setTimer, addOrRemoveObserver, addOrRemoveObserver,
        invalidate, signalSource, signalSource, signalSource, wake, wake, pokePort, pokePort, queueBlock, queueBlock, queueFunction,
        runSome, runSome, runSome, ask, ask, ask, declareCommon,
    };
    if (budget-- > 0) operations[pick(sizeof operations / sizeof operations[0])]();
}

/// Logs every activity, before all other observers. After a wait no wake-up is pending. A due timer gets the moment it needs.
/// Between a wait that a port has ended and the port's callback, the port's bytes are gone there, and still unread here. [D17]
static void watchMode(CFRunLoopMode mode) {
    addObserver(mode, "~", kCFRunLoopAllActivities, LONG_MIN, ^(CFRunLoopActivity activity) {
        handingOver = activity == kCFRunLoopAfterWaiting && anyReady(ports, portCount);
        if (activity == kCFRunLoopAfterWaiting) woken = 0;
        if (activity == kCFRunLoopBeforeSources && anyReady(timers, timerCount)) usleep(300);
    });
    if (withTimers && !D16) addTimer(mode, "far", 90000, 0, NULL);
}

static void program(void) {
    modes[0] = DEFAULT, modes[1] = A, modes[2] = B;
    for (int i = 0; i < sourceCount; i++) makeSource(&sources[i], i);
    for (int i = 0; i < portCount; i++) makePort(&ports[i], i);
    for (int i = 0; i < observerCount; i++) makeObserver(&observers[i], i);
    for (int i = 0; i < modeCount; i++) watchMode(modes[i]);
    for (int i = 0; i < 6; i++) addOrRemoveSource(), addOrRemoveObserver(), addOrRemoveTimer();
    while (budget > 0) {
        say("-");
        for (int i = 0; i < 3; i++) operate();
        runSome();
    }
    sayModes(LOOP);
}

int main(int argumentCount, char **arguments) {
    if (argumentCount < 2) return fprintf(stderr, "usage: random SEED [OPERATIONS]\n"), 2;
    uint64_t seed = strtoull(arguments[1], NULL, 10);
    state = seed * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < 8; i++) pick(1);
    budget = argumentCount > 2 ? atoi(arguments[2]) : 150;
    withTimers = seed % 3 != 0;
    withCommonModes = seed % 5 > 1;
    if (seed % 4 == 0) program();
    else onThread(^{ program(); });
    return 0;
}
