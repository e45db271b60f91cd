/// SimulationTests.c: the run loop on the simulated kernel (Simulation.h). Time passes only in the log, so every log is exact, to the nanosecond.
///
/// Each simulation runs in a child process, because the variables of a test outlive a simulation, and a log must not depend on the one before.
#include "../../Programs/CRunLoopPrograms/CRunLoopSimulated.c"
#include "../../Programs/CRunLoopPrograms/PerformProgram.c"

#include "CTests.h"
#include "Programs.h"
#include <fcntl.h>
#include <glob.h>

// MARK: - Programs

/// Runs a simulation in a child process, and returns its log, which the caller frees.
static char *logOfSimulation(Simulation simulation, SimulationFunction body) {
    int status;
    char *log = FileOfChild(&status, ^(int file) { dprintf(file, "%s", SimulationRun(simulation, body, NULL).log); });
    CHECK_EQ_INT(status, 0);
    return log;
}

/// Checks what the program says, without the lines of the kernel.
#define CHECK_SAYS(simulation, body, expected)                                                                                           \
    do {                                                                                                                                 \
        char *log_ = logOfSimulation(simulation, body);                                                                                  \
        CHECK_EQ_STR(log_, expected);                                                                                                    \
        free(log_);                                                                                                                      \
    } while (0)

static const Simulation quiet = {.isQuiet = true};

/// Checks that the library aborts, with these words.
static void checkAborts(const char *words, Simulation simulation, SimulationFunction body) {
    SimulationResult result = SimulationRun(simulation, body, NULL);
    CHECK(result.isAborted);
    if (!strstr(result.log, words)) FAIL("\"%s\" is not in:\n%s", words, result.log);
    free(result.log);
}

static void say(CFRunLoopTimerRef timer, void *text) { SimulationSay("%s", (const char *)text); }

static void sayPerformed(void *text) { SimulationSay("performs %s", (const char *)text); }

/// Adds a timer to the calling thread's loop, which keeps it.
static CFRunLoopTimerRef addTimer(double first, double interval, CFRunLoopTimerCallBack callBack, void *info) {
    CFRunLoopTimerContext context = {.info = info};
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + first, interval, 0, 0, callBack, &context);
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode);
    CFRelease(timer);
    return timer;
}

static CFRunLoopSourceRef addSource(const char *name, void (*perform)(void *)) {
    CFRunLoopSourceContext context = {.info = (void *)name, .perform = perform};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode);
    CFRelease(source);
    return source;
}

static SInt32 run(double seconds) { return CFRunLoopRunInMode(kCFRunLoopDefaultMode, seconds, false); }

// MARK: - Threads

static void keepServing(void *unused) {
    addSource("", sayPerformed); // so that the mode is never empty
    SInt32 result = run(1e9);
    SimulationSay("ran: %d", (int)result);
}

static void cancelled(void *info, CFRunLoopRef loop, CFRunLoopMode mode) { SimulationSay("source cancelled"); }

static void leaveASource(void *unused) {
    CFRunLoopSourceContext context = {.cancel = cancelled};
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode);
    CFRelease(source);
    SimulationSay("returns");
}

static void startAThreadThatEnds(void *unused) { SimulationStartThread("B", leaveASource, NULL); }

TEST(simulated_threads_end_their_loops, "The destructors of a simulated thread's data end its loop, which cancels its sources") {
    CHECK_SAYS((Simulation){0}, startAThreadThatEnds,
               "0.000 main begins\n0.000 main ends\n0.000 B begins\n0.000 B returns\n"
               "0.000 B source cancelled\n0.000 B ends\n");
}

// MARK: - Faults

static void runAndBeInterrupted(void *unused) {
    addTimer(1, 0, say, "fires");
    SimulationInject(kSimulationInterrupt, 0.3);
    SimulationSay("ran: %d", (int)run(1.5));
}

static void wakeInHandler(void *unused) {
    SimulationSay("handles the signal");
    CFRunLoopWakeUp(CFRunLoopGetMain());
}

