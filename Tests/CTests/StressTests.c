/// StressTests.c: many threads use one loop, and every event is counted: none is lost, and none comes twice. StressEndTests.c has the tests
/// of what must be released afterwards.
#include "Checker.h"
#include "LoopSupport.h"
#include "Stress.h"
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// A version 0 source that posts a semaphore. It logs nothing, unlike those of LoopSupport.h.
static void countAndPost(void *semaphore) {
    StressCount();
    sem_post(semaphore);
}

static CFRunLoopSourceRef makePostingSource(sem_t *semaphore) {
    CFRunLoopSourceContext context = {.info = semaphore, .perform = countAndPost};
    return CFRunLoopSourceCreate(NULL, 0, &context);
}

// MARK: - Nothing is lost

TEST(stress_no_wake_up_is_lost,
     "Eight threads each signal their own source, wake the loop, and wait until the source was performed, again and again") {
    LoopThread *thread = StartLoopThread(A, NULL);
    static sem_t performed[stressThreadCount];
    long rounds = StressBegin(16000, stressThreadCount, "round trips") / stressThreadCount;
    OnEightThreads(^(int number) {
        sem_init(&performed[number], 0, 0);
        CFRunLoopSourceRef source = makePostingSource(&performed[number]);
        CFRunLoopAddSource(thread->loop, source, A);
        for (long i = 0; i < rounds; i++) {
            SignalAndWake(source, thread->loop);
            AwaitOne(&performed[number], "the signal", i);
        }
        CFRunLoopSourceInvalidate(source);
        CFRelease(source);
    });
    EndLoopThread(thread);
    StressEnd();
}

static _Atomic(long) asked, seen;

/// Posts once for each number that it is the first to see. The threads of both loops call it, and one of them may have read an older
/// number.
static void seeAndPost(void *semaphore) {
    long now = asked, before = seen;
    do {
        if (before >= now) return;
    } while (!atomic_compare_exchange_weak(&seen, &before, now));
    StressCount();
    sem_post(semaphore);
}

TEST(stress_no_signal_of_a_shared_source_is_lost_among_those_that_wake_nobody,
     "Some threads signal a source in two loops without waking them; another thread signals it and wakes both loops: each time the "
     "source is performed after that") {
    LoopThread *threads[2] = {StartLoopThread(A, NULL), StartLoopThread(A, NULL)};
    static sem_t performed;
    static _Atomic(bool) isOver;
    sem_init(&performed, 0, 0);
    CFRunLoopSourceContext context = {.info = &performed, .perform = seeAndPost};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
    for (int i = 0; i < 2; i++) CFRunLoopAddSource(threads[i]->loop, source, A);
    enum { signallerCount = 8 }; // more than there are processors, so some are preempted in the middle of a signal
    pthread_t signallers[signallerCount];
    for (int i = 0; i < signallerCount; i++) {
        signallers[i] = StartThread(^{
            while (!isOver) CFRunLoopSourceSignal(source);
        });
    }
    long rounds = StressBegin(2000, 1, "signals of a source in two loops, among others");
    for (long i = 0; i < rounds; i++) {
        asked = i + 1;
        CFRunLoopSourceSignal(source);
        for (int loop = 0; loop < 2; loop++) CFRunLoopWakeUp(threads[loop]->loop);
        Await(&performed, "the signal", i);
    }
    isOver = true;
    for (int i = 0; i < signallerCount; i++) JoinThread(signallers[i]);
    for (int i = 0; i < 2; i++) EndLoopThread(threads[i]);
    StressEnd();
    CFRelease(source);
}

