/// Scenario.h: what the scenarios share: functions that log, and items that log their callbacks.
///
/// A scenario is performed twice, on the original's run loop and on ours (Stage.h), and must log the same both times. So a line never
/// contains an address, a clock time or anything else in which two right results may differ. Lines are indented by the number of callbacks
/// around them.
///
/// Each file has one scenario and begins with its subject. The text is that of an ordinary program: macros turn the names of CoreFoundation
/// into members of the current table (CFRunLoopTableNames.h). A scenario must initialize its variables at the beginning, since both performances are
/// in one process.
#if !defined(SCENARIO_H)
#define SCENARIO_H 1

#include "LoopProgram.h"
#include "Stage.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// Not in every include path.
extern void *_Block_copy(const void *block);

#undef CFSTR
#define CFSTR(text) stageString(text)
#define TABLE (stage->table)
#include "CFRunLoopTableNames.h"

#define A CFSTR("A")
#define B CFSTR("B")
#define C CFSTR("C")
#define COMMON kCFRunLoopCommonModes
#define DEFAULT kCFRunLoopDefaultMode
#define LOOP CFRunLoopGetCurrent()
#define UNUSED __attribute__((unused))

/// Where a scenario is performed.
typedef enum {
    onThreads,    // on a new thread of this process
    onMainThread, // on the main thread of another process
} Place;

typedef struct Scenario {
    const char *name;
    Place place;
    void (*body)(void);
} Scenario;

/// Called before main, once for each scenario (Scenarios.c).
void registerScenario(const Scenario *scenario);

/// Defines the scenario of this file.
#define SCENARIO(name, place)                                                \
    static void scenario(void);                                              \
    __attribute__((constructor)) static void registerThisScenario(void) {    \
        static const Scenario described = {name, place, scenario};           \
        registerScenario(&described);                                        \
    }                                                                        \
    static void scenario(void)

typedef void (^Body)(void);
typedef void (^ObserverBody)(CFRunLoopActivity activity);

// MARK: - Words

/// Begins a numbered part of the scenario's log.
UNUSED static void part(const char *title) { say("-- %s", title); }

/// The string as a C string; valid until the thread has asked for eight more.
UNUSED static const char *text(CFStringRef string) {
    static _Thread_local char buffers[8][256];
    static _Thread_local int next;
    char *buffer = buffers[next++ % 8];
    if (!string) return "(none)";
    if (!CFStringGetCString(string, buffer, 256, kCFStringEncodingUTF8)) return "(?)";
    return strncmp(buffer, "kCFRunLoop", 10) ? buffer : buffer + 10;
}

UNUSED static int byText(const void *left, const void *right) { return strcmp(*(char **)left, *(char **)right); }

/// Prints the names of all modes of a loop, sorted: the original keeps them in a hash table.
UNUSED static void sayModes(CFRunLoopRef loop) {
    char line[512] = "modes:";
    CFArrayRef modes = CFRunLoopCopyAllModes(loop);
    CFIndex count = CFArrayGetCount(modes);
    char *names[count + 1];
    for (CFIndex i = 0; i < count; i++) names[i] = strdup(text(CFArrayGetValueAtIndex(modes, i)));
    qsort(names, count, sizeof names[0], byText);
    for (CFIndex i = 0; i < count; i++) {
        strcat(strcat(line, " "), names[i]);
        free(names[i]);
    }
    CFRelease(modes);
    say("%s", line);
}

/// Prints the mode that a loop runs in.
UNUSED static void sayCurrentMode(CFRunLoopRef loop) {
    CFRunLoopMode mode = CFRunLoopCopyCurrentMode(loop);
    say("current mode: %s", text(mode));
    if (mode) CFRelease(mode);
}

/// A time span in half seconds, so that it does not depend on the machine's speed.
UNUSED static const char *about(CFTimeInterval seconds) {
    static _Thread_local char buffer[32];
    if (seconds != seconds) return "nan";
    if (seconds > 1e7) return "very long";
    if (seconds < -1e7) return "very long ago";
    snprintf(buffer, sizeof buffer, "%.1f", floor(seconds * 2 + 0.5) / 2);
    return buffer;
}

