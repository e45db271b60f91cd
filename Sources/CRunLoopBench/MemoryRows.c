/// MemoryRows.c: how much of the heap and how many descriptors a loop, a mode and an item take. The kernel's memory for descriptors is not
/// counted.
#include "Heap.h"
#include "Rows.h"
#include <malloc.h>
#include <pthread.h>

extern void *_Block_copy(const void *block);

// MARK: - Counting

static double heapBytes(void) { return (double)mallinfo2().uordblks; }

/// What each of `count` calls of `make` takes.
static double each(Bench *bench, int count, double (*measure)(void), void (*make)(Bench *bench)) {
    double before = measure();
    for (int i = 0; i < count; i++) make(bench);
    return (measure() - before) / count;
}

// MARK: - The objects, and what they take without a run loop

/// The least that a loop and a mode could be: ports, a list of signalled sources, timers.
typedef struct {
    pthread_mutex_t lock;
    int epoll, event;
    void *first, **last;
    Heap timers;
} BareLoop;

typedef struct BareItem {
    struct BareItem *next;
    void (*perform)(void *info);
    void *info;
    uint64_t state;
} BareItem;

/// Hides from the compiler that the object is not used; otherwise it would remove the allocation.
static void *keep(void *memory) {
    __asm__ volatile("" : "+r"(memory));
    return memory;
}

static void useLoop(Bench *bench) {
    if (T(bench)) {
        BenchLoop(bench);
        return;
    }
    BareLoop *loop = keep(calloc(1, sizeof(BareLoop)));
    loop->event = BenchEvent();
}

/// A mode that has run.
static void makeMode(Bench *bench) {
    static int made;
    if (!T(bench)) {
        BareLoop *mode = keep(calloc(1, sizeof(BareLoop)));
        mode->epoll = BenchEpoll();
        return;
    }
    char name[32];
    snprintf(name, sizeof(name), "mode %d", made++);
    CFStringRef mode = BenchMakeMode(bench, name);
    // The run waits, because the mode needs its ports only for a wait. It has no limit, for which the toolchain's loop would create a dispatch timer.
    T(bench)->CFRunLoopPerformBlock(BenchLoop(bench), mode, ^{ T(bench)->CFRunLoopStop(BenchLoop(bench)); });
    T(bench)->CFRunLoopRunInMode(mode, 1e10, false);
    T(bench)->CFRelease(mode);
}

static void nothing(void *info) {}
static void timerNothing(CFRunLoopTimerRef timer, void *info) {}
static void observerNothing(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {}

static void makeBareItem(Bench *bench) { *(BareItem *)keep(malloc(sizeof(BareItem))) = (BareItem){.perform = nothing}; }

static void makeSource0(Bench *bench) {
    static char infos[4096]; // sources with equal contexts would count as one
    static int made;
    if (T(bench)) T(bench)->CFRelease(BenchAddSource0(bench, &infos[made++], nothing));
    else makeBareItem(bench);
}

/// The descriptor is the client's, and the kernel's; the int for it is stored with the others, so that no side has to allocate it.
static void makeSource1(Bench *bench) {
    static int descriptors[4096], made;
    int *descriptor = &descriptors[made++];
    *descriptor = BenchEvent();
    if (T(bench)) T(bench)->CFRelease(BenchAddSource1(bench, descriptor, nothing));
    else makeBareItem(bench);
}

static void makeTimer(Bench *bench) {
    static Heap heap;
    static uint64_t made;
    if (T(bench)) {
        CFAbsoluteTime date = T(bench)->CFAbsoluteTimeGetCurrent() + 3600;
        CFRunLoopTimerRef timer = BenchMakeTimer(bench, date, 0, NULL, timerNothing);
        T(bench)->CFRunLoopAddTimer(BenchLoop(bench), timer, BenchMode(bench));
        T(bench)->CFRelease(timer);
    } else {
        HeapTimer *timer = malloc(sizeof(*timer));
        *timer = (HeapTimer){.date = made++, .fire = nothing};
        HeapAdd(&heap, timer);
    }
}

static void makeObserver(Bench *bench) {
    if (!T(bench)) return makeBareItem(bench);
    CFRunLoopObserverRef observer = T(bench)->CFRunLoopObserverCreate(NULL, kCFRunLoopBeforeTimers, true, 0, observerNothing, NULL);
    T(bench)->CFRunLoopAddObserver(BenchLoop(bench), observer, BenchMode(bench));
    T(bench)->CFRelease(observer);
}

/// A mode that never runs.
static CFStringRef waitingMode[BenchSideCount];

static void makeBlock(Bench *bench) {
    if (T(bench)) {
        T(bench)->CFRunLoopPerformBlock(BenchLoop(bench), waitingMode[bench->side], ^{ nothing(bench); });
    } else {
        makeBareItem(bench);
        _Block_copy(^{ nothing(bench); });
    }
}

// MARK: - Loops, each on a thread of its own

enum { threads = 64 };

typedef struct {
    Bench *bench;
    pthread_barrier_t areAllThere, mayMake, haveAllMade, mayEnd;
} Assembly;

static void *attend(void *argument) {
    Assembly *a = argument;
    free(keep(malloc(1))); // creates what the allocator keeps for a thread
    pthread_barrier_wait(&a->areAllThere);
    pthread_barrier_wait(&a->mayMake);
    useLoop(a->bench);
    pthread_barrier_wait(&a->haveAllMade);
    pthread_barrier_wait(&a->mayEnd);
    return NULL;
}

/// What a loop takes.
static double eachLoop(Bench *bench, double (*measure)(void)) {
    Assembly a = {.bench = bench};
    pthread_barrier_t *barriers[] = {&a.areAllThere, &a.mayMake, &a.haveAllMade, &a.mayEnd};
    for (int i = 0; i < 4; i++) pthread_barrier_init(barriers[i], NULL, threads + 1);
    pthread_t ids[threads];
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, attend, &a)) BenchFail(bench, "no thread");
    }
    pthread_barrier_wait(&a.areAllThere);
    double before = measure();
    pthread_barrier_wait(&a.mayMake);
    pthread_barrier_wait(&a.haveAllMade);
    double after = measure();
    pthread_barrier_wait(&a.mayEnd);
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    return (after - before) / threads;
}

