/// LockTests.c: two threads use one loop: no lock is held during a callback, no context is released during one, and no lock is released
/// that was not held.
#include "Fakes.h"
#include "LoopSupport.h"
#include <CoreFoundation/CFPortSupport.h>
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CFRunLoopTrace.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

// MARK: - D10: no lock is held in any callback

static CFRunLoopRef probedLoop;           // what the other thread uses while a callback runs
static CFRunLoopTimerRef probedTimer;     // NULL while it is being deallocated
static CFRunLoopObserverRef probedObserver;
static CFRunLoopSourceRef probedSource;

static void useTheLoop(void) {
    CFRunLoopGetCurrent(); // takes the registry's lock, because the thread has no loop yet
    CFRelease(CFRunLoopCopyAllModes(probedLoop));
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, NULL, NULL);
    CFRunLoopAddTimer(probedLoop, timer, COMMON);
    CFRunLoopTimerInvalidate(timer);
    CFRelease(timer);
    CFRunLoopTimerContext context = {0};
    if (probedTimer) {
        CFRunLoopContainsTimer(probedLoop, probedTimer, COMMON);
        CFRunLoopTimerGetNextFireDate(probedTimer);
        CFRunLoopTimerGetContext(probedTimer, &context);
        CFRunLoopTimerSetTolerance(probedTimer, 0);
    }
    if (probedObserver) CFRunLoopObserverGetContext(probedObserver, (CFRunLoopObserverContext *)&context);
    if (probedObserver) CFRunLoopContainsObserver(probedLoop, probedObserver, COMMON);
    if (probedSource) CFRunLoopContainsSource(probedLoop, probedSource, COMMON);
    if (probedSource) CFRunLoopRemoveSource(probedLoop, probedSource, CFSTR("no such mode"));
}

/// Called in each callback. Before the callback returns, another thread must get through every function that takes a lock.
static void probe(const char *callback) {
    __block _Atomic(bool) through = false;
    pthread_t thread = StartThread(^{
        useTheLoop();
        through = true;
    });
    if (!WAIT_UNTIL(through, 5)) FAIL("another thread is blocked while \"%s\" runs", callback);
    JoinThread(thread);
    LOG("%s", callback);
}

