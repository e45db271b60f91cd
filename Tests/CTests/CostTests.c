/// CostTests.c: the costs of the loop: system calls, instructions, descriptors and threads. The tests count them and time nothing, so the
/// results hold on any machine.
///
/// The comparisons of instructions are between a small and a large set of items. A logarithmic cost may grow a few times from ten items to
/// ten thousand; a walk over all items would cost a thousand times as much. The bound is far from both.
#include "Faults.h"
#include "LoopSupport.h"
#include "Syscalls.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The system calls that may wait for a port. Which one is used depends on the kernel and the processor.
static long waits(const Measure *m) {
    long count = m->of[SYS_epoll_pwait];
#if defined(SYS_epoll_pwait2)
    count += m->of[SYS_epoll_pwait2];
#endif
#if defined(SYS_epoll_wait)
    count += m->of[SYS_epoll_wait];
#endif
    return count;
}

static long startedThreads(const Measure *m) { return m->of[SYS_clone] + m->of[SYS_clone3]; }

/// How many passes are measured at a time. A run makes a few more first, to warm up.
enum { passes = 10 };

/// Measures the passes between the third and the thirteenth BeforeTimers, then stops the run.
static void measurePasses(CFStringRef mode) {
    __block int seen = 0;
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
        seen++;
        if (seen == 3 + passes) EndMeasure();
        if (seen == 4 + passes) CFRunLoopStop(LOOP);
        if (seen == 3) BeginMeasure();
    }), mode);
    CFRunLoopRunInMode(mode, 10 * TimeScale(), false);
    CHECK_GE(seen, 4 + passes);
}

// MARK: - System calls

/// The wake-up port wakes every pass: a block queues the next block and wakes the loop.
static void measureWokenPasses(CFStringRef mode) {
    KeepAlive(LOOP, mode);
    __block Body again = NULL;
    again = ^{
        CFRunLoopPerformBlock(LOOP, mode, again);
        CFRunLoopWakeUp(LOOP);
    };
    CFRunLoopPerformBlock(LOOP, mode, again);
    measurePasses(mode);
}

TEST(C1_woken_pass_makes_two_calls, "A pass that sleeps and that its wake-up port wakes waits once and reads once") {
    Measure m;
    if (!MeasureCalls(&m, 1, ^{ measureWokenPasses(A); })) return;
    CHECK_GE(m.of[SYS_write], passes); // the wake-ups; without them nothing was measured
    CHECK_LE(waits(&m), passes);
    CHECK_LE(m.of[SYS_read], passes);
    CHECK_LE(m.calls - m.of[SYS_write], 2 * passes);
}

TEST(C1_woken_pass_that_serves_the_main_queue_makes_three_calls,
     "Where a run serves the main queue, step 5 checks the queue's port, whether or not an observer watches: one call more a pass") {
    for (int isWatched = 0; isWatched < 2; isWatched++) {
        Measure m;
        if (!MeasureCalls(&m, 1, ^{
                if (isWatched) CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {}), DEFAULT);
                measureWokenPasses(DEFAULT);
            })) return;
        CHECK_GE(m.of[SYS_write], passes);
        CHECK_EQ_INT(m.calls - m.of[SYS_write], 3 * passes);
    }
}

TEST(C2_limited_run_waits_once, "A run that times out makes one wait; no thread is started for the limit") {
    Measure m;
    if (!MeasureCalls(&m, 1, ^{
            KeepAlive(LOOP, A);
            CFRunLoopRunInMode(A, 0.001, false);
            BeginMeasure();
            CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.01, false), kCFRunLoopRunTimedOut);
            EndMeasure();
        })) return;
    CHECK_EQ_INT(waits(&m), 1);
    CHECK_EQ_INT(m.calls, 1);
    CHECK_EQ_INT(startedThreads(&m), 0);
}

