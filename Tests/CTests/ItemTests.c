/// ItemTests.c: what timers and observers have in common: one thread at a time calls them, they keep their info while it is used, and they
/// leave a loop that is deallocated.
#include "LoopSupport.h"
#include <semaphore.h>
#include <sys/eventfd.h>
#include <unistd.h>

// MARK: - One thread at a time

static CFTypeRef released;

static void askReleased(const void *info) {
    bool isTimer = CFGetTypeID(released) == CFRunLoopTimerGetTypeID();
    LOG("%s %s", (const char *)info, (isTimer ? CFRunLoopTimerIsValid((CFRunLoopTimerRef)released) : CFRunLoopObserverIsValid((CFRunLoopObserverRef)released)) ? "valid" : "invalid");
}

TEST(D11_an_item_is_invalid_when_its_info_is_released, "The last release of a timer or an observer invalidates it before the context's info is released") {
    CFRunLoopTimerContext timerContext = {.info = "timer", .release = askReleased};
    released = CFRunLoopTimerCreate(NULL, 1e9, 0, 0, 0, NULL, &timerContext);
    CFRelease(released);
    CFRunLoopObserverContext observerContext = {.info = "observer", .release = askReleased};
    released = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, NULL, &observerContext);
    CFRelease(released);
    CHECK_LOG("timer invalid\nobserver invalid");
}

TEST(D43_an_observer_that_moves_to_another_loop_is_called_by_one_thread_at_a_time,
     "An observer that is moved to another loop during a notification, and is in its callback there, is not called here as well. The "
     "defect: the loop that it had left had collected it already, and called it on a second thread") {
    static _Atomic(int) inside, calls;
    static _Atomic(bool) isCalledThere, hasReturnedHere;
    LoopThread *there = StartLoopThread(A, NULL);
    CFRunLoopObserverRef moved = MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
        CHECK_EQ_INT(++inside, 1);
        calls++;
        isCalledThere = true;
        CHECK(WAIT_UNTIL(hasReturnedHere, 10));
        inside--;
    });
    CFRunLoopObserverRef mover = MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
        CFRunLoopRemoveObserver(LOOP, moved, A);
        CFRunLoopAddObserver(there->loop, moved, A);
        CFRunLoopWakeUp(there->loop);
        CHECK(WAIT_UNTIL(isCalledThere, 10));
    });
    KeepAlive(LOOP, A);
    CFRunLoopAddObserver(LOOP, mover, A);
    CFRunLoopAddObserver(LOOP, moved, A); // after the one that moves it
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0, false), kCFRunLoopRunTimedOut);
    CHECK_EQ_INT(calls, 1);
    hasReturnedHere = true;
    CFRunLoopObserverInvalidate(moved);
    EndLoopThread(there);
}

// MARK: - A loop during its deallocation

TEST(R6_an_item_need_not_wait_for_the_thread_that_takes_its_loop_down,
     "A loop is being deallocated and its thread is blocked: other threads can still invalidate its items, give them dates and add them "
     "to another loop. The defect: they waited for that thread with sched_yield, forever if they were real-time threads on the same "
     "processor") {
    static CFRunLoopObserverRef obstacle;
    static CFRunLoopTimerRef invalidated, moved;
    static CFRunLoopObserverRef movedObserver;
    static CFRunLoopRef dying;
    static sem_t isUp, mayEnd, mayUnlock;
    sem_init(&isUp, 0, 0);
    sem_init(&mayUnlock, 0, 0);
    sem_init(&mayEnd, 0, 0);
    obstacle = MakeQuietObserver(kCFRunLoopEntry, ^(CFRunLoopActivity activity) {});
    invalidated = MakeTimer("invalidated", 1000, 0, NULL);
    moved = MakeTimer("moved", 1000, 0, NULL);
    movedObserver = MakeQuietObserver(kCFRunLoopEntry, ^(CFRunLoopActivity activity) {});
    pthread_t owner = StartThread(^{
        dying = LOOP;
        CFRunLoopAddObserver(LOOP, obstacle, A); // observers are the first to leave a loop that is being deallocated
        CFRunLoopAddTimer(LOOP, invalidated, A);
        CFRunLoopAddTimer(LOOP, moved, A);
        CFRunLoopAddTimer(LOOP, moved, COMMON);
        CFRunLoopAddObserver(LOOP, movedObserver, A);
        sem_post(&isUp);
        while (sem_wait(&mayEnd) != 0) {}
    });
    while (sem_wait(&isUp) != 0) {}
    // The loop's thread gets as far as this observer, whose lock another thread holds.
    pthread_t holder = StartThread(^{
        __CFRunLoopObserverLock(obstacle);
        sem_post(&mayEnd);
        while (sem_wait(&mayUnlock) != 0) {}
        __CFRunLoopObserverUnlock(obstacle);
    });
    CHECK(WAIT_UNTIL(__CFRunLoopIsDeallocating(dying), 10));
    CFRunLoopTimerInvalidate(invalidated);
    CHECK(!CFRunLoopTimerIsValid(invalidated));
    CFRunLoopTimerSetNextFireDate(moved, 1);
    CFRunLoopAddTimer(LOOP, moved, A);
    CHECK(CFRunLoopContainsTimer(LOOP, moved, A));
    CFRunLoopObserverInvalidate(movedObserver);
    CHECK(!CFRunLoopObserverIsValid(movedObserver));
    Run(A, 10, false);
    CHECK_LOG("moved\nFinished");
    sem_post(&mayUnlock);
    JoinThread(holder);
    JoinThread(owner);
    CHECK(CFRunLoopObserverIsValid(obstacle) && !obstacle->_runLoop);
    CHECK_EQ_INT(CFGetRetainCount(moved), 1);
}