TEST(simulated_interrupt, "The log says what the kernel does when a signal's handler wakes a loop that waits (Programs/Cases/Faults.txt has the other faults)") {
    CHECK_SAYS((Simulation){.onSignal = wakeInHandler}, runAndBeInterrupted,
               "0.000 main begins\n0.000 main waits\n0.000 main will have an interrupt\n"
               "0.300 main handles the signal\n0.300 main sends a message to port 3\n"
               "0.300 main wakes up for port 3\n0.300 main waits\n1.000 main wakes up for the timer port\n"
               "1.000 main fires\n1.000 main waits\n1.500 main wakes up without a port\n"
               "1.500 main ran: 3\n1.500 main ends\n");
}

static void closeOwnPort(void *unused) {
    SimulationClosePort(CFRunLoopGetMain()->_wakeUpPort);
    CFRunLoopWakeUp(CFRunLoopGetMain());
}

static void sleepWithoutAPort(void *unused) {
    SimulationAt(1, "outside", closeOwnPort, NULL);
    run(2);
}

static void makeALoopWithoutAPort(void *unused) {
    CFRunLoopGetMain();
    SimulationInject(kSimulationNoPorts, 0);
    SimulationStartThread("B", keepServing, NULL);
}

TEST(simulated_ports_fail_in_words, "Without a port left, and if other code closes the loop's own port, the program aborts with a message") {
    checkAborts("closed it", quiet, sleepWithoutAPort);
    checkAborts("no port is available for a wake-up port. The simulation has 1, and all are open.", quiet, makeALoopWithoutAPort);
}

// MARK: - Deadlocks

static CFLock_t firstLock = CF_LOCK_INITIALIZER, secondLock = CF_LOCK_INITIALIZER;

static void lockBoth(CFLock_t *one, CFLock_t *other) {
    __CFLock(one);
    SimulationSpend(1);
    __CFLock(other);
    FAIL("both threads have both locks");
}

static void lockInThisOrder(void *unused) { lockBoth(&firstLock, &secondLock); }
static void lockInTheOtherOrder(void *unused) { lockBoth(&secondLock, &firstLock); }

static void serveForever(void *unused) {
    addSource("", sayPerformed);
    CFRunLoopRun();
}

static void deadlock(void *unused) {
    SimulationStartThread("A", lockInThisOrder, NULL);
    SimulationStartThread("B", lockInTheOtherOrder, NULL);
    serveForever(NULL);
}

TEST(simulated_deadlock_has_names, "If nothing can end any wait, the simulation ends, and says who waits for what") {
    CHECK_SAYS(quiet, deadlock,
               "1.000 kernel deadlock: nothing can end the wait of any thread\n"
               "1.000 main waits for port 3, which wakes its loop\n"
               "1.000 A waits for the lock that B holds\n1.000 B waits for the lock that A holds\n");
}

// MARK: - Entries and objects

static void runALoop(void *unused) { run(1); }

static void waitInAnEntry(void *unused) {
    SimulationAt(1, "outside", keepServing, NULL);
    addTimer(5, 0, say, "fires");
    runALoop(NULL);
    runALoop(NULL);
}

TEST(simulated_entries_cannot_wait, "A function of SimulationAt that runs a loop aborts with a message") {
    checkAborts("outside was started with SimulationAt, and waits", quiet, waitInAnEntry);
}

static void sayHashes(void *unused) {
    CFRunLoopTimerRef timer = addTimer(1, 0, say, ""), other = addTimer(1, 0, say, "");
    SimulationSay("%d", (int)(CFHash(other) - CFHash(timer)));
    CHECK_LE(CFHash(timer), 100);
}

TEST(simulated_hashes_are_numbers, "The hash of an object is a number of its creation, not an address") {
    char *log = logOfSimulation(quiet, sayHashes);
    CHECK_LE(atoi(strrchr(log, ' ')), 10);
    free(log);
}

// MARK: - Processes

static void keepAnObject(void *unused) { CFRetain(addTimer(1, 0, say, "")); }

