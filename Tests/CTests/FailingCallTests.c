/// FailingCallTests.c: runs one program that uses everything once without faults, and then once more for each system call and each
/// allocation that it makes, with that one failing.
///
/// Each of these runs is a child of fork, and ends in one of three ways:
///
///   - It does everything that it does without the fault.
///   - It aborts with the line that the table below has for this fault.
///   - A Create function that is documented to return NULL when there is no memory returns NULL.
///
/// It never hangs (SIGALRM would end it), spins (it would make too many calls) or crashes. Faults that no call reports, such as closed
/// descriptors, are in DisturbanceTests.c.
#include "Fakes.h"
#include "Faults.h"
#include "LoopSupport.h"
#include <CoreFoundation/CFPortSupport.h>
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern int _dispatch_get_main_queue_port_4CF(void);

// MARK: - What a run writes down

/// Shared with the child. LOG is not: it allocates, and the child's log is not the parent's.
static struct Record {
    FaultPlan plan;
    char log[4096];
    int descriptors; // open at the end
} *record;

static void note(const char *event) {
    strcat(record->log, event);
    strcat(record->log, "\n");
}

enum { gotNothing = 77 }; // the status of a child in which a Create function returned NULL

/// Returns an object that the library has created; ends the process if it is NULL.
static void *made(const void *object, const char *what) {
    if (object) return (void *)object;
    note(what);
    _exit(gotNothing);
}
#define MADE(create) made(create, "NULL from " #create)

// MARK: - The program that uses everything
//
// The calls that the program itself makes are not counted.

#define UNCOUNTED(...) do { FaultsOff(); __VA_ARGS__; FaultsOn(); } while (0)

static void perform(void *info) { note(info); }

static struct Pipe {
    const char *name;
    int ends[2];
} pipes[2] = {{"source 1", {0}}, {"another source 1", {0}}};

static void readPipe(void *info) {
    const struct Pipe *from = info;
    char byte;
    UNCOUNTED(CHECK_EQ_INT(read(from->ends[0], &byte, 1), 1));
    note(from->name);
}

static __CFPort pipePort(void *info) { return ((struct Pipe *)info)->ends[0]; }

static CFRunLoopSourceRef source0(const char *name) {
    CFRunLoopSourceContext context = {.info = (void *)name, .perform = perform};
    return MADE(CFRunLoopSourceCreate(NULL, 0, &context));
}

static void run(CFStringRef mode, CFTimeInterval seconds, Boolean once) { note(loopResultName(CFRunLoopRunInMode(mode, seconds, once))); }

static CFMutableStringRef modeName; // A, but not a constant: the loop must make a copy
static CFRunLoopSourceRef source;
static CFRunLoopRef mainLoop;
static int observations;

static void observe(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { observations++; }

static void useItems(void) {
    CFRunLoopAddCommonMode(mainLoop, modeName);
    source = source0("source 0");
    CFRunLoopAddSource(mainLoop, source, COMMON);
    CFRunLoopAddCommonMode(mainLoop, B);
    CFRunLoopRef loop = mainLoop; // a block without captures is not copied, so its copy could not fail
    CFRunLoopObserverRef observer = MADE(CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, true, 0, observe, NULL));
    CFRunLoopObserverRef handler = MADE(CFRunLoopObserverCreateWithHandler(
        NULL, kCFRunLoopExit, false, 0, ^(CFRunLoopObserverRef self, CFRunLoopActivity activity) { note(loop == LOOP ? "Exit" : "?"); }));
    CFRunLoopAddObserver(loop, observer, modeName);
    CFRunLoopAddObserver(loop, handler, modeName);
    CFRunLoopSourceSignal(source);
    CFRunLoopPerformBlock(loop, modeName, ^{ note(loop == LOOP ? "block" : "?"); });
    CFRunLoopPerformBlock(loop, COMMON, ^{
        CFRunLoopSourceSignal(source);
        CFRunLoopRunInMode(B, 0, false); // nested
        note(loop == LOOP ? "common block" : "?");
    });
    run(modeName, 0, false);
    note(observations ? "observed" : "not observed");
    CFRunLoopObserverInvalidate(observer);
    CFRelease(observer);
    CFRelease(handler);
}

static int fires;

