/// PerformProgram.c: performs a program (LoopProgram.h) on a run loop, and logs what the loop does.
/// It decides nothing.
///
/// Include it behind CRunLoopSimulated.c, and the program runs on the simulated kernel, one at a
/// time in a process; include it behind the library's public headers, and it runs on the real one.
#include "../CRunLoopModel/include/LoopProgram.h"

#include <CoreFoundation/CFPortSupport.h>
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/ForFoundationOnly.h>

struct Performance {
    const LoopProgram *program;
    CFAbsoluteTime start; // the moment at which the program began
    CFTypeRef refs[mostNames];
    int calls[mostNames], signals[mostNames];
    int queued[mostBlocks], runs[mostBlocks];
    bool hasNoPorts;            // so the library may abort
    bool hasSteps;              // it has places before steps or waits
    char complaint[160];        // CheckProgram.c: the first rule that was broken; empty: none
    __CFPort ports[mostNames];
    CFStringRef modes[mostNames];
    int16_t firstOf[mostPlaces], nextOf[mostActions]; // the actions of each place, in order; -1: none
    uint32_t itemsWithPlaces; // a mask: those whose callbacks do something
    struct Performer {
        _Atomic(CFRunLoopRef) loop; // NULL until the thread has made its items
        int depth, waits;  // the callbacks around the current call; the waits that have begun
        int passes, pass;  // the passes that have begun; the one that the innermost run is in
        unsigned embedded; // a mask: the modes whose host the thread is
        _Atomic(int) sleepers; // on the real kernel: the threads that act while this one sleeps,
        _Atomic(bool) isAwake; // which is over
    } performers[mostNames];
};

static void performPlace(int place, int thread);

/// What a page that shows the program's lines does before each action, and Conformance, which logs
/// more than the program does.
#if !defined(PERFORM_BEGINS)
#define PERFORM_BEGINS(action, thread) ((void)(action))
#endif
/// What Conformance does when a thread of the program has begun.
#if !defined(PERFORM_THREAD_BEGINS)
#define PERFORM_THREAD_BEGINS(thread) ((void)(thread))
#endif
/// Whether a mode of the loop can be embedded in another event loop.
#if !defined(PERFORM_HAS_HOSTS)
#define PERFORM_HAS_HOSTS true
#endif
/// What the C tests check of an item that only the program still has.
#if !defined(PERFORM_RELEASES)
#define PERFORM_RELEASES(item) ((void)(item))
#endif

// MARK: - The kernels

#if defined(CF_SIMULATED_KERNEL)

static struct Performance performance;

#include "CheckProgram.c"

#define performSay SimulationSay
#define performStartThread SimulationStartThread
#define performAt SimulationAt
#define performSpend SimulationSpend
#define performQueue SimulationMainQueueAsync
#define performClose SimulationClosePort
#define performIsReadable SimulationIsReadable
/// No call of the loop, because a page records the statements of each.
#define performIsOwn(rl) (_CFGetTSD(__CFTSDKeyRunLoop) == (rl))

static void performFault(const LoopAction *action) {
    _Static_assert((int)portsFault == (int)kSimulationNoPorts, "the faults are in the same order");
    performance.hasNoPorts |= action->fault == portsFault;
    SimulationInject((SimulationFault)action->fault, action->seconds);
}

#else

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/// What a thread does that begins, besides.
#if !defined(PERFORM_INHERITS)
#define PERFORM_INHERITS(context) ((void)(context))
#endif

#define performClose(port) ((void)close(port))
#define performIsReadable(port) (CFWatchGetEvents(port, kCFWatchReadable) != 0)
#define performIsOwn(rl) _CFRunLoopIsCurrent(rl)

/// A performance, which all of its threads know: several can go on at once in a process.
static _Thread_local struct PerformReal {
    struct Performance of;
    const CFRunLoopTable *table;
    void *context; // of the client
    FILE *out;
    _Atomic(struct PerformThread *) threads; // that are to be joined
} *performReal;
#define performance (performReal->of)

struct PerformThread {
    struct PerformReal *real;
    struct PerformThread *next;
    pthread_t thread;
    char name[longestName];
    double seconds;
    void (*body)(void *info);
    void *info;
};
static _Thread_local const char *performName = "main";

