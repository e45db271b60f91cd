/// CommonModesTests.c: the common modes (S9, S10): adding items to them, declaring modes common, removing items and modes, in every order;
/// and names that are created at run time [D14, D15].
#include "Fakes.h"
#include "LoopSupport.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static void invalidateItems(Items items) {
    CFRunLoopSourceInvalidate(items.source);
    CFRunLoopObserverInvalidate(items.observer);
    CFRunLoopTimerInvalidate(items.timer);
}

/// Logs in which of "common", default, A and B the items are, as in "in: common DefaultMode". Fails if the three are not in the same ones.
static void logWhere(Items items) {
    CFStringRef modes[] = {COMMON, DEFAULT, A, B};
    char line[128] = "in:";
    for (int i = 0; i < 4; i++) {
        Boolean isIn = CFRunLoopContainsSource(LOOP, items.source, modes[i]);
        CHECK_EQ_INT(CFRunLoopContainsObserver(LOOP, items.observer, modes[i]), isIn);
        CHECK_EQ_INT(CFRunLoopContainsTimer(LOOP, items.timer, modes[i]), isIn);
        if (isIn) strcat(strcat(line, " "), i ? Text(modes[i]) : "common");
    }
    LOG("%s", line);
}

// MARK: - Adding

TEST(S10_added_to_the_common_modes, "An item added to the common modes is remembered and added to every mode that is common at that time") {
    CFRunLoopAddCommonMode(LOOP, A);
    Items items = makeItems();
    addItems(items, COMMON);
    logWhere(items);
    CHECK_LOG("in: common DefaultMode A");
}

TEST(S10_declared_common_later, "A mode declared common later gets all remembered items") {
    Items items = makeItems();
    addItems(items, COMMON);
    logWhere(items);
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopAddCommonMode(LOOP, A);
    logWhere(items);
    CHECK_LOG("in: common DefaultMode\nin: common DefaultMode A");
}

TEST(S10_what_a_mode_has_of_its_own_stays_its_own,
     "An item that was in a mode before the mode was declared common is not remembered, and is added to no other mode") {
    Items items = makeItems();
    addItems(items, B);
    CFRunLoopAddCommonMode(LOOP, B);
    CFRunLoopAddCommonMode(LOOP, A);
    logWhere(items);
    removeItems(items, COMMON); // has no effect, because it is no common item
    logWhere(items);
    CHECK_LOG("in: B\nin: B");
}

