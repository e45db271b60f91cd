/// RegistryTests.c: which thread has which run loop, when it is created and when it is deallocated (R1–R8).
#include "LoopSupport.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>
#include "Checker.h"
#include "Faults.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: - R1–R5: getting one

/// R1, checked by the compiler: if a public header declared a function with one of these names, this would not compile.
enum { CFRunLoopCreate, CFRunLoopCreateMutable, CFRunLoopCopyCurrent, CFRunLoopGetForThread, CFRunLoopGetWithThread };

TEST(R1_getters_hand_out_the_same_loop, "The getters return the same loop every time, and do not retain it") {
    CFRunLoopRef loop = CFRunLoopGetMain();
    CheckLoop(loop);
    CFIndex references = CFGetRetainCount(loop);
    for (int i = 0; i < 10; i++) {
        CHECK_EQ_PTR(CFRunLoopGetCurrent(), loop);
        CHECK_EQ_PTR(CFRunLoopGetMain(), loop);
    }
    CHECK_EQ_INT(CFGetRetainCount(loop), references);
    CHECK_EQ_INT(CFGetTypeID(loop), CFRunLoopGetTypeID());
    CheckLoop(loop);
}

TEST(R1_the_main_loop_knows_its_thread, "The main loop is that of the main thread, whose number it has, also if another thread asks for it first") {
    OnNewThread(^{ CHECK_EQ_INT(CFRunLoopGetMain()->_tid, getpid()); });
    CHECK_EQ_PTR(CFRunLoopGetCurrent(), CFRunLoopGetMain());
}

enum { askers = 32 };

TEST(R2_one_loop_a_thread,
     "Threads that ask at the same time, and often, get one loop each, and all get the same one for the main thread") {
    CFRunLoopRef own[askers] = {0}, *loops = own;
    pthread_barrier_t barrier, *gate = &barrier;
    pthread_barrier_init(gate, NULL, askers);
    pthread_t threads[askers];
    CFRunLoopRef mains[askers] = {0}, *mainLoops = mains;
    for (int i = 0; i < askers; i++) {
        threads[i] = StartThread(^{
            pthread_barrier_wait(gate); // all threads make the process's first call at the same time
            loops[i] = i % 2 ? CFRunLoopGetCurrent() : _CFRunLoopGet0(pthread_self());
            mainLoops[i] = CFRunLoopGetMain();
            for (int ask = 0; ask < 100; ask++) CHECK_EQ_PTR(CFRunLoopGetCurrent(), loops[i]);
            CHECK(pthread_equal(_CFRunLoopGet1(loops[i]), pthread_self()));
            CHECK(_CFRunLoopIsCurrent(loops[i]));
            CheckLoop(loops[i]);
            pthread_barrier_wait(gate); // all loops are alive until all have been compared below
            for (int other = 0; other < askers; other++) CHECK_EQ_INT(loops[other] == loops[i], other == i);
            pthread_barrier_wait(gate);
        });
    }
    for (int i = 0; i < askers; i++) JoinThread(threads[i]);
    for (int i = 0; i < askers; i++) CHECK_EQ_PTR(mains[i], CFRunLoopGetCurrent());
    pthread_barrier_destroy(gate);
    CheckLoop(CFRunLoopGetMain());
}

TEST(R3_a_thread_that_never_asks_has_none,
     "A thread has no loop, and no descriptors for one, until it asks for its loop; it then keeps that loop") {
    CFRunLoopGetMain();
    CheckLoop(CFRunLoopGetMain());
    int before = OpenDescriptorCount();
    OnNewThread(^{
        CHECK_EQ_PTR(_CFRunLoopGet0b(pthread_self()), NULL);
        CHECK_EQ_INT(OpenDescriptorCount(), before);
        CFRunLoopRef loop = CFRunLoopGetCurrent();
        CHECK(loop != NULL);
        CHECK_EQ_PTR(_CFRunLoopGet0b(pthread_self()), loop);
        CHECK_EQ_INT(OpenDescriptorCount(), before + 1);
        CheckLoop(loop);
    });
    CHECK_EQ_INT(OpenDescriptorCount(), before);
}

