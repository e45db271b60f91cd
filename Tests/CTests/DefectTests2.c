/// DefectTests2.c: wrong results of other run loops for Linux, each told as the story of one bug. The hangs and crashes are in
/// DefectTests.c, and so is what the names mean.
#include "Fakes.h"
#include "LoopSupport.h"
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/// Logs, from now on, each time that a run in the mode wakes up.
static void logWakeUps(CFStringRef mode) {
    CFRunLoopAddObserver(LOOP, MakeObserver("woken", kCFRunLoopAfterWaiting, 0, NULL), mode);
}

static int wakeUps;

static void countWakeUps(CFStringRef mode) {
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopAfterWaiting, ^(CFRunLoopActivity activity) { wakeUps++; }), mode);
}

// MARK: - D12: tolerance

TEST(D12_timers_with_tolerance_share_wake_ups,
     "Ten timers, 5 ms apart, that may each be 100 ms late fire in a single wake-up, and none of them early: tolerance was "
     "ignored, eleven wake-ups where two do") {
    static int fired;
    countWakeUps(A);
    for (int i = 1; i <= 10; i++) {
        CFAbsoluteTime date = CFAbsoluteTimeGetCurrent() + 0.005 * i;
        CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, date, 0, 0, 0, ^(CFRunLoopTimerRef unused) {
            CHECK(CFAbsoluteTimeGetCurrent() >= date - 0.001);
            LOG("%d", i);
            if (++fired == 10) CFRunLoopStop(LOOP);
        });
        CFRunLoopTimerSetTolerance(timer, 0.1);
        CHECK_EQ_DOUBLE(CFRunLoopTimerGetTolerance(timer), 0.1, 1e-9);
        CFRunLoopAddTimer(LOOP, timer, A);
        CFRelease(timer);
    }
    Run(A, 10, false);
    CHECK_LOG("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\nStopped");
    CHECK_LE(wakeUps, 2);
}

// MARK: - D13: what a source has handled

TEST(D13_a_block_queued_by_any_source_of_the_pass_does_not_sleep,
     "The first of two sources queues a block and invalidates the second: that the second handled nothing counted for both, "
     "and the block slept until the next event") {
    __block CFRunLoopSourceRef second;
    CFRunLoopAddObserver(LOOP, MakeObserver("sleeps", kCFRunLoopBeforeWaiting, 0, NULL), A);
    CFRunLoopSourceRef first = MakeSource0("first", 0, ^{
        CFRunLoopPerformBlock(LOOP, A, ^{
            LOG("block");
            CFRunLoopStop(LOOP);
        });
        CFRunLoopSourceInvalidate(second);
    });
    second = MakeSource0("second", 1, NULL);
    CFRunLoopSourceRef both[] = {first, second};
    for (int i = 0; i < 2; i++) {
        CFRunLoopAddSource(LOOP, both[i], A);
        CFRunLoopSourceSignal(both[i]);
    }
    Run(A, 2, false);
    CHECK_LOG("first\nblock\nStopped");
}

// MARK: - D14, D15: the common modes, by name

TEST(D14_the_common_modes_are_known_by_their_name_not_their_address,
     "A string equal to kCFRunLoopCommonModes stands for the common modes, whoever made it: a timer added under it never fired") {
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
    CHECK_LOG("modes: DefaultMode");
    CFRelease(equal);
}

TEST(D15_a_block_for_the_common_modes_makes_no_mode_of_that_name,
     "PerformBlock with the common modes makes no mode and opens no descriptor: a real mode of that name came to be, with two") {
    LogModes(LOOP);
    int before = OpenDescriptorCount();
    CFRunLoopPerformBlock(LOOP, COMMON, ^{ LOG("block"); });
    CFRunLoopPerformBlock(LOOP, COMMON, ^{ LOG("block"); });
    _CFRunLoopStopMode(LOOP, COMMON);
    LogModes(LOOP);
    CHECK_LOG("modes: DefaultMode\nmodes: DefaultMode");
    CHECK_EQ_INT(OpenDescriptorCount(), before);
}