#if !defined(performSay)
/// Writes a line of the log at once, so that a program that never ends has one too.
static __attribute__((format(printf, 1, 2))) void performSay(const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    double seconds = CFAbsoluteTimeGetCurrent() - performance.start;
    fprintf(performReal->out, "%.3f %s %s\n", seconds, performName, line);
    fflush(performReal->out);
}
#endif

static void performSpend(double seconds) { usleep((useconds_t)(seconds * 1e6)); }

/// The original cancels the limits of runs on other threads, so this one waits a moment. [D31]
static void *performThread(void *info) {
    struct PerformThread *thread = info;
    performReal = thread->real;
    performName = thread->name;
    PERFORM_INHERITS(performReal->context);
    if (thread->seconds > 0) performSpend(thread->seconds);
    thread->body(thread->info);
    performSpend(0.002);
    return NULL;
}

/// The new thread is in the list before the one that starts it ends, so performJoin misses none.
static void performAt(double seconds, const char *name, void (*body)(void *), void *info) {
    struct PerformThread *thread = malloc(sizeof *thread);
    *thread = (struct PerformThread){
        .real = performReal, .seconds = seconds, .body = body, .info = info};
    snprintf(thread->name, sizeof thread->name, "%s", name);
    if (pthread_create(&thread->thread, NULL, performThread, thread) != 0) abort();
    thread->next = performReal->threads;
    while (!atomic_compare_exchange_weak(&performReal->threads, &thread->next, thread)) {}
}

static void performJoin(void) {
    for (struct PerformThread *thread; (thread = performReal->threads);) {
        if (!atomic_compare_exchange_strong(&performReal->threads, &thread, thread->next)) continue;
        pthread_join(thread->thread, NULL);
        free(thread);
    }
}

static void performStartThread(const char *name, void (*body)(void *), void *info) {
    performAt(0, name, body, info);
}

extern struct dispatch_queue_s _dispatch_main_q;
extern void dispatch_async_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *));
static void performQueue(void (*work)(void *), void *info) {
    dispatch_async_f(&_dispatch_main_q, info, work);
}

/// The real kernel has faults of its own.
static void performFault(const LoopAction *action) { (void)action; }

struct CheckRun {};
struct CheckAction {};
#define checkBegin() ((void)0)
#define checkMade(item, date) ((void)0)
#define checkCallBegins(item, activity, thread) ((void)(activity))
#define checkCallEnds(activity, thread) ((void)0)
#define checkActionBegins(action) ((struct CheckAction){})
#define checkActionEnds(before, action, thread) ((void)(before))
#define checkQueues(block, thread, modes) (-1)
#define checkIsQueued(ticket) ((void)(ticket))
#define checkBlockBegins(block, ticket, thread) 0
#define checkBlockEnds(before, thread, ticket) ((void)(before))
#define checkRunBegins(action, thread) ((struct CheckRun){})
#define checkRunEnds(before, action, result, thread) ((void)(before))

#endif

// MARK: - Callbacks

/// The thread that performs: that whose loop is the current one. A thread without a loop here
/// counts as the main thread.
static int performerIndex(void) {
    for (int i = 0; i < performance.program->threadCount; i++)
        if (performance.performers[i].loop && performIsOwn(performance.performers[i].loop))
            return i;
    return mainThreadIndex;
}

/// The width of a line's indentation: two spaces for each run and callback around it, but no more
/// than leave room for the words.
static int performIndentation(int thread) {
    enum { deepest = 40 };
    int depth = thread < 0 ? 0 : performance.performers[thread].depth;
    return 2 * (depth < deepest ? depth : deepest);
}

/// Logs a line.
#define SAY(thread, format, ...) \
    performSay("%*s" format, performIndentation(thread), "" __VA_OPT__(, ) __VA_ARGS__)

static void performPlaces(int kind, int index, int call, int thread) {
    if (kind == inItem && !(performance.itemsWithPlaces & 1u << index)) return;
    performance.performers[thread].depth++;
    for (int i = 0; i < performance.program->placeCount; i++) {
        const LoopPlace *place = &performance.program->places[i];
        if ((int)place->kind == kind && place->index == index
            && (!place->call || place->call == call))
            performPlace(i, thread);
    }
    performance.performers[thread].depth--;
}

static void performCall(void *info, const char *what, unsigned activity) {
    int item = (int)(intptr_t)info, thread = performerIndex(), call = ++performance.calls[item];
    SAY(thread, "%s %s", performance.program->items[item].name, what);
    checkCallBegins(item, activity, thread);
    performPlaces(inItem, item, call, thread);
    checkCallEnds(activity, thread);
}

