/// TimerTests.c: timers (T1 to T4, T7): their dates as numbers, many of them, tolerances, dispatch timers, longjmp, and that their array stays
/// sorted. In which order timers fire, in which modes and in which wake-up, is in Programs/Cases/Timers.txt.
///
/// No test checks that a timer was punctual, because on a busy machine no timer is. The tests check that it was not early, in which order
/// timers fired, and which date they got next.
#include "LoopSupport.h"
#include "Fakes.h"
#include "../../Sources/CRunLoop/Kernel/CFPortSet_Internal.h"
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// The difference in seconds that two dates may have because they are computed in different ways. A date of today has steps of 0.0000001 s.
#define DATE_EPSILON 0.0005

// MARK: - Adding and firing

TEST(T1_never_early, "A timer never fires before its date, and many timers fire in the order of their dates") {
    enum { count = 40 };
    const CFTimeInterval lead = 0.1 * TimeScale(); // a date that has passed when its timer is created counts as the time of creation
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    __block CFAbsoluteTime last = 0;
    for (int i = 0; i < count; i++) {
        CFAbsoluteTime date = now + lead + 0.0003 * (i * 17 % count);
        CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, date, 0, 0, 0, ^(CFRunLoopTimerRef t) {
            CHECK(CFAbsoluteTimeGetCurrent() >= date - DATE_EPSILON);
            CHECK(date > last);
            last = date;
            LOG("fired");
        });
        CFRunLoopAddTimer(LOOP, timer, A);
        CFRelease(timer);
    }
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 10, false), kCFRunLoopRunFinished);
    CHECK_EQ_DOUBLE(last, now + lead + 0.0003 * (count - 1), DATE_EPSILON);
}

TEST(T1_timers_that_fire_within_each_other_do_not_keep_others_from_being_armed,
     "In a run nested in the callbacks of 70 timers, all still at the head of the mode's array, another timer is waited for. The defect: "
     "the port was armed for one of the first 64 only") {
    enum { depth = 70 };
    static int nested;
    for (int i = 0; i < depth; i++) {
        CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 1000, 0, 0, ^(CFRunLoopTimerRef t) {
            if (++nested < depth) CFRunLoopRunInMode(A, 0, false);
            else Run(A, 10, false);
        });
        CFRunLoopAddTimer(LOOP, timer, A);
        CFRunLoopAddTimer(LOOP, timer, B);
        CFRelease(timer);
    }
    CFAbsoluteTime date = CFAbsoluteTimeGetCurrent() + 0.05;
    CFRunLoopTimerRef last = MakeTimer("last", 1000, 0, ^{ CFRunLoopStop(LOOP); });
    CFRunLoopTimerSetNextFireDate(last, date);
    CFRunLoopAddTimer(LOOP, last, A);
    CFRunLoopRunInMode(A, 0, false);
    CHECK_EQ_INT(nested, depth);
    CHECK_LOG("last\nStopped");
}

// MARK: - T3: dates as they are

TEST(T3_no_timer_is_armed_for_more_than_16_years, "However late a date is, the loop waits for 504911232 seconds at most, which are 16 years") {
    CFAbsoluteTime beyond[] = {4039289856.0, 1e12, INFINITY};
    for (int i = 0; i < 3; i++) {
        CFRunLoopTimerRef made = CFRunLoopTimerCreate(NULL, beyond[i], 0, 0, 0, NULL, NULL), moved = MakeTimer("", 1, 0, NULL);
        CFRunLoopTimerSetNextFireDate(moved, beyond[i]);
        CHECK(made->_fireTSR - mach_absolute_time() <= 504911232000000000);
        CHECK(moved->_fireTSR - mach_absolute_time() <= 504911232000000000);
        CFRelease(made);
    }
}

TEST(T1_many_timers_may_be_due_in_one_pass, "Of twenty timers that are due at once, each fires in the pass, and nothing is kept of the pass afterwards") {
    __block int fired = 0;
    for (int i = 0; i < 20; i++) CFRunLoopAddTimer(LOOP, MakeTimer("due", -1, 0, ^{ fired++; }), A);
    Run(A, 0, false);
    CHECK_EQ_INT(fired, 20);
}

TEST(T3_an_invalid_timer_gets_no_date, "A date that is given to a timer after its invalidation changes nothing in it") {
    CFRunLoopTimerRef timer = MakeTimer("never", 1000, 0, NULL);
    CFRunLoopTimerInvalidate(timer);
    uint64_t before = timer->_fireTSR;
    CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 5);
    CHECK(timer->_fireTSR == before);
}

