/// GLib.c: GLib's main loop. A source that is signalled is one with a ready time; a block is an idle source.
#include "Sides.h"

typedef struct _GMainContext GMainContext;
typedef struct _GSource GSource;
typedef int (*GSourceFunc)(void *data);

/// The functions of a kind of source, with GLib's layout.
typedef struct {
    int (*prepare)(GSource *source, int *timeout);
    int (*check)(GSource *source);
    int (*dispatch)(GSource *source, GSourceFunc callback, void *data);
    void (*finalize)(GSource *source);
    GSourceFunc closureCallback;
    void (*closureMarshal)(void);
} GSourceFuncs;

/// Room for the struct GSource and for what a source of ours adds.
enum { GSourceSize = 160 };
/// The condition G_IO_IN.
enum { GSourceReadable = 1 };

#define GLIB_FUNCTIONS(F) \
    F(GMainContext *, g_main_context_new, (void)) \
    F(void, g_main_context_unref, (GMainContext *context)) \
    F(int, g_main_context_iteration, (GMainContext *context, int mayBlock)) \
    F(GSource *, g_source_new, (GSourceFuncs *functions, unsigned size)) \
    F(GSource *, g_idle_source_new, (void)) \
    F(GSource *, g_timeout_source_new, (unsigned milliseconds)) \
    F(GSource *, g_unix_fd_source_new, (int descriptor, int condition)) \
    F(void, g_source_set_callback, (GSource *source, GSourceFunc callback, void *data, void (*destroyed)(void *data))) \
    F(unsigned, g_source_attach, (GSource *source, GMainContext *context)) \
    F(void, g_source_set_ready_time, (GSource *source, int64_t microseconds)) \
    F(int64_t, g_get_monotonic_time, (void)) \
    F(void, g_source_destroy, (GSource *source)) \
    F(void, g_source_unref, (GSource *source))
LIBRARY("libglib-2.0.so.0", GLIB_FUNCTIONS)

static void openContext(Loop *l) { l->loop = g_main_context_new(); }
static void closeContext(Loop *l, Item *source) { g_main_context_unref(l->loop); }

/// The callback of timers and sources: 0 removes the source.
static int called(void *data) {
    Item *i = data;
    i->call(i->info);
    return i->interval > 0;
}

static int dispatch(GSource *source, GSourceFunc callback, void *data) {
    g_source_set_ready_time(source, -1);
    callback(data);
    return 1;
}

static void attach(Item *i, GSource *source, GSourceFunc callback) {
    g_source_set_callback(i->object = source, callback, i, NULL);
    g_source_attach(source, i->loop->loop);
    g_source_unref(source);
}

static void addSource(Item *i) {
    static GSourceFuncs functions = {.dispatch = dispatch};
    attach(i, g_source_new(&functions, GSourceSize), called);
}

static void signalSource(Item *i) { g_source_set_ready_time(i->object, 0); }

static int readable(int descriptor, int condition, void *data) {
    called(data);
    return 1;
}

static void addReader(Item *i) {
    attach(i, g_unix_fd_source_new(i->descriptor, GSourceReadable), (GSourceFunc)(void (*)(void))readable);
}

static void setNow(Loop *l) { l->now = (double)g_get_monotonic_time() * 1e-6; }

/// GLib's intervals are whole milliseconds.
static void makeTimer(Item *i) {
    i->object = g_timeout_source_new((unsigned)((i->interval > 0 ? i->interval : i->date) * 1000));
    g_source_set_callback(i->object, called, i, NULL);
}

static void addTimer(Item *i) { g_source_attach(i->object, i->loop->loop); }
static void moveTimer(Item *i) { g_source_set_ready_time(i->object, (int64_t)((i->loop->now + i->date) * 1e6)); }
static void invalidateTimer(Item *i) { g_source_destroy(i->object); }
static void freeTimer(Item *i) { g_source_unref(i->object); }

static int countOnce(void *calls) {
    ++*(long *)calls;
    return 0;
}

static void addBlock(Loop *l, long *calls) {
    GSource *source = g_idle_source_new();
    g_source_set_callback(source, countOnce, calls, NULL);
    g_source_attach(source, l->loop);
    g_source_unref(source);
}

static void poll(Loop *l) { g_main_context_iteration(l->loop, false); }

static void run(Loop *l) {
    for (l->isStopped = false; !l->isStopped;) g_main_context_iteration(l->loop, true);
}

static void stop(Loop *l) { l->isStopped = true; }

const Side BenchGLibSide = {
    "GLib", isInstalled, openContext, closeContext, addSource, signalSource, NULL, addReader, .setNow = setNow, .makeTimer = makeTimer, .addTimer = addTimer,
    .moveTimer = moveTimer, .invalidateTimer = invalidateTimer, .freeTimer = freeTimer, .addBlock = addBlock, .poll = poll, .run = run,
    .stop = stop,
};