TEST(C2_first_limited_run_starts_no_thread, "Not even the first limited run of a process starts a thread") {
    Measure m;
    if (!MeasureCalls(&m, 1, ^{
            BeginMeasure();
            KeepAlive(LOOP, A);
            CFRunLoopRunInMode(A, 0.001, false);
            EndMeasure();
        })) return;
    CHECK_GE(m.calls, 1);
    CHECK_EQ_INT(startedThreads(&m), 0);
}

/// The calls of runs with a limit of 0, in a mode with a Source0, a timer far ahead and, if wanted, a version 1 source.
static bool measurePolls(Measure *m, CFStringRef mode, bool withDescriptor) {
    return MeasureCalls(m, 1, ^{
        KeepAlive(LOOP, mode);
        CFRunLoopAddTimer(LOOP, MakeTimer("far", 1000, 0, NULL), mode);
        if (withDescriptor) CFRunLoopAddSource(LOOP, MakeSource1("idle", eventfd(0, EFD_CLOEXEC), NULL), mode);
        CFRunLoopRunInMode(mode, 0, false);
        BeginMeasure();
        for (int i = 0; i < passes; i++) CFRunLoopRunInMode(mode, 0, false);
        EndMeasure();
    });
}

TEST(C3_poll_is_one_call,
     "A run with a limit of 0 makes one system call, which checks the descriptors and the main queue's port together. A mode with only the loop's own "
     "ports is polled without one, because the loop knows which of them are ready") {
    static const struct { bool inDefault, withDescriptor; int calls; } polls[] = {{false, true, passes}, {true, false, passes}, {true, true, passes}, {false, false, 0}};
    for (int i = 0; i < 4; i++) {
        Measure m;
        if (!measurePolls(&m, polls[i].inDefault ? DEFAULT : A, polls[i].withDescriptor)) return;
        CHECK_EQ_INT(waits(&m), polls[i].calls);
        CHECK_EQ_INT(m.calls, polls[i].calls);
    }
}

TEST(C3_a_poll_after_a_wake_up_is_no_call, "A wake-up that was received costs the later polls nothing") {
    Measure m;
    if (!MeasureCalls(&m, 1, ^{
            KeepAlive(LOOP, A);
            CFRunLoopPerformBlock(LOOP, A, ^{ CFRunLoopWakeUp(LOOP); });
            CFRunLoopRunInMode(A, 0.01, false);
            BeginMeasure();
            for (int i = 0; i < passes; i++) CFRunLoopRunInMode(A, 0, false);
            EndMeasure();
        })) return;
    CHECK_EQ_INT(m.calls, 0);
}

