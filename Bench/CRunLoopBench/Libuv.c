/// Libuv.c: libuv's loop. A source that is signalled is an async handle.
#include "Libraries.h"
#include "Sides.h"

typedef void (*Closed)(uv_handle_t *handle);
static const Closed freeHandle = (Closed)(void (*)(void))free;

static void openLoop(Loop *l) {
    l->loop = calloc(1, BenchLibuvTable()->uv_loop_size());
    BenchLibuvTable()->uv_loop_init(l->loop);
}

static void closeLoop(Loop *l, Item *source) {
    if (source) BenchLibuvTable()->uv_close(source->object, freeHandle);
    BenchLibuvTable()->uv_run(l->loop, UV_RUN_DEFAULT);
    BenchLibuvTable()->uv_loop_close(l->loop);
    free(l->loop);
}

static uv_handle_t *newHandle(Item *i, int type) {
    uv_handle_t *handle = i->object = calloc(1, BenchLibuvTable()->uv_handle_size(type));
    handle->data = i;
    return handle;
}

static void called(uv_handle_t *handle) { ((Item *)handle->data)->call(((Item *)handle->data)->info); }
static void readable(uv_handle_t *handle, int status, int events) { called(handle); }

static void addSource(Item *i) { BenchLibuvTable()->uv_async_init(i->loop->loop, newHandle(i, UV_ASYNC), called); }
static void signalSource(Item *i) { BenchLibuvTable()->uv_async_send(i->object); }

static void addReader(Item *i) {
    BenchLibuvTable()->uv_poll_init(i->loop->loop, newHandle(i, UV_POLL), i->descriptor);
    BenchLibuvTable()->uv_poll_start(i->object, UV_READABLE, readable);
}

static void setNow(Loop *l) {}
static void makeTimer(Item *i) { BenchLibuvTable()->uv_timer_init(i->loop->loop, newHandle(i, UV_TIMER)); }

/// libuv's times are whole milliseconds.
static void startTimer(Item *i) {
    BenchLibuvTable()->uv_timer_start(i->object, called, (uint64_t)(i->date * 1000), (uint64_t)(i->interval * 1000));
}

static void invalidateTimer(Item *i) { BenchLibuvTable()->uv_timer_stop(i->object); }
static void freeTimer(Item *i) { BenchLibuvTable()->uv_close(i->object, freeHandle); } // in the next pass

static void poll(Loop *l) { BenchLibuvTable()->uv_run(l->loop, UV_RUN_NOWAIT); }
static void run(Loop *l) { BenchLibuvTable()->uv_run(l->loop, UV_RUN_DEFAULT); }
static void stop(Loop *l) { BenchLibuvTable()->uv_stop(l->loop); }

const Side BenchLibuvSide = {
    openLoop, closeLoop, addSource, signalSource, NULL, addReader, .setNow = setNow, .makeTimer = makeTimer, .addTimer = startTimer,
    .moveTimer = startTimer, .invalidateTimer = invalidateTimer, .freeTimer = freeTimer, .poll = poll, .run = run, .stop = stop,
};