static void sayHowTheProcessBegins(void *unused) {
    CFRunLoopRef loop = CFRunLoopGetCurrent();
    CFArrayRef modes = CFRunLoopCopyAllModes(loop);
    SimulationSay("hash %d, port %d, %d modes", (int)CFHash(loop), loop->_wakeUpPort, (int)CFArrayGetCount(modes));
    CFRelease(modes);
    CFRunLoopAddCommonMode(loop, CFSTR("another"));
    run(1);
}

TEST(simulated_processes_begin_with_nothing, "Each simulation is a process of its own, even after a deadlock, an abort or a leak in the one before") {
    SimulationResult first = SimulationRun(quiet, sayHowTheProcessBegins, NULL);
    CHECK_EQ_INT(first.leakCount, 0);
    const SimulationFunction bodies[] = {deadlock, sleepWithoutAPort, keepAnObject, sayHowTheProcessBegins};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        free(SimulationRun(quiet, bodies[i], NULL).log);
        SimulationResult again = SimulationRun(quiet, sayHowTheProcessBegins, NULL);
        CHECK_EQ_STR(again.log, first.log);
        CHECK_EQ_INT(again.leakCount, 0);
        free(again.log);
        firstLock = secondLock = (CFLock_t)CF_LOCK_INITIALIZER; // this test's own
    }
    free(first.log);
}

TEST(simulated_leaks_are_counted, "What a process has not given back when all its threads have ended is counted") {
    SimulationResult result = SimulationRun(quiet, keepAnObject, NULL);
    CHECK_EQ_INT(result.leakCount, 2); // the timer and its set of modes
    free(result.log);
}

// MARK: - Programs as text (Documentation/Reference/programs.md)

static LoopProgram program;

static void performIt(void *unused) { performProgram(&program); }

char *LogOnSimulatedKernel(const LoopProgram *of) {
    SimulationResult result = performSimulated(of, (Simulation){.isQuiet = true});
    bool isWell = !result.isAborted && !result.isDeadlocked && result.leakCount == 0 && !performance.complaint[0];
    if (!isWell) FAIL("%s, with %d objects left in:\n%s", performance.complaint, (int)result.leakCount, result.log);
    return result.log;
}

/// Performs a program in a child process and returns its log, which the caller frees.
static char *logOfProgram(const char *text) {
    if (!loopProgramRead(&program, text)) FAIL("%s in:\n%s", program.error, text);
    return logOfSimulation(performIn((Simulation){.isQuiet = true}), performIt);
}

TEST(simulated_seed_decides, "The same seed gives the same log, byte for byte; another seed gives another order of events") {
    enum { seeds = 30 };
    char *logs[seeds];
    int different = 0;
    CHECK(loopProgramRead(&program, "source S in default\nthread B:\n    source R in default\n    signal R\n    run default for 1s\n"
                                    "when S performs: spend 100ms and signal R and wake B\n"
                                    "when R performs: spend 100ms and signal S and wake main\nsignal S\nrun default for 1s\n"));
    for (int seed = 0; seed < seeds; seed++) {
        Simulation simulation = performIn((Simulation){.seed = (uint64_t)seed + 1, .faultsPerThousand = 100});
        logs[seed] = logOfSimulation(simulation, performIt);
        char *again = logOfSimulation(simulation, performIt);
        CHECK_EQ_STR(again, logs[seed]);
        free(again);
        bool isNew = true;
        for (int i = 0; i < seed; i++) isNew &= strcmp(logs[i], logs[seed]) != 0;
        different += isNew;
    }
    CHECK_GE(different, seeds - 3);
    for (int seed = 0; seed < seeds; seed++) free(logs[seed]);
}

/// Performs a program and checks its log. `page` and `number` say where the program is written.
static void checkExample(const char *page, int number, const char *text, const char *expected) {
    char *log = logOfProgram(text);
    if (strcmp(log, expected) != 0) printf("%s, example %d:\n%s", page, number, text);
    CHECK_EQ_STR(log, expected);
    free(log);
}