// MARK: - D16: the timer port

static void takeOutAndWait(void (^takeOut)(CFRunLoopTimerRef timer)) {
    CFRunLoopTimerRef timer = MakeTimer("timer", 0.02, 0, NULL);
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopRunInMode(A, 0.001, false); // sleeps, with the port armed
    LOG_EVENT_CLEAR();
    takeOut(timer);
    Run(A, 0.05, false);
    CHECK_LOG("woken\nTimedOut");
}

TEST(D16_a_timer_that_has_gone_wakes_nobody,
     "A timer that was removed, invalidated or postponed before its date does not wake the loop at that date: its port "
     "stayed armed") {
    KeepAlive(LOOP, A);
    logWakeUps(A);
    takeOutAndWait(^(CFRunLoopTimerRef timer) { CFRunLoopRemoveTimer(LOOP, timer, A); });
    takeOutAndWait(^(CFRunLoopTimerRef timer) { CFRunLoopTimerInvalidate(timer); });
    takeOutAndWait(^(CFRunLoopTimerRef timer) { CFRunLoopTimerSetNextFireDate(timer, 1e12); });
}

TEST(D16_a_timer_removed_by_another_thread_while_the_loop_sleeps_wakes_nobody, "The port is disarmed under the sleeping loop") {
    CFRunLoopRef loop = LOOP;
    KeepAlive(LOOP, A);
    logWakeUps(A);
    CFRunLoopTimerRef timer = MakeTimer("timer", 0.1 * TimeScale(), 0, NULL);
    CFRunLoopAddTimer(LOOP, timer, A);
    pthread_t other = StartThread(^{
        WaitUntilAsleep(loop);
        CFRunLoopRemoveTimer(loop, timer, A);
    });
    Run(A, 0.15 * TimeScale(), false);
    CHECK_LOG("woken\nTimedOut");
    JoinThread(other);
}

// MARK: - D17, D18: what comes through a port is the source's

/// Takes at most `size` bytes and logs them.
static ssize_t receiveAndLog(int descriptor, size_t size) {
    char bytes[100];
    ssize_t count = read(descriptor, bytes, size);
    LOG("%.*s", (int)count, bytes);
    return count;
}

TEST(D17_a_pipes_bytes_are_all_the_sources,
     "Twenty bytes sent through a pipe, read by its source, are twenty bytes: the loop read eight of them at each wake-up, "
     "as from an eventfd") {
    static int ends[2];
    CHECK_EQ_INT(pipe(ends), 0);
    __block ssize_t got = 0;
    CFRunLoopSourceRef source = MakeSource1("ready", ends[0], ^{ if ((got += receiveAndLog(ends[0], 20)) == 20) CFRunLoopStop(LOOP); });
    CFRunLoopAddSource(LOOP, source, A);
    CHECK_EQ_INT(write(ends[1], "abcdefghijklmnopqrst", 20), 20);
    Run(A, 5, false);
    CHECK_LOG("ready\nabcdefghijklmnopqrst\nStopped");
}

TEST(D17_no_datagram_is_lost, "Of three datagrams each comes through whole: the one that woke the loop was gone") {
    static int ends[2];
    CHECK_EQ_INT(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
    __block int left = 3;
    CFRunLoopAddSource(LOOP, MakeSource1("ready", ends[0], ^{
        receiveAndLog(ends[0], 100);
        if (--left == 0) CFRunLoopStop(LOOP);
    }), A);
    const char *messages[] = {"one", "two hundred", "three"};
    for (int i = 0; i < 3; i++) CHECK_GE(send(ends[1], messages[i], strlen(messages[i]), 0), 1);
    Run(A, 5, false);
    CHECK_LOG("ready\none\nready\ntwo hundred\nready\nthree\nStopped");
}

TEST(D18_what_a_source_leaves_unread_wakes_again,
     "A source that takes one byte at a time is called forty times for forty bytes: the rest of what a wake-up had brought "
     "was never told of again") {
    static int ends[2];
    CHECK_EQ_INT(pipe(ends), 0);
    __block int got = 0;
    CFRunLoopAddSource(LOOP, MakeSource1("", ends[0], ^{
        char byte;
        if (read(ends[0], &byte, 1) == 1 && ++got == 40) CFRunLoopStop(LOOP);
    }), A);
    char bytes[40] = "";
    CHECK_EQ_INT(write(ends[1], bytes, 40), 40);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 5, false), kCFRunLoopRunStopped);
    CHECK_EQ_INT(got, 40);
}