static void fire(CFRunLoopTimerRef timer, void *info) {
    note(info);
    if (++fires < 2) return;
    CFRunLoopTimerInvalidate(timer);
    CFRunLoopStop(mainLoop);
}

/// Both are due in the first pass, on a fast and on a slow machine. The second fires once more later.
static void useTimers(void) {
    CFRunLoopRef loop = mainLoop;
    CFRunLoopTimerContext again = {.info = "timer"};
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
    CFRunLoopTimerRef first = MADE(CFRunLoopTimerCreateWithHandler(
        NULL, now - 1, 0, 0, 0, ^(CFRunLoopTimerRef timer) { note(loop == LOOP ? "one-shot timer" : "?"); }));
    CFRunLoopTimerRef second = MADE(CFRunLoopTimerCreate(NULL, now - 0.5, 0.001, 0, 0, fire, &again));
    CFRunLoopAddTimer(mainLoop, first, modeName);
    CFRunLoopAddTimer(mainLoop, second, COMMON);
    run(modeName, 20, false);
    CFRelease(first);
    CFRelease(second);
}

/// Both are ready at the same time, and the second is kept for the next pass.
static void usePorts(void) {
    CFRunLoopSourceRef ports[2];
    for (int i = 0; i < 2; i++) {
        CFRunLoopSourceContext1 context = {.version = 1, .info = &pipes[i], .getPort = pipePort, .perform = readPipe};
        ports[i] = MADE(CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context));
        CFRunLoopAddSource(mainLoop, ports[i], modeName);
        UNCOUNTED(CHECK_EQ_INT(write(pipes[i].ends[1], "", 1), 1));
    }
    run(modeName, 20, true);
    run(modeName, 20, true);
    for (int i = 0; i < 2; i++) {
        CFRunLoopSourceInvalidate(ports[i]);
        CFRelease(ports[i]);
    }
}

static _Atomic(bool) otherMayEnd;

/// Whether the main thread makes no more calls, because it sleeps in the kernel.
static bool mainSleeps(void) {
    int calls = record->plan.calls;
    bool waits = !(record->plan.kinds & ALL_WAITS) || (calls && (1u << record->plan.kindOf[calls] & ALL_WAITS));
    return waits && CFRunLoopIsWaiting(mainLoop);
}

/// Another thread, with its own loop, signals a source of the main loop while the main loop sleeps. The two threads never make calls at the
/// same time, because then the calls would not have the same numbers in each run.
static void *otherThread(void *unused) {
    while (!mainSleeps()) usleep(100);
    CFRunLoopRef loop = CFRunLoopGetCurrent();
    CFRunLoopSourceRef own = source0("source of the other thread");
    CFRunLoopAddSource(loop, own, C);
    CFRunLoopSourceSignal(own);
    run(C, 20, true);
    CFRelease(own);
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(mainLoop);
    while (!otherMayEnd) usleep(100);
    return NULL;
}

static void useThreads(void) {
    pthread_t thread;
    UNCOUNTED(CHECK_EQ_INT(pthread_create(&thread, NULL, otherThread, NULL), 0));
    run(modeName, 20, true);
    otherMayEnd = true;
    pthread_join(thread, NULL); // its loop ends with it
}

static void useEmbedding(void) {
    int descriptor = CFRunLoopGetDescriptor(mainLoop, modeName);
    CFRunLoopTimerContext context = {.info = "far timer"};
    CFRunLoopTimerRef far = MADE(CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + 1000, 0, 0, 0, fire, &context));
    CFRunLoopAddTimer(mainLoop, far, modeName); // the host needs a timerfd
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(mainLoop);
    struct pollfd host = {.fd = descriptor, .events = POLLIN};
    UNCOUNTED(CHECK_EQ_INT(poll(&host, 1, 20000), 1));
    note(loopResultName(CFRunLoopServe(mainLoop, modeName)));
    int ready;
    for (int i = 0; i < 2; i++) { // one of the faults makes a poll find nothing; then the host is notified again
        UNCOUNTED(ready = poll(&host, 1, 0));
        if (ready) CFRunLoopServe(mainLoop, modeName);
    }
    UNCOUNTED(CHECK_EQ_INT(poll(&host, 1, 0), 0));
    note(loopResultName(CFRunLoopServe(mainLoop, C))); // no mode of this loop: it only looks for a wake-up
    CFRunLoopTimerInvalidate(far);
    CFRelease(far);
}

