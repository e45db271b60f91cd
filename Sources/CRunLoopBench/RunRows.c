/// RunRows.c: runs with a time limit, and blocks.
#include "Libraries.h"
#include "Rows.h"
#include <sys/syscall.h>
#include <time.h>

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

typedef struct {
    long calls;
    CFRunLoopSourceRef source;
    int epoll;
    void *context; // GLib's
} Run;

static void countCall(void *info) { ++*(long *)info; }

static void setUpSource(Bench *bench) {
    Run *r = bench->state = calloc(1, sizeof(*r));
    r->source = BenchAddSource0(bench, &r->calls, countCall);
}

static void setUpEpoll(Bench *bench) {
    Run *r = bench->state = calloc(1, sizeof(*r));
    r->epoll = BenchEpoll();
    BenchEpollAdd(r->epoll, BenchEvent());
}

static void setUpGLib(Bench *bench) {
    Run *r = bench->state = calloc(1, sizeof(*r));
    r->context = BenchGLibTable()->g_main_context_new();
}

static void barePass(Run *r) {
    struct epoll_event events[64];
    if (epoll_wait(r->epoll, events, 64, 0) > 0) abort();
}

// MARK: - A limit that is not reached: the run ends with the source that it has handled

static void limitedRuns(Bench *bench, double *costs) {
    Run *r = bench->state;
    r->calls = 0;
    double start = BenchProcessTime(); // the process's time, because the toolchain's loop has a thread for the limit
    for (long i = 0; i < bench->count; i++) {
        T(bench)->CFRunLoopSourceSignal(r->source);
        CFRunLoopRunResult result = T(bench)->CFRunLoopRunInMode(BenchMode(bench), 1000, true);
        BenchCheck(bench, "a run that handles a source returns", result, kCFRunLoopRunHandledSource);
    }
    costs[0] = (BenchProcessTime() - start) / (double)bench->count;
    BenchCheck(bench, "sources performed", r->calls, bench->count);
}

static void bareLimitedRuns(Bench *bench, double *costs) {
    Run *r = bench->state;
    double start = BenchProcessTime();
    for (long i = 0; i < bench->count; i++) barePass(r);
    costs[0] = (BenchProcessTime() - start) / (double)bench->count;
}

// MARK: - A limit that is reached

static const double shortLimit = 100e-6;

static void runsToTheLimit(Bench *bench, double *costs) {
    double start = BenchProcessTime();
    for (long i = 0; i < bench->count; i++) {
        CFRunLoopRunResult result = T(bench)->CFRunLoopRunInMode(BenchMode(bench), shortLimit, false);
        BenchCheck(bench, "a run to its limit returns", result, kCFRunLoopRunTimedOut);
    }
    costs[0] = (BenchProcessTime() - start) / (double)bench->count;
}

static void bareRunsToTheLimit(Bench *bench, double *costs) {
    Run *r = bench->state;
    struct epoll_event events[64];
    double start = BenchProcessTime();
    for (long i = 0; i < bench->count; i++) {
        struct timespec limit = {.tv_nsec = (long)(shortLimit * 1e9)};
        if (syscall(SYS_epoll_pwait2, r->epoll, events, 64, &limit, NULL, 0)) BenchFail(bench, "epoll_pwait2: %m");
    }
    costs[0] = (BenchProcessTime() - start) / (double)bench->count;
}

// MARK: - Blocks: `size` of them are queued, then performed

static void setUpPerformer(Bench *bench) {
    setUpSource(bench);
    BenchPoll(bench);
}

static void performBlocks(Bench *bench, double *costs) {
    Run *r = bench->state;
    CFRunLoopRef loop = BenchLoop(bench);
    CFStringRef mode = BenchMode(bench);
    r->calls = 0;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) {
        for (int j = 0; j < bench->size; j++) T(bench)->CFRunLoopPerformBlock(loop, mode, ^{ r->calls++; });
        BenchPoll(bench);
    }
    costs[0] = (BenchThreadTime() - start) / (double)(bench->count * bench->size);
    BenchCheck(bench, "blocks performed", r->calls, bench->count * bench->size);
}

/// A queue of copied blocks.
typedef struct BareItem {
    struct BareItem *next;
    void (^block)(void);
} BareItem;

static void bareBlocks(Bench *bench, double *costs) {
    Run *r = bench->state;
    r->calls = 0;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) {
        BareItem *first = NULL, **last = &first;
        for (int j = 0; j < bench->size; j++) {
            *last = malloc(sizeof(BareItem));
            **last = (BareItem){NULL, _Block_copy(^{ r->calls++; })};
            last = &(*last)->next;
        }
        while (first) {
            BareItem *item = first;
            first = item->next;
            item->block();
            _Block_release(item->block);
            free(item);
        }
        barePass(r);
    }
    costs[0] = (BenchThreadTime() - start) / (double)(bench->count * bench->size);
    BenchCheck(bench, "blocks performed", r->calls, bench->count * bench->size);
}

static int countOnce(void *data) {
    countCall(data);
    return 0;
}

static void idleSources(Bench *bench, double *costs) {
    const GLibTable *g = BenchGLibTable();
    Run *r = bench->state;
    r->calls = 0;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) {
        for (int j = 0; j < bench->size; j++) {
            GSource *source = g->g_idle_source_new();
            g->g_source_set_callback(source, countOnce, &r->calls, NULL);
            g->g_source_attach(source, r->context);
            g->g_source_unref(source);
        }
        g->g_main_context_iteration(r->context, false);
    }
    costs[0] = (BenchThreadTime() - start) / (double)(bench->count * bench->size);
    BenchCheck(bench, "idle sources called", r->calls, bench->count * bench->size);
}

// MARK: - The groups

const BenchGroup BenchLimit = {
    .name = "limits", .rowCount = 1, .processors = 1, .mostOperations = 5000,
    .rows = {{"limit", "run with a limit, handles a source (CPU)", BenchSeconds, {[BenchToolchain] = 0.12}}},
    .loop = {setUpSource, limitedRuns}, .floor = {setUpEpoll, bareLimitedRuns},
};

const BenchGroup BenchLimitOver = {
    .name = "limits", .rowCount = 1, .processors = 1, .mostOperations = 200,
    .rows = {{"limit-reached", "run to its limit of 0.1 ms (CPU)", BenchSeconds, {}}},
    .loop = {setUpSource, runsToTheLimit}, .floor = {setUpEpoll, bareRunsToTheLimit},
};

const BenchGroup BenchBlock = {
    .name = "blocks", .rowCount = 1, .size = 100, .processors = 1, .mostOperations = 200,
    .rows = {{"block", "block queued and performed, of 100", BenchSeconds, {[BenchToolchain] = 0.8}}},
    .loop = {setUpPerformer, performBlocks}, .floor = {setUpEpoll, bareBlocks}, .glib = {setUpGLib, idleSources},
    .steppedOperations = 1, .growsWithSize = true,
};
