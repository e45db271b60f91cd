/// Rows.c: the work of each row, written once for all sides.
#include "Sides.h"
#include <pthread.h>
#include <semaphore.h>

static const Side *side(const Bench *bench) { return BenchSideOf(bench); }
static void countCall(void *info) { ++*(long *)info; }

/// The time that each of `count` operations takes, on the calling thread.
#define EACH(cost, count, operation) do { \
        double start = BenchThreadTime(); \
        for (long i = 0; i < (count); i++) { operation; } \
        cost = (BenchThreadTime() - start) / (double)(count); \
    } while (0)

/// A loop with `size` items.
typedef struct {
    Loop loop;
    Item *items;
    long calls, left;
    uint64_t random, dates; // two series of random numbers, the same ones every time
} Work;

static Work *makeWork(Bench *bench, long items) {
    Work *w = bench->state = calloc(1, sizeof(*w));
    w->random = w->dates = 0x9E3779B97F4A7C15;
    LoopOpen(&w->loop, bench);
    w->items = calloc((size_t)items, sizeof(Item));
    for (long i = 0; i < items; i++) w->items[i] = (Item){.loop = &w->loop, .call = countCall, .info = &w->calls, .place = -1};
    return w;
}

// MARK: - Passes that do not wait: with nothing to do, with one signalled source among many, with blocks

void BenchSetUpSources(Bench *bench) {
    Work *w = makeWork(bench, bench->size);
    for (long i = 0; i < bench->size; i++) side(bench)->addSource(&w->items[i]);
    side(bench)->poll(&w->loop);
}

void BenchPoll(Bench *bench, double *costs) {
    Work *w = bench->state;
    EACH(costs[0], bench->count, side(bench)->poll(&w->loop));
}

/// The order of the signals differs from that of the sources.
void BenchSignalAndPoll(Bench *bench, double *costs) {
    Work *w = bench->state;
    w->calls = 0;
    EACH(costs[0], bench->count, (side(bench)->signal(&w->items[i * 7919 % bench->size]), side(bench)->poll(&w->loop)));
    BenchCheck(bench, "sources performed", w->calls, bench->count);
}

/// Measures the process's time, because the toolchain's loop has a thread for the limit.
void BenchLimitedRuns(Bench *bench, double *costs) {
    Work *w = bench->state;
    if (!side(bench)->limitedRun) return;
    w->calls = 0;
    double start = BenchProcessTime();
    for (long i = 0; i < bench->count; i++) {
        side(bench)->signal(w->items);
        side(bench)->limitedRun(&w->loop);
    }
    costs[0] = (BenchProcessTime() - start) / (double)bench->count;
    BenchCheck(bench, "sources performed", w->calls, bench->count);
}

/// Many blocks are queued, then performed.
void BenchPerformBlocks(Bench *bench, double *costs) {
    enum { blocks = 100 };
    Work *w = bench->state;
    if (!side(bench)->addBlock) return;
    w->calls = 0;
    double start = BenchThreadTime();
    for (long i = 0; i < bench->count; i++) {
        for (long block = 0; block < blocks; block++) side(bench)->addBlock(&w->loop, &w->calls);
        side(bench)->poll(&w->loop);
    }
    costs[0] = (BenchThreadTime() - start) / (double)(bench->count * blocks);
    BenchCheck(bench, "blocks performed", w->calls, bench->count * blocks);
}

// MARK: - Descriptors: one event after another, and many that are ready at once

/// Each event is read once on every side.
static void arrived(void *info) {
    Item *reader = info;
    Work *w = reader->loop->bench->state;
    if (!reader->loop->side->readsItself) BenchClearEvent(reader->descriptor);
    if (--w->left == 0) reader->loop->side->stop(reader->loop);
    else if (reader->loop->bench->size == 1) BenchSetEvent(reader->descriptor); // ready again at once
}

void BenchSetUpReaders(Bench *bench) {
    Work *w = makeWork(bench, bench->size);
    for (long i = 0; i < bench->size; i++) {
        w->items[i] = (Item){.loop = &w->loop, .call = arrived, .info = &w->items[i], .descriptor = BenchEvent()};
        side(bench)->addReader(&w->items[i]);
    }
}

