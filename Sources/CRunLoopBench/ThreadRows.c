/// ThreadRows.c: two threads that signal and wake each other; and a thread that makes, uses and drops a loop.
#include "Libraries.h"
#include "Rows.h"
#include <pthread.h>
#include <semaphore.h>

// MARK: - Round trips: what is the same for everybody

/// One of the two threads of a round trip: the starter, which measures, or its peer, which runs as long as the process does.
typedef struct End {
    const Bench *bench;
    struct End *other;
    long left;       // the starter's: how many answers it still waits for; the peer's is never used
    bool isStarter;
    void *loop;      // CFRunLoopRef, GMainContext, uv_loop_t
    void *source;    // CFRunLoopSourceRef, GSource, uv_handle_t
    int event, epoll;
} End;

typedef struct {
    End starter, peer;
    void (*open)(End *end);  // on the end's own thread
    void (*send)(End *to);   // on the other's
    void (*run)(End *end);   // until the starter has all its answers; the peer for ever
    sem_t isOpen;
} RoundTrip;

/// What both ends do when they are reached. Returns false when the starter has nothing more to wait for.
static bool arrived(End *end, void (*send)(End *to)) {
    if (end->isStarter && --end->left == 0) return false;
    send(end->other);
    return true;
}

static void *runPeer(void *argument) {
    RoundTrip *trip = argument;
    if (trip->peer.bench->processors == 2) BenchPin(1);
    trip->open(&trip->peer);
    sem_post(&trip->isOpen);
    trip->run(&trip->peer);
    return NULL;
}

static void setUpRoundTrip(Bench *bench, void (*open)(End *), void (*send)(End *), void (*run)(End *)) {
    RoundTrip *trip = calloc(1, sizeof(*trip));
    trip->starter = (End){.bench = bench, .other = &trip->peer, .isStarter = true};
    trip->peer = (End){.bench = bench, .other = &trip->starter};
    trip->open = open;
    trip->send = send;
    trip->run = run;
    sem_init(&trip->isOpen, 0, 0);
    bench->state = trip;
    pthread_t thread;
    if (pthread_create(&thread, NULL, runPeer, trip)) BenchFail(bench, "no thread");
    trip->open(&trip->starter);
    sem_wait(&trip->isOpen);
}

/// On one processor exactly one of the threads is at work at any time, and the processor time of both is what a trip takes, whatever else
/// the machine does. On two, a part of it is waiting.
static void roundTrips(Bench *bench, double *costs) {
    RoundTrip *trip = bench->state;
    trip->starter.left = bench->count;
    double (*clock)(void) = bench->processors == 1 ? BenchProcessTime : BenchWallTime;
    double start = clock();
    trip->send(&trip->peer);
    trip->run(&trip->starter);
    costs[0] = (clock() - start) / (double)bench->count;
    BenchCheck(bench, "round trips missing", trip->starter.left, 0);
}

// MARK: The run loops

static void sendSignal(End *to) {
    T(to->bench)->CFRunLoopSourceSignal(to->source);
    T(to->bench)->CFRunLoopWakeUp(to->loop);
}

static void signalArrived(void *info) {
    End *end = info;
    if (!arrived(end, sendSignal)) T(end->bench)->CFRunLoopStop(end->loop);
}

static void openLoop(End *end) {
    end->loop = BenchLoop(end->bench);
    end->source = BenchAddSource0(end->bench, end, signalArrived);
}

static void runLoop(End *end) { BenchRunUntilStopped(end->bench); }

static void setUpLoops(Bench *bench) { setUpRoundTrip(bench, openLoop, sendSignal, runLoop); }

// MARK: The floor: eventfd and epoll

static void openEvent(End *end) {
    end->event = BenchEvent();
    end->epoll = BenchEpoll();
    BenchEpollAdd(end->epoll, end->event);
}

static void sendEvent(End *to) { BenchRing(to->event); }

static void runEvents(End *end) {
    struct epoll_event events[64];
    do {
        while (epoll_wait(end->epoll, events, 64, -1) < 1) {}
        BenchDrain(end->event);
    } while (arrived(end, sendEvent));
}

static void setUpEvents(Bench *bench) { setUpRoundTrip(bench, openEvent, sendEvent, runEvents); }

// MARK: GLib: a source with a ready time

static void sendReadyTime(End *to) { BenchGLibTable()->g_source_set_ready_time(to->source, 0); }

static int readyTimeCame(GSource *source, GSourceFunc callback, void *data) {
    BenchGLibTable()->g_source_set_ready_time(source, -1);
    arrived(data, sendReadyTime);
    return 1;
}

static int unused(void *data) { return 1; }

static void openContext(End *end) {
    static GSourceFuncs functions = {.dispatch = readyTimeCame};
    const GLibTable *g = BenchGLibTable();
    end->loop = g->g_main_context_new();
    end->source = g->g_source_new(&functions, GSourceSize);
    g->g_source_set_callback(end->source, unused, end, NULL);
    g->g_source_attach(end->source, end->loop);
}

static void runContext(End *end) {
    while (!end->isStarter || end->left) BenchGLibTable()->g_main_context_iteration(end->loop, true);
}

static void setUpContexts(Bench *bench) { setUpRoundTrip(bench, openContext, sendReadyTime, runContext); }

// MARK: libuv: an async handle

static void sendAsync(End *to) { BenchLibuvTable()->uv_async_send(to->source); }

static void asyncArrived(uv_handle_t *handle) {
    End *end = handle->data;
    if (!arrived(end, sendAsync)) BenchLibuvTable()->uv_stop(end->loop);
}

static void openUVLoop(End *end) {
    end->loop = BenchUVLoop();
    end->source = BenchUVHandle(UV_ASYNC, end);
    BenchLibuvTable()->uv_async_init(end->loop, end->source, asyncArrived);
}

static void runUVLoop(End *end) { BenchLibuvTable()->uv_run(end->loop, UV_RUN_DEFAULT); }

static void setUpUVLoops(Bench *bench) { setUpRoundTrip(bench, openUVLoop, sendAsync, runUVLoop); }

// MARK: - A thread with a loop

/// Starts and joins one thread after the other. Processor time, since a joined thread's is its process's.
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

/// What a loop cannot do without: a port to wake it by, a set to wait on.
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

#define ROUND_TRIP(NAME, TITLE, PROCESSORS, GOAL, GOAL_TO_FLOOR) { \
    .name = "roundtrip", .rowCount = 1, .size = 1, .processors = PROCESSORS, .mostOperations = 5000, \
    .rows = {{NAME, TITLE, BenchSeconds, GOAL, GOAL_TO_FLOOR}}, \
    .loop = {setUpLoops, roundTrips}, .floor = {setUpEvents, roundTrips}, \
    .glib = {setUpContexts, roundTrips}, .libuv = {setUpUVLoops, roundTrips}, \
}
const BenchGroup BenchRoundTripOneCore = ROUND_TRIP("roundtrip-1-core", "round trip of two threads, one core (CPU)", 1, 0.5, 1.5);
const BenchGroup BenchRoundTripTwoCores = ROUND_TRIP("roundtrip-2-cores", "the same on two cores (time)", 2, 0, 0);

const BenchGroup BenchThread = {
    .name = "thread", .rowCount = 1, .processors = 1, .mostOperations = 500,
    .rows = {{"thread", "thread that makes, uses, drops a loop (CPU)", BenchSeconds, 0.8, 0}},
    .loop = {NULL, threadsWithLoops}, .floor = {NULL, threadsWithPorts},
    .glib = {NULL, threadsWithContexts}, .libuv = {NULL, threadsWithUVLoops},
};
