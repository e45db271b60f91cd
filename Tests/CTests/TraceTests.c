/// TraceTests.c: the trace (CFRunLoopTrace.h), the ring that records it (CRunLoopTraceRing.h), and the records of passes that debuggers
/// read (__CFRunLoopPass).
#include "LoopSupport.h"
#include "../../Sources/CRunLoop/CFRunLoopProbes.h"
#include "CRunLoopTraceRing.h"
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int threadNumber(void) { return (int)syscall(SYS_gettid); }

// MARK: - Events as text

static const char *calloutName(CFRunLoopTraceCallout callout) {
    static const char *names[] = {"block", "observer", "source 0", "source 1", "timer", "main queue"};
    return callout >= 0 && callout < kCFRunLoopTraceCalloutCount ? names[callout] : "?";
}

static const char *reasonName(CFRunLoopTraceReason reason) {
    static const char *names[] = {"not yet", "nothing", "wake-up", "timer", "main queue", "source 1", "timeout"};
    return reason >= 0 && reason <= kCFRunLoopTraceTimeout ? names[reason] : "?";
}

/// Logs an event in a few words.
static void logEvent(const CFRunLoopTraceEvent *event, void *info) {
    (void)info;
    switch (event->kind) {
    case kCFRunLoopTraceRunBegins: LOG("run %d in %s", event->depth, event->mode); break;
    case kCFRunLoopTraceRunEnds: LOG("end of run %d: %s", event->depth, loopResultName((SInt32)event->value)); break;
    case kCFRunLoopTraceModeChanges: LOG("mode %s", event->mode[0] ? event->mode : "none"); break;
    case kCFRunLoopTraceStepBegins: LOG("%d", event->step); break;
    case kCFRunLoopTraceCalloutBegins:
        LOG("> %s%s%s", calloutName(event->callout), event->activity ? " " : "", event->activity ? loopActivityName(event->activity) : "");
        break;
    case kCFRunLoopTraceCalloutEnds: LOG("< %s", calloutName(event->callout)); break;
    case kCFRunLoopTraceSleeps: LOG("sleeps"); break;
    case kCFRunLoopTracePolls: LOG("polls"); break;
    case kCFRunLoopTraceWakes: LOG("wakes"); break;
    case kCFRunLoopTraceServes: LOG("serves %s", reasonName(event->reason)); break;
    case kCFRunLoopTraceWakeUpSent: LOG("wake-up"); break;
    case kCFRunLoopTraceWakeUpLeftOut: LOG("wake-up left out"); break;
    case kCFRunLoopTraceStopSent: LOG("stop"); break;
    case kCFRunLoopTraceSourceSignalled: LOG("signal"); break;
    case kCFRunLoopTraceTimerCreated: LOG("timer created"); break;
    case kCFRunLoopTraceTimerRescheduled: LOG("timer rescheduled"); break;
    case kCFRunLoopTraceTimerArmed: LOG("timer port armed"); break;
    }
}

/// Stops the trace, and logs the recorded events.
static void logTrace(void) {
    CRunLoopTraceStop();
    LOG_EVENT_CLEAR();
    CRunLoopTraceReceive(logEvent, NULL);
    CHECK_EQ_INT(CRunLoopTraceGetLostCount(), 0);
}

// MARK: - Events as they are

typedef struct Events {
    CFRunLoopTraceEvent *list;
    size_t count, room;
} Events;

static void append(const CFRunLoopTraceEvent *event, void *info) {
    Events *events = info;
    if (events->count == events->room) {
        events->room = events->room * 2 + 64;
        events->list = realloc(events->list, events->room * sizeof(*events->list));
    }
    events->list[events->count++] = *event;
}

/// The events of a trace of `body`. The caller frees their list.
static Events eventsOf(Body body) {
    Events events = {0};
    CHECK(CRunLoopTraceStart());
    body();
    CRunLoopTraceStop();
    CRunLoopTraceReceive(append, &events);
    return events;
}

/// The first event of that kind from `index` on; fails if there is none.
static const CFRunLoopTraceEvent *firstOf(const Events *events, CFRunLoopTraceKind kind, size_t index) {
    while (index < events->count && events->list[index].kind != kind) index++;
    if (index >= events->count) FAIL("no event of kind %d among %zu", kind, events->count);
    return &events->list[index];
}

static bool has(const Events *events, CFRunLoopTraceKind kind) {
    for (size_t i = 0; i < events->count; i++) {
        if (events->list[i].kind == kind) return true;
    }
    return false;
}

