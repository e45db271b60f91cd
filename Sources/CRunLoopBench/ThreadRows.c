/// ThreadRows.c: two threads that signal and wake each other; and a thread that creates, uses and releases a loop.
#include "Ends.h"
#include "Libraries.h"
#include "Rows.h"

// MARK: - Round trips

/// The starter measures; its peer answers as long as the process lives.
typedef struct {
    End starter;
    EndThread peer;
    long left; // how many answers the starter still waits for
} RoundTrip;

static bool answer(End *peer) {
    EndSend(&((RoundTrip *)peer->info)->starter);
    return true;
}

static bool askAgain(End *starter) {
    RoundTrip *trip = starter->info;
    if (--trip->left == 0) return false;
    EndSend(&trip->peer.end);
    return true;
}

static void setUpRoundTrip(Bench *bench) {
    RoundTrip *trip = bench->state = calloc(1, sizeof(*trip));
    trip->starter = (End){.bench = bench, .arrived = askAgain, .info = trip};
    trip->peer.end = (End){.bench = bench, .arrived = answer, .info = trip};
    EndOpen(&trip->starter);
    EndThreadStart(&trip->peer);
}

/// On one processor, exactly one of the threads works at any time, so the processor time of both is the cost of a trip, whatever else the
/// machine does. On two processors, part of a trip is waiting.
static void roundTrips(Bench *bench, double *costs) {
    RoundTrip *trip = bench->state;
    trip->left = bench->count;
    double (*clock)(void) = bench->processors == 1 ? BenchProcessTime : BenchWallTime;
    double start = clock();
    EndSend(&trip->peer.end);
    EndRun(&trip->starter);
    costs[0] = (clock() - start) / (double)bench->count;
    BenchCheck(bench, "round trips missing", trip->left, 0);
}

// MARK: - A thread with a loop

/// Starts and joins one thread after another. Measures processor time, because a joined thread's time counts for its process.
static void startThreads(Bench *bench, double *costs, void *(*body)(void *)) {
    double start = BenchProcessTime();
    for (long i = 0; i < bench->count; i++) {
        pthread_t thread;
        void *result = NULL;
        if (pthread_create(&thread, NULL, body, bench)) BenchFail(bench, "no thread");
        pthread_join(thread, &result);
        if (result != bench) BenchFail(bench, "a thread has not used its loop");
    }
    costs[0] = (BenchProcessTime() - start) / (double)bench->count;
}

static void setTrue(void *info) { *(bool *)info = true; }

static void *useLoop(void *argument) {
    Bench *bench = argument;
    bool called = false;
    CFRunLoopSourceRef source = BenchAddSource0(bench, &called, setTrue);
    T(bench)->CFRunLoopSourceSignal(source);
    BenchPoll(bench);
    T(bench)->CFRelease(source);
    return called ? bench : NULL;
}

static void threadsWithLoops(Bench *bench, double *costs) { startThreads(bench, costs, useLoop); }

/// The least that a loop needs: a port to wake it, and a set to wait on.
static void *usePorts(void *argument) {
    struct epoll_event events[64];
    int event = BenchEvent(), epoll = BenchEpoll();
    BenchEpollAdd(epoll, event);
    int count = epoll_wait(epoll, events, 64, 0);
    close(event);
    close(epoll);
    return count == 0 ? argument : NULL;
}

static void threadsWithPorts(Bench *bench, double *costs) { startThreads(bench, costs, usePorts); }

static int setTrueOnce(void *data) {
    setTrue(data);
    return 0;
}

static void *useContext(void *argument) {
    const GLibTable *g = BenchGLibTable();
    bool called = false;
    GMainContext *context = g->g_main_context_new();
    GSource *source = g->g_idle_source_new();
    g->g_source_set_callback(source, setTrueOnce, &called, NULL);
    g->g_source_attach(source, context);
    g->g_main_context_iteration(context, false);
    g->g_source_unref(source);
    g->g_main_context_unref(context);
    return called ? argument : NULL;
}

static void threadsWithContexts(Bench *bench, double *costs) { startThreads(bench, costs, useContext); }

static void handleCalled(uv_handle_t *handle) {
    setTrue(handle->data);
    BenchLibuvTable()->uv_close(handle, NULL);
}

static void *useUVLoop(void *argument) {
    const LibuvTable *uv = BenchLibuvTable();
    bool called = false;
    uv_loop_t *loop = BenchUVLoop();
    uv_handle_t *handle = BenchUVHandle(UV_ASYNC, &called);
    uv->uv_async_init(loop, handle, handleCalled);
    uv->uv_async_send(handle);
    uv->uv_run(loop, UV_RUN_DEFAULT);
    uv->uv_loop_close(loop);
    free(handle);
    free(loop);
    return called ? argument : NULL;
}

static void threadsWithUVLoops(Bench *bench, double *costs) { startThreads(bench, costs, useUVLoop); }

// MARK: - The groups

const BenchGroup BenchRoundTripOneCore = {
    .name = "roundtrip", .rowCount = 1, .size = 1, .processors = 1, .mostOperations = 5000,
    .rows = {{"roundtrip-1-core", "round trip of two threads, one core (CPU)", BenchSeconds,
              {[BenchToolchain] = 0.5, [BenchFloor] = 1.2, [BenchLibuv] = 1}}},
    END_ROWS(setUpRoundTrip, roundTrips),
};
const BenchGroup BenchRoundTripTwoCores = {
    .name = "roundtrip", .rowCount = 1, .size = 1, .processors = 2, .mostOperations = 5000,
    .rows = {{"roundtrip-2-cores", "round trip of two threads, two cores (time)", BenchSeconds, {}}},
    END_ROWS(setUpRoundTrip, roundTrips),
};

const BenchGroup BenchThread = {
    .name = "thread", .rowCount = 1, .processors = 1, .mostOperations = 500,
    .rows = {{"thread", "thread that makes, uses, drops a loop (CPU)", BenchSeconds, {[BenchToolchain] = 0.8}}},
    .loop = {NULL, threadsWithLoops}, .floor = {NULL, threadsWithPorts},
    .glib = {NULL, threadsWithContexts}, .libuv = {NULL, threadsWithUVLoops},
};