TEST(stress_no_stop_is_lost, "A stop by another thread at any moment of a run ends that run, and no other") {
    static sem_t runs;
    sem_init(&runs, 0, 0);
    CFRunLoopRef loop = LOOP;
    KeepAlive(loop, A);
    static bool hasPosted;
    CFRunLoopAddObserver(loop, MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
        if (!hasPosted) sem_post(&runs);
        hasPosted = true;
    }), A);
    long rounds = StressBegin(5000, 1, "stops");
    pthread_t other = StartThread(^{
        for (long i = 0; i < rounds; i++) {
            Await(&runs, "the run", i);
            for (long pause = i % 500; pause > 0; pause--) __asm__ volatile("");
            CFRunLoopStop(loop);
        }
    });
    for (long i = 0; i < rounds; i++) {
        hasPosted = false;
        CHECK_EQ_INT(CFRunLoopRunInMode(A, 20 * TimeScale(), false), kCFRunLoopRunStopped);
        StressCount();
    }
    JoinThread(other);
    StressEnd();
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.005, false), kCFRunLoopRunTimedOut);
}

TEST(stress_no_timer_of_another_thread_is_lost,
     "Eight threads each add a timer to the loop, or bring one forward, without waking the loop, and wait until it has fired") {
    LoopThread *thread = StartLoopThread(A, NULL);
    static sem_t fired[stressThreadCount];
    long rounds = StressBegin(4000, stressThreadCount, "timers of other threads") / stressThreadCount;
    OnEightThreads(^(int number) {
        sem_t *mine = &fired[number];
        sem_init(mine, 0, 0);
        for (long i = 0; i < rounds; i++) {
            CFAbsoluteTime soon = CFAbsoluteTimeGetCurrent() + 1e-6 * (double)(i % 100);
            CFRunLoopTimerRef timer =
                CFRunLoopTimerCreateWithHandler(NULL, i % 2 ? soon : 1e12, 0, 0, 0, ^(CFRunLoopTimerRef unused) { countAndPost(mine); });
            CFRunLoopAddTimer(thread->loop, timer, A);
            if (i % 2 == 0) CFRunLoopTimerSetNextFireDate(timer, soon);
            AwaitOne(mine, "the timer", i);
            CFRelease(timer);
        }
    });
    EndLoopThread(thread);
    StressEnd();
}

// MARK: - Everything at once

/// One of eight threads that use one loop in every way. What it sends must arrive once, and in order.
typedef struct Worker {
    CFRunLoopRef loop;
    sem_t arrived;
    uint64_t random;
    CFRunLoopSourceRef source; // its version 0 source; now in this mode:
    CFStringRef mode;
    int descriptor;            // the port of its version 1 source, which is in the common modes
    long round, blocks;
    _Atomic(long) letGo;
} Worker;

/// xorshift: the same choices on every machine and in every run; only their timing differs.
static uint64_t pick(Worker *worker, uint64_t count) {
    worker->random ^= worker->random << 13;
    worker->random ^= worker->random >> 7;
    worker->random ^= worker->random << 17;
    return worker->random % count;
}

static CFStringRef pickMode(Worker *worker) { return pick(worker, 2) ? A : B; }

static void arrive(void *worker) {
    StressCount();
    sem_post(&((Worker *)worker)->arrived);
}

static void awaitIt(Worker *worker, const char *what) { AwaitOne(&worker->arrived, what, worker->round); }

static void letGoOf(const void *worker) { ((Worker *)worker)->letGo++; }

static void makeSource(Worker *worker) {
    CFRunLoopSourceContext context = {.info = worker, .release = letGoOf, .perform = arrive};
    worker->source = CFRunLoopSourceCreate(NULL, (CFIndex)pick(worker, 3), &context);
    worker->mode = pickMode(worker);
    CFRunLoopAddSource(worker->loop, worker->source, worker->mode);
}

static void signalIt(Worker *worker) {
    SignalAndWake(worker->source, worker->loop);
    awaitIt(worker, "the signal");
}

/// The signal comes while the source is in no mode; the source is performed where it is added next.
static void signalItOnItsWay(Worker *worker) {
    CFRunLoopRemoveSource(worker->loop, worker->source, worker->mode);
    CFRunLoopSourceSignal(worker->source);
    worker->mode = pickMode(worker);
    CFRunLoopAddSource(worker->loop, worker->source, worker->mode);
    CFRunLoopWakeUp(worker->loop);
    awaitIt(worker, "the signal before the adding");
}

