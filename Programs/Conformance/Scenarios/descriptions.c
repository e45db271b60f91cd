/// descriptions: what CFCopyDescription returns for sources, timers, observers and containers. A sign replaces numbers that differ from run to run, and
/// the callout, because the original finds some functions' names and ours may find others. A loop's own description is left out, because
/// the order of its sets is that of a hash table. The port in our description of a version 1 source is left out, too: the original (all
/// versions) prints none. [D44]
#include "../Scenario.h"

/// Copies `text` to `out`; writes # for addresses, dates and buckets, and drops what follows "callout = ".
static void normalise(const char *text, char *out) {
    bool isTable = !strncmp(text, "<CFBasicHash", 12);
    while (*text) {
        size_t number = strspn(text, "0123456789abcdefx.+-");
        if (!strncmp(text, "port = ", 7)) {
            text = strstr(text, "context");
        } else if (isTable && *text == '\t') { // the number of a bucket
            text += 1 + strspn(text + 1, "0123456789");
            out += sprintf(out, "\t#");
        } else if (!strncmp(text, "callout = ", 10)) {
            const char *end = strstr(text, ", context"), *brace = strstr(text, "}");
            text = end ? end : brace;
            out += sprintf(out, "callout");
        } else if (!strncmp(text, "0x", 2) && number > 5 && strncmp(text, "0xfffffff,", 10)) {
            text += number;
            *out++ = '#';
        } else if (!strncmp(text, "(nil)", 5)) { // musl prints 0
            text += 5;
            *out++ = '0';
        } else if (*text == '(' && strstr(text, " @ ") && strstr(text, " @ ") < strchr(text, ')')) {
            text = strchr(text, ')') + 1;
            out += sprintf(out, "(in # @ #)");
        } else if (!strncmp(text, "fire date = ", 12)) {
            text += 12 + strspn(text + 12, "0123456789.-e+");
            out += sprintf(out, "fire date = #");
        } else {
            *out++ = *text == '\n' ? '/' : *text;
            text++;
        }
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

#define V(number) ((const void *)(intptr_t)(number))

static CFStringRef describeNumber(const void *number) {
    char text[16];
    snprintf(text, sizeof text, "v%d", (int)(intptr_t)number);
    return CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8);
}

/// Small numbers without a hash stand in any table in their order.
static void containers(void) {
    const void *values[] = {V(1), V(2)};
    CFArrayCallBacks ofArray = {.copyDescription = describeNumber};
    CFSetCallBacks ofSet = {.copyDescription = describeNumber};
    CFBagCallBacks ofBag = {.copyDescription = describeNumber};
    CFDictionaryKeyCallBacks ofKeys = {.copyDescription = describeNumber};
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, &ofArray);
    sayDescription("empty", array);
    for (int i = 0; i < 2; i++) CFArrayAppendValue(array, values[i]);
    sayDescription("array", array);
    CFArrayRef plain = CFArrayCreate(NULL, values, 2, NULL);
    sayDescription("array without callbacks", plain);
    sayDescription("set", CFSetCreate(NULL, values, 1, &ofSet));
    CFMutableBagRef bag = CFBagCreateMutable(NULL, 0, &ofBag);
    for (int i = 0; i < 3; i++) CFBagAddValue(bag, values[i % 2]);
    sayDescription("bag", bag);
    CFMutableDictionaryRef dictionary = CFDictionaryCreateMutable(NULL, 0, &ofKeys, NULL);
    for (int i = 0; i < 2; i++) CFDictionarySetValue(dictionary, values[i], V(16 - i));
    sayDescription("dictionary", dictionary);
    sayDescription("set of an array", CFSetCreate(NULL, (const void **)&plain, 1, &kCFTypeSetCallBacks));
}

SCENARIO(descriptions, onThreads, 0x5d639dff) {
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
        containers();
    });
}
