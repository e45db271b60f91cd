/// OnPurpose.c: the scenario on_purpose, the differences in sections 1 and 7 of differences.md that no program of Programs/Cases shows. Each part
/// states what the original does and what ours does. The two logs are the same if each loop does what is stated for it, so this notices a difference
/// that disappears as well as one that changes. It needs both loops, so it is not among those that the C tests perform.
///
/// Differences that two logs cannot show. differences.md names the test that shows each for ours alone:
///
/// D4: the original deadlocks.
/// D7: the original traps.
/// D8: the result is the same, and only the time that it takes differs.
/// D15: the original calls itself until its stack ends.
/// D23: unlocking a mutex that is not held is undefined.
/// D24: a data race shows in some runs only.
/// D31: the original's loop outlives its thread in some runs only.
/// D32: it takes 104 days.
/// D71: the original's headers declare no such function.
#include "Scenario.h"
#include <stdatomic.h>

static void onPurpose(const char *id, const char *result, const char *there, const char *here) {
    const char *expected = stage->side == original ? there : here;
    if (strcmp(result, expected)) LOG("%s: %s (expected: %s)", id, result, expected);
    else LOG("%s: as in differences.md", id);
}

static const char *yesOrNo(bool condition) { return condition ? "yes" : "no"; }

static bool becomesTrue(atomic_bool *flag, int milliseconds) {
    for (int i = 0; i < milliseconds && !*flag; i++) usleep(1000);
    return *flag;
}

// MARK: - Locks and callbacks

/// Whether another thread can use a loop while the loop calls `schedule`.
typedef struct {
    atomic_bool isThrough;
    bool wasThrough;
    pthread_t other;
} Through;

static void scheduleBeside(void *info, CFRunLoopRef loop, CFRunLoopMode mode) {
    Through *through = info;
    through->other = stageStartThread(^{
        CFRelease(CFRunLoopCopyAllModes(loop));
        through->isThrough = true;
    });
    through->wasThrough = becomesTrue(&through->isThrough, 100);
}

static void callbacksUnlocked(void) {
    PART("D10: another thread uses the loop during a schedule callback for the common modes");
    OnNewThread(^{
        Through through = {0};
        CFRunLoopSourceContext context = {.info = &through, .schedule = scheduleBeside};
        CFRunLoopSourceRef s = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(LOOP, s, COMMON);
        pthread_join(through.other, NULL);
        onPurpose("D10", yesOrNo(through.wasThrough), "no", "yes");
    });
}

static atomic_bool infoIsReleased[sideCount];

static void releaseInfo(const void *info) { infoIsReleased[(intptr_t)info - 1] = true; }

static void invalidateElsewhere(CFRunLoopObserverRef o, CFRunLoopActivity activity, void *info) {
    atomic_bool *released = &infoIsReleased[(intptr_t)info - 1];
    pthread_join(stageStartThread(^{ CFRunLoopObserverInvalidate(o); }), NULL);
    onPurpose("D11", yesOrNo(*released), "yes", "no");
}

static void infoOfAnObserver(void) {
    PART("D11: another thread invalidates an observer: is its info released while its callback runs?");
    OnNewThread(^{
        infoIsReleased[stage->side] = false;
        CFRunLoopObserverContext context = {.info = (void *)(intptr_t)(stage->side + 1), .release = releaseInfo};
        AddSource0("s", 0, A, NULL);
        CFRunLoopAddObserver(LOOP, CFRunLoopObserverCreate(NULL, kCFRunLoopBeforeTimers, true, 0, invalidateElsewhere, &context), A);
        Run(A, 0, false);
    });
}

