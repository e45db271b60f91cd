/// mode-names: any string is a mode name, and equal strings are one mode. (Strings equal to the common modes' name are D14.) The common modes' name
/// is one in which no run does anything, even if a block has made a mode of that name.
#include "../Scenario.h"

static CFStringRef spelled(const char *name) { return CFStringCreateWithCString(NULL, name, kCFStringEncodingUTF8); }

SCENARIO(mode_names, onThreads, 0x6b4b610d) {
    OnNewThread(^{
        AddSource0("in the empty name", 0, spelled(""), NULL);
        CFRunLoopSourceRef greek = AddSource0("greek", 0, spelled("τρόπος"), NULL);
        CFRunLoopSourceRef spaced = AddSource0("spaced", 0, spelled("a b\tc"), NULL);
        CFRunLoopSourceRef inDefault = AddSource0("in default", 0, spelled("kCFRunLoopDefaultMode"), NULL);
        LogModes(LOOP);
        CFRunLoopSourceSignal(greek);
        CFRunLoopSourceSignal(spaced);
        CFRunLoopSourceSignal(inDefault);
        Run(spelled("τρόπος"), 0, false);
        Run(spelled("a b\tc"), 0, false);
        Run(DEFAULT, 0, false);
        Run(spelled(""), 0, false);
        PART("a mutable name that changes later");
        CFMutableStringRef name = CFStringCreateMutable(NULL, 0);
        CFStringAppend(name, CFSTR("first"));
        CFRunLoopSourceRef s = AddSource0("s", 0, name, NULL);
        CFStringAppend(name, CFSTR(" and more"));
        LOG("first %d, changed %d", CFRunLoopContainsSource(LOOP, s, CFSTR("first")), CFRunLoopContainsSource(LOOP, s, CFSTR("first and more")));
        PART("common, by another spelling of a common mode");
        CFRunLoopAddCommonMode(LOOP, spelled("A"));
        CFRunLoopAddSource(LOOP, s, COMMON);
        LOG("in A %d", CFRunLoopContainsSource(LOOP, s, A));
        CFRunLoopAddCommonMode(LOOP, A);
        CFRunLoopRemoveSource(LOOP, s, COMMON);
        LOG("in A %d", CFRunLoopContainsSource(LOOP, s, A));
        PART("a run in the common modes");
        CFRunLoopAddSource(LOOP, s, COMMON);
        Run(COMMON, 0.1, false);
        QueueBlock("not performed there", COMMON, NULL);
        Run(COMMON, 0.1, false);
        LogModes(LOOP);
    });
}