TEST(D18_every_waiting_connection_is_accepted,
     "A source that accepts one connection a call accepts all three: two were left waiting") {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQ_INT(bind(listening, (struct sockaddr *)&address, size), 0);
    CHECK_EQ_INT(listen(listening, 8), 0);
    CHECK_EQ_INT(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    for (int i = 0; i < 3; i++) {
        int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        CHECK_EQ_INT(connect(connection, (struct sockaddr *)&address, size), 0);
    }
    __block int accepted = 0;
    CFRunLoopAddSource(LOOP, MakeSource1("connection", listening, ^{
        if (accept(listening, NULL, NULL) >= 0 && ++accepted == 3) CFRunLoopStop(LOOP);
    }), A);
    Run(A, 5, false);
    CHECK_LOG("connection\nconnection\nconnection\nStopped");
}

// MARK: - D19: descriptors that two sources have, one after the other or both at once

TEST(D19_two_sources_on_one_descriptor_do_not_deafen_each_other,
     "Of two sources with one port one is performed; when that is removed the other is: removing either took the port out "
     "for both") {
    for (int removed = 0; removed < 2; removed++) {
        int port = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
        CFRunLoopSourceRef sources[] = {MakeSource1("one of them", port, NULL), MakeSource1("one of them", port, NULL)};
        for (int i = 0; i < 2; i++) CFRunLoopAddSource(LOOP, sources[i], A);
        Run(A, 0, false);
        CFRunLoopRemoveSource(LOOP, sources[removed], A);
        Run(A, 0, false);
        CFRunLoopSourceInvalidate(sources[!removed]);
        Run(A, 0, false);
        CHECK_LOG("one of them\nTimedOut\none of them\nTimedOut\nFinished");
        LOG_EVENT_CLEAR();
        close(port);
    }
}

/// A source on a descriptor that is closed under it; the next file gets the same number, and a source of its own. Which one goes first?
static void reuseDescriptor(bool oldGoesFirst) {
    int port = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    CFRunLoopSourceRef old = MakeSource1("old", port, NULL);
    CFRunLoopAddSource(LOOP, old, A);
    Run(A, 0, false);
    close(port);
    int reused = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    CHECK_EQ_INT(reused, port);
    CFRunLoopSourceRef new = MakeSource1("new", port, NULL);
    if (oldGoesFirst) CFRunLoopSourceInvalidate(old);
    CFRunLoopAddSource(LOOP, new, A);
    if (!oldGoesFirst) CFRunLoopSourceInvalidate(old);
    Run(A, 0, false);
    CFRunLoopSourceInvalidate(new);
    CHECK_LOG("TimedOut\nnew\nTimedOut");
    LOG_EVENT_CLEAR();
    close(port);
}

TEST(D19_a_descriptor_reused_before_the_locks_are_taken_again_is_not_mistaken,
     "Between the end of a wait and the locking of the mode another thread takes a ready port out, and puts another file under its number in: "
     "that one is not reported, as it is not ready; when it is, it is") {
    __CFPortSet set = __CFPortSetAllocate();
    int port = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
    __CFPortSetBeginWait(set);
    __CFPortSetWait(set, UINT64_MAX);
    __CFPortSetRemove(port, set);
    CHECK_EQ_INT(dup2(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), port), port);
    CHECK_EQ_INT(__CFPortSetInsert(port, kCFWatchReadable, set), 0);
    CHECK_EQ_INT(__CFPortSetTakeNew(set, CFPORT_NULL), CFPORT_NULL);
    eventfd_write(port, 1);
    __CFPortSetBeginWait(set);
    __CFPortSetWait(set, UINT64_MAX);
    CHECK_EQ_INT(__CFPortSetTakeNew(set, CFPORT_NULL), port);
    __CFPortSetFree(set);
}

