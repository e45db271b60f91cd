/// CommonModesTests.c: the common modes (S9, S10): names that are created at run time [D14], and items that are held or called while they leave.
/// Programs/Cases/Items.txt adds, declares and removes [D15, D29].
#include "LoopSupport.h"
#include <string.h>

/// A string with the same characters that is not a compiler's constant.
static CFStringRef makeName(const char *text) {
    CFMutableStringRef name = CFStringCreateMutable(NULL, 0);
    for (; *text; text++) CFStringAppendFormat(name, NULL, CFSTR("%c"), *text);
    return name;
}

/// One item of each kind, because all three must behave alike.
typedef struct Items {
    CFRunLoopSourceRef source;
    CFRunLoopObserverRef observer;
    CFRunLoopTimerRef timer;
} Items;

static Items makeItems(void) {
    return (Items){MakeSource0("source", 0, NULL), MakeObserver("observer", kCFRunLoopEntry, 0, NULL), MakeTimer("timer", 1000, 0, NULL)};
}

static void addItems(Items items, CFStringRef mode) {
    CFRunLoopAddSource(LOOP, items.source, mode);
    CFRunLoopAddObserver(LOOP, items.observer, mode);
    CFRunLoopAddTimer(LOOP, items.timer, mode);
}

static void removeItems(Items items, CFStringRef mode) {
    CFRunLoopRemoveSource(LOOP, items.source, mode);
    CFRunLoopRemoveObserver(LOOP, items.observer, mode);
    CFRunLoopRemoveTimer(LOOP, items.timer, mode);
}

/// Logs in which of "common", default, A and B the items are, as in "in: common DefaultMode". Fails if the three are not in the same ones.
/// `common` is the name of the common modes.
static void logWhere(Items items, CFStringRef common) {
    CFStringRef modes[] = {common, DEFAULT, A, B};
    char line[128] = "in:";
    for (int i = 0; i < 4; i++) {
        Boolean isIn = CFRunLoopContainsSource(LOOP, items.source, modes[i]);
        CHECK_EQ_INT(CFRunLoopContainsObserver(LOOP, items.observer, modes[i]), isIn);
        CHECK_EQ_INT(CFRunLoopContainsTimer(LOOP, items.timer, modes[i]), isIn);
        if (isIn) strcat(strcat(line, " "), i ? Text(modes[i]) : "common");
    }
    LOG("%s", line);
}

// MARK: - Names

TEST(S9_a_mutable_name_is_copied,
     "A mutable string used as a name may change afterwards: the mode and the common mode keep their name. (The toolchain's loop copies only "
     "the mode's)") {
    CFMutableStringRef name = CFStringCreateMutableCopy(NULL, 0, A);
    KeepAlive(LOOP, name);
    CFRunLoopAddCommonMode(LOOP, name);
    CFStringAppend(name, CFSTR("nother"));
    LogModes(LOOP);
    Items items = makeItems();
    addItems(items, COMMON);
    logWhere(items, COMMON);
    Run(name, 0, false);
    Run(A, 0, false);
    CHECK_LOG("modes: A DefaultMode\nin: common DefaultMode A\nFinished\nobserver\nTimedOut");
    CFRelease(name);
}

// MARK: - D14: the common modes by name

TEST(D14_the_common_modes_are_known_by_their_name_not_their_address,
     "A string equal to kCFRunLoopCommonModes stands for the common modes, although it is another object. The defect: a timer added "
     "under it never fired") {
    CFStringRef equal = makeName("kCFRunLoopCommonModes");
    CHECK(equal != kCFRunLoopCommonModes);
    Items items = makeItems();
    CFRunLoopTimerSetNextFireDate(items.timer, CFAbsoluteTimeGetCurrent());
    addItems(items, equal);
    CFRunLoopPerformBlock(LOOP, equal, ^{ LOG("block"); });
    CFRunLoopSourceSignal(items.source);
    logWhere(items, COMMON);
    logWhere(items, equal);
    Run(DEFAULT, 0, false);
    items.timer = AddTimer("another", 1000, 0, equal, NULL);
    CFRunLoopAddCommonMode(LOOP, equal);
    removeItems(items, equal);
    logWhere(items, equal);
    LogModes(LOOP); // the block has made the mode of that name
    CHECK_LOG("in: common DefaultMode\nin: common DefaultMode\nobserver\nblock\nsource\ntimer\nTimedOut\nin:\nmodes: CommonModes DefaultMode");
    CFRelease(equal);
}

// MARK: - D10: items that leave while a mode becomes common

enum { many = 20 };
static CFRunLoopObserverRef observers[many];
static CFRunLoopTimerRef timers[many];

/// Takes all others out of the common modes.
static void removeTheOthers(void *info, CFRunLoopRef rl, CFStringRef mode) {
    if (!CFEqual(mode, A)) return;
    for (int i = 0; i < many; i++) {
        CFRunLoopRemoveObserver(rl, observers[i], COMMON);
        CFRunLoopRemoveTimer(rl, timers[i], COMMON);
    }
}

TEST(D10_an_item_that_leaves_while_a_mode_becomes_common_is_not_in_it,
     "When A becomes a common mode, the common items join it, one after the other. The first of them takes the others out of the common modes: "
     "then none of these stays in A, whether or not it had its turn") {
    CFRunLoopSourceContext context = {.schedule = removeTheOthers};
    CFRunLoopAddSource(LOOP, CFRunLoopSourceCreate(NULL, 0, &context), COMMON);
    for (int i = 0; i < many; i++) {
        CFRunLoopAddObserver(LOOP, observers[i] = MakeQuietObserver(kCFRunLoopExit, ^(CFRunLoopActivity activity) {}), COMMON);
        CFRunLoopAddTimer(LOOP, timers[i] = MakeTimer("never", 1e6, 0, NULL), COMMON);
    }
    CFRunLoopAddCommonMode(LOOP, A);
    int left = 0;
    for (int i = 0; i < many; i++) left += CFRunLoopContainsObserver(LOOP, observers[i], A) + CFRunLoopContainsTimer(LOOP, timers[i], A);
    CHECK_EQ_INT(left, 0);
}

TEST(CFRunLoopAddCommonMode_names_itself_when_the_mode_is_null,
     "CFRunLoopAddCommonMode aborts with its own name if the mode is NULL, not with that of the function that copies the name") {
    CHECK_HALTS("CFRunLoopAddCommonMode was given NULL", CFRunLoopAddCommonMode(LOOP, NULL));
}

// MARK: - The end of the thread

TEST(S10_a_common_source_lets_its_ended_loop_go,
     "A common source that is held beyond its loop's thread does not keep the loop, so a timer of that loop may be added to another") {
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopTimerRef timer = MakeTimer("timer", 1000, 0, NULL);
    OnNewThread(^{
        CFRunLoopAddSource(LOOP, source, COMMON);
        CFRunLoopAddTimer(LOOP, timer, COMMON);
    });
    CFRunLoopAddTimer(LOOP, timer, COMMON);
    CHECK(CFRunLoopContainsTimer(LOOP, timer, DEFAULT));
    CHECK(CFRunLoopSourceIsValid(source));
}
