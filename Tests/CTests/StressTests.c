/// StressTests.c: many threads at one loop, and every event counted: none is lost, none comes twice, nothing is left behind.
///
/// Each case is done in a second or so. CTESTS_STRESS=N does N times as much, for an evening, or under a sanitizer.
#include "LoopSupport.h"
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { threadCount = 8 };

static int timesAsMuch(int rounds) {
    const char *text = getenv("CTESTS_STRESS");
    int factor = text ? atoi(text) : 1;
    return rounds * (factor > 0 ? factor : 1);
}

/// Waits for what must come; nothing on this machine takes so long but what is lost.
static void await(sem_t *semaphore, const char *what, int round) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += (time_t)(20 * TimeScale());
    while (sem_timedwait(semaphore, &limit) != 0) {
        if (errno != EINTR) FAIL("%s of round %d is lost", what, round);
    }
}

/// A version 0 source that posts a semaphore. Quieter than those of LoopSupport.h, which note each perform in the log.
static void postSemaphore(void *semaphore) { sem_post(semaphore); }

static CFRunLoopSourceRef makePostingSource(sem_t *semaphore) {
    CFRunLoopSourceContext context = {.info = semaphore, .perform = postSemaphore};
    return CFRunLoopSourceCreate(NULL, 0, &context);
}

/// Has eight threads do `body`, each with its number, at once, and waits for all of them.
static void onEightThreads(void (^body)(int number)) {
    pthread_t threads[threadCount];
    for (int i = 0; i < threadCount; i++) threads[i] = StartThread(^{ body(i); });
    for (int i = 0; i < threadCount; i++) JoinThread(threads[i]);
}

// MARK: - Nothing is lost

TEST(stress_no_wake_up_is_lost,
     "Eight threads each signal a source of their own, wake the loop, and wait until it was performed, again and again") {
    LoopThread *thread = StartLoopThread(A, NULL);
    static sem_t performed[threadCount];
    int rounds = timesAsMuch(2000);
    onEightThreads(^(int number) {
        sem_init(&performed[number], 0, 0);
        CFRunLoopSourceRef source = makePostingSource(&performed[number]);
        CFRunLoopAddSource(thread->loop, source, A);
        for (int i = 0; i < rounds; i++) {
            SignalAndWake(source, thread->loop);
            await(&performed[number], "the signal", i);
            CHECK(sem_trywait(&performed[number]) != 0); // once, not twice
        }
        CFRunLoopSourceInvalidate(source);
        CFRelease(source);
    });
    EndLoopThread(thread);
}

TEST(stress_no_signal_of_a_shared_source_is_lost,
     "The same with one source in two loops: each signal is performed once, by whichever comes first") {
    LoopThread *threads[2] = {StartLoopThread(A, NULL), StartLoopThread(A, NULL)};
    static sem_t performed;
    sem_init(&performed, 0, 0);
    CFRunLoopSourceRef source = makePostingSource(&performed);
    for (int i = 0; i < 2; i++) CFRunLoopAddSource(threads[i]->loop, source, A);
    for (int i = 0; i < timesAsMuch(3000); i++) {
        CFRunLoopSourceSignal(source);
        for (int loop = 0; loop < 2; loop++) CFRunLoopWakeUp(threads[loop]->loop);
        await(&performed, "the signal", i);
        CHECK(sem_trywait(&performed) != 0);
    }
    for (int i = 0; i < 2; i++) EndLoopThread(threads[i]);
    CHECK(CFRunLoopSourceIsValid(source));
    CFRelease(source);
}

