/// ArticleRegistry.c: _CFRunLoopGet0 as article 1 lists it (1.5), from CF-855.
///
/// The listing's steps and their order are kept: the spin lock, the temporary dictionary that is
/// made without the lock, compare-and-swap, the second look under the lock, the release outside of
/// it, the thread-specific counter and its countdown. The dictionary is CFDictionary. The library's
/// own _CFRunLoopGet0 holds one mutex throughout instead: see CFRunLoopRegistry.c.
///
/// These things stand for what the listing takes from elsewhere:
///
///     here                                   in the listing
///     ArticleSpinLock, over C11 atomics      CFSpinLock_t
///     atomic_compare_exchange_strong         OSAtomicCompareAndSwapPtrBarrier
///     a source that is in no loop            a run loop: some object with a deallocator
///     LoopWasDeallocated                     __CFRunLoopDeallocate, which may ask for a loop
///     Step()                                 nothing: the moment when another thread may go on

#include "CArticles.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static ArticleGet0Form form;
static ArticleGet0Result result;
static void Step(void);

// MARK: - What the listing uses

typedef struct { atomic_flag isLocked; } ArticleSpinLock;
static _Thread_local Boolean holdsLoopsLock;

/// Spins until the lock is free. A thread that holds it already would spin for ever.
static void Lock(ArticleSpinLock *lock) {
    if (holdsLoopsLock) {
        result.ownLocks++;
        return;
    }
    while (atomic_flag_test_and_set_explicit(&lock->isLocked, memory_order_acquire)) {}
    holdsLoopsLock = true;
}

static void Unlock(ArticleSpinLock *lock) {
    if (!holdsLoopsLock) return;
    holdsLoopsLock = false;
    atomic_flag_clear_explicit(&lock->isLocked, memory_order_release);
}

static _Atomic(CFMutableDictionaryRef) runLoops = NULL; // pthread_t → loop; __CFRunLoops
static ArticleSpinLock loopsLock = {ATOMIC_FLAG_INIT};
static pthread_t mainThread; // pthread_main_thread_np()
static pthread_key_t loopKey, counterKey; // __CFTSDKeyRunLoop, __CFTSDKeyRunLoopCntr

/// A loop's life. `info` of the source that stands for the loop.
struct Life { int deallocations; };

/// Deallocating a loop may ask for a loop: its sources are cancelled, and their callbacks may call
/// CFRunLoopGetCurrent. That is why the listing's comment forbids it inside the lock.
static void LoopWasDeallocated(const void *info) {
    struct Life *life = (struct Life *)info;
    result.deallocatedLoops++;
    if (++life->deallocations > 1) result.deallocatedTwice++;
    Boolean isOwn = holdsLoopsLock;
    Lock(&loopsLock);
    if (!isOwn) Unlock(&loopsLock);
}

/// __CFRunLoopCreate(t)
static CFRunLoopSourceRef RunLoopCreate(pthread_t t) {
    (void)t;
    result.loops++;
    CFRunLoopSourceContext context = {
        .info = calloc(1, sizeof(struct Life)), // never freed: a second deallocation would be seen
        .release = LoopWasDeallocated
    };
    return CFRunLoopSourceCreate(NULL, 0, &context);
}

static const void *PthreadPointer(pthread_t t) { return (const void *)(uintptr_t)t; }

/// __CFFinalizeRunLoop: the destructor of the counter. It sets the slot again until its last round
/// but one, so that the destructors of other data can still use the loop.
static void FinalizeRunLoop(void *data) {
    uintptr_t roundsLeft = (uintptr_t)data;
    if (roundsLeft > 1) {
        pthread_setspecific(counterKey, (void *)(roundsLeft - 1));
        return;
    }
    Lock(&loopsLock);
    CFRunLoopSourceRef loop = (CFRunLoopSourceRef)CFDictionaryGetValue(
        runLoops, PthreadPointer(pthread_self()));
    if (loop) CFRetain(loop);
    CFDictionaryRemoveValue(runLoops, PthreadPointer(pthread_self()));
    Unlock(&loopsLock);
    if (loop) CFRelease(loop);
}

// MARK: - The listing (1.5)

static CFRunLoopSourceRef ArticleRunLoopGet0(pthread_t t) {
    if (pthread_equal(t, (pthread_t)0)) t = mainThread;
    Lock(&loopsLock);
    if (!runLoops) {
        Unlock(&loopsLock); // a thread should not allocate memory while it holds a spin lock
        Step();
        CFMutableDictionaryRef dict =
            CFDictionaryCreateMutable(NULL, 0, NULL, &kCFTypeDictionaryValueCallBacks);
        result.dictionaries++;
        CFRunLoopSourceRef mainLoop = RunLoopCreate(mainThread);
        CFDictionarySetValue(dict, PthreadPointer(mainThread), mainLoop);
        CFMutableDictionaryRef none = NULL;
        if (!atomic_compare_exchange_strong(&runLoops, &none, dict)) {
            // Another thread has installed its dictionary meanwhile. (The article's comment says
            // that this one can go because it has been stored. It has not: the other one has.)
            result.lostDictionaries++;
            result.lostLoops++;
            result.releasedDictionaries++;
            CFRelease(dict);
        }
        CFRelease(mainLoop); // the dictionary retains it
        Step();
        Lock(&loopsLock);
    }
    CFRunLoopSourceRef loop =
        (CFRunLoopSourceRef)CFDictionaryGetValue(runLoops, PthreadPointer(t));
    Unlock(&loopsLock);
    if (!loop) {
        CFRunLoopSourceRef newLoop = RunLoopCreate(t);
        Step();
        Lock(&loopsLock);
        // The second look: another thread may have stored a loop for `t` meanwhile.
        if (form != kArticleGet0WithoutSecondLook)
            loop = (CFRunLoopSourceRef)CFDictionaryGetValue(runLoops, PthreadPointer(t));
        if (!loop) {
            CFDictionarySetValue(runLoops, PthreadPointer(t), newLoop);
            loop = newLoop;
        } else {
            result.lostLoops++;
        }
        if (form == kArticleGet0ReleasesInside) CFRelease(newLoop);
        // Do not release loops inside the lock: deallocating one may take it.
        Unlock(&loopsLock);
        Step();
        if (form != kArticleGet0ReleasesInside) CFRelease(newLoop);
    }
    if (pthread_equal(t, pthread_self())) {
        pthread_setspecific(loopKey, loop);
        if (!pthread_getspecific(counterKey))
            pthread_setspecific(counterKey, (void *)(uintptr_t)(PTHREAD_DESTRUCTOR_ITERATIONS - 1));
    }
    return loop;
}