/// How many timerfds the process has open.
static int timerDescriptors(void) {
    int count = 0;
    for (int i = 0; i < 1024; i++) {
        char path[32], target[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        if (readlink(path, target, sizeof target - 1) > 0) count += strcmp(target, "anon_inode:[timerfd]") == 0;
    }
    return count;
}

/// The passes of a loop with nothing but a timer that repeats.
static void measureTicks(CFStringRef mode) {
    CFRunLoopAddTimer(LOOP, MakeTimer("tick", 0, 0.002, NULL), mode);
    measurePasses(mode);
    CHECK_EQ_INT(timerDescriptors(), 0);
}

TEST(C4_a_tick_of_an_idle_loop_makes_one_call, "A repeating timer in an idle loop costs one wait a tick, and no timerfd: nothing is armed in the kernel") {
    Measure m;
    if (!MeasureCalls(&m, 1, ^{ measureTicks(A); })) return;
    CHECK_EQ_INT(waits(&m), passes);
    CHECK_EQ_INT(m.calls, passes);
}

TEST(C4_a_tick_of_a_loop_that_serves_the_main_queue_makes_two_calls,
     "Where a run serves the main queue, a tick makes one call more, step 5's: it reads the queue's port") {
    Measure m;
    if (!MeasureCalls(&m, 1, ^{ measureTicks(DEFAULT); })) return;
    CHECK_EQ_INT(waits(&m), passes);
    CHECK_EQ_INT(m.of[SYS_read], passes);
    CHECK_EQ_INT(m.calls, 2 * passes);
}

TEST(C4_an_embedded_mode_has_a_timerfd_while_it_has_timers,
     "Only a host's wait needs a timerfd: an embedded mode creates it for its first timer") {
    CFRunLoopTimerRef timer = MakeTimer("far", 1000, 0, NULL);
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopRunInMode(A, 0.001, false);
    CHECK_EQ_INT(timerDescriptors(), 0);
    CFRunLoopGetDescriptor(LOOP, A);
    CHECK_EQ_INT(timerDescriptors(), 1);
    CFRunLoopGetDescriptor(LOOP, B);
    CHECK_EQ_INT(timerDescriptors(), 1);
    CFRunLoopAddTimer(LOOP, timer, B);
    CHECK_EQ_INT(timerDescriptors(), 2);
}

TEST(C5_source_1_event_makes_one_call, "An event of a version 1 source costs the loop one wait; the source reads the descriptor itself") {
    Measure m;
    if (!MeasureCalls(&m, 1, ^{
            int descriptor = eventfd(1, EFD_NONBLOCK);
            CFRunLoopAddSource(LOOP, MakeSource1("event", descriptor, ^{
                uint64_t count = 1;
                CHECK_EQ_INT(read(descriptor, &count, sizeof(count)), 8);
                CHECK_EQ_INT(write(descriptor, &count, sizeof(count)), 8);
            }), A);
            measurePasses(A);
        })) return;
    CHECK_EQ_INT(m.of[SYS_read], passes);
    CHECK_EQ_INT(m.of[SYS_write], passes);
    CHECK_LE(m.calls, 3 * passes);
}

/// Performs `count` version 1 sources whose descriptors are ready at once.
static bool measureReadyDescriptors(Measure *m, CFStringRef mode, int count) {
    return MeasureCalls(m, 1, ^{
        __block int performed = 0;
        for (int i = 0; i < count; i++) {
            int descriptor = eventfd(1, EFD_NONBLOCK);
            CFRunLoopAddSource(LOOP, MakeSource1("event", descriptor, ^{
                uint64_t ignored;
                CHECK_EQ_INT(read(descriptor, &ignored, sizeof(ignored)), 8);
                if (++performed == count) CFRunLoopStop(LOOP);
            }), mode);
        }
        CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopEntry, ^(CFRunLoopActivity activity) { BeginMeasure(); }), mode);
        CHECK_EQ_INT(CFRunLoopRunInMode(mode, 10, false), kCFRunLoopRunStopped);
        EndMeasure();
    });
}

TEST(C6_a_ready_descriptor_costs_one_call,
     "Each of 64 ready descriptors costs one wait and the client's read; where a run serves the main queue, also step 5's read") {
    enum { count = 64 };
    Measure m;
    if (!measureReadyDescriptors(&m, A, count)) return;
    CHECK_EQ_INT(m.of[SYS_read], count);
    CHECK_EQ_INT(m.calls, 2 * count);
    if (!measureReadyDescriptors(&m, DEFAULT, count)) return;
    CHECK_EQ_INT(m.of[SYS_read], 2 * count - 1); // the first pass of a run has no step 5
    CHECK_LE(m.calls, 3 * count + 3); // three calls create the queue's port, and one inserts it
}

// MARK: - Instructions: few items against many

/// The large set may cost at most this much of what the small one costs, in percent. The checks of a sanitizer count, too; they make some
/// cases eight times as expensive.
enum { atMostTwelveTimes = 1200 };

/// Measures once among a few items and once among many. Checks that the instructions among many are at most `percent` of those among few.
static void compare(void (*measure)(int count), int few, int many, long percent) {
    Measure amongFew, amongMany;
    if (!MeasureInstructions(&amongFew, 1, ^{ measure(few); }) || !MeasureInstructions(&amongMany, 1, ^{ measure(many); })) return;
    CHECK_GE(amongFew.instructions, 20);
    CHECK_LE(amongMany.instructions, amongFew.instructions * percent / 100);
}