TEST(R4_the_main_loop_comes_along, "Whichever thread asks first, that also creates the main thread's loop") {
    CHECK_EQ_PTR(_CFRunLoopGet0b(pthread_self()), NULL);
    CHECK_EQ_PTR(_CFRunLoopGet0b((pthread_t)0), NULL);
    OnNewThread(^{
        CFRunLoopRef loop = CFRunLoopGetCurrent();
        CHECK(_CFRunLoopGet0b((pthread_t)0) != NULL);
        CHECK(_CFRunLoopGet0b((pthread_t)0) != loop);
    });
    CHECK(_CFRunLoopGet0b(pthread_self()) != NULL);
    CHECK_EQ_PTR(_CFRunLoopGet0b(pthread_self()), CFRunLoopGetMain());
    CheckLoop(CFRunLoopGetCurrent());
}

TEST(R5_its_own_or_the_main_one, "A thread gets its own loop or the main one; another thread's loop only through the SPI") {
    LoopThread *other = StartLoopThread(A, NULL);
    OnNewThread(^{
        CHECK(CFRunLoopGetCurrent() != other->loop);
        CHECK(CFRunLoopGetCurrent() != CFRunLoopGetMain());
        CHECK(CFRunLoopGetMain() != other->loop);
        CHECK_EQ_PTR(_CFRunLoopGet0(other->thread), other->loop);
        CHECK(!_CFRunLoopIsCurrent(other->loop));
    });
    CHECK_EQ_PTR(CFRunLoopGetCurrent(), CFRunLoopGetMain());
    WaitUntilAsleep(other->loop);
    CheckLoop(other->loop);
    EndLoopThread(other);
}

// MARK: - R6: the end of a loop

static _Atomic(int) released;

static void countRelease(const void *info) { released++; }

TEST(D40_a_source_is_refused_by_a_loop_whose_thread_has_ended,
     "A loop that is retained beyond the end of its thread accepts no source, because the two would retain each other, and the source's "
     "descriptor would stay in the loop's set") {
    CFRunLoopGetMain();
    int descriptors = OpenDescriptorCount();
    static CFRunLoopRef loop;
    OnNewThread(^{
        loop = (CFRunLoopRef)CFRetain(LOOP);
        CFRunLoopAddCommonMode(LOOP, A);
    });
    int port = eventfd(0, EFD_CLOEXEC);
    CFRunLoopSourceContext plain = {.info = &released, .release = countRelease};
    CFRunLoopSourceContext1 withPort = LoudContext1("p", port, NULL);
    CFRunLoopSourceRef sources[] = {CFRunLoopSourceCreate(NULL, 0, &plain), CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&withPort)};
    for (int i = 0; i < 2; i++) {
        CFStringRef modes[] = {A, B, COMMON};
        for (int mode = 0; mode < 3; mode++) {
            CFRunLoopAddSource(loop, sources[i], modes[mode]);
            CHECK(!CFRunLoopContainsSource(loop, sources[i], modes[mode]));
        }
        CHECK(CFRunLoopSourceIsValid(sources[i]));
        CHECK_EQ_INT(CFGetRetainCount(sources[i]), 1);
        CFRelease(sources[i]);
    }
    CHECK_EQ_INT(released, 1);
    CHECK_EQ_INT(CFGetRetainCount(loop), 1);
    CFRelease(loop);
    close(port);
    CHECK_EQ_INT(OpenDescriptorCount(), descriptors);
}

// MARK: - Twins

/// A twin as a layer above has it: an object with a count of its own, which has one reference to its C object for life.
typedef struct {
    _Atomic(int) count;
    CFTypeRef cf;
} Twin;

static _Atomic(int) twinsLeft;

extern void dispatch_main(void) __attribute__((noreturn));

static void retainTwin(const void *twin) { ((Twin *)twin)->count++; }
static void releaseTwin(const void *pointer) {
    Twin *twin = (Twin *)pointer;
    if (--twin->count) return;
    _CFRemoveTwin(twin->cf);
    CFRelease(twin->cf);
    free(twin);
    twinsLeft--;
}

static const void *endedTwin;
static _Atomic(int) ends;
static void loopHasEnded(const void *twin) {
    endedTwin = twin;
    ends++;
}