// MARK: - The steps

static void pollWithWork(void) {
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    CFRunLoopPerformBlock(LOOP, A, ^{});
    CFRunLoopRunInMode(A, 0, false);
}

TEST(trace_off_records_nothing, "Without a trace no event is recorded") {
    CHECK_EQ_INT(CRunLoopTraceReceive(NULL, NULL), 0);
    pollWithWork();
    CHECK_EQ_INT(CRunLoopTraceReceive(NULL, NULL), 0);
    CHECK(CRunLoopTraceStart());
    CRunLoopTraceStop();
    pollWithWork();
    CHECK_EQ_INT(CRunLoopTraceReceive(NULL, NULL), 0);
    CHECK_EQ_INT(CRunLoopTraceGetLostCount(), 0);
}

TEST(trace_shows_the_ten_steps, "The events of a run are its steps in order, with the callouts, the sleep and the end at their places") {
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopAllActivities, ^(CFRunLoopActivity activity) {}), A);
    CFRunLoopTimerRef timer = MakeTimer("timer", 1000, 0, ^{ CFRunLoopStop(LOOP); });
    CFRunLoopAddTimer(LOOP, timer, A);
    CFRunLoopRunInMode(A, 0, false); // arms the timer port, so that below it is only armed for the new date
    CFRunLoopSourceRef source = MakeSource0("source", 0, ^{
        CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent() + 0.3 * TimeScale());
    });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopPerformBlock(LOOP, A, ^{ CFRunLoopSourceSignal(source); });
    CHECK(CRunLoopTraceStart());
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 10 * TimeScale(), false), kCFRunLoopRunStopped);
    logTrace();
    CHECK_LOG("mode A\nrun 1 in A\n"
              "1\n> observer Entry\n< observer\n"
              "2\n> observer BeforeTimers\n< observer\n"
              "3\n> observer BeforeSources\n< observer\n> block\nsignal\n< block\n"
              "4\n> source 0\ntimer rescheduled\ntimer port armed\n< source 0\n"
              "7\npolls\nwakes\n" // a Source0 was handled, so this pass leaves out 6 and 8
              "9\nserves nothing\n"
              "2\n> observer BeforeTimers\n< observer\n"
              "3\n> observer BeforeSources\n< observer\n"
              "4\n"
              "6\n> observer BeforeWaiting\n< observer\n"
              "7\nsleeps\nwakes\n"
              "8\n> observer AfterWaiting\n< observer\n"
              "9\nserves timer\n> timer\nstop\nwake-up left out\n< timer\n"
              "10\n> observer Exit\n< observer\n"
              "end of run 1: Stopped\nmode none");
}

TEST(trace_shows_the_main_queue,
     "Work on the main dispatch queue has its own event; step 5 is recorded in the pass after one that did not serve the queue") {
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {}), DEFAULT);
    __block int ticks = 0;
    CFRunLoopAddTimer(LOOP, MakeTimer("timer", 0.2 * TimeScale(), 0.001, ^{
        if (++ticks == 2) CFRunLoopStop(LOOP);
    }), DEFAULT);
    dispatch_async(&_dispatch_main_q, ^{});
    CHECK(CRunLoopTraceStart());
    CHECK_EQ_INT(CFRunLoopRunInMode(DEFAULT, 10 * TimeScale(), false), kCFRunLoopRunStopped);
    logTrace();
    char *log = LogCopy();
    const char *served = strstr(log, "\n4\n6\n"), *next = strstr(log, "serves main queue\n> main queue\n< main queue\n2\n3\n4\n6\n");
    CHECK(served && next && served < next);
    CHECK(strstr(next, "serves timer\n"));
    CHECK(strstr(strstr(next, "serves timer\n"), "2\n3\n4\n5\n6\n"));
    free(log);
}