// MARK: - Nothing at all

static __CFPort portOfItem(void *info) { return ((Item *)info)->descriptor; }

// The toolchain's loop crashes. What it survives is in the scenario odd-arguments of Conformance.
TEST(NULL_for_a_timer_or_a_mode_is_answered, "No loop contains the timer NULL, and the mode NULL has no timer and is finished") {
    CHECK(!CFRunLoopContainsTimer(LOOP, NULL, A) && !CFRunLoopContainsTimer(LOOP, NULL, COMMON));
    CHECK_EQ_DOUBLE(CFRunLoopGetNextTimerFireDate(LOOP, NULL), 0, 0);
    CHECK(_CFRunLoopFinished(LOOP, NULL));
}

TEST(NULL_for_a_handler_or_a_perform_is_no_callback, "Items without a function are served like others, and call nothing") {
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 0, 0, 0, NULL);
    CFRunLoopObserverRef observer = CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopAllActivities, true, 0, NULL);
    CFRunLoopSourceContext1 context = {.version = 1, .info = MakeItem("source", NULL), .getPort = portOfItem};
    ((Item *)context.info)->descriptor = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopAddObserver(LOOP, observer, A);
    Run(A, 5, false);
    CFRunLoopAddSource(LOOP, CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context), A);
    Run(A, 5, true);
    CHECK(!CFRunLoopTimerIsValid(timer));
    CHECK_LOG("Finished\nHandledSource");
}

// MARK: - Invalidated meanwhile

TEST(D11_an_item_is_invalidated_once, "The first call that invalidates an item gets its info, to release it; a second call gets none") {
    CFTypeRef items[] = {MakeTimer("timer", 1000, 0, NULL), MakeObserver("observer", kCFRunLoopEntry, 0, NULL)};
    for (int i = 0; i < 2; i++) {
        void *info = NULL, *other = NULL;
        __CFRunLoopLockWithItem(items[i]);
        CHECK(__CFRunLoopItemInvalidate(items[i], &info));
        CHECK(info);
        CHECK(!__CFRunLoopItemInvalidate(items[i], &other));
        CHECK_EQ_PTR(other, NULL);
        if (i == 0) __CFRunLoopTimerUnlock((CFRunLoopTimerRef)items[i]);
        else __CFRunLoopObserverUnlock((CFRunLoopObserverRef)items[i]);
    }
}

TEST(D11_an_item_that_another_thread_invalidates_in_its_callback_shows_no_info,
     "A timer and an observer are invalidated by another thread while their callbacks run: the callback may still use the info, but nobody is given it any more") {
    __block CFRunLoopTimerRef timer = NULL;
    timer = AddTimer("timer", 0, 0, A, ^{
        CFRunLoopTimerContext context = {0};
        OnNewThread(^{ CFRunLoopTimerInvalidate(timer); });
        CFRunLoopTimerGetContext(timer, &context);
        CHECK_EQ_PTR(context.info, NULL);
    });
    __block CFRunLoopObserverRef observer = NULL;
    observer = AddObserver("observer", kCFRunLoopBeforeSources, 0, A, ^{
        CFRunLoopObserverContext context = {0};
        OnNewThread(^{ CFRunLoopObserverInvalidate(observer); });
        CFRunLoopObserverGetContext(observer, &context);
        CHECK_EQ_PTR(context.info, NULL);
    });
    Run(A, 5, false);
    CHECK_LOG("observer\ntimer\nFinished");
}
