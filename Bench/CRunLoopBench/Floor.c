/// Floor.c: the least that the work of a loop can cost: bare system calls, lists, and a binary heap in which each timer knows its place.
#include "Sides.h"
#include <sys/syscall.h>
#include <time.h>

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

static void openLoop(Loop *l) {
    l->epoll = BenchEpoll();
    BenchEpollAdd(l->epoll, l->event = BenchEvent(), NULL);
    l->last = &l->first;
    l->lastBlock = &l->firstBlock;
}

static void closeLoop(Loop *l, Item *source) {
    close(l->event);
    close(l->epoll);
}

static void addSource(Item *i) {}

/// Between threads, a write to the descriptor and a read from it stand between this and the loop's look at its list (performSources).
static void signalSource(Item *i) {
    if (i->isSignalled) return;
    i->isSignalled = true;
    i->next = NULL;
    *i->loop->last = i;
    i->loop->last = &i->next;
}

static void wakeUp(Loop *l) { BenchSetEvent(l->event); }
static void addReader(Item *i) { BenchEpollAdd(i->loop->epoll, i->descriptor, i); }

// MARK: - Timers

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void setNow(Loop *l) { l->now = seconds(); }

static void put(Loop *l, Item *timer, long place) {
    l->timers[place] = timer;
    timer->place = place;
}

/// Moves a timer from a hole to its place.
static void settle(Loop *l, Item *timer, long hole) {
    for (long parent; hole > 0 && timer->date < l->timers[parent = (hole - 1) / 2]->date; hole = parent) put(l, l->timers[parent], hole);
    for (long child; (child = 2 * hole + 1) < l->timerCount; hole = child) {
        if (child + 1 < l->timerCount && l->timers[child + 1]->date < l->timers[child]->date) child++;
        if (l->timers[child]->date >= timer->date) break;
        put(l, l->timers[child], hole);
    }
    put(l, timer, hole);
}

static void makeTimer(Item *i) {}

static void addTimer(Item *i) {
    Loop *l = i->loop;
    if (l->timerCount == l->timerCapacity) {
        l->timerCapacity = l->timerCapacity ? 2 * l->timerCapacity : 16;
        l->timers = realloc(l->timers, (size_t)l->timerCapacity * sizeof(Item *));
    }
    l->timerCount++;
    settle(l, i, l->timerCount - 1);
}

static void moveTimer(Item *i) { settle(i->loop, i, i->place); }

static void invalidateTimer(Item *i) {
    Loop *l = i->loop;
    if (i->place < 0) return;
    Item *last = l->timers[--l->timerCount];
    if (last != i) settle(l, last, i->place);
    i->place = -1;
}

static void freeTimer(Item *i) {}

static void fireTimers(Loop *l) {
    if (!l->timerCount) return;
    double date = seconds() - l->now;
    for (Item *timer; l->timerCount && (timer = l->timers[0])->date <= date;) {
        timer->date += timer->interval;
        if (timer->interval > 0) settle(l, timer, 0);
        else invalidateTimer(timer);
        timer->call(timer->info);
    }
}

// MARK: - Blocks

typedef struct BareBlock {
    struct BareBlock *next;
    void (^block)(void);
} BareBlock;

static void addBlock(Loop *l, long *calls) {
    BareBlock *b = malloc(sizeof(*b));
    *b = (BareBlock){NULL, _Block_copy(^{ ++*calls; })};
    *l->lastBlock = b;
    l->lastBlock = &b->next;
}

static void performBlocks(Loop *l) {
    while (l->firstBlock) {
        BareBlock *b = l->firstBlock;
        if (!(l->firstBlock = b->next)) l->lastBlock = &l->firstBlock;
        b->block();
        _Block_release(b->block);
        free(b);
    }
}

// MARK: - Passes

/// Takes the whole list before the first call: a call may make another thread signal, and that thread then has the list to itself.
static void performSources(Loop *l) {
    Item *i = l->first;
    l->first = NULL;
    l->last = &l->first;
    for (Item *next; i; i = next) {
        next = i->next;
        i->isSignalled = false;
        i->call(i->info);
    }
}

static void handle(Loop *l, struct epoll_event *events, long count) {
    for (long i = 0; i < count; i++) {
        Item *reader = events[i].data.ptr;
        if (reader) reader->call(reader->info);
        else BenchClearEvent(l->event);
    }
    performSources(l);
    fireTimers(l);
}

static void poll(Loop *l) {
    struct epoll_event events[64];
    performBlocks(l);
    performSources(l);
    handle(l, events, epoll_wait(l->epoll, events, 64, 0));
}

static void run(Loop *l) {
    struct epoll_event events[64];
    for (l->isStopped = false; !l->isStopped;) {
        long count;
        if (l->timerCount) {
            double left = l->timers[0]->date + l->now - seconds();
            if (left < 0) left = 0;
            struct timespec limit = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
            count = syscall(SYS_epoll_pwait2, l->epoll, events, 64, &limit, NULL, 0);
        } else {
            count = epoll_wait(l->epoll, events, 64, -1);
        }
        handle(l, events, count);
    }
}

static void stop(Loop *l) { l->isStopped = true; }

const Side BenchFloorSide = {
    "floor", NULL, openLoop, closeLoop, addSource, signalSource, wakeUp, addReader, .setNow = setNow, .makeTimer = makeTimer, .addTimer = addTimer,
    .moveTimer = moveTimer, .invalidateTimer = invalidateTimer, .freeTimer = freeTimer, .addBlock = addBlock, .limitedRun = poll,
    .poll = poll, .run = run, .stop = stop,
};
