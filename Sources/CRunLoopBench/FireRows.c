/// FireRows.c: timers that fire: one among many far ones, many at once, and one that ticks in a loop that is otherwise idle.
#include "Heap.h"
#include "Libraries.h"
#include "Rows.h"
#include <sys/timerfd.h>
#include <time.h>

/// A loop with a timer that repeats.
typedef struct {
    const Bench *bench;
    long left;        // how often it fires before the run is stopped
    void *loop;
    void *timer;      // GSource *
    int epoll, timerPort;
} Ticker;

static Ticker *makeTicker(Bench *bench) {
    Ticker *t = calloc(1, sizeof(*t));
    t->bench = bench;
    bench->state = t;
    return t;
}

static void ticks(Bench *bench, double *costs, void (*run)(Ticker *)) {
    Ticker *t = bench->state;
    t->left = bench->count;
    double start = BenchProcessTime();
    run(t);
    costs[0] = (BenchProcessTime() - start) / (double)bench->count;
    BenchCheck(bench, "ticks missing", t->left, 0);
}

/// Seconds between ticks: few if there are far timers; a hundredth of a second in an idle loop, which has no others.
static double tickInterval(const Bench *bench) { return bench->size ? 0.0005 : 0.01; }

/// The far timers: each some hours from now.
static double farSeconds(long i) { return 3600 + (double)(i * 7919 % 3600); }

// MARK: The run loops

static void neverFires(CFRunLoopTimerRef timer, void *info) { abort(); }

static void ticked(CFRunLoopTimerRef timer, void *info) {
    Ticker *t = info;
    if (--t->left == 0) T(t->bench)->CFRunLoopStop(t->loop);
}

static void addTicker(Ticker *t) {
    const Bench *bench = t->bench;
    CFAbsoluteTime first = T(bench)->CFAbsoluteTimeGetCurrent() + tickInterval(bench);
    t->timer = BenchMakeTimer(bench, first, tickInterval(bench), t, ticked);
    T(bench)->CFRunLoopAddTimer(t->loop, t->timer, BenchMode(bench));
}

static void setUpLoop(Bench *bench) {
    Ticker *t = makeTicker(bench);
    t->loop = BenchLoop(bench);
    CFAbsoluteTime now = T(bench)->CFAbsoluteTimeGetCurrent();
    BenchKeepAlive(bench);
    for (long i = 0; i < bench->size; i++) {
        CFRunLoopTimerRef timer = BenchMakeTimer(bench, now + farSeconds(i), 0, NULL, neverFires);
        T(bench)->CFRunLoopAddTimer(t->loop, timer, BenchMode(bench));
        T(bench)->CFRelease(timer);
    }
}

static void runLoop(Ticker *t) { BenchRunUntilStopped(t->bench); }

/// The timer is in the loop only during a round, so that it does not fall behind while the other sides have their turns.
static void loopTicks(Bench *bench, double *costs) {
    Ticker *t = bench->state;
    addTicker(t);
    ticks(bench, costs, runLoop);
    T(bench)->CFRunLoopTimerInvalidate(t->timer);
    T(bench)->CFRelease(t->timer);
}

// MARK: The floor: a timerfd that repeats by itself

static void setUpTimerPort(Bench *bench) {
    Ticker *t = makeTicker(bench);
    t->epoll = BenchEpoll();
    t->timerPort = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    BenchEpollAdd(t->epoll, t->timerPort);
}

static void setTimerPort(Ticker *t, double interval) {
    struct timespec time = {.tv_nsec = (long)(interval * 1e9)};
    timerfd_settime(t->timerPort, 0, &(struct itimerspec){time, time}, NULL);
}

static void runTimerPort(Ticker *t) {
    struct epoll_event events[64];
    while (t->left > 0) {
        if (epoll_wait(t->epoll, events, 64, -1) < 1) continue;
        BenchClearEvent(t->timerPort);
        t->left--;
    }
}

static void timerPortTicks(Bench *bench, double *costs) {
    setTimerPort(bench->state, tickInterval(bench));
    ticks(bench, costs, runTimerPort);
    setTimerPort(bench->state, 0);
}

// MARK: GLib

static int contextTicked(void *data) {
    ((Ticker *)data)->left--;
    return 1;
}

static void setUpGLib(Bench *bench) {
    const GLibTable *g = BenchGLibTable();
    Ticker *t = makeTicker(bench);
    t->loop = g->g_main_context_new();
    for (long i = 0; i < bench->size; i++) g->g_source_attach(g->g_timeout_source_new((unsigned)(farSeconds(i) * 1000)), t->loop);
}

static void runGLib(Ticker *t) {
    while (t->left > 0) BenchGLibTable()->g_main_context_iteration(t->loop, true);
}