static const void *probeRetain(const void *info) { return probe("retain"), info; }
static void probeRelease(const void *info) { probe("release"); }
static void probeSchedule(void *info, CFRunLoopRef rl, CFStringRef mode) { probe("schedule"); }
static void probeCancel(void *info, CFRunLoopRef rl, CFStringRef mode) { probe("cancel"); }
static void probePerform(void *info) { probe("perform"); }
static Boolean areEqual(const void *one, const void *other) { return true; }
static CFHashCode hashOfAll(const void *info) { return 0; }
static void probeTimer(CFRunLoopTimerRef timer, void *info) { probe("timer"); }
static void probeObserver(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { probe("observer"); }
static CFStringRef probeDescription(const void *info) { return probe("describe"), (CFStringRef)CFRetain(CFSTR("described")); }

static int probedPort;
static __CFPort probeGetPort(void *info) { return probe("getPort"), probedPort; }

/// How often a callback has probed the locks since the last call of this function.
static void checkProbed(const char *callbacks, int atLeast) {
    char *log = LogCopy();
    if (Occurrences(log, callbacks) < atLeast) FAIL("\"%s\" was called %d times, not %d:\n%s", callbacks, Occurrences(log, callbacks), atLeast, log);
    free(log);
    LOG_EVENT_CLEAR();
}

TEST(D10_no_lock_is_held_in_the_callbacks_of_a_source,
     "Another thread can take every lock while schedule, cancel, perform, copyDescription and release run. The defect: schedule and "
     "cancel for the common modes, and cancel from Invalidate, were called with the locks held") {
    CFRunLoopSourceContext context = {.retain = probeRetain, .release = probeRelease, .copyDescription = probeDescription,
                                      .schedule = probeSchedule, .cancel = probeCancel, .perform = probePerform};
    probedLoop = LOOP;
    CFRunLoopSourceRef source = probedSource = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopAddSource(LOOP, source, COMMON);
    checkProbed("schedule", 2);
    CFRunLoopAddCommonMode(LOOP, B);
    checkProbed("schedule", 1);
    CFRelease(CFCopyDescription(LOOP));
    checkProbed("describe", 4);
    CFRunLoopSourceSignal(source);
    CFRunLoopRunInMode(A, 0, false);
    checkProbed("perform", 1);
    CFRunLoopRemoveSource(LOOP, source, COMMON);
    checkProbed("cancel", 3);
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopSourceInvalidate(source);
    checkProbed("cancel", 3);
    probedSource = NULL;
    CFRelease(source);
    checkProbed("release", 1);
    context.equal = areEqual;
    context.hash = hashOfAll;
    CFRunLoopSourceRef last = CFRunLoopSourceCreate(NULL, 0, &context), equal = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(LOOP, last, COMMON);
    for (int i = 0; i < 3; i++) CFRunLoopRemoveSource(LOOP, last, (CFStringRef[]){DEFAULT, A, B}[i]);
    CFRelease(last); // now the common items have the only reference
    LOG_EVENT_CLEAR();
    CFRunLoopRemoveSource(LOOP, equal, COMMON);
    checkProbed("release", 1);
    CFRelease(equal);
}

/// Whether another thread can take the lock at once.
static bool isFree(pthread_mutex_t *lock) {
    __block bool isFree;
    OnNewThread(^{
        isFree = pthread_mutex_trylock(lock) == 0;
        if (isFree) pthread_mutex_unlock(lock);
    });
    return isFree;
}

TEST(D10_every_function_gives_back_its_locks,
     "After each public function, another thread can take the locks of the loop, the mode and the items. They are recursive, so the thread that has "
     "kept one does not notice") {
    CFRunLoopRef loop = LOOP;
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL), ported = MakeSource1("ported", eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), NULL);
    CFRunLoopTimerRef timer = MakeTimer("timer", 1000, 1000, NULL);
    CFRunLoopObserverRef observer = MakeObserver("observer", kCFRunLoopEntry, 0, NULL);
    static CFRunLoopSourceContext context0;
    static CFRunLoopSourceContext1 context1 = {.version = 1};
    static CFRunLoopTimerContext contextOfTimer;
    static CFRunLoopObserverContext contextOfObserver;
    static CFRunLoopTraceState state;
    static CFRunLoopTraceTimerState states[4];
    const Body calls[] = {
        ^{ CFRunLoopAddSource(loop, source, A); },
        ^{ CFRunLoopAddSource(loop, ported, A); },
        ^{ CFRunLoopAddTimer(loop, timer, A); },
        ^{ CFRunLoopAddObserver(loop, observer, A); },
        ^{ CFRunLoopAddCommonMode(loop, A); },
        ^{ CFRunLoopAddSource(loop, source, COMMON); },
        ^{ CFRunLoopAddSource(loop, ported, COMMON); },
        ^{ CFRunLoopAddTimer(loop, timer, COMMON); },
        ^{ CFRunLoopAddObserver(loop, observer, COMMON); },
        ^{ CFRunLoopAddCommonMode(loop, B); },
        ^{ CFRunLoopContainsSource(loop, source, A), CFRunLoopContainsSource(loop, source, COMMON), CFRunLoopContainsSource(loop, source, C); },
        ^{ CFRunLoopContainsTimer(loop, timer, A), CFRunLoopContainsTimer(loop, timer, COMMON), CFRunLoopContainsTimer(loop, timer, C); },
        ^{ CFRunLoopContainsObserver(loop, observer, A), CFRunLoopContainsObserver(loop, observer, COMMON), CFRunLoopContainsObserver(loop, observer, C); },
        ^{ CFRunLoopSourceGetContext(source, &context0); },
        ^{ CFRunLoopSourceGetContext(ported, (CFRunLoopSourceContext *)&context1); },
        ^{ CFRunLoopTimerGetContext(timer, &contextOfTimer); },
        ^{ CFRunLoopObserverGetContext(observer, &contextOfObserver); },
        ^{ CFRunLoopSourceSetWatchEvents(ported, kCFWatchReadable | kCFWatchHangUp); },
        ^{ CFRunLoopSourceSignal(source); },
        ^{ CFRunLoopTimerGetNextFireDate(timer); },
        ^{ CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 500); },
        ^{ CFRunLoopTimerSetTolerance(timer, 10); },
        ^{ CFRunLoopTimerGetTolerance(timer); },
        ^{ CFRunLoopGetNextTimerFireDate(loop, A), CFRunLoopGetNextTimerFireDate(loop, C); },
        ^{ CFRelease(CFRunLoopCopyAllModes(loop)); },
        ^{ CFRunLoopCopyCurrentMode(loop); },
        ^{ CFRunLoopPerformBlock(loop, A, ^{}); },
        ^{ _CFRunLoopFinished(loop, A), _CFRunLoopFinished(loop, C); },
        ^{ _CFRunLoopStopMode(loop, B); },
        ^{ CFRunLoopTraceGetState(loop, &state); },
        ^{ CFRunLoopTraceGetTimers(loop, states, 4); },
        ^{ free(DescriptionOf(loop)); },
        ^{ CFRunLoopRunInMode(A, 0, true), CFRunLoopRunInMode(C, 0, true); },
        ^{ CFRunLoopGetDescriptor(loop, A), _CFRunLoopGetDescriptorForMainQueue(loop, B); },
        ^{ CFRunLoopServe(loop, A), CFRunLoopServe(loop, C); },
        ^{ CFRunLoopRemoveSource(loop, source, A), CFRunLoopRemoveSource(loop, source, COMMON); },
        ^{ CFRunLoopRemoveTimer(loop, timer, A), CFRunLoopRemoveTimer(loop, timer, COMMON); },
        ^{ CFRunLoopRemoveObserver(loop, observer, A), CFRunLoopRemoveObserver(loop, observer, COMMON); },
        ^{ CFRunLoopSourceInvalidate(ported), CFRunLoopTimerInvalidate(timer), CFRunLoopObserverInvalidate(observer); },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        calls[i]();
        CFRunLoopModeRef mode = ModeNamed(loop, A);
        pthread_mutex_t *const locks[] = {&loop->_lock, &mode->_lock, &source->_lock, &ported->_lock, &timer->_lock, &observer->_lock};
        for (size_t k = 0; k < sizeof locks / sizeof *locks; k++) {
            if (!isFree(locks[k])) FAIL("call %zu has kept lock %zu", i, k);
        }
        CFRunLoopRef other = NULL, *found = &other;
        OnNewThread(^{ *found = CFRunLoopGetCurrent(); }); // the registry's lock
        CHECK(other != NULL);
    }
}

