/// StructureTests.c: the structure of a run loop (S1–S11): its structs, its description, very many modes, names. Which modes there are, what is in
/// them, and which of them a run serves, is in Programs/Cases/Modes.txt.
#include "LoopSupport.h"
#include "Checker.h"
#include "Fakes.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// MARK: - S1: the structs, whose fields stand in the articles' order, as Tests/Facts checks

TEST(S1_each_kind_of_item_has_its_place,
     "A loop contains modes; Source0s, Source1s, observers and timers are each in their own fields of a mode, and nowhere else") {
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef source0 = MakeSource0("source 0", 0, NULL), source1 = MakeSource1("source 1", port, NULL);
    CFRunLoopObserverRef observer = MakeObserver("observer", kCFRunLoopEntry | kCFRunLoopExit, 0, NULL);
    CFRunLoopTimerRef timer = MakeTimer("timer", 1000, 0, NULL);
    CFRunLoopAddSource(LOOP, source0, A);
    CheckLoop(LOOP);
    CFRunLoopAddSource(LOOP, source1, A);
    CheckLoop(LOOP);
    CFRunLoopAddObserver(LOOP, observer, A);
    CheckLoop(LOOP);
    CFRunLoopAddTimer(LOOP, timer, A);
    CheckLoop(LOOP);
    CFRunLoopModeRef mode = ModeNamed(LOOP, A);
    CHECK(CFSetContainsValue(LOOP->_modes, mode));
    CHECK_EQ_INT(CFSetGetCount(mode->_sources0), 1);
    CHECK_EQ_PTR(CFSetGetValue(mode->_sources0, source0), source0);
    CHECK_EQ_INT(CFSetGetCount(mode->_sources1), 1);
    CHECK_EQ_PTR(CFSetGetValue(mode->_sources1, source1), source1);
    CHECK_EQ_PTR(CFDictionaryGetValue(mode->_portToV1SourceMap, (const void *)(intptr_t)port), source1);
    CHECK_EQ_INT(CFArrayGetCount(mode->_observers), 1);
    CHECK_EQ_PTR(CFArrayGetValueAtIndex(mode->_observers, 0), observer);
    CHECK_EQ_INT(mode->_observerMask, kCFRunLoopEntry | kCFRunLoopExit);
    CHECK_EQ_INT(CFArrayGetCount(mode->_timers), 1);
    CHECK_EQ_PTR(CFArrayGetValueAtIndex(mode->_timers, 0), timer);
    CHECK_EQ_PTR(ModeNamed(LOOP, DEFAULT)->_sources0, NULL);
    close(port);
}

// MARK: - S2: printing

static CFStringRef describeInfo(const void *info) {
    return CFStringCreateWithFormat(NULL, NULL, CFSTR("<this is %s>"), (const char *)info);
}

TEST(S2_printing_shows_everything, "A loop's description names every mode and, in each mode, every item") {
    CFRunLoopSourceContext sourceContext = {.info = "the source", .copyDescription = describeInfo};
    CFRunLoopTimerContext timerContext = {.info = "the timer", .copyDescription = describeInfo};
    CFRunLoopObserverContext observerContext = {.info = "the observer", .copyDescription = describeInfo};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 7, &sourceContext);
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, 1e11, 2.5, 0, 0, NULL, &timerContext);
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, kCFRunLoopExit, true, 9, NULL, &observerContext);
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopAddObserver(LOOP, observer, B);
    CheckLoop(LOOP);

    char *text = DescriptionOf(LOOP);
    const char *parts[] = {"current mode = (none)", "common modes = ", "common mode items = ", "modes = ", "name = kCFRunLoopDefaultMode",
                           "name = A", "name = B", "sources0 = ", "sources1 = ", "observers = ", "timers = ", "order = 7, context = <this is the source>",
                           "interval = 2.5", "context = <this is the timer>", "context = <this is the observer>", "activities = 0x80"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(text, parts[i])) FAIL("\"%s\" is not in the description:\n%s", parts[i], text);
    }
    CHECK_EQ_INT(Occurrences(text, "<this is the source>"), 2); // in the common items and in the default mode
    CHECK_EQ_INT(Occurrences(text, "<this is the timer>"), 1);
    char *modeA = strstr(text, "name = A"), *modeB = strstr(text, "name = B"), *timerAt = strstr(text, "<this is the timer>");
    CHECK_EQ_INT(timerAt > modeA && (timerAt < modeB || modeB < modeA), true); // within the description of A
    free(text);

    StderrCapture();
    CFShow(LOOP);
    __CFRunLoopDump();
    CHECK_EQ_INT(Occurrences(StderrEndCapture(), "<this is the observer>"), 2); // printed twice
    CheckLoop(LOOP);
    CFRelease(source);
    CFRelease(timer);
    CFRelease(observer);
}