static const CFTwinCallBacks twinCallBacks = {retainTwin, releaseTwin, loopHasEnded};

/// Returns a new twin, with a reference for the caller. It takes over the caller's reference to the C object.
static Twin *makeTwin(CFTypeRef cf) {
    Twin *twin = calloc(1, sizeof(Twin));
    twin->count = 1;
    twin->cf = cf;
    twinsLeft++;
    CHECK_EQ_PTR(_CFSetTwin(cf, twin, &twinCallBacks), twin);
    CHECK_EQ_PTR(_CFGetTwin(cf), twin);
    return twin;
}

TEST(a_twin_and_its_object_live_as_long_as_either_is_in_use,
     "The second reference to an object retains its twin, and the twin is released when only its own is left. So the last of both ends "
     "both, in every order") {
    CFTypeRef makers[] = {MakeTimer("timer", 1000, 0, NULL), MakeSource0("source", 0, NULL), MakeObserver("observer", kCFRunLoopEntry, 0, NULL)};
    for (int i = 0; i < 3; i++) {
        Twin *twin = makeTwin(makers[i]);
        CHECK_EQ_INT(twin->count, 1);
        CFRetain(twin->cf);
        CHECK_EQ_INT(twin->count, 2);
        CFRetain(twin->cf);
        CHECK_EQ_INT(twin->count, 2);
        CHECK_EQ_INT(CFGetRetainCount(twin->cf), 3);
        releaseTwin(twin); // the object keeps it
        CHECK_EQ_INT(twinsLeft, 1);
        CFRelease(makers[i]);
        CHECK_EQ_INT(twinsLeft, 1);
        CFRelease(makers[i]);
        CHECK_EQ_INT(twinsLeft, 0);
    }
}

TEST(a_loop_keeps_the_twins_of_its_items,
     "A timer, a source and an observer in a loop keep their twins until they leave it. The end of the loop's thread takes all three out, "
     "valid, if the loop has a twin") {
    LoopThread *thread = StartLoopThread(A, NULL);
    Twin *loop = makeTwin(CFRetain(thread->loop));
    CFTypeRef items[] = {MakeTimer("timer", 1000, 0, NULL), MakeSource0("source", 0, NULL), MakeObserver("observer", kCFRunLoopEntry, 0, NULL)};
    Twin *twins[3];
    for (int i = 0; i < 3; i++) twins[i] = makeTwin(items[i]);
    CFRunLoopAddTimer(thread->loop, (CFRunLoopTimerRef)items[0], COMMON);
    CFRunLoopAddTimer(thread->loop, (CFRunLoopTimerRef)items[0], A);
    CFRunLoopAddSource(thread->loop, (CFRunLoopSourceRef)items[1], A);
    CFRunLoopAddObserver(thread->loop, (CFRunLoopObserverRef)items[2], COMMON);
    CFRunLoopAddObserver(thread->loop, (CFRunLoopObserverRef)items[2], B);
    for (int i = 0; i < 3; i++) CHECK_EQ_INT(twins[i]->count, 2);
    CHECK(!_CFRunLoopHasEnded(thread->loop));
    CHECK(!_CFRunLoopHasEnded(CFRunLoopGetMain()));
    EndLoopThread(thread);
    CHECK(_CFRunLoopHasEnded((CFRunLoopRef)loop->cf));
    CHECK_EQ_PTR(endedTwin, loop);
    for (int i = 0; i < 3; i++) CHECK_EQ_INT(twins[i]->count, 1);
    CHECK_EQ_INT(loop->count, 1);
    CHECK(CFRunLoopTimerIsValid((CFRunLoopTimerRef)items[0]));
    CHECK(CFRunLoopObserverIsValid((CFRunLoopObserverRef)items[2]));
    // A loop that has ended takes nothing, because nothing would take it out again.
    CFRunLoopAddTimer((CFRunLoopRef)loop->cf, (CFRunLoopTimerRef)items[0], A);
    CFRunLoopAddObserver((CFRunLoopRef)loop->cf, (CFRunLoopObserverRef)items[2], COMMON);
    for (int i = 0; i < 3; i++) CHECK_EQ_INT(twins[i]->count, 1);
    releaseTwin(loop);
    for (int i = 0; i < 3; i++) releaseTwin(twins[i]);
    CHECK_EQ_INT(twinsLeft, 0);
}