static void performBlock(Worker *worker) {
    long turn = worker->blocks++;
    CFRunLoopPerformBlock(worker->loop, pick(worker, 2) ? COMMON : pickMode(worker), ^{
        CHECK_EQ_INT(worker->blocks, turn + 1);
        arrive(worker);
    });
    CFRunLoopWakeUp(worker->loop);
    awaitIt(worker, "the block");
}

/// No loop performs the signal after the invalidation, because the next round would notice it. The source's context is released with the
/// last reference to the source, which may be the loop's, because the last perform may not have returned yet.
static void replaceSource(Worker *worker) {
    long before = worker->letGo;
    CFRunLoopSourceInvalidate(worker->source);
    SignalAndWake(worker->source, worker->loop);
    CHECK(!CFRunLoopContainsSource(worker->loop, worker->source, worker->mode));
    performBlock(worker);
    CHECK_EQ_INT(worker->letGo, before);
    CFRelease(worker->source);
    CHECK(WAIT_UNTIL(worker->letGo == before + 1, 20));
    makeSource(worker);
}

static void readAndArrive(void *info) {
    Worker *worker = info;
    uint64_t count;
    CHECK_EQ_INT(read(worker->descriptor, &count, sizeof(count)), 8);
    CHECK_EQ_INT(count, 1);
    arrive(worker);
}

static __CFPort descriptorOf(void *worker) { return ((Worker *)worker)->descriptor; }

static void writeToDescriptor(Worker *worker) {
    uint64_t one = 1;
    CHECK_EQ_INT(write(worker->descriptor, &one, sizeof(one)), 8);
    awaitIt(worker, "what was written");
}

static void fireOnce(Worker *worker) {
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, CFAbsoluteTimeGetCurrent() + 1e-6 * (double)pick(worker, 50), 0, 0, 0,
                                                              ^(CFRunLoopTimerRef unused) { arrive(worker); });
    CFRunLoopAddTimer(worker->loop, timer, pick(worker, 2) ? COMMON : pickMode(worker));
    awaitIt(worker, "the timer");
    CFRelease(timer);
}

/// Invalidates a timer after its first tick. One more tick may be under way then, but none comes after a block has run.
static void fireAgainAndAgain(Worker *worker) {
    __block _Atomic(long) ticks = 0;
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 1e-5, 0, 0, ^(CFRunLoopTimerRef unused) { ticks++; });
    CFRunLoopAddTimer(worker->loop, timer, COMMON);
    CHECK(WAIT_UNTIL(ticks > 0, 20));
    CFRunLoopTimerInvalidate(timer);
    performBlock(worker);
    long last = ticks;
    performBlock(worker);
    CHECK_EQ_INT(ticks, last);
    CFRelease(timer);
}

static void observeOnce(Worker *worker) {
    CFRunLoopObserverRef observer = CFRunLoopObserverCreateWithHandler(
        NULL, kCFRunLoopBeforeTimers, false, 0, ^(CFRunLoopObserverRef unused, CFRunLoopActivity activity) { arrive(worker); });
    CFRunLoopAddObserver(worker->loop, observer, pick(worker, 2) ? COMMON : pickMode(worker));
    CFRunLoopWakeUp(worker->loop);
    awaitIt(worker, "the activity");
    CHECK(WAIT_UNTIL(!CFRunLoopObserverIsValid(observer), 20)); // it is invalid when its callback has returned
    CFRelease(observer);
}

/// Ends a run, or falls between two of them. In either case everything else continues.
static void stopARun(Worker *worker) {
    CFRunLoopStop(worker->loop);
    StressCount();
}

/// How many events of each kind a round has.
static const struct {
    void (*act)(Worker *worker);
    int events;
} actions[] = {{signalIt, 1}, {signalItOnItsWay, 1}, {replaceSource, 1}, {writeToDescriptor, 1}, {performBlock, 1},
               {fireOnce, 1}, {fireAgainAndAgain, 2}, {observeOnce, 1}, {stopARun, 1}};

