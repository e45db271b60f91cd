/// ObserverTests.c: observers (O1, O2): the activities, what many observers cost, and the mask of a mode. Which observers are notified, and in which order, is in
/// Programs/Cases/Items.txt.
#include "Fakes.h"
#include "LoopSupport.h"

TEST(O1_activities_have_the_documented_values, "The six activities have the bit values of the original's header") {
    CHECK_EQ_INT(kCFRunLoopEntry, 1);
    CHECK_EQ_INT(kCFRunLoopBeforeTimers, 2);
    CHECK_EQ_INT(kCFRunLoopBeforeSources, 4);
    CHECK_EQ_INT(kCFRunLoopBeforeWaiting, 32);
    CHECK_EQ_INT(kCFRunLoopAfterWaiting, 64);
    CHECK_EQ_INT(kCFRunLoopExit, 128);
    CHECK_EQ_INT(kCFRunLoopAllActivities, 0x0FFFFFFF);
}

// MARK: - Many observers

/// The processor time for each of `count` observers that are added, called in one pass and invalidated one after the other.
static double secondsForEach(int count) {
    KeepAlive(LOOP, A);
    double start = ThreadSeconds();
    for (int i = 0; i < count; i++) {
        CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, kCFRunLoopBeforeTimers, false, 0, NULL, NULL);
        CFRunLoopAddObserver(LOOP, observer, A);
        CFRelease(observer);
    }
    CFRunLoopRunInMode(A, 0, false);
    double seconds = ThreadSeconds() - start;
    CHECK_EQ_INT(CFArrayGetCount(ModeNamed(LOOP, A)->_observers), 0);
    return seconds / count;
}

TEST(O2_observers_that_go_in_one_pass_are_linear,
     "40,000 one-shot observers that are added and leave in one pass cost about as much each as 1,000 do. The defect: each one that left "
     "collected the activities of all the others, with the loop locked") {
    ChecksLoops = false; // the checker would check all of them, again and again
    secondsForEach(1000);
    double few = 0, many = 0;
    for (int attempt = 0; attempt < 5; attempt++) { // other processes may slow one attempt down
        few = secondsForEach(1000);
        many = secondsForEach(40000);
        if (many <= 8 * few) return;
    }
    FAIL("%g s each, and %g s each of more", few, many);
}

TEST(O2_the_mask_of_a_mode_only_grows,
     "A mode's mask gets the activities of each observer that is added, and keeps them when it leaves, as in all versions of the original; "
     "a pass then finds no observer to notify") {
    CFRunLoopObserverRef one = MakeObserver("one", kCFRunLoopEntry, 0, NULL), two = MakeObserver("two", kCFRunLoopExit, 0, NULL);
    KeepAlive(LOOP, A);
    CFRunLoopAddObserver(LOOP, one, A);
    CFRunLoopAddObserver(LOOP, two, A);
    CHECK_EQ_INT(ModeNamed(LOOP, A)->_observerMask, kCFRunLoopEntry | kCFRunLoopExit);
    CFRunLoopRemoveObserver(LOOP, one, A);
    CFRunLoopObserverInvalidate(two);
    CHECK_EQ_INT(ModeNamed(LOOP, A)->_observerMask, kCFRunLoopEntry | kCFRunLoopExit);
    Run(A, 0, false);
    CHECK_LOG("TimedOut");
}
