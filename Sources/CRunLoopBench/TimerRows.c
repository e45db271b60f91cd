/// TimerRows.c: adding, moving and invalidating a timer among many that are far away.
///
/// A round adds new timers at dates without pattern, moves as many others, which are picked without pattern, and invalidates the new ones:
/// then all is as before.
#include "Heap.h"
#include "Libraries.h"
#include "Rows.h"
#include "Tracer.h"
#include <math.h>
#include <string.h>

enum { add, move, invalidate };

/// The far dates lie within an hour, in an hour.
static const double nearest = 3600, span = 3600;

typedef struct {
    void **far, **new; // CFRunLoopTimerRef, HeapTimer *, GSource *, uv_handle_t *
    BenchRandom random;
    CFAbsoluteTime now;
    Heap heap;
    void *loop;
} Timers;

static Timers *makeTimers(Bench *bench, long mostOperations) {
    Timers *t = calloc(1, sizeof(*t));
    t->far = calloc((size_t)bench->size, sizeof(void *));
    t->new = calloc((size_t)mostOperations, sizeof(void *));
    bench->state = t;
    return t;
}

static double farDate(Timers *t) { return t->now + nearest + span * BenchNextFraction(&t->random); }
static void *farTimer(const Bench *bench, Timers *t) { return t->far[BenchNext(&t->random) % (uint64_t)bench->size]; }

enum { mostOperations = 1000 };

/// The time of `count` times `operation`, each.
#define EACH(bench, cost, operation) do { \
        double start = BenchThreadTime(); \
        for (long i = 0; i < (bench)->count; i++) { operation; } \
        cost = (BenchThreadTime() - start) / (double)(bench)->count; \
    } while (0)

// MARK: - The run loops

static void neverFires(CFRunLoopTimerRef timer, void *info) { abort(); }

static void setUpTimers(Bench *bench) {
    Timers *t = makeTimers(bench, mostOperations);
    t->now = T(bench)->CFAbsoluteTimeGetCurrent();
    for (long i = 0; i < bench->size; i++) {
        t->far[i] = BenchMakeTimer(bench, farDate(t), 0, NULL, neverFires);
        T(bench)->CFRunLoopAddTimer(BenchLoop(bench), t->far[i], BenchMode(bench));
    }
}

static void changeTimers(Bench *bench, double *costs) {
    Timers *t = bench->state;
    CFRunLoopRef loop = BenchLoop(bench);
    CFStringRef mode = BenchMode(bench);
    for (long i = 0; i < bench->count; i++) t->new[i] = BenchMakeTimer(bench, farDate(t), 0, NULL, neverFires);
    EACH(bench, costs[add], T(bench)->CFRunLoopAddTimer(loop, t->new[i], mode));
    EACH(bench, costs[move], T(bench)->CFRunLoopTimerSetNextFireDate(farTimer(bench, t), farDate(t)));
    EACH(bench, costs[invalidate], T(bench)->CFRunLoopTimerInvalidate(t->new[i]));
    for (long i = 0; i < bench->count; i++) T(bench)->CFRelease(t->new[i]);
}

// MARK: - The floor

static uint64_t farTicks(Timers *t) { return (uint64_t)(farDate(t) * 1e9); }

static HeapTimer *makeHeapTimer(Timers *t) {
    HeapTimer *timer = malloc(sizeof(*timer));
    *timer = (HeapTimer){.date = farTicks(t)};
    return timer;
}

static void setUpHeap(Bench *bench) {
    Timers *t = makeTimers(bench, mostOperations);
    for (long i = 0; i < bench->size; i++) HeapAdd(&t->heap, t->far[i] = makeHeapTimer(t));
}

static void changeHeap(Bench *bench, double *costs) {
    Timers *t = bench->state;
    for (long i = 0; i < bench->count; i++) t->new[i] = makeHeapTimer(t);
    EACH(bench, costs[add], HeapAdd(&t->heap, t->new[i]));
    EACH(bench, costs[move], HeapMove(&t->heap, farTimer(bench, t), farTicks(t)));
    EACH(bench, costs[invalidate], HeapRemove(&t->heap, t->new[i]));
    for (long i = 0; i < bench->count; i++) free(t->new[i]);
}

// MARK: - GLib

static unsigned farMilliseconds(Timers *t) { return (unsigned)(farDate(t) * 1000); }

static void setUpGLib(Bench *bench) {
    const GLibTable *g = BenchGLibTable();
    Timers *t = makeTimers(bench, mostOperations);
    t->loop = g->g_main_context_new();
    for (long i = 0; i < bench->size; i++) {
        t->far[i] = g->g_timeout_source_new(farMilliseconds(t));
        g->g_source_attach(t->far[i], t->loop);
    }
}

static void changeGLib(Bench *bench, double *costs) {
    const GLibTable *g = BenchGLibTable();
    Timers *t = bench->state;
    int64_t now = g->g_get_monotonic_time();
    for (long i = 0; i < bench->count; i++) t->new[i] = g->g_timeout_source_new(farMilliseconds(t));
    EACH(bench, costs[add], g->g_source_attach(t->new[i], t->loop));
    EACH(bench, costs[move], g->g_source_set_ready_time(farTimer(bench, t), now + (int64_t)(farDate(t) * 1e6)));
    EACH(bench, costs[invalidate], g->g_source_destroy(t->new[i]));
    for (long i = 0; i < bench->count; i++) g->g_source_unref(t->new[i]);
}

