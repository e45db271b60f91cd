/// EmbeddingRandomTests.c: random programs with embedded modes. After every serve, the descriptor of a mode must be readable exactly if a
/// serve of that mode would find something to do. The test finds out by serving it: if the descriptor was not readable, the serve must call
/// nothing; if it was readable, the serve must call something.

#include "LoopSupport.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern int _dispatch_get_main_queue_port_4CF(void);

enum { ModeCount = 4, SourceCount = 4, PortCount = 3, TimerCount = 3, MostChildren = 2, MostDepth = 3, Steps = 40 };

/// One random program on one loop.
typedef struct Program {
    unsigned seed;
    CFRunLoopRef loop;
    bool isMain;
    CFStringRef modes[ModeCount]; // the last is not embedded
    int descriptors[ModeCount];   // -1: not asked for yet
    CFRunLoopSourceRef sources[SourceCount];
    struct { int descriptor; CFRunLoopSourceRef source; } ports[PortCount];
    CFRunLoopTimerRef timers[TimerCount];
    pid_t children[MostChildren];
    int childCount;
    int duplicates[16], duplicateCount;
    int depth, calls, staleFiles;
    char story[8000];             // what the program has done so far, for the message of a failure
} Program;

static Program program;

static unsigned Random(unsigned limit) {
    program.seed = program.seed * 1664525u + 1013904223u;
    return (program.seed >> 16) % limit;
}

static void Tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void Tell(const char *format, ...) {
    size_t used = strlen(program.story);
    if (used > sizeof(program.story) - 200) return;
    used += (size_t)snprintf(program.story + used, 100, "%*s", 2 * program.depth, "");
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(program.story + used, 90, format, arguments);
    va_end(arguments);
    strcpy(program.story + used, "\n");
}

static bool IsReadable(int descriptor) {
    struct pollfd look = {.fd = descriptor, .events = POLLIN};
    return poll(&look, 1, 0) == 1;
}

static void DoRandomThing(void);

/// The end of every callback of the program.
static void Called(const char *what) {
    program.calls++;
    Tell("(%s is called)", what);
    program.depth++;
    if (program.depth < MostDepth && Random(3) == 0) DoRandomThing();
    program.depth--;
}

static CFStringRef SomeMode(void) { return program.modes[Random(ModeCount)]; }

// MARK: - Serving, and the promise

/// The reasons, besides the program's own items, for which a serve may find nothing to call: it receives a wake-up, or the main queue's
/// port is ready, or a duplicate keeps a file open after its descriptor was closed, and the set reports that file until it is renewed.
static bool IsExcused(void) {
    if (program.staleFiles > 0) return true;
    if (IsReadable(program.loop->_wakeUpPort)) return true;
    return program.isMain && IsReadable(_dispatch_get_main_queue_port_4CF());
}

static void CheckPromise(int mode) {
    bool wasReadable = IsReadable(program.descriptors[mode]), isExcused = IsExcused();
    int calls = program.calls;
    Tell("check mode %d: %s", mode, wasReadable ? "readable" : "silent");
    CFRunLoopServe(program.loop, program.modes[mode]);
    bool calledSomething = program.calls != calls;
    if (wasReadable && !calledSomething && !isExcused) FAIL("mode %d was readable, and nothing was due:\n%s", mode, program.story);
    if (!wasReadable && calledSomething) FAIL("mode %d was silent, and something was due:\n%s", mode, program.story);
}

static void ServeAndCheck(void) {
    int mode = (int)Random(ModeCount - 1);
    if (program.descriptors[mode] < 0) return;
    Tell("serve mode %d", mode);
    program.depth++;
    CFRunLoopServe(program.loop, program.modes[mode]);
    for (int i = 0; i < ModeCount - 1; i++) {
        if (program.descriptors[i] >= 0) CheckPromise(i);
    }
    program.depth--;
}

// MARK: - Ports

static void MakePort(int i) {
    program.ports[i].descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    int descriptor = program.ports[i].descriptor;
    program.ports[i].source = MakeSource1("", descriptor, ^{
        eventfd_read(descriptor, &(eventfd_t){0});
        Called("a port");
    });
}

/// A child that holds all of this process's descriptors until it is killed.
static void ForkHolder(void) {
    if (program.childCount == MostChildren) return;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) pause();
    }
    program.children[program.childCount++] = child;
    Tell("fork");
}

/// Closes a source's descriptor too early, sometimes while a child or a duplicate keeps its file open and ready.
static void CloseTooEarly(int i) {
    int kind = (int)Random(3);
    if (kind == 1 && program.duplicateCount < 16)
        program.duplicates[program.duplicateCount++] = fcntl(program.ports[i].descriptor, F_DUPFD_CLOEXEC, 200);
    if (kind == 2) ForkHolder();
    if (Random(2)) eventfd_write(program.ports[i].descriptor, 1);
    program.staleFiles += kind != 0 || program.childCount;
    Tell("close port %d too early, kind %d", i, kind);
    close(program.ports[i].descriptor);
    CFRunLoopSourceInvalidate(program.ports[i].source);
    MakePort(i);
}

/// Serves until the sets no longer contain the closed files. If they never lost them, a host would spin.
static void ForgetStaleFiles(void) {
    bool allAreAsked = true;
    for (int mode = 0; mode < ModeCount - 1; mode++) {
        if (program.descriptors[mode] < 0) {
            allAreAsked = false; // its set may contain a closed file from an ordinary run
            continue;
        }
        int serves = 0;
        while (IsReadable(program.descriptors[mode])) {
            CFRunLoopServe(program.loop, program.modes[mode]);
            if (++serves > 500) FAIL("a host would spin on mode %d:\n%s", mode, program.story);
        }
    }
    if (allAreAsked) program.staleFiles = 0;
}

