/// uuid: CFUUID: identifiers from bytes and from strings, among them strings of another form; one object for the same bytes.
#include "Scenario.h"

#define SIXTEEN(last) 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, last

SCENARIO("uuid", onThreads) {
    CFUUIDRef uuid = CFUUIDCreateWithBytes(NULL, SIXTEEN(0xfe));
    say("%s", text(CFUUIDCreateString(NULL, uuid)));
    char described[200];
    CFStringGetCString(CFCopyDescription(uuid), described, sizeof described, kCFStringEncodingUTF8);
    say("%.7s ... %s", described, strchr(described, '>'));

    part("the same object");
    CFUUIDBytes bytes = CFUUIDGetUUIDBytes(uuid);
    say("%d %d", bytes.byte0, bytes.byte15);
    CFUUIDRef same = CFUUIDCreateFromUUIDBytes(NULL, bytes), constant = CFUUIDGetConstantUUIDWithBytes(NULL, SIXTEEN(0xfe));
    CFUUIDRef spelled = CFUUIDCreateFromString(NULL, CFSTR("01020304-0506-0708-090A-0B0C0D0E0FFE"));
    CFUUIDRef other = CFUUIDCreateWithBytes(NULL, SIXTEEN(0xff));
    say("%d %d %d %d", same == uuid, constant == uuid, spelled == uuid, other == uuid);
    say("%d %d %d", CFEqual(uuid, same), CFEqual(uuid, other), CFHash(uuid) == CFHash(same));
    CFRelease(same);
    CFRelease(spelled);
    CFRelease(uuid);
    say("%s", text(CFUUIDCreateString(NULL, CFUUIDGetConstantUUIDWithBytes(NULL, SIXTEEN(0xfe)))));

    part("new ones");
    CFUUIDRef first = CFUUIDCreate(NULL), second = CFUUIDCreate(NULL);
    bytes = CFUUIDGetUUIDBytes(first);
    say("version %d, variant %d, equal %d", bytes.byte6 >> 4, bytes.byte8 >> 6, CFEqual(first, second));
    say("%d, %s", CFGetTypeID(first) == CFUUIDGetTypeID(), text(CFCopyTypeIDDescription(CFUUIDGetTypeID())));

    part("spelled in other ways");
    static const char *const strings[] = {
        "01020304-0506-0708-090a-0b0c0d0e0ffe", "010203040506-0708-090a-0b0c0d0e0ffe", "0102", "01020304-0506-0708-090a-0b0c0d0e0ffeXX",
        "zz020304-0506-0708-090a-0b0c0d0e0ffe", " 01020304-0506-0708-090a-0b0c0d0e0ffe", "{01020304-0506-0708-090a-0b0c0d0e0ffe}", "",
        "01020304-0506-0708-090a-0b0c0d0e0f", "01020304-0506-0708-090a-0b0c0d0e0ff", "0102030405060708090a0b0c0d0e0ffe", "012", "1",
        "0102-03", "zzz", "-", "g1", "12345678-9", "\xc3\xa9 0102",
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        CFUUIDRef one = CFUUIDCreateFromString(NULL, CFSTR(strings[i]));
        say("%s: %s", strings[i], one ? text(CFUUIDCreateString(NULL, one)) : "none");
        if (one) CFRelease(one);
    }
    say("NULL: %d", CFUUIDCreateFromString(NULL, NULL) != NULL);
}