static void checkProgram(const char *text, const char *expected) { checkExample("this case", 1, text, expected); }

/// Stores the path of a file, or of files, of Documentation.
static void setPath(char path[512], const char *name) {
    snprintf(path, 512, "%.*s../../Documentation/%s", (int)(strrchr(__FILE__, '/') + 1 - __FILE__), __FILE__, name);
}

/// Returns what a file contains, which the caller frees.
static char *readPage(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) FAIL("there is no %s", path);
    char *page = CTestsReadAll(file);
    close(file);
    return page;
}

/// Returns the next block of a page that begins with a line such as ```text, and cuts it off there.
static char *nextBlock(char **at, const char *begin) {
    char *text = strstr(*at, begin) + strlen(begin), *end = strstr(text, "```");
    *end = 0;
    *at = end + 1;
    return text;
}

TEST(program_examples_are_true, "Each example in the documentation of programs, in both languages, has the log that stands below it") {
    static const char *const pages[] = {"Reference/programs.md", "Reference/programs.zh.md"};
    for (int i = 0; i < 2; i++) {
        char path[512];
        setPath(path, pages[i]);
        char *page = readPage(path), *at = strstr(page, "### 1. ");
        int count = 0;
        while (at && (at = strstr(at, "```program\n"))) {
            char *text = nextBlock(&at, "```program\n");
            checkExample(pages[i], ++count, text, nextBlock(&at, "```text\n"));
        }
        CHECK_EQ_INT(count, 21);
        free(page);
    }
}

TEST(program_of_each_chapter_is_true, "Each program in the chapters of the book, in both languages, has the log that stands below it") {
    char path[512];
    int count = 0;
    glob_t chapters;
    setPath(path, "Book/[1-9]-*.md");
    CHECK_EQ_INT(glob(path, 0, NULL, &chapters), 0);
    for (size_t i = 0; i < chapters.gl_pathc; i++) {
        char *page = readPage(chapters.gl_pathv[i]), *at = page;
        for (int number = 1; (at = strstr(at, "```program\n")); number++, count++) {
            char *text = nextBlock(&at, "```program\n");
            checkExample(chapters.gl_pathv[i], number, text, nextBlock(&at, "```text\n"));
        }
        free(page);
    }
    CHECK_EQ_INT((int)chapters.gl_pathc, 16);
    CHECK_EQ_INT(count, 2 * 42); // in both languages
    globfree(&chapters);
}

TEST(program_is_written_as_it_was_read, "A program that is written and read again has the same log, and is written the same way") {
    char path[512];
    setPath(path, "Reference/programs.md");
    char *page = readPage(path), *at = strstr(page, "### 1. ");
    for (int count = 0; count < 21; count++) {
        char *text = nextBlock(&at, "```program\n"), *expected = nextBlock(&at, "```text\n"), *written[2];
        size_t size;
        for (int i = 0; i < 2; i++) {
            if (!loopProgramRead(&program, i ? written[0] : text)) FAIL("%s in:\n%s", program.error, written[0]);
            FILE *out = open_memstream(&written[i], &size);
            loopProgramWrite(out, &program);
            fclose(out);
        }
        CHECK_EQ_STR(written[1], written[0]);
        checkExample(path, count + 1, written[0], expected);
        for (int i = 0; i < 2; i++) free(written[i]);
    }
    free(page);
}

TEST(simulated_source_added_again_while_it_is_removed_keeps_its_port, "A version 1 source that one thread adds to its mode again, while another one removes it, is without its port in no order") {
    CHECK(loopProgramRead(&program, "port P\nthread C:\n    remove P from default\n    send P\nadd P to default\nadd P to default\nrun default for 1s\n"));
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        SimulationResult result = performSimulated(&program, (Simulation){.seed = seed, .isQuiet = true});
        if (performance.complaint[0]) FAIL("the seed %d: %s", (int)seed, result.log);
        free(result.log);
    }
}

