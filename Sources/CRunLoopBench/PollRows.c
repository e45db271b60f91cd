/// PollRows.c: non-blocking passes: with a source that has nothing to do, and with one signalled source among many.
#include "Libraries.h"
#include "Rows.h"

/// Sources, and how often they were called.
typedef struct {
    long calls;
    void **sources; // CFRunLoopSourceRef, GSource *, uv_handle_t *
    void **infos;   // the argument of each; sources with equal contexts would count as one
    void *loop;     // GLib's and libuv's
} Sources;

/// The order of the signals differs from that of the sources.
static long chosen(const Bench *bench, long operation) { return operation * 7919 % bench->size; }

static Sources *makeSources(Bench *bench) {
    Sources *s = calloc(1, sizeof(*s));
    s->sources = calloc((size_t)bench->size, sizeof(void *));
    s->infos = calloc((size_t)bench->size, sizeof(void *));
    for (long i = 0; i < bench->size; i++) s->infos[i] = &s->calls;
    bench->state = s;
    return s;
}

// MARK: - The run loops

static void countCall(void *info) { ++**(long **)info; }

static void setUpSources(Bench *bench) {
    Sources *s = makeSources(bench);
    for (long i = 0; i < bench->size; i++) s->sources[i] = BenchAddSource0(bench, &s->infos[i], countCall);
}

static void pollNothing(Bench *bench, double *costs) {
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) BenchPoll(bench);
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
}

static void signalAndPoll(Bench *bench, double *costs) {
    Sources *s = bench->state;
    s->calls = 0;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) {
        T(bench)->CFRunLoopSourceSignal(s->sources[chosen(bench, i)]);
        BenchPoll(bench);
    }
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
    BenchCheck(bench, "sources performed", s->calls, bench->count);
}

// MARK: - The floor: epoll_wait, and a list of signalled sources

typedef struct BareSource {
    struct BareSource *next;
    bool isSignalled;
    void (*perform)(void *info);
    void *info;
} BareSource;

typedef struct {
    long calls;
    int epoll;
    void *info;
    BareSource *sources;
    BareSource *first, **last;
} BareLoop;

static void setUpBare(Bench *bench) {
    BareLoop *b = calloc(1, sizeof(*b));
    b->info = &b->calls;
    b->epoll = BenchEpoll();
    BenchEpollAdd(b->epoll, BenchEvent());
    b->sources = calloc((size_t)bench->size, sizeof(BareSource));
    for (long i = 0; i < bench->size; i++) b->sources[i] = (BareSource){.perform = countCall, .info = &b->info};
    b->last = &b->first;
    bench->state = b;
}

static void bareSignal(BareLoop *b, BareSource *source) {
    if (source->isSignalled) return;
    source->isSignalled = true;
    source->next = NULL;
    *b->last = source;
    b->last = &source->next;
}

/// Not inlined, because a run loop's pass is not.
static __attribute__((noinline)) void barePass(BareLoop *b) {
    struct epoll_event events[64];
    while (b->first) {
        BareSource *source = b->first;
        if (!(b->first = source->next)) b->last = &b->first;
        source->isSignalled = false;
        source->perform(source->info);
    }
    if (epoll_wait(b->epoll, events, 64, 0) > 0) abort();
}

static void barePoll(Bench *bench, double *costs) {
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) barePass(bench->state);
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
}

static void bareSignalAndPoll(Bench *bench, double *costs) {
    BareLoop *b = bench->state;
    b->calls = 0;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) {
        bareSignal(b, &b->sources[chosen(bench, i)]);
        barePass(b);
    }
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
    BenchCheck(bench, "sources performed", b->calls, bench->count);
}

// MARK: - GLib: a source with a ready time

static int ready(GSource *source, GSourceFunc callback, void *data) {
    BenchGLibTable()->g_source_set_ready_time(source, -1);
    return callback(data);
}

static int countCallAndStay(void *data) {
    countCall(data);
    return 1;
}

