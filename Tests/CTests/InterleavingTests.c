/// InterleavingTests.c: why no wake-up is lost, shown by running all orders of the threads' steps.
///
/// A run loop's thread checks whether there is something to do, finds nothing, and goes to sleep. Another thread adds something to do and
/// wakes the loop. If it does so between the check and the sleep, and its message has gone by the time the loop's thread sleeps, the thread
/// sleeps forever. So the message is sent to a port, where it stays until it is received. Only a wait that has ended receives it, and after
/// that the thread checks again. That alone would be enough. The difficulty is that most wake-ups are not sent at all, because a thread
/// that is awake will check anyway, and `ignoreWakeUps` tells the senders so. From CFRunLoopWakeUp and the end of a pass in __CFRunLoopRun:
///
///     the other thread                           the loop's thread, at the end of a pass
///     1  makes its change (signals, queues)      3  clears ignoreWakeUps
///     2  reads ignoreWakeUps; if it is           4  checks for changes; if there are none, sleeps
///        cleared, sends the message
///
/// If 2 comes before 3, then 1 comes before 4, and the check finds the change. If 3 comes before 2, the message is sent. There is no third
/// case, but there would be one if the loop's thread did 4 before 3, or the other thread 2 before 1. The tests below show that, too. They
/// use a second copy of the library's own sources, in which each access to an atomic variable, a lock or a port is a step
/// (SteppedRunLoop.c), and a searcher that runs the threads through every order of these steps that makes a difference (Stepper.c). All of
/// these orders must end.
///
/// A signal handler that wakes the loop or signals a source is a sender that the interrupted thread waits for. Its orders are among those
/// of a thread that does the same, as long as the handler takes no lock, which the interrupted thread might hold. The tests check that as
/// well.
#include "SteppedRunLoop.h"
#include "Stepper.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include "../../Sources/CRunLoop/Kernel/CFPortSet_Internal.h" // here its names are those of the copy
#include "../../Sources/CRunLoop/CFRunLoop_Internal.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define A CFSTR("A")
#define B CFSTR("B")

// MARK: - The loop's part

static CFRunLoopRef loop;
static CFRunLoopSourceRef source, otherSource; // otherSource is in no mode when a play begins
static bool runHasBegun, clientsFlag;
static CFRunLoopTimerRef nearTimer, dueTimer; // NULL unless the row says `hasTimer`: then they are in no mode when a play begins
static CFRunLoopRef elsewhere; // the loop that the other source is in when a play begins; NULL: in none
static int performed;
static SInt32 result;

/// A row of the table of plays: the loop's thread and one or two others, through all orders.
typedef struct Row {
    void (*loops)(void);                  // the loop's part; NULL: a run without a limit
    void (*sender)(void), (*second)(void); // what the others do
    void (*check)(void);                  // how each play must end
    long atLeast;      // so many orders that a bug in the searcher, which would leave orders out, does not go unnoticed
    bool beginsAsleep; // see beginRun
    bool hasTimer;     // a far timer is in the mode
    bool movesOther;   // the other source is in the main loop, which does not run, when a play begins
    bool sharesOther;  // and in this loop, too
    bool nests;        // before it sleeps, a run polls another mode
} Row;

static Row row;

static void perform(void *info) { performed++; }

/// Most runs have slept before: a first wake-up is on its way when the run begins, so the run makes two passes. Where that makes too many
/// orders, the row says `beginsAsleep`: the other players begin only when the loop has checked once and found nothing.
static void beginRun(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    if (activity == (row.beginsAsleep ? kCFRunLoopEntry : kCFRunLoopBeforeWaiting)) return;
    if (!row.beginsAsleep) CFRunLoopWakeUp(loop);
    Step(&runHasBegun, Changes, "the run has begun", __func__);
    runHasBegun = true;
    if (row.nests) CFRunLoopRunInMode(B, 0, false);
}

/// A client may have its own changes, and look for them at the beginning of each pass.
static void observePass(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    Step(&clientsFlag, Looks, "looks at the client's flag", __func__);
    if (clientsFlag) CFRunLoopStop(loop);
}

static void addObserver(CFRunLoopActivity activity, CFRunLoopObserverCallBack callBack) {
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, activity, true, 0, callBack, NULL);
    CFRunLoopAddObserver(loop, observer, A);
    CFRelease(observer);
}