void BenchEventAfterEvent(Bench *bench, double *costs) {
    Work *w = bench->state;
    w->left = bench->count;
    BenchSetEvent(w->items[0].descriptor);
    double start = BenchThreadTime();
    side(bench)->run(&w->loop);
    costs[0] = (BenchThreadTime() - start) / (double)bench->count;
    BenchCheck(bench, "events missing", w->left, 0);
}

/// Makes all descriptors ready; divides the time of a run that serves them among them.
void BenchAllAtOnce(Bench *bench, double *costs) {
    Work *w = bench->state;
    double time = 0;
    for (long i = 0; i < bench->count; i++) {
        for (long port = 0; port < bench->size; port++) BenchSetEvent(w->items[port].descriptor);
        w->left = bench->size;
        double start = BenchThreadTime();
        side(bench)->run(&w->loop);
        time += BenchThreadTime() - start;
        BenchCheck(bench, "events missing", w->left, 0);
    }
    costs[0] = time / (double)(bench->count * bench->size);
}

// MARK: - Two threads that signal and wake each other

typedef struct {
    const Bench *bench;
    Loop loops[2]; // the one that measures, and its peer, which answers as long as the process lives
    Item ends[2];
    long left;     // how many answers the first still waits for
    sem_t isOpen;
} RoundTrip;

static void send(Item *to) {
    side(to->loop->bench)->signal(to);
    if (side(to->loop->bench)->wakeUp) side(to->loop->bench)->wakeUp(to->loop);
}

static void answer(void *info) { send(&((RoundTrip *)info)->ends[0]); }

static void askAgain(void *info) {
    RoundTrip *trip = info;
    if (--trip->left == 0) side(trip->bench)->stop(&trip->loops[0]);
    else send(&trip->ends[1]);
}

static void openEnd(RoundTrip *trip, int end, void (*call)(void *)) {
    LoopOpen(&trip->loops[end], trip->bench);
    trip->ends[end] = (Item){.loop = &trip->loops[end], .call = call, .info = trip};
    side(trip->bench)->addSource(&trip->ends[end]);
}

static void *runPeer(void *argument) {
    RoundTrip *trip = argument;
    if (trip->bench->processors == 2) BenchPin(1);
    openEnd(trip, 1, answer);
    sem_post(&trip->isOpen);
    side(trip->bench)->run(&trip->loops[1]);
    return NULL;
}

void BenchSetUpRoundTrip(Bench *bench) {
    RoundTrip *trip = bench->state = calloc(1, sizeof(*trip));
    trip->bench = bench;
    sem_init(&trip->isOpen, 0, 0);
    openEnd(trip, 0, askAgain);
    pthread_t thread;
    if (pthread_create(&thread, NULL, runPeer, trip)) BenchFail(bench, "no thread");
    sem_wait(&trip->isOpen);
}

/// On one processor, exactly one of the threads works at any time, so the processor time of both is the cost of a trip, whatever else the
/// machine does. On two processors, part of a trip is waiting.
void BenchRoundTrips(Bench *bench, double *costs) {
    RoundTrip *trip = bench->state;
    trip->left = bench->count;
    double (*clock)(void) = bench->processors == 1 ? BenchProcessTime : BenchWallTime;
    double start = clock();
    send(&trip->ends[1]);
    side(bench)->run(&trip->loops[0]);
    costs[0] = (clock() - start) / (double)bench->count;
    BenchCheck(bench, "round trips missing", trip->left, 0);
}

/// A thread that creates a loop, has it perform a source, and ends.
static void *useLoop(void *argument) {
    Bench *bench = argument;
    long calls = 0;
    Loop loop;
    LoopOpen(&loop, bench);
    Item source = {.loop = &loop, .call = countCall, .info = &calls};
    side(bench)->addSource(&source);
    side(bench)->signal(&source);
    side(bench)->poll(&loop);
    side(bench)->close(&loop, &source);
    return calls == 1 ? bench : NULL;
}

/// Starts and joins one thread after another. Measures processor time, because a joined thread's time counts for its process.
void BenchStartThreads(Bench *bench, double *costs) {
    double start = BenchProcessTime();
    for (long i = 0; i < bench->count; i++) {
        pthread_t thread;
        void *result = NULL;
        if (pthread_create(&thread, NULL, useLoop, bench)) BenchFail(bench, "no thread");
        pthread_join(thread, &result);
        if (result != bench) BenchFail(bench, "a thread has not used its loop");
    }
    costs[0] = (BenchProcessTime() - start) / (double)bench->count;
}