TEST(stress_no_signal_is_lost_while_the_source_moves,
     "A source that moves from loop to loop while it is signalled is performed: in the one that it is in when all is quiet") {
    LoopThread *threads[2] = {StartLoopThread(A, NULL), StartLoopThread(A, NULL)};
    static sem_t performed;
    sem_init(&performed, 0, 0);
    CFRunLoopSourceRef source = makePostingSource(&performed);
    CFRunLoopAddSource(threads[0]->loop, source, A);
    for (int i = 0; i < timesAsMuch(1000); i++) {
        CFRunLoopRef from = threads[i % 2]->loop, to = threads[1 - i % 2]->loop;
        pthread_t mover = StartThread(^{
            CFRunLoopRemoveSource(from, source, A);
            CFRunLoopAddSource(to, source, A);
            CFRunLoopWakeUp(to);
        });
        CFRunLoopSourceSignal(source);
        JoinThread(mover);
        CFRunLoopWakeUp(from);
        CFRunLoopWakeUp(to);
        await(&performed, "the signal", i);
        CHECK(sem_trywait(&performed) != 0);
    }
    for (int i = 0; i < 2; i++) EndLoopThread(threads[i]);
    CFRelease(source);
}

TEST(stress_no_block_is_lost,
     "Eight threads queue blocks, wake the loop and wait for each; the blocks of one thread come in their order") {
    LoopThread *thread = StartLoopThread(A, NULL);
    CFRunLoopAddCommonMode(thread->loop, A);
    static sem_t performed[threadCount];
    static int next[threadCount];
    int rounds = timesAsMuch(1000);
    onEightThreads(^(int number) {
        sem_init(&performed[number], 0, 0);
        for (int i = 0; i < rounds; i++) {
            for (int part = 0; part < 2; part++) {
                CFRunLoopPerformBlock(thread->loop, (i + part) % 2 ? A : COMMON, ^{
                    CHECK_EQ_INT(next[number]++, 2 * i + part);
                    if (part) sem_post(&performed[number]);
                });
            }
            CFRunLoopWakeUp(thread->loop);
            await(&performed[number], "the block", i);
        }
    });
    for (int i = 0; i < threadCount; i++) CHECK_EQ_INT(next[i], 2 * rounds);
    EndLoopThread(thread);
}

TEST(stress_no_stop_is_lost, "A stop by another thread at any moment of a run ends that run, and no other") {
    static sem_t runs;
    sem_init(&runs, 0, 0);
    CFRunLoopRef loop = LOOP;
    KeepAlive(loop, A);
    static bool told;
    CFRunLoopAddObserver(loop, MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
        if (!told) sem_post(&runs);
        told = true;
    }), A);
    int rounds = timesAsMuch(5000);
    pthread_t other = StartThread(^{
        for (int i = 0; i < rounds; i++) {
            await(&runs, "the run", i);
            for (int pause = i % 500; pause > 0; pause--) __asm__ volatile("");
            CFRunLoopStop(loop);
        }
    });
    for (int i = 0; i < rounds; i++) {
        told = false;
        CHECK_EQ_INT(CFRunLoopRunInMode(A, 20 * TimeScale(), false), kCFRunLoopRunStopped);
    }
    JoinThread(other);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.005, false), kCFRunLoopRunTimedOut);
}

TEST(stress_no_timer_of_another_thread_is_lost,
     "Eight threads each add a timer to the loop, or bring one forward, and wait until it has fired; nobody wakes the loop "
     "for it") {
    LoopThread *thread = StartLoopThread(A, NULL);
    static sem_t fired[threadCount];
    int rounds = timesAsMuch(500);
    onEightThreads(^(int number) {
        sem_t *mine = &fired[number];
        sem_init(mine, 0, 0);
        for (int i = 0; i < rounds; i++) {
            CFAbsoluteTime soon = CFAbsoluteTimeGetCurrent() + 1e-6 * (i % 100);
            CFRunLoopTimerRef timer =
                CFRunLoopTimerCreateWithHandler(NULL, i % 2 ? soon : 1e12, 0, 0, 0, ^(CFRunLoopTimerRef unused) { sem_post(mine); });
            CFRunLoopAddTimer(thread->loop, timer, A);
            if (i % 2 == 0) CFRunLoopTimerSetNextFireDate(timer, soon);
            await(mine, "the timer", i);
            CFRelease(timer);
        }
    });
    EndLoopThread(thread);
}

// MARK: - Nothing is left behind

static _Atomic(int) letGo;

static void countLetGo(const void *info) { letGo++; }

/// A loop with one of each kind, run once.
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

static void useLoopsOnThreads(int count) {
    for (int i = 0; i < count; i += threadCount) {
        onEightThreads(^(int number) { useALoop(); });
    }
}

