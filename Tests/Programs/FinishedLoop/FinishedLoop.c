/// FinishedLoop.c: Programs/YourLoop/YourLoop.c when it is finished. It agrees with the model.
#include "YourLoop.h"

typedef struct {
    Item *items[mostItems];
    int count;
} Mode;

/// The record of a run. Runs nest.
typedef struct Run {
    struct Run *outer;
    bool isStopped, ignoresWakeUps, hasNested;
} Run;

struct Loop {
    Mode modes[mostModes];
    Run *run; // the innermost one
};

static int stamp; // counts signals and dates: of equals, the first comes first

Loop *makeLoop(void) { return calloc(1, sizeof(Loop)); }

void removeItem(Loop *loop, Item *item, int index) {
    Mode *mode = &loop->modes[index];
    int kept = 0;
    for (int i = 0; i < mode->count; i++)
        if (mode->items[i] != item) mode->items[kept++] = mode->items[i];
    mode->count = kept;
}

void addItem(Loop *loop, Item *item, int index) {
    removeItem(loop, item, index); // it is in the list once
    Mode *mode = &loop->modes[index];
    mode->items[mode->count++] = item;
}

void signalSource(Item *item) {
    if (item->isSignaled) return; // the first signal counts
    item->isSignaled = true;
    item->since = ++stamp;
}

void wakeUp(Loop *loop) {
    if (loop->run && !loop->run->ignoresWakeUps) ring(loop);
}

void stopLoop(Loop *loop) {
    if (loop->run) loop->run->isStopped = true;
    wakeUp(loop);
}

static bool precedes(const Item *left, const Item *right) {
    if (left->kind == timer && left->date != right->date) return left->date < right->date;
    if (left->kind != timer && left->order != right->order) return left->order < right->order;
    return left->kind != observer && left->since < right->since;
}

/// Finds the items of a mode that are to be called, and sorts them.
static int choose(const Mode *mode, int kind, unsigned activity, Item **chosen) {
    int count = 0;
    for (int i = 0; i < mode->count; i++) {
        Item *item = mode->items[i];
        bool isWanted = kind == source ? item->isSignaled : kind == timer ? item->date <= now() : item->activities & activity;
        if ((int)item->kind != kind || item->isBusy || !isWanted) continue;
        int place = count++;
        for (; place > 0 && precedes(item, chosen[place - 1]); place--) chosen[place] = chosen[place - 1];
        chosen[place] = item;
    }
    return count;
}

/// Calls a timer or an observer, unless a nested run is inside its callback or has used it up.
static void call(Loop *loop, Item *item, unsigned activity) {
    if (item->isBusy) return;
    item->isBusy = true;
    callOut(item, activity);
    if (!item->isOnce) item->isBusy = false;
    for (int i = 0; item->isOnce && i < mostModes; i++) removeItem(loop, item, i);
}

static void notify(Loop *loop, int index, unsigned activity) {
    Item *chosen[mostItems];
    int count = choose(&loop->modes[index], observer, activity, chosen);
    for (int i = 0; i < count; i++) call(loop, chosen[i], activity);
}

static bool doSources(Loop *loop, int index, bool untilSource) {
    Item *chosen[mostItems];
    int count = choose(&loop->modes[index], source, 0, chosen);
    bool handled = false;
    for (int i = 0; i < count && !(handled && untilSource); i++) {
        if (!chosen[i]->isSignaled) continue; // a nested run has performed it
        chosen[i]->isSignaled = false;
        handled = true;
        callOut(chosen[i], 0);
    }
    return handled;
}

static void doTimers(Loop *loop, int index) {
    Item *chosen[mostItems];
    int count = choose(&loop->modes[index], timer, 0, chosen);
    for (int i = 0; i < count; i++) {
        Item *item = chosen[i];
        if (item->date > now()) continue; // a nested run has fired it
        Time due = item->date;
        call(loop, item, 0);
        if (item->isOnce) continue;
        item->date = due + ((now() - due) / item->interval + 1) * item->interval;
        item->since = ++stamp;
    }
}

static Time nextDate(const Mode *mode) {
    Time next = forever;
    for (int i = 0; i < mode->count; i++) {
        const Item *item = mode->items[i];
        if (item->kind == timer && !item->isBusy && item->date < next) next = item->date;
    }
    return next;
}

static bool isEmpty(Loop *loop, int index) {
    const Mode *mode = &loop->modes[index];
    for (int i = 0; i < mode->count; i++)
        if (mode->items[i]->kind != observer) return false;
    return !servesMainQueue(loop, index);
}

/// What a nested run may have left undone, after it has taken the wake-up.
static bool hasWork(Loop *loop, int index) {
    Item *chosen[mostItems];
    return loop->run->hasNested && (loop->run->isStopped || choose(&loop->modes[index], source, 0, chosen) > 0);
}

static int pass(Loop *loop, int index, Time length, Time limit, bool untilSource) {
    Run *run = loop->run;
    run->ignoresWakeUps = false;
    notify(loop, index, beforeTimers);  // 2
    notify(loop, index, beforeSources); // 3
    bool handled = doSources(loop, index, untilSource); // 4
    bool polls = handled || length == 0;
    if (!polls) notify(loop, index, beforeWaiting); // 6
    Time date = nextDate(&loop->modes[index]);
    sleepUntil(loop, polls || hasWork(loop, index) ? now() : date < limit ? date : limit); // 7
    bool isDue = nextDate(&loop->modes[index]) <= now();
    run->ignoresWakeUps = true;
    run->hasNested = false;
    if (!polls) notify(loop, index, afterWaiting); // 8
    if (isDue) doTimers(loop, index); // 9
    if (handled && untilSource) return handledSource;
    if (length == 0 || limit <= now()) return timedOut;
    if (run->isStopped) return stopped;
    return isEmpty(loop, index) ? finished : 0;
}

int runLoop(Loop *loop, int index, Time length, bool untilSource) {
    if (isEmpty(loop, index)) return finished;
    Run run = {.outer = loop->run};
    loop->run = &run;
    notify(loop, index, entry); // 1
    Time limit = length == forever ? forever : now() + length;
    int result = run.isStopped ? stopped : 0;
    while (!result) result = pass(loop, index, length, limit, untilSource);
    notify(loop, index, exiting); // 10
    loop->run = run.outer;
    if (run.outer) run.outer->hasNested = true;
    return result;
}
