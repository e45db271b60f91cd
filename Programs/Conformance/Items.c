/// Items.c: items that log, contexts that log, and runs that log. See the header. The C tests include it (LoopSupport.c), which makes it theirs.
#if !defined(LOOPSUPPORT_H)
#include "Scenario.h"
#endif
#include "../CRunLoopModel/include/LoopProgram.h"
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

extern void *_Block_copy(const void *block);

// MARK: - Words

const char *Text(CFStringRef string) {
    static _Thread_local char buffers[8][256];
    static _Thread_local int next;
    char *buffer = buffers[next++ % 8];
    if (!string) return "(none)";
    if (!CFStringGetCString(string, buffer, sizeof(buffers[0]), kCFStringEncodingUTF8)) return "(?)";
    return strncmp(buffer, "kCFRunLoop", 10) ? buffer : buffer + 10;
}

const char *About(CFTimeInterval seconds) {
    static _Thread_local char buffer[32];
    if (seconds != seconds) return "nan";
    if (seconds > 1e7) return "very long";
    if (seconds < -1e7) return "very long ago";
    snprintf(buffer, sizeof buffer, "%.1f", floor(seconds * 2 + 0.5) / 2);
    return buffer;
}

static int byText(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

void LogModes(CFRunLoopRef loop) {
    char line[1024] = "modes:";
    CFArrayRef modes = CFRunLoopCopyAllModes(loop);
    CFIndex count = CFArrayGetCount(modes);
    char **names = malloc((size_t)(count + 1) * sizeof(names[0]));
    for (CFIndex i = 0; i < count; i++) names[i] = strdup(Text(CFArrayGetValueAtIndex(modes, i)));
    qsort(names, (size_t)count, sizeof(names[0]), byText);
    for (CFIndex i = 0; i < count; i++) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, " %s", names[i]);
        free(names[i]);
    }
    free(names);
    CFRelease(modes);
    LOG("%s", line);
}

void LogCurrentMode(CFRunLoopRef loop) {
    CFRunLoopMode mode = CFRunLoopCopyCurrentMode(loop);
    LOG("current mode: %s", Text(mode));
    if (mode) CFRelease(mode);
}

// MARK: - Items

static _Atomic(Item *) items;

Item *MakeItem(const char *name, Body body) {
    Item *item = calloc(1, sizeof(*item));
    item->name = name ? strdup(name) : NULL;
    item->body = body ? (Body)_Block_copy((const void *)body) : NULL;
    item->descriptor = -1;
    item->next = atomic_load(&items);
    while (!atomic_compare_exchange_weak(&items, &item->next, item)) {}
    return item;
}

/// The end of every callback in this file.
static void callBody(Item *item) {
    BODY_BEGINS();
    if (item->body) item->body();
    BODY_ENDS();
}

void PerformItem(void *info) {
    Item *item = info;
    LOG("%s", item ? item->name : "(no info)");
    if (item) callBody(item);
}

void FireItem(CFRunLoopTimerRef timer, void *info) { PerformItem(info); }

void NotifyItem(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    Item *item = info;
    if (item->handler) item->handler(activity);
    else LOG("%s", item->name ? item->name : loopActivityName((unsigned)activity));
    callBody(item);
}

/// A descriptor that does not block may have nothing to read.
static void performEvent(void *info) {
    eventfd_read(((Item *)info)->descriptor, &(eventfd_t){0});
    PerformItem(info);
}

static __CFPort getPort(void *info) { return ((Item *)info)->descriptor; }

CFRunLoopSourceRef MakeSource0(const char *name, CFIndex order, Body body) {
    Item *item = MakeItem(name, body);
    CFRunLoopSourceContext context = {.info = item, .perform = PerformItem};
    item->kept = CFRunLoopSourceCreate(NULL, order, &context);
    return (CFRunLoopSourceRef)item->kept;
}

static CFRunLoopSourceRef makeSource1(const char *name, CFIndex order, int descriptor, void (*perform)(void *), Body body) {
    Item *item = MakeItem(name, body);
    item->descriptor = descriptor;
    CFRunLoopSourceContext1 context = {.version = 1, .info = item, .getPort = getPort, .perform = perform};
    item->kept = CFRunLoopSourceCreate(NULL, order, (CFRunLoopSourceContext *)&context);
    return (CFRunLoopSourceRef)item->kept;
}

CFRunLoopSourceRef MakeSource1(const char *name, int descriptor, Body body) { return makeSource1(name, 0, descriptor, PerformItem, body); }

CFRunLoopSourceRef MakeEventSource(const char *name, int eventDescriptor) { return makeSource1(name, 0, eventDescriptor, performEvent, NULL); }

CFRunLoopSourceRef MakePort(const char *name, CFIndex order, Body body) {
    return makeSource1(name, order, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), performEvent, body);
}

void Poke(CFRunLoopSourceRef port) {
    CFRunLoopSourceContext1 context = {.version = 1};
    CFRunLoopSourceGetContext(port, (CFRunLoopSourceContext *)&context);
    if (eventfd_write(((Item *)context.info)->descriptor, 1) < 0) LOG("poke failed");
}

CFRunLoopTimerRef MakeTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body) {
    Item *item = MakeItem(name, body);
    CFRunLoopTimerContext context = {.info = item};
    item->kept = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + delay, interval, 0, 0, FireItem, &context);
    return (CFRunLoopTimerRef)item->kept;
}

static CFRunLoopObserverRef makeObserver(Item *item, CFOptionFlags activities, CFIndex order) {
    CFRunLoopObserverContext context = {.info = item};
    item->kept = CFRunLoopObserverCreate(NULL, activities, true, order, NotifyItem, &context);
    return (CFRunLoopObserverRef)item->kept;
}