static void twoThreadsInAnObserver(void) {
    PART("D43: an observer moves to another loop, and is called there, before its turn here: is it called by two threads at once?");
    __block atomic_bool isThere = false, mayReturn = false;
    __block atomic_int callers = 0, most = 0;
    __block CFRunLoopRef there;
    __block atomic_bool isReady = false;
    pthread_t other = StartThread(^{
        there = LOOP;
        AddSource0("s", 0, B, NULL);
        isReady = true;
        while (!mayReturn) CFRunLoopRunInMode(B, 0.01, false);
    });
    becomesTrue(&isReady, 10000);
    OnNewThread(^{
        AddSource0("s", 0, A, NULL);
        CFRunLoopObserverRef moving = CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopBeforeTimers, true, 1, ^(CFRunLoopObserverRef o, CFRunLoopActivity activity) {
            int now = ++callers;
            if (now > most) most = now;
            if (CFRunLoopGetCurrent() == there) {
                isThere = true;
                becomesTrue(&mayReturn, 10000);
            }
            callers--;
        });
        CFRunLoopAddObserver(LOOP, moving, A);
        CFRunLoopRef here = LOOP;
        AddObserver("moves the other", kCFRunLoopBeforeTimers, 0, A, ^{
            CFRunLoopRemoveObserver(here, moving, A);
            CFRunLoopAddObserver(there, moving, B);
            CFRunLoopWakeUp(there);
            becomesTrue(&isThere, 10000);
        });
        Run(A, 0, false);
        mayReturn = true;
    });
    JoinThread(other);
    onPurpose("D43", yesOrNo(most > 1), "yes", "no");
}

// MARK: - Modes and items

static void modeNames(void) {
    PART("D14: a timer is added to the common modes by an equal string");
    OnNewThread(^{
        CFRunLoopTimerRef t = MakeTimer("t", 3600, 0, NULL);
        CFRunLoopAddTimer(LOOP, t, CFStringCreateWithCString(NULL, "kCFRunLoopCommonModes", kCFStringEncodingUTF8));
        onPurpose("D14", yesOrNo(CFRunLoopContainsTimer(LOOP, t, DEFAULT)), "no", "yes");
    });
}

static void endedLoops(void) {
    PART("D40: is a source in a loop to which it was added after the end of the thread?");
    __block CFRunLoopRef loop;
    OnNewThread(^{ loop = (CFRunLoopRef)CFRetain(LOOP); });
    CFRunLoopSourceRef s = MakeSource0("s", 0, NULL);
    CFRunLoopAddSource(loop, s, A);
    onPurpose("D40", yesOrNo(CFRunLoopContainsSource(loop, s, A)), "yes", "no");
}

static void printedPorts(void) {
    PART("D44: does the print of a version 1 source name its port?");
    OnNewThread(^{
        char text[1000];
        CFStringRef print = CFCopyDescription(AddPort("p", 0, A, NULL));
        bool isWhole = CFStringGetCString(print, text, sizeof text, kCFStringEncodingUTF8);
        onPurpose("D44", isWhole ? yesOrNo(strstr(text, "(eventfd)") != NULL) : "too long", "no", "yes");
        CFRelease(print);
    });
}

/// A block that records its release. The compiler makes such blocks for captured objects, which C does not have.
struct NotedBlock {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *block);
    const struct { unsigned long reserved, size; void (*copy)(void *to, const void *from); void (*dispose)(const void *block); } *descriptor;
    atomic_bool *isReleased;
};

extern void *_NSConcreteStackBlock[];

static void invokeNothing(UNUSED void *block) {}
static void copyNothing(UNUSED void *to, UNUSED const void *from) {}
static void noteRelease(const void *block) { *((const struct NotedBlock *)block)->isReleased = true; }

static void blocksOfEndedLoops(void) {
    PART("D45: a loop that is retained outlives its thread: is a block that waits in it released with the thread?");
    static const __typeof__(*((struct NotedBlock *)NULL)->descriptor) descriptor = {0, sizeof(struct NotedBlock), copyNothing, noteRelease};
    enum { hasCopyAndDispose = 1 << 25 };
    __block atomic_bool isReleased = false;
    atomic_bool *released = &isReleased;
    __block CFRunLoopRef loop;
    OnNewThread(^{
        loop = (CFRunLoopRef)CFRetain(LOOP);
        struct NotedBlock block = {_NSConcreteStackBlock, hasCopyAndDispose, 0, invokeNothing, &descriptor, released};
        CFRunLoopPerformBlock(loop, A, (void (^)(void))(void *)&block);
    });
    onPurpose("D45", yesOrNo(isReleased), "no", "yes");
    CFRelease(loop);
}

SCENARIO(on_purpose, onThreads, 0xdaa53f4b) {
    callbacksUnlocked();
    infoOfAnObserver();
    twoThreadsInAnObserver();
    modeNames();
    endedLoops();
    printedPorts();
    blocksOfEndedLoops();
}