TEST(D19_a_closed_and_reused_descriptor_is_heard,
     "A descriptor closed under its source and given to another file is waited for again when a source is added on it: the "
     "loop held it to be in its port set still") {
    reuseDescriptor(true);
    reuseDescriptor(false);
}

// MARK: - D20: descriptors that cannot be waited for

TEST(D20_a_port_that_cannot_be_waited_for_is_told_once,
     "A regular file as port: a line on stderr says so, the source is never performed, and the loop sleeps until its limit: "
     "there was no word") {
    char path[] = "/tmp/CTests-D20-XXXXXX";
    int file = mkstemp(path);
    unlink(path);
    logWakeUps(A);
    CFRunLoopAddSource(LOOP, MakeSource1("performed", file, NULL), A);
    StderrCapture();
    Run(A, 0.02, false);
    Run(A, 0.02, false);
    char *text = StderrEndCapture();
    CHECK_EQ_INT(Occurrences(text, "cannot be waited for"), 1);
    CHECK_EQ_INT(Occurrences(text, "\n"), 1);
    CHECK_LOG("woken\nTimedOut\nwoken\nTimedOut");
    free(text);
}

// MARK: - D21, D22: dates

/// A date is turned into a moment once for each timer, at different times: with readings of the clocks of their own, equal dates
/// would come out some nanoseconds apart.
TEST(D21_one_date_is_one_moment, "Timers made one after another for one date fire in the order in which they were added, again and again") {
    CFAbsoluteTime date = CFAbsoluteTimeGetCurrent() + 1 * TimeScale();
    CFRunLoopTimerRef timers[5];
    const char *names[] = {"a", "b", "c", "d", "e"};
    __block int fired = 0;
    for (int i = 0; i < 5; i++) {
        usleep(100);
        timers[i] = MakeTimer(names[i], 1000, 0.2 * TimeScale(), ^{ if (++fired == 20) CFRunLoopStop(LOOP); });
        CFRunLoopTimerSetNextFireDate(timers[i], date);
    }
    const int order[] = {3, 0, 4, 1, 2};
    for (int i = 0; i < 5; i++) CFRunLoopAddTimer(LOOP, timers[order[i]], A);
    CFRunLoopRunInMode(A, 10 * TimeScale(), false);
    CHECK_LOG("d\na\ne\nb\nc\nd\na\ne\nb\nc\nd\na\ne\nb\nc\nd\na\ne\nb\nc");
}

TEST(D21_timers_of_one_date_fire_as_they_were_added,
     "In each of 200 rounds, ten timers with the same date: the order was right in 40") {
    for (int round = 0; round < 200; round++) {
        CFAbsoluteTime date = CFAbsoluteTimeGetCurrent() - 1;
        __block int next = 0;
        CFRunLoopTimerRef timers[10];
        for (int i = 0; i < 10; i++) {
            timers[i] = CFRunLoopTimerCreateWithHandler(NULL, date, 0, 0, 10 - i, ^(CFRunLoopTimerRef unused) { CHECK_EQ_INT(i, next++); });
        }
        for (int i = 0; i < 10; i++) {
            timers[i]->_fireTSR = timers[0]->_fireTSR; // to the nanosecond
            CFRunLoopAddTimer(LOOP, timers[i], A);
            CFRelease(timers[i]);
        }
        CFRunLoopRunInMode(A, 0, false);
        CHECK_EQ_INT(next, 10);
    }
}