TEST(stress_a_thousand_threads_with_loops_leave_nothing,
     "After a thousand threads, each with a loop that held one item of each kind, there are as many descriptors and as much "
     "memory in use as before") {
    mallopt(M_ARENA_MAX, 1); // the one that mallinfo2 counts
    useLoopsOnThreads(80);
    letGo = 0;
    int descriptors = OpenDescriptorCount();
    size_t memory = mallinfo2().uordblks;
    int count = timesAsMuch(1000);
    useLoopsOnThreads(count);
    CHECK_EQ_INT(OpenDescriptorCount(), descriptors);
    CHECK_EQ_INT(letGo, 3 * count);
    CHECK_LE(mallinfo2().uordblks, memory + 8000);
}

// MARK: - Invalidated under the hands of others

typedef struct {
    _Atomic(bool) isPerforming, isGone;
} Performance;

static _Atomic(int) performances;

static void performCarefully(void *info) {
    Performance *performance = info;
    performance->isPerforming = true;
    for (int pause = 0; pause < 100; pause++) CHECK(!performance->isGone);
    performances++;
}

static void performanceRelease(const void *info) {
    ((Performance *)info)->isGone = true;
    letGo++;
    free((void *)info);
}

TEST(stress_a_source_is_invalidated_while_it_performs,
     "By another thread, at any moment: its info is released once, after the perform, and it is not performed again") {
    LoopThread *thread = StartLoopThread(A, NULL);
    int rounds = timesAsMuch(5000);
    for (int i = 0; i < rounds; i++) {
        Performance *performance = calloc(1, sizeof *performance);
        CFRunLoopSourceContext context = {.info = performance, .release = performanceRelease, .perform = performCarefully};
        CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(thread->loop, source, A);
        SignalAndWake(source, thread->loop);
        while (i % 4 && !performance->isPerforming) sched_yield();
        CFRunLoopSourceInvalidate(source);
        CFRunLoopSourceSignal(source);
        CFRelease(source);
    }
    EndLoopThread(thread);
    CHECK_EQ_INT(letGo, rounds);
    CHECK(performances >= rounds - rounds / 4 - 1 && performances <= rounds);
}

TEST(stress_timers_and_observers_are_invalidated_while_called,
     "The same for a timer and an observer that are called again and again") {
    LoopThread *thread = StartLoopThread(A, NULL);
    static _Atomic(int) calls;
    int rounds = timesAsMuch(1000);
    for (int i = 0; i < rounds; i++) {
        CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 1e-5, 0, 0, ^(CFRunLoopTimerRef unused) { calls++; });
        CFRunLoopObserverRef observer = CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopAllActivities, true, 0,
                                                                           ^(CFRunLoopObserverRef unused, CFRunLoopActivity activity) { calls++; });
        CFRunLoopAddTimer(thread->loop, timer, A);
        CFRunLoopAddObserver(thread->loop, observer, A);
        int before = calls;
        for (int turn = 0; turn < 10000 && calls < before + i % 8; turn++) sched_yield();
        CFRunLoopTimerInvalidate(timer);
        CFRunLoopObserverInvalidate(observer);
        CHECK(!CFRunLoopContainsTimer(thread->loop, timer, A) && !CFRunLoopContainsObserver(thread->loop, observer, A));
        CFRelease(timer);
        CFRelease(observer);
    }
    OnLoop(thread->loop, A, ^{}); // the last callbacks have returned
    int last = calls;
    usleep(2000);
    CHECK_EQ_INT(calls, last);
    EndLoopThread(thread);
}

// MARK: - The loop's thread ends