CFRunLoopObserverRef MakeObserver(const char *name, CFOptionFlags activities, CFIndex order, Body body) {
    return makeObserver(MakeItem(name, body), activities, order);
}

CFRunLoopObserverRef MakeQuietObserver(CFOptionFlags activities, void (^handler)(CFRunLoopActivity activity)) {
    Item *item = MakeItem(NULL, NULL);
    item->handler = (void (^)(CFRunLoopActivity))_Block_copy((const void *)handler);
    return makeObserver(item, activities, 0);
}

// MARK: - Items in a mode

CFRunLoopSourceRef AddSource0(const char *name, CFIndex order, CFStringRef mode, Body body) {
    CFRunLoopSourceRef source = MakeSource0(name, order, body);
    CFRunLoopAddSource(LOOP, source, mode);
    return source;
}

CFRunLoopSourceRef AddPort(const char *name, CFIndex order, CFStringRef mode, Body body) {
    CFRunLoopSourceRef port = MakePort(name, order, body);
    CFRunLoopAddSource(LOOP, port, mode);
    return port;
}

CFRunLoopTimerRef AddTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, CFStringRef mode, Body body) {
    CFRunLoopTimerRef timer = MakeTimer(name, delay, interval, body);
    CFRunLoopAddTimer(LOOP, timer, mode);
    return timer;
}

CFRunLoopObserverRef AddObserver(const char *name, CFOptionFlags activities, CFIndex order, CFStringRef mode, Body body) {
    CFRunLoopObserverRef observer = MakeObserver(name, activities, order, body);
    CFRunLoopAddObserver(LOOP, observer, mode);
    return observer;
}

void LogActivities(CFStringRef mode) { AddObserver(NULL, kCFRunLoopAllActivities, 0, mode, NULL); }

void KeepAlive(CFRunLoopRef loop, CFStringRef mode) { CFRunLoopAddSource(loop, MakeSource0("kept alive", 0, NULL), mode); }

void SignalAndWake(CFRunLoopSourceRef source, CFRunLoopRef loop) {
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(loop);
}

void QueueBlock(const char *name, CFTypeRef mode, Body body) {
    Item *item = MakeItem(name, body);
    CFRunLoopPerformBlock(LOOP, mode, ^{ PerformItem(item); });
}

// MARK: - Contexts that log

const void *RetainLoudly(const void *info) {
    LOG("retain %s", ((const Item *)info)->name);
    return info;
}

void ReleaseLoudly(const void *info) { LOG("release %s", ((const Item *)info)->name); }

static CFStringRef describeLoudly(const void *info) {
    LOG("copyDescription %s", ((const Item *)info)->name);
    return CFRetain(CFSTR("<loud>"));
}

static void scheduleLoudly(void *info, CFRunLoopRef rl, CFRunLoopMode mode) { LOG("schedule %s %s", ((Item *)info)->name, Text(mode)); }

static void cancelLoudly(void *info, CFRunLoopRef rl, CFRunLoopMode mode) { LOG("cancel %s %s", ((Item *)info)->name, Text(mode)); }

static __CFPort getPortLoudly(void *info) {
    LOG("getPort %s", ((Item *)info)->name);
    return getPort(info);
}

static void performLoudly(void *info) {
    LOG("perform %s", ((Item *)info)->name);
    callBody(info);
}

static void performPortLoudly(void *info) {
    eventfd_read(((Item *)info)->descriptor, &(eventfd_t){0});
    performLoudly(info);
}

static void fireLoudly(CFRunLoopTimerRef timer, void *info) { performLoudly(info); }

static void notifyLoudly(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { performLoudly(info); }

CFRunLoopSourceContext1 LoudContext1(const char *name, int descriptor, Body body) {
    Item *item = MakeItem(name, body);
    item->descriptor = descriptor;
    return (CFRunLoopSourceContext1){.version = 1, .info = item, .retain = RetainLoudly, .release = ReleaseLoudly,
                                     .copyDescription = describeLoudly, .getPort = getPortLoudly, .perform = performLoudly};
}

CFRunLoopSourceRef MakeLoudSource0(const char *name, Body body) {
    CFRunLoopSourceContext context = {.info = MakeItem(name, body), .retain = RetainLoudly, .release = ReleaseLoudly,
                                      .copyDescription = describeLoudly, .schedule = scheduleLoudly, .cancel = cancelLoudly,
                                      .perform = performLoudly};
    return CFRunLoopSourceCreate(NULL, 0, &context);
}

CFRunLoopSourceRef MakeLoudPort(const char *name, Body body) {
    CFRunLoopSourceContext1 context = LoudContext1(name, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), body);
    context.perform = performPortLoudly;
    return CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
}

CFRunLoopTimerRef MakeLoudTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body) {
    CFRunLoopTimerContext context = {0, MakeItem(name, body), RetainLoudly, ReleaseLoudly, describeLoudly};
    return CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + delay, interval, 0, 0, fireLoudly, &context);
}

CFRunLoopObserverRef MakeLoudObserver(const char *name, CFOptionFlags activities, Boolean repeats, Body body) {
    CFRunLoopObserverContext context = {0, MakeItem(name, body), RetainLoudly, ReleaseLoudly, describeLoudly};
    return CFRunLoopObserverCreate(NULL, activities, repeats, 0, notifyLoudly, &context);
}

// MARK: - Runs

SInt32 Run(CFStringRef mode, CFTimeInterval seconds, Boolean once) {
    RUN_BEGINS();
    SInt32 result = CFRunLoopRunInMode(mode, seconds, once);
    BODY_ENDS();
    LOG("%s", loopResultName(result));
    return result;
}

void OnNewThread(Body body) { JoinThread(StartThread(body)); }