TEST(trace_names_what_is_called,
     "An event names the item and the client's function; for an item created with a block, the function of the block") {
    CFRunLoopSourceRef source = MakeSource0("source", 0, NULL);
    CFRunLoopSourceContext context = {0};
    CFRunLoopSourceGetContext(source, &context);
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    void (^handler)(CFRunLoopObserverRef, CFRunLoopActivity) = ^(CFRunLoopObserverRef observer, CFRunLoopActivity activity) {};
    CFRunLoopObserverRef observer = CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopEntry, true, 0, handler);
    CFRunLoopAddObserver(LOOP, observer, A);
    Events events = eventsOf(^{ CFRunLoopRunInMode(A, 0, false); });
    const CFRunLoopTraceEvent *first = firstOf(&events, kCFRunLoopTraceCalloutBegins, 0);
    CHECK_EQ_INT(first->callout, kCFRunLoopTraceObserver);
    CHECK_EQ_INT(first->activity, kCFRunLoopEntry);
    CHECK_EQ_PTR(first->item, observer);
    CHECK_EQ_PTR(first->function, ((void **)handler)[2]);
    const CFRunLoopTraceEvent *second = firstOf(&events, kCFRunLoopTraceCalloutBegins, (size_t)(first - events.list) + 1);
    CHECK_EQ_INT(second->callout, kCFRunLoopTraceSource0);
    CHECK_EQ_PTR(second->item, source);
    CHECK_EQ_PTR(second->function, (const void *)context.perform);
    for (size_t i = 0; i < events.count; i++) {
        CHECK_EQ_INT(events.list[i].thread, threadNumber());
        CHECK_EQ_PTR(events.list[i].loop, LOOP);
        if (i) CHECK_GE(events.list[i].time, events.list[i - 1].time);
    }
    free(events.list);
    CFRelease(observer);
}

TEST(trace_cuts_long_mode_names, "A mode's name that does not fit is cut off at a whole character") {
    CFStringRef mode = CFSTR("ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ"); // 60 bytes
    KeepAlive(LOOP, mode);
    Events events = eventsOf(^{ CFRunLoopRunInMode(mode, 0, false); });
    CHECK_EQ_STR(firstOf(&events, kCFRunLoopTraceRunBegins, 0)->mode, "ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ"); // 42 of 43
    free(events.list);
}

// MARK: - Senders

TEST(trace_knows_who_woke_the_loop, "A wake-up and a signal are events of the thread that sent them") {
    __block CFRunLoopSourceRef source = NULL;
    LoopThread *thread = StartLoopThread(A, ^{
        source = MakeSource0("source", 0, NULL);
        CFRunLoopAddSource(LOOP, source, A);
    });
    WaitUntilAsleep(thread->loop);
    CHECK(CRunLoopTraceStart());
    __block int signaller = 0;
    OnNewThread(^{
        signaller = threadNumber();
        CFRunLoopSourceSignal(source);
    });
    CFRunLoopWakeUp(thread->loop);
    __block Events events = {0};
    CHECK(WAIT_UNTIL((CRunLoopTraceReceive(append, &events), has(&events, kCFRunLoopTraceCalloutEnds)), 10));
    CFRunLoopTraceState state;
    WaitUntilAsleep(thread->loop);
    CFRunLoopTraceGetState(thread->loop, &state);
    CRunLoopTraceStop();
    CHECK_EQ_INT(firstOf(&events, kCFRunLoopTraceSourceSignalled, 0)->thread, signaller);
    CHECK_EQ_PTR(firstOf(&events, kCFRunLoopTraceSourceSignalled, 0)->item, source);
    CHECK_EQ_INT(firstOf(&events, kCFRunLoopTraceWakeUpSent, 0)->thread, threadNumber());
    CHECK_EQ_INT(firstOf(&events, kCFRunLoopTraceWakeUpSent, 0)->step, 7);
    const CFRunLoopTraceEvent *served = firstOf(&events, kCFRunLoopTraceServes, 0);
    CHECK_EQ_INT(served->reason, kCFRunLoopTraceWokenUp);
    CHECK_EQ_INT(state.thread, served->thread);
    CHECK_EQ_INT(state.lastReason, kCFRunLoopTraceWokenUp); // the pass with the source came later, and only polled
    free(events.list);
    EndLoopThread(thread);
}

static CFRunLoopRef loopOfHandler;
static _Atomic(uint64_t) wakeUps;
static void wakeFromHandler(int number) {
    (void)number;
    wakeUps++;
    CFRunLoopWakeUp(loopOfHandler);
}