static CFRunLoopSourceRef makeSource(CFIndex order) {
    CFRunLoopSourceContext context = {.info = (void *)order, .perform = perform};
    return CFRunLoopSourceCreate(NULL, order, &context);
}

static CFRunLoopTimerRef makeTimer(CFTimeInterval seconds, CFRunLoopTimerCallBack fire) {
    return CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + seconds, 1e6, 0, 0, fire, NULL);
}

static void fireTimer(CFRunLoopTimerRef timer, void *info) {
    performed++;
    CFRunLoopStop(loop);
}

static void makeLoop(void) {
    loop = CFRunLoopGetCurrent();
    source = makeSource(1);
    otherSource = makeSource(2);
    if (elsewhere) CFRunLoopAddSource(elsewhere, otherSource, A); // a loop that has ever shared a source checks more
    CFRunLoopAddSource(loop, source, A);
    addObserver(kCFRunLoopEntry | kCFRunLoopBeforeWaiting, beginRun);
    if (row.nests) CFRunLoopAddSource(loop, makeSource(3), B); // never signalled
    addObserver(kCFRunLoopBeforeTimers, observePass);
    if (row.hasTimer) {
        CFRunLoopAddTimer(loop, makeTimer(3000, fireTimer), A);
        nearTimer = makeTimer(2000, fireTimer);
        dueTimer = makeTimer(1000, fireTimer);
    }
    CFRunLoopRunInMode(A, 0.001, false); // the first wait opens the port set
}

/// If another thread has interrupted a wait just as it ended, the next wait is interrupted, too; and the port that was reported last
/// decides whether the timer is next. So this resets both, and each play begins in the same state.
static void tidyPortSet(void) {
    CFRunLoopRunInMode(A, 0.001, false);
    SteppedModeForgetTimersTurn(loop, A);
}

/// Serves what the last play has left behind: a signal that came after its run had ended, or a message that was not received.
static void tidy(void) {
    if (row.hasTimer) {
        CFRunLoopRemoveTimer(loop, nearTimer, A);
        CFRunLoopRemoveTimer(loop, dueTimer, A);
        CFRunLoopTimerSetNextFireDate(dueTimer, CFAbsoluteTimeGetCurrent() - 1);
    }
    CFRunLoopAddSource(loop, otherSource, A);
    clientsFlag = false;
    CFRunLoopRunInMode(A, 0, false);
    CFRunLoopRunInMode(A, 0, false);
    CFRunLoopRemoveSource(loop, otherSource, A);
    if (elsewhere) CFRunLoopRemoveSource(elsewhere, otherSource, A); // it leaves both loops, so it is no longer shared
    if (elsewhere) CFRunLoopAddSource(elsewhere, otherSource, A);
    CFRunLoopAddSource(loop, source, A);
    if (row.sharesOther) CFRunLoopAddSource(loop, otherSource, A);
    if (row.hasTimer) tidyPortSet();
    runHasBegun = false;
    performed = 0;
}

/// A run without a limit. It ends when it has performed a source, is stopped, or has nothing left to do.
static void loopsPart(void) {
    StepperPause();
    if (!loop) makeLoop();
    tidy();
    StepperResume();
    result = CFRunLoopRunInMode(A, 1e10, true);
}

// MARK: - What other threads do

static void nothingHasBegun(void) { runHasBegun = false; }

static bool runHasBegunIs(const void *unused) { return runHasBegun; }

static void waitForRun(void) { StepWhenReady(&runHasBegun, Looks, "may begin", __func__, runHasBegunIs); }

static void signalAndWake(void) {
    waitForRun();
    LocksTaken = 0;
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(loop);
    CHECK_EQ_INT(LocksTaken, 0); // a signal handler must take none
}

static void signalOnly(void) {
    waitForRun();
    CFRunLoopSourceSignal(source);
}

static void wakeAndSignal(void) { // the wrong way round
    waitForRun();
    CFRunLoopWakeUp(loop);
    CFRunLoopSourceSignal(source);
}

static void stop(void) {
    waitForRun();
    LocksTaken = 0;
    CFRunLoopStop(loop);
    CHECK_EQ_INT(LocksTaken, 0);
}

static void performBlock(void) {
    waitForRun();
    CFRunLoopPerformBlock(loop, A, ^{
        performed++;
        CFRunLoopStop(loop);
    });
    CFRunLoopWakeUp(loop);
}