static void performSource(void *info) { performCall(info, "performs", 0); }

/// A source reads its port itself. [D17]
static void performPort(void *info) {
    CFEventDescriptorClear(performance.ports[(intptr_t)info]);
    performCall(info, "performs", 0);
}

static __CFPort performGetPort(void *info) { return performance.ports[(intptr_t)info]; }

static void performTimer(CFRunLoopTimerRef timer, void *info) {
    performCall(info, "fires", 0);
}

static void performObserver(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    performCall(info, loopActivityName((unsigned)activity), (unsigned)activity);
}

/// `ticket` is the number of its queueing, and -1 in the main queue.
static void performBlockNamed(int block, int ticket) {
    int thread = performerIndex();
    SAY(thread, "%s runs", performance.program->blocks[block]);
    performance.runs[block]++;
    uint32_t before = checkBlockBegins(block, ticket, thread);
    performPlaces(inBlock, block, 0, thread);
    checkBlockEnds(before, thread, ticket);
}

static void performFunction(void *info) { performBlockNamed((int)(intptr_t)info, -1); }

static void performPlaceOutside(void *info) {
    int place = (int)(intptr_t)info;
    const LoopPlace *of = &performance.program->places[place];
    performPlace(place, of->kind == atMoment ? -1 : of->index);
}

#if defined(CF_SIMULATED_KERNEL)

/// Another thread acts before this one goes on.
CF_INLINE void performBefore(int kind, int step, int thread, int call) {
    for (int i = 0; i < performance.program->placeCount; i++) {
        const LoopPlace *place = &performance.program->places[i];
        if ((int)place->kind == kind && place->step == step && place->index == thread
            && place->call == call)
            SimulationCallElsewhere(place->name, performPlaceOutside, (void *)(intptr_t)i);
    }
}

CF_INLINE void performStep(int step) {
    if (!performance.hasSteps) return;
    int thread = performerIndex();
    struct Performer *performer = &performance.performers[thread];
    if (step == 2) performer->pass = ++performer->passes;
    performBefore(beforeStep, step, thread, performer->pass);
}

CF_INLINE void performKernelWait(void) {
    if (!performance.hasSteps) return;
    int thread = performerIndex();
    performBefore(beforeWait, 0, thread, performance.performers[thread].waits);
}

#endif

/// A signal handler, on a thread whose wait a fault interrupts.
CF_INLINE void performHandler(void *unused) {
    int thread = performerIndex();
    for (int i = 0; i < performance.program->placeCount; i++)
        if (performance.program->places[i].kind == inHandler) performPlace(i, thread);
}

#if !defined(CF_SIMULATED_KERNEL)

/// Acts while the loop sleeps; if something has ended the wait before that, then before the loop
/// goes on.
static void performAsleep(void *info) {
    int thread = performance.program->places[(intptr_t)info].index;
    struct Performer *performer = &performance.performers[thread];
    while (!performer->isAwake && !CFRunLoopIsWaiting(performer->loop)) usleep(100);
    performPlaceOutside(info);
    performer->sleepers--;
}

/// The first observer behind a wait.
static void performAwake(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    struct Performer *performer = &performance.performers[(intptr_t)info];
    performer->isAwake = true;
    while (performer->sleepers) usleep(100);
}

#endif

/// The last observer before a wait: starts the threads that act while the loop sleeps.
static void performWait(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    int thread = (int)(intptr_t)info, wait = ++performance.performers[thread].waits;
    performance.performers[thread].isAwake = false;
    for (int i = 0; i < performance.program->placeCount; i++) {
        const LoopPlace *place = &performance.program->places[i];
        if (place->kind != inWait || place->index != thread || place->call != wait) continue;
#if defined(CF_SIMULATED_KERNEL)
        SimulationAt(SimulationGetTime() + 2e-9, place->name, performPlaceOutside,
                     (void *)(intptr_t)i);
#else
        performance.performers[thread].sleepers++;
        performStartThread(place->name, performAsleep, (void *)(intptr_t)i);
#endif
    }
}

// MARK: - Items