TEST(trace_records_in_signal_handlers, "A wake-up sent in a signal handler is recorded, whatever the thread was doing") {
    LoopThread *thread = StartLoopThread(A, NULL);
    loopOfHandler = thread->loop;
    WaitUntilAsleep(thread->loop);
    signal(SIGUSR1, wakeFromHandler);
    pthread_t main = pthread_self();
    CHECK(CRunLoopTraceStart());
    _Atomic(Boolean) isOver = false, *over = &isOver;
    pthread_t sender = StartThread(^{
        while (!atomic_load(over)) pthread_kill(main, SIGUSR1);
    });
    Events events = {0};
    double end = SecondsNow() + 0.3;
    while (SecondsNow() < end) {
        for (int i = 0; i < 20; i++) wakeFromHandler(0); // signals interrupt it
        CRunLoopTraceReceive(append, &events);
    }
    atomic_store(over, true);
    JoinThread(sender);
    signal(SIGUSR1, SIG_IGN);
    CRunLoopTraceStop();
    CRunLoopTraceReceive(append, &events);
    CHECK(has(&events, kCFRunLoopTraceWakeUpSent));
    uint64_t seen = 0;
    for (size_t i = 0; i < events.count; i++) seen += events.list[i].thread == threadNumber();
    CHECK_LE(seen, wakeUps);
    CHECK_GE(seen + CRunLoopTraceGetLostCount(), wakeUps);
    free(events.list);
    EndLoopThread(thread);
}

// MARK: - Nested runs, several threads

TEST(trace_shows_nested_runs,
     "A run in a callback is recorded with its own mode and depth, and afterwards the outer run's mode is current again") {
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopPerformBlock(LOOP, A, ^{ CFRunLoopRunInMode(B, 0, false); });
    CHECK(CRunLoopTraceStart());
    CFRunLoopRunInMode(A, 0, false);
    logTrace();
    CHECK_LOG("mode A\nrun 1 in A\n1\n2\n3\n> block\n"
              "mode B\nrun 2 in B\n1\n2\n3\n4\n7\npolls\nwakes\n9\nserves nothing\n10\nend of run 2: TimedOut\nmode A\n"
              "< block\n4\n7\npolls\nwakes\n9\nserves nothing\n10\nend of run 1: TimedOut\nmode none");
}

/// Checks that the events of one thread are in order, and that its callouts end in the reverse order of their beginnings.
static void checkThread(const Events *events, int thread) {
    int open = 0, runs = 0;
    const CFRunLoopTraceEvent *last = NULL;
    for (size_t i = 0; i < events->count; i++) {
        const CFRunLoopTraceEvent *event = &events->list[i];
        if (event->thread != thread) continue;
        if (last) CHECK_GE(event->time, last->time);
        open += (event->kind == kCFRunLoopTraceCalloutBegins) - (event->kind == kCFRunLoopTraceCalloutEnds);
        runs += event->kind == kCFRunLoopTraceRunEnds;
        CHECK_GE(open, 0);
        CHECK_LE(open, 1);
        last = event;
    }
    CHECK_EQ_INT(open, 0);
    CHECK_GE(runs, 100);
}

TEST(trace_of_two_threads, "The events of two loops that run at the same time are distinct and in order, and none is lost or duplicated") {
    int numberOfThread[2] = {0}, *numbers = numberOfThread;
    Events events = eventsOf(^{
        pthread_t threads[2];
        for (int t = 0; t < 2; t++) {
            threads[t] = StartThread(^{
                numbers[t] = threadNumber();
                for (int i = 0; i < 100; i++) pollWithWork();
            });
        }
        for (int t = 0; t < 2; t++) JoinThread(threads[t]);
    });
    CHECK_EQ_INT(CRunLoopTraceGetLostCount(), 0);
    for (int t = 0; t < 2; t++) checkThread(&events, numbers[t]);
    free(events.list);
}

// MARK: - Start, stop, overflow

TEST(trace_is_one_at_a_time,
     "A second trace cannot be started while one is active; a later trace begins with an empty ring, and counts from the start") {
    CHECK(CRunLoopTraceStart());
    CHECK(!CRunLoopTraceStart());
    pollWithWork();
    CRunLoopTraceStop();
    CRunLoopTraceStop();
    Events events = eventsOf(^{ CFRunLoopWakeUp(LOOP); });
    CHECK_EQ_INT(events.count, 1);
    CHECK_EQ_INT(events.list[0].kind, kCFRunLoopTraceWakeUpLeftOut);
    free(events.list);
}