static void changeAndWake(void) {
    waitForRun();
    Step(&clientsFlag, Changes, "sets the client's flag", __func__);
    clientsFlag = true;
    CFRunLoopWakeUp(loop);
}

static void addAndSignal(void) {
    waitForRun();
    CFRunLoopAddSource(loop, otherSource, A);
    CFRunLoopSourceSignal(otherSource);
    CFRunLoopWakeUp(loop);
}

/// The loop sleeps until a far timer is due. It must wake up although nothing calls CFRunLoopWakeUp.
static void addDueTimer(void) {
    waitForRun();
    CFRunLoopAddTimer(loop, dueTimer, A);
}

static void addNearTimer(void) {
    waitForRun();
    CFRunLoopAddTimer(loop, nearTimer, A);
}

/// The first timer is earlier than the one that the loop sleeps until, and the second is earlier still.
static void addTwoTimers(void) {
    waitForRun();
    CFRunLoopAddTimer(loop, nearTimer, A);
    CFRunLoopAddTimer(loop, dueTimer, A);
}

static void signalOtherOnly(void) {
    waitForRun();
    CFRunLoopSourceSignal(otherSource);
}

static void signalOtherAndWake(void) {
    signalOtherOnly();
    CFRunLoopWakeUp(loop);
}

static void moveAndSignal(void) {
    waitForRun();
    CFRunLoopRemoveSource(elsewhere, otherSource, A);
    addAndSignal();
}

static void removeAndWake(void) {
    waitForRun();
    CFRunLoopRemoveSource(loop, source, A);
    CFRunLoopWakeUp(loop);
}

// MARK: - How each play must end

static void wasPerformed(void) {
    CHECK_EQ_INT(performed, 1);
    CHECK_EQ_INT(result, kCFRunLoopRunHandledSource);
}

static void wasStopped(void) { CHECK_EQ_INT(result, kCFRunLoopRunStopped); }

static void wasStoppedByBlock(void) {
    CHECK_EQ_INT(performed, 1);
    CHECK_EQ_INT(result, kCFRunLoopRunStopped);
}

static void hasFinished(void) {
    CHECK_EQ_INT(performed, 0);
    CHECK_EQ_INT(result, kCFRunLoopRunFinished);
}

static void tryAll(Row next) {
    row = next;
    if (row.movesOther) elsewhere = CFRunLoopGetMain();
    Play play = {
        .names = {"the loop", "sender", row.second ? "second sender" : NULL},
        .parts = {row.loops ? row.loops : loopsPart, row.sender, row.second},
        .before = nothingHasBegun,
        .after = row.check,
    };
    CHECK_GE(RunAllOrders(CTestsRunning->name, play), row.atLeast);
}

#define PLAYS(...) { tryAll((Row){__VA_ARGS__}); }

// MARK: - The table of plays

TEST(interleaving_signal_and_wake,
     "A source is signalled and the loop woken, in every order of these steps and a run's: the source is performed")
PLAYS(.sender = signalAndWake, .check = wasPerformed, .atLeast = 25)

TEST(interleaving_stop, "The loop is stopped, in every order of these steps and a run's: the run ends")
PLAYS(.sender = stop, .check = wasStopped, .atLeast = 12)

TEST(interleaving_block_and_wake,
     "A block is queued and the loop woken, in every order of these steps and a run's: the block is performed")
PLAYS(.sender = performBlock, .check = wasStoppedByBlock, .atLeast = 50)

TEST(interleaving_change_and_wake,
     "Something that the loop does not know of changes, and the loop is woken, in every order: an observer of the passes sees the change")
PLAYS(.sender = changeAndWake, .check = wasStopped, .atLeast = 40)

TEST(interleaving_add_signal_and_wake, "A source is added and signalled, and the loop woken, in every order: the source is performed")
PLAYS(.sender = addAndSignal, .check = wasPerformed, .atLeast = 100)

TEST(interleaving_a_timer_armed_while_the_loop_goes_to_sleep,
     "Another thread adds a due timer, in every order of its steps and those of a loop that is about to sleep until a later timer: the "
     "due timer fires")
PLAYS(.hasTimer = true, .sender = addDueTimer, .check = wasStoppedByBlock, .atLeast = 10)

TEST(interleaving_a_timer_armed_twice_while_the_loop_goes_to_sleep,
     "Another thread adds a nearer timer and then one that is due, in every order: the due timer fires")
PLAYS(.hasTimer = true, .sender = addTwoTimers, .check = wasStoppedByBlock, .atLeast = 10)