/// Runs the current thread's loop in `mode` and prints the result. It waits a little first: a timer whose date has passed is due at once,
/// but the original's timer descriptor reports it only after a moment, and a run with a limit of 0 would sometimes miss it.
UNUSED static SInt32 run(CFRunLoopMode mode, CFTimeInterval seconds, Boolean returnAfterSourceHandled) {
    say("run %s%s", text(mode), returnAfterSourceHandled ? ", one source" : "");
    stageDepth++;
    usleep(2000);
    SInt32 result = CFRunLoopRunInMode(mode, seconds, returnAfterSourceHandled);
    stageDepth--;
    say("result %s", loopResultName(result));
    return result;
}

// MARK: - Items that log

/// The object behind an item's info pointer. It is never freed, because the programs are short.
typedef struct {
    const char *name;
    void *body;        // a block, or NULL
    int loud;          // whether retain, release, equal and hash are logged, too
    int descriptor;    // the descriptor of a version 1 source
} Item;

UNUSED static Item *makeItem(const char *name, const void *body) {
    Item *item = calloc(1, sizeof *item);
    item->name = name;
    item->body = body ? _Block_copy(body) : NULL;
    item->descriptor = -1;
    return item;
}

UNUSED static void callBody(void *info) {
    Item *item = info;
    stageDepth++;
    if (item->body) ((Body)item->body)();
    stageDepth--;
}

UNUSED static void performSource(void *info) {
    say("source %s", ((Item *)info)->name);
    callBody(info);
}

/// The original's loop reads a version 1 source's eight bytes itself; ours leaves them to the source. So the source reads, and it is no
/// error if there is nothing to read.
UNUSED static void performPort(void *info) {
    uint64_t count;
    if (read(((Item *)info)->descriptor, &count, sizeof count) < 0) count = 0;
    performSource(info);
}

UNUSED static __CFPort portOf(void *info) { return ((Item *)info)->descriptor; }

UNUSED static void performTimer(CFRunLoopTimerRef timer, void *info) {
    say("timer %s", info ? ((Item *)info)->name : "(no info)");
    if (info) callBody(info);
}

UNUSED static void performObserver(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    Item *item = info;
    say("%s %s", item->name, loopActivityName((unsigned)activity));
    stageDepth++;
    if (item->body) ((ObserverBody)item->body)(activity);
    stageDepth--;
}

UNUSED static CFRunLoopSourceRef source(const char *name, CFIndex order, Body body) {
    CFRunLoopSourceContext context = {.info = makeItem(name, body), .perform = performSource};
    return CFRunLoopSourceCreate(NULL, order, &context);
}

/// A version 1 source on its own eventfd; `poke` makes it ready.
UNUSED static CFRunLoopSourceRef portSource(const char *name, CFIndex order, Body body) {
    Item *item = makeItem(name, body);
    item->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceContext1 context = {.version = 1, .info = item, .getPort = portOf, .perform = performPort};
    return CFRunLoopSourceCreate(NULL, order, (CFRunLoopSourceContext *)&context);
}

UNUSED static void poke(CFRunLoopSourceRef source) {
    CFRunLoopSourceContext1 context = {.version = 1};
    CFRunLoopSourceGetContext(source, (CFRunLoopSourceContext *)&context);
    uint64_t one = 1;
    if (write(((Item *)context.info)->descriptor, &one, sizeof one) < 0) say("poke failed");
}

/// A timer that is due `delay` seconds from now.
UNUSED static CFRunLoopTimerRef timer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body) {
    CFRunLoopTimerContext context = {.info = makeItem(name, body)};
    return CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + delay, interval, 0, 0, performTimer, &context);
}

UNUSED static CFRunLoopObserverRef observer(const char *name, CFOptionFlags activities, Boolean repeats, CFIndex order, ObserverBody body) {
    CFRunLoopObserverContext context = {.info = makeItem(name, body)};
    return CFRunLoopObserverCreate(NULL, activities, repeats, order, performObserver, &context);
}

// MARK: - Short forms

UNUSED static CFRunLoopSourceRef addSource(CFRunLoopMode mode, const char *name, CFIndex order, Body body) {
    CFRunLoopSourceRef made = source(name, order, body);
    CFRunLoopAddSource(LOOP, made, mode);
    return made;
}

