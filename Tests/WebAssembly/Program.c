/// Program.c: a small program for the simulated kernel, which is compiled as a WebAssembly module and natively. Scripts/build-wasm compares
/// the two logs, which must be the same.
///
/// The program has timers, observers of every activity, a block, a function in the main queue, and a source that is signalled from outside:
/// by the page, in the middle of a run.
#include "../../Sources/Support/CRunLoopSimulated/CRunLoopSimulated.c"

#if defined(__wasm__)
#define EXPORT(name) __attribute__((export_name(#name)))
/// The page calls signal_source from it.
__attribute__((import_module("page"), import_name("outside"))) void outside(double seconds);
#else
#define EXPORT(name)
static void outside(double seconds);
#endif

static CFRunLoopSourceRef source;

EXPORT(signal_source) void signal_source(void) {
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(CFRunLoopGetMain());
}

static void callOutside(void *unused) { outside(SimulationGetTime()); }

static void perform(void *text) { SimulationSay("performs %s", (const char *)text); }

static void fire(CFRunLoopTimerRef timer, void *text) {
    SimulationSay("fires %s", (const char *)text);
    if (CFRunLoopTimerDoesRepeat(timer)) return;
    CFRunLoopPerformBlock(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode, ^{ SimulationSay("performs the block of %s", (const char *)text); });
    SimulationMainQueueAsync(perform, "the function");
}

static void observe(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    SimulationSay("observes %d, hash %d", (int)activity, (int)CFHash(observer));
}

static void addTimer(CFRunLoopRef loop, double first, double interval, const char *name) {
    CFRunLoopTimerContext context = {.info = (void *)name};
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, first, interval, 0, 0, fire, &context);
    CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode);
    CFRelease(timer);
}

static void body(void *unused) {
    CFRunLoopRef loop = CFRunLoopGetCurrent();
    CFRunLoopSourceContext context = {.info = "the source", .perform = perform};
    source = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes);
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, true, 0, observe, NULL);
    CFRunLoopAddObserver(loop, observer, kCFRunLoopCommonModes);
    CFRelease(observer);
    addTimer(loop, 1, 1, "every second");
    addTimer(loop, 1.0 / 3, 0, "once");
    SimulationAt(2.5, "page", callOutside, NULL);
    SInt32 result = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 3.25, false);
    SimulationSay("ran: %d, date %.9f, %s", (int)result, CFAbsoluteTimeGetCurrent(),
                  CFRunLoopContainsSource(loop, source, kCFRunLoopDefaultMode) ? "with the source" : "without the source");
    CFRelease(source);
}

#if defined(__wasm__)
EXPORT(run) const char *run(void) { return SimulationRun((Simulation){0}, body, NULL).log; }

static void doNothing(void *unused) {}

static void startAThread(void *unused) { SimulationStartThread("B", doNothing, NULL); }

/// Traps, after a message on stderr.
EXPORT(start_thread) void start_thread(void) { SimulationRun((Simulation){0}, startAThread, NULL); }
#else
static void outside(double seconds) { signal_source(); }

int main(void) {
    fputs(SimulationRun((Simulation){0}, body, NULL).log, stdout);
    return 0;
}
#endif