TEST(interleaving_a_timer_armed_and_a_wake_up,
     "One thread adds a timer between now and the far one, while another signals a source and wakes the loop, in every order: neither "
     "hides the wake-up, and the source is performed")
PLAYS(.hasTimer = true, .beginsAsleep = true, .sender = addNearTimer, .second = signalAndWake, .check = wasPerformed, .atLeast = 10)

TEST(interleaving_two_senders_and_an_add,
     "One thread signals a source while another adds it to its first loop, signals it, too, and wakes the loop, in every order: the "
     "source is performed")
PLAYS(.beginsAsleep = true, .sender = addAndSignal, .second = signalOtherOnly, .check = wasPerformed, .atLeast = 70)

TEST(interleaving_two_senders_and_a_move,
     "One thread signals a source while another moves it from one loop to a second, signals it, too, and wakes the second loop, in every "
     "order: the source is performed")
PLAYS(.beginsAsleep = true, .movesOther = true, .sender = moveAndSignal, .second = signalOtherOnly, .check = wasPerformed, .atLeast = 70)

TEST(interleaving_two_senders_and_a_second_loop,
     "One thread signals a source while another adds it to a second loop, signals it, too, and wakes that loop, in every order: the "
     "source is performed")
PLAYS(.beginsAsleep = true, .movesOther = true, .sender = addAndSignal, .second = signalOtherOnly, .check = wasPerformed, .atLeast = 70)

TEST(interleaving_two_senders_of_a_source_in_two_loops,
     "Two threads signal a source in two loops, and one of them wakes a loop, in every order: that loop performs the source")
PLAYS(.beginsAsleep = true, .movesOther = true, .sharesOther = true, .sender = signalOtherAndWake, .second = signalOtherOnly,
      .check = wasPerformed, .atLeast = 35)

TEST(interleaving_signal_and_wake_around_a_nested_run,
     "A source is signalled and the loop woken while a run is about to sleep and a run nested in it is in another mode, in every order: "
     "whichever run receives the wake-up, the source is performed")
PLAYS(.beginsAsleep = true, .nests = true, .sender = signalAndWake, .check = wasPerformed, .atLeast = 25)

TEST(interleaving_remove_and_wake,
     "The last source is removed and the loop woken, in every order: the run has nothing left to do and ends")
PLAYS(.sender = removeAndWake, .check = hasFinished, .atLeast = 40)

TEST(interleaving_two_senders_of_one_signal,
     "One thread signals a source without waking the loop; another thread signals it, too, and wakes the loop, in every order: the "
     "source is performed")
PLAYS(.beginsAsleep = true, .sender = signalAndWake, .second = signalOnly, .check = wasPerformed, .atLeast = 35)

TEST(interleaving_a_signal_and_a_stop,
     "One thread signals a source and another stops the run, in every order: the run ends for one of the two reasons")
PLAYS(.sender = stop, .second = signalOnly, .atLeast = 30)

// MARK: - A wake-up while a Source0 performs
//
// The pass is then certain to poll, so the wake-up sends no message.

/// The run performs a source first. It ends only when it is stopped.
static void performsFirst(void) {
    StepperPause();
    if (!loop) makeLoop();
    tidy();
    CFRunLoopSourceSignal(source);
    StepperResume();
    result = CFRunLoopRunInMode(A, 1e10, false);
}

static void wasStoppedAfterBoth(void) {
    CHECK_EQ_INT(performed, 2);
    CHECK_EQ_INT(result, kCFRunLoopRunStopped);
}

TEST(interleaving_block_and_wake_while_a_source_performs,
     "A block is queued and the loop woken, in every order of these steps and those of a run that performs a source and then sleeps: the "
     "block is performed")
PLAYS(.loops = performsFirst, .sender = performBlock, .check = wasStoppedAfterBoth, .atLeast = 50)

// MARK: - A non-blocking pass
//
// The poll makes no system call for the wake-up port: `_wakeUpSent` says whether a message waits there.

static void looksOnce(void) {
    StepperPause();
    if (!loop) makeLoop();
    tidy();
    StepperResume();
    result = CFRunLoopRunInMode(A, 0, false);
}

static void wakeTwice(void) {
    waitForRun();
    CFRunLoopWakeUp(loop);
    CFRunLoopWakeUp(loop);
}

static bool isReadableNow(int file) {
    struct pollfd look = {.fd = file, .events = POLLIN};
    return poll(&look, 1, 0) == 1;
}