UNUSED static CFRunLoopSourceRef addPort(CFRunLoopMode mode, const char *name, CFIndex order, Body body) {
    CFRunLoopSourceRef made = portSource(name, order, body);
    CFRunLoopAddSource(LOOP, made, mode);
    return made;
}

UNUSED static CFRunLoopTimerRef addTimer(CFRunLoopMode mode, const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body) {
    CFRunLoopTimerRef made = timer(name, delay, interval, body);
    CFRunLoopAddTimer(LOOP, made, mode);
    return made;
}

UNUSED static CFRunLoopObserverRef addObserver(CFRunLoopMode mode, const char *name, CFOptionFlags activities, CFIndex order, ObserverBody body) {
    CFRunLoopObserverRef made = observer(name, activities, true, order, body);
    CFRunLoopAddObserver(LOOP, made, mode);
    return made;
}

/// Logs every activity in `mode`, before all other observers.
UNUSED static CFRunLoopObserverRef watch(CFRunLoopMode mode) {
    return addObserver(mode, "~", kCFRunLoopAllActivities, -1000000, NULL);
}

UNUSED static void perform(CFTypeRef mode, const char *name, Body body) {
    Body copy = body ? (Body)_Block_copy((const void *)body) : NULL;
    CFRunLoopPerformBlock(LOOP, mode, ^{
        say("block %s", name);
        stageDepth++;
        if (copy) copy();
        stageDepth--;
    });
}

/// Starts a thread of this performance. The block is copied.
///
/// The pause at the end is for the original: its dispatch source for a run's limit retains the loop until it has been cancelled on another
/// thread, so the loop's items would sometimes be released after the thread's end. [D31]
UNUSED static pthread_t startThread(Body body) {
    return stageStartThread(^{
        body();
        usleep(30000);
    });
}

/// Runs `body` on a new thread and waits for the thread's end. A new thread's loop is empty and does not serve the main queue.
UNUSED static void onThread(Body body) { pthread_join(startThread(body), NULL); }

// MARK: - Loud contexts: every callback of a context logs

UNUSED static const void *loudRetain(const void *info) { say("retain %s", ((Item *)info)->name); return info; }
UNUSED static void loudRelease(const void *info) { say("release %s", ((Item *)info)->name); }
UNUSED static CFStringRef loudDescription(const void *info) { say("copyDescription %s", ((Item *)info)->name); return CFRetain(CFSTR("<loud>")); }
UNUSED static void loudSchedule(void *info, CFRunLoopRef loop, CFRunLoopMode mode) { say("schedule %s %s", ((Item *)info)->name, text(mode)); }
UNUSED static void loudCancel(void *info, CFRunLoopRef loop, CFRunLoopMode mode) { say("cancel %s %s", ((Item *)info)->name, text(mode)); }

UNUSED static CFRunLoopSourceRef loudSource(const char *name, Body body) {
    CFRunLoopSourceContext context = {0, makeItem(name, body), loudRetain, loudRelease, loudDescription, NULL, NULL,
                                      loudSchedule, loudCancel, performSource};
    return CFRunLoopSourceCreate(NULL, 0, &context);
}

UNUSED static __CFPort loudPortOf(void *info) { say("getPort %s", ((Item *)info)->name); return portOf(info); }

UNUSED static CFRunLoopSourceRef loudPort(const char *name, Body body) {
    Item *item = makeItem(name, body);
    item->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceContext1 context = {1, item, loudRetain, loudRelease, loudDescription, NULL, NULL, loudPortOf, performPort};
    return CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
}

UNUSED static CFRunLoopTimerRef loudTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body) {
    CFRunLoopTimerContext context = {0, makeItem(name, body), loudRetain, loudRelease, loudDescription};
    return CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + delay, interval, 0, 0, performTimer, &context);
}

UNUSED static CFRunLoopObserverRef loudObserver(const char *name, CFOptionFlags activities, Boolean repeats, ObserverBody body) {
    CFRunLoopObserverContext context = {0, makeItem(name, body), loudRetain, loudRelease, loudDescription};
    return CFRunLoopObserverCreate(NULL, activities, repeats, 0, performObserver, &context);
}

#endif
