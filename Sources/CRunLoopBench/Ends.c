/// Ends.c: see Ends.h. A function for each side, and a function that chooses among them.
#include "Ends.h"
#include "Libraries.h"

/// Calls `arrived`. Returns false if the run is to end.
static bool arrive(End *end) {
    end->isOver = !end->arrived(end);
    return !end->isOver;
}

// MARK: - The run loops

static void sendSignal(End *to) {
    T(to->bench)->CFRunLoopSourceSignal(to->source);
    T(to->bench)->CFRunLoopWakeUp(to->loop);
}

static void signalArrived(void *info) {
    End *end = info;
    if (!arrive(end)) T(end->bench)->CFRunLoopStop(end->loop);
}

static void openLoop(End *end) {
    end->loop = BenchLoop(end->bench);
    end->source = BenchAddSource0(end->bench, end, signalArrived);
}

static void runLoop(End *end) { BenchRunUntilStopped(end->bench); }

/// The loop ends with its thread.
static void closeLoop(End *end) { T(end->bench)->CFRelease(end->source); }

// MARK: - The floor: eventfd and epoll

static void openEvent(End *end) {
    end->event = BenchEvent();
    end->epoll = BenchEpoll();
    BenchEpollAdd(end->epoll, end->event);
}

static void sendEvent(End *to) { BenchSetEvent(to->event); }

static void runEvents(End *end) {
    struct epoll_event events[64];
    do {
        while (epoll_wait(end->epoll, events, 64, -1) < 1) {}
        BenchClearEvent(end->event);
    } while (arrive(end));
}

static void closeEvent(End *end) {
    close(end->epoll);
    close(end->event);
}

// MARK: - GLib: a source with a ready time

static void sendReadyTime(End *to) { BenchGLibTable()->g_source_set_ready_time(to->source, 0); }

static int readyTimeCame(GSource *source, GSourceFunc callback, void *data) {
    BenchGLibTable()->g_source_set_ready_time(source, -1);
    arrive(data);
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
    for (end->isOver = false; !end->isOver;) BenchGLibTable()->g_main_context_iteration(end->loop, true);
}

static void closeContext(End *end) {
    BenchGLibTable()->g_source_unref(end->source);
    BenchGLibTable()->g_main_context_unref(end->loop);
}

// MARK: - libuv: an async handle

static void sendAsync(End *to) { BenchLibuvTable()->uv_async_send(to->source); }

static void asyncArrived(uv_handle_t *handle) {
    End *end = handle->data;
    if (!arrive(end)) BenchLibuvTable()->uv_stop(end->loop);
}

static void openUVLoop(End *end) {
    end->loop = BenchUVLoop();
    end->source = BenchUVHandle(UV_ASYNC, end);
    BenchLibuvTable()->uv_async_init(end->loop, end->source, asyncArrived);
}

static void runUVLoop(End *end) { BenchLibuvTable()->uv_run(end->loop, UV_RUN_DEFAULT); }

static void closeUVLoop(End *end) {
    const LibuvTable *uv = BenchLibuvTable();
    uv->uv_close(end->source, NULL);
    uv->uv_run(end->loop, UV_RUN_DEFAULT);
    uv->uv_loop_close(end->loop);
    free(end->source);
    free(end->loop);
}

// MARK: - All sides

typedef struct {
    void (*open)(End *end);
    void (*send)(End *to);
    void (*run)(End *end);
    void (*close)(End *end);
    int descriptors;
} Methods;

static const Methods methods[BenchSideCount] = {
    [BenchOurs] = {openLoop, sendSignal, runLoop, closeLoop, 3},
    [BenchToolchain] = {openLoop, sendSignal, runLoop, closeLoop, 6},
    [BenchFloor] = {openEvent, sendEvent, runEvents, closeEvent, 2},
    [BenchGLib] = {openContext, sendReadyTime, runContext, closeContext, 2},
    [BenchLibuv] = {openUVLoop, sendAsync, runUVLoop, closeUVLoop, 5},
};

int EndDescriptorCount(const Bench *bench) { return methods[bench->side].descriptors; }
void EndOpen(End *end) { methods[end->bench->side].open(end); }
void EndSend(End *to) { methods[to->bench->side].send(to); }
void EndRun(End *end) { methods[end->bench->side].run(end); }
void EndClose(End *end) { methods[end->bench->side].close(end); }

static void *threadBody(void *argument) {
    EndThread *thread = argument;
    if (thread->end.bench->processors == 2) BenchPin(1);
    EndOpen(&thread->end);
    sem_post(&thread->isOpen);
    EndRun(&thread->end);
    EndClose(&thread->end);
    return NULL;
}

void EndThreadStart(EndThread *thread) {
    sem_init(&thread->isOpen, 0, 0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024); // thousands of threads are started
    if (pthread_create(&thread->thread, &attributes, threadBody, thread)) BenchFail(thread->end.bench, "no thread");
    pthread_attr_destroy(&attributes);
    sem_wait(&thread->isOpen);
}