// MARK: - libuv

static void never(uv_handle_t *timer) { abort(); }

static void setUpLibuv(Bench *bench) {
    const LibuvTable *uv = BenchLibuvTable();
    Timers *t = makeTimers(bench, mostOperations);
    t->loop = BenchUVLoop();
    for (long i = 0; i < mostOperations; i++) uv->uv_timer_init(t->loop, t->new[i] = BenchUVHandle(UV_TIMER, NULL));
    for (long i = 0; i < bench->size; i++) {
        uv->uv_timer_init(t->loop, t->far[i] = BenchUVHandle(UV_TIMER, NULL));
        uv->uv_timer_start(t->far[i], never, farMilliseconds(t), 0);
    }
}

static void changeLibuv(Bench *bench, double *costs) {
    const LibuvTable *uv = BenchLibuvTable();
    Timers *t = bench->state;
    EACH(bench, costs[add], uv->uv_timer_start(t->new[i], never, farMilliseconds(t), 0));
    EACH(bench, costs[move], uv->uv_timer_start(farTimer(bench, t), never, farMilliseconds(t), 0));
    EACH(bench, costs[invalidate], uv->uv_timer_stop(t->new[i]));
}

// MARK: - How the cost grows, in instructions: caches have no part in it

enum { few = 1000, many = 1000000, growthSamples = 10 };

/// Nothing, for the instructions of the marks themselves; then one change after the other, a few times over.
static void changeOneByOne(Bench *bench) {
    setUpTimers(bench);
    double ignored[BenchMostRows];
    bench->count = 10;
    changeTimers(bench, ignored); // warms up
    Timers *t = bench->state;
    TraceBegins();
    TraceEnds();
    for (int i = 0; i < growthSamples; i++) {
        void *new = BenchMakeTimer(bench, farDate(t), 0, NULL, neverFires), *far = farTimer(bench, t);
        CFAbsoluteTime date = farDate(t);
        TraceBegins();
        T(bench)->CFRunLoopAddTimer(BenchLoop(bench), new, BenchMode(bench));
        TraceEnds();
        TraceBegins();
        T(bench)->CFRunLoopTimerSetNextFireDate(far, date);
        TraceEnds();
        TraceBegins();
        T(bench)->CFRunLoopTimerInvalidate(new);
        TraceEnds();
    }
}

/// The instructions of each change among so many.
static void countInstructions(Bench *bench, long size, double *instructions) {
    Bench sized = *bench;
    sized.size = size;
    long counts[1 + 3 * growthSamples];
    TraceInstructions(&sized, counts, 1 + 3 * growthSamples, changeOneByOne);
    memset(instructions, 0, 3 * sizeof(*instructions));
    for (int i = 0; i < 3 * growthSamples; i++) instructions[i % 3] += (double)(counts[1 + i] - counts[0]) / growthSamples;
}

static void growth(Bench *bench, double *costs) {
    double small[3];
    countInstructions(bench, few, small);
    countInstructions(bench, many, costs);
    for (int i = 0; i < 3; i++) costs[i] /= small[i];
}

static void logarithm(Bench *bench, double *costs) {
    for (int i = 0; i < 3; i++) costs[i] = log(many) / log(few);
}

// MARK: - The groups

#define TIMERS(SIZE, AMONG, ADD, MOVE, INVALIDATE) \
    .name = "timers", .rowCount = 3, .size = SIZE, .processors = 1, .mostOperations = mostOperations, \
    .rows = { \
        {"timer-add-" #SIZE, "timer added among " AMONG, BenchSeconds, ADD, 0}, \
        {"timer-move-" #SIZE, "timer moved among " AMONG, BenchSeconds, MOVE, 0}, \
        {"timer-invalidate-" #SIZE, "timer invalidated among " AMONG, BenchSeconds, INVALIDATE, 0}, \
    }, \
    .loop = {setUpTimers, changeTimers}, .floor = {setUpHeap, changeHeap}, \
    .glib = {setUpGLib, changeGLib}, .libuv = {setUpLibuv, changeLibuv}

const BenchGroup BenchTimers1000 = {TIMERS(1000, "1,000", 0, 0, 0)};
const BenchGroup BenchTimers100000 = {TIMERS(100000, "100,000", 0.15, 0.02, 0.01)};
const BenchGroup BenchTimers1000000 = {
    TIMERS(1000000, "1,000,000", 0, 0, 0),
    .slowThere = "adding the first million timers takes it twenty seconds",
};

const BenchGroup BenchTimerGrowth = {
    .name = "timers", .rowCount = 3, .processors = 1, .mostOperations = 1, .isCounted = true, .isOursAlone = true,
    .rows = {
        {"timer-add-growth", "instructions to add, 1,000,000 : 1,000", BenchTimes, 0, 1},
        {"timer-move-growth", "instructions to move, 1,000,000 : 1,000", BenchTimes, 0, 1},
        {"timer-invalidate-growth", "instructions to invalidate, 1,000,000 : 1,000", BenchTimes, 0, 1},
    },
    .loop = {NULL, growth}, .floor = {NULL, logarithm},
};