TEST(S10_served_in_every_common_mode, "A common source, timer and observer are served in each common mode, and in no other") {
    CFRunLoopAddCommonMode(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopAddObserver(LOOP, MakeObserver("observer", kCFRunLoopEntry, 0, NULL), COMMON);
    CFStringRef modes[] = {B, A, B, DEFAULT};
    for (int i = 0; i < 4; i++) {
        CFRunLoopTimerRef timer = MakeTimer("timer", 0, 0, NULL);
        CFRunLoopAddTimer(LOOP, timer, COMMON);
        CFRunLoopSourceSignal(source);
        usleep(2000);
        Run(modes[i], 0, false);
        CHECK(CFRunLoopTimerIsValid(timer) == (i % 2 == 0)); // B is not common
        CFRunLoopTimerInvalidate(timer);
    }
    CHECK_LOG("TimedOut\nobserver\nsource\ntimer\nTimedOut\nTimedOut\nobserver\nsource\ntimer\nTimedOut");
}

TEST(S10_a_mode_declared_common_while_it_runs, "A mode declared common while it runs serves the remembered items in the same run") {
    CFRunLoopSourceRef source = MakeSource0("source", 0, ^{ CFRunLoopStop(LOOP); });
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopSourceSignal(source);
    CFRunLoopPerformBlock(LOOP, A, ^{ CFRunLoopAddCommonMode(LOOP, A); });
    Run(A, 10, false);
    CHECK_LOG("source\nStopped");
}

TEST(S10_version_1_source,
     "A version 1 source in the common modes works in each of them, even in one declared common while the port is ready") {
    int ends[2];
    CHECK_EQ_INT(pipe(ends), 0);
    CHECK_EQ_INT(write(ends[1], "x", 1), 1);
    KeepAlive(LOOP, A);
    CFRunLoopAddSource(LOOP, MakeSource1("ready", ends[0], NULL), COMMON);
    Run(A, 0, true);
    CFRunLoopAddCommonMode(LOOP, A);
    Run(A, 0, true);
    Run(DEFAULT, 0, true);
    CHECK_LOG("TimedOut\nready\nHandledSource\nready\nHandledSource");
}

// MARK: - Removing

TEST(S10_removed_from_the_common_modes, "An item removed from the common modes leaves each of them and is forgotten") {
    Items items = makeItems();
    CFRunLoopAddCommonMode(LOOP, A);
    addItems(items, COMMON);
    removeItems(items, COMMON);
    logWhere(items);
    CFRunLoopAddCommonMode(LOOP, B);
    logWhere(items);
    CHECK_LOG("in:\nin:");
}

TEST(S10_removed_from_one_of_them, "An item removed from one common mode stays in the others, and a new common mode still gets it") {
    Items items = makeItems();
    CFRunLoopAddCommonMode(LOOP, A);
    addItems(items, COMMON);
    removeItems(items, A);
    logWhere(items);
    CFRunLoopAddCommonMode(LOOP, B);
    logWhere(items);
    removeItems(items, COMMON);
    logWhere(items);
    CHECK_LOG("in: common DefaultMode\nin: common DefaultMode B\nin:");
}

TEST(D29_removed_from_each_and_invalidated,
     "Items removed from all their modes one by one and then invalidated are no longer common items") {
    Items items = makeItems();
    CFIndex counts[] = {CFGetRetainCount(items.source), CFGetRetainCount(items.observer), CFGetRetainCount(items.timer)};
    addItems(items, COMMON);
    removeItems(items, DEFAULT);
    logWhere(items);
    invalidateItems(items);
    logWhere(items);
    CFRunLoopAddCommonMode(LOOP, A);
    logWhere(items);
    CHECK_LOG("in: common\nin:\nin:");
    CHECK_EQ_INT(CFGetRetainCount(items.source), counts[0]);
    CHECK_EQ_INT(CFGetRetainCount(items.observer), counts[1]);
    CHECK_EQ_INT(CFGetRetainCount(items.timer), counts[2]);
}

TEST(D29_removed_from_each_is_still_remembered,
     "Items removed from all their modes one by one are still common items, and a new common mode gets them") {
    Items items = makeItems();
    addItems(items, COMMON);
    removeItems(items, DEFAULT);
    CFRunLoopAddCommonMode(LOOP, A);
    logWhere(items);
    addItems(items, COMMON);
    logWhere(items);
    CHECK_LOG("in: common A\nin: common DefaultMode A");
}

TEST(S10_invalidated_leaves_all, "Invalidated common items leave every mode and are forgotten") {
    Items items = makeItems();
    CFRunLoopAddCommonMode(LOOP, A);
    addItems(items, COMMON);
    addItems(items, B);
    logWhere(items);
    invalidateItems(items);
    logWhere(items);
    CHECK_LOG("in: common DefaultMode A B\nin:");
}

TEST(S10_a_one_shot_common_timer, "A one-shot timer of the common modes that has fired in one of them leaves all of them") {
    CFRunLoopAddCommonMode(LOOP, A);
    CFRunLoopTimerRef timer = MakeTimer("timer", 0, 0, NULL);
    CFRunLoopAddTimer(LOOP, timer, COMMON);
    POLL_UNTIL(A, !CFRunLoopTimerIsValid(timer));
    CHECK_LOG("timer");
    CFStringRef modes[] = {COMMON, DEFAULT, A};
    for (int i = 0; i < 3; i++) CHECK(!CFRunLoopContainsTimer(LOOP, timer, modes[i]));
}

TEST(S10_schedule_and_cancel, "A common source is scheduled and cancelled once for each mode that it enters or leaves") {
    CFRunLoopSourceRef source = MakeLoudSource0("X", NULL);
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopAddSource(LOOP, source, DEFAULT);
    CFRunLoopAddCommonMode(LOOP, A);
    CHECK_LOG("retain X\nschedule X DefaultMode\nschedule X A");
    CFRunLoopRemoveSource(LOOP, source, A);
    CFRunLoopRemoveSource(LOOP, source, COMMON);
    CFRunLoopRemoveSource(LOOP, source, COMMON);
    CFRelease(source);
    CHECK_LOG("retain X\nschedule X DefaultMode\nschedule X A\ncancel X A\ncancel X DefaultMode\nrelease X");
}

TEST(S10_end_of_the_thread,
     "When the loop's thread ends, its common items are cancelled in each mode, stay valid, and may be added to another loop") {
    CFRunLoopSourceRef loud = MakeLoudSource0("X", NULL);
    Items items = makeItems();
    OnNewThread(^{
        CFRunLoopAddSource(LOOP, loud, COMMON);
        addItems(items, COMMON);
    });
    CHECK_LOG("retain X\nschedule X DefaultMode\ncancel X DefaultMode");
    CHECK(CFRunLoopSourceIsValid(items.source) && CFRunLoopObserverIsValid(items.observer) && CFRunLoopTimerIsValid(items.timer));
    LOG_EVENT_CLEAR();
    addItems(items, COMMON);
    logWhere(items);
    CHECK_LOG("in: common DefaultMode");
    LOG_EVENT_CLEAR();
    CFRelease(loud);
    CHECK_LOG("release X");
}

// MARK: - Names

TEST(S9_no_run_in_the_common_modes,
     "A run in the common modes finishes at once and performs nothing, even if their name is another string with the same characters "
     "[D14]") {
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, source, COMMON);
    CFRunLoopSourceSignal(source);
    CFStringRef name = makeName("kCFRunLoopCommonModes");
    Run(COMMON, 1, false);
    Run(name, 1, false);
    CHECK_LOG("Finished\nFinished");
    CFRelease(name);
}

