/// SourceTests.c: sources (I1 to I3): which descriptors may be waited for, which of several ready ones is served, and what a getPort may do. The
/// callbacks of their contexts are in the scenarios of Conformance, and the loop's own ports in other files.
#include "Checker.h"
#include "LoopSupport.h"
#include <sys/eventfd.h>
#include <unistd.h>

TEST(I1_a_port_source_that_was_invalidated_meanwhile_has_not_been_handled,
     "Another thread may invalidate a source when its port has woken the loop: then the source is not performed, and the run does not count it as handled") {
    CFRunLoopSourceRef one = MakeSource1("one", eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), NULL);
    CFRunLoopAddSource(LOOP, one, A);
    CFRunLoopSourceInvalidate(one);
    __CFRunLoopLock(LOOP);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(LOOP, A, false);
    CHECK(!__CFRunLoopDoSource1(LOOP, rlm, one));
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(LOOP);
    CHECK_LOG("");
}

// MARK: - Version 1: any descriptor

/// Reads what there is, up to 15 bytes, and logs it as "got abc".
static void logBytes(int descriptor) {
    char bytes[16] = "";
    ssize_t count = read(descriptor, bytes, 15);
    LOG(count < 0 ? "failed" : "got %s", bytes);
}

TEST(I2_on_a_pipe, "A pipe as port: every byte arrives, and the hang-up at the end wakes the loop, too [D17]") {
    int ends[2];
    CHECK_EQ_INT(pipe(ends), 0);
    int readEnd = ends[0];
    CFRunLoopAddSource(LOOP, MakeSource1("pipe", readEnd, ^{ logBytes(readEnd); }), A);
    Run(A, 0, true);
    CHECK_EQ_INT(write(ends[1], "abcdefghij", 10), 10);
    Run(A, 5, true);
    CHECK_EQ_INT(write(ends[1], "k", 1), 1);
    Run(A, 5, true);
    close(ends[1]);
    Run(A, 5, true);
    CHECK_LOG("TimedOut\npipe\ngot abcdefghij\nHandledSource\npipe\ngot k\nHandledSource\npipe\ngot \nHandledSource");
}

TEST(I2_no_starvation, "Of 100 descriptors that are always ready, none is performed more than twice as often as another") {
    enum { count = 100 };
    static int performed[count];
    for (int i = 0; i < count; i++) {
        int descriptor = eventfd(1, EFD_NONBLOCK); // never read: always ready
        CFRunLoopAddSource(LOOP, MakeSource1("ready", descriptor, ^{ performed[i]++; }), A);
    }
    __block int passes = 0;
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
        if (++passes == 10 * count) CFRunLoopStop(LOOP);
    }), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 20 * TimeScale(), false), kCFRunLoopRunStopped);
    int least = performed[0], most = performed[0];
    for (int i = 1; i < count; i++) {
        if (performed[i] < least) least = performed[i];
        if (performed[i] > most) most = performed[i];
    }
    CHECK_GE(least, 5);
    CHECK_LE(most, 2 * least);
}

TEST(I2_ready_descriptors_do_not_starve_the_rest,
     "A descriptor that is always ready delays neither a timer nor a signalled source nor a wake-up") {
    CFRunLoopAddSource(LOOP, MakeSource1("ready", eventfd(1, EFD_NONBLOCK), ^{ LOG_EVENT_CLEAR(); }), A);
    __block int seen = 0;
    CFRunLoopSourceRef source = MakeSource0("source 0", 0, ^{ seen |= 1; });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddTimer(LOOP, MakeTimer("timer", 0.005, 0, ^{
        seen |= 2;
        CFRunLoopSourceSignal(source);
        CFRunLoopPerformBlock(LOOP, A, ^{ seen |= 4; });
    }), A);
    double end = SecondsNow() + 10 * TimeScale();
    while (seen != 7 && SecondsNow() < end) CFRunLoopRunInMode(A, 0.02, false);
    CHECK_EQ_INT(seen, 7);
}

TEST(I2_invalidated_while_ready,
     "A source invalidated while its descriptor is ready is not performed any more, even if the wait has already reported it") {
    int descriptors[2] = {eventfd(1, EFD_NONBLOCK), eventfd(1, EFD_NONBLOCK)};
    __block CFRunLoopSourceRef one = NULL, two = NULL;
    one = MakeSource1("one", descriptors[0], ^{ CFRunLoopSourceInvalidate(two); });
    two = MakeSource1("two", descriptors[1], ^{ CFRunLoopSourceInvalidate(one); });
    CFRunLoopAddSource(LOOP, one, A);
    CFRunLoopAddSource(LOOP, two, A);
    KeepAlive(LOOP, A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 5, true), kCFRunLoopRunHandledSource);
    CHECK(CFRunLoopSourceIsValid(one) != CFRunLoopSourceIsValid(two));
    LOG_EVENT_CLEAR();
    CFRunLoopSourceRef left = CFRunLoopSourceIsValid(one) ? one : two;
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 5, true), kCFRunLoopRunHandledSource);
    CHECK_LOG(left == one ? "one" : "two");
}

