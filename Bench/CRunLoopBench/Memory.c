/// Memory.c: how much of the heap a loop, a mode and an item take. The kernel's memory for descriptors is not counted.
#include "Sides.h"
#include <malloc.h>
#include <pthread.h>

enum { threads = 64, modes = 100, items = 1000, readers = 200 };

static double heapBytes(void) { return (double)mallinfo2().uordblks; }

/// Room for an item. What a program needs beside the objects of a library does not count; on the floor, the item is all there is.
static Item *newItem(Loop *loop, void (*call)(void *)) {
    static Item all[2 * items + readers];
    static int used;
    Item *item = loop->bench->side == BenchFloor ? malloc(sizeof(Item)) : &all[used++ % (2 * items + readers)];
    *item = (Item){.loop = loop, .call = call, .date = 3600, .place = -1};
    return item;
}

static void nothing(void *info) {}

static void makeSource(Loop *l) { l->side->addSource(newItem(l, nothing)); }

/// The descriptor is the client's.
static void makeReader(Loop *l) {
    Item *reader = newItem(l, nothing);
    reader->descriptor = BenchEvent();
    l->side->addReader(reader);
}

static void makeTimer(Loop *l) {
    Item *timer = newItem(l, nothing);
    l->side->makeTimer(timer);
    l->side->addTimer(timer);
    if (T(l->bench)) l->side->freeTimer(timer); // the loop retains it
}

static void makeBlock(Loop *l) {
    static long calls;
    l->side->addBlock(l, &calls);
}

/// A mode that has run. The run waits, because the mode needs its ports only for a wait. It has no limit, for which the toolchain's loop would
/// create a dispatch timer.
static void makeMode(Loop *l) {
    static int made;
    char name[32];
    snprintf(name, sizeof(name), "mode %d", made++);
    CFStringRef mode = T(l->bench)->CFStringCreateWithCString(NULL, name, kCFStringEncodingUTF8);
    T(l->bench)->CFRunLoopPerformBlock(l->loop, mode, ^{ l->side->stop(l); });
    T(l->bench)->CFRunLoopRunInMode(mode, 1e10, false);
    T(l->bench)->CFRelease(mode);
}

static void observed(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {}

static void makeObserver(Loop *l) {
    CFRunLoopObserverRef observer = T(l->bench)->CFRunLoopObserverCreate(NULL, kCFRunLoopBeforeTimers, true, 0, observed, NULL);
    T(l->bench)->CFRunLoopAddObserver(l->loop, observer, BenchMode(l->bench));
    T(l->bench)->CFRelease(observer);
}

/// What each of `count` calls of `make` takes. The first makes what exists once.
static double each(Loop *loop, int count, void (*make)(Loop *loop)) {
    make(loop);
    double before = heapBytes();
    for (int i = 0; i < count; i++) make(loop);
    return (heapBytes() - before) / count;
}

// MARK: - Loops, each on a thread of its own

typedef struct {
    Bench *bench;
    pthread_barrier_t areAllThere, mayMake, haveAllMade, mayEnd;
} Assembly;

static void *attend(void *argument) {
    Assembly *a = argument;
    void *memory = malloc(1);
    __asm__ volatile("" : "+r"(memory)); // or the compiler would remove both calls
    free(memory); // creates what the allocator keeps for a thread
    pthread_barrier_wait(&a->areAllThere);
    pthread_barrier_wait(&a->mayMake);
    LoopOpen(a->bench->side == BenchFloor ? malloc(sizeof(Loop)) : &(Loop){0}, a->bench);
    pthread_barrier_wait(&a->haveAllMade);
    pthread_barrier_wait(&a->mayEnd);
    return NULL;
}

static double eachLoop(Bench *bench) {
    Assembly a = {.bench = bench};
    pthread_barrier_t *barriers[] = {&a.areAllThere, &a.mayMake, &a.haveAllMade, &a.mayEnd};
    for (int i = 0; i < 4; i++) pthread_barrier_init(barriers[i], NULL, threads + 1);
    pthread_t ids[threads];
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, attend, &a)) BenchFail(bench, "no thread");
    }
    pthread_barrier_wait(&a.areAllThere);
    double before = heapBytes();
    pthread_barrier_wait(&a.mayMake);
    pthread_barrier_wait(&a.haveAllMade);
    double after = heapBytes();
    pthread_barrier_wait(&a.mayEnd);
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    return (after - before) / threads;
}

void BenchMeasureMemory(Bench *bench, double *costs) {
    mallopt(M_ARENA_MAX, 1);
    Loop *loop = calloc(1, sizeof(*loop));
    LoopOpen(loop, bench);
    makeSource(loop);
    loop->side->poll(loop);
    loop->side->setNow(loop);
    costs[0] = eachLoop(bench);
    if (T(bench)) costs[1] = each(loop, modes, makeMode);
    costs[2] = each(loop, items, makeSource);
    costs[3] = each(loop, readers, makeReader);
    costs[4] = each(loop, items, makeTimer);
    if (T(bench)) costs[5] = each(loop, items, makeObserver);
    if (loop->side->addBlock) costs[6] = each(loop, items, makeBlock);
}