TEST(S2_printing_while_running, "During a run the description names the current mode, and any callback may describe the loop") {
    CFRunLoopSourceRef source = MakeSource0("s", 0, ^{
        CHECK(DescriptionHas(LOOP, "current mode = A"));
        CFRunLoopStop(LOOP);
        CHECK(DescriptionHas(LOOP, "stopped = true"));
    });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    Run(A, 10, false);
    CHECK_LOG("s\nStopped");
}

/// A step holds the locks of the loop and of its mode, and a debugger that stops there calls functions on the step's thread.
TEST(S2_a_loop_answers_within_a_step,
     "While its thread holds the locks of a loop, of a mode and of the items, the thread can print the loop and the items, and ask about them. "
     "The defect: the thread waited for itself forever") {
    CFRunLoopSourceRef source = MakeSource0("s", 0, NULL), ported = MakeSource1("p", CFEventDescriptorCreate(false), NULL);
    CFRunLoopTimerRef timer = MakeTimer("t", 1000, 0, NULL);
    CFRunLoopObserverRef observer = MakeObserver("o", kCFRunLoopExit, 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, ported, A);
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopAddObserver(LOOP, observer, A);
    __CFRunLoopLock(LOOP);
    CFRunLoopModeRef mode = __CFRunLoopFindMode(LOOP, A, false); // locked
    __CFRunLoopSourceLock(source);
    __CFRunLoopSourceLock(ported);
    __CFRunLoopTimerLock(timer);
    __CFRunLoopObserverLock(observer);

    StderrCapture();
    CFShow(LOOP);
    __CFRunLoopDump();
    CHECK_EQ_INT(Occurrences(StderrEndCapture(), "name = A"), 2);
    CFTypeRef objects[] = {mode, source, ported, timer, observer};
    for (int i = 0; i < 5; i++) free(DescriptionOf(objects[i]));
    CFArrayRef names = CFRunLoopCopyAllModes(LOOP);
    CHECK_EQ_INT(CFArrayGetCount(names), 2);
    CFRelease(names);
    CHECK_EQ_PTR(CFRunLoopCopyCurrentMode(LOOP), NULL);
    CHECK(CFRunLoopContainsSource(LOOP, source, A));
    CHECK(CFRunLoopContainsTimer(LOOP, timer, A));
    CHECK(CFRunLoopContainsObserver(LOOP, observer, A));
    CHECK_EQ_DOUBLE(CFRunLoopGetNextTimerFireDate(LOOP, A), CFRunLoopTimerGetNextFireDate(timer), 0);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(timer), 0, 0);
    CFRunLoopTraceState state;
    CFRunLoopTraceGetState(LOOP, &state);
    CHECK_EQ_INT(state.timers, 0); // of the default mode

    __CFRunLoopObserverUnlock(observer);
    __CFRunLoopTimerUnlock(timer);
    __CFRunLoopSourceUnlock(ported);
    __CFRunLoopSourceUnlock(source);
    __CFRunLoopModeUnlock(mode);
    __CFRunLoopUnlock(LOOP);
    CheckLoop(LOOP);
}

// MARK: - S3: many modes, and those of a loop that is deallocated

enum { smallStack = 256 * 1024 }; // such as that of a small server's worker
enum { manyModes = 100000, manyCommonModes = 40000 };

static void askLoopOfManyModes(void) {
    for (int i = 0; i < manyModes; i++) {
        CFStringRef name = CFStringCreateWithFormat(NULL, NULL, CFSTR("mode %d"), i);
        CFRunLoopPerformBlock(LOOP, name, ^{});
        CFRelease(name);
    }
    CFArrayRef names = CFRunLoopCopyAllModes(LOOP);
    CHECK_EQ_INT(CFArrayGetCount(names), manyModes + 1);
    CFRelease(names);
    CHECK_GE(CFRunLoopGetDescriptor(LOOP, CFSTR("mode 7")), 0);
    CFRunLoopServe(LOOP, CFSTR("mode 7"));
    CHECK_EQ_INT(CFRunLoopServe(LOOP, CFSTR("mode 7")), kCFRunLoopRunFinished);
}

// If a list of a loop's modes were an array on the stack, it would be a frame of 800 KB here.
TEST(S3_a_loop_of_100000_modes_needs_no_long_stack,
     "On a thread with a stack of 256 KB, a loop with 100,000 modes lists them, is served inside another event loop, and is deallocated") {
    OnNewThreadWithStack(smallStack, NULL, ^{ askLoopOfManyModes(); });
}