TEST(the_main_loop_gives_up_its_items_when_its_thread_exits,
     "If the main loop has a twin, its timers and observers leave it when the main thread exits, valid, although the loop stays") {
    Twin *loop = makeTwin(CFRetain(LOOP)), *timer = makeTwin(MakeTimer("timer", 1000, 0, NULL)), *observer = makeTwin(MakeObserver("observer", kCFRunLoopEntry, 0, NULL));
    CFRunLoopAddTimer(LOOP, (CFRunLoopTimerRef)timer->cf, COMMON);
    CFRunLoopAddObserver(LOOP, (CFRunLoopObserverRef)observer->cf, A);
    StartThread(^{
        CHECK(WAIT_UNTIL(timer->count == 1 && observer->count == 1, 10));
        CHECK_EQ_PTR(CFRunLoopGetMain(), loop->cf);
        CHECK(CFRunLoopTimerIsValid((CFRunLoopTimerRef)timer->cf));
        CHECK(CFRunLoopObserverIsValid((CFRunLoopObserverRef)observer->cf));
        _exit(0);
    });
    dispatch_main(); // ends the thread in the first round of its destructors
}

TEST(the_end_of_the_main_loop_is_told_once,
     "The main thread ends by pthread_exit: its slot and the finalizer of its loop both notice, and the loop's twin hears of it once") {
    makeTwin(CFRetain(LOOP));
    StartThread(^{
        CHECK(WAIT_UNTIL(ThreadState(getpid()) == 'Z', 10));
        CHECK_EQ_INT(ends, 1);
        _exit(0);
    });
    pthread_exit(NULL);
}

TEST(R8_the_end_of_a_forked_childs_main_thread_is_noticed,
     "A thread that is not the main one forks before the library is used: in the child it is the main thread, and its end is noticed") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no thread may be started after a fork");
    OnNewThread(^{
        pid_t child = fork();
        if (child == 0) {
            StartThread(^{
                CHECK(WAIT_UNTIL(_CFMainThreadHasEnded(), 10));
                _exit(0);
            });
            dispatch_main();
        }
        CHECK_EQ_INT(StatusOf(child), 0);
    });
}

static CFRunLoopRef loopOfNewThread(Body body) {
    __block CFRunLoopRef loop;
    OnNewThread(^{
        loop = (CFRunLoopRef)CFRetain(LOOP);
        body();
    });
    return loop;
}

TEST(S5_an_observer_of_a_deallocated_loop_moves_as_a_new_one,
     "An observer that was in two modes of a loop that is gone joins another loop, leaves it with its only mode there, and joins a third") {
    CFRunLoopObserverRef observer = MakeObserver("observer", kCFRunLoopEntry, 0, NULL);
    CFRelease(loopOfNewThread(^{
        CFRunLoopAddObserver(LOOP, observer, A);
        CFRunLoopAddObserver(LOOP, observer, B);
    }));
    CFRunLoopAddObserver(LOOP, observer, A);
    CHECK(CFRunLoopContainsObserver(LOOP, observer, A));
    CFRunLoopRemoveObserver(LOOP, observer, A);
    OnNewThread(^{
        CFRunLoopAddObserver(LOOP, observer, A);
        CHECK(CFRunLoopContainsObserver(LOOP, observer, A));
    });
}

TEST(a_loop_has_one_twin,
     "If two threads make a twin for a loop, the loop has the first, and both get it") {
    Twin *twin = makeTwin(CFRetain(LOOP)), other = {0};
    CHECK_EQ_PTR(_CFSetTwin(LOOP, &other, &twinCallBacks), twin);
    CHECK_EQ_PTR(_CFRunLoopGet2(LOOP), twin);
    CHECK_EQ_INT(other.count, 0);
    CHECK_EQ_INT(twin->count, 2); // the registry has a reference to the loop
    releaseTwin(twin);
}

static CFRunLoopRef endedLoop;