static void useStrings(void) {
    CFRelease(MADE(CFStringCreateWithFormat(NULL, NULL, CFSTR("%d of %@"), 1, CFSTR("many, for which a new string has no room"))));
}

static void everything(void) {
    mainLoop = CFRunLoopGetCurrent();
    useItems();
    useTimers();
    usePorts();
    useThreads();
    UNCOUNTED(dispatch_async(&_dispatch_main_q, ^{ note("main queue"); }));
    run(DEFAULT, 20, true);
    useEmbedding();
    useStrings();
    CFRunLoopSourceInvalidate(source);
    CFRelease(source);
    note("end");
}

/// Describes a loop with an item of each kind.
static void description(void) {
    UNCOUNTED({
        mainLoop = CFRunLoopGetCurrent();
        CFRunLoopAddSource(mainLoop, MakeSource0("source 0", 0, NULL), COMMON);
        CFRunLoopAddSource(mainLoop, MakeSource1("source 1", pipes[0].ends[0], NULL), modeName);
        CFRunLoopAddTimer(mainLoop, MakeTimer("timer", 100, 1, NULL), modeName);
        CFRunLoopAddObserver(mainLoop, MakeObserver("observer", kCFRunLoopAllActivities, 0, NULL), modeName);
    });
    CFStringRef text = MADE(CFCopyDescription(mainLoop));
    UNCOUNTED(CFRelease(text));
    note("described");
}

/// Every port that the loop makes, or waits for on behalf of libdispatch, but no port of a client.
static void ownPorts(void) {
    mainLoop = CFRunLoopGetCurrent();
    CFRunLoopTimerContext context = {.info = "timer"};
    CFRunLoopTimerRef timer = MADE(CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() - 1, 0, 0, 0, fire, &context));
    CFRunLoopAddTimer(mainLoop, timer, DEFAULT);
    run(DEFAULT, 0, false);
    CFRunLoopGetDescriptor(mainLoop, DEFAULT);
    CFRelease(timer);
    timer = MADE(CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + 1000, 0, 0, 0, fire, &context));
    CFRunLoopAddTimer(mainLoop, timer, DEFAULT); // the host needs a timerfd
    CFRelease(timer);
}

static const char *const everythingsLog =
    "block\nsource 0\ncommon block\nExit\nTimedOut\nobserved\n" // the nested run in B comes before A performs its source
    "one-shot timer\ntimer\ntimer\nStopped\n"
    "source 1\nHandledSource\nanother source 1\nHandledSource\n"
    "source of the other thread\nHandledSource\nsource 0\nHandledSource\n"
    "main queue\nHandledSource\n"
    "source 0\nTimedOut\nFinished\n"
    "end\n";

// MARK: - One run of the program

/// Forks a child whose calls fail as the plan in `record` says.
static CTestsChild start(void (*program)(void)) {
    record->log[0] = 0;
    record->plan.calls = record->plan.failed = 0;
    memset(record->plan.kindOf, 0, sizeof(record->plan.kindOf));
    CTestsChild child = CTestsFork();
    if (child.pid) return child;
    alarm((unsigned)(30 * TimeScale()));
    for (int i = 0; i < 2; i++) CHECK_EQ_INT(pipe(pipes[i].ends), 0);
    _dispatch_get_main_queue_port_4CF(); // creates the port now, because libdispatch's calls are not tested here
    modeName = CFStringCreateMutable(NULL, 0);
    CFStringAppend(modeName, CFSTR("A"));
    Faults = &record->plan;
    FaultsOn();
    program();
    FaultsOff();
    record->descriptors = OpenDescriptorCount();
    _exit(0);
}

/// Runs the program without a fault; leaves its calls in `record->plan`.
static void rehearse(void (*program)(void), unsigned kinds, const char *log) {
    if (!record) record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(record != MAP_FAILED);
    char *output;
    memset(&record->plan, 0, sizeof(record->plan));
    record->plan.kinds = kinds;
    int status = CTestsEndOf(start(program), &output);
    if (status) FAIL("without any fault it ends with status 0x%x; it wrote:\n%slog:\n%s", status, output, record->log);
    CHECK_EQ_STR(output, "");
    CHECK_EQ_STR(record->log, log);
    free(output);
}

