/// GLib.c: GLib's main loop. A source that is signalled is one with a ready time; a block is an idle source.
#include "Libraries.h"
#include "Sides.h"

static void openContext(Loop *l) { l->loop = BenchGLibTable()->g_main_context_new(); }
static void closeContext(Loop *l, Item *source) { BenchGLibTable()->g_main_context_unref(l->loop); }

/// The callback of timers and sources: 0 removes the source.
static int called(void *data) {
    Item *i = data;
    i->call(i->info);
    return i->interval > 0;
}

static int dispatch(GSource *source, GSourceFunc callback, void *data) {
    BenchGLibTable()->g_source_set_ready_time(source, -1);
    callback(data);
    return 1;
}

static void attach(Item *i, GSource *source, GSourceFunc callback) {
    BenchGLibTable()->g_source_set_callback(i->object = source, callback, i, NULL);
    BenchGLibTable()->g_source_attach(source, i->loop->loop);
    BenchGLibTable()->g_source_unref(source);
}

static void addSource(Item *i) {
    static GSourceFuncs functions = {.dispatch = dispatch};
    attach(i, BenchGLibTable()->g_source_new(&functions, GSourceSize), called);
}

static void signalSource(Item *i) { BenchGLibTable()->g_source_set_ready_time(i->object, 0); }

static int readable(int descriptor, int condition, void *data) {
    called(data);
    return 1;
}

static void addReader(Item *i) {
    attach(i, BenchGLibTable()->g_unix_fd_source_new(i->descriptor, GSourceReadable), (GSourceFunc)(void (*)(void))readable);
}

static void setNow(Loop *l) { l->now = (double)BenchGLibTable()->g_get_monotonic_time() * 1e-6; }

/// GLib's intervals are whole milliseconds.
static void makeTimer(Item *i) {
    i->object = BenchGLibTable()->g_timeout_source_new((unsigned)((i->interval > 0 ? i->interval : i->date) * 1000));
    BenchGLibTable()->g_source_set_callback(i->object, called, i, NULL);
}

static void addTimer(Item *i) { BenchGLibTable()->g_source_attach(i->object, i->loop->loop); }
static void moveTimer(Item *i) { BenchGLibTable()->g_source_set_ready_time(i->object, (int64_t)((i->loop->now + i->date) * 1e6)); }
static void invalidateTimer(Item *i) { BenchGLibTable()->g_source_destroy(i->object); }
static void freeTimer(Item *i) { BenchGLibTable()->g_source_unref(i->object); }

static int countOnce(void *calls) {
    ++*(long *)calls;
    return 0;
}

static void addBlock(Loop *l, long *calls) {
    GSource *source = BenchGLibTable()->g_idle_source_new();
    BenchGLibTable()->g_source_set_callback(source, countOnce, calls, NULL);
    BenchGLibTable()->g_source_attach(source, l->loop);
    BenchGLibTable()->g_source_unref(source);
}

static void poll(Loop *l) { BenchGLibTable()->g_main_context_iteration(l->loop, false); }

static void run(Loop *l) {
    for (l->isStopped = false; !l->isStopped;) BenchGLibTable()->g_main_context_iteration(l->loop, true);
}

static void stop(Loop *l) { l->isStopped = true; }

const Side BenchGLibSide = {
    openContext, closeContext, addSource, signalSource, NULL, addReader, .setNow = setNow, .makeTimer = makeTimer, .addTimer = addTimer,
    .moveTimer = moveTimer, .invalidateTimer = invalidateTimer, .freeTimer = freeTimer, .addBlock = addBlock, .poll = poll, .run = run,
    .stop = stop,
};