TEST(simulated_source_signalled_twice_at_once_keeps_its_turn, "Of two sources of equal order, that which was signalled first performs first, even if another thread signals it once more. (A pass that collects while they are signalled may find only R.)") {
    CHECK(loopProgramRead(&program, "source S in default\nsource R in default\nthread B:\n    signal S\nthread C:\n    signal S\n    signal R\n    wake main\nspend 1s\nrun default for 1s\n"));
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        SimulationResult result = performSimulated(&program, (Simulation){.seed = seed, .isQuiet = true});
        if (performance.complaint[0] || strstr(result.log, "S performs") > strstr(result.log, "R performs")) FAIL("the seed %d: %s", (int)seed, result.log);
        free(result.log);
    }
}

// MARK: - The rules of CheckProgram.c, each broken once

static CFRunLoopRef mainLoop(void) { return performance.performers[mainThreadIndex].loop; }
static void *infoOf(int item) { return (void *)(intptr_t)item; }
static CFRunLoopSourceRef sourceOf(int item) { return (CFRunLoopSourceRef)performance.refs[item]; }

static void signalAlone(void *unused) { CFRunLoopSourceSignal(sourceOf(0)); }
static void cancelTimer(void *unused) { mk_timer_cancel(mainLoop()->_currentMode->_portSet); }
static void stopAlone(void *unused) { atomic_store(&atomic_load(&mainLoop()->_perRunData)->stopped, 1); }
static void queueAlone(void *unused) { CFRunLoopPerformBlock(mainLoop(), kCFRunLoopDefaultMode, ^{}); }
static void sendUnheard(void *unused) {
    __CFPortSetRemove(performance.ports[0], mainLoop()->_currentMode->_portSet);
    CFEventDescriptorSet(performance.ports[0]);
}
static void queueUnheard(void *unused) {
    SimulationMainQueueAsync(sayPerformed, "a function");
    __CFPortReceive(__CFSimMainQueuePort);
}
static void callWithALock(void *unused) {
    __CFRunLoopLock(mainLoop());
    performBlockNamed(0, -1);
    __CFRunLoopUnlock(mainLoop());
}
static void callElsewhere(void *unused) { performSource(infoOf(1)); }
static void callUnsignalled(void *unused) { performSource(infoOf(0)); }
static void callTwice(void *unused) {
    performObserver(NULL, kCFRunLoopEntry, infoOf(0));
    performObserver(NULL, kCFRunLoopEntry, infoOf(0));
}
static void runUnqueued(void *unused) { performBlockNamed(0, -1); }
static void observeAgain(void *unused) { performObserver(NULL, kCFRunLoopBeforeWaiting, infoOf(0)); }
static void fire(void *unused) { performTimer(NULL, infoOf(0)); }
static void putForward(void *unused) {
    CFRunLoopTimerSetNextFireDate((CFRunLoopTimerRef)performance.refs[0], CFAbsoluteTimeGetCurrent() + 0.1);
}
static void endTooEarly(void *unused) { checkResult(&program.actions[program.actionCount - 1], kCFRunLoopRunTimedOut, 1); }
static void endWithASource(void *unused) { checkResult(&program.actions[program.actionCount - 1], kCFRunLoopRunHandledSource, 1); }
static void swapOrders(void *unused) {
    sourceOf(0)->_order = 2;
    sourceOf(1)->_order = 1;
}
static void swapTimes(void *unused) {
    uint64_t time = sourceOf(0)->_signaledTime;
    sourceOf(0)->_signaledTime = sourceOf(1)->_signaledTime;
    sourceOf(1)->_signaledTime = time;
}
static void swapBlocks(void *unused) {
    struct _block_item *first = mainLoop()->_blocks_head, *second = first->_next;
    mainLoop()->_blocks_head = second;
    second->_next = first;
    first->_next = NULL;
    mainLoop()->_blocks_tail = first;
}

static SimulationFunction breakARule;

static void performAndBreak(void *unused) {
    SimulationAt(1, "outside", breakARule, NULL);
    performProgram(&program);
}