static void work(Worker *worker, long events) {
    CFRunLoopSourceContext1 context = {.version = 1, .info = worker, .getPort = descriptorOf, .perform = readAndArrive};
    worker->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef port = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(worker->loop, port, COMMON);
    makeSource(worker);
    while (events > 0) {
        size_t action = pick(worker, sizeof(actions) / sizeof(actions[0]));
        if (actions[action].events > events) continue;
        actions[action].act(worker);
        events -= actions[action].events;
        worker->round++;
    }
    CFRunLoopSourceInvalidate(worker->source);
    CFRunLoopSourceInvalidate(port);
    CFRelease(worker->source);
    CFRelease(port);
    close(worker->descriptor);
}

/// A thread whose loop runs in A and in B by turns, for a moment each.
static pthread_t startTurns(CFRunLoopRef *loop, _Atomic(bool) *ends) {
    static sem_t isUp;
    sem_init(&isUp, 0, 0);
    pthread_t thread = StartThread(^{
        *loop = (CFRunLoopRef)CFRetain(LOOP);
        CFStringRef modes[] = {A, B};
        for (int i = 0; i < 2; i++) {
            CFRunLoopAddCommonMode(LOOP, modes[i]);
            KeepAlive(LOOP, modes[i]);
        }
        sem_post(&isUp);
        for (int turn = 0; !*ends; turn++) {
            SInt32 result = CFRunLoopRunInMode(modes[turn % 2], 0.0003, false);
            CHECK(result == kCFRunLoopRunTimedOut || result == kCFRunLoopRunStopped);
        }
    });
    Await(&isUp, "the loop", 0);
    return thread;
}

/// Checks, on the loop's thread, that the loop has no item except the two sources that keep A and B from being empty.
static void checkHasOnlyItsKeepers(CFRunLoopRef loop) {
    OnLoop(loop, A, ^{
        CFStringRef modes[] = {A, B, DEFAULT};
        for (int i = 0; i < 3; i++) {
            CFRunLoopModeRef mode = ModeNamed(loop, modes[i]);
            CHECK_EQ_INT(CFSetGetCount(mode->_sources0), i < 2);
            CHECK_EQ_INT(CFSetGetCount(mode->_sources1), 0);
            if (mode->_observers) CHECK_EQ_INT(CFArrayGetCount(mode->_observers), 0);
            if (mode->_timers) CHECK_EQ_INT(CFArrayGetCount(mode->_timers), 0);
        }
        CHECK_EQ_INT(CFSetGetCount(loop->_commonModeItems), 0);
    });
}

TEST(stress_everything_at_once,
     "Eight threads signal, wake, stop, perform, add, remove and invalidate, in no order, in one loop that changes its mode: each event "
     "comes once, and in the end the loop holds no item") {
    static Worker workers[stressThreadCount];
    static _Atomic(bool) ends;
    CFRunLoopRef loop = NULL;
    pthread_t thread = startTurns(&loop, &ends);
    CFIndex references = CFGetRetainCount(loop);
    long events = StressBegin(4000, stressThreadCount, "events of all kinds") / stressThreadCount;
    OnEightThreads(^(int number) {
        Worker *worker = &workers[number];
        *worker = (Worker){.loop = loop, .random = 0x9E3779B97F4A7C15u * (uint64_t)(number + 1)};
        sem_init(&worker->arrived, 0, 0);
        work(worker, events);
        CheckLoop(loop);
        CHECK(sem_trywait(&worker->arrived) != 0);
    });
    checkHasOnlyItsKeepers(loop);
    ends = true;
    CFRunLoopWakeUp(loop);
    JoinThread(thread);
    CHECK_LE(CFGetRetainCount(loop), references);
    CheckLoop(loop);
    CFRelease(loop);
    StressEnd();
}