TEST(D22_a_set_wall_clock_moves_the_dates_reported_not_the_moments,
     "When the wall clock is set, forward or back, timers fire after the time they were to wait, and report dates by the "
     "new clock: dates lay 3,000 s in the past") {
    CFRunLoopTimerRef far = MakeTimer("far", 100, 0, NULL), soon = MakeTimer("soon", 0.01, 200, NULL);
    CFRunLoopAddTimer(LOOP, far, A);
    const double shifts[] = {3000, -3000};
    for (int i = 0; i < 2; i++) {
        WallClockShift = shifts[i];
        double slack = 20 * TimeScale();
        CHECK_EQ_DOUBLE(CFRunLoopTimerGetNextFireDate(far), CFAbsoluteTimeGetCurrent() + 100, slack);
        CHECK_EQ_DOUBLE(CFRunLoopGetNextTimerFireDate(LOOP, A), CFAbsoluteTimeGetCurrent() + 100, slack);
    }
    CFRunLoopAddTimer(LOOP, soon, A);
    Run(A, 0.03, false);
    CHECK_LOG("soon\nTimedOut");
    CHECK_EQ_DOUBLE(CFRunLoopTimerGetNextFireDate(soon), CFAbsoluteTimeGetCurrent() + 200, 20 * TimeScale());
}

// MARK: - D23, D24: locks

/// The C library counts the holders of a mutex, and an unlock too many makes that -1, whatever kind the mutex is.
static void checkLocksAreFree(CFRunLoopRef loop, CFRunLoopTimerRef timer) {
    pthread_mutex_t *locks[] = {&loop->_lock, &ModeNamed(loop, A)->_lock, &ModeNamed(loop, DEFAULT)->_lock, &timer->_lock};
    for (int i = 0; i < 4; i++) {
        CHECK_EQ_INT((int)locks[i]->__data.__nusers, 0);
        CHECK_EQ_INT(pthread_mutex_trylock(locks[i]), 0);
        pthread_mutex_unlock(locks[i]);
    }
}

TEST(D23_every_lock_given_back_was_held,
     "Runs of unknown, empty and emptied modes, and dates set in each state of a timer, leave every lock as it was: a lock "
     "was given back that nobody held. Debug builds halt on it as well") {
    CFRunLoopTimerRef timer = MakeTimer("", 1e6, 1e6, NULL), inCallout = MakeTimer("", 0, 1e6, NULL);
    CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 1e6); // in no loop
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 1e6); // in one
    checkLocksAreFree(LOOP, timer);
    CFRunLoopTimerRef setsItself = CFRunLoopTimerCreateWithHandler(NULL, 0, 1e6, 0, 0, ^(CFRunLoopTimerRef fired) {
        CFRunLoopTimerSetNextFireDate(fired, CFAbsoluteTimeGetCurrent() + 1);
        CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 1e6);
        CFRunLoopTimerInvalidate(fired);
        CFRunLoopTimerSetNextFireDate(fired, 1);
    });
    CFRunLoopAddTimer(LOOP, setsItself, A);
    CFRunLoopAddTimer(LOOP, inCallout, A);
    CFRunLoopRunInMode(A, 0, false);
    checkLocksAreFree(LOOP, timer);

    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {
        CFRunLoopTimerInvalidate(timer);
        CFRunLoopTimerInvalidate(inCallout);
    }), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.001, false), kCFRunLoopRunTimedOut); // emptied
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.001, false), kCFRunLoopRunFinished); // empty
    CHECK_EQ_INT(CFRunLoopRunInMode(B, 0.001, false), kCFRunLoopRunFinished); // unknown
    CFRunLoopTimerSetNextFireDate(timer, 1);
    checkLocksAreFree(LOOP, timer);
    CFRelease(setsItself);
}