// MARK: - The expected end for each fault

static const char noPorts[] = "no file descriptor is available for ";
static const char refused[] = "and no run loop works without it: allow the call";
static const char noMemory[] = "There is no memory left for ";
static const char completes[] = "";

typedef struct Ending {
    FaultKind kind;
    const char *message; // of the abort; `completes` if everything happens as without the fault
    int errors[8];       // ends with a 0
} Ending;

static const Ending endings[] = {
    {Fault_eventfd, noPorts, {EMFILE, ENFILE, ENOMEM}},
    {Fault_eventfd, refused, {ENOSYS}}, // a sandbox
    {Fault_epoll_create1, refused, {EPERM}},
    {Fault_timerfd_create, refused, {ENOSYS}},
    {Fault_epoll_wait, refused, {ENOSYS, EACCES}},
    {Fault_epoll_create1, noPorts, {EMFILE, ENFILE, ENOMEM}},
    {Fault_timerfd_create, noPorts, {EMFILE, ENFILE, ENOMEM}},
    {Fault_epoll_ctl_add, "no file descriptor is available for a place in a port set (epoll_ctl)", {ENOMEM, ENOSPC}},
    {Fault_epoll_ctl_del, completes, {ENOENT, EBADF}},
    {Fault_epoll_wait, completes, {EINTR, FaultReturnsNothing}},
    {Fault_epoll_wait, "epoll_wait on the run loop's own descriptor ", {EBADF}},
    {Fault_epoll_pwait2, completes, {EINTR, ENOSYS, EPERM, EACCES, EINVAL, EBADF, FaultReturnsNothing}},
    {Fault_timerfd_settime, "timerfd_settime on the run loop's own descriptor ", {EBADF}},
    {Fault_read, completes, {EINTR}},
    {Fault_read, "read on the run loop's own descriptor ", {EBADF}},
    {Fault_write, completes, {EINTR}},
    {Fault_write, "write on the run loop's own descriptor ", {EBADF}},
    {Fault_poll, completes, {EINTR, ENOMEM}},
    {Fault_pthread_key_create, "There is no pthread key left for the data of threads", {EAGAIN, ENOMEM}},
    {Fault_pthread_setspecific, "There is no memory left for the data of a thread", {ENOMEM}},
    {Fault_malloc, noMemory, {ENOMEM}},
    {Fault_calloc, noMemory, {ENOMEM}},
    {Fault_realloc, noMemory, {ENOMEM}},
};

static const char *nameOfError(int error) {
    return error == FaultReturnsNothing ? "returns nothing" : strerror(error);
}

/// Checks that the text is one line and contains the words that belong to the fault.
static bool isHalt(int status, const char *output, const char *message) {
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && Occurrences(output, "\n") == 1 && strstr(output, message);
}

/// Checks that the log breaks off at an object that could not be created.
static bool gotNull(int status, const char *output, const Ending *ending) {
    return WIFEXITED(status) && WEXITSTATUS(status) == gotNothing && !*output && ending->message == noMemory
        && strstr(record->log, "NULL from CF");
}

/// Runs the program with one failing call.
static int endAfterFault(void (*program)(void), int number, int error, char **output) {
    record->plan.first = number;
    record->plan.count = 1;
    record->plan.error = error;
    record->plan.mostCalls = 3000;
    return CTestsEndOf(start(program), output);
}

static void tryFault(void (*program)(void), const char *log, int descriptors, int number, const Ending *ending, int error) {
    char *output;
    int status = endAfterFault(program, number, error, &output);
    // On a slow machine a timer may be due already when the program comes to it, and the program makes other calls. Then another call has
    // failed.
    for (int tries = 1; record->plan.kindOf[number] != ending->kind && tries < 20; tries++) {
        free(output);
        status = endAfterFault(program, number, error, &output);
    }
    bool isAsExpected = *ending->message
        ? isHalt(status, output, ending->message) || gotNull(status, output, ending)
        : status == 0 && !*output && strcmp(record->log, log) == 0 && record->descriptors == descriptors;
    if (!isAsExpected || record->plan.failed != 1 || record->plan.kindOf[number] != ending->kind) {
        FAIL("call %d, %s, fails (%s); the program ends with status 0x%x, %d faults, %d descriptors (otherwise %d); expected: \"%s\". It wrote:\n%s\nlog:\n%s",
             number, FaultNames[ending->kind], nameOfError(error), status, record->plan.failed, record->descriptors, descriptors,
             ending->message, output, record->log);
    }
    free(output);
}

