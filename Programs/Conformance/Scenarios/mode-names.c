/// mode-names: any string is a mode name, and equal strings are one mode. (Strings equal to the common modes' name are D14.)
#include "Scenario.h"

static CFStringRef spelled(const char *name) { return CFStringCreateWithCString(NULL, name, kCFStringEncodingUTF8); }

SCENARIO("mode-names", onThreads) {
    onThread(^{
        addSource(spelled(""), "in the empty name", 0, NULL);
        CFRunLoopSourceRef greek = addSource(spelled("τρόπος"), "greek", 0, NULL);
        CFRunLoopSourceRef spaced = addSource(spelled("a b\tc"), "spaced", 0, NULL);
        CFRunLoopSourceRef inDefault = addSource(spelled("kCFRunLoopDefaultMode"), "in default", 0, NULL);
        sayModes(LOOP);
        CFRunLoopSourceSignal(greek);
        CFRunLoopSourceSignal(spaced);
        CFRunLoopSourceSignal(inDefault);
        run(spelled("τρόπος"), 0, false);
        run(spelled("a b\tc"), 0, false);
        run(DEFAULT, 0, false);
        run(spelled(""), 0, false);
        part("a mutable name that changes later");
        CFMutableStringRef name = CFStringCreateMutable(NULL, 0);
        CFStringAppend(name, CFSTR("first"));
        CFRunLoopSourceRef s = addSource(name, "s", 0, NULL);
        CFStringAppend(name, CFSTR(" and more"));
        say("first %d, changed %d", CFRunLoopContainsSource(LOOP, s, CFSTR("first")), CFRunLoopContainsSource(LOOP, s, CFSTR("first and more")));
        part("common, by another spelling of a common mode");
        CFRunLoopAddCommonMode(LOOP, spelled("A"));
        CFRunLoopAddSource(LOOP, s, COMMON);
        say("in A %d", CFRunLoopContainsSource(LOOP, s, A));
        CFRunLoopAddCommonMode(LOOP, A);
        CFRunLoopRemoveSource(LOOP, s, COMMON);
        say("in A %d", CFRunLoopContainsSource(LOOP, s, A));
    });
}
