/// Perform.c: performs random programs in real time, each on its stage (PerformProgram.c), and logs more than the program does: each
/// action, each activity of the loop, and what the answer to a question leaves out.
#include "Perform.h"
#include "Child.h"
#include <CoreFoundation/CFPortSupport.h>
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void logAction(const LoopAction *action, int thread);
static void watchLoop(int thread);

#undef CFSTR
#define TABLE performReal->table
#include "CFRunLoopTableNames.h"
#define PERFORM_BEGINS(action, thread) logAction(action, thread)
#define PERFORM_THREAD_BEGINS(thread) watchLoop(thread)
#define PERFORM_INHERITS(context) (stage = (context))
#define PERFORM_HAS_HOSTS (performReal->table == CFRunLoopTableOurs())
#define performSay say
#include "../CRunLoopPrograms/PerformProgram.c"

/// The thread that ends a performance that hangs, so that its log can be compared and the program shortened like any other.
typedef struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool isOver;
} Rescuer;

typedef struct {
    struct PerformReal real;
    const LoopProgram *written; // whose actions are logged
    LoopProgram program;        // the same in real units of time
    Rescuer rescuer;
} Attempt;

// MARK: - More lines

static const char *dateText(CFAbsoluteTime date) {
    CFTimeInterval from = date - CFAbsoluteTimeGetCurrent();
    return from < -1e7 ? "none" : from < 0 ? "past" : "future";
}

static void logAction(const LoopAction *action, int thread) {
    const LoopProgram *program = ((Attempt *)performReal)->written;
    char line[160];
    FILE *out = fmemopen(line, sizeof line, "w");
    loopActionWrite(out, program, &program->actions[action - performance.program->actions]);
    fclose(out);
    SAY(thread, "%s", line);
    int kind = action->item < 0 ? -1 : (int)program->items[action->item].kind;
    CFTypeRef ref = action->item < 0 ? NULL : performance.refs[action->item];
    if (action->verb == doReceive)
        SAY(thread, "%s", CFWatchGetEvents(performance.ports[action->item], kCFWatchReadable) ? "drained" : "was empty");
    if (action->verb != doAskHow) return;
    if (kind == aSource) SAY(thread, "signalled %d", CFRunLoopSourceIsSignalled((CFRunLoopSourceRef)ref));
    if (kind == aTimer) SAY(thread, "next %s", dateText(CFRunLoopTimerGetNextFireDate((CFRunLoopTimerRef)ref)));
}

/// If a timer of this mode is due, waits until the original's timer descriptor reports it. Only then, because pauses add up, and would make
/// later events late.
static void letTimersBeDue(CFRunLoopRef loop) {
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    CFRunLoopMode mode = CFRunLoopCopyCurrentMode(loop);
    bool isDue = false;
    for (int i = 0; i < performance.program->itemCount; i++) {
        if (performance.program->items[i].kind != aTimer) continue;
        CFRunLoopTimerRef timer = (CFRunLoopTimerRef)performance.refs[i];
        isDue |= CFRunLoopContainsTimer(loop, timer, mode) && CFRunLoopTimerGetNextFireDate(timer) <= now;
    }
    CFRelease(mode);
    if (isDue) usleep(300);
}

static void watch(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    int thread = (int)(intptr_t)info;
    SAY(thread, "~ %s", loopActivityName((unsigned)activity));
    if (activity == kCFRunLoopBeforeSources) letTimersBeDue(performance.performers[thread].loop);
}

/// The first call of each callback, but for that which waits for those that act during the sleep.
static void watchLoop(int thread) { performObserve(thread, kCFRunLoopAllActivities, LONG_MIN, watch); }

// MARK: - Rescue

/// Whether the performance has ended, waiting for at most `seconds`.
static bool isOverWithin(Rescuer *rescuer, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - floor(seconds)) * 1e9);
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    int problem = 0;
    pthread_mutex_lock(&rescuer->lock);
    while (!rescuer->isOver && problem != ETIMEDOUT) problem = pthread_cond_timedwait(&rescuer->ended, &rescuer->lock, &until);
    bool isOver = rescuer->isOver;
    pthread_mutex_unlock(&rescuer->lock);
    return isOver;
}

/// Stops a run whose limit is lost, and the runs around it, until the program has ended. In the original that happens when the machine is
/// so busy that an outer run's limit passes during a nested run. [D33]
static void startRescuer(Attempt *attempt, int thread, double unit) {
    enum { longestInUnits = 120, patience = 3 };
    pthread_mutex_init(&attempt->rescuer.lock, NULL);
    pthread_cond_init(&attempt->rescuer.ended, NULL);
    attempt->rescuer.thread = stageStartThread(^{
        performReal = &attempt->real;
        if (isOverWithin(&attempt->rescuer, patience + longestInUnits * unit)) return;
        say("THE PROGRAM HANGS; what follows is stopped");
        do CFRunLoopStop(performance.performers[thread].loop);
        while (!isOverWithin(&attempt->rescuer, 0.02));
    });
}

static void endRescuer(Rescuer *rescuer) {
    pthread_mutex_lock(&rescuer->lock);
    rescuer->isOver = true;
    pthread_cond_signal(&rescuer->ended);
    pthread_mutex_unlock(&rescuer->lock);
    pthread_join(rescuer->thread, NULL);
    pthread_cond_destroy(&rescuer->ended);
    pthread_mutex_destroy(&rescuer->lock);
}

// MARK: - The whole

/// What is soon, or less than a day long, counts in units.
static void scale(LoopProgram *program, double unit) {
    for (int i = 0; i < program->itemCount; i++) {
        LoopItem *item = &program->items[i];
        if (item->isAfterNow) item->first *= unit;
        if (item->interval < 86400) item->interval *= unit;
    }
    for (int i = 0; i < program->actionCount; i++) {
        LoopAction *action = &program->actions[i];
        if (action->verb == doRun || action->isAfterNow) action->seconds *= unit;
    }
}

static void performWhole(const Program *program, double unit) {
    Attempt *attempt = calloc(1, sizeof *attempt);
    attempt->written = &program->loop;
    attempt->program = program->loop;
    attempt->real.table = stage->table;
    attempt->real.context = stage;
    scale(&attempt->program, unit);
    startRescuer(attempt, program->thread, unit);
    performReally(&attempt->program, &attempt->real);
    endRescuer(&attempt->rescuer);
    say("end");
    if (program->thread != mainThreadIndex) free(attempt);
}

static void nameStage(char *title, size_t size, const Program *program) {
    snprintf(title, size, "the program of seed %llu", (unsigned long long)program->seed);
}

void performHere(const Program *program, Side side, double unit) {
    char title[64];
    nameStage(title, sizeof title, program);
    stage = stageMake(side, title);
    stage->log.copyTo = STDOUT_FILENO;
    performWhole(program, unit);
}

static char *inChild(const Program *program, Side side, double unit) {
    char seed[24], actions[mostActions / 4 + 1], seconds[32];
    ActionSet kept = programActions(program);
    actionSetWrite(&kept, actions);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)program->seed);
    snprintf(seconds, sizeof seconds, "%g", unit);
    return childLog((const char *[]){"program", sideName(side), seed, actions, seconds, NULL});
}

char *performOn(const Program *program, Side side, double unit) {
    if (program->thread == mainThreadIndex) return inChild(program, side, unit);
    char title[64];
    nameStage(title, sizeof title, program);
    Stage *where = stageMake(side, title);
    pthread_join(stageStartThreadOn(where, ^{ performWhole(program, unit); }), NULL);
    char *log = stageTakeLog(where);
    stageFree(where);
    return log;
}
