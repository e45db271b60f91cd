/// InstructionRows.c: how many instructions a piece of work takes, counted one by one in a child process (Tracer.c). The kernel's are not
/// counted: a system call is one instruction. So these figures are the same on a busy machine and on an idle one, and nearly the same on
/// every processor, which times and their ratios are not.
#include "Tracer.h"
#include "Rows.h"

/// How often each piece of work is done between the marks, and before them, so that what happens once has happened.
enum { repetitions = 10, warmUp = 3 };

enum { poll_, signal_, event, block, measures };

static void noteCall(void *info) { ++*(long *)info; }

/// Does `work` often enough to warm up, and then between the marks.
static void count(void (^work)(void)) {
    for (int i = 0; i < warmUp; i++) work();
    TraceBegins();
    for (int i = 0; i < repetitions; i++) work();
    TraceEnds();
}

static void countPolls(Bench *bench) {
    BenchKeepAlive(bench);
    count(^{ BenchPoll(bench); });
}

static void countSignals(Bench *bench) {
    static long calls;
    CFRunLoopSourceRef source = BenchAddSource0(bench, &calls, noteCall);
    count(^{
        T(bench)->CFRunLoopSourceSignal(source);
        BenchPoll(bench);
    });
    BenchCheck(bench, "sources performed", calls, warmUp + repetitions);
}

typedef struct {
    int descriptor; // first: BenchAddSource1 wants it there
    long calls;
    const Bench *bench;
} Port;

/// The toolchain's loop has read the event itself (PortRows.c).
static void eventCame(void *info) {
    Port *port = info;
    port->calls++;
    if (port->bench->side != BenchToolchain) BenchDrain(port->descriptor);
}

static void countEvents(Bench *bench) {
    static Port port;
    port = (Port){.descriptor = BenchEvent(), .bench = bench};
    BenchAddSource1(bench, &port, eventCame);
    count(^{
        BenchRing(port.descriptor);
        BenchPoll(bench);
    });
    BenchCheck(bench, "events handled", port.calls, warmUp + repetitions);
}

static void countBlocks(Bench *bench) {
    static long calls;
    CFRunLoopRef loop = BenchLoop(bench);
    BenchKeepAlive(bench);
    count(^{
        T(bench)->CFRunLoopPerformBlock(loop, BenchMode(bench), ^{ calls++; });
        BenchPoll(bench);
    });
    BenchCheck(bench, "blocks performed", calls, warmUp + repetitions);
}

/// Each in a child that has used no loop yet.
static void countInstructions(Bench *bench, double *costs) {
    void (*const bodies[measures])(Bench *) = {countPolls, countSignals, countEvents, countBlocks};
    for (int i = 0; i < measures; i++) {
        long instructions = 0;
        TraceInstructions(bench, &instructions, 1, bodies[i]);
        costs[i] = (double)instructions / repetitions;
    }
}

const BenchGroup BenchInstructions = {
    .name = "instructions", .rowCount = measures, .processors = 1, .mostOperations = 1, .isCounted = true,
    .rows = {
        {"instructions-poll", "instructions: poll pass", BenchInstructionCount, 0, 0},
        {"instructions-signal", "instructions: signal and poll pass", BenchInstructionCount, 0, 0},
        {"instructions-source-1", "instructions: version 1 source event", BenchInstructionCount, 0, 0},
        {"instructions-block", "instructions: block and poll pass", BenchInstructionCount, 0, 0},
    },
    .loop = {NULL, countInstructions},
};