static void useManyCommonModes(void) {
    for (int i = 0; i < manyCommonModes; i++) {
        CFStringRef name = CFStringCreateWithFormat(NULL, NULL, CFSTR("mode %d"), i);
        CFRunLoopAddCommonMode(LOOP, name);
        CFRelease(name);
    }
    CFRunLoopSourceRef source = MakeLoudSource0("s", NULL);
    CFRunLoopTimerRef timer = MakeTimer("t", 1e6, 0, NULL);
    CFRunLoopObserverRef observer = MakeQuietObserver(kCFRunLoopExit, ^(CFRunLoopActivity activity) {});
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopAddTimer(LOOP, timer, COMMON);
    CFRunLoopAddObserver(LOOP, observer, COMMON);
    CFRunLoopSourceSignal(source);
    CFRunLoopRunInMode(CFSTR("mode 7"), 0, false);
    CFRunLoopTimerSetNextFireDate(timer, 1e7);
    CFRunLoopTimerInvalidate(timer);
    CFRunLoopRemoveObserver(LOOP, observer, COMMON);
    CFRunLoopRemoveSource(LOOP, source, COMMON);
    CHECK(!CFRunLoopContainsSource(LOOP, source, CFSTR("mode 7")));
    CFRelease(source);
    CFRelease(timer);
    CFRelease(observer);
}

TEST(S10_items_of_40000_common_modes_need_no_long_stack,
     "On a thread with a stack of 256 KB, a source, a timer and an observer are added to 40,000 common modes, served, moved, and removed") {
    OnNewThreadWithStack(smallStack, NULL, ^{ useManyCommonModes(); });
}

static _Atomic(long) hashesAsked;

static CFHashCode askHash(const void *info) {
    hashesAsked++;
    return (CFHashCode)info;
}

/// How often the hash of a source is called while the source in this many modes is invalidated: a few times for each mode that is searched.
static long lookupsOfInvalidation(int modeCount) {
    CFRunLoopSourceContext context = {.hash = askHash};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopSourceRef other = MakeLoudSource0("other", NULL); // an empty set calls no hash
    for (int i = 0; i < modeCount; i++) {
        CFStringRef name = CFStringCreateWithFormat(NULL, NULL, CFSTR("mode %d"), i);
        CFRunLoopAddSource(LOOP, other, name);
        CFRunLoopAddSource(LOOP, source, name);
        CFRelease(name);
    }
    hashesAsked = 0;
    CFRunLoopSourceInvalidate(source);
    CHECK_EQ_INT(CFGetRetainCount(source), 1);
    CFRelease(source);
    return hashesAsked;
}

// The source has its loop once for each mode. The defect: each of these entries made Invalidate search all modes of the loop, which took
// 4.5 s for 4,000 modes; the toolchain's loop takes a few milliseconds.
TEST(S3_a_source_in_many_modes_is_invalidated_mode_by_mode,
     "Invalidating a source in 800 modes searches about eight times as many modes as invalidating one in 100, not 64 times as many") {
    long few = lookupsOfInvalidation(100), many = lookupsOfInvalidation(800);
    CHECK(many >= 800);
    CHECK(many <= 20 * few); // the second invalidation also searches the modes of the first
}

static CFRunLoopObserverRef stillCommon;

static void askDyingLoop(const void *info) {
    CFArrayRef names = CFRunLoopCopyAllModes((CFRunLoopRef)info);
    LOG("released, %ld modes, common item %d", (long)CFArrayGetCount(names), CFRunLoopContainsObserver((CFRunLoopRef)info, stillCommon, COMMON));
    CFRelease(names);
}

// The loop has released its modes by then, and an array without elements on the stack would be undefined behaviour.
TEST(S3_a_dying_loop_has_no_modes_and_no_common_items_left,
     "A release callback that is called during the deallocation of a loop finds it without modes and common items") {
    for (int i = 0; i < 2; i++) {
        OnNewThread(^{
            CFRunLoopTimerContext context = {.info = LOOP, .release = askDyingLoop};
            CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, 1e9, 0, 0, 0, NULL, &context);
            stillCommon = MakeObserver("observer", kCFRunLoopEntry, 0, NULL);
            CFRunLoopAddTimer(LOOP, timer, i ? COMMON : A);
            CFRunLoopAddObserver(LOOP, stillCommon, COMMON);
            CFRelease(timer);
        });
    }
    CHECK_LOG("released, 0 modes, common item 0\nreleased, 0 modes, common item 0");
}

/// The number of bytes behind the head of the object that are not `byte`, after its class has finalized it.
static int bytesLeftOf(CFTypeRef object, size_t size, unsigned char byte) {
    int left = 0;
    __CFRuntimeGetClass(object)->finalize(object);
    for (size_t i = sizeof(CFRuntimeBase); i < size; i++) left += ((const unsigned char *)object)[i] != byte;
    return left;
}

