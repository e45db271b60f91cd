/// boolean: CFBoolean: its two constants, their values and descriptions.
#include "Scenario.h"

static void sayBoolean(const char *title, CFBooleanRef boolean) {
    char described[200];
    CFStringRef description = CFCopyDescription(boolean);
    CFStringGetCString(description, described, sizeof described, kCFStringEncodingUTF8);
    CFRelease(description);
    say("%s: value %d, %.10s%s", title, CFBooleanGetValue(boolean), described, strchr(described, '{'));
}

SCENARIO("boolean", onThreads) {
    sayBoolean("true", kCFBooleanTrue);
    sayBoolean("false", kCFBooleanFalse);
    say("equal %d, type %d, %s", CFEqual(kCFBooleanTrue, kCFBooleanFalse), CFGetTypeID(kCFBooleanTrue) == CFBooleanGetTypeID(),
        text(CFCopyTypeIDDescription(CFBooleanGetTypeID())));
}