static void askForTheLoop(const void *info) {
    CHECK(CFRunLoopGetCurrent() != endedLoop);
    releaseTwin(makeTwin(CFRetain(CFRunLoopGetCurrent())));
    LOG("released");
}

// The defect: the release of a timer's context got the loop that was being deallocated, and could give it a twin, which never went.
TEST(R6_what_goes_with_a_loop_does_not_get_it,
     "What the last reference to a loop releases when its thread ends, such as the context of a timer, gets a new loop if it asks for the "
     "current one, and that ends with the thread, too") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no code built with it may run in the last round of destructors of thread data");
    OnNewThread(^{
        CFRunLoopTimerContext context = {.release = askForTheLoop, .info = &endedLoop};
        CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + 1000, 0, 0, 0, NULL, &context);
        endedLoop = LOOP;
        CFRunLoopAddTimer(LOOP, timer, A);
        CFRelease(timer);
    });
    CHECK_LOG("released");
    CHECK_EQ_INT(twinsLeft, 0);
}

static void retainAndRelease(CFTypeRef cf) {
    for (int i = 0; i < 100000; i++) {
        CFRetain(cf);
        CFRelease(cf);
    }
}

TEST(a_twin_survives_references_that_come_and_go_on_two_threads,
     "Two threads take and release the second reference to an object at the same time. Each retain of the twin is released once") {
    Twin *twin = makeTwin(MakeTimer("timer", 1000, 0, NULL));
    pthread_t thread = StartThread(^{ retainAndRelease(twin->cf); });
    retainAndRelease(twin->cf);
    JoinThread(thread);
    CHECK_EQ_INT(twin->count, 1);
    releaseTwin(twin);
    CHECK_EQ_INT(twinsLeft, 0);
}

static CFRunLoopSourceRef stubborn;

/// Adds the source to the loop that it was removed from: to a mode whose sources have been cancelled, and to one whose sources have not.
static void addAgain(void *info, CFRunLoopRef rl, CFStringRef mode) {
    LOG("cancel %s", Text(mode));
    CFRunLoopAddSource(rl, stubborn, A);
    CFRunLoopAddSource(rl, stubborn, B);
    CFRunLoopAddSource(rl, stubborn, COMMON);
    CFRunLoopAddCommonMode(rl, C);
}

TEST(D40_a_cancel_that_adds_its_source_again_keeps_no_dead_loop_alive,
     "When a thread ends, each source of its loop is cancelled, once for each mode. A source whose `cancel` adds it again is refused. "
     "The defect: from then on loop and source retained each other and kept their descriptors") {
    CFRunLoopGetMain();
    int descriptors = OpenDescriptorCount();
    OnNewThread(^{
        CFRunLoopSourceContext context = {.info = &released, .release = countRelease, .cancel = addAgain};
        stubborn = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(LOOP, stubborn, A);
        CFRunLoopRunInMode(A, 0, false); // creates the mode's port set
        CFRunLoopAddSource(LOOP, stubborn, COMMON);
    });
    CHECK_LOG("cancel A\ncancel DefaultMode");
    CHECK_EQ_INT(CFGetRetainCount(stubborn), 1);
    CFRelease(stubborn);
    CHECK_EQ_INT(released, 1);
    CHECK_EQ_INT(OpenDescriptorCount(), descriptors);
}

/// The thread data that a destructor of the test uses. The key is set again for as many rounds as the test wants.
typedef struct {
    CFRunLoopRef loop;
    int round, rounds;
} Farewell;
static pthread_key_t farewellKey;

static void sayFarewell(void *data) {
    Farewell *farewell = data;
    CFRunLoopRef loop = CFRunLoopGetCurrent();
    __block bool performed = false;
    CFRunLoopPerformBlock(loop, DEFAULT, ^{ performed = true; });
    CFRunLoopRunInMode(DEFAULT, 0, false);
    CheckLoop(loop);
    LOG("round %d: %s loop, a block %s", ++farewell->round, loop == farewell->loop ? "its" : "another", performed ? "runs" : "does not run");
    if (farewell->round < farewell->rounds) pthread_setspecific(farewellKey, farewell);
}