TEST(D10_no_lock_is_held_in_the_callbacks_of_a_port_source,
     "Another thread can take every lock while getPort runs: at adding, for a new common mode, at removing, at invalidation") {
    CFRunLoopSourceContext1 context = {.version = 1, .getPort = probeGetPort, .perform = probePerform};
    probedPort = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    probedLoop = LOOP;
    CFRunLoopSourceRef source = probedSource = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(LOOP, source, COMMON);
    checkProbed("getPort", 1);
    CFRunLoopAddCommonMode(LOOP, A);
    checkProbed("getPort", 1);
    CFRunLoopRunInMode(A, 0, false);
    checkProbed("perform", 1);
    CFRunLoopRemoveSource(LOOP, source, A);
    checkProbed("getPort", 1);
    CFRunLoopSourceInvalidate(source);
    checkProbed("getPort", 1);
}

TEST(D10_no_lock_is_held_in_the_callbacks_of_a_timer,
     "Another thread can take every lock while a timer's callback runs, and while its context is retained, described or released. The "
     "defect: when its mode released it last, the timer's locks were held") {
    CFRunLoopTimerContext context = {.retain = probeRetain, .release = probeRelease, .copyDescription = probeDescription};
    probedLoop = LOOP;
    CFRunLoopTimerRef timer = probedTimer = CFRunLoopTimerCreate(NULL, 0, 1e9, 0, 0, probeTimer, &context);
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopAddTimer(LOOP, timer, COMMON);
    LOG_EVENT_CLEAR();
    CFRunLoopRunInMode(A, 0, false);
    CHECK_LOG("retain\ntimer\nrelease");
    CFRelease(CFCopyDescription(LOOP));
    checkProbed("describe", 3);
    CFRunLoopTimerInvalidate(timer);
    checkProbed("release", 1);
    probedTimer = NULL;
    CFRelease(timer);

    CFRunLoopTimerRef lastReferenceIsTheModes = CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, probeTimer, &context);
    CFRunLoopAddTimer(LOOP, lastReferenceIsTheModes, COMMON);
    CFRelease(lastReferenceIsTheModes);
    CFRunLoopRemoveTimer(LOOP, lastReferenceIsTheModes, COMMON);
    checkProbed("release", 1);

    CFRunLoopTimerRef once = CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, probeTimer, &context);
    CFRunLoopAddTimer(LOOP, once, COMMON);
    CFRelease(once);
    LOG_EVENT_CLEAR();
    CFRunLoopRunInMode(A, 0, false);
    CHECK_LOG("retain\ntimer\nrelease\nrelease");
}