TEST(D24_the_common_modes_may_grow_under_a_running_loop,
     "While a loop runs, other threads declare two hundred modes common, ask which there are, and read and set a timer's "
     "date: the set was read while it grew. Made for ThreadSanitizer; what is checked otherwise is that every mode has "
     "every item") {
    LoopThread *thread = StartLoopThread(A, NULL);
    CFRunLoopRef loop = thread->loop;
    CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, 0, 1e-4, 0, 0, ^(CFRunLoopTimerRef unused) {});
    CFRunLoopAddTimer(loop, timer, COMMON);
    CFRunLoopAddTimer(loop, timer, A);
    static CFStringRef names[200];
    static _Atomic(int) declared;
    for (int i = 0; i < 200; i++) names[i] = CFStringCreateWithFormat(NULL, NULL, CFSTR("mode %d"), i);
    pthread_t declares = StartThread(^{
        for (; declared < 200; declared++) CFRunLoopAddCommonMode(loop, names[declared]);
    });
    pthread_t asks = StartThread(^{
        while (declared < 200) {
            CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent());
            CHECK(CFRunLoopTimerGetNextFireDate(timer) > 0);
            CFRunLoopGetNextTimerFireDate(loop, A);
            CFRunLoopPerformBlock(loop, COMMON, ^{});
        }
    });
    JoinThread(declares);
    JoinThread(asks);
    for (int i = 0; i < 200; i++) CHECK(CFRunLoopContainsTimer(loop, timer, names[i]));
    CFRunLoopTimerInvalidate(timer);
    for (int i = 0; i < 200; i++) CHECK(!CFRunLoopContainsTimer(loop, timer, names[i]));
    EndLoopThread(thread);
    CFRelease(timer);
}

// MARK: - D29: common items, removed from their modes one by one

/// What can be done with an item of one kind. C allows no call through a pointer to a function of another type, so the kinds have
/// functions of one type here.
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
     "Such an item is a common item until it is removed as one or invalidated, and then it is gone: invalidated, it was "
     "still contained and retained") {
    CFRunLoopAddCommonMode(LOOP, A);
    forgetPiecemeal(MakeSource0("source", 0, NULL), &Sources);
    forgetPiecemeal(MakeTimer("timer", 10, 0, NULL), &Timers);
    forgetPiecemeal(MakeObserver("observer", 1, 0, NULL), &Observers);
}

// MARK: - D30 to D33

TEST(D30_a_date_set_in_the_callout_is_armed_in_all_modes_of_the_timer,
     "A timer in two modes that sets its next date while it fires in one of them fires on that date in the other: only the "
     "first one's port was armed") {
    __block CFRunLoopTimerRef timer;
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopRunInMode(B, 0.001, false); // B has a port set, and no timer to wait for yet
    timer = MakeTimer("timer", 0, 1e6, ^{
        CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 0.02);
        CFRunLoopStop(LOOP);
    });
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopAddTimer(LOOP, timer, B);
    Run(A, 5, false);
    Run(B, 5, false);
    CHECK_LOG("timer\nStopped\ntimer\nStopped");
}

static _Atomic(int) releasedInTime, releasedElsewhere;
static pthread_t endingThread;

static void noteRelease(void) {
    if (pthread_equal(pthread_self(), endingThread)) releasedInTime++;
    else releasedElsewhere++;
}

static void noteReleaseOf(const void *info) { noteRelease(); }

TEST(D31_a_limited_run_keeps_nothing_alive_beyond_its_thread,
     "A thread that ends soon after a run with a long limit has released every context by then, itself: the limit's "
     "dispatch source kept the loop alive for later, and for another thread") {
    OnNewThread(^{
        endingThread = pthread_self();
        CFRunLoopSourceContext context = {.info = &endingThread, .release = noteReleaseOf};
        CFRunLoopTimerContext plain = {.info = &endingThread, .release = noteReleaseOf};
        CFTypeRef items[] = {CFRunLoopSourceCreate(NULL, 0, &context), CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, NULL, &plain),
                             CFRunLoopObserverCreate(NULL, 1, true, 0, NULL, (CFRunLoopObserverContext *)&plain)};
        CFRunLoopAddSource(LOOP, (CFRunLoopSourceRef)items[0], A);
        CFRunLoopAddTimer(LOOP, (CFRunLoopTimerRef)items[1], A);
        CFRunLoopAddObserver(LOOP, (CFRunLoopObserverRef)items[2], A);
        for (int i = 0; i < 3; i++) CFRelease(items[i]);
        CFRunLoopPerformBlock(LOOP, B, BlockThatTells(noteRelease));
        CFRunLoopPerformBlock(LOOP, A, ^{ CFRunLoopStop(LOOP); });
        CHECK_EQ_INT(CFRunLoopRunInMode(A, 100, false), kCFRunLoopRunStopped);
    });
    CHECK_EQ_INT(releasedInTime, 4);
    CHECK_EQ_INT(releasedElsewhere, 0);
}