/// A thread with a loop, whose own thread data asks for the loop again in this many rounds of destructors.
static void endThreadInRounds(int rounds) {
    Farewell data = {.rounds = rounds}, *farewell = &data;
    CHECK_EQ_INT(pthread_key_create(&farewellKey, sayFarewell), 0);
    OnNewThread(^{
        farewell->loop = (CFRunLoopRef)CFRetain(CFRunLoopGetCurrent()); // so that no other loop gets its address
        pthread_setspecific(farewellKey, farewell);
    });
    pthread_key_delete(farewellKey);
    CFRelease(farewell->loop);
}

TEST(R6_the_loop_goes_in_the_last_round_but_the_spare_one,
     "The finalizer waits until the third of four rounds; a later request gets a new loop, and that loop is deallocated, too") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no code built with it may run in the last round of destructors of thread data");
    CFRunLoopGetMain();
    int descriptors = OpenDescriptorCount();
    endThreadInRounds(4);
    char *log = LogCopy();
    CHECK(strstr(log, "round 2: its loop"));
    CHECK(strstr(log, "round 4: another loop, a block runs"));
    free(log);
    CFRunLoopRef kept = NULL, *out = &kept;
    OnNewThread(^{ *out = CFRunLoopGetCurrent(); }); // creating the next loop finds the loop that was left behind
    CHECK(kept != NULL);
    CHECK_EQ_INT(OpenDescriptorCount(), descriptors);
    CheckLoop(CFRunLoopGetMain());
}

/// Asks for the loop only in the last round of destructors, on a thread that had no loop. The thread's end does not reach that loop.
static void askLate(void *data) {
    Farewell *farewell = data;
    if (++farewell->round < farewell->rounds) {
        pthread_setspecific(farewellKey, farewell);
    } else {
        CFRunLoopAddSource(CFRunLoopGetCurrent(), MakeLoudSource0("late", NULL), A);
        LOG("asked in round %d", farewell->round);
    }
}

TEST(R6_a_loop_of_the_last_round_is_nobody_elses,
     "A loop first requested in its thread's last round of destructors is not given to a later thread with the same pthread_t: it ends first, and "
     "its source is cancelled") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no code built with it may run in the last round of destructors of thread data");
    Farewell data = {.rounds = 4}, *farewell = &data;
    CFRunLoopGetMain(); // the library's key was created first, so in the last round its destructor has run when ours asks
    OnNewThread(^{ CFRunLoopGetCurrent(); });
    CHECK_EQ_INT(pthread_key_create(&farewellKey, askLate), 0);
    static _Alignas(4096) char stack[1 << 20]; // two threads with one stack have the same pthread_t
    __block pthread_t late;
    OnNewThreadWithStack(sizeof stack, stack, ^{
        late = pthread_self();
        pthread_setspecific(farewellKey, farewell);
    });
    CHECK_LOG("retain late\nschedule late A\nasked in round 4");
    LOG_EVENT_CLEAR();
    OnNewThreadWithStack(sizeof stack, stack, ^{
        CHECK(pthread_equal(pthread_self(), late)); // both systems have the thread's data on its stack
        CFArrayRef modes = CFRunLoopCopyAllModes(CFRunLoopGetCurrent());
        CHECK_EQ_INT(CFArrayGetCount(modes), 1);
        CFRelease(modes);
    });
    CHECK_LOG("cancel late A");
}

// MARK: - R8: fork

TEST(R8_a_fork_before_the_first_loop_is_harmless, "A child of a process that had no loop yet creates and runs its own") {
    pid_t child = fork();
    if (child == 0) {
        CFRunLoopAddTimer(LOOP, MakeTimer("t", 0.001, 0, NULL), A);
        _exit(CFRunLoopRunInMode(A, 10, false));
    }
    CHECK_EQ_INT(WEXITSTATUS(StatusOf(child)), kCFRunLoopRunFinished);
}