TEST(T3_timers_of_equal_ticks_fire_in_the_order_of_adding,
     "Timers that are due at the same tick fire in the order in which they were added, whatever their order and their time of creation") {
    for (int round = 0; round < 200; round++) {
        __block int next = 0;
        CFRunLoopTimerRef timers[10];
        for (int i = 0; i < 10; i++) {
            timers[i] = CFRunLoopTimerCreateWithHandler(NULL, 0, 0, 0, 10 - i, ^(CFRunLoopTimerRef unused) { CHECK_EQ_INT(9 - i, next++); });
            timers[i]->_fireTSR = timers[0]->_fireTSR; // equal to the nanosecond; it is in no loop yet
        }
        for (int i = 9; i >= 0; i--) {
            CFRunLoopAddTimer(LOOP, timers[i], A);
            CFRelease(timers[i]);
        }
        CFRunLoopRunInMode(A, 0, false);
        CHECK_EQ_INT(next, 10);
    }
}

// MARK: - T3: dates

TEST(T3_no_drift, "However late a repeating timer fires, all its dates are whole intervals after the first: it does not drift") {
    __block int fires = 0;
    CFRunLoopTimerRef timer = MakeTimer("", 0.001, 0.0005, ^{ if (++fires == 100) CFRunLoopStop(LOOP); });
    CFRunLoopTimerSetTolerance(timer, 0.0002);
    uint64_t first = timer->_fireTSR; // its date may have passed by now
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeTimers, ^(CFRunLoopActivity activity) {
        CHECK_EQ_INT((timer->_fireTSR - first) % 500000, 0);
        CFTimeInterval left = CFRunLoopTimerGetNextFireDate(timer) - CFAbsoluteTimeGetCurrent();
        CHECK_EQ_DOUBLE(left, __CFTimeIntervalUntilTSR(timer->_fireTSR), 1); // the reported date is the same moment on the wall clock
    }), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 10 * TimeScale(), false), kCFRunLoopRunStopped);
}

// MARK: - T4: tolerance

TEST(T4_never_early_never_late,
     "A timer with a tolerance fires no earlier than its date, and on a free loop no later than the tolerance allows") {
    for (int i = 0; i < 5; i++) {
        CFAbsoluteTime date = CFAbsoluteTimeGetCurrent() + 0.004;
        __block CFAbsoluteTime when = 0;
        CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, date, 0, 0, 0, ^(CFRunLoopTimerRef t) {
            when = CFAbsoluteTimeGetCurrent();
        });
        CFRunLoopTimerSetTolerance(timer, 0.004);
        CFRunLoopAddTimer(LOOP, timer, A);
        CFRunLoopRunInMode(A, 10, false);
        CHECK(when >= date - DATE_EPSILON);
        CHECK(when < date + 0.004 + 10 * TimeScale()); // ten seconds more for a busy machine
        CFRelease(timer);
    }
}

TEST(T4_values,
     "A tolerance is kept as given, except that a negative one of a timer that fires once becomes 0, and that of a repeating timer is at "
     "most half its interval; a negative one counts as 0") {
    CFRunLoopTimerRef once = MakeTimer("", 1000, 0, NULL), repeating = MakeTimer("", 1000, 10, NULL), often = MakeTimer("", 1000, 0.5, NULL);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(once), 0, 0);
    CFRunLoopTimerSetTolerance(once, 300);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(once), 300, 0);
    CFRunLoopTimerSetTolerance(once, -1);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(once), 0, 0);
    CFRunLoopTimerSetTolerance(repeating, 3);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(repeating), 3, 0);
    CFRunLoopTimerSetTolerance(repeating, 30);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(repeating), 5, 0);
    CFRunLoopTimerSetTolerance(often, 30);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(often), 0.25, 0);
    CFRunLoopTimerSetTolerance(repeating, -1);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(repeating), -1, 0);
    CFRunLoopAddTimer(LOOP, repeating, A);
    CHECK_EQ_INT(ModeNamed(LOOP, A)->_timerHardDeadline, ModeNamed(LOOP, A)->_timerSoftDeadline);
    CFRunLoopModeRef without = ModeNamed(LOOP, DEFAULT);
    CHECK(without->_timerSoftDeadline == UINT64_MAX && without->_timerHardDeadline == UINT64_MAX);
}

