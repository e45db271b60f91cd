/// source-equal: sources are compared by their contexts' equal callbacks, and equal ones count as one.
#include "../Scenario.h"

static Boolean sameName(const void *left, const void *right) { return !strcmp(((Item *)left)->name, ((Item *)right)->name); }
static CFHashCode nameLength(const void *info) { return strlen(((Item *)info)->name); }

static void ignore(void *info) {}

static CFRunLoopSourceRef comparable(const char *name, CFIndex order) {
    CFRunLoopSourceContext context = {.info = MakeItem(name, NULL), .equal = sameName, .hash = nameLength, .perform = PerformItem};
    return CFRunLoopSourceCreate(NULL, order, &context);
}

static Boolean areAll(const void *info, const void *other) { return true; }
static void sayCancel(void *info, CFRunLoopRef loop, CFRunLoopMode mode) { LOG("cancel %s", ((Item *)info)->name); }

SCENARIO(source_equal, onThreads, 0x84fa014b) {
    OnNewThread(^{
        CFRunLoopSourceRef one = comparable("same", 0), two = comparable("same", 0), other = comparable("other", 0), order = comparable("same", 1);
        LOG("equal: one two %d, one other %d, other orders %d", CFEqual(one, two), CFEqual(one, other), CFEqual(one, order));
        LOG("hash %lu", (unsigned long)CFHash(one));
        CFRunLoopAddSource(LOOP, one, A);
        LOG("contains two %d, order %d", CFRunLoopContainsSource(LOOP, two, A), CFRunLoopContainsSource(LOOP, order, A));
        CFRunLoopAddSource(LOOP, two, A);
        CFRunLoopSourceSignal(two);
        Run(A, 0, false);
        CFRunLoopSourceSignal(one);
        Run(A, 0, false);
        CFRunLoopRemoveSource(LOOP, two, A);
        LOG("contains one %d", CFRunLoopContainsSource(LOOP, one, A));
        PART("cancel gets the info of the source that was passed");
        CFRunLoopSourceContext loud = {.info = MakeItem("member", NULL), .equal = areAll, .hash = nameLength, .cancel = sayCancel};
        CFRunLoopSourceRef member = CFRunLoopSourceCreate(NULL, 0, &loud);
        loud.info = MakeItem("passed", NULL);
        CFRunLoopAddSource(LOOP, member, A);
        CFRunLoopRemoveSource(LOOP, CFRunLoopSourceCreate(NULL, 0, &loud), A);
        LOG("contains the member %d", CFRunLoopContainsSource(LOOP, member, A));
        PART("without callbacks");
        CFRunLoopSourceContext context = {.info = MakeItem("x", NULL), .perform = PerformItem};
        CFRunLoopSourceRef x = CFRunLoopSourceCreate(NULL, 0, &context), y = CFRunLoopSourceCreate(NULL, 0, &context);
        context.info = MakeItem("z", NULL);
        CFRunLoopSourceRef z = CFRunLoopSourceCreate(NULL, 0, &context);
        LOG("same info %d, other info %d, hashes the same %d", CFEqual(x, y), CFEqual(x, z), CFHash(x) == CFHash(y));
        PART("with other callbacks, or of the other version");
        Item *info = MakeItem("same", NULL);
        CFRunLoopSourceContext contexts[] = {{.info = info, .perform = PerformItem}, {.info = info, .perform = PerformItem, .equal = sameName},
                                             {.info = info, .perform = PerformItem, .hash = nameLength}, {.info = info, .perform = ignore}};
        CFRunLoopSourceContext1 context1 = {.version = 1, .info = info, .perform = PerformItem};
        CFRunLoopSourceRef made[5];
        for (int i = 0; i < 4; i++) made[i] = CFRunLoopSourceCreate(NULL, 0, &contexts[i]);
        made[4] = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context1);
        for (int i = 1; i < 5; i++) LOG("equal %d", CFEqual(made[0], made[i]));
        PART("invalid");
        CFRunLoopSourceInvalidate(two);
        LOG("one two %d", CFEqual(one, two));
        CFRunLoopSourceInvalidate(one);
        LOG("one two %d", CFEqual(one, two));
    });
}
