/// LoopSupport.c: items that log, runs that log, and threads with loops. See the header.
#include "LoopSupport.h"
#include "Checker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

bool ChecksLoops = true;

static void checkCurrentLoop(void) {
    if (ChecksLoops) CheckLoop(CFRunLoopGetCurrent());
}

// MARK: - Names

const char *Text(CFStringRef string) {
    static _Thread_local char buffers[8][256];
    static _Thread_local int next;
    char *buffer = buffers[next++ % 8];
    if (!string) return "(none)";
    if (!CFStringGetCString(string, buffer, sizeof(buffers[0]), kCFStringEncodingUTF8)) return "(?)";
    return strncmp(buffer, "kCFRunLoop", 10) ? buffer : buffer + 10;
}

char *TakeText(CFStringRef string) {
    CFIndex size = CFStringGetMaximumSizeForEncoding(CFStringGetLength(string), kCFStringEncodingUTF8) + 1;
    char *text = malloc((size_t)size);
    CHECK(CFStringGetCString(string, text, size, kCFStringEncodingUTF8));
    CFRelease(string);
    return text;
}

char *DescriptionOf(CFTypeRef object) { return TakeText(CFCopyDescription(object)); }

bool DescriptionHas(CFTypeRef object, const char *text) {
    char *description = DescriptionOf(object);
    bool isThere = strstr(description, text) != NULL;
    free(description);
    return isThere;
}

const char *ActivityName(CFRunLoopActivity activity) {
    switch (activity) {
    case kCFRunLoopEntry: return "Entry";
    case kCFRunLoopBeforeTimers: return "BeforeTimers";
    case kCFRunLoopBeforeSources: return "BeforeSources";
    case kCFRunLoopBeforeWaiting: return "BeforeWaiting";
    case kCFRunLoopAfterWaiting: return "AfterWaiting";
    case kCFRunLoopExit: return "Exit";
    default: return "(no activity)";
    }
}

const char *ResultName(SInt32 result) {
    static const char *const names[] = {"(no result)", "Finished", "Stopped", "TimedOut", "HandledSource"};
    return result >= 0 && result <= 4 ? names[result] : "(no result)";
}

CFRunLoopModeRef ModeNamed(CFRunLoopRef loop, CFStringRef name) {
    __CFRunLoopLock(loop);
    CFRunLoopModeRef mode = __CFRunLoopFindMode(loop, name, false);
    if (mode) __CFRunLoopModeUnlock(mode);
    __CFRunLoopUnlock(loop);
    if (!mode) FAIL("the loop has no mode %s", Text(name));
    return mode;
}

static int byText(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

void LogModes(CFRunLoopRef loop) {
    char line[1024] = "modes:";
    CFArrayRef modes = CFRunLoopCopyAllModes(loop);
    size_t count = (size_t)CFArrayGetCount(modes);
    char *names[64];
    CHECK_LE((long long)count, 64);
    for (size_t i = 0; i < count; i++) names[i] = strdup(Text(CFArrayGetValueAtIndex(modes, (CFIndex)i)));
    qsort(names, count, sizeof(names[0]), byText);
    for (size_t i = 0; i < count; i++) {
        strcat(strcat(line, " "), names[i]);
        free(names[i]);
    }
    CFRelease(modes);
    LOG("%s", line);
}

// MARK: - Items

/// The object behind the info pointer of an item. All of these objects are on one list, so that a leak checker finds them.
typedef struct Item {
    const char *name;
    Body body;
    void (^handler)(CFRunLoopActivity activity);
    int descriptor;
    CFTypeRef kept;
    struct Item *next;
} Item;

static _Atomic(Item *) items;

static Item *makeItem(const char *name, Body body) {
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
    checkCurrentLoop();
    if (!item->body) return;
    item->body();
    checkCurrentLoop();
}

static void performQuietly(void *info) {
    LOG("%s", ((Item *)info)->name);
    callBody(info);
}

static void fireQuietly(CFRunLoopTimerRef timer, void *info) { performQuietly(info); }

static void observeQuietly(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    Item *item = info;
    if (item->handler) item->handler(activity);
    else LOG("%s", item->name ? item->name : ActivityName(activity));
    callBody(item);
}

static __CFPort getPortQuietly(void *info) { return ((Item *)info)->descriptor; }

CFRunLoopSourceRef MakeSource0(const char *name, CFIndex order, Body body) {
    Item *item = makeItem(name, body);
    CFRunLoopSourceContext context = {.info = item, .perform = performQuietly};
    item->kept = CFRunLoopSourceCreate(NULL, order, &context);
    return (CFRunLoopSourceRef)item->kept;
}

CFRunLoopSourceRef MakeSource1(const char *name, int descriptor, Body body) {
    Item *item = makeItem(name, body);
    item->descriptor = descriptor;
    CFRunLoopSourceContext1 context = {.version = 1, .info = item, .getPort = getPortQuietly, .perform = performQuietly};
    item->kept = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    return (CFRunLoopSourceRef)item->kept;
}

CFRunLoopSourceRef MakeEventSource(const char *name, int eventDescriptor) {
    return MakeSource1(name, eventDescriptor, ^{ eventfd_read(eventDescriptor, &(eventfd_t){0}); });
}

CFRunLoopTimerRef MakeTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, Body body) {
    Item *item = makeItem(name, body);
    CFRunLoopTimerContext context = {.info = item};
    item->kept = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + delay, interval, 0, 0, fireQuietly, &context);
    return (CFRunLoopTimerRef)item->kept;
}