// MARK: - What a program does

static void PerformBlock(void) {
    CFStringRef both[] = {program.modes[0], program.modes[1]};
    CFArrayRef array = CFArrayCreate(NULL, (const void **)both, 2, &kCFTypeArrayCallBacks);
    CFTypeRef mode = Random(4) == 0 ? COMMON : Random(4) == 0 ? (CFTypeRef)array : SomeMode();
    CFRunLoopPerformBlock(program.loop, mode, ^{ Called("a block"); });
    CFRelease(array);
}

static void AddOneTimer(int i) {
    if (program.timers[i]) CFRunLoopTimerInvalidate(program.timers[i]);
    program.timers[i] = MakeTimer("", Random(2) ? -1 : 1000, Random(2) ? 1000 : 0, ^{ Called("a timer"); });
    CFRunLoopAddTimer(program.loop, program.timers[i], SomeMode());
}

static void Ask(int mode) {
    program.descriptors[mode] = CFRunLoopGetDescriptor(program.loop, program.modes[mode]);
    CHECK_GE(program.descriptors[mode], 0);
}

static void DoRandomThing(void) {
    unsigned what = Random(20), i = Random(SourceCount);
    if (what != 0 && what < 17) Tell("do %u, %u", what, i);
    switch (what) {
    case 1: CFRunLoopSourceSignal(program.sources[i]); break;
    case 2: SignalAndWake(program.sources[i], program.loop); break;
    case 3: CFRunLoopWakeUp(program.loop); break;
    case 4: PerformBlock(); break;
    case 5: PerformBlock(); CFRunLoopWakeUp(program.loop); break;
    case 6: AddOneTimer((int)(i % TimerCount)); break;
    case 7:
        if (program.timers[i % TimerCount])
            CFRunLoopTimerSetNextFireDate(program.timers[i % TimerCount], CFAbsoluteTimeGetCurrent() + (Random(2) ? -1 : 1000));
        break;
    case 8: if (program.timers[i % TimerCount]) CFRunLoopTimerInvalidate(program.timers[i % TimerCount]); break;
    case 9: eventfd_write(program.ports[i % PortCount].descriptor, 1); break;
    case 10: CFRunLoopAddSource(program.loop, program.ports[i % PortCount].source, SomeMode()); break;
    case 11: CFRunLoopRemoveSource(program.loop, program.ports[i % PortCount].source, SomeMode()); break;
    case 12: if (program.depth == 0) CloseTooEarly((int)(i % PortCount)); break;
    case 13: CFRunLoopRunInMode(SomeMode(), 0, Random(2)); break;
    case 14: if (program.isMain) dispatch_async(&_dispatch_main_q, ^{ Called("a main queue block"); }); break;
    case 15: CFRunLoopAddCommonMode(program.loop, program.modes[Random(2)]); break;
    case 16: Ask((int)Random(ModeCount - 1)); break;
    case 0: CFRunLoopRemoveSource(program.loop, program.sources[i], SomeMode());
        CFRunLoopAddSource(program.loop, program.sources[i], SomeMode()); break;
    default: ServeAndCheck();
    }
}

static void RunProgram(unsigned number, bool isMain) {
    memset(&program, 0, sizeof(program));
    program.seed = number * 2654435761u;
    program.loop = LOOP;
    program.isMain = isMain;
    Tell("program %u", number);
    for (int i = 0; i < ModeCount; i++) {
        program.modes[i] = isMain && i == 2 ? kCFRunLoopDefaultMode : CFStringCreateWithFormat(NULL, NULL, CFSTR("M%u.%d"), number, i);
        program.descriptors[i] = -1;
    }
    for (int i = 0; i < SourceCount; i++) {
        program.sources[i] = MakeSource0("", i / 2, ^{ Called("a source"); });
        for (unsigned j = Random(3); j--;) CFRunLoopAddSource(program.loop, program.sources[i], SomeMode());
    }
    for (int i = 0; i < PortCount; i++) MakePort(i);
    for (int step = 0; step < Steps; step++) {
        DoRandomThing();
        if (program.staleFiles && Random(2)) ForgetStaleFiles();
        LOG_EVENT_CLEAR();
    }
    ForgetStaleFiles();
    for (int i = 0; i < SourceCount; i++) CFRunLoopSourceInvalidate(program.sources[i]);
    for (int i = 0; i < PortCount; i++) {
        CFRunLoopSourceInvalidate(program.ports[i].source);
        close(program.ports[i].descriptor);
    }
    for (int i = 0; i < TimerCount; i++) if (program.timers[i]) CFRunLoopTimerInvalidate(program.timers[i]);
    for (int i = 0; i < program.duplicateCount; i++) close(program.duplicates[i]);
    for (int i = 0; i < ModeCount; i++) CFRelease(program.modes[i]);
    for (int i = 0; i < program.childCount; i++) {
        kill(program.children[i], SIGKILL);
        waitpid(program.children[i], NULL, 0);
    }
}

TEST(E5_poll_says_0_exactly_if_nothing_is_due,
     "After every serve a mode's descriptor is readable exactly if a serve of it would call something: random programs of signals, blocks, "
     "timers, ports, main queue blocks, serves nested in callbacks, modes declared common late, descriptors closed too early, forks") {
    ChecksLoops = false; // the sets contain files that duplicates keep open, and thousands of checks would take long
    (void)LOOP;
    const char *only = getenv("E5_PROGRAM"); // runs one program that has failed
    unsigned first = only ? (unsigned)atoi(only) : 0, end = only ? first + 1 : 600;
    for (unsigned number = first; number < end; number++) {
        if (number % 16 == 0) RunProgram(number, true); // its modes stay, and a loop may have at most 500 embedded modes
        else OnNewThread(^{ RunProgram(number, false); });
    }
}