static CFTypeRef performMakeItem(int index) {
    const LoopItem *item = &performance.program->items[index];
    void *info = (void *)(intptr_t)index;
    CFRunLoopSourceContext source = {.info = info, .perform = performSource};
    CFRunLoopSourceContext1 port = {
        .version = 1, .info = info, .getPort = performGetPort, .perform = performPort};
    CFRunLoopTimerContext timer = {.info = info};
    CFRunLoopObserverContext observer = {.info = info};
    CFAbsoluteTime date = item->first + (item->isAfterNow ? CFAbsoluteTimeGetCurrent()
                                                          : performance.start);
    CFRunLoopTimerRef made;
    switch (item->kind) {
    case aSource: return CFRunLoopSourceCreate(NULL, item->order, &source);
    case aPort:
        performance.ports[index] = CFEventDescriptorCreate(false);
        return CFRunLoopSourceCreate(NULL, item->order, (CFRunLoopSourceContext *)&port);
    case aTimer:
        checkMade(index, date);
        made = CFRunLoopTimerCreate(NULL, date, item->interval, 0, item->order, performTimer,
                                    &timer);
        CFRunLoopTimerSetTolerance(made, item->tolerance);
        return made;
    default:
        return CFRunLoopObserverCreate(NULL, item->activities & kCFRunLoopAllActivities,
                                       !item->once, item->order, performObserver, &observer);
    }
}

/// The loop of a thread; of the main thread, if it is -1.
static CFRunLoopRef performLoopOf(int thread) {
    return performance.performers[thread < 0 ? mainThreadIndex : thread].loop;
}

static CFRunLoopMode performModeOf(unsigned modes) {
    return performance.modes[__builtin_ctz(modes)];
}

static void performAddOrRemove(const LoopAction *action, CFRunLoopMode mode) {
    CFTypeRef ref = performance.refs[action->item];
    CFRunLoopRef loop = performLoopOf(performance.program->items[action->item].thread);
    bool adds = action->verb == doAdd;
    switch (performance.program->items[action->item].kind) {
    case aTimer:
        (adds ? CFRunLoopAddTimer : CFRunLoopRemoveTimer)(loop, (CFRunLoopTimerRef)ref, mode);
        break;
    case anObserver:
        (adds ? CFRunLoopAddObserver : CFRunLoopRemoveObserver)(loop, (CFRunLoopObserverRef)ref,
                                                                mode);
        break;
    default:
        (adds ? CFRunLoopAddSource : CFRunLoopRemoveSource)(loop, (CFRunLoopSourceRef)ref, mode);
    }
}

static void performInvalidate(int item) {
    CFTypeRef ref = performance.refs[item];
    switch (performance.program->items[item].kind) {
    case aTimer: CFRunLoopTimerInvalidate((CFRunLoopTimerRef)ref); break;
    case anObserver: CFRunLoopObserverInvalidate((CFRunLoopObserverRef)ref); break;
    default: CFRunLoopSourceInvalidate((CFRunLoopSourceRef)ref);
    }
}

// MARK: - Questions

static bool performContains(const LoopAction *action) {
    CFTypeRef ref = performance.refs[action->item];
    CFRunLoopRef loop = performLoopOf(performance.program->items[action->item].thread);
    CFRunLoopMode mode = performModeOf(action->modes);
    switch (performance.program->items[action->item].kind) {
    case aTimer: return CFRunLoopContainsTimer(loop, (CFRunLoopTimerRef)ref, mode);
    case anObserver: return CFRunLoopContainsObserver(loop, (CFRunLoopObserverRef)ref, mode);
    default: return CFRunLoopContainsSource(loop, (CFRunLoopSourceRef)ref, mode);
    }
}

static bool performIsValid(const LoopAction *action) {
    CFTypeRef ref = performance.refs[action->item];
    switch (performance.program->items[action->item].kind) {
    case aTimer: return CFRunLoopTimerIsValid((CFRunLoopTimerRef)ref);
    case anObserver: return CFRunLoopObserverIsValid((CFRunLoopObserverRef)ref);
    default: return CFRunLoopSourceIsValid((CFRunLoopSourceRef)ref);
    }
}

static const char *performModeName(CFStringRef mode) {
    for (int i = 0; mode && i < performance.program->modeCount; i++)
        if (CFEqual(mode, performance.modes[i])) return performance.program->modes[i];
    return mode ? "another mode" : "no mode";
}