TEST(trace_counts_what_it_loses, "Events beyond the ring's capacity are counted; the events in it stay, and receiving them makes room") {
    CHECK(CRunLoopTraceStart());
    for (int i = 0; i < CRunLoopTraceCapacity + 1000; i++) CFRunLoopWakeUp(LOOP);
    CHECK_EQ_INT(CRunLoopTraceGetLostCount(), 1000);
    CHECK_EQ_INT(CRunLoopTraceReceive(NULL, NULL), CRunLoopTraceCapacity);
    CFRunLoopWakeUp(LOOP);
    CHECK_EQ_INT(CRunLoopTraceReceive(NULL, NULL), 1);
    CHECK_EQ_INT(CRunLoopTraceGetLostCount(), 1000);
    CRunLoopTraceStop();
    CHECK(CRunLoopTraceStart());
    CHECK_EQ_INT(CRunLoopTraceGetLostCount(), 0);
    CRunLoopTraceStop();
}

static void runALoop(const CFRunLoopTraceEvent *event, void *info) {
    ++*(int *)info;
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0, false), kCFRunLoopRunTimedOut);
    CFRunLoopWakeUp(event->loop ? (CFRunLoopRef)event->loop : LOOP);
}

TEST(trace_handler_may_run_loops,
     "The handler is called without locks: it may run the loop whose events it receives, and the call still ends") {
    KeepAlive(LOOP, A);
    CHECK(CRunLoopTraceStart());
    CFRunLoopRunInMode(A, 0, false);
    int calls = 0;
    CRunLoopTraceReceive(runALoop, &calls);
    CRunLoopTraceStop();
    CHECK_EQ_INT(calls, CRunLoopTraceCapacity); // each call has caused more events
}

TEST(trace_stops_while_loops_run,
     "A trace may be stopped, and the next one started, while loops run on other threads; after the stop no more events are recorded") {
    _Atomic(Boolean) isOver = false, *over = &isOver;
    _Atomic(int) passCounts[2] = {0}, *passes = passCounts;
    pthread_t threads[2];
    for (int t = 0; t < 2; t++) {
        threads[t] = StartThread(^{
            KeepAlive(LOOP, A);
            while (!atomic_load(over)) {
                CFRunLoopRunInMode(A, 0, false);
                atomic_fetch_add(&passes[t], 1);
            }
        });
    }
    for (int i = 0; i < 200; i++) {
        CHECK(CRunLoopTraceStart());
        if (i % 2) CRunLoopTraceReceive(NULL, NULL);
        CRunLoopTraceStop();
    }
    for (int t = 0; t < 2; t++) { // waits until each thread has left the pass in which it may have seen the trace on
        int seen = atomic_load(&passes[t]);
        CHECK(WAIT_UNTIL(atomic_load(&passes[t]) > seen + 1, 10));
    }
    while (CRunLoopTraceReceive(NULL, NULL)) {}
    int seen = atomic_load(&passes[0]);
    CHECK(WAIT_UNTIL(atomic_load(&passes[0]) > seen + 10, 10));
    CHECK_EQ_INT(CRunLoopTraceReceive(NULL, NULL), 0);
    atomic_store(over, true);
    for (int t = 0; t < 2; t++) JoinThread(threads[t]);
}

// MARK: - A thread that does not finish recording an event
//
// A bad pointer causes SIGSEGV in the middle of recording; its handler leaves by siglongjmp. (The handler of another signal can also leave
// a wake-up in a program's signal handler in this way.)

static sigjmp_buf wayOut;

static void leave(int signal) { siglongjmp(wayOut, signal); }

static void recordHalfAnEvent(void) {
    if (sigsetjmp(wayOut, 1)) return;
    void *unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    atomic_load(&__CFRunLoopTraceHook)(unreadable);
    FAIL("the event was recorded");
}

static void recordEvents(int count) {
    for (int i = 0; i < count; i++) __CFRunLoopTrace(NULL, NULL, kCFRunLoopTraceTimerCreated, 0, NULL, NULL, i);
}

static void countEvent(const CFRunLoopTraceEvent *event, void *info) {
    CHECK_EQ_INT(event->kind, kCFRunLoopTraceTimerCreated);
    ++*(int *)info;
}

static int received(void) {
    int count = 0;
    CRunLoopTraceReceive(countEvent, &count);
    return count;
}

static void catchSegmentationFault(void) {
    struct sigaction action = {.sa_handler = leave};
    CHECK_EQ_INT(sigaction(SIGSEGV, &action, NULL), 0);
}

