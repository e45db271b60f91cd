/// contexts: when the callbacks of an item's context are called, and with which arguments, from its creation to its last release.
#include "../Scenario.h"

/// What items of one kind are for this scenario.
typedef struct {
    const char *name;
    CFTypeRef (*make)(const char *name, Body body);
    void (*add)(CFTypeRef item, CFRunLoopMode mode);
    void (*remove)(CFTypeRef item, CFRunLoopMode mode);
    Boolean (*isIn)(CFTypeRef item, CFRunLoopMode mode);
    void (*invalidate)(CFTypeRef item);
    void (*sayContext)(CFTypeRef item);
    void (*makeDue)(CFTypeRef item); // so that a run in A calls it
} Kind;

#define FUNCTIONS(kind)                                                                                                             \
    static void put##kind(CFTypeRef item, CFRunLoopMode mode) { CFRunLoopAdd##kind(LOOP, (CFRunLoop##kind##Ref)item, mode); }       \
    static void remove##kind(CFTypeRef item, CFRunLoopMode mode) { CFRunLoopRemove##kind(LOOP, (CFRunLoop##kind##Ref)item, mode); } \
    static Boolean is##kind##In(CFTypeRef item, CFRunLoopMode mode) {                                                               \
        return CFRunLoopContains##kind(LOOP, (CFRunLoop##kind##Ref)item, mode);                                                     \
    }                                                                                                                               \
    static void invalidate##kind(CFTypeRef item) { CFRunLoop##kind##Invalidate((CFRunLoop##kind##Ref)item); }

FUNCTIONS(Source)
FUNCTIONS(Timer)
FUNCTIONS(Observer)

static void sayInfo(CFIndex version, const Item *info) { LOG("version %ld, info %s", (long)version, info ? info->name : "(none)"); }

static void sayContext0(CFTypeRef item) {
    CFRunLoopSourceContext context = {.version = 0};
    CFRunLoopSourceGetContext((CFRunLoopSourceRef)item, &context);
    sayInfo(context.version, context.info);
}

static void sayContext1(CFTypeRef item) {
    CFRunLoopSourceContext1 context = {.version = 1};
    CFRunLoopSourceGetContext((CFRunLoopSourceRef)item, (CFRunLoopSourceContext *)&context);
    sayInfo(context.version, context.info);
}

static void sayTimerContext(CFTypeRef item) {
    CFRunLoopTimerContext context = {.version = 0};
    CFRunLoopTimerGetContext((CFRunLoopTimerRef)item, &context);
    sayInfo(context.version, context.info);
}

static void sayObserverContext(CFTypeRef item) {
    CFRunLoopObserverContext context = {.version = 0};
    CFRunLoopObserverGetContext((CFRunLoopObserverRef)item, &context);
    sayInfo(context.version, context.info);
}

static CFTypeRef makeSource0(const char *name, Body body) { return MakeLoudSource0(name, body); }
static CFTypeRef makeSource1(const char *name, Body body) { return MakeLoudPort(name, body); }
static CFTypeRef makeTimer(const char *name, Body body) { return MakeLoudTimer(name, 3600, 3600, body); }

static CFTypeRef makeObserver(const char *name, Body body) { return MakeLoudObserver(name, kCFRunLoopEntry, true, body); }

static void signalIt(CFTypeRef item) { CFRunLoopSourceSignal((CFRunLoopSourceRef)item); }
static void pokeIt(CFTypeRef item) { Poke((CFRunLoopSourceRef)item); }
static void setToThePast(CFTypeRef item) { CFRunLoopTimerSetNextFireDate((CFRunLoopTimerRef)item, CFAbsoluteTimeGetCurrent() - 1); }
static void doNothing(CFTypeRef item) {}

static const Kind kinds[] = {
    {"source 0", makeSource0, putSource, removeSource, isSourceIn, invalidateSource, sayContext0, signalIt},
    {"source 1", makeSource1, putSource, removeSource, isSourceIn, invalidateSource, sayContext1, pokeIt},
    {"timer", makeTimer, putTimer, removeTimer, isTimerIn, invalidateTimer, sayTimerContext, setToThePast},
    {"observer", makeObserver, putObserver, removeObserver, isObserverIn, invalidateObserver, sayObserverContext, doNothing},
};

