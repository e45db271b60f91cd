/// context-source0: when a version 0 source's context callbacks are called, and with which arguments.
#include "Scenario.h"

SCENARIO("context-source0", onThreads) {
    onThread(^{
        part("create");
        CFRunLoopSourceRef s = loudSource("s", NULL);
        part("GetContext");
        CFRunLoopSourceContext context = {.version = 0};
        CFRunLoopSourceGetContext(s, &context);
        say("version %ld, info %s", (long)context.version, ((Item *)context.info)->name);
        part("hash and equal without callbacks");
        say("equal itself %d", CFEqual(s, s));
        part("add to A");
        CFRunLoopAddSource(LOOP, s, A);
        part("add again");
        CFRunLoopAddSource(LOOP, s, A);
        part("add to B");
        CFRunLoopAddSource(LOOP, s, B);
        part("remove from B");
        CFRunLoopRemoveSource(LOOP, s, B);
        part("remove again");
        CFRunLoopRemoveSource(LOOP, s, B);
        part("perform");
        CFRunLoopSourceSignal(s);
        run(A, 0, false);
        part("invalidate");
        CFRunLoopSourceInvalidate(s);
        part("invalidate again");
        CFRunLoopSourceInvalidate(s);
        part("GetContext of an invalid source");
        memset(&context, 0, sizeof context);
        CFRunLoopSourceGetContext(s, &context);
        say("info kept %d", context.info != NULL);
        part("add an invalid source");
        CFRunLoopAddSource(LOOP, s, A);
        say("contained %d", CFRunLoopContainsSource(LOOP, s, A));
        part("last release");
        CFRelease(s);
        part("last release of a valid source");
        CFRelease(loudSource("t", NULL));

        part("invalidate while performing");
        __block CFRunLoopSourceRef u = loudSource("u", ^{
            CFRunLoopSourceInvalidate(u);
            say("invalidated");
        });
        CFRunLoopAddSource(LOOP, u, A);
        CFRunLoopSourceSignal(u);
        run(A, 0, false);
        part("last release");
        CFRelease(u);

        part("invalidated and released while performing");
        __block CFRunLoopSourceRef v = loudSource("v", ^{
            CFRunLoopSourceInvalidate(v);
            CFRelease(v);
            say("released");
        });
        CFRunLoopAddSource(LOOP, v, A);
        CFRunLoopSourceSignal(v);
        run(A, 0, false);

        part("left in a mode");
        CFRunLoopSourceRef w = loudSource("w", NULL);
        CFRunLoopAddSource(LOOP, w, A);
        CFRelease(w);
        part("thread ends");
    });
    part("thread has ended");
}