// The defect: the child's copy of the registry's lock was held, and no thread of the child would ever unlock it, because the library
// recorded only at the end that the process had used a loop.
TEST(R8_a_fork_while_the_first_loop_is_made_is_halted,
     "A child made while another thread creates the process's first loop aborts when it uses a loop. The defect: it hung without a "
     "message") {
    FailNext(FAULT(eventfd), 1, FaultNeverReturns); // for the loop's wake-up port
    StartThread(^{
        CFRunLoopGetCurrent();
        FAIL("the loop was made all the same");
    });
    CHECK(WAIT_UNTIL(Faults->failed == 1, 10));
    FaultsOff();
    CHECK_HALTS("call exec", {
        alarm(20);
        CFRunLoopGetCurrent();
    });
    CHECK_HALTS("call exec", {
        alarm(20);
        _CFRunLoopGet0b(pthread_self());
    });
}

static void leaveInTheLastRound(void *data) {
    int *round = data;
    if (++*round == PTHREAD_DESTRUCTOR_ITERATIONS) _exit(0);
    pthread_setspecific(farewellKey, round);
}

TEST(R8_a_child_may_end_the_thread_that_forked,
     "In a child, the end of the thread leaves its copy of the loop alone: the locks that other threads held are nobody's there") {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer: no code built with it may run in the last round of destructors of thread data");
    CHECK_EQ_INT(pthread_key_create(&farewellKey, leaveInTheLastRound), 0);
    OnNewThread(^{
        CFRunLoopSourceRef source = MakeLoudSource0("source", NULL);
        CFRunLoopAddSource(LOOP, source, A);
        CFRelease(source);
        pid_t child = fork();
        if (child == 0) {
            static int round = 0; // the stack has gone by then
            pthread_setspecific(farewellKey, &round);
            pthread_exit(NULL);
        }
        CHECK_EQ_INT(StatusOf(child), 0);
    });
    pthread_key_delete(farewellKey);
}

CHILD(a_timer_fires, "Runs a timer once") {
    CHECK_EQ_PTR(LOOP, CFRunLoopGetMain());
    CFRunLoopAddTimer(LOOP, MakeTimer("t", 0.001, 0, ^{ printf("fired\n"); }), A);
    CHECK_EQ_INT(CFRunLoopRunInMode(A, 10, false), kCFRunLoopRunFinished);
}

TEST(R8_exec_is_the_way_out, "A child that calls exec uses run loops like any program") {
    CFRunLoopRef loop = CFRunLoopGetMain();
    int status;
    char *text = RunCTests("", "scenario a_timer_fires", &status);
    CHECK_EQ_INT(status, 0);
    CHECK_EQ_STR(text, "fired\n");
    free(text);
    CheckLoop(loop);
}

/// Runs before the library's own constructors.
__attribute__((constructor(101))) static void useLoopBeforeMain(void) {
    if (!getenv("LOOP_BEFORE_MAIN")) return;
    CFRunLoopRef current = CFRunLoopGetCurrent();
    printf("the main loop is the current one: %d\n", CFRunLoopGetMain() == current);
    CFRunLoopRunInMode(DEFAULT, 0, false);
    fflush(stdout);
}

TEST(R4_a_constructor_of_the_program_may_use_the_loop,
     "Code that runs before the library's own constructors, such as a C++ global, gets the main thread's loop, and main gets the same. The "
     "defect: the main thread had two loops") {
    int status;
    char *text = RunCTests("LOOP_BEFORE_MAIN=1", "scenario a_timer_fires", &status);
    CHECK_EQ_INT(status, 0);
    CHECK_EQ_STR(text, "the main loop is the current one: 1\nfired\n");
    free(text);
}

TEST(R6_a_block_left_over_goes_with_the_thread,
     "Blocks that will never be performed are released when the thread ends, and later blocks are not retained") {
    __block CFRunLoopRef loop;
    OnNewThread(^{
        CFRunLoopRef own = loop = (CFRunLoopRef)CFRetain(LOOP);
        CFRunLoopPerformBlock(own, DEFAULT, ^{ (void)CFRunLoopIsWaiting(own); });
    });
    CHECK(!loop->_blocks_head);
    CHECK(_CFRunLoopFinished(loop, kCFRunLoopDefaultMode));
    CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, ^{});
    CHECK(_CFRunLoopFinished(loop, kCFRunLoopDefaultMode));
    CHECK_EQ_INT(CFGetRetainCount(loop), 1);
    CFRelease(loop);
}
