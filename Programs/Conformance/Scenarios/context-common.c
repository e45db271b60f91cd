/// context-common: schedule and cancel for the common modes: one call for each mode that the source enters or leaves. The modes come in the
/// order of a hash table, so they are sorted if there are several.
#include "../Scenario.h"

static char names[4][16];
static int count;

static void note(void *info, CFRunLoopRef loop, CFRunLoopMode mode) { snprintf(names[count++ % 4], 16, "%s", Text(mode)); }

static int byName(const void *left, const void *right) { return strcmp(left, right); }

/// Prints the modes that schedule or cancel was called with, sorted.
static void sayNoted(const char *what) {
    qsort(names, count, sizeof names[0], byName);
    for (int i = 0; i < count; i++) LOG("%s %s", what, names[i]);
    count = 0;
}

SCENARIO(context_common, onThreads, 0xa62e56bf) {
    OnNewThread(^{
        PART("add to the common modes, of which there is one");
        CFRunLoopSourceRef s = MakeLoudSource0("s", NULL);
        CFRunLoopAddSource(LOOP, s, COMMON);
        PART("again");
        CFRunLoopAddSource(LOOP, s, COMMON);
        PART("add to the default mode, where it is already");
        CFRunLoopAddSource(LOOP, s, DEFAULT);
        PART("a new common mode A");
        CFRunLoopAddCommonMode(LOOP, A);
        PART("A again");
        CFRunLoopAddCommonMode(LOOP, A);
        PART("remove from A alone");
        CFRunLoopRemoveSource(LOOP, s, A);
        LOG("in the common modes %d, in A %d", CFRunLoopContainsSource(LOOP, s, COMMON), CFRunLoopContainsSource(LOOP, s, A));
        PART("remove from the common modes");
        CFRunLoopRemoveSource(LOOP, s, COMMON);
        LOG("in the common modes %d, in A %d, in default %d", CFRunLoopContainsSource(LOOP, s, COMMON),
            CFRunLoopContainsSource(LOOP, s, A), CFRunLoopContainsSource(LOOP, s, DEFAULT));
        PART("remove again");
        CFRunLoopRemoveSource(LOOP, s, COMMON);

        PART("in A first, then in the common modes");
        CFRunLoopAddSource(LOOP, s, A);
        CFRunLoopAddSource(LOOP, s, COMMON);
        PART("remove from default, then from the common modes");
        CFRunLoopRemoveSource(LOOP, s, DEFAULT);
        CFRunLoopRemoveSource(LOOP, s, COMMON);

        PART("add to B, declare B common");
        CFRunLoopAddSource(LOOP, s, B);
        CFRunLoopAddCommonMode(LOOP, B);
        LOG("in the common modes %d", CFRunLoopContainsSource(LOOP, s, COMMON));
        PART("invalidate");
        CFRunLoopSourceInvalidate(s);
        PART("last release");
        CFRelease(s);
        PART("a port is asked for once for each mode");
        CFRunLoopSourceRef p = MakeLoudPort("p", NULL);
        CFRunLoopAddSource(LOOP, p, A);
        PART("add to the common modes, of which it is in one already");
        CFRunLoopAddSource(LOOP, p, COMMON);
        CFRunLoopSourceInvalidate(p);
        CFRelease(p);
        PART("thread ends");
    });
    PART("three common modes, thread ends");
    OnNewThread(^{
        CFRunLoopAddCommonMode(LOOP, A);
        CFRunLoopAddCommonMode(LOOP, B);
        CFRunLoopSourceContext context = {.info = MakeItem("s", NULL), .release = ReleaseLoudly, .schedule = note, .cancel = note, .perform = PerformItem};
        CFRunLoopSourceRef s = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(LOOP, s, COMMON);
        sayNoted("schedule");
        CFRunLoopRemoveSource(LOOP, s, COMMON);
        sayNoted("cancel");
        CFRunLoopAddSource(LOOP, s, COMMON);
        sayNoted("schedule");
        CFRelease(s);
        PART("ends");
    });
    sayNoted("cancel");
}