// MARK: - The groups

enum { items = 1000, sources1 = 200, modes = 100 };

/// Before the measurement, creates the loop, the mode, and everything that is created only once.
static void setUp(Bench *bench) {
    mallopt(M_ARENA_MAX, 1);
    if (!T(bench)) return;
    BenchKeepAlive(bench);
    BenchPoll(bench);
    makeMode(bench);
    waitingMode[bench->side] = BenchMakeMode(bench, "RunLoopBench");
    makeBlock(bench);
}

static void measureMemory(Bench *bench, double *costs) {
    costs[0] = eachLoop(bench, heapBytes);
    costs[1] = each(bench, modes, heapBytes, makeMode);
    costs[2] = each(bench, items, heapBytes, makeSource0);
    costs[3] = each(bench, sources1, heapBytes, makeSource1);
    costs[4] = each(bench, items, heapBytes, makeTimer);
    costs[5] = each(bench, items, heapBytes, makeObserver);
    costs[6] = each(bench, items, heapBytes, makeBlock);
}

static void measureDescriptors(Bench *bench, double *costs) {
    costs[0] = eachLoop(bench, BenchOpenDescriptorCount);
    costs[1] = each(bench, modes, BenchOpenDescriptorCount, makeMode);
}

const BenchGroup BenchMemory = {
    .name = "memory", .rowCount = 7, .processors = 1, .mostOperations = 1, .isCounted = true,
    .rows = {
        {"memory-loop", "heap: a loop", BenchBytes, {[BenchToolchain] = 1}},
        {"memory-mode", "heap: a mode that has been run", BenchBytes, {[BenchToolchain] = 1}},
        {"memory-source-0", "heap: a version 0 source", BenchBytes, {[BenchToolchain] = 1}},
        {"memory-source-1", "heap: a version 1 source", BenchBytes, {[BenchToolchain] = 1}},
        {"memory-timer", "heap: a timer", BenchBytes, {[BenchToolchain] = 1}},
        {"memory-observer", "heap: an observer", BenchBytes, {}},
        {"memory-block", "heap: a block that waits", BenchBytes, {}},
    },
    .loop = {setUp, measureMemory}, .floor = {setUp, measureMemory},
};

const BenchGroup BenchOpenDescriptors = {
    .name = "descriptors", .rowCount = 2, .processors = 1, .mostOperations = 1, .isCounted = true,
    .rows = {
        {"descriptors-loop", "descriptors: a loop", BenchDescriptors, {}},
        {"descriptors-mode", "descriptors: a mode that has been run", BenchDescriptors, {}},
    },
    .loop = {setUp, measureDescriptors}, .floor = {setUp, measureDescriptors},
};