static void performAskModes(CFRunLoopRef loop, int thread) {
    CFArrayRef all = CFRunLoopCopyAllModes(loop);
    for (int i = 0; i < performance.program->modeCount; i++) {
        if (CFArrayContainsValue(all, (CFRange){0, CFArrayGetCount(all)}, performance.modes[i]))
            SAY(thread, "has the mode %s", performance.program->modes[i]);
    }
    CFRelease(all);
}

// MARK: - Actions

static void performRun(const LoopAction *action, int thread) {
    CFRunLoopMode mode = performModeOf(action->modes);
    struct CheckRun before = checkRunBegins(action, thread);
    int pass = performance.performers[thread].pass; // which goes on when a nested run is over
    performance.performers[thread].depth++;
    SInt32 result = action->verb == doServe
        ? CFRunLoopServe(performLoopOf(thread), mode)
        : CFRunLoopRunInMode(mode, action->seconds < 0 ? 1e10 : action->seconds, action->once);
    performance.performers[thread].depth--;
    performance.performers[thread].pass = pass;
    checkRunEnds(before, action, result, thread);
    SAY(thread, "%s %s: %s", action->verb == doServe ? "serve" : "run",
        performance.program->modes[__builtin_ctz(action->modes)], loopResultName(result));
}

/// A mode that is not embedded has no descriptor that could be readable.
static bool performAskReadable(const LoopAction *action, int thread) {
    if (!(performance.performers[thread].embedded & action->modes)) return false;
    return performIsReadable(
        CFRunLoopGetDescriptor(performLoopOf(thread), performModeOf(action->modes)));
}

static void performQueueBlock(const LoopAction *action, int thread) {
    const void *modes[mostNames];
    CFIndex count = 0;
    int block = action->block, ticket = checkQueues(block, thread, action->modes);
    performance.queued[block]++;
    for (int i = 0; i < performance.program->modeCount; i++)
        if (action->modes & 1u << i) modes[count++] = performance.modes[i];
    CFTypeRef wanted = count == 1 ? CFRetain(modes[0]) : NULL;
    if (!wanted) wanted = CFArrayCreate(NULL, modes, count, &kCFTypeArrayCallBacks);
    CFRunLoopPerformBlock(performLoopOf(thread), wanted, ^{ performBlockNamed(block, ticket); });
    CFRelease(wanted);
    checkIsQueued(ticket);
}

