/// port-none: version 1 sources whose getPort returns nothing that can be waited for.
#include "Scenario.h"

static CFRunLoopSourceRef portless(const char *name, int descriptor) {
    Item *item = makeItem(name, NULL);
    item->descriptor = descriptor;
    CFRunLoopSourceContext1 context = {.version = 1, .info = item, .getPort = portOf, .perform = performPort};
    return CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
}

SCENARIO("port-none", onThreads) {
    onThread(^{
        CFRunLoopSourceRef none = portless("none", -1);
        CFRunLoopAddSource(LOOP, none, A);
        say("contained %d", CFRunLoopContainsSource(LOOP, none, A));
        CFRunLoopSourceSignal(none); // has no effect on a version 1 source
        run(A, 0.05, false);
        CFRunLoopRemoveSource(LOOP, none, A);
        say("contained %d", CFRunLoopContainsSource(LOOP, none, A));
        run(A, 0.05, false);
    });
}