TEST(program_rules_are_checked, "Each rule that holds for every program is checked: if it is broken, the log says so") {
    static const struct {
        const char *text;
        SimulationFunction breaks; // after a second
        const char *complaint;
    } cases[] = {
        {"source S in default\nrun default for 3s", signalAlone, "main sleeps although the source S is signalled"},
        {"timer T at 2s in default\nrun default for 3s", cancelTimer, "main sleeps past the date of the timer T"},
        {"run default for 3s", stopAlone, "a loop sleeps although it was stopped"},
        {"run default for 3s", queueAlone, "main sleeps although a block waits"},
        {"run default for 3s", queueUnheard, "main sleeps although the main queue has a function"},
        {"port P in default\nrun default for 3s", sendUnheard, "main sleeps although the port P is ready"},
        {"block K in default\nrun default for 3s", callWithALock, "K is called while its thread holds a lock"},
        {"block K in default\nrun default for 3s", runUnqueued, "K runs for the 2. time, but was queued 1 times"},
        {"source S in default\nthread B:\n    source R in default\n    run default for 3s\nrun default for 3s", callElsewhere,
         "R is called on another thread"},
        {"source S in default\nrun default for 3s", callUnsignalled, "S performs for the 1. time after 0 signals"},
        {"observer O of Entry once in tracking\nrun default for 3s", callTwice, "O is called twice, but does not repeat"},
        {"timer T at 0.5s in default\nrun default for 3s", fire, "T is called twice, but does not repeat"},
        {"observer O of everything in default\nrun default for 3s", observeAgain, "O is notified of BeforeWaiting after BeforeWaiting"},
        {"timer T at 2s in default\nrun default for 3s", putForward, "T fires at 1.100000000 s, but its date is 2.000000000 s"},
        {"timer T every 0.7s in default\nrun default for 3s", putForward, "T fires at 1.100000000 s, but its date is 1.400000000 s"},
        {"timer T at 3s in default\nset T to 2s\nrun default for 3s", putForward, "T fires at 1.100000000 s, but its date is 2.000000000 s"},
        {"run default for 3s", endTooEarly, "a run of default for 3s times out after 1s"},
        {"run default for 3s", endWithASource, "a run of default ends with a source, and was not asked to"},
        {"source S order 1 in default\nsource R order 2 in default\nobserver O of everything in default\n"
         "at 2s: signal R and signal S and wake\nrun default for 3s", swapOrders, "R performs before S, which comes first"},
        {"source S in default\nsource R in default\nobserver O of everything in default\n"
         "at 0.5s: signal S and signal R\nat 2s: wake\nrun default for 3s", swapTimes, "R performs before S, which comes first"},
        {"at 0.5s: block K in default of main and block L in default of main\nat 2s: wake\nrun default for 3s", swapBlocks,
         "L runs before K, which was queued first"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char complaint[160];
        if (!loopProgramRead(&program, cases[i].text)) FAIL("%s in:\n%s", program.error, cases[i].text);
        SimulationResult result = performSimulated(&program, (Simulation){.isQuiet = true});
        CHECK_EQ_STR(performance.complaint, "");
        free(result.log);
        breakARule = cases[i].breaks;
        snprintf(complaint, sizeof complaint, " BROKEN: %s\n", cases[i].complaint);
        result = SimulationRun((Simulation){.isQuiet = true, .onIdle = checkIdle, .onExit = performExit}, performAndBreak, NULL);
        if (!strstr(result.log, complaint)) FAIL("\"%s\" is not in:\n%s", complaint, result.log);
        free(result.log);
    }
}

TEST(program_goes_on_behind_a_closed_port, "If a client's port is closed behind the loop's back, the loop says so, does not spin, and goes on") {
    checkProgram("port P in default\ntimer T at 3s in default\nat 1s: send P\nat 2s: close P\nrun default for 4s\n",
                 "1.000 main   P performs\n"
                 "2.000 main descriptor 4, the port of a version 1 source in the mode kCFRunLoopDefaultMode, cannot be waited for: Bad file "
                 "descriptor. The port is not open.\n"
                 "3.000 main   T fires\n4.000 main run default: TimedOut\n");
}

/// Whether B has sent a message, and how often the loop's thread has waited.
static void checkWorstMoment(const char *page, int number, const char *text, int messages, int waits, const char *expected) {
    if (!loopProgramRead(&program, text)) FAIL("%s in:\n%s", program.error, text);
    SimulationResult result = performSimulated(&program, (Simulation){});
    int sent = 0, waited = 0;
    for (const char *at = result.log; (at = strstr(at, " B sends a message")); at++) sent++;
    for (const char *at = result.log; (at = strstr(at, " main waits\n")); at++) waited++;
    if (sent != messages || waited != waits) FAIL("%d messages and %d waits in:\n%s", sent, waited, result.log);
    free(result.log);
    checkExample(page, number, text, expected);
}

// B reads ignoreWakeUps before A clears it, after that, after A has looked at its sources, after A has released its locks, and while A sleeps.
TEST(program_wakes_at_the_worst_moment, "At whatever moment of a pass another thread signals and wakes, the source performs: the programs of a-wake-up.md, in both languages") {
    static const char *const pages[] = {"Explanation/a-wake-up.md", "Explanation/a-wake-up.zh.md"};
    static const int messages[] = {0, 1, 1, 1, 1}, waits[] = {1, 1, 2, 2, 2};
    for (int i = 0; i < 2; i++) {
        char path[512];
        setPath(path, pages[i]);
        char *page = readPage(path), *at = page;
        for (int moment = 0; moment < 5; moment++) {
            char expected[160];
            snprintf(expected, sizeof expected, "1.000 main   T fires\n%d.000 main   S performs\n%d.000 main run default: HandledSource\n",
                     1 + (moment == 4), 1 + (moment == 4));
            checkWorstMoment(pages[i], moment + 1, nextBlock(&at, "```program B\n"), messages[moment], waits[moment], expected);
        }
        free(page);
    }
}

TEST(program_is_read_into_any_memory, "What the memory of a program had before does not matter, because a reader need not clear it") {
    memset(&program, 0x5A, sizeof program);
    CHECK(loopProgramRead(&program, "source S in default\nsignal S\nrun default for 1s\n"));
    checkProgram("source S in default\nsignal S\nrun default for 1s\n", "0.000 main   S performs\n1.000 main run default: TimedOut\n");
}

TEST(program_that_nests_too_deeply_ends_with_words, "A program whose runs nest without an end is ended with words before its stack is full, and its lines keep their words") {
    static const char *const texts[] = {
        "source S in A\nwhen S performs: signal S and run A for 5s\nsignal S\nrun A for 100s\n",
        "block K in default\nwhen K runs: block K in default and run default for 1s\nrun default for 5s\n",
    };
    for (int i = 0; i < 2; i++) {
        CHECK(loopProgramRead(&program, texts[i]));
        SimulationResult result = performSimulated(&program, (Simulation){.isQuiet = true});
        CHECK(result.isAborted);
        CHECK(strstr(result.log, "0.000 main runs and callbacks nest too deeply: the thread main has no stack left.\n"));
        int lines = 0, deep = 0;
        for (const char *at = result.log; (at = strchr(at, '\n')); at++) lines++;
        for (const char *at = result.log; (at = strstr(at, i ? "K runs" : "S performs")); at++) deep++;
        CHECK_GE(lines, 20); // a sanitizer's frames are large
        CHECK_EQ_INT(deep, lines - 1);
        free(result.log);
    }
}

TEST(program_may_run_out_of_ports, "When a program has said that no port is left, and the loop needs another one, it aborts with words") {
    CHECK(loopProgramRead(&program, "fault ports\nrun default for 3s\n"));
    SimulationResult result = performSimulated(&program, (Simulation){.isQuiet = true});
    CHECK(result.isAborted);
    CHECK_EQ_STR(result.log, "0.000 main no port is available for the main dispatch queue's port. The simulation has 1, and all are open.\n");
    free(result.log);
}