TEST(T4_a_timer_that_is_due_when_a_tolerance_ends_shares_the_wake_up,
     "A timer may be late until the moment at which another is due, and not a nanosecond longer: the port is armed for that moment") {
    CFRunLoopTimerRef patient = MakeTimer("patient", 1000, 0, NULL), other = MakeTimer("other", 1001, 0, NULL);
    CFRunLoopTimerSetTolerance(patient, ((double)(other->_fireTSR - patient->_fireTSR) + 0.5) * 1e-9);
    CFRunLoopAddTimer(LOOP, patient, A);
    CHECK_EQ_INT(ModeNamed(LOOP, A)->_timerHardDeadline, other->_fireTSR);
    CFRunLoopAddTimer(LOOP, other, A);
    CHECK_EQ_INT(ModeNamed(LOOP, A)->_portSet->timerDeadline, other->_fireTSR);
}

TEST(T4_a_tolerance_beyond_all_times,
     "A timer that may be late without limit waits for the next timer, however late it may be") {
    CFRunLoopTimerRef patient = MakeTimer("patient", 1000, 0, NULL), other = MakeTimer("other", 2000, 0, NULL);
    CFRunLoopTimerSetTolerance(patient, INFINITY);
    CFRunLoopAddTimer(LOOP, patient, A);
    CHECK(ModeNamed(LOOP, A)->_timerHardDeadline == UINT64_MAX);
    CFRunLoopAddTimer(LOOP, other, A);
    CHECK_EQ_INT(ModeNamed(LOOP, A)->_timerSoftDeadline, patient->_fireTSR);
    CHECK_EQ_INT(ModeNamed(LOOP, A)->_timerHardDeadline, other->_fireTSR);
}

// ThreadSanitizer saw the defect: the loop read a tolerance while another thread wrote it.
TEST(T4_a_tolerance_may_be_set_by_another_thread, "Another thread sets tolerances while the loop fires the timer and arms its port for it") {
    __block int fired = 0;
    CFRunLoopTimerRef timer = AddTimer(NULL, 0, 0.0001, A, ^{
        if (++fired == 200) CFRunLoopStop(LOOP);
    });
    pthread_t thread = StartThread(^{
        for (int i = 0; i < 20000; i++) CFRunLoopTimerSetTolerance(timer, (i % 5) * 0.00001);
    });
    CFRunLoopRunInMode(A, 30 * TimeScale(), false);
    JoinThread(thread);
    CHECK_EQ_INT(fired, 200);
}

// MARK: - T7

// libdispatch's headers are not on the include path of a C target.
extern struct dispatch_source_s *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, struct dispatch_queue_s *queue);
extern const char _dispatch_source_type_timer;
extern uint64_t dispatch_time(uint64_t when, int64_t delta);
extern void dispatch_source_set_timer(struct dispatch_source_s *source, uint64_t start, uint64_t interval, uint64_t leeway);
extern void dispatch_source_set_event_handler(struct dispatch_source_s *source, Body handler);
extern void dispatch_source_cancel(struct dispatch_source_s *source);
extern void dispatch_resume(void *object);
extern void dispatch_release(void *object);

static struct dispatch_source_s *startDispatchTimer(struct dispatch_queue_s *queue, Body handler) {
    struct dispatch_source_s *timer = dispatch_source_create(&_dispatch_source_type_timer, 0, 0, queue);
    dispatch_source_set_timer(timer, dispatch_time(0, 1000000), 1000000, 0);
    dispatch_source_set_event_handler(timer, handler);
    dispatch_resume(timer);
    return timer;
}

static void endDispatchTimer(struct dispatch_source_s *timer) {
    dispatch_source_cancel(timer);
    dispatch_release(timer);
}

TEST(T7_a_dispatch_timer_needs_no_loop, "A dispatch timer on a global queue fires while no loop runs") {
    static _Atomic(int) fires; // static, because one more may be on its way when the test ends
    struct dispatch_source_s *timer = startDispatchTimer(dispatch_get_global_queue(0, 0), ^{ atomic_fetch_add(&fires, 1); });
    CHECK(WAIT_UNTIL(atomic_load(&fires) >= 2, 10));
    endDispatchTimer(timer);
}