TEST(D14_the_name_made_at_run_time,
     "A string created at run time that equals kCFRunLoopCommonModes stands for the common modes when you add, ask or remove") {
    CFStringRef name = makeName("kCFRunLoopCommonModes");
    CHECK(name != COMMON);
    CFRunLoopAddCommonMode(LOOP, A);
    Items items = makeItems();
    addItems(items, name);
    logWhere(items);
    CHECK(CFRunLoopContainsSource(LOOP, items.source, name));
    CHECK(CFRunLoopContainsObserver(LOOP, items.observer, name));
    CHECK(CFRunLoopContainsTimer(LOOP, items.timer, name));
    removeItems(items, name);
    logWhere(items);
    LogModes(LOOP);
    CHECK_LOG("in: common DefaultMode A\nin:\nmodes: A DefaultMode");
    CFRelease(name);
}

TEST(S9_a_mode_of_that_name,
     "A block or a stop for the common modes makes a real mode of that name, as in all versions of the original: it has no items, nothing "
     "runs in it, and it has no descriptor") {
    CFStringRef names[] = {COMMON, makeName("kCFRunLoopCommonModes")};
    int before = OpenDescriptorCount();
    for (int i = 0; i < 2; i++) {
        CFRunLoopPerformBlock(LOOP, names[i], ^{ LOG("block"); });
        _CFRunLoopStopMode(LOOP, names[i]);
        CFRunLoopAddCommonMode(LOOP, names[i]);
        Items items = makeItems();
        addItems(items, names[i]);
        logWhere(items);
        removeItems(items, names[i]);
        CHECK_EQ_INT(CFRunLoopRunInMode(names[i], 0, false), kCFRunLoopRunFinished);
    }
    CHECK_LE(OpenDescriptorCount(), before + 1); // the loop's own
    LogModes(LOOP);
    Run(DEFAULT, 0, false);
    CHECK_LOG("in: common DefaultMode\nin: common DefaultMode\nmodes: CommonModes DefaultMode\nblock\nblock\nTimedOut");
    CFRelease(names[1]);
}

TEST(D15_declared_common_with_items, "Declaring the common modes themselves common, with items in them, changes nothing and returns") {
    Items items = makeItems();
    addItems(items, COMMON);
    CFRunLoopAddCommonMode(LOOP, COMMON);
    logWhere(items);
    LogModes(LOOP);
    CHECK_LOG("in: common DefaultMode\nmodes: DefaultMode");
}