static void live(const Kind *kind) {
    PART(kind->name);
    OnNewThread(^{
        AddSource0("keeps A from being empty", 0, A, NULL);
        CFTypeRef item = kind->make("item", NULL);
        kind->sayContext(item);
        PART("add to A, again, to B");
        kind->add(item, A);
        kind->add(item, A);
        kind->add(item, B);
        PART("remove from B, again");
        kind->remove(item, B);
        kind->remove(item, B);
        PART("called");
        kind->makeDue(item);
        Run(A, 0.1, true);
        PART("invalidate, again");
        kind->invalidate(item);
        kind->invalidate(item);
        kind->sayContext(item);
        PART("add an invalid one");
        kind->add(item, A);
        kind->add(item, COMMON);
        LOG("contained %d %d", kind->isIn(item, A), kind->isIn(item, COMMON));
        PART("last release");
        CFRelease(item);
        PART("last release of a valid one");
        CFRelease(kind->make("valid", NULL));

        PART("invalidated and released while it is called");
        __block CFTypeRef going;
        going = kind->make("going", ^{
            kind->invalidate(going);
            kind->sayContext(going);
            LOG("invalidated");
            CFRelease(going);
            LOG("released");
        });
        kind->add(going, A);
        kind->makeDue(going);
        Run(A, 0.1, true);

        PART("left in a mode");
        CFTypeRef left = kind->make("left", NULL);
        kind->add(left, A);
        CFRelease(left);
        PART("thread ends");
    });
    PART("thread has ended");
}

static CFRunLoopTimerRef firing;

static void sayReleased(const void *info) {
    static char text[1000];
    CFStringRef description = CFCopyDescription(firing);
    CFStringGetCString(description, text, sizeof text, kCFStringEncodingUTF8);
    CFRelease(description);
    LOG("release: firing %d, with a new date %d", strstr(text, "firing = Yes") != NULL, CFRunLoopTimerGetNextFireDate(firing) > CFAbsoluteTimeGetCurrent());
}

SCENARIO(contexts, onThreads, 0xafe9ec1c) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) live(&kinds[i]);
    PART("a one-shot timer fires, and an observer is called once");
    OnNewThread(^{
        CFRunLoopTimerRef timer = MakeLoudTimer("timer", -1, 0, NULL);
        CFRunLoopObserverRef observer = MakeLoudObserver("observer", kCFRunLoopAllActivities, false, NULL);
        CFRunLoopAddTimer(LOOP, timer, A);
        CFRunLoopAddObserver(LOOP, observer, A);
        Run(A, 0.2, false);
        LOG("valid %d %d", CFRunLoopTimerIsValid(timer), CFRunLoopObserverIsValid(observer));
        PART("last releases");
        CFRelease(timer);
        CFRelease(observer);
    });
    PART("after the call, the info is released, and then the timer is not firing any more and gets its next date");
    OnNewThread(^{
        CFRunLoopTimerContext context = {.info = MakeItem("timer", NULL), .retain = RetainLoudly, .release = sayReleased};
        firing = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() - 1, 3600, 0, 0, FireItem, &context);
        CFRunLoopAddTimer(LOOP, firing, A);
        Run(A, 0, false);
        LOG("with a new date %d", CFRunLoopTimerGetNextFireDate(firing) > CFAbsoluteTimeGetCurrent());
        CFRunLoopTimerInvalidate(firing);
        CFRelease(firing);
    });
    PART("a signal retains nothing: the last release is that of a signalled source that has left its modes");
    OnNewThread(^{
        CFRunLoopSourceRef source = MakeLoudSource0("source", NULL);
        CFRunLoopAddSource(LOOP, source, A);
        CFRunLoopAddSource(LOOP, source, COMMON);
        CFRunLoopSourceSignal(source);
        CFRunLoopRemoveSource(LOOP, source, A);
        CFRunLoopRemoveSource(LOOP, source, COMMON);
        CFRelease(source);
        PART("thread ends");
    });
}