TEST(D32_the_order_of_signals_is_exact_after_any_number_of_them,
     "Sources signalled one after the other are performed so, even when more signals have gone before than a double can "
     "count: times kept as doubles were equal after 104 days") {
    enum { count = 32 };
    CFRunLoopSourceRef sources[count];
    __block int next = 0;
    for (int i = 0; i < count; i++) {
        sources[i] = MakeSource0("", 0, ^{ CHECK_EQ_INT((i * 13 + 5) % count, next++); });
        CFRunLoopAddSource(LOOP, sources[i], A);
        CFRunLoopSourceSignal(sources[i]);
        sources[i]->_signalTurn = (1ULL << 60) + (uint64_t)((i * 13 + 5) % count); // a permutation
    }
    CFRunLoopRunInMode(A, 0, false);
    CHECK_EQ_INT(next, count);
}

TEST(D33_an_outer_runs_limit_does_not_wake_a_nested_run,
     "The limit of a run passes while a run nested in it sleeps: that one sleeps on to its own limit, and both time out: it "
     "was woken for nothing") {
    logWakeUps(B);
    KeepAlive(LOOP, B);
    CFRunLoopSourceRef nests = MakeSource0("nests", 0, ^{ Run(B, 0.04, false); });
    CFRunLoopAddSource(LOOP, nests, A);
    CFRunLoopSourceSignal(nests);
    Run(A, 0.01, false);
    CHECK_LOG("nests\nwoken\nTimedOut\nTimedOut");
}

// MARK: - D36: nested runs and wake-ups
//
// The outer run is in A, and not in step 9, in which it would look at everything once more anyway: it is about to sleep.

/// Calls `body` once, the first time that a run in A is about to sleep.
static void beforeFirstSleep(Body body) {
    static bool isOver;
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {
        if (isOver) return;
        isOver = true;
        body();
    }), A);
}

static void stopInBlock(CFStringRef mode, const char *name) {
    CFRunLoopPerformBlock(LOOP, mode, ^{
        LOG("%s", name);
        CFRunLoopStop(LOOP);
    });
}

TEST(D36_a_wake_up_that_was_received_already_is_not_passed_on,
     "The thread has received a message before its sender notes that it has sent one: a nested run finds the note and no message, and the "
     "run around it is not woken") {
    __block int passes = 0;
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopAddObserver(LOOP, CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopBeforeTimers, true, 0,
        ^(CFRunLoopObserverRef observer, CFRunLoopActivity activity) { passes++; }), A);
    CFRunLoopPerformBlock(LOOP, A, ^{
        atomic_store(&LOOP->_wakeUpSent, true);
        CFRunLoopRunInMode(B, 0, false);
    });
    Run(A, 0.05, false);
    CHECK_EQ_INT(passes, 1);
    CHECK_LOG("TimedOut");
}

TEST(D36_a_wake_up_that_a_sleeping_nested_run_received_wakes_the_run_around_it_too,
     "While a nested run sleeps, another thread queues a block for its mode and one for the outer run's, and wakes the loop once: "
     "both are performed; the outer run slept on, with its block queued") {
    CFRunLoopRef loop = LOOP;
    KeepAlive(loop, A);
    KeepAlive(loop, B);
    pthread_t waker = StartThread(^{
        while (!CFRunLoopIsWaiting(loop)) usleep(100);
        CFRunLoopPerformBlock(loop, A, ^{
            LOG("block for the outer run");
            CFRunLoopStop(loop);
        });
        CFRunLoopPerformBlock(loop, B, ^{
            LOG("block for the nested run");
            CFRunLoopStop(loop);
        });
        CFRunLoopWakeUp(loop);
    });
    beforeFirstSleep(^{ Run(B, 30, false); });
    Run(A, 30, false);
    JoinThread(waker);
    CHECK_LOG("block for the nested run\nStopped\nblock for the outer run\nStopped");
}

