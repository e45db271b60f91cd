/// PortRows.c: version 1 sources: one event after another, and 64 descriptors that are ready at once.
///
/// The toolchain's loop reads eight bytes from a source's descriptor before it performs the source; ours leaves reading to the source. So
/// the source reads on our side only, and each event is read once on every side.
#include "Libraries.h"
#include "Rows.h"

typedef struct {
    int descriptor; // first, because BenchAddSource1 needs it there
    struct Events *events;
} Port;

/// Ports, all on one loop, of which some are ready.
typedef struct Events {
    const Bench *bench;
    long left;           // events until the run is stopped
    int epoll;
    void *loop;
    Port ports[];
} Events;

static Events *makeEvents(Bench *bench) {
    Events *e = calloc(1, sizeof(*e) + (size_t)bench->size * sizeof(Port));
    BenchAllowDescriptors(bench, bench->size);
    e->bench = bench;
    for (long i = 0; i < bench->size; i++) e->ports[i] = (Port){BenchEvent(), e};
    bench->state = e;
    return e;
}

/// Handles an event of a port: reads it and, if there is only one port, makes the port ready again at once. Returns false after the last
/// event.
static bool handle(Port *port, bool wasRead) {
    if (!wasRead) BenchClearEvent(port->descriptor);
    if (--port->events->left == 0) return false;
    if (port->events->bench->size == 1) BenchSetEvent(port->descriptor);
    return true;
}

/// One event after another: each makes the port ready for the next.
static void eventAfterEvent(Bench *bench, double *costs, void (*run)(Events *)) {
    Events *e = bench->state;
    e->left = bench->count;
    BenchSetEvent(e->ports[0].descriptor);
    double start = BenchThreadTime();
    run(e);
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
    BenchCheck(bench, "events missing", e->left, 0);
}

/// Makes all ports ready; divides the time of a run that serves them among them.
static void allAtOnce(Bench *bench, double *costs, void (*run)(Events *)) {
    Events *e = bench->state;
    double time = 0;
    for (long i = 0; i < bench->count; i++) {
        for (long port = 0; port < bench->size; port++) BenchSetEvent(e->ports[port].descriptor);
        e->left = bench->size;
        double start = BenchThreadTime();
        run(e);
        time += BenchThreadTime() - start;
        BenchCheck(bench, "ports missing", e->left, 0);
    }
    costs[0] = time / (double)(bench->count * bench->size);
}

// MARK: The run loops

static void performed(void *info) {
    Port *port = info;
    const Bench *bench = port->events->bench;
    if (!handle(port, bench->side == BenchToolchain)) T(bench)->CFRunLoopStop(BenchLoop(bench));
}

static void setUpSources(Bench *bench) {
    Events *e = makeEvents(bench);
    for (long i = 0; i < bench->size; i++) BenchAddSource1(bench, &e->ports[i], performed);
}

static void runLoop(Events *e) { BenchRunUntilStopped(e->bench); }
static void loopEventAfterEvent(Bench *bench, double *costs) { eventAfterEvent(bench, costs, runLoop); }
static void loopAllAtOnce(Bench *bench, double *costs) { allAtOnce(bench, costs, runLoop); }

// MARK: The floor

static void setUpEpoll(Bench *bench) {
    Events *e = makeEvents(bench);
    e->epoll = BenchEpoll();
    for (long i = 0; i < bench->size; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = &e->ports[i]}};
        epoll_ctl(e->epoll, EPOLL_CTL_ADD, e->ports[i].descriptor, &event);
    }
}

static void runEpoll(Events *e) {
    struct epoll_event events[64];
    for (bool goesOn = true; goesOn;) {
        int count = epoll_wait(e->epoll, events, 64, -1);
        for (int i = 0; i < count; i++) goesOn = handle(events[i].data.ptr, false);
    }
}

static void epollEventAfterEvent(Bench *bench, double *costs) { eventAfterEvent(bench, costs, runEpoll); }
static void epollAllAtOnce(Bench *bench, double *costs) { allAtOnce(bench, costs, runEpoll); }

// MARK: GLib

static int readable(int descriptor, int condition, void *data) {
    handle(data, false);
    return 1;
}

static void setUpGLib(Bench *bench) {
    const GLibTable *g = BenchGLibTable();
    Events *e = makeEvents(bench);
    e->loop = g->g_main_context_new();
    for (long i = 0; i < bench->size; i++) {
        GSource *source = g->g_unix_fd_source_new(e->ports[i].descriptor, GSourceReadable);
        g->g_source_set_callback(source, (GSourceFunc)(void (*)(void))readable, &e->ports[i], NULL);
        g->g_source_attach(source, e->loop);
    }
}

static void runGLib(Events *e) {
    while (e->left) BenchGLibTable()->g_main_context_iteration(e->loop, true);
}

static void gLibEventAfterEvent(Bench *bench, double *costs) { eventAfterEvent(bench, costs, runGLib); }
static void gLibAllAtOnce(Bench *bench, double *costs) { allAtOnce(bench, costs, runGLib); }

// MARK: libuv

static void pollCalled(uv_handle_t *poll, int status, int events) {
    Port *port = poll->data;
    if (!handle(port, false)) BenchLibuvTable()->uv_stop(port->events->loop);
}

static void setUpLibuv(Bench *bench) {
    Events *e = makeEvents(bench);
    e->loop = BenchUVLoop();
    for (long i = 0; i < bench->size; i++) {
        uv_handle_t *poll = BenchUVHandle(UV_POLL, &e->ports[i]);
        BenchLibuvTable()->uv_poll_init(e->loop, poll, e->ports[i].descriptor);
        BenchLibuvTable()->uv_poll_start(poll, UV_READABLE, pollCalled);
    }
}

static void runLibuv(Events *e) { BenchLibuvTable()->uv_run(e->loop, UV_RUN_DEFAULT); }
static void libuvEventAfterEvent(Bench *bench, double *costs) { eventAfterEvent(bench, costs, runLibuv); }
static void libuvAllAtOnce(Bench *bench, double *costs) { allAtOnce(bench, costs, runLibuv); }

// MARK: - The groups

const BenchGroup BenchSource1 = {
    .name = "source-1", .rowCount = 1, .size = 1, .processors = 1, .mostOperations = 5000,
    .rows = {{"source-1", "version 1 source: one event", BenchSeconds, {[BenchToolchain] = 1}}},
    .steppedOperations = 10,
    .loop = {setUpSources, loopEventAfterEvent}, .floor = {setUpEpoll, epollEventAfterEvent},
    .glib = {setUpGLib, gLibEventAfterEvent}, .libuv = {setUpLibuv, libuvEventAfterEvent},
};

const BenchGroup BenchReady64 = {
    .name = "ready-64", .rowCount = 1, .size = 64, .processors = 1, .mostOperations = 200,
    .rows = {{"ready-64", "64 descriptors ready at once: each", BenchSeconds, {[BenchToolchain] = 1}}},
    .steppedOperations = 1, .growsWithSize = true,
    .loop = {setUpSources, loopAllAtOnce}, .floor = {setUpEpoll, epollAllAtOnce},
    .glib = {setUpGLib, gLibAllAtOnce}, .libuv = {setUpLibuv, libuvAllAtOnce},
};