TEST(S1_what_is_gone_can_be_told_in_a_debugger, "Of a mode that is gone all fields are 0x7C7C…, and of a loop 0x8C8C…, as in the original") {
    KeepAlive(LOOP, A);
    static CFRunLoopModeRef mode; // so that it is no leak
    CFRunLoopRef loop = LOOP;
    mode = (CFRunLoopModeRef)CFRetain(ModeNamed(loop, A));
    CFSetRemoveValue(loop->_modes, mode);
    CHECK_EQ_INT(bytesLeftOf(mode, sizeof *mode, 0x7C), 0);
    CHECK_EQ_INT(bytesLeftOf(loop, sizeof *loop, 0x8C), 0);
}

// MARK: - S5: an item in several modes

static int changingPorts[2];
static __CFPort changingPort(void *asked) { return changingPorts[(*(int *)asked)++ % 2]; }

/// The map from ports to sources does not retain them. The defect: a port that was added for one mode and looked up under another number
/// when the source was removed stayed in the map, with a pointer to freed memory.
TEST(S5_a_port_that_changes_between_modes,
     "A Source1 whose getPort returns another descriptor each time leaves nothing behind in any mode") {
    int asked = 0;
    for (int i = 0; i < 2; i++) changingPorts[i] = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceContext1 context = {.version = 1, .info = &asked, .getPort = changingPort};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(LOOP, source, A);
    CheckLoop(LOOP);
    CFRunLoopAddSource(LOOP, source, B);
    CheckLoop(LOOP);
    CFRunLoopRemoveSource(LOOP, source, A);
    CheckLoop(LOOP);
    CFRunLoopSourceInvalidate(source);
    CFRelease(source);
    CheckLoop(LOOP);
    KeepAlive(LOOP, A);
    Run(A, 0, false);
    for (int i = 0; i < 2; i++) close(changingPorts[i]);
}

// MARK: - S8–S11: names and the common modes

TEST(S8_five_names, "The two public names are spelled as the articles say; the system's other three are modes like any other") {
    CHECK_EQ_STR(CFStringGetCStringPtr(kCFRunLoopDefaultMode, kCFStringEncodingUTF8), "kCFRunLoopDefaultMode");
    CHECK_EQ_STR(CFStringGetCStringPtr(kCFRunLoopCommonModes, kCFStringEncodingUTF8), "kCFRunLoopCommonModes");
    CFStringRef others[] = {CFSTR("UITrackingRunLoopMode"), CFSTR("UIInitializationRunLoopMode"), CFSTR("GSEventReceiveRunLoopMode")};
    for (int i = 0; i < 3; i++) {
        CFRunLoopAddTimer(LOOP, MakeTimer(Text(others[i]), 0, 0, NULL), others[i]);
        Run(others[i], 10, false);
    }
    LogModes(LOOP); // the placeholder is not one of them
    CHECK_LOG("UITrackingRunLoopMode\nFinished\nUIInitializationRunLoopMode\nFinished\nGSEventReceiveRunLoopMode\nFinished\n"
              "modes: DefaultMode GSEventReceiveRunLoopMode UIInitializationRunLoopMode UITrackingRunLoopMode");
}

TEST(S9_running_in_the_common_modes_fails,
     "A run in the placeholder, or in an equal string, returns Finished at once, makes no callout and no mode, and prints the reason "
     "once, however often and on whichever thread it is tried") {
    CFRunLoopAddTimer(LOOP, MakeTimer("t", 0, 0, NULL), COMMON);
    CFRunLoopAddObserver(LOOP, MakeObserver("o", kCFRunLoopAllActivities, 0, NULL), COMMON);
    CFStringRef spelled = CFStringCreateWithFormat(NULL, NULL, CFSTR("kCFRunLoop%s"), "CommonModes");
    StderrCapture();
    Run(COMMON, 10, false);
    Run(spelled, 10, false);
    OnNewThread(^{ Run(COMMON, 10, false); });
    Run(NULL, 10, false);
    const char *text = StderrEndCapture();
    CHECK_EQ_INT(Occurrences(text, "a run loop cannot run in the mode kCFRunLoopCommonModes: it stands for a set of modes; name one of them. The run has "
                                   "returned at once. This message is printed only once; break on _CFRunLoopError_RunCalledWithInvalidMode to find "
                                   "the caller."), 1);
    CHECK_EQ_INT(Occurrences(text, "\n"), 1);
    LogModes(LOOP);
    CHECK_LOG("Finished\nFinished\nFinished\nFinished\nmodes: DefaultMode");
    CheckLoop(LOOP);
    CFRelease(spelled);
}
