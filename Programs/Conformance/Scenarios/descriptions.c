/// descriptions: what CFCopyDescription returns for sources, timers and observers. A sign replaces numbers that differ from run to run, and
/// the callout, because the original finds some functions' names and ours may find others. A loop's own description is left out, because
/// the order of its sets is that of a hash table. The port in our description of a version 1 source is left out, too: the original (all
/// versions) prints none. [D44]
#include "../Scenario.h"

/// Copies `text` to `out`; writes # for numbers that start with 0x or have a point or many digits, and drops what follows "callout = ".
static void normalise(const char *text, char *out) {
    while (*text) {
        size_t number = strspn(text, "0123456789abcdefx.+-");
        if (!strncmp(text, "port = ", 7)) {
            text = strstr(text, "context");
        } else if (!strncmp(text, "callout = ", 10)) {
            const char *end = strstr(text, ", context"), *brace = strstr(text, "}");
            text = end ? end : brace;
            out += sprintf(out, "callout");
        } else if (!strncmp(text, "0x", 2) && strncmp(text, "0xfffffff,", 10) && strncmp(text, "0x1,", 4)) {
            text += number;
            *out++ = '#';
        } else if (*text == '(' && strstr(text, " @ ") && strstr(text, " @ ") < strchr(text, ')')) {
            text = strchr(text, ')') + 1;
            out += sprintf(out, "(in # @ #)");
        } else if (!strncmp(text, "fire date = ", 12)) {
            text += 12 + strspn(text + 12, "0123456789.-e+");
            out += sprintf(out, "fire date = #");
        } else *out++ = *text++;
    }
    *out = 0;
}

static void sayDescription(const char *title, CFTypeRef object) {
    static char raw[4000], clean[4000];
    CFStringRef description = CFCopyDescription(object);
    CFStringGetCString(description, raw, sizeof raw, kCFStringEncodingUTF8);
    CFRelease(description);
    normalise(raw, clean);
    LOG("%s: %s", title, clean);
}

SCENARIO(descriptions, onThreads, 0xe87136f2) {
    OnNewThread(^{
        CFRunLoopSourceRef s = MakeSource0("s", 7, NULL), p = MakePort("p", -3, NULL), described = MakeLoudSource0("described", NULL);
        CFRunLoopSourceRef describedPort = MakeLoudPort("described port", NULL);
        sayDescription("source 0", s);
        sayDescription("source 1", p);
        sayDescription("its own words", described);
        sayDescription("its own words", describedPort);
        CFRunLoopSourceSignal(s);
        sayDescription("signalled", s);
        CFRunLoopSourceInvalidate(s);
        CFRunLoopSourceInvalidate(described);
        sayDescription("invalid", s);
        sayDescription("invalid", described);

        CFRunLoopObserverRef o = MakeObserver("o", kCFRunLoopAllActivities, 9, NULL), once = MakeLoudObserver("once", kCFRunLoopEntry, false, NULL);
        sayDescription("observer", o);
        sayDescription("once only", once);
        CFRunLoopObserverInvalidate(o);
        sayDescription("invalid", o);
        sayDescription("without a context", CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, -9, NotifyItem, NULL));

        __block CFRunLoopTimerRef t;
        t = MakeTimer("t", -1, 2.5, ^{ sayDescription("firing", t); });
        sayDescription("timer", t);
        sayDescription("one-shot", MakeLoudTimer("one-shot", 3600, 0, NULL));
        CFRunLoopAddTimer(LOOP, t, A);
        Run(A, 0, false);
        CFRunLoopTimerInvalidate(t);
        sayDescription("invalid", t);
        LOG("%s, %s, %s, %s", Text(CFCopyTypeIDDescription(CFRunLoopGetTypeID())), Text(CFCopyTypeIDDescription(CFRunLoopSourceGetTypeID())),
            Text(CFCopyTypeIDDescription(CFRunLoopTimerGetTypeID())), Text(CFCopyTypeIDDescription(CFRunLoopObserverGetTypeID())));
    });
}