/// `thread` is the index of the thread that performs; -1 if it is none of the program's. Such a
/// thread means the main thread's loop.
static void performAction(const LoopAction *action, int thread) {
    const LoopProgram *program = performance.program;
    const char *name = action->item < 0 ? "" : program->items[action->item].name;
    const char *mode = action->modes ? program->modes[__builtin_ctz(action->modes)] : "";
    int owner = action->thread >= 0 ? action->thread : thread < 0 ? mainThreadIndex : thread;
    CFRunLoopRef loop = performLoopOf(owner);
    if (!loop || (action->item >= 0 && !performLoopOf(program->items[action->item].thread)))
        return SAY(thread, "too early: that thread has not begun");
    if (action->verb >= doEmbed && !PERFORM_HAS_HOSTS)
        return SAY(thread, "%s cannot be embedded in this loop", mode);
    CFTypeRef ref = action->item < 0 ? NULL : performance.refs[action->item];
    struct CheckAction before = checkActionBegins(action);
    switch (action->verb) {
    case doAdd: case doRemove:
        for (int i = 0; i < program->modeCount; i++)
            if (action->modes & 1u << i) performAddOrRemove(action, performance.modes[i]);
        break;
    case doInvalidate: performInvalidate(action->item); break;
    case doSignal:
        performance.signals[action->item]++;
        CFRunLoopSourceSignal((CFRunLoopSourceRef)ref);
        break;
    case doSend: CFEventDescriptorSet(performance.ports[action->item]); break;
    case doReceive: CFEventDescriptorClear(performance.ports[action->item]); break;
    case doSet:
        CFRunLoopTimerSetNextFireDate(
            (CFRunLoopTimerRef)ref,
            (action->isAfterNow ? CFAbsoluteTimeGetCurrent() : performance.start)
                + action->seconds);
        break;
    case doWake: CFRunLoopWakeUp(loop); break;
    case doStop:
        if (action->modes) _CFRunLoopStopMode(loop, performModeOf(action->modes));
        else CFRunLoopStop(loop);
        break;
    case doBlock: performQueueBlock(action, owner); break;
    case doQueue:
        performance.queued[action->block]++;
        performQueue(performFunction, (void *)(intptr_t)action->block);
        break;
    case doDeclare: CFRunLoopAddCommonMode(loop, performModeOf(action->modes)); break;
    case doRun: case doServe: performRun(action, thread); break;
    case doEmbed:
        if (CFRunLoopGetDescriptor(loop, performModeOf(action->modes)) >= 0)
            performance.performers[owner].embedded |= action->modes;
        break;
    case doAskReadable:
        SAY(thread, "%s is%s readable", mode, performAskReadable(action, thread) ? "" : " not");
        break;
    case doSpend: performSpend(action->seconds); break;
    case doSay: SAY(thread, "%s", action->text); break;
    case doAskWhether:
        SAY(thread, "%s is%s in %s", name, performContains(action) ? "" : " not", mode);
        break;
    case doAskHow:
        SAY(thread, "%s is %s", name, performIsValid(action) ? "valid" : "invalid");
        break;
    case doAskMode: {
        CFRunLoopMode current = CFRunLoopCopyCurrentMode(loop);
        SAY(thread, "runs in %s", performModeName(current));
        if (current) CFRelease(current);
        break;
    }
    case doAskModes: performAskModes(loop, thread); break;
    case doAskNext: {
        CFAbsoluteTime next = CFRunLoopGetNextTimerFireDate(loop, performModeOf(action->modes));
        SAY(thread, "%s has %s", mode, next != 0 ? "a next timer" : "no timer");
        break;
    }
    case doAskFinished:
        SAY(thread, "%s is%s finished", mode,
            _CFRunLoopFinished(loop, performModeOf(action->modes)) ? "" : " not");
        break;
    case doAskWaiting:
        SAY(thread, "%s is%s waiting", program->threads[owner],
            CFRunLoopIsWaiting(loop) ? "" : " not");
        break;
    case doFault: performFault(action); break;
    case doClose: // a number that another file may get
        if (performance.ports[action->item] >= 0) performClose(performance.ports[action->item]);
        performance.ports[action->item] = -1;
        break;
    }
    checkActionEnds(before, action, owner);
}

/// An action that another thread performs for `thread`, which waits for it.
struct PerformElsewhere {
    const LoopAction *action;
    int thread;
    _Atomic(bool) isDone;
};

static void performElsewhere(void *info) {
    struct PerformElsewhere *elsewhere = info;
    performAction(elsewhere->action, elsewhere->thread);
    elsewhere->isDone = true;
}

static void performPlace(int place, int thread) {
    for (int i = performance.firstOf[place]; i >= 0; i = performance.nextOf[i]) {
        const LoopAction *action = &performance.program->actions[i];
        PERFORM_BEGINS(action, thread);
        if (!action->elsewhere) {
            performAction(action, thread);
            continue;
        }
        struct PerformElsewhere elsewhere = {action, thread, false};
        performStartThread("elsewhere", performElsewhere, &elsewhere);
        while (!elsewhere.isDone) performSpend(2e-9);
    }
}

// MARK: - The whole

static void performFindActions(void) {
    _Static_assert(mostNames <= 32, "a mask has a bit for each item");
    for (int i = 0; i < performance.program->placeCount; i++) {
        const LoopPlace *place = &performance.program->places[i];
        if (place->kind == inItem) performance.itemsWithPlaces |= 1u << place->index;
        performance.hasSteps |= place->kind == beforeStep || place->kind == beforeWait;
        performance.firstOf[i] = -1;
    }
    for (int i = performance.program->actionCount - 1; i >= 0; i--) {
        int16_t *first = &performance.firstOf[performance.program->actions[i].place];
        performance.nextOf[i] = *first;
        *first = (int16_t)i;
    }
}

/// Adds an observer to all modes of the calling thread's loop.
static void performObserve(int thread, CFRunLoopActivity activities, CFIndex order,
                           CFRunLoopObserverCallBack callout) {
    CFRunLoopObserverContext context = {.info = (void *)(intptr_t)thread};
    CFRunLoopObserverRef made = CFRunLoopObserverCreate(NULL, activities, true, order, callout,
                                                        &context);
    for (int mode = 0; mode < performance.program->modeCount; mode++)
        CFRunLoopAddObserver(performance.performers[thread].loop, made, performance.modes[mode]);
    CFRelease(made);
}