/// Does it once to warm up, and measures it the second time.
static void measureSecond(void (^act)(int round)) {
    act(0);
    BeginMeasure();
    act(1);
    EndMeasure();
}

/// Timers far in the future, in no order. The caller has the array; the mode retains them.
static CFRunLoopTimerRef *addFarTimers(int count) {
    CFRunLoopTimerRef *timers = malloc(sizeof(*timers) * (size_t)count);
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    for (int i = 0; i < count; i++) {
        timers[i] = CFRunLoopTimerCreate(NULL, now + 1000 + (double)(i * 7919LL % count), 0, 0, 0, NULL, NULL);
        CFRunLoopAddTimer(LOOP, timers[i], A);
    }
    return timers;
}

/// Adds one timer, moves one and invalidates one among `count`, as three measures.
static void measureTimerChanges(int count) {
    CFRunLoopTimerRef *timers = addFarTimers(count);
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    for (int round = 0; round < 2; round++) { // the first round only warms up
        CFRunLoopTimerRef added = CFRunLoopTimerCreate(NULL, now + 1000 + count * 0.7, 0, 0, 0, NULL, NULL);
        if (round) BeginMeasure();
        CFRunLoopAddTimer(LOOP, added, A);
        if (round) EndMeasure();
        if (round) BeginMeasure();
        CFRunLoopTimerSetNextFireDate(timers[count / 3], now + 1000 + count * 0.4 + round);
        if (round) EndMeasure();
        if (round) BeginMeasure();
        CFRunLoopTimerInvalidate(timers[count / 2 + round]);
        if (round) EndMeasure();
    }
}

TEST(C7_timer_changes_among_many,
     "Adding one timer among 2,000 finds its place by halves, and costs less than twice as much as among 50. Moving and invalidating one search the "
     "array, as in the original, and each moves up to half of it in memory: among 40 times as many timers they cost less than 10 times as much") {
    if (UNDER_THREAD_SANITIZER || UNDER_ADDRESS_SANITIZER) SKIP("a sanitizer's own instructions are most of such a search");
    enum { add, move, invalidate, changes };
    Measure few[changes], many[changes];
    if (!MeasureInstructions(few, changes, ^{ measureTimerChanges(50); })) return;
    if (!MeasureInstructions(many, changes, ^{ measureTimerChanges(2000); })) return;
    CHECK_LE(many[add].instructions, 2 * few[add].instructions);
    CHECK_LE(many[move].instructions, 10 * few[move].instructions);
    CHECK_LE(many[invalidate].instructions, 10 * few[invalidate].instructions);
}

/// One timer fires in a run that polls, with `count` timers far ahead.
static void measureTimerFire(int count) {
    addFarTimers(count);
    __block int fired = 0;
    CFRunLoopTimerRef timer = MakeTimer("tick", 0, 3600, ^{ fired++; });
    CFRunLoopAddTimer(LOOP, timer, A);
    POLL_UNTIL(A, fired);
    CFRunLoopTimerSetNextFireDate(timer, 0);
    usleep(2000);
    BeginMeasure();
    CFRunLoopRunInMode(A, 0, false);
    EndMeasure();
    CHECK_EQ_INT(fired, 2);
}

TEST(C7_timer_fire_among_many, "A timer that fires costs about the same among 20,000 far timers as among 10") {
    compare(measureTimerFire, 10, 20000, atMostTwelveTimes);
}

/// Removes one version 1 source of `count`, each of which has taken the place of one with the same port.
static void measureRemoval(int count) {
    CFRunLoopSourceRef *sources = malloc(sizeof(*sources) * (size_t)count);
    for (int i = 0; i < count; i++) {
        sources[i] = MakeSource1("idle", eventfd(0, EFD_CLOEXEC), NULL);
        CFRunLoopSourceRef former = MakeSource1("idle", (int)sources[i]->_context.version1.getPort(sources[i]->_context.version1.info), NULL);
        CFRunLoopAddSource(LOOP, former, A);
        CFRunLoopAddSource(LOOP, sources[i], A);
        CFRunLoopRemoveSource(LOOP, former, A);
    }
    measureSecond(^(int round) { CFRunLoopRemoveSource(LOOP, sources[round], A); });
    free(sources);
}