/// Runs the program once for every call of these kinds and every failure that the table has for it. Prints how many faults that were.
///
/// On a busy machine a rehearsal, too, may make other calls: those of a timer that was due before the loop came to its wait. No later run
/// would make them again. So two rehearsals make the same calls.
static void tryEveryFault(void (*program)(void), unsigned kinds, const char *log) {
    uint8_t kindOf[FaultMostCalls + 1];
    rehearse(program, kinds, log);
    do {
        memcpy(kindOf, record->plan.kindOf, sizeof(kindOf)); // the following runs overwrite it
        rehearse(program, kinds, log);
    } while (memcmp(kindOf, record->plan.kindOf, sizeof(kindOf)) != 0);
    int calls = record->plan.calls, descriptors = record->descriptors, faults = 0;
    unsigned seen = 0;
    for (int number = 1; number <= calls; number++) {
        FaultKind kind = kindOf[number];
        seen |= 1u << kind;
        for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
            if (endings[i].kind != kind) continue;
            for (const int *error = endings[i].errors; *error; error++, faults++)
                tryFault(program, log, descriptors, number, &endings[i], *error);
        }
    }
    printf("%d calls, %d faults\n", calls, faults);
    if (seen != kinds) FAIL("the program has made no call of some kind: %x of %x", seen, kinds);
}

TEST(faults_of_every_system_call,
     "Whatever system call fails once, in whatever way it can, a program that uses everything either does all that it does without the "
     "fault, or aborts with the line that says what was missing") {
    tryEveryFault(everything, ALL_SYSTEM_CALLS, everythingsLog);
}

TEST(faults_of_own_ports_that_cannot_be_waited_for,
     "If a port that the loop needs cannot be added to a port set, because the program has closed it, the loop aborts and names the "
     "port. If it went on without the port, every wake-up would be lost without a message") {
    rehearse(ownPorts, FAULT(epoll_ctl_add), "timer\nTimedOut\n");
    int calls = record->plan.calls, descriptors = record->descriptors;
    CHECK_EQ_INT(calls, 5); // wake-up port, main queue's port; the set, the eventfd and the timerfd for the host
    static const Ending closed = {Fault_epoll_ctl_add, "epoll_ctl on the run loop's own descriptor ", {EBADF}};
    for (int number = 1; number <= calls; number++) tryFault(ownPorts, "", descriptors, number, &closed, EBADF);
}

TEST(faults_of_every_allocation,
     "Whatever allocation fails, a program that uses everything aborts with the line that says what there was no memory for, or gets "
     "NULL from a Create function, as documented; it never crashes, and never goes on with something missing") {
    if (FAULTS_UNDER_SANITIZER) SKIP("a sanitizer's allocator cannot be made to fail");
    tryEveryFault(everything, ALL_ALLOCATIONS, everythingsLog);
}

TEST(faults_of_the_allocations_of_a_description,
     "If there is not enough memory for a description, it is NULL or has a gap, or the program aborts with the line that says so") {
    if (FAULTS_UNDER_SANITIZER) SKIP("a sanitizer's allocator cannot be made to fail");
    rehearse(description, ALL_ALLOCATIONS, "described\n");
    static const Ending ending = {Fault_malloc, noMemory, {ENOMEM}};
    for (int number = 1, calls = record->plan.calls; number <= calls; number++) {
        char *output;
        int status = endAfterFault(description, number, ENOMEM, &output);
        bool isDescribed = status == 0 && !*output && strcmp(record->log, "described\n") == 0;
        if (!isDescribed && !isHalt(status, output, noMemory) && !gotNull(status, output, &ending)) {
            FAIL("allocation %d of %d fails, and the program ends with status 0x%x; it wrote:\n%s", number, calls, status, output);
        }
        free(output);
    }
}