TEST(D36_a_wake_up_that_a_look_in_another_mode_received_is_not_lost,
     "A source of the outer run's mode is signalled and the loop woken before a nested run that only looks, in another mode: the "
     "source is performed; the outer run slept on a signalled source") {
    KeepAlive(LOOP, B);
    CFRunLoopSourceRef source = MakeSource0("performed", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    beforeFirstSleep(^{
        SignalAndWake(source, LOOP);
        Run(B, 0, false);
    });
    Run(A, 30, true);
    CHECK_LOG("TimedOut\nperformed\nHandledSource");
}

TEST(D36_a_wake_up_left_out_in_a_nested_run_reaches_the_run_around_it,
     "A callback of a nested run queues a block for the outer run and wakes the loop, which is awake: the message is not sent "
     "then, but when the nested run has ended; also over two runs, of which the middle one is awake and ends, too") {
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopTimerRef timer = MakeTimer("timer", 0, 0, ^{ // step 9 of the run in B
        CFRunLoopTimerRef inner = MakeTimer("inner timer", 0, 0, ^{
            stopInBlock(A, "block for the outer run");
            CFRunLoopWakeUp(LOOP);
            CFRunLoopStop(LOOP);
        });
        CFRunLoopAddTimer(LOOP, inner, C);
        Run(C, 30, false);
        CFRunLoopStop(LOOP);
    });
    CFRunLoopAddTimer(LOOP, timer, B);
    beforeFirstSleep(^{ Run(B, 30, false); });
    Run(A, 30, false);
    CHECK_LOG("timer\ninner timer\nStopped\nStopped\nblock for the outer run\nStopped");
}

TEST(D36_a_nested_run_that_took_no_wake_up_sends_none, "A nested run that nobody wakes does not wake the run around it when it ends") {
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    countWakeUps(A);
    beforeFirstSleep(^{
        Run(B, 0, false);
        Run(B, 0.001, false);
        struct pollfd look = {.fd = LOOP->_wakeUpPort, .events = POLLIN};
        CHECK_EQ_INT(poll(&look, 1, 0), 0);
    });
    Run(A, 0.01, false);
    CHECK_EQ_INT(wakeUps, 1);
    CHECK_LOG("TimedOut\nTimedOut\nTimedOut");
}

// MARK: - Small steps of the wall clock

TEST(D22_a_small_step_of_the_wall_clock_makes_no_timer_early,
     "The wall clock is set back by less than a millisecond, again and again: a timer that is made by date afterwards does not fire before "
     "its date. A step of less than a millisecond was once taken for noise, and every later timer was early by it") {
    CFRelease(CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, NULL, NULL)); // the clocks have been compared
    for (int i = 1; i <= 5; i++) {
        WallClockShift = -0.0007 * i;
        CFAbsoluteTime date = CFAbsoluteTimeGetCurrent() + 0.005;
        CFRunLoopTimerRef timer = CFRunLoopTimerCreateWithHandler(NULL, date, 0, 0, 0, ^(CFRunLoopTimerRef t) {
            CHECK(CFAbsoluteTimeGetCurrent() > date - 0.000005);
        });
        uint64_t tsr = __CFTSROfDate(date, __CFClockOffset());
        CHECK(timer->_fireTSR == tsr);
        CFRunLoopAddTimer(LOOP, timer, A);
        CHECK_EQ_INT(CFRunLoopRunInMode(A, 10, false), kCFRunLoopRunFinished);
        CFRelease(timer);
    }
}
