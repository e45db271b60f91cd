/// context-source1: when a version 1 source's context callbacks are called. It has getPort instead of schedule and cancel.
#include "Scenario.h"

SCENARIO("context-source1", onThreads) {
    onThread(^{
        part("create");
        CFRunLoopSourceRef s = loudPort("s", NULL);
        part("GetContext");
        CFRunLoopSourceContext1 context = {.version = 1};
        CFRunLoopSourceGetContext(s, (CFRunLoopSourceContext *)&context);
        say("version %ld, info %s", (long)context.version, ((Item *)context.info)->name);
        part("add to A");
        CFRunLoopAddSource(LOOP, s, A);
        part("add again");
        CFRunLoopAddSource(LOOP, s, A);
        part("add to B");
        CFRunLoopAddSource(LOOP, s, B);
        part("remove from B");
        CFRunLoopRemoveSource(LOOP, s, B);
        part("perform");
        poke(s);
        run(A, 1, true);
        part("invalidate");
        CFRunLoopSourceInvalidate(s);
        part("GetContext of an invalid source");
        context = (CFRunLoopSourceContext1){.version = 1};
        CFRunLoopSourceGetContext(s, (CFRunLoopSourceContext *)&context);
        say("version %ld, info kept %d", (long)context.version, context.info != NULL);
        part("last release");
        CFRelease(s);

        part("invalidate while performing");
        __block CFRunLoopSourceRef u = loudPort("u", ^{
            CFRunLoopSourceInvalidate(u);
            say("invalidated");
            CFRelease(u);
            say("released");
        });
        CFRunLoopAddSource(LOOP, u, A);
        poke(u);
        run(A, 1, true);

        part("left in a mode");
        CFRunLoopSourceRef w = loudPort("w", NULL);
        CFRunLoopAddSource(LOOP, w, A);
        CFRelease(w);
        part("thread ends");
    });
    part("thread has ended");
}