// MARK: - Timers that change among many far ones

/// xorshift64*.
static uint64_t next(uint64_t *random) {
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return *random * 0x2545F4914F6CDD1D;
}

/// A date without pattern, from 0 to 1.
static double nextDate(Work *w) { return (double)(next(&w->dates) >> 11) / 9007199254740992.0; }

/// The far dates lie within one hour, which begins in an hour.
static double farDate(Work *w) { return 3600 + 3600 * nextDate(w); }

static Item *moved(const Bench *bench, Work *w) {
    Item *timer = &w->items[BenchMostNewTimers + next(&w->random) % (uint64_t)bench->size];
    timer->date = farDate(w);
    return timer;
}

void BenchSetUpTimers(Bench *bench) {
    Work *w = makeWork(bench, BenchMostNewTimers + bench->size);
    side(bench)->setNow(&w->loop);
    for (Item *timer = &w->items[BenchMostNewTimers]; timer < &w->items[BenchMostNewTimers + bench->size]; timer++) {
        timer->date = farDate(w);
        side(bench)->makeTimer(timer);
        side(bench)->addTimer(timer);
    }
}

/// Adds new timers, moves as many others, which are picked at random, and invalidates the new ones, so that everything is as before.
void BenchChangeTimers(Bench *bench, double *costs) {
    Work *w = bench->state;
    for (long i = 0; i < bench->count; i++) {
        w->items[i].date = farDate(w);
        side(bench)->makeTimer(&w->items[i]);
    }
    EACH(costs[0], bench->count, side(bench)->addTimer(&w->items[i]));
    EACH(costs[1], bench->count, side(bench)->moveTimer(moved(bench, w)));
    EACH(costs[2], bench->count, side(bench)->invalidateTimer(&w->items[i]));
    for (long i = 0; i < bench->count; i++) side(bench)->freeTimer(&w->items[i]);
}

// MARK: - Timers that fire: many at once, and one that ticks in a loop that is otherwise idle

/// The timers are added while their dates are still ahead, within a microsecond for each; the passes begin when all are due.
void BenchDueTimers(Bench *bench, double *costs) {
    Work *w = bench->state;
    side(bench)->poll(&w->loop);
    side(bench)->setNow(&w->loop);
    w->calls = 0;
    for (long i = 0; i < bench->size; i++) {
        Item *timer = &w->items[i];
        timer->date = 0.05 + nextDate(w) * (double)bench->size * 1e-6;
        side(bench)->makeTimer(timer);
        side(bench)->addTimer(timer);
    }
    usleep(55000 + (unsigned)bench->size);
    double start = BenchThreadTime();
    while (w->calls < bench->size) side(bench)->poll(&w->loop);
    costs[0] = (BenchThreadTime() - start) / (double)bench->size;
    for (long i = 0; i < bench->size; i++) side(bench)->freeTimer(&w->items[i]);
}

void BenchSetUpDue(Bench *bench) {
    Work *w = makeWork(bench, bench->size + 1);
    side(bench)->addSource(&w->items[bench->size]); // so that the mode is not empty
}

/// On a busy machine, a side that makes up for late ticks makes more of them before its run ends.
static void ticked(void *info) {
    Item *timer = info;
    Work *w = timer->loop->bench->state;
    if (w->left > 0 && --w->left == 0) timer->loop->side->stop(timer->loop);
}

/// The timer is in the loop only during a round, so that it does not fall behind while the other sides have their turns.
void BenchTicks(Bench *bench, double *costs) {
    Work *w = bench->state;
    Item timer = {.loop = &w->loop, .call = ticked, .info = &timer, .date = 0.01, .interval = 0.01, .place = -1};
    side(bench)->setNow(&w->loop);
    side(bench)->makeTimer(&timer);
    side(bench)->addTimer(&timer);
    w->left = bench->count;
    double start = BenchProcessTime();
    side(bench)->run(&w->loop);
    costs[0] = (BenchProcessTime() - start) / (double)bench->count;
    side(bench)->invalidateTimer(&timer);
    side(bench)->freeTimer(&timer);
    BenchCheck(bench, "ticks missing", w->left, 0);
}