TEST(S9_mode_names_by_content, "Mode names are compared by their characters: two strings that are equal name one mode") {
    CFStringRef name = makeName("A"), again = makeName("A"), standard = makeName("kCFRunLoopDefaultMode");
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, source, name);
    CHECK(CFRunLoopContainsSource(LOOP, source, A));
    CFRunLoopSourceSignal(source);
    Run(again, 0, false);
    CFRunLoopAddCommonMode(LOOP, again);
    CFRunLoopSourceRef common = MakeSource0("common", 0, NULL);
    CFRunLoopAddSource(LOOP, common, COMMON);
    CHECK(CFRunLoopContainsSource(LOOP, common, A));
    CHECK(CFRunLoopContainsSource(LOOP, common, standard));
    CFRunLoopSourceSignal(common);
    Run(standard, 0, false);
    LogModes(LOOP);
    CHECK_LOG("source\nTimedOut\ncommon\nTimedOut\nmodes: A DefaultMode");
    CFRelease(name);
    CFRelease(again);
    CFRelease(standard);
}

TEST(S9_a_mutable_name_is_copied, "A mutable string used as a name may change afterwards: the mode and the common mode keep their name") {
    CFMutableStringRef name = CFStringCreateMutableCopy(NULL, 0, A);
    KeepAlive(LOOP, name);
    CFRunLoopAddCommonMode(LOOP, name);
    CFStringAppend(name, CFSTR("nother"));
    LogModes(LOOP);
    Items items = makeItems();
    addItems(items, COMMON);
    logWhere(items);
    Run(name, 0, false);
    Run(A, 0, false);
    CHECK_LOG("modes: A DefaultMode\nin: common DefaultMode A\nFinished\nobserver\nTimedOut");
    CFRelease(name);
}

TEST(S11_only_the_default_mode_is_common,
     "On a new loop, including the main one, only the default mode is common; an application declares the tracking mode common itself") {
    Items items = makeItems();
    addItems(items, COMMON);
    CHECK(!CFRunLoopContainsTimer(LOOP, items.timer, CFSTR("UITrackingRunLoopMode")));
    CFRunLoopAddCommonMode(LOOP, CFSTR("UITrackingRunLoopMode"));
    CHECK(CFRunLoopContainsTimer(LOOP, items.timer, CFSTR("UITrackingRunLoopMode")));
    OnNewThread(^{
        Items others = makeItems();
        addItems(others, COMMON);
        logWhere(others);
        CHECK(!CFRunLoopContainsTimer(LOOP, others.timer, CFSTR("UITrackingRunLoopMode")));
    });
    CHECK_LOG("in: common DefaultMode");
}

// MARK: - Defects of other run loops: D14, D15, the common modes by name

TEST(D14_the_common_modes_are_known_by_their_name_not_their_address,
     "A string equal to kCFRunLoopCommonModes stands for the common modes, although it is another object. The defect: a timer added "
     "under it never fired") {
    CFStringRef equal = CFStringCreateWithCString(NULL, "kCFRunLoopCommonModes", kCFStringEncodingUTF8);
    CHECK(equal != kCFRunLoopCommonModes);
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopTimerRef timer = MakeTimer("timer", 0, 1e9, NULL);
    CFRunLoopObserverRef observer = MakeObserver("observer", kCFRunLoopEntry, 0, NULL);
    CFRunLoopAddSource(LOOP, source, equal);
    CFRunLoopAddTimer(LOOP, timer, equal);
    CFRunLoopAddObserver(LOOP, observer, equal);
    CFRunLoopPerformBlock(LOOP, equal, ^{ LOG("block"); });
    CFRunLoopSourceSignal(source);
    Run(DEFAULT, 0, false);
    CHECK_LOG("observer\nblock\nsource\ntimer\nTimedOut");

    CHECK(CFRunLoopContainsSource(LOOP, source, COMMON) && CFRunLoopContainsSource(LOOP, source, equal));
    CHECK(CFRunLoopContainsTimer(LOOP, timer, COMMON) && CFRunLoopContainsTimer(LOOP, timer, equal));
    CHECK(CFRunLoopContainsObserver(LOOP, observer, COMMON) && CFRunLoopContainsObserver(LOOP, observer, equal));
    CFRunLoopAddCommonMode(LOOP, equal);
    CFRunLoopRemoveSource(LOOP, source, equal);
    CFRunLoopRemoveTimer(LOOP, timer, equal);
    CFRunLoopRemoveObserver(LOOP, observer, equal);
    CHECK(!CFRunLoopContainsSource(LOOP, source, DEFAULT));
    CHECK(!CFRunLoopContainsTimer(LOOP, timer, DEFAULT));
    CHECK(!CFRunLoopContainsObserver(LOOP, observer, DEFAULT));
    LOG_EVENT_CLEAR();
    LogModes(LOOP);
    CHECK_LOG("modes: CommonModes DefaultMode"); // the block has made the mode of that name
    CFRelease(equal);
}

