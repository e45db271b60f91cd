/// Libuv.c: libuv's loop. A source that is signalled is an async handle.
#include "Sides.h"

typedef struct uv_loop_s uv_loop_t;
/// Every handle begins with a pointer for its user.
typedef struct { void *data; } uv_handle_t;

enum { UV_RUN_DEFAULT = 0, UV_RUN_NOWAIT = 2 };
enum { UV_READABLE = 1 };
enum { UV_ASYNC = 1, UV_POLL = 8, UV_TIMER = 13 };

#define LIBUV_FUNCTIONS(F) \
    F(size_t, uv_loop_size, (void)) \
    F(size_t, uv_handle_size, (int type)) \
    F(int, uv_loop_init, (uv_loop_t *loop)) \
    F(int, uv_loop_close, (uv_loop_t *loop)) \
    F(int, uv_run, (uv_loop_t *loop, int mode)) \
    F(void, uv_stop, (uv_loop_t *loop)) \
    F(int, uv_async_init, (uv_loop_t *loop, uv_handle_t *handle, void (*callback)(uv_handle_t *handle))) \
    F(int, uv_async_send, (uv_handle_t *handle)) \
    F(int, uv_poll_init, (uv_loop_t *loop, uv_handle_t *handle, int descriptor)) \
    F(int, uv_poll_start, (uv_handle_t *handle, int events, void (*callback)(uv_handle_t *handle, int status, int events))) \
    F(int, uv_timer_init, (uv_loop_t *loop, uv_handle_t *handle)) \
    F(int, uv_timer_start, (uv_handle_t *handle, void (*callback)(uv_handle_t *handle), uint64_t timeout, uint64_t repeat)) \
    F(int, uv_timer_stop, (uv_handle_t *handle)) \
    F(void, uv_close, (uv_handle_t *handle, void (*closed)(uv_handle_t *handle)))
LIBRARY("libuv.so.1", LIBUV_FUNCTIONS)

typedef void (*Closed)(uv_handle_t *handle);
static const Closed freeHandle = (Closed)(void (*)(void))free;

static void openLoop(Loop *l) {
    l->loop = calloc(1, uv_loop_size());
    uv_loop_init(l->loop);
}

static void closeLoop(Loop *l, Item *source) {
    if (source) uv_close(source->object, freeHandle);
    uv_run(l->loop, UV_RUN_DEFAULT);
    uv_loop_close(l->loop);
    free(l->loop);
}

static uv_handle_t *newHandle(Item *i, int type) {
    uv_handle_t *handle = i->object = calloc(1, uv_handle_size(type));
    handle->data = i;
    return handle;
}

static void called(uv_handle_t *handle) { ((Item *)handle->data)->call(((Item *)handle->data)->info); }
static void readable(uv_handle_t *handle, int status, int events) { called(handle); }

static void addSource(Item *i) { uv_async_init(i->loop->loop, newHandle(i, UV_ASYNC), called); }
static void signalSource(Item *i) { uv_async_send(i->object); }

static void addReader(Item *i) {
    uv_poll_init(i->loop->loop, newHandle(i, UV_POLL), i->descriptor);
    uv_poll_start(i->object, UV_READABLE, readable);
}

static void setNow(Loop *l) {}
static void makeTimer(Item *i) { uv_timer_init(i->loop->loop, newHandle(i, UV_TIMER)); }

/// libuv's times are whole milliseconds.
static void startTimer(Item *i) {
    uv_timer_start(i->object, called, (uint64_t)(i->date * 1000), (uint64_t)(i->interval * 1000));
}

static void invalidateTimer(Item *i) { uv_timer_stop(i->object); }
static void freeTimer(Item *i) { uv_close(i->object, freeHandle); } // in the next pass

static void poll(Loop *l) { uv_run(l->loop, UV_RUN_NOWAIT); }
static void run(Loop *l) { uv_run(l->loop, UV_RUN_DEFAULT); }
static void stop(Loop *l) { uv_stop(l->loop); }

const Side BenchLibuvSide = {
    "libuv", isInstalled, openLoop, closeLoop, addSource, signalSource, NULL, addReader, .setNow = setNow, .makeTimer = makeTimer, .addTimer = startTimer,
    .moveTimer = startTimer, .invalidateTimer = invalidateTimer, .freeTimer = freeTimer, .poll = poll, .run = run, .stop = stop,
};