// The defect: the receiver waited for the place to be filled, so it never received an event again, not even of later traces.
TEST(trace_goes_on_behind_an_event_that_was_left_half_recorded,
     "A thread that leaves the recording of an event by siglongjmp loses that event, and each later one of the same place; these are "
     "counted as lost, and no others are") {
    catchSegmentationFault();
    CHECK(CRunLoopTraceStart());
    recordEvents(3);
    recordHalfAnEvent();
    recordEvents(4);
    int count = received();
    CHECK_GE(count, 3); // it waits for a second, because the thread may still finish
    CHECK(WAIT_UNTIL((count += received()) == 7, 10));
    CHECK_EQ_INT(CRunLoopTraceGetLostCount(), 1);

    for (int lap = 1; lap <= 3; lap++) { // once around the ring, and past the place that was given up
        int taken = 0;
        for (int i = 0; i < 4; i++) {
            recordEvents(CRunLoopTraceCapacity / 4);
            taken += received();
        }
        CHECK_EQ_INT(taken, CRunLoopTraceCapacity - 1);
        CHECK_EQ_INT(CRunLoopTraceGetLostCount(), 1 + lap);
    }
}

TEST(trace_begins_anew_behind_an_event_that_was_left_half_recorded,
     "A trace that starts while an event of the previous one is half recorded has its own events, and none lost") {
    catchSegmentationFault();
    CHECK(CRunLoopTraceStart());
    recordEvents(2);
    recordHalfAnEvent();
    recordEvents(2);
    CRunLoopTraceStop();
    CHECK(CRunLoopTraceStart());
    recordEvents(5);
    int count = 0;
    CHECK(WAIT_UNTIL((count += received()) == 5, 10));
    CHECK_EQ_INT(CRunLoopTraceGetLostCount(), 0);
}

// MARK: - The records of passes

/// The record of a pass, by its number.
static const struct __CFRunLoopPass *passNumber(uint64_t number) {
    CFRunLoopRef rl = LOOP;
    CHECK(number < rl->_passes->_count && rl->_passes->_count - number <= __kCFRunLoopPassesKept);
    return &rl->_passes->_kept[number % __kCFRunLoopPassesKept];
}

static unsigned long long stepsOf(const struct __CFRunLoopPass *pass) { return atomic_load(&pass->_steps); }

// The defect: the record said that the limit had come.
TEST(history_of_a_wait_that_did_not_sleep, "A pass that finds work of a nested run before its sleep does not sleep, and serves nothing") {
    __block bool nested = false;
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopBeforeWaiting, ^(CFRunLoopActivity activity) {
        if (nested) return;
        nested = true;
        CFRunLoopRunInMode(B, 0, false);
        CFRunLoopPerformBlock(LOOP, A, ^{ CFRunLoopStop(LOOP); });
    }), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 10 * TimeScale(), false), kCFRunLoopRunStopped);
    CHECK_EQ_INT(passNumber(1)->_reason, kCFRunLoopTraceNothing); // number 0 is the nested run's
}

TEST(history_keeps_the_last_passes, "The last passes are kept, in order, each with its steps, callouts and reason, even without a trace") {
    KeepAlive(LOOP, A);
    const int runs = 3 * __kCFRunLoopPassesKept;
    for (int i = 0; i < runs; i++) {
        for (int blocks = 0; blocks < i % 7; blocks++) CFRunLoopPerformBlock(LOOP, A, ^{});
        CFRunLoopRunInMode(A, 0, false);
    }
    CHECK_EQ_INT(LOOP->_passes->_count, runs);
    for (int i = runs - __kCFRunLoopPassesKept; i < runs; i++) {
        const struct __CFRunLoopPass *pass = passNumber((uint64_t)i);
        CHECK_EQ_INT(stepsOf(pass), 0x23479);
        CHECK_EQ_INT(pass->_callouts[kCFRunLoopTraceBlock], i % 7);
        CHECK_EQ_INT(pass->_callouts[kCFRunLoopTraceSource0], 0);
        CHECK_EQ_INT(pass->_reason, kCFRunLoopTraceNothing);
        CHECK_EQ_INT(pass->_port, -1);
        CHECK_EQ_INT(pass->_depth, 1);
        CHECK_EQ_PTR(pass->_mode, ModeNamed(LOOP, A));
        CHECK_EQ_INT(pass->_sleepTSR, 0); // it did not sleep, so it read no clock
    }
}

