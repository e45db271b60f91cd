/// many: sources, timers, observers and blocks by the hundred, in the right order.
#include "Scenario.h"

static unsigned state;
static unsigned pick(unsigned count) { return (state = state * 1103515245u + 12345u) / 65536 % count; }

static const char *numbered(const char *letter, int number) {
    char *name = malloc(16);
    snprintf(name, 16, "%s%d", letter, number);
    return name;
}

SCENARIO("many", onThreads) {
    state = 12345;
    part("sources by order, then by signal");
    onThread(^{
        CFRunLoopSourceRef s[200];
        for (int i = 0; i < 200; i++) s[i] = addSource(A, numbered("s", i), (CFIndex)pick(20) - 10, NULL);
        for (int i = 0; i < 150; i++) CFRunLoopSourceSignal(s[pick(200)]);
        run(A, 0, false);
        run(A, 0, true);
    });
    part("timers by date");
    onThread(^{
        CFAbsoluteTime start = CFAbsoluteTimeGetCurrent();
        for (int i = 0; i < 200; i++) {
            CFRunLoopTimerContext context = {.info = makeItem(numbered("t", i), NULL)};
            // Dates a tenth of a millisecond apart, in a scrambled order: 77 and 200 have no divisor in common.
            CFRunLoopAddTimer(LOOP, CFRunLoopTimerCreate(NULL, start + 0.05 + (i * 77 % 200) * 1e-4, 0, 0, 0, performTimer, &context), A);
        }
        usleep(100000);
        run(A, 0, false);
    });
    part("observers by order, then by adding");
    onThread(^{
        addSource(A, "s", 0, NULL);
        CFRunLoopObserverRef o[150];
        for (int i = 0; i < 150; i++) o[i] = addObserver(A, numbered("o", i), kCFRunLoopEntry, (CFIndex)pick(10) - 5, NULL);
        for (int i = 0; i < 150; i += 3) CFRunLoopRemoveObserver(LOOP, o[i], A);
        for (int i = 0; i < 150; i += 6) CFRunLoopAddObserver(LOOP, o[i], A);
        run(A, 0, false);
    });
    part("blocks as queued");
    onThread(^{
        addSource(A, "s", 0, NULL);
        addSource(B, "s", 0, NULL);
        for (int i = 0; i < 200; i++) perform(pick(2) ? A : B, numbered("b", i), NULL);
        run(A, 0, false);
        run(B, 0, false);
    });
    part("modes");
    onThread(^{
        for (int i = 0; i < 40; i++) addSource(CFStringCreateWithCString(NULL, numbered("m", i), kCFStringEncodingUTF8), "s", 0, NULL);
        sayModes(LOOP);
    });
}
