/// TimerRows.c: adding, moving and invalidating a timer among many far ones; and a timer's whole life among them.
///
/// A round adds new timers, moves as many others, which are picked at random, and invalidates the new ones, so that everything is as
/// before.
#include "Heap.h"
#include "Libraries.h"
#include "Rows.h"
#include <math.h>

enum { add, move, invalidate };

/// The far dates lie within one hour, which begins in an hour.
static const double nearest = 3600, span = 3600;

typedef struct {
    void **far, **new; // CFRunLoopTimerRef, HeapTimer *, GSource *, uv_handle_t *
    BenchRandom random;
    BenchRandom dates;
    CFAbsoluteTime now;
    Heap heap;
    void *loop;
    int epoll;
    long fired;
} Timers;

static Timers *makeTimers(Bench *bench, long mostOperations) {
    Timers *t = calloc(1, sizeof(*t));
    t->far = calloc((size_t)bench->size, sizeof(void *));
    t->new = calloc((size_t)mostOperations, sizeof(void *));
    bench->state = t;
    return t;
}

static double farDate(Timers *t) { return t->now + nearest + span * BenchNextDate(&t->dates); }
static void *farTimer(const Bench *bench, Timers *t) { return t->far[BenchNext(&t->random) % (uint64_t)bench->size]; }

enum { mostOperations = 1000 };

/// The time of each of `count` calls of `operation`.
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

// MARK: - The whole life of a timer
//
// A round creates timers, adds them with far dates, moves them to now, lets them fire in one pass, invalidates and releases them. They
// repeat, so that they are still valid after they have fired.

/// Times a round of lives. `live` makes `count` timers live, and each of them counts when it fires.
static void timeLives(Bench *bench, double *costs, void (*live)(Bench *bench, Timers *t)) {
    Timers *t = bench->state;
    t->fired = 0;
    double start = BenchThreadTime();
    live(bench, t);
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
    BenchCheck(bench, "timers fired", t->fired, bench->count);
}

static void countFire(void *info) { ((Timers *)info)->fired++; }

static void timerFired(CFRunLoopTimerRef timer, void *info) { countFire(info); }

static void liveInLoop(Bench *bench, Timers *t) {
    CFRunLoopRef loop = BenchLoop(bench);
    CFAbsoluteTime now = T(bench)->CFAbsoluteTimeGetCurrent();
    for (long i = 0; i < bench->count; i++) {
        t->new[i] = BenchMakeTimer(bench, farDate(t), span, t, timerFired);
        T(bench)->CFRunLoopAddTimer(loop, t->new[i], BenchMode(bench));
    }
    for (long i = 0; i < bench->count; i++) T(bench)->CFRunLoopTimerSetNextFireDate(t->new[i], now);
    while (t->fired < bench->count) BenchPoll(bench);
    for (long i = 0; i < bench->count; i++) {
        T(bench)->CFRunLoopTimerInvalidate(t->new[i]);
        T(bench)->CFRelease(t->new[i]);
    }
}

static void livesInLoop(Bench *bench, double *costs) { timeLives(bench, costs, liveInLoop); }

static void setUpHeapAndEpoll(Bench *bench) {
    setUpHeap(bench);
    Timers *t = bench->state;
    t->epoll = BenchEpoll();
    BenchEpollAdd(t->epoll, BenchEvent());
}

static void liveInHeap(Bench *bench, Timers *t) {
    struct epoll_event events[64];
    for (long i = 0; i < bench->count; i++) {
        HeapTimer *timer = t->new[i] = makeHeapTimer(t);
        timer->fire = countFire;
        timer->info = t;
        HeapAdd(&t->heap, timer);
    }
    for (long i = 0; i < bench->count; i++) HeapMove(&t->heap, t->new[i], 0);
    if (epoll_wait(t->epoll, events, 64, 0)) BenchFail(bench, "an event came that nobody has sent");
    for (HeapTimer *timer; (timer = t->heap.timers[0])->date == 0;) {
        HeapMove(&t->heap, timer, farTicks(t));
        timer->fire(timer->info);
    }
    for (long i = 0; i < bench->count; i++) {
        HeapRemove(&t->heap, t->new[i]);
        free(t->new[i]);
    }
}