TEST(D10_no_lock_is_held_in_the_callbacks_of_an_observer,
     "Another thread can take every lock while an observer's callback runs, and while its context is described or released") {
    CFRunLoopObserverContext context = {.retain = probeRetain, .release = probeRelease, .copyDescription = probeDescription};
    probedLoop = LOOP;
    KeepAlive(LOOP, A);
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopObserverRef observer = probedObserver = CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, true, 0, probeObserver, &context);
    CFRunLoopAddObserver(LOOP, observer, COMMON);
    CFRunLoopRunInMode(A, 0.001, false);
    checkProbed("observer", 6);
    CFRelease(CFCopyDescription(LOOP));
    checkProbed("describe", 3);
    CFRunLoopObserverInvalidate(observer);
    checkProbed("release", 1);
    probedObserver = NULL;
    CFRelease(observer);

    CFRunLoopObserverRef once = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, false, 0, probeObserver, &context);
    CFRunLoopAddObserver(LOOP, once, COMMON);
    CFRelease(once);
    LOG_EVENT_CLEAR();
    CFRunLoopRunInMode(A, 0, false);
    CHECK_LOG("observer\nrelease");

    CFRunLoopObserverRef lastReferenceIsTheModes = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, probeObserver, &context);
    CFRunLoopAddObserver(LOOP, lastReferenceIsTheModes, COMMON);
    CFRelease(lastReferenceIsTheModes);
    CFRunLoopRemoveObserver(LOOP, lastReferenceIsTheModes, COMMON);
    checkProbed("release", 1);
}

static void probeBlockGone(void) { probe("block gone"); }

TEST(D10_no_lock_is_held_while_a_block_is_performed_or_let_go,
     "Another thread can take every lock while a queued block is performed, and while the objects that it had captured are released") {
    probedLoop = LOOP;
    CFRunLoopPerformBlock(LOOP, A, ^{ probe("block"); });
    CFRunLoopPerformBlock(LOOP, A, BlockThatTells(probeBlockGone));
    CFRunLoopRunInMode(A, 0, false);
    CHECK_LOG("block\nblock gone");
}