/// Makes the items of the calling thread, and the observers of its waits. The program keeps the
/// loop, because other threads may wake or stop it after its thread has ended.
static void performBegin(int thread) {
    const LoopProgram *program = performance.program;
    CFRunLoopRef loop = (CFRunLoopRef)CFRetain(CFRunLoopGetCurrent());
    for (int i = 0; i < program->itemCount; i++)
        if (program->items[i].thread == thread) performance.refs[i] = performMakeItem(i);
    performance.performers[thread].loop = loop; // who finds it finds the items
    for (int i = 0; i < program->placeCount; i++) {
        bool isWait = program->places[i].kind == inWait || program->places[i].kind == beforeWait;
        if (!isWait || program->places[i].index != thread) continue;
        performObserve(thread, kCFRunLoopBeforeWaiting, LONG_MAX, performWait);
#if !defined(CF_SIMULATED_KERNEL)
        performObserve(thread, kCFRunLoopAfterWaiting, LONG_MIN, performAwake);
#endif
        break;
    }
    PERFORM_THREAD_BEGINS(thread);
}

static void performActions(int thread) {
    for (int i = 0; i < performance.program->placeCount; i++) {
        const LoopPlace *place = &performance.program->places[i];
        if (place->kind == ofThread && place->index == thread) performPlace(i, thread);
    }
}

static void performThreadOfProgram(void *info) {
    performBegin((int)(intptr_t)info);
    performActions((int)(intptr_t)info);
}

/// Performs a program on the calling thread, which is the main thread. Other threads find its items
/// there.
static void performProgram(const LoopProgram *program) {
    memset(&performance, 0, sizeof performance);
    performance.program = program;
    performFindActions();
    checkBegin();
    performance.start = CFAbsoluteTimeGetCurrent();
    performance.modes[defaultModeIndex] = CFRetain(kCFRunLoopDefaultMode);
    performance.modes[commonModesIndex] = CFRetain(kCFRunLoopCommonModes);
    for (int i = commonModesIndex + 1; i < program->modeCount; i++)
        performance.modes[i] =
            CFStringCreateWithCString(NULL, program->modes[i], kCFStringEncodingUTF8);
    performBegin(mainThreadIndex);
    for (int i = 0; i < program->placeCount; i++) {
        const LoopPlace *place = &program->places[i];
        if (place->kind == atMoment)
            performAt(place->seconds, place->name, performPlaceOutside, (void *)(intptr_t)i);
    }
    for (int i = 1; i < program->threadCount; i++)
        performStartThread(program->threads[i], performThreadOfProgram, (void *)(intptr_t)i);
    performActions(mainThreadIndex);
}

/// Releases the items and loops of a program whose threads have ended.
CF_INLINE void performEnd(void) {
    for (int i = 0; i < performance.program->itemCount; i++) {
        if (!performance.refs[i]) continue;
        performInvalidate(i);
        PERFORM_RELEASES(performance.refs[i]);
        CFRelease(performance.refs[i]);
    }
    for (int i = 0; i < performance.program->threadCount; i++)
        if (performance.performers[i].loop) CFRelease(performance.performers[i].loop);
    for (int i = 0; i < performance.program->modeCount; i++) CFRelease(performance.modes[i]);
}

#if defined(CF_SIMULATED_KERNEL)

CF_INLINE void performBody(void *program) { performProgram(program); }
CF_INLINE void performExit(void *unused) { performEnd(); }

/// What a simulation calls that performs a program.
CF_INLINE Simulation performIn(Simulation simulation) {
    simulation.onSignal = performHandler;
    simulation.onStep = performStep;
    simulation.onWait = performKernelWait;
    simulation.onIdle = checkIdle;
    simulation.onExit = performExit;
    return simulation;
}

/// Performs a program on the simulated kernel.
CF_INLINE SimulationResult performSimulated(const LoopProgram *program, Simulation simulation) {
    return SimulationRun(performIn(simulation), performBody, (void *)program);
}

#else

/// Performs a program on the real kernel, with the calling thread as its main thread. When that
/// thread's code has ended, waits for the others.
static void performReally(const LoopProgram *program, struct PerformReal *real) {
    performReal = real;
    performProgram(program);
    performJoin();
    performEnd();
}

#endif