// The defects: the removal of one of two took the port out of the set for both, and so did that of the last but one of three.
TEST(D19_of_several_sources_on_a_port_the_last_performs,
     "Eight sources have the same port: the one that was added last performs, however many of the others leave before it; when it leaves, the one that "
     "was added before it performs") {
    enum { count = 8 };
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    int port = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CFRunLoopSourceRef sources[count];
    for (int i = 0; i < count; i++) sources[i] = MakeEventSource(names[i], port);
    for (int last = 0; last < count; last++) {
        for (int i = 1; i <= count; i++) CFRunLoopAddSource(LOOP, sources[(last + i) % count], A);
        for (int i = 1; i < count; i++) {
            CFRunLoopRemoveSource(LOOP, sources[(last + i) % count], A);
            eventfd_write(port, 1);
            CFRunLoopRunInMode(A, 5, true);
            CHECK_LOG(names[last]);
            LOG_EVENT_CLEAR();
        }
        CFRunLoopRemoveSource(LOOP, sources[last], A);
    }
    for (int i = 0; i < count; i++) CFRunLoopAddSource(LOOP, sources[i], A);
    for (int i = count - 1; i >= 0; i--) {
        eventfd_write(port, 1);
        CFRunLoopRunInMode(A, 5, true);
        CHECK_LOG(names[i]);
        LOG_EVENT_CLEAR();
        (i % 2 ? CFRunLoopSourceInvalidate(sources[i]) : CFRunLoopRemoveSource(LOOP, sources[i], A));
    }
    Run(A, 5, true);
    CHECK_LOG("Finished");
}

// MARK: - An unknown version

static const void *logRetain(const void *info) { LOG("retain %s", (const char *)info); return info; }
static void logRelease(const void *info) { LOG("release %s", (const char *)info); }

TEST(I1_a_source_of_an_unknown_version_retains_nothing, "A source with an unknown version retains nothing, and no mode takes it") {
    CFRunLoopSourceContext context = {.version = 7, .info = "seven", .retain = logRetain, .release = logRelease};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(LOOP, source, A);
    CHECK(!CFRunLoopContainsSource(LOOP, source, A));
    CFRelease(source);
    CHECK_LOG("");
}

// What a getPort does to its own source, once, while it is added

static CFRunLoopSourceRef removesItself;
static int leftToRemove, removingPort;

static __CFPort getPortAndRemove(void *info) {
    if (leftToRemove && !--leftToRemove) CFRunLoopRemoveSource(LOOP, removesItself, COMMON);
    return removingPort;
}

static void makeRemovingSource(void) {
    removingPort = eventfd(0, EFD_NONBLOCK);
    CFRunLoopSourceContext1 context = {.version = 1, .info = &removingPort, .getPort = getPortAndRemove};
    removesItself = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddCommonMode(LOOP, A);
}

TEST(I2_a_remove_comes_before_an_add_or_after_it,
     "A source that leaves the common modes during its getPort, while it is being added to them, is afterwards in all of them, and a "
     "common item. The defect: it was in some modes, and no common item") {
    for (int which = 1; which <= 2; which++) {
        makeRemovingSource();
        leftToRemove = which;
        CFRunLoopAddSource(LOOP, removesItself, COMMON);
        CHECK(CFRunLoopContainsSource(LOOP, removesItself, COMMON));
        CHECK(CFRunLoopContainsSource(LOOP, removesItself, kCFRunLoopDefaultMode));
        CHECK(CFRunLoopContainsSource(LOOP, removesItself, A));
        CFRunLoopSourceInvalidate(removesItself);
        CFRelease(removesItself);
        close(removingPort);
    }
    CheckLoop(LOOP);
}

TEST(I2_a_source_that_leaves_the_common_modes_does_not_enter_a_new_one,
     "A source that leaves the common modes during its getPort, while it is being added to a mode that is declared common, is not in "
     "that mode afterwards") {
    makeRemovingSource();
    CFRunLoopAddSource(LOOP, removesItself, COMMON);
    leftToRemove = 1;
    CFRunLoopAddCommonMode(LOOP, B);
    CHECK(!CFRunLoopContainsSource(LOOP, removesItself, COMMON));
    CHECK(!CFRunLoopContainsSource(LOOP, removesItself, A));
    CHECK(!CFRunLoopContainsSource(LOOP, removesItself, B));
    CHECK_EQ_INT(CFGetRetainCount(removesItself), 1);
    CheckLoop(LOOP);
}

TEST(L7_a_stop_outside_a_run_is_not_described, "A loop that does not run is not described as stopped, even after CFRunLoopStop") {
    CFRunLoopStop(LOOP);
    CHECK(DescriptionHas(LOOP, "stopped = false"));
}
