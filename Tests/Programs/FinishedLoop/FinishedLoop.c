/// FinishedLoop.c: Programs/YourLoop/YourLoop.c when it is finished. It agrees with the model.
#include "YourLoop.h"

/// The record of a run. Runs nest.
typedef struct Run {
    struct Run *outer;
    bool isStopped, ignoresWakeUps, hasNested;
} Run;

struct Loop {
    Item *modes[mostModes][mostItems + 1]; // each is a list of items, which ends with NULL
    Run *run; // the innermost one
};

static int stamp; // counts signals and dates: of equals, the first comes first

Loop *makeLoop(void) { return calloc(1, sizeof(Loop)); }

void removeItem(Loop *loop, Item *item, int mode) {
    Item **kept = loop->modes[mode];
    for (Item **at = kept; *at; at++)
        if (*at != item) *kept++ = *at;
    *kept = NULL;
}

void addItem(Loop *loop, Item *item, int mode) {
    removeItem(loop, item, mode); // it is in the list once
    Item **end = loop->modes[mode];
    while (*end) end++;
    *end = item;
}

void signalSource(Item *item) {
    if (!item->isSignaled) item->since = ++stamp; // the first signal counts
    item->isSignaled = true;
}

void wakeUp(Loop *loop) {
    if (loop->run && !loop->run->ignoresWakeUps) ring(loop);
}

void stopLoop(Loop *loop) {
    if (loop->run) loop->run->isStopped = true;
    wakeUp(loop);
}

static bool isWanted(const Item *item, int kind, unsigned activity) {
    if ((int)item->kind != kind || item->isBusy) return false;
    return kind == source  ? item->isSignaled
           : kind == timer ? item->date <= now()
                           : item->activities & activity;
}

static bool precedes(const Item *left, const Item *right) {
    if (left->kind == timer && left->date != right->date) return left->date < right->date;
    if (left->kind != timer && left->order != right->order) return left->order < right->order;
    return left->kind != observer && left->since < right->since;
}

static void call(Loop *loop, Item *item, unsigned activity) {
    Time due = item->date;
    item->isSignaled = false;
    item->isBusy = item->kind != source; // an item that is called once stays busy
    callOut(item, activity);
    for (int i = 0; item->isOnce && i < mostModes; i++) removeItem(loop, item, i);
    if (item->isOnce) return;
    item->isBusy = false;
    if (item->kind != timer) return;
    item->date = due + ((now() - due) / item->interval + 1) * item->interval;
    item->since = ++stamp;
}

/// Chooses the items first, because a callback may change the list. Returns whether it has called
/// one.
static bool callAll(Loop *loop, int mode, int kind, unsigned activity, bool onlyOne) {
    Item *chosen[mostItems];
    int count = 0;
    for (Item **at = loop->modes[mode]; *at; at++) {
        if (!isWanted(*at, kind, activity)) continue;
        int place = count++;
        for (; place > 0 && precedes(*at, chosen[place - 1]); place--)
            chosen[place] = chosen[place - 1];
        chosen[place] = *at;
    }
    bool hasCalled = false;
    for (int i = 0; i < count && !(hasCalled && onlyOne); i++) {
        if (!isWanted(chosen[i], kind, activity)) continue; // a nested run has called it
        call(loop, chosen[i], activity);
        hasCalled = true;
    }
    return hasCalled;
}

static void notify(Loop *loop, int mode, unsigned activity) {
    callAll(loop, mode, observer, activity, false);
}

/// When the mode has something to do, if nobody rings: with a signaled source that counts, at once.
static Time nextDate(Loop *loop, int mode, bool withSources) {
    Time next = forever;
    for (Item **at = loop->modes[mode]; *at; at++) {
        if ((*at)->kind == timer && !(*at)->isBusy && (*at)->date < next) next = (*at)->date;
        if (withSources && isWanted(*at, source, 0)) return now();
    }
    return next;
}

static bool isEmpty(Loop *loop, int mode) {
    for (Item **at = loop->modes[mode]; *at; at++)
        if ((*at)->kind != observer) return false;
    return !servesMainQueue(loop, mode);
}

int runLoop(Loop *loop, int mode, Time length, bool untilSource) {
    if (isEmpty(loop, mode)) return finished;
    Run run = {.outer = loop->run};
    loop->run = &run;
    notify(loop, mode, entry); // 1
    Time limit = length == forever ? forever : now() + length;
    int result = run.isStopped ? stopped : 0;
    while (!result) {
        run.ignoresWakeUps = false;
        notify(loop, mode, beforeTimers); // 2
        notify(loop, mode, beforeSources); // 3
        bool handled = callAll(loop, mode, source, 0, untilSource); // 4
        bool polls = handled || length == 0;
        if (!polls) notify(loop, mode, beforeWaiting); // 6
        Time date = run.hasNested && run.isStopped ? now() : nextDate(loop, mode, run.hasNested);
        sleepUntil(loop, polls ? now() : date < limit ? date : limit); // 7
        bool isDue = nextDate(loop, mode, false) <= now();
        run.ignoresWakeUps = true;
        run.hasNested = false;
        if (!polls) notify(loop, mode, afterWaiting); // 8
        if (isDue) callAll(loop, mode, timer, 0, false); // 9
        if (handled && untilSource) result = handledSource;
        else if (limit <= now()) result = timedOut;
        else if (run.isStopped) result = stopped;
        else if (isEmpty(loop, mode)) result = finished;
    }
    notify(loop, mode, exiting); // 10
    loop->run = run.outer;
    if (run.outer) run.outer->hasNested = true;
    return result;
}