static void noMessageWaitsUnseen(void) {
    if (isReadableNow(loop->_wakeUpPort)) CHECK(loop->_wakeUpSent);
}

TEST(interleaving_wake_ups_and_a_look,
     "Another thread wakes the loop during a non-blocking pass, in every order: the loop knows of a message that waits when the wake-up "
     "has returned")
PLAYS(.loops = looksOnce, .sender = wakeTwice, .check = noMessageWaitsUnseen, .atLeast = 5)

// MARK: - A signal and the end of its source
//
// Here the run comes afterwards, on the main thread. With the run as a third player there would be too many orders.

static void beginWithMainLoop(void) {
    if (!loop) makeLoop();
    tidy();
    CFRunLoopRemoveSource(loop, source, A); // a source that was in two loops takes other code paths until it has left both
    CFRunLoopAddSource(loop, source, A);
    runHasBegun = true;
}

static void takeOut(void) { CFRunLoopRemoveSource(loop, source, A); }

/// The defect: the source stayed signalled, and was in no mode.
static void performAndBeginWithMainLoop(void) {
    if (loop) CFRunLoopAddSource(loop, source, A);
    beginWithMainLoop();
}

static void onlyItsOwnerHasIt(void) { CHECK_EQ_INT(CFGetRetainCount(source), 1); }

TEST(interleaving_a_signal_while_its_source_is_taken_out,
     "One thread signals a source while another removes it from its only mode, in every order: afterwards nothing in the library retains "
     "the source, so its last release deallocates it") {
    Play play = {
        .names = {"sender", "taker-out"},
        .parts = {signalOnly, takeOut},
        .before = performAndBeginWithMainLoop,
        .after = onlyItsOwnerHasIt,
    };
    CHECK_GE(RunAllOrders(CTestsRunning->name, play), 1); // the two use nothing in common
}

// MARK: - A loop with a host
//
// The host sleeps in poll, and the mode's descriptor tells it what it must not miss.

static int descriptor;

static void serveOnce(void) {
    StepperPause();
    if (!loop) makeLoop();
    tidy();
    descriptor = CFRunLoopGetDescriptor(loop, A);
    while (isReadableNow(descriptor)) CFRunLoopServe(loop, A);
    performed = 0;
    StepperResume();
    CFRunLoopServe(loop, A);
}

static void theHostKnows(void) {
    if (!performed) CHECK(isReadableNow(descriptor));
}

TEST(interleaving_two_senders_and_a_host,
     "One thread signals a source of a loop with a host, and another signals it, too, and wakes the loop, in every order of their steps "
     "and a serve's: the source is performed, or the descriptor is readable")
PLAYS(.loops = serveOnce, .sender = signalAndWake, .second = signalOnly, .check = theHostKnows, .atLeast = 50)

// MARK: - The searcher finds a lost wake-up

/// Runs a play that must fail, and checks its message.
static void expectLoss(SteppedMutation mutation, Row of) {
    CTestsChild child = CTestsFork();
    if (child.pid == 0) {
        Mutation = mutation;
        tryAll(of);
        _exit(0);
    }
    char *output;
    int status = CTestsEndOf(child, &output);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || !strstr(output, "a wake-up is lost: after these steps no thread can go on")) {
        FAIL("status 0x%x; no loss was found, but:\n%s", status, output);
    }
    printf("%s", output);
    free(output);
}

TEST(interleaving_a_wake_up_is_lost_if_it_is_read_before_the_change,
     "If a thread wakes the loop first and signals then, there is an order in which the loop sleeps and the source waits") {
    expectLoss(NoMutation, (Row){.sender = wakeAndSignal});
}

TEST(interleaving_a_wake_up_is_lost_if_ignoreWakeUps_is_cleared_after_the_look,
     "If the thread cleared ignoreWakeUps after checking for changes, and not before, there would be an order in which a source waits "
     "forever") {
    expectLoss(ClearsIgnoreWakeUpsTooLate, (Row){.sender = signalAndWake});
}

TEST(interleaving_a_timer_is_lost_if_the_thread_says_too_late_that_it_sleeps,
     "If the thread read the timer's deadline before it recorded that it sleeps, another thread might arm the timer in between and not "
     "end the sleep") {
    expectLoss(SleepsBeforeItSaysSo, (Row){.hasTimer = true, .sender = addDueTimer});
}