/// GLib's and libuv's intervals are whole milliseconds.
static unsigned tickMilliseconds(const Bench *bench) { return bench->size ? 1 : 10; }

static void gLibTicks(Bench *bench, double *costs) {
    const GLibTable *g = BenchGLibTable();
    Ticker *t = bench->state;
    t->timer = g->g_timeout_source_new(tickMilliseconds(bench));
    g->g_source_set_callback(t->timer, contextTicked, t, NULL);
    g->g_source_attach(t->timer, t->loop);
    ticks(bench, costs, runGLib);
    g->g_source_destroy(t->timer);
    g->g_source_unref(t->timer);
}

// MARK: libuv

static void uvNever(uv_handle_t *timer) { abort(); }

static void uvTicked(uv_handle_t *timer) {
    Ticker *t = timer->data;
    if (--t->left == 0) BenchLibuvTable()->uv_stop(t->loop);
}

static void setUpLibuv(Bench *bench) {
    const LibuvTable *uv = BenchLibuvTable();
    Ticker *t = makeTicker(bench);
    t->loop = BenchUVLoop();
    for (long i = 0; i < bench->size; i++) {
        uv_handle_t *timer = BenchUVHandle(UV_TIMER, NULL);
        uv->uv_timer_init(t->loop, timer);
        uv->uv_timer_start(timer, uvNever, (uint64_t)(farSeconds(i) * 1000), 0);
    }
    uv->uv_timer_init(t->loop, t->timer = BenchUVHandle(UV_TIMER, t));
}

static void runLibuv(Ticker *t) { BenchLibuvTable()->uv_run(t->loop, UV_RUN_DEFAULT); }

static void libuvTicks(Bench *bench, double *costs) {
    Ticker *t = bench->state;
    BenchLibuvTable()->uv_timer_start(t->timer, uvTicked, tickMilliseconds(bench), tickMilliseconds(bench));
    ticks(bench, costs, runLibuv);
    BenchLibuvTable()->uv_timer_stop(t->timer);
}

// MARK: - Many timers due at once: created in each round, and timed from the first to the last that fires

typedef struct {
    const Bench *bench;
    BenchRandom dates;
    long fired;
    Heap heap;
    int epoll, timerPort;
    void *loop;
} Due;

static Due *makeDue(Bench *bench) {
    Due *d = calloc(1, sizeof(*d));
    d->bench = bench;
    bench->state = d;
    return d;
}

/// The next timer's date, in microseconds after the first's: at most one microsecond for each timer.
static double nextDue(const Bench *bench) {
    Due *d = bench->state;
    return BenchNextDate(&d->dates) * (double)bench->size;
}

/// The end of a round: divides its time among the timers.
static void divide(Bench *bench, double *costs, double start) {
    Due *d = bench->state;
    costs[0] = (BenchThreadTime() - start) / (double)bench->size;
    BenchCheck(bench, "timers fired", d->fired, bench->size);
    d->fired = 0;
}

static void dueFired(CFRunLoopTimerRef timer, void *info) { ((Due *)info)->fired++; }

static void setUpDue(Bench *bench) {
    makeDue(bench);
    BenchKeepAlive(bench);
    BenchPoll(bench);
}

/// The timers are added while their dates are still ahead, within a microsecond for each; the run begins when all are due.
static void dueTimers(Bench *bench, double *costs) {
    Due *d = bench->state;
    CFAbsoluteTime first = T(bench)->CFAbsoluteTimeGetCurrent() + 0.05;
    for (long i = 0; i < bench->size; i++) {
        CFRunLoopTimerRef timer = BenchMakeTimer(bench, first + nextDue(bench) * 1e-6, 0, d, dueFired);
        T(bench)->CFRunLoopAddTimer(BenchLoop(bench), timer, BenchMode(bench));
        T(bench)->CFRelease(timer);
    }
    while (T(bench)->CFAbsoluteTimeGetCurrent() < first + (double)bench->size * 1e-6 + 0.002) usleep(2000);
    double start = BenchThreadTime();
    while (d->fired < bench->size) {
        if (BenchPoll(bench) != kCFRunLoopRunTimedOut) break;
    }
    divide(bench, costs, start);
}

static void heapFired(void *info) { ((Due *)info)->fired++; }

static void setUpDueHeap(Bench *bench) {
    Due *d = makeDue(bench);
    d->epoll = BenchEpoll();
    d->timerPort = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    BenchEpollAdd(d->epoll, d->timerPort);
}

static void bareDueBatch(Bench *bench) {
    Due *d = bench->state;
    struct epoll_event events[64];
    if (epoll_wait(d->epoll, events, 64, -1) != 1) BenchFail(bench, "the timer port is not ready");
    BenchClearEvent(d->timerPort);
    while (d->heap.count) {
        HeapTimer *timer = d->heap.timers[0];
        HeapRemove(&d->heap, timer);
        timer->fire(timer->info);
        free(timer);
    }
}

