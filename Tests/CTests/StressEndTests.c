/// StressEndTests.c: objects that end while other threads still use them: sources, timers and observers that are invalidated during their
/// callbacks, and loops whose thread ends. Afterwards nothing is called, every context has been released once, and nothing is left.
#include "LoopSupport.h"
#include "Stress.h"
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>

// MARK: - Nothing is left behind

static _Atomic(long) letGo;

static void countLetGo(const void *info) { letGo++; }

/// A loop with one item of each kind, run once.
static void useALoop(void) {
    CFRunLoopSourceContext context = {.info = &letGo, .release = countLetGo};
    CFRunLoopTimerContext plain = {.info = &letGo, .release = countLetGo};
    CFTypeRef items[] = {CFRunLoopSourceCreate(NULL, 0, &context), CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, NULL, &plain),
                         CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, true, 0, NULL, (CFRunLoopObserverContext *)&plain)};
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopAddSource(LOOP, (CFRunLoopSourceRef)items[0], COMMON);
    CFRunLoopAddTimer(LOOP, (CFRunLoopTimerRef)items[1], COMMON);
    CFRunLoopAddObserver(LOOP, (CFRunLoopObserverRef)items[2], COMMON);
    CFRunLoopSourceSignal((CFRunLoopSourceRef)items[0]);
    for (int i = 0; i < 3; i++) CFRelease(items[i]);
    CFRunLoopPerformBlock(LOOP, B, ^{});
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0, false), kCFRunLoopRunTimedOut);
}

/// Starts `count` threads, eight at a time.
static void useLoopsOnThreads(long count) {
    for (long i = 0; i < count; i += stressThreadCount) {
        OnEightThreads(^(int number) {
            useALoop();
            StressCount();
        });
    }
}

TEST(stress_ten_thousand_threads_with_loops_leave_nothing,
     "After ten thousand threads, each with a loop with one item of each kind, as many descriptors are open and as much memory is in use "
     "as before") {
    mallopt(M_ARENA_MAX, 1); // mallinfo2 counts only the main arena
    long count = StressBegin(10000, stressThreadCount, "threads with a loop"), warmUp = 80;
    useLoopsOnThreads(warmUp);
    letGo = 0;
    int descriptors = OpenDescriptorCount();
    size_t memory = mallinfo2().uordblks;
    useLoopsOnThreads(count - warmUp);
    CHECK_EQ_INT(OpenDescriptorCount(), descriptors);
    CHECK_EQ_INT(letGo, 3 * (count - warmUp));
    CHECK_LE(mallinfo2().uordblks, memory + 8000);
    StressEnd();
}

// MARK: - Invalidated while other threads use it

typedef struct {
    CFRunLoopSourceRef source; // not retained: the loop holds it while it performs
    bool waitsForIt;           // perform waits until the source is invalid
    _Atomic(bool) isPerforming, isGone;
} Performance;

static _Atomic(long) performances;

static void performCarefully(void *info) {
    Performance *performance = info;
    performance->isPerforming = true;
    while (performance->waitsForIt && CFRunLoopSourceIsValid(performance->source)) sched_yield();
    if (performance->waitsForIt) StressCount();
    for (int pause = 0; pause < 100; pause++) CHECK(!performance->isGone);
    performances++;
}

static void performanceRelease(const void *info) {
    ((Performance *)info)->isGone = true;
    letGo++;
    free((void *)info);
}