// MARK: - D29: common items, removed from their modes one by one

/// The operations on items of one kind. C allows no call through a pointer to a function of another type, so this gives the functions of
/// all kinds one type.
typedef struct Kind {
    void (*add)(CFTypeRef item, CFStringRef mode);
    void (*remove)(CFTypeRef item, CFStringRef mode);
    Boolean (*isIn)(CFTypeRef item, CFStringRef mode);
    void (*invalidate)(CFTypeRef item);
} Kind;

#define KIND(kind)                                                                                                             \
    static void add##kind(CFTypeRef item, CFStringRef mode) { CFRunLoopAdd##kind(LOOP, (CFRunLoop##kind##Ref)item, mode); }        \
    static void remove##kind(CFTypeRef item, CFStringRef mode) { CFRunLoopRemove##kind(LOOP, (CFRunLoop##kind##Ref)item, mode); }  \
    static Boolean is##kind##In(CFTypeRef item, CFStringRef mode) {                                                              \
        return CFRunLoopContains##kind(LOOP, (CFRunLoop##kind##Ref)item, mode);                                                  \
    }                                                                                                                          \
    static void invalidate##kind(CFTypeRef item) { CFRunLoop##kind##Invalidate((CFRunLoop##kind##Ref)item); }                    \
    static const Kind kind##s = {add##kind, remove##kind, is##kind##In, invalidate##kind};

KIND(Source)
KIND(Timer)
KIND(Observer)

static void forgetPiecemeal(CFTypeRef item, const Kind *kind) {
    CFIndex references = CFGetRetainCount(item);
    kind->add(item, COMMON);
    kind->remove(item, A);
    kind->remove(item, DEFAULT);
    CHECK(!kind->isIn(item, A) && !kind->isIn(item, DEFAULT));
    CHECK(kind->isIn(item, COMMON)); // it is still a common item
    CFStringRef name = CFStringCreateWithFormat(NULL, NULL, CFSTR("mode of %p"), item);
    CFRunLoopAddCommonMode(LOOP, name);
    CHECK(kind->isIn(item, name)); // and a new common mode gets it
    kind->remove(item, name);
    kind->invalidate(item);
    CHECK(!kind->isIn(item, COMMON) && !kind->isIn(item, name));
    CHECK_EQ_INT(CFGetRetainCount(item), references);
    CFRelease(name);
}

TEST(D29_a_common_item_removed_from_its_modes_one_by_one_is_not_half_forgotten,
     "A common item that is removed from its modes one by one stays a common item until it is removed as one or invalidated. The defect: "
     "after its invalidation, it was still contained and retained") {
    CFRunLoopAddCommonMode(LOOP, A);
    forgetPiecemeal(MakeSource0("source", 0, NULL), &Sources);
    forgetPiecemeal(MakeTimer("timer", 10, 0, NULL), &Timers);
    forgetPiecemeal(MakeObserver("observer", 1, 0, NULL), &Observers);
}

TEST(CFRunLoopAddCommonMode_names_itself_when_the_mode_is_null,
     "CFRunLoopAddCommonMode aborts with its own name if the mode is NULL, not with that of the function that copies the name") {
    CHECK_HALTS("CFRunLoopAddCommonMode was given NULL", CFRunLoopAddCommonMode(LOOP, NULL));
}