TEST(D10_no_lock_is_held_while_a_loop_is_taken_down,
     "Another thread can take every lock while a thread ends and its loop releases a source, a timer, an observer and a block") {
    probedLoop = CFRunLoopGetMain();
    OnNewThread(^{
        CFRunLoopSourceContext context = {.release = probeRelease, .cancel = probeCancel};
        CFRunLoopTimerContext plain = {.release = probeRelease};
        CFTypeRef items[] = {CFRunLoopSourceCreate(NULL, 0, &context), CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, probeTimer, &plain),
                             CFRunLoopObserverCreate(NULL, 1, true, 0, probeObserver, (CFRunLoopObserverContext *)&plain)};
        CFRunLoopAddSource(LOOP, (CFRunLoopSourceRef)items[0], COMMON);
        CFRunLoopAddTimer(LOOP, (CFRunLoopTimerRef)items[1], COMMON);
        CFRunLoopAddObserver(LOOP, (CFRunLoopObserverRef)items[2], COMMON);
        for (int i = 0; i < 3; i++) CFRelease(items[i]);
        CFRunLoopPerformBlock(LOOP, A, BlockThatTells(probeBlockGone));
    });
    char *log = LogCopy();
    CHECK_EQ_INT(Occurrences(log, "cancel"), 1);
    CHECK_EQ_INT(Occurrences(log, "release"), 3);
    CHECK_EQ_INT(Occurrences(log, "block gone"), 1);
    free(log);
}

// MARK: - D11: invalidated on another thread, in the middle of the callback

static _Atomic(bool) callbackHasBegun, callbackMayEnd;

static void stayInCallback(void) {
    LOG("callback begins");
    callbackHasBegun = true;
    WAIT_UNTIL(callbackMayEnd, 10);
    usleep(5000); // time for a premature release
    LOG("callback ends");
}

static void stayInObserver(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { stayInCallback(); }
static void stayInTimer(CFRunLoopTimerRef timer, void *info) { stayInCallback(); }
static void logRelease(const void *info) { LOG("release"); }

/// Runs A, where an item is in its callback until another thread has invalidated it.
static void runWhileInvalidated(Body invalidate) {
    callbackHasBegun = callbackMayEnd = false;
    LOG_EVENT_CLEAR();
    pthread_t other = StartThread(^{
        CHECK(WAIT_UNTIL(callbackHasBegun, 10));
        invalidate();
        LOG("invalidated");
        callbackMayEnd = true;
    });
    CFRunLoopRunInMode(A, 0, false);
    JoinThread(other);
    CHECK_LOG("callback begins\ninvalidated\ncallback ends\nrelease");
}

TEST(D11_a_context_outlives_its_callback,
     "An observer or a timer that another thread invalidates while its callback runs keeps its context until the callback has returned, even if the "
     "context has no retain callback. The defect: the observer's context was released during the callback") {
    CFRunLoopObserverContext context = {.info = &callbackMayEnd, .release = logRelease};
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, stayInObserver, &context);
    KeepAlive(LOOP, A);
    CFRunLoopAddObserver(LOOP, observer, A);
    runWhileInvalidated(^{
        CFRunLoopObserverInvalidate(observer);
        CHECK(!CFRunLoopObserverIsValid(observer));
    });
    CHECK(!CFRunLoopContainsObserver(LOOP, observer, A));
    CFRelease(observer);
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, 0, 1e9, 0, 0, stayInTimer, (CFRunLoopTimerContext *)&context);
    CFRunLoopAddTimer(LOOP, timer, A);
    runWhileInvalidated(^{ CFRunLoopTimerInvalidate(timer); });
    CFRelease(timer);
}

// MARK: - D23, D24: locks