TEST(stress_a_loop_ends_while_others_use_what_is_in_it,
     "A thread ends while others signal its source and wake its loop, invalidate its timer, and its observer: each context "
     "is released once") {
    int rounds = timesAsMuch(300), descriptors = 0;
    for (int i = 0; i < rounds; i++) {
        static CFTypeRef items[3];
        static CFRunLoopRef loop;
        static sem_t isUp;
        sem_init(&isUp, 0, 0);
        pthread_t owner = StartThread(^{
            CFRunLoopSourceContext context = {.info = &letGo, .release = countLetGo};
            CFRunLoopTimerContext plain = {.info = &letGo, .release = countLetGo};
            items[0] = CFRunLoopSourceCreate(NULL, 0, &context);
            items[1] = CFRunLoopTimerCreate(NULL, 0, 1e-6, 0, 0, NULL, &plain);
            items[2] = CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, true, 0, NULL, (CFRunLoopObserverContext *)&plain);
            loop = (CFRunLoopRef)CFRetain(LOOP);
            CFRunLoopAddSource(loop, (CFRunLoopSourceRef)items[0], COMMON);
            CFRunLoopAddTimer(loop, (CFRunLoopTimerRef)items[1], COMMON);
            CFRunLoopAddObserver(loop, (CFRunLoopObserverRef)items[2], COMMON);
            for (int user = 0; user < 3; user++) sem_post(&isUp);
            CFRunLoopRunInMode(DEFAULT, 1e-4 * (i % 5), false);
        });
        pthread_t signals = StartThread(^{
            await(&isUp, "the loop", i);
            for (int turn = 0; turn < 200; turn++) SignalAndWake((CFRunLoopSourceRef)items[0], loop);
        });
        pthread_t invalidatesTimer = StartThread(^{
            await(&isUp, "the loop", i);
            for (int pause = 0; pause < i * 37 % 5000; pause++) __asm__ volatile("");
            CFRunLoopTimerSetNextFireDate((CFRunLoopTimerRef)items[1], CFAbsoluteTimeGetCurrent() + 1);
            CFRunLoopTimerInvalidate((CFRunLoopTimerRef)items[1]);
        });
        pthread_t invalidatesObserver = StartThread(^{
            await(&isUp, "the loop", i);
            for (int pause = 0; pause < i * 53 % 5000; pause++) __asm__ volatile("");
            CFRunLoopObserverInvalidate((CFRunLoopObserverRef)items[2]);
        });
        pthread_t all[] = {owner, signals, invalidatesTimer, invalidatesObserver};
        for (int t = 0; t < 4; t++) JoinThread(all[t]);
        CHECK(!CFRunLoopTimerIsValid((CFRunLoopTimerRef)items[1]) && !CFRunLoopObserverIsValid((CFRunLoopObserverRef)items[2]));
        CFRelease(loop);
        for (int item = 0; item < 3; item++) {
            CHECK_EQ_INT(CFGetRetainCount(items[item]), 1);
            CFRelease(items[item]);
        }
        CHECK_EQ_INT(letGo, 3 * (i + 1));
        if (i == 0) descriptors = OpenDescriptorCount();
    }
    CHECK_EQ_INT(OpenDescriptorCount(), descriptors);
}

TEST(stress_items_outlive_a_loop_that_dies_under_them,
     "Nobody keeps the loop itself: its timer and observer are invalidated just while it is taken down") {
    int rounds = timesAsMuch(1000);
    for (int i = 0; i < rounds; i++) {
        static CFTypeRef items[2];
        static sem_t isUp;
        sem_init(&isUp, 0, 0);
        pthread_t owner = StartThread(^{
            CFRunLoopTimerContext plain = {.info = &letGo, .release = countLetGo};
            items[0] = CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, NULL, &plain);
            items[1] = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, NULL, (CFRunLoopObserverContext *)&plain);
            CFRunLoopAddTimer(LOOP, (CFRunLoopTimerRef)items[0], COMMON);
            CFRunLoopAddObserver(LOOP, (CFRunLoopObserverRef)items[1], COMMON);
            sem_post(&isUp);
        });
        await(&isUp, "the loop", i);
        for (int pause = 0; pause < i * 97 % 20000; pause++) __asm__ volatile("");
        CFRunLoopTimerInvalidate((CFRunLoopTimerRef)items[0]);
        CFRunLoopObserverInvalidate((CFRunLoopObserverRef)items[1]);
        JoinThread(owner);
        for (int item = 0; item < 2; item++) {
            CHECK_EQ_INT(CFGetRetainCount(items[item]), 1);
            CFRelease(items[item]);
        }
        CHECK_EQ_INT(letGo, 2 * (i + 1));
    }
}