TEST(T7_on_the_main_queue_the_main_loop_serves_it,
     "A dispatch timer on the main queue fires on the main thread while the main loop runs, and not before") {
    __block int fires = 0;
    struct dispatch_source_s *timer = startDispatchTimer(&_dispatch_main_q, ^{
        CHECK(pthread_main_np());
        fires++;
    });
    CHECK(STAYS_FOR(fires == 0, 10));
    POLL_UNTIL(DEFAULT, fires >= 2);
    endDispatchTimer(timer);
}

// MARK: - Many timers

/// Checks the array of the mode's timers.
static void checkSorted(CFStringRef name, CFIndex expected) {
    CFArrayRef timers = ModeNamed(LOOP, name)->_timers;
    CFIndex count = CFArrayGetCount(timers);
    CHECK_EQ_INT(count, expected);
    CFRunLoopTimerRef *values = malloc(sizeof(*values) * (size_t)(count + 1));
    CFArrayGetValues(timers, CFRangeMake(0, count), (const void **)values);
    for (CFIndex i = 1; i < count; i++) {
        if (values[i - 1]->_fireTSR > values[i]->_fireTSR) FAIL("timers %ld and %ld of %ld stand in the wrong order", (long)i - 1, (long)i, (long)count);
    }
    free(values);
}

static unsigned nextRandom(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

TEST(T3_twenty_thousand_timers, "20,000 timers are added, moved and invalidated at random: the array stays sorted and loses none") {
    enum { count = 20000 };
    CFRunLoopTimerRef *timers = malloc(sizeof(*timers) * count);
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    unsigned random = 1;
    for (int i = 0; i < count; i++) {
        timers[i] = CFRunLoopTimerCreate(NULL, now + 1000 + nextRandom(&random) % 5000, 0, 0, 0, NULL, NULL);
        CFRunLoopAddTimer(LOOP, timers[i], A);
        if (i % 10 == 0) CFRunLoopAddTimer(LOOP, timers[i], B);
    }
    checkSorted(A, count);
    checkSorted(B, count / 10);
    for (int i = 0; i < count; i += 3) CFRunLoopTimerSetNextFireDate(timers[i], now + 1000 + nextRandom(&random) % 5000);
    checkSorted(A, count);
    checkSorted(B, count / 10);
    int left = count, leftInB = count / 10;
    for (int i = 0; i < count; i += 2) {
        CFRunLoopTimerInvalidate(timers[i]);
        left--;
        if (i % 10 == 0) leftInB--;
    }
    checkSorted(A, left);
    for (int i = 0; i < count; i++) CFRelease(timers[i]);
    free(timers);
    CHECK_EQ_INT(leftInB, 0);
    checkSorted(B, 0);
}

// MARK: - A wake-up for timers that does not get to them

TEST(timers_wait_for_a_change_after_an_observer_has_left_the_run,
     "A timer wakes the loop, and an observer of AfterWaiting leaves the run by longjmp: the port has reported the timer, so that one waits, as "
     "in all versions, until another timer arms the port") {
    static jmp_buf outside;
    static bool hasLeft;
    OnNewThread(^{
        AddTimer("timer", 0.01, 0, A, NULL);
        CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopAfterWaiting, ^(CFRunLoopActivity activity) {
            if (hasLeft) return;
            hasLeft = true;
            longjmp(outside, 1);
        }), A);
        if (!setjmp(outside)) Run(A, 5, false);
        Run(A, 0.05, false);
        AddTimer("another", 0, 0, A, NULL);
        Run(A, 5, false);
    });
    CHECK_LOG("TimedOut\ntimer\nanother\nFinished");
}

// The original (the toolchain's) does the same: it marks the timer before the call, and the mark stays. See "Callbacks" in CFRunLoop.h.
TEST(timers_whose_callback_was_left_by_longjmp_fire_no_more,
     "A callback leaves the run by longjmp: its timer never fires again, even if it gets another date or is added again; other timers "
     "fire, and the timer can be invalidated") {
    static jmp_buf outside;
    OnNewThread(^{
        __block int calls = 0;
        IgnoreLeaksBegin();
        CFRunLoopTimerRef left = CFRunLoopTimerCreateWithHandler(NULL, CFAbsoluteTimeGetCurrent(), 0.01, 0, 0, ^(CFRunLoopTimerRef timer) {
            calls++;
            longjmp(outside, 1);
        });
        CFRunLoopAddTimer(LOOP, left, A);
        if (!setjmp(outside)) Run(A, 5, false);
        IgnoreLeaksEnd();
        CHECK_EQ_INT(calls, 1);
        AddTimer("another", 0.03, 0, A, NULL);
        Run(A, 0.05, false);
        CFRunLoopTimerSetNextFireDate(left, CFAbsoluteTimeGetCurrent());
        Run(A, 0, false);
        CFRunLoopRemoveTimer(LOOP, left, A);
        CFRunLoopAddTimer(LOOP, left, A);
        Run(A, 0, false);
        CHECK_EQ_INT(calls, 1);
        CHECK(CFRunLoopTimerIsValid(left));
        CFRunLoopTimerInvalidate(left);
        CHECK(!CFRunLoopContainsTimer(LOOP, left, A));
        CFRelease(left);
    });
    CHECK_LOG("another\nTimedOut\nTimedOut\nTimedOut");
}