// MARK: - Every order of two threads
//
// Only one of the two threads goes on at a time, from one Step to the next. No thread holds the
// lock at a Step, so the other one never waits for it.

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int turn; // the thread that may go on
    Boolean isAtStep[2], isDone[2];
    char choices[64]; // the thread that goes on at the n-th step at which both could
    int count, made;  // those that are given, and those that there were
    int mayEnd; // the threads that may end: first 0, then 1, so that their loops end in turn
    Boolean isOneKey;
    pthread_t threads[2];
    CFRunLoopSourceRef found[2];
} stage = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static _Thread_local int mine; // the number of this thread, 0 or 1

/// Chooses who goes on, if each thread is at a step or done. Call it with the mutex. The thread
/// that has arrived chooses, not the main thread: on a busy machine, each change of threads takes
/// long.
static void Choose(void) {
    for (int n = 0; n < 2; n++)
        if (!stage.isAtStep[n] && !stage.isDone[n]) return;
    stage.turn = stage.isDone[0];
    if (!stage.isDone[0] && !stage.isDone[1]) {
        if (stage.made >= stage.count) stage.choices[stage.made] = 0;
        stage.turn = stage.choices[stage.made++];
    }
    if (stage.turn != mine) pthread_cond_broadcast(&stage.changed);
}

static void Step(void) {
    pthread_mutex_lock(&stage.mutex);
    stage.isAtStep[mine] = true;
    stage.turn = -1;
    Choose();
    while (stage.turn != mine) pthread_cond_wait(&stage.changed, &stage.mutex);
    stage.isAtStep[mine] = false;
    pthread_mutex_unlock(&stage.mutex);
}

static void *Ask(void *number) {
    mine = (int)(intptr_t)number;
    Step(); // both threads exist
    stage.found[mine] = ArticleRunLoopGet0(stage.isOneKey ? stage.threads[0] : pthread_self());
    pthread_mutex_lock(&stage.mutex);
    stage.isDone[mine] = true;
    Choose();
    pthread_cond_broadcast(&stage.changed); // the main thread waits for both
    while (stage.mayEnd <= mine) pthread_cond_wait(&stage.changed, &stage.mutex);
    pthread_mutex_unlock(&stage.mutex);
    return NULL;
}

/// Lets two new threads go through the listing. Beyond `count` choices, the first one goes on.
static void GoThrough(void) {
    stage.turn = -1;
    stage.mayEnd = stage.made = 0;
    for (int n = 0; n < 2; n++) stage.isAtStep[n] = stage.isDone[n] = false;
    for (int n = 0; n < 2; n++)
        pthread_create(&stage.threads[n], NULL, Ask, (void *)(intptr_t)n);
    pthread_mutex_lock(&stage.mutex);
    while (!stage.isDone[0] || !stage.isDone[1])
        pthread_cond_wait(&stage.changed, &stage.mutex);
    CFIndex expected = stage.isOneKey ? 2 : 3; // with the main thread's loop
    if (CFDictionaryGetCount(runLoops) != expected) result.ordersWithWrongCount++;
    if ((stage.found[0] == stage.found[1]) != stage.isOneKey) result.ordersWithTwoLoops++;
    for (int n = 0; n < 2; n++) {
        stage.mayEnd = n + 1;
        pthread_cond_broadcast(&stage.changed);
        pthread_mutex_unlock(&stage.mutex);
        pthread_join(stage.threads[n], NULL); // its loop has ended with it
        pthread_mutex_lock(&stage.mutex);
    }
    pthread_mutex_unlock(&stage.mutex);
}

static void MakeKeys(void) {
    pthread_key_create(&loopKey, NULL);
    pthread_key_create(&counterKey, FinalizeRunLoop);
}

ArticleGet0Result ArticleGet0InEveryOrder(ArticleGet0Form asked, Boolean isOneKey) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, MakeKeys);
    mainThread = pthread_self();
    form = asked;
    result = (ArticleGet0Result){0};
    stage.isOneKey = isOneKey;
    stage.count = 0;
    do {
        GoThrough();
        result.orders++;
        CFRelease(runLoops); // with the main thread's loop
        result.releasedDictionaries++;
        runLoops = NULL;
        stage.count = stage.made;
        while (stage.count > 0 && stage.choices[stage.count - 1] == 1) stage.count--;
        if (stage.count > 0) stage.choices[stage.count - 1] = 1; // the next order
    } while (stage.count > 0);
    return result;
}