static CFRunLoopObserverRef makeObserver(Item *item, CFOptionFlags activities, CFIndex order) {
    CFRunLoopObserverContext context = {.info = item};
    item->kept = CFRunLoopObserverCreate(NULL, activities, true, order, observeQuietly, &context);
    return (CFRunLoopObserverRef)item->kept;
}

CFRunLoopObserverRef MakeObserver(const char *name, CFOptionFlags activities, CFIndex order, Body body) {
    return makeObserver(makeItem(name, body), activities, order);
}

CFRunLoopObserverRef MakeQuietObserver(CFOptionFlags activities, void (^handler)(CFRunLoopActivity activity)) {
    Item *item = makeItem(NULL, NULL);
    item->handler = (void (^)(CFRunLoopActivity))_Block_copy((const void *)handler);
    return makeObserver(item, activities, 0);
}

void LogActivities(CFStringRef mode) {
    CFRunLoopAddObserver(LOOP, MakeObserver(NULL, kCFRunLoopAllActivities, 0, NULL), mode);
}

CFRunLoopSourceRef AddSource0(const char *name, CFIndex order, CFStringRef mode, Body body) {
    CFRunLoopSourceRef source = MakeSource0(name, order, body);
    CFRunLoopAddSource(LOOP, source, mode);
    return source;
}

CFRunLoopTimerRef AddTimer(const char *name, CFTimeInterval delay, CFTimeInterval interval, CFStringRef mode, Body body) {
    CFRunLoopTimerRef timer = MakeTimer(name, delay, interval, body);
    CFRunLoopAddTimer(LOOP, timer, mode);
    return timer;
}

void LogWakeUps(CFStringRef mode) {
    CFRunLoopAddObserver(LOOP, MakeObserver("woken", kCFRunLoopAfterWaiting, 0, NULL), mode);
}

void KeepAlive(CFRunLoopRef loop, CFStringRef mode) {
    CFRunLoopAddSource(loop, MakeSource0("kept alive", 0, NULL), mode);
}

void SignalAndWake(CFRunLoopSourceRef source, CFRunLoopRef loop) {
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(loop);
}

// MARK: - Contexts that log

static const void *loudRetain(const void *info) {
    LOG("retain %s", ((const Item *)info)->name);
    return info;
}

static void loudRelease(const void *info) { LOG("release %s", ((const Item *)info)->name); }

static void loudSchedule(void *info, CFRunLoopRef rl, CFRunLoopMode mode) { LOG("schedule %s %s", ((Item *)info)->name, Text(mode)); }

static void loudCancel(void *info, CFRunLoopRef rl, CFRunLoopMode mode) { LOG("cancel %s %s", ((Item *)info)->name, Text(mode)); }

static __CFPort loudGetPort(void *info) {
    LOG("getPort %s", ((Item *)info)->name);
    return ((Item *)info)->descriptor;
}

static void loudPerform(void *info) {
    LOG("perform %s", ((Item *)info)->name);
    callBody(info);
}