TEST(stress_a_source_is_invalidated_while_it_performs,
     "Another thread invalidates a source at any moment of its perform: the info is released once, after the perform, and the source is "
     "not performed again") {
    LoopThread *thread = StartLoopThread(A, NULL);
    long others = StressBegin(4000, 4, "sources invalidated while they perform") / 4, rounds = 5 * others;
    for (long i = 0; i < rounds; i++) {
        bool waits = i % 5 != 0; // one source in five is invalidated just as its perform may begin
        Performance *performance = calloc(1, sizeof *performance);
        CFRunLoopSourceContext context = {.info = performance, .release = performanceRelease, .perform = performCarefully};
        CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
        performance->source = source;
        performance->waitsForIt = waits;
        CFRunLoopAddSource(thread->loop, source, A);
        SignalAndWake(source, thread->loop);
        while (waits && !performance->isPerforming) sched_yield();
        CFRunLoopSourceInvalidate(source);
        CFRunLoopSourceSignal(source);
        CFRelease(source);
    }
    EndLoopThread(thread);
    CHECK_EQ_INT(letGo, rounds);
    CHECK(performances >= rounds - others && performances <= rounds);
    StressEnd();
}

// MARK: - The loop's thread ends

static _Atomic(long) performs, signals;
static pthread_t performer;

static void performOnItsThread(void *info) {
    CHECK(pthread_equal(pthread_self(), performer));
    performs++;
}

TEST(stress_a_loop_ends_while_others_use_what_is_in_it,
     "A thread ends while others signal its source, wake its loop, and invalidate its timer and its observer: each context is released "
     "once, and nothing is performed afterwards") {
    int descriptors = 0;
    long rounds = StressBegin(300, 1, "loops that end under signals");
    for (long i = 0; i < rounds; i++) {
        performs = signals = 0;
        static CFTypeRef items[3];
        static CFRunLoopRef loop;
        static sem_t isUp;
        sem_init(&isUp, 0, 0);
        pthread_t owner = StartThread(^{
            performer = pthread_self();
            CFRunLoopSourceContext context = {.info = &letGo, .release = countLetGo, .perform = performOnItsThread};
            CFRunLoopTimerContext plain = {.info = &letGo, .release = countLetGo};
            items[0] = CFRunLoopSourceCreate(NULL, 0, &context);
            items[1] = CFRunLoopTimerCreate(NULL, 0, 1e-6, 0, 0, NULL, &plain);
            items[2] = CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, true, 0, NULL, (CFRunLoopObserverContext *)&plain);
            loop = (CFRunLoopRef)CFRetain(LOOP);
            CFRunLoopAddSource(loop, (CFRunLoopSourceRef)items[0], COMMON);
            CFRunLoopAddTimer(loop, (CFRunLoopTimerRef)items[1], COMMON);
            CFRunLoopAddObserver(loop, (CFRunLoopObserverRef)items[2], COMMON);
            for (int user = 0; user < 3; user++) sem_post(&isUp);
            CFRunLoopRunInMode(DEFAULT, 1e-4 * (double)(i % 5), false);
        });
        pthread_t signaller = StartThread(^{
            Await(&isUp, "the loop", i);
            for (int turn = 0; turn < 200; turn++, signals++) SignalAndWake((CFRunLoopSourceRef)items[0], loop);
        });
        pthread_t invalidatesTimer = StartThread(^{
            Await(&isUp, "the loop", i);
            for (long pause = 0; pause < i * 37 % 5000; pause++) __asm__ volatile("");
            CFRunLoopTimerSetNextFireDate((CFRunLoopTimerRef)items[1], CFAbsoluteTimeGetCurrent() + 1);
            CFRunLoopTimerInvalidate((CFRunLoopTimerRef)items[1]);
        });
        pthread_t invalidatesObserver = StartThread(^{
            Await(&isUp, "the loop", i);
            for (long pause = 0; pause < i * 53 % 5000; pause++) __asm__ volatile("");
            CFRunLoopObserverInvalidate((CFRunLoopObserverRef)items[2]);
        });
        JoinThread(owner);
        long performed = performs;
        pthread_t others[] = {signaller, invalidatesTimer, invalidatesObserver};
        for (int t = 0; t < 3; t++) JoinThread(others[t]);
        SignalAndWake((CFRunLoopSourceRef)items[0], loop);
        CHECK_EQ_INT(performs, performed);
        CHECK_LE(performed, signals);
        CHECK(!CFRunLoopTimerIsValid((CFRunLoopTimerRef)items[1]) && !CFRunLoopObserverIsValid((CFRunLoopObserverRef)items[2]));
        CFRelease(loop);
        for (int item = 0; item < 3; item++) {
            CHECK_EQ_INT(CFGetRetainCount(items[item]), 1);
            CFRelease(items[item]);
        }
        CHECK_EQ_INT(letGo, 3 * (i + 1));
        StressCount();
        if (i == 0) descriptors = OpenDescriptorCount();
    }
    CHECK_EQ_INT(OpenDescriptorCount(), descriptors);
    StressEnd();
}