static void setUpGLib(Bench *bench) {
    static GSourceFuncs functions = {.dispatch = ready};
    const GLibTable *g = BenchGLibTable();
    Sources *s = makeSources(bench);
    s->loop = g->g_main_context_new();
    for (long i = 0; i < bench->size; i++) {
        GSource *source = g->g_source_new(&functions, GSourceSize);
        g->g_source_set_callback(source, countCallAndStay, &s->infos[i], NULL);
        g->g_source_attach(source, s->loop);
        s->sources[i] = source;
    }
}

static void gLibPoll(Bench *bench, double *costs) {
    Sources *s = bench->state;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) BenchGLibTable()->g_main_context_iteration(s->loop, false);
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
}

static void gLibSignalAndPoll(Bench *bench, double *costs) {
    Sources *s = bench->state;
    s->calls = 0;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) {
        BenchGLibTable()->g_source_set_ready_time(s->sources[chosen(bench, i)], 0);
        BenchGLibTable()->g_main_context_iteration(s->loop, false);
    }
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
    BenchCheck(bench, "sources dispatched", s->calls, bench->count);
}

// MARK: - libuv: an async handle

static void asyncCalled(uv_handle_t *handle) { countCall(handle->data); }

static void setUpLibuv(Bench *bench) {
    Sources *s = makeSources(bench);
    s->loop = BenchUVLoop();
    for (long i = 0; i < bench->size; i++) {
        uv_handle_t *handle = BenchUVHandle(UV_ASYNC, &s->infos[i]);
        BenchLibuvTable()->uv_async_init(s->loop, handle, asyncCalled);
        s->sources[i] = handle;
    }
}

static void libuvPoll(Bench *bench, double *costs) {
    Sources *s = bench->state;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) BenchLibuvTable()->uv_run(s->loop, UV_RUN_NOWAIT);
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
}

static void libuvSignalAndPoll(Bench *bench, double *costs) {
    Sources *s = bench->state;
    s->calls = 0;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) {
        BenchLibuvTable()->uv_async_send(s->sources[chosen(bench, i)]);
        BenchLibuvTable()->uv_run(s->loop, UV_RUN_NOWAIT);
    }
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
    BenchCheck(bench, "asyncs called", s->calls, bench->count);
}

// MARK: - The groups

const BenchGroup BenchPoll1 = {
    .name = "poll", .rowCount = 1, .size = 1, .processors = 1, .mostOperations = 10000,
    .rows = {{"poll", "poll pass with one source", BenchSeconds, {[BenchToolchain] = 0.12}}}, .steppedOperations = 10,
    .loop = {setUpSources, pollNothing}, .floor = {setUpBare, barePoll},
    .glib = {setUpGLib, gLibPoll}, .libuv = {setUpLibuv, libuvPoll},
};

#define SIGNAL_GROUP(SIZE, TITLE, ...) \
    .name = "signal", .rowCount = 1, .size = SIZE, .processors = 1, .mostOperations = 10000, \
    .rows = {{"signal-" #SIZE, TITLE, BenchSeconds, {__VA_ARGS__}}}, \
    .loop = {setUpSources, signalAndPoll}, .floor = {setUpBare, bareSignalAndPoll}, \
    .glib = {setUpGLib, gLibSignalAndPoll}, .libuv = {setUpLibuv, libuvSignalAndPoll}
const BenchGroup BenchSignal1 = {SIGNAL_GROUP(1, "signal and poll pass, one source", [BenchToolchain] = 1), .steppedOperations = 10};
const BenchGroup BenchSignal100 = {SIGNAL_GROUP(100, "signal and poll pass, one of 100", [BenchToolchain] = 1), .growsWithSize = true};
const BenchGroup BenchSignal10000 = {
    SIGNAL_GROUP(10000, "signal and poll pass, one of 10,000", [BenchToolchain] = 1, [BenchGLib] = 1, [BenchLibuv] = 1),
    .growsWithSize = true,
};