// MARK: - D7, D8: odd intervals

static void doNothingAt(CFRunLoopTimerRef timer, void *info) {}

TEST(D7_a_time_that_is_not_a_number_halts_with_words,
     "NaN as a date or an interval aborts with a message. The defect: as an interval it ended the process by SIGILL; as a date it was "
     "accepted, and the timer never fired") {
    CHECK_HALTS("CFRunLoopTimerCreate was given a date or an interval that is not a number",
                CFRunLoopTimerCreate(NULL, NAN, 0, 0, 0, doNothingAt, NULL));
    CHECK_HALTS("CFRunLoopTimerCreate was given a date or an interval that is not a number",
                CFRunLoopTimerCreate(NULL, 0, NAN, 0, 0, doNothingAt, NULL));
    CHECK_HALTS("CFRunLoopTimerSetNextFireDate was given a date or an interval that is not a number",
                CFRunLoopTimerSetNextFireDate(MakeTimer("timer", 1, 0, NULL), NAN));
}

TEST(D7_an_interval_below_a_clock_tick_is_served,
     "A repeating timer repeats at any interval, down to the smallest number there is. The defect: it ended the process by SIGILL") {
    const CFTimeInterval intervals[] = {1e-9, 1e-10, 1e-12, 5e-324};
    for (int i = 0; i < 4; i++) {
        __block int fired = 0;
        CFRunLoopTimerRef timer = MakeTimer("timer", 0, intervals[i], ^{ fired++; });
        CFRunLoopAddTimer(LOOP, timer, A);
        CHECK(CFRunLoopTimerDoesRepeat(timer));
        POLL_UNTIL(A, fired >= 3);
        CHECK(CFRunLoopTimerGetNextFireDate(timer) <= CFAbsoluteTimeGetCurrent() + 0.001);
        CFRunLoopTimerInvalidate(timer);
    }
}

TEST(D7_an_endless_rhythm_starves_nobody, "With a timer that is always due, sources, ports and the time limit are still served") {
    int port = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    __block int fired = 0;
    __block bool portIsServed = false;
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 1e-9, 0, 0, ^(CFRunLoopTimerRef unused) {
        if (++fired >= 2 && portIsServed) CFRunLoopStop(LOOP);
    });
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopAddSource(LOOP, MakeSource1("port", port, ^{
        eventfd_read(port, &(eventfd_t){0});
        portIsServed = true;
    }), A);
    CFRunLoopSourceSignal(source);
    Run(A, 20 * TimeScale(), false);
    portIsServed = false; // the timer no longer stops the run
    Run(A, 0.02, false);
    CHECK_LOG("source\nport\nStopped\nTimedOut");
    CFRelease(timer);
}

/// Moves the clocks, as if the loop had been busy for that long.
static void letTimePass(double seconds) {
    WallClockShift = WallClockShift + seconds;
    MonotonicClockShift = MonotonicClockShift + seconds;
}

TEST(D8_catching_up_takes_no_time_however_many_dates_were_missed,
     "A timer of 1 ns that is an hour late has missed 3.6 trillion dates. The defect: they were added up one by one, with the locks held") {
    __block int fired = 0;
    CFRunLoopTimerRef timer = MakeTimer("timer", 0, 1e-9, ^{ fired++; });
    CFRunLoopAddTimer(LOOP, timer, A);
    letTimePass(3600);
    double start = ThreadSeconds();
    CFRunLoopRunInMode(A, 0, false);
    CHECK(ThreadSeconds() - start < 1.0 * TimeScale());
    CHECK_EQ_INT(fired, 1);
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetNextFireDate(timer), CFAbsoluteTimeGetCurrent(), 5 * TimeScale());
}