// MARK: - Items that move while their loop is deallocated

static CFRunLoopTimerRef movingTimer;
static CFRunLoopRef dyingLoop;

/// Context callbacks that use the loop being deallocated and its other items.
static void lookAtTheDyingLoop(const void *info) {
    CFRunLoopAddTimer(dyingLoop, movingTimer, A);
    CFRunLoopContainsTimer(dyingLoop, movingTimer, B);
    letGo++;
}

/// An observer that only its loop retains, so it is deallocated with the loop.
static void addObserverOfOneMode(CFStringRef mode) {
    CFRunLoopObserverContext context = {.info = &letGo, .release = lookAtTheDyingLoop};
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, NULL, &context);
    CFRunLoopAddObserver(LOOP, observer, mode);
    CFRelease(observer);
}

TEST(stress_items_move_from_dying_loops_to_others,
     "A timer and an observer in three modes of a loop that is being deallocated are added to another loop as soon as that is possible: "
     "they stay in the other loop, which calls and finds them. The defect: the first loop, which removes its items mode by mode, removed "
     "them from the other loop") {
    long rounds = StressBegin(1000, 1, "items that moved on from a dying loop");
    CFRunLoopRef main = LOOP;
    for (long i = 0; i < rounds; i++) {
        static sem_t isUp;
        static int fires, notices;
        sem_init(&isUp, 0, 0);
        fires = notices = 0;
        CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 0, 0, 0, ^(CFRunLoopTimerRef unused) { fires++; });
        CFRunLoopObserverRef observer = CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopEntry, false, 0,
            ^(CFRunLoopObserverRef unused, CFRunLoopActivity activity) { notices++; });
        movingTimer = timer;
        pthread_t owner = StartThread(^{
            CFStringRef modes[] = {A, B, COMMON};
            dyingLoop = LOOP;
            for (int mode = 0; mode < 3; mode++) {
                CFRunLoopAddTimer(LOOP, timer, modes[mode]);
                CFRunLoopAddObserver(LOOP, observer, modes[mode]);
                addObserverOfOneMode(modes[mode]);
            }
            sem_post(&isUp);
        });
        Await(&isUp, "the loop", i);
        if (i % 3 == 0) CFRunLoopTimerSetNextFireDate(timer, 1); // from now on the timer may be in no loop
        while (!CFRunLoopContainsTimer(main, timer, A)) CFRunLoopAddTimer(main, timer, A);
        while (!CFRunLoopContainsObserver(main, observer, A)) CFRunLoopAddObserver(main, observer, A);
        JoinThread(owner);
        CHECK_EQ_PTR(timer->_runLoop, main);
        CHECK_EQ_PTR(observer->_runLoop, main);
        CHECK(CFRunLoopContainsTimer(main, timer, A) && CFRunLoopContainsObserver(main, observer, A));
        CHECK_EQ_INT(CFRunLoopRunInMode(A, 20 * TimeScale(), false), kCFRunLoopRunFinished);
        CHECK(fires == 1 && notices == 1);
        CHECK_EQ_INT(CFGetRetainCount(timer), 1);
        CHECK_EQ_INT(CFGetRetainCount(observer), 1);
        CFRelease(timer);
        CFRelease(observer);
        CHECK_EQ_INT(letGo, 3 * (i + 1));
        StressCount();
    }
    StressEnd();
}