static void dueHeap(Bench *bench, double *costs) {
    Due *d = bench->state;
    for (long i = 0; i < bench->size; i++) {
        HeapTimer *timer = malloc(sizeof(*timer));
        *timer = (HeapTimer){.date = (uint64_t)nextDue(bench), .fire = heapFired, .info = d};
        HeapAdd(&d->heap, timer);
    }
    timerfd_settime(d->timerPort, 0, &(struct itimerspec){.it_value = {.tv_nsec = 1}}, NULL);
    double start = BenchThreadTime();
    bareDueBatch(bench);
    divide(bench, costs, start);
}

static int dueContextFired(void *data) {
    heapFired(data);
    return 0;
}

static void setUpDueGLib(Bench *bench) { makeDue(bench)->loop = BenchGLibTable()->g_main_context_new(); }

static void dueGLib(Bench *bench, double *costs) {
    const GLibTable *g = BenchGLibTable();
    Due *d = bench->state;
    for (long i = 0; i < bench->size; i++) {
        GSource *source = g->g_timeout_source_new((unsigned)(nextDue(bench) / 1000));
        g->g_source_set_callback(source, dueContextFired, d, NULL);
        g->g_source_attach(source, d->loop);
        g->g_source_unref(source);
    }
    usleep((unsigned)bench->size + 2000);
    double start = BenchThreadTime();
    while (d->fired < bench->size) g->g_main_context_iteration(d->loop, false);
    divide(bench, costs, start);
}

static void dueHandleFired(uv_handle_t *timer) {
    heapFired(timer->data);
    BenchLibuvTable()->uv_close(timer, (void (*)(uv_handle_t *))(void (*)(void))free);
}

static void setUpDueLibuv(Bench *bench) { makeDue(bench)->loop = BenchUVLoop(); }

static void dueLibuv(Bench *bench, double *costs) {
    const LibuvTable *uv = BenchLibuvTable();
    Due *d = bench->state;
    for (long i = 0; i < bench->size; i++) {
        uv_handle_t *timer = BenchUVHandle(UV_TIMER, d);
        uv->uv_timer_init(d->loop, timer);
        uv->uv_timer_start(timer, dueHandleFired, (uint64_t)(nextDue(bench) / 1000), 0);
    }
    usleep((unsigned)bench->size + 2000);
    double start = BenchThreadTime();
    uv->uv_run(d->loop, UV_RUN_DEFAULT);
    divide(bench, costs, start);
}

// MARK: - The groups

const BenchGroup BenchFireAmongFar = {
    .name = "fire", .rowCount = 1, .size = 100000, .processors = 1, .mostOperations = 20, .leastOperations = 20, .growsWithSize = true,
    .rows = {{"fire-among-far", "fire of a timer among 100,000 far ones (CPU)", BenchSeconds, {[BenchToolchain] = 0.05}}},
    .loop = {setUpLoop, loopTicks}, .floor = {setUpTimerPort, timerPortTicks},
    .glib = {setUpGLib, gLibTicks}, .libuv = {setUpLibuv, libuvTicks},
};

#define DUE(SIZE, NAME, TITLE, ...) \
    .name = "due", .rowCount = 1, .size = SIZE, .processors = 1, .mostOperations = 1, \
    .loop = {setUpDue, dueTimers}, .floor = {setUpDueHeap, dueHeap}, \
    .glib = {setUpDueGLib, dueGLib}, .libuv = {setUpDueLibuv, dueLibuv}, \
    .rows = {{"due-" NAME, TITLE, BenchSeconds, {__VA_ARGS__}}}

const BenchGroup BenchDue100 = {
    DUE(100, "100", "100 timers due at once: each"), .steppedOperations = 1, .growsWithSize = true,
};
const BenchGroup BenchDue16000 = {
    DUE(16000, "16000", "16,000 timers due at once: each", [BenchToolchain] = 0.2, [BenchLibuv] = 1),
};

const BenchGroup BenchIdleTick = {
    .name = "idle-tick", .rowCount = 1, .size = 0, .processors = 1, .mostOperations = 25, .leastOperations = 25,
    .rows = {{"idle-tick", "tick of an idle loop, 100 a second (CPU)", BenchSeconds,
              {[BenchToolchain] = 1}}},
    .steppedOperations = 10,
    .loop = {setUpLoop, loopTicks}, .floor = {setUpTimerPort, timerPortTicks},
    .glib = {setUpGLib, gLibTicks}, .libuv = {setUpLibuv, libuvTicks},
};
