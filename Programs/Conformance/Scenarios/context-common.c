/// context-common: schedule and cancel for the common modes: one call for each mode that the source enters or leaves. The modes come in the
/// order of a hash table, so they are sorted if there are several.
#include "Scenario.h"

static char names[4][16];
static int count;

static void note(void *info, CFRunLoopRef loop, CFRunLoopMode mode) { snprintf(names[count++ % 4], 16, "%s", text(mode)); }

static int byName(const void *left, const void *right) { return strcmp(left, right); }

/// Prints the modes that schedule or cancel was called with, sorted.
static void sayNoted(const char *what) {
    qsort(names, count, sizeof names[0], byName);
    for (int i = 0; i < count; i++) say("%s %s", what, names[i]);
    count = 0;
}

SCENARIO("context-common", onThreads) {
    onThread(^{
        part("add to the common modes, of which there is one");
        CFRunLoopSourceRef s = loudSource("s", NULL);
        CFRunLoopAddSource(LOOP, s, COMMON);
        part("again");
        CFRunLoopAddSource(LOOP, s, COMMON);
        part("add to the default mode, where it is already");
        CFRunLoopAddSource(LOOP, s, DEFAULT);
        part("a new common mode A");
        CFRunLoopAddCommonMode(LOOP, A);
        part("A again");
        CFRunLoopAddCommonMode(LOOP, A);
        part("remove from A alone");
        CFRunLoopRemoveSource(LOOP, s, A);
        say("in the common modes %d, in A %d", CFRunLoopContainsSource(LOOP, s, COMMON), CFRunLoopContainsSource(LOOP, s, A));
        part("remove from the common modes");
        CFRunLoopRemoveSource(LOOP, s, COMMON);
        say("in the common modes %d, in A %d, in default %d", CFRunLoopContainsSource(LOOP, s, COMMON),
            CFRunLoopContainsSource(LOOP, s, A), CFRunLoopContainsSource(LOOP, s, DEFAULT));
        part("remove again");
        CFRunLoopRemoveSource(LOOP, s, COMMON);

        part("in A first, then in the common modes");
        CFRunLoopAddSource(LOOP, s, A);
        CFRunLoopAddSource(LOOP, s, COMMON);
        part("remove from default, then from the common modes");
        CFRunLoopRemoveSource(LOOP, s, DEFAULT);
        CFRunLoopRemoveSource(LOOP, s, COMMON);

        part("add to B, declare B common");
        CFRunLoopAddSource(LOOP, s, B);
        CFRunLoopAddCommonMode(LOOP, B);
        say("in the common modes %d", CFRunLoopContainsSource(LOOP, s, COMMON));
        part("invalidate");
        CFRunLoopSourceInvalidate(s);
        part("last release");
        CFRelease(s);
        part("thread ends");
    });
    part("three common modes, thread ends");
    onThread(^{
        CFRunLoopAddCommonMode(LOOP, A);
        CFRunLoopAddCommonMode(LOOP, B);
        CFRunLoopSourceContext context = {.info = makeItem("s", NULL), .release = loudRelease, .schedule = note, .cancel = note, .perform = performSource};
        CFRunLoopSourceRef s = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(LOOP, s, COMMON);
        sayNoted("schedule");
        CFRunLoopRemoveSource(LOOP, s, COMMON);
        sayNoted("cancel");
        CFRunLoopAddSource(LOOP, s, COMMON);
        sayNoted("schedule");
        CFRelease(s);
        part("ends");
    });
    sayNoted("cancel");
}