/// Debug builds abort at one unlock too many.
static void checkLocksAreFree(CFRunLoopRef loop, CFRunLoopTimerRef timer) {
    CFLock_t *locks[] = {&loop->_lock, &ModeNamed(loop, A)->_lock, &ModeNamed(loop, DEFAULT)->_lock, &timer->_lock};
    for (int i = 0; i < 4; i++) {
        CFLock_t *lock = locks[i];
        JoinThread(StartThread(^{ // this thread could lock it twice
            CHECK_EQ_INT(pthread_mutex_trylock(lock), 0);
            __CFUnlock(lock);
        }));
    }
}

TEST(D23_every_lock_given_back_was_held,
     "Runs of unknown, empty and emptied modes, and dates set in each state of a timer, leave every lock as it was. The defect: a lock "
     "was released that no thread held, on which debug builds abort") {
    CFRunLoopTimerRef timer = MakeTimer("", 1e6, 1e6, NULL), inCallout = MakeTimer("", 0, 1e6, NULL);
    CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 1e6); // in no loop
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 1e6); // in one
    checkLocksAreFree(LOOP, timer);
    CFRunLoopTimerRef setsItself = CFRunLoopTimerCreateWithHandler(NULL, 0, 1e6, 0, 0, ^(CFRunLoopTimerRef fired) {
        CFRunLoopTimerSetNextFireDate(fired, CFAbsoluteTimeGetCurrent() + 1);
        CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 1e6);
        CFRunLoopTimerInvalidate(fired);
        CFRunLoopTimerSetNextFireDate(fired, 1);
    });
    CFRunLoopAddTimer(LOOP, setsItself, A);
    CFRunLoopAddTimer(LOOP, inCallout, A);
    CFRunLoopRunInMode(A, 0, false);
    checkLocksAreFree(LOOP, timer);

    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {
        CFRunLoopTimerInvalidate(timer);
        CFRunLoopTimerInvalidate(inCallout);
    }), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.001, false), kCFRunLoopRunTimedOut); // emptied
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.001, false), kCFRunLoopRunFinished); // empty
    CHECK_EQ_INT(CFRunLoopRunInMode(B, 0.001, false), kCFRunLoopRunFinished); // unknown
    CFRunLoopTimerSetNextFireDate(timer, 1);
    checkLocksAreFree(LOOP, timer);
    CFRelease(setsItself);
}

TEST(D24_the_common_modes_may_grow_under_a_running_loop,
     "While a loop runs, other threads declare two hundred modes common, ask which modes are common, and read and set a timer's date: "
     "every mode has the timer afterwards. The defect: the set was read while it grew, which ThreadSanitizer reports") {
    LoopThread *thread = StartLoopThread(A, NULL);
    CFRunLoopRef loop = thread->loop;
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 1e-4, 0, 0, ^(CFRunLoopTimerRef unused) {});
    CFRunLoopAddTimer(loop, timer, COMMON);
    CFRunLoopAddTimer(loop, timer, A);
    static CFStringRef names[200];
    static _Atomic(int) declared;
    for (int i = 0; i < 200; i++) names[i] = CFStringCreateWithFormat(NULL, NULL, CFSTR("mode %d"), i);
    pthread_t declares = StartThread(^{
        for (; declared < 200; declared++) CFRunLoopAddCommonMode(loop, names[declared]);
    });
    pthread_t asks = StartThread(^{
        while (declared < 200) {
            CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent());
            CHECK(CFRunLoopTimerGetNextFireDate(timer) > 0);
            CFRunLoopGetNextTimerFireDate(loop, A);
            CFRunLoopPerformBlock(loop, COMMON, ^{});
        }
    });
    JoinThread(declares);
    JoinThread(asks);
    for (int i = 0; i < 200; i++) CHECK(CFRunLoopContainsTimer(loop, timer, names[i]));
    CFRunLoopTimerInvalidate(timer);
    for (int i = 0; i < 200; i++) CHECK(!CFRunLoopContainsTimer(loop, timer, names[i]));
    EndLoopThread(thread);
    CFRelease(timer);
}