TEST(C8_a_removal_visits_no_other_source,
     "Removing a version 1 source costs about as much among 800 as among 10, also if it has replaced one with the same port. The defect: each "
     "removal copied all the others") {
    compare(measureRemoval, 10, 800, atMostTwelveTimes);
}

/// A signaled source is performed in a loop with `count` other modes, each of which has a source.
static void measureSignalAmongModes(int count) {
    for (int i = 0; i < count; i++) {
        CFStringRef mode = CFStringCreateWithFormat(NULL, NULL, CFSTR("mode %d"), i);
        KeepAlive(LOOP, mode);
        CFRelease(mode);
    }
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    measureSecond(^(int round) {
        CFRunLoopSourceSignal(source);
        CFRunLoopRunInMode(A, 0, false);
    });
}

TEST(C8_a_signal_visits_no_other_mode, "A signaled source costs as much in a loop with 1,000 other modes as with one") {
    compare(measureSignalAmongModes, 1, 1000, 200);
}

/// A block queued in a run that is nested in a block, behind `count` others of the same mode that wait for the outer run.
static void measureNestedBlock(int count) {
    KeepAlive(LOOP, A);
    CFRunLoopPerformBlock(LOOP, A, ^{
        measureSecond(^(int round) {
            CFRunLoopPerformBlock(LOOP, A, ^{});
            CFRunLoopRunInMode(A, 0, false);
        });
    });
    for (int i = 0; i < count; i++) CFRunLoopPerformBlock(LOOP, A, ^{});
    CFRunLoopRunInMode(A, 0, false);
}

TEST(C9_blocks_of_a_nested_run_do_not_walk_by_older_ones,
     "A block of a nested run costs about as much behind 10,000 blocks of the outer run as behind one") {
    compare(measureNestedBlock, 1, 10000, 150);
}

/// One ready version 1 source is served among `count` that are not ready.
static void measureReadyDescriptor(int count) {
    int ready = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
    __block int performed = 0;
    for (int i = 0; i < count; i++) CFRunLoopAddSource(LOOP, MakeSource1("idle", eventfd(0, 0), NULL), A);
    CFRunLoopAddSource(LOOP, MakeSource1("ready", ready, ^{
        uint64_t ignored;
        if (read(ready, &ignored, sizeof(ignored)) == 8) performed++;
    }), A);
    CHECK_EQ_INT(write(ready, &(uint64_t){2}, 8), 8);
    measureSecond(^(int round) { CFRunLoopRunInMode(A, 0, false); });
    CHECK_EQ_INT(performed, 2);
}

TEST(C10_a_descriptor_served_among_many, "A ready descriptor costs as much among 500 as alone") {
    compare(measureReadyDescriptor, 1, 500, atMostTwelveTimes);
}

// MARK: - Allocations

static int callsOfAPass; // of the sources and the timers

static void countPerform(void *info) { callsOfAPass++; }
static void countFire(CFRunLoopTimerRef timer, void *info) { callsOfAPass++; }