static void livesInHeap(Bench *bench, double *costs) { timeLives(bench, costs, liveInHeap); }

static int sourceFired(void *data) {
    countFire(data);
    return 1;
}

static void liveInContext(Bench *bench, Timers *t) {
    const GLibTable *g = BenchGLibTable();
    for (long i = 0; i < bench->count; i++) {
        t->new[i] = g->g_timeout_source_new(farMilliseconds(t));
        g->g_source_set_callback(t->new[i], sourceFired, t, NULL);
        g->g_source_attach(t->new[i], t->loop);
    }
    for (long i = 0; i < bench->count; i++) g->g_source_set_ready_time(t->new[i], 0);
    while (t->fired < bench->count) g->g_main_context_iteration(t->loop, false);
    for (long i = 0; i < bench->count; i++) {
        g->g_source_destroy(t->new[i]);
        g->g_source_unref(t->new[i]);
    }
}

static void livesInContext(Bench *bench, double *costs) { timeLives(bench, costs, liveInContext); }

static void handleFired(uv_handle_t *handle) { countFire(handle->data); }

static void liveInUVLoop(Bench *bench, Timers *t) {
    const LibuvTable *uv = BenchLibuvTable();
    for (long i = 0; i < bench->count; i++) {
        uv->uv_timer_init(t->loop, t->new[i] = BenchUVHandle(UV_TIMER, t));
        uv->uv_timer_start(t->new[i], handleFired, farMilliseconds(t), (uint64_t)(span * 1000));
    }
    for (long i = 0; i < bench->count; i++) uv->uv_timer_start(t->new[i], handleFired, 0, (uint64_t)(span * 1000));
    while (t->fired < bench->count) uv->uv_run(t->loop, UV_RUN_NOWAIT);
    for (long i = 0; i < bench->count; i++) uv->uv_close(t->new[i], (void (*)(uv_handle_t *))(void (*)(void))free);
    uv->uv_run(t->loop, UV_RUN_NOWAIT); // closes them
}

static void livesInUVLoop(Bench *bench, double *costs) { timeLives(bench, costs, liveInUVLoop); }

// MARK: - The groups

/// Goals are lists of sides with factors, as in BenchRow.
#define GOALS(...) {__VA_ARGS__}

#define TIMERS(SIZE, NAME, WHERE, ADD, MOVE, INVALIDATE) \
    .name = "timers", .rowCount = 3, .size = SIZE, .processors = 1, .mostOperations = mostOperations, \
    .rows = { \
        {"timer-add-" NAME, "timer added " WHERE, BenchSeconds, ADD}, \
        {"timer-move-" NAME, "timer moved " WHERE, BenchSeconds, MOVE}, \
        {"timer-invalidate-" NAME, "timer invalidated " WHERE, BenchSeconds, INVALIDATE}, \
    }, \
    .loop = {setUpTimers, changeTimers}, .floor = {setUpHeap, changeHeap}, \
    .glib = {setUpGLib, changeGLib}, .libuv = {setUpLibuv, changeLibuv}

const BenchGroup BenchTimers1000 = {
    TIMERS(1000, "1000", "among 1,000", GOALS([BenchToolchain] = 1), GOALS([BenchToolchain] = 1), GOALS([BenchToolchain] = 1)),
    .growsWithSize = true,
};
const BenchGroup BenchTimers100000 = {
    TIMERS(100000, "100000", "among 100,000", GOALS([BenchToolchain] = 1), GOALS([BenchToolchain] = 0.2), GOALS([BenchToolchain] = 1)),
    .steppedOperations = 10, .growsWithSize = true, .slowThere = "moving a timer takes it 0.1 ms",
};
const BenchGroup BenchTimerLife = {
    .name = "timers", .rowCount = 1, .size = 100000, .processors = 1, .mostOperations = 1000, .leastOperations = 100,
    .rows = {{"timer-life", "whole life of a timer among 100,000", BenchSeconds, {[BenchToolchain] = 1}}},
    .loop = {setUpTimers, livesInLoop}, .floor = {setUpHeapAndEpoll, livesInHeap},
    .glib = {setUpGLib, livesInContext}, .libuv = {setUpLibuv, livesInUVLoop},
    .steppedOperations = 10, .growsWithSize = true, .slowThere = "a life takes it half a millisecond",
};