TEST(history_of_each_reason, "A pass's record has the reason for which it woke: a Source1, a timer or the limit, each after a sleep") {
    int descriptor = eventfd(0, EFD_NONBLOCK);
    CFRunLoopAddSource(LOOP, MakeEventSource("event", descriptor), A);
    CFRunLoopAddTimer(LOOP, MakeTimer("timer", 0.05, 0, ^{ eventfd_write(descriptor, 1); }), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 10 * TimeScale(), true), kCFRunLoopRunHandledSource);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 0.1, true), kCFRunLoopRunTimedOut);
    CHECK_EQ_INT(LOOP->_passes->_count, 3);
    CHECK_EQ_INT(stepsOf(passNumber(0)), 0x2346789);
    CHECK_EQ_INT(passNumber(0)->_reason, kCFRunLoopTraceTimerPort);
    CHECK_EQ_INT(passNumber(0)->_callouts[kCFRunLoopTraceTimer], 1);
    CHECK_EQ_INT(stepsOf(passNumber(1)), 0x2346789);
    CHECK_EQ_INT(passNumber(1)->_reason, kCFRunLoopTraceSourcePort);
    CHECK_EQ_INT(passNumber(1)->_port, descriptor);
    CHECK_EQ_INT(passNumber(1)->_callouts[kCFRunLoopTraceSource1], 1);
    CHECK_EQ_INT(passNumber(2)->_reason, kCFRunLoopTraceTimeout);
    for (uint64_t i = 0; i < 3; i++) {
        CHECK(passNumber(i)->_sleepTSR > 0);
        CHECK_GE(passNumber(i)->_wakeTSR, passNumber(i)->_sleepTSR);
    }
    CHECK_GE(passNumber(2)->_wakeTSR - passNumber(2)->_sleepTSR, 5000000);
}

TEST(history_of_nested_runs, "A pass of a nested run is recorded before the outer pass, which keeps its own steps and counts") {
    KeepAlive(LOOP, A);
    KeepAlive(LOOP, B);
    CFRunLoopPerformBlock(LOOP, A, ^{
        for (int i = 0; i < __kCFRunLoopPassesKept + 3; i++) CFRunLoopRunInMode(B, 0, false);
    });
    CFRunLoopPerformBlock(LOOP, A, ^{});
    CFRunLoopRunInMode(A, 0, false);
    CHECK_EQ_INT(LOOP->_passes->_count, __kCFRunLoopPassesKept + 4);
    const struct __CFRunLoopPass *inner = passNumber(LOOP->_passes->_count - 2), *outer = passNumber(LOOP->_passes->_count - 1);
    CHECK_EQ_INT(inner->_depth, 2);
    CHECK_EQ_PTR(inner->_mode, ModeNamed(LOOP, B));
    CHECK_EQ_INT(inner->_callouts[kCFRunLoopTraceBlock], 0);
    CHECK_EQ_INT(outer->_depth, 1);
    CHECK_EQ_PTR(outer->_mode, ModeNamed(LOOP, A));
    CHECK_EQ_INT(stepsOf(outer), 0x23479);
    CHECK_EQ_INT(outer->_callouts[kCFRunLoopTraceBlock], 2);
}

// MARK: - What a loop is doing

TEST(state_of_a_sleeping_loop,
     "The state of a sleeping loop is step 7, with its thread, mode and items, and with its timers in firing order") {
    __block int number = 0;
    LoopThread *thread = StartLoopThread(A, ^{
        number = threadNumber();
        CFRunLoopAddTimer(LOOP, MakeTimer("late", 2000, 7, NULL), A);
        CFRunLoopAddTimer(LOOP, MakeTimer("early", 1000, 0, NULL), A);
        CFRunLoopAddObserver(LOOP, MakeQuietObserver(kCFRunLoopExit, ^(CFRunLoopActivity activity) {}), A);
        for (int i = 0; i < 3; i++) CFRunLoopAddSource(LOOP, MakeSource1("idle", eventfd(0, EFD_CLOEXEC), NULL), A);
        KeepAlive(LOOP, B);
    });
    WaitUntilAsleep(thread->loop);
    CFRunLoopTraceState state;
    CFRunLoopTraceGetState(thread->loop, &state);
    CHECK_EQ_INT(state.thread, number);
    CHECK_EQ_INT(state.step, 7);
    CHECK_EQ_INT(state.depth, 1);
    CHECK(state.isAsleep);
    CHECK_EQ_STR(state.mode, "A");
    CHECK_EQ_INT(state.sources0, 1);
    CHECK_EQ_INT(state.sources1, 3);
    CHECK_EQ_INT(state.observers, 1);
    CHECK_EQ_INT(state.timers, 2);
    CHECK_EQ_INT(state.blocks, 0);
    CFRunLoopTraceTimerState timers[2] = {0};
    CHECK_EQ_INT(CFRunLoopTraceGetTimers(thread->loop, timers, 1), 2);
    CHECK_EQ_PTR(timers[1].timer, NULL); // beyond the capacity
    CHECK_EQ_INT(CFRunLoopTraceGetTimers(thread->loop, timers, 2), 2);
    double left = (double)timers[0].due / 1e9 - SecondsNow();
    CHECK(left > 500 && left < 1001);
    CHECK_EQ_DOUBLE(timers[1].interval, 7, 0);
    CHECK_EQ_DOUBLE((double)(timers[1].due - timers[0].due) / 1e9, 1000, 300);
    EndLoopThread(thread);
}