static void loudNotify(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { loudPerform(info); }

CFRunLoopSourceContext1 LoudContext1(const char *name, int descriptor, Body body) {
    Item *item = makeItem(name, body);
    item->descriptor = descriptor;
    return (CFRunLoopSourceContext1){.version = 1, .info = item, .retain = loudRetain, .release = loudRelease,
                                     .getPort = loudGetPort, .perform = loudPerform};
}

CFRunLoopSourceRef MakeLoudSource0(const char *name, Body body) {
    CFRunLoopSourceContext context = {.info = makeItem(name, body), .retain = loudRetain, .release = loudRelease,
                                      .schedule = loudSchedule, .cancel = loudCancel, .perform = loudPerform};
    return CFRunLoopSourceCreate(NULL, 0, &context);
}

CFRunLoopObserverRef MakeLoudObserver(const char *name, CFOptionFlags activities, Boolean repeats, Body body) {
    CFRunLoopObserverContext context = {.info = makeItem(name, body), .retain = loudRetain, .release = loudRelease};
    return CFRunLoopObserverCreate(NULL, activities, repeats, 0, loudNotify, &context);
}

// MARK: - Runs and threads

extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

void IgnoreLeaksBegin(void) {
    if (__lsan_disable) __lsan_disable();
}

void IgnoreLeaksEnd(void) {
    if (__lsan_enable) __lsan_enable();
}

char ThreadState(pid_t thread) {
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "re");
    if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '?';
    if (file) fclose(file);
    return state;
}

SInt32 Run(CFStringRef mode, CFTimeInterval seconds, Boolean once) {
    checkCurrentLoop();
    SInt32 result = CFRunLoopRunInMode(mode, seconds, once);
    LOG("%s", ResultName(result));
    checkCurrentLoop();
    return result;
}

SInt32 RunAndWhenAsleep(CFStringRef mode, CFTimeInterval seconds, Boolean once, Body body) {
    CFRunLoopRef loop = LOOP;
    pthread_t thread = StartThread(^{
        WaitUntilAsleep(loop);
        body();
    });
    SInt32 result = Run(mode, seconds, once);
    JoinThread(thread);
    return result;
}

static void *threadBody(void *body) {
    ((Body)body)();
    _Block_release(body);
    return NULL;
}

pthread_t StartThread(Body body) {
    pthread_t thread;
    int error = pthread_create(&thread, NULL, threadBody, _Block_copy((const void *)body));
    if (error) FAIL("no thread: %s", strerror(error));
    return thread;
}

void JoinThread(pthread_t thread) { CHECK_EQ_INT(pthread_join(thread, NULL), 0); }

void OnNewThread(Body body) { JoinThread(StartThread(body)); }

void OnNewThreadWithStack(size_t size, void *stack, Body body) {
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK_EQ_INT(pthread_attr_init(&attributes), 0);
    CHECK_EQ_INT(stack ? pthread_attr_setstack(&attributes, stack, size) : pthread_attr_setstacksize(&attributes, size), 0);
    CHECK_EQ_INT(pthread_create(&thread, &attributes, threadBody, _Block_copy((const void *)body)), 0);
    JoinThread(thread);
    pthread_attr_destroy(&attributes);
}

/// A stop from outside could come between two runs and be lost. So a block ends the thread, because a block waits for a run.
LoopThread *StartLoopThread(CFStringRef mode, Body setUp) {
    LoopThread *made = calloc(1, sizeof(*made));
    _Atomic(Boolean) isUp = false, *up = &isUp;
    made->mode = mode;
    made->thread = StartThread(^{
        made->loop = (CFRunLoopRef)CFRetain(CFRunLoopGetCurrent());
        KeepAlive(made->loop, mode);
        if (setUp) setUp();
        CFRunLoopPerformBlock(made->loop, mode, ^{ atomic_store(up, true); });
        while (!made->ends) CFRunLoopRunInMode(mode, 1e10, false);
    });
    CHECK(WAIT_UNTIL(atomic_load(up), 10));
    return made;
}

void EndLoopThread(LoopThread *thread) {
    CFRunLoopPerformBlock(thread->loop, thread->mode, ^{
        thread->ends = true;
        CFRunLoopStop(CFRunLoopGetCurrent());
    });
    CFRunLoopWakeUp(thread->loop);
    JoinThread(thread->thread);
    CFRelease(thread->loop);
    free(thread);
}

void WaitUntilAsleep(CFRunLoopRef loop) { CHECK(WAIT_UNTIL(CFRunLoopIsWaiting(loop), 10)); }

void OnLoop(CFRunLoopRef loop, CFStringRef mode, Body body) {
    _Atomic(Boolean) isDone = false, *done = &isDone;
    CFRunLoopPerformBlock(loop, mode, ^{
        body();
        atomic_store(done, true);
    });
    CFRunLoopWakeUp(loop);
    CHECK(WAIT_UNTIL(atomic_load(done), 10));
}
