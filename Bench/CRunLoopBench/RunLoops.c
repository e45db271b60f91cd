/// RunLoops.c: this project's run loop, and the one of the toolchain, each through a table of its functions.
#include "Sides.h"

static bool hasToolchains(void) { return CFRunLoopTableOriginal(NULL); }

static void called(void *info) { ((Item *)info)->call(((Item *)info)->info); }
static void timerFired(CFRunLoopTimerRef timer, void *info) { called(info); }

static void openLoop(Loop *l) { l->loop = T(l->bench)->CFRunLoopGetCurrent(); }

/// The loop ends with its thread, and releases its sources.
static void closeLoop(Loop *l, Item *source) {}

static void add(Item *i, CFRunLoopSourceContext *context) {
    const CFRunLoopTable *t = T(i->loop->bench);
    i->object = t->CFRunLoopSourceCreate(NULL, 0, context);
    t->CFRunLoopAddSource(i->loop->loop, i->object, BenchMode(i->loop->bench));
    t->CFRelease(i->object);
}

static void addSource(Item *i) { add(i, &(CFRunLoopSourceContext){.version = 0, .info = i, .perform = called}); }

static void signalSource(Item *i) { T(i->loop->bench)->CFRunLoopSourceSignal(i->object); }
static void wakeUp(Loop *l) { T(l->bench)->CFRunLoopWakeUp(l->loop); }

/// The original's getPort returns a pointer on Linux, ours an int. The return value fills a whole register, which is right for both.
static void *getPort(void *info) { return (void *)(intptr_t)((Item *)info)->descriptor; }

static void addReader(Item *i) {
    CFRunLoopSourceContext1 context = {.version = 1, .info = i, .getPort = (__CFPort (*)(void *))(void (*)(void))getPort,
                                       .perform = (void *)called};
    add(i, (CFRunLoopSourceContext *)&context);
}

static void setNow(Loop *l) { l->now = T(l->bench)->CFAbsoluteTimeGetCurrent(); }

static void makeTimer(Item *i) {
    CFRunLoopTimerContext context = {.info = i};
    i->object = T(i->loop->bench)->CFRunLoopTimerCreate(NULL, i->loop->now + i->date, i->interval, 0, 0, timerFired, &context);
}

static void addTimer(Item *i) { T(i->loop->bench)->CFRunLoopAddTimer(i->loop->loop, i->object, BenchMode(i->loop->bench)); }
static void moveTimer(Item *i) { T(i->loop->bench)->CFRunLoopTimerSetNextFireDate(i->object, i->loop->now + i->date); }
static void invalidateTimer(Item *i) { T(i->loop->bench)->CFRunLoopTimerInvalidate(i->object); }
static void freeTimer(Item *i) { T(i->loop->bench)->CFRelease(i->object); }

static void addBlock(Loop *l, long *calls) { T(l->bench)->CFRunLoopPerformBlock(l->loop, BenchMode(l->bench), ^{ ++*calls; }); }

static void limitedRun(Loop *l) {
    CFRunLoopRunResult result = T(l->bench)->CFRunLoopRunInMode(BenchMode(l->bench), 1000, true);
    BenchCheck(l->bench, "a run that handles a source returns", result, kCFRunLoopRunHandledSource);
}

static void poll(Loop *l) { T(l->bench)->CFRunLoopRunInMode(BenchMode(l->bench), 0, false); }

/// A limit this far ahead counts as none on both sides: neither side does anything for it.
static void run(Loop *l) {
    CFRunLoopRunResult result = T(l->bench)->CFRunLoopRunInMode(BenchMode(l->bench), 1e10, false);
    BenchCheck(l->bench, "a run that is stopped returns", result, kCFRunLoopRunStopped);
}

static void stop(Loop *l) { T(l->bench)->CFRunLoopStop(l->loop); }

#define RUN_LOOP \
    openLoop, closeLoop, addSource, signalSource, wakeUp, addReader, .setNow = setNow, .makeTimer = makeTimer, .addTimer = addTimer, \
    .moveTimer = moveTimer, .invalidateTimer = invalidateTimer, .freeTimer = freeTimer, .addBlock = addBlock, .limitedRun = limitedRun, \
    .poll = poll, .run = run, .stop = stop
const Side BenchRunLoopSide = {"ours", NULL, RUN_LOOP}, BenchToolchainSide = {"toolchain", hasToolchains, RUN_LOOP, .readsItself = true};