TEST(trace_counts_passes_and_the_seconds_asleep, "A run that sleeps adds to the seconds asleep, and one that polls does not; both add to the passes") {
    CFRunLoopTraceState state;
    CFRunLoopTraceGetState(LOOP, &state);
    CHECK_EQ_INT(state.passes, 0);
    CHECK_EQ_DOUBLE(state.sleepTime, 0.0, 0.0);
    KeepAlive(LOOP, A);
    CFRunLoopRunInMode(A, 0.05, false);
    CFRunLoopTraceGetState(LOOP, &state);
    CHECK_EQ_INT(state.passes, 1);
    CHECK(state.sleepTime > 0.0);
    CFTimeInterval before = state.sleepTime;
    CFRunLoopRunInMode(A, 0, false);
    CFRunLoopTraceGetState(LOOP, &state);
    CHECK_EQ_INT(state.passes, 2);
    CHECK_EQ_DOUBLE(state.sleepTime, before, 0.0);
}

TEST(state_of_the_own_loop, "A loop that does not run has the state of its default mode; in a callback its state is the callback's step") {
    CFRunLoopTraceState state;
    KeepAlive(LOOP, DEFAULT);
    CFRunLoopTraceGetState(LOOP, &state);
    CHECK_EQ_INT(state.thread, threadNumber());
    CHECK_EQ_INT(state.step, 0);
    CHECK_EQ_INT(state.depth, 0);
    CHECK_EQ_STR(state.mode, "");
    CHECK_EQ_INT(state.sources0, 1);
    CHECK_EQ_INT(state.lastReason, kCFRunLoopTraceNotYet);
    CFRunLoopTraceState inCallback = {0}, *seen = &inCallback;
    CFRunLoopSourceRef source = MakeSource0("source", 0, ^{ CFRunLoopTraceGetState(LOOP, seen); });
    CFRunLoopAddSource(LOOP, source, A);
    CFRunLoopSourceSignal(source);
    CFRunLoopPerformBlock(LOOP, A, ^{});
    CFRunLoopRunInMode(A, 0, false);
    CHECK_EQ_INT(inCallback.step, 4);
    CHECK_EQ_INT(inCallback.depth, 1);
    CHECK_EQ_STR(inCallback.mode, "A");
    CFRunLoopTraceGetState(LOOP, &state);
    CHECK_EQ_INT(state.passes, 1);
    CHECK_EQ_INT(state.lastReason, kCFRunLoopTraceNothing);
}

TEST(all_loops_can_be_had, "The list of all loops, which retains them, begins with the main one and has those of living threads") {
    CFArrayRef none = CFRunLoopTraceCopyAllLoops();
    CHECK_EQ_INT(CFArrayGetCount(none), 0); // no thread has asked for a loop yet, and the list creates none
    CFRelease(none);
    LoopThread *thread = StartLoopThread(A, NULL);
    CFArrayRef loops = CFRunLoopTraceCopyAllLoops();
    CHECK_EQ_INT(CFArrayGetCount(loops), 2);
    CHECK_EQ_PTR(CFArrayGetValueAtIndex(loops, 0), CFRunLoopGetMain());
    CHECK_EQ_PTR(CFArrayGetValueAtIndex(loops, 1), thread->loop);
    EndLoopThread(thread);
    CFRunLoopTraceState state;
    CFRunLoopTraceGetState((CFRunLoopRef)CFArrayGetValueAtIndex(loops, 1), &state); // its thread has ended
    CHECK_EQ_INT(state.step, 0);
    CFRelease(loops);
    loops = CFRunLoopTraceCopyAllLoops();
    CHECK_EQ_INT(CFArrayGetCount(loops), 1);
    CFRelease(loops);
}
