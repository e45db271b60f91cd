/// data: CFData, immutable and mutable: its bytes after each change, equality, and its description.
#include "Scenario.h"

static CFDataRef bytes(const char *text) { return CFDataCreate(NULL, (const UInt8 *)text, (CFIndex)strlen(text)); }

/// Prints a description from the length on, without the capacity of a mutable one, which depends on how its memory grows.
static void sayData(const char *title, CFDataRef data) {
    char line[300];
    CFStringRef description = CFCopyDescription(data);
    CFStringGetCString(description, line, sizeof line, kCFStringEncodingUTF8);
    CFRelease(description);
    char *length = strstr(line, "{length"), *contents = strstr(line, ", bytes");
    *strchr(length, ',') = 0;
    say("%s: %.7s %s%s", title, line, length, contents);
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

    part("changes");
    CFMutableDataRef data = CFDataCreateMutable(NULL, 0);
    sayData("empty", data);
    CFDataAppendBytes(data, all, 5);
    sayData("appended", data);
    CFDataSetLength(data, 10);
    sayData("longer", data);
    CFDataSetLength(data, 4);
    CFDataSetLength(data, 6);
    sayData("shorter, then longer", data);
    CFDataGetMutableBytePtr(data)[1] = 'y';
    sayData("changed in place", data);
    CFDataAppendBytes(data, CFDataGetBytePtr(data), 6);
    sayData("its own bytes appended", data);
    for (int i = 0; i < 10; i++) CFDataAppendBytes(data, all, 300);
    say("length %ld, byte 2999: %d", CFDataGetLength(data), CFDataGetBytePtr(data)[2999]);
    CFMutableDataRef limited = CFDataCreateMutable(NULL, 4);
    CFDataAppendBytes(limited, all, 4);
    sayData("as many as its capacity", limited);

    part("copies");
    CFDataRef copy = CFDataCreateCopy(NULL, limited), copyOfCopy = CFDataCreateCopy(NULL, copy);
    CFMutableDataRef mutableCopy = CFDataCreateMutableCopy(NULL, 0, copy);
    CFDataGetMutableBytePtr(limited)[0] = 'z';
    sayData("copy", copy);
    say("copy is itself %d, equal %d, hashes %d, of the changed one %d", copyOfCopy == copy, CFEqual(copy, mutableCopy),
        CFHash(copy) == CFHash(mutableCopy), CFEqual(copy, limited));
    CFDataAppendBytes(mutableCopy, all, 1);
    say("longer one equal %d, types %d %d", CFEqual(copy, mutableCopy), CFGetTypeID(copy) == CFDataGetTypeID(),
        CFGetTypeID(mutableCopy) == CFDataGetTypeID());

    part("parts");
    CFDataRef hello = bytes("hello hello world hello");
    UInt8 part[6] = {0};
    CFDataGetBytes(hello, CFRangeMake(12, 5), part);
    say("%s", (char *)part);
    say("no bytes: %d, of a mutable one: %d", CFDataGetBytePtr(bytes("")) != NULL, CFDataGetBytePtr(CFDataCreateMutable(NULL, 0)) != NULL);
}
