/// source-equal: sources are compared by their contexts' equal callbacks, and equal ones count as one.
#include "Scenario.h"

static Boolean sameName(const void *left, const void *right) { return !strcmp(((Item *)left)->name, ((Item *)right)->name); }
static CFHashCode nameLength(const void *info) { return strlen(((Item *)info)->name); }

static CFRunLoopSourceRef comparable(const char *name, CFIndex order) {
    CFRunLoopSourceContext context = {.info = makeItem(name, NULL), .equal = sameName, .hash = nameLength, .perform = performSource};
    return CFRunLoopSourceCreate(NULL, order, &context);
}

SCENARIO("source-equal", onThreads) {
    onThread(^{
        CFRunLoopSourceRef one = comparable("same", 0), two = comparable("same", 0), other = comparable("other", 0), order = comparable("same", 1);
        say("equal: one two %d, one other %d, other orders %d", CFEqual(one, two), CFEqual(one, other), CFEqual(one, order));
        say("hash %lu", (unsigned long)CFHash(one));
        CFRunLoopAddSource(LOOP, one, A);
        say("contains two %d, order %d", CFRunLoopContainsSource(LOOP, two, A), CFRunLoopContainsSource(LOOP, order, A));
        CFRunLoopAddSource(LOOP, two, A);
        CFRunLoopSourceSignal(two);
        run(A, 0, false);
        CFRunLoopSourceSignal(one);
        run(A, 0, false);
        CFRunLoopRemoveSource(LOOP, two, A);
        say("contains one %d", CFRunLoopContainsSource(LOOP, one, A));
        part("without callbacks");
        CFRunLoopSourceContext context = {.info = makeItem("x", NULL), .perform = performSource};
        CFRunLoopSourceRef x = CFRunLoopSourceCreate(NULL, 0, &context), y = CFRunLoopSourceCreate(NULL, 0, &context);
        context.info = makeItem("z", NULL);
        CFRunLoopSourceRef z = CFRunLoopSourceCreate(NULL, 0, &context);
        say("same info %d, other info %d, hashes the same %d", CFEqual(x, y), CFEqual(x, z), CFHash(x) == CFHash(y));
        part("invalid");
        CFRunLoopSourceInvalidate(two);
        say("one two %d", CFEqual(one, two));
        CFRunLoopSourceInvalidate(one);
        say("one two %d", CFEqual(one, two));
    });
}
