/// data: CFData: its bytes, equality, and its description.
#include "Scenario.h"

static CFDataRef bytes(const char *text) { return CFDataCreate(NULL, (const UInt8 *)text, (CFIndex)strlen(text)); }

/// Prints a description without the addresses.
static void sayData(const char *title, CFDataRef data) {
    char line[300];
    CFStringRef description = CFCopyDescription(data);
    CFStringGetCString(description, line, sizeof line, kCFStringEncodingUTF8);
    CFRelease(description);
    say("%s: %.7s %s", title, line, strchr(line, '{'));
}

SCENARIO("data", onThreads) {
    UInt8 all[300];
    for (int i = 0; i < 300; i++) all[i] = (UInt8)i;

    part("descriptions");
    for (CFIndex length = 0; length < 40; length++) {
        CFDataRef data = CFDataCreate(NULL, all, length);
        sayData("data", data);
        CFRelease(data);
    }

    part("equality");
    CFDataRef some = CFDataCreate(NULL, all, 5), same = CFDataCreate(NULL, all, 5), more = CFDataCreate(NULL, all, 6);
    say("equal %d, hashes %d, longer one equal %d, types %d", CFEqual(some, same), CFHash(some) == CFHash(same), CFEqual(some, more),
        CFGetTypeID(some) == CFDataGetTypeID());

    part("bytes");
    CFDataRef hello = bytes("hello hello world hello"), none = bytes("");
    say("%.5s, length %ld", (const char *)CFDataGetBytePtr(hello) + 12, CFDataGetLength(hello));
    say("no bytes: length %ld, address %d", CFDataGetLength(none), CFDataGetBytePtr(none) != NULL);
}