/// The allocations of a pass that notifies `observers` observers, performs `items` sources, and fires `items` timers, each in `items` modes.
static int allocationsOfAPass(int observers, int items) {
    CFRunLoopSourceContext context = {.perform = countPerform};
    CFRunLoopSourceRef sources[9];
    CFRunLoopTimerRef timers[9];
    for (int i = 0; i < observers; i++) CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeSources, ^(CFRunLoopActivity activity) {}), A);
    for (int i = 0; i < items; i++) {
        CFRunLoopAddSource(LOOP, sources[i] = CFRunLoopSourceCreate(NULL, i, &context), A);
        CFRunLoopAddTimer(LOOP, timers[i] = CFRunLoopTimerCreate(NULL, 0, 1000, 0, 0, countFire, NULL), A);
        for (int mode = 1; mode < items; mode++) {
            CFStringRef name = CFStringCreateWithFormat(NULL, NULL, CFSTR("mode %d"), mode);
            CFRunLoopAddTimer(LOOP, timers[i], name);
            CFRelease(name);
        }
    }
    for (int round = 0; round < 2; round++) { // the first makes the arrays as large as they need to be
        callsOfAPass = 0;
        for (int i = 0; i < items; i++) CFRunLoopSourceSignal(sources[i]);
        for (int i = 0; i < items; i++) CFRunLoopTimerSetNextFireDate(timers[i], 0);
        CountCalls(ALL_ALLOCATIONS, 0);
        CFRunLoopRunInMode(A, 0, false);
        FaultsOff();
        CHECK_EQ_INT(callsOfAPass, 2 * items);
    }
    return Faults->calls;
}

TEST(C12_a_pass_with_few_items_allocates_nothing,
     "A pass has room on the stack for 64 observers, 8 signaled sources, 8 due timers and the 8 modes of a timer. For one more of each it allocates memory") {
    if (FAULTS_UNDER_SANITIZER) SKIP("a sanitizer's allocator is not counted");
    ChecksLoops = false; // the checks allocate
    __block int few = 0, more = 0;
    OnNewThread(^{ few = allocationsOfAPass(64, 8); });
    OnNewThread(^{ more = allocationsOfAPass(65, 9); });
    CHECK_EQ_INT(few, 0);
    CHECK_EQ_INT(more, 3 + 9);
}

// MARK: - Descriptors and threads

TEST(C11_descriptors_of_a_loop_and_its_modes,
     "A loop has one descriptor; a mode that has run has one more, whatever its timers, and a mode that has never run has none; all are "
     "closed when the thread has ended") {
    int before = OpenDescriptorCount();
    OnNewThread(^{
        CFRunLoopGetCurrent(); // the first loop also creates the main loop (R4), which stays
    });
    int start = OpenDescriptorCount();
    CHECK_EQ_INT(start - before, 1);
    OnNewThread(^{
        CFRunLoopGetCurrent();
        CHECK_EQ_INT(OpenDescriptorCount() - start, 1);
        CFStringRef modes[] = {DEFAULT, A, B};
        for (int i = 0; i < 3; i++) {
            KeepAlive(LOOP, modes[i]);
            CFRunLoopAddTimer(LOOP, MakeTimer("far", 1000, 0, NULL), modes[i]);
            CFRunLoopPerformBlock(LOOP, modes[i], ^{});
        }
        CHECK_EQ_INT(OpenDescriptorCount() - start, 1);
        CFRunLoopRunInMode(A, 0.001, false);
        CHECK_EQ_INT(OpenDescriptorCount() - start, 1 + 1);
        for (int i = 0; i < 10; i++) CFRunLoopRunInMode(A, 0, false);
        CHECK_EQ_INT(OpenDescriptorCount() - start, 1 + 1);
        CFRunLoopRunInMode(B, 0.001, false);
        CHECK_EQ_INT(OpenDescriptorCount() - start, 1 + 1 + 1);
    });
    CHECK_EQ_INT(OpenDescriptorCount(), start);
}

TEST(C11_a_loop_that_only_polls_has_one_descriptor,
     "A loop that never waits, and whose client has no descriptors in it, opens only its wake-up port") {
    int before = OpenDescriptorCount();
    bool *performed = (bool[]){false};
    CFRunLoopSourceRef source = MakeSource0("source", 0, ^{ *performed = true; });
    CFRunLoopRef loop = LOOP;
    CFRunLoopAddSource(loop, source, A);
    CFRunLoopSourceSignal(source);
    CFRunLoopRunInMode(A, 0, false);
    CHECK(*performed);
    CHECK_EQ_INT(OpenDescriptorCount(), before + 1);
    CFRunLoopRunInMode(A, 0.001, false);
    CHECK_EQ_INT(OpenDescriptorCount(), before + 2);
}
