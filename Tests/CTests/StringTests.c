/// StringTests.c: what CFString does here and not in the original. The scenario "strings" of Conformance compares all else with the original.
#include "CTests.h"
#include <CoreFoundation/CoreFoundation.h>

// MARK: - Helpers

/// The string as a C string, with non-ASCII characters spelled out, so that a difference is readable. It is valid for the next three calls.
static const char *spelled(CFStringRef str) {
    static char buffers[4][4096];
    static int turn;
    char *out = buffers[turn++ % 4];
    if (!str) return NULL;
    size_t used = 0;
    for (CFIndex i = 0; i < CFStringGetLength(str) && used < 4000; i++) {
        UniChar unit = CFStringGetCharacterAtIndex(str, i);
        used += (size_t)sprintf(out + used, unit >= 0x20 && unit < 0x7F ? "%c" : "<%04X>", unit);
    }
    out[used] = 0;
    return out;
}

static const char *formatted(CFStringRef format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CFStringRef str = CFStringCreateWithFormatAndArguments(NULL, NULL, format, arguments);
    va_end(arguments);
    const char *text = spelled(str);
    CFRelease(str);
    return text;
}

// MARK: - What the original does otherwise

TEST(CFString_constants_may_have_UTF8, "CFSTR takes bytes beyond ASCII, as UTF-8") {
    CHECK_EQ_INT(CFStringGetLength(CFSTR("h\xC3\xA9")), 2);
    CHECK_EQ_STR(CFStringGetCStringPtr(CFSTR("abc"), kCFStringEncodingASCII), "abc");
}

TEST(CFString_knows_two_encodings, "Bytes are read and written as ASCII or as UTF-8, and in no other encoding") {
    const UInt8 bytes[] = {0, 'a'};
    CFIndex used = 7;
    CHECK_EQ_PTR(CFStringCreateWithBytes(NULL, bytes, 2, 0x10000100, false), NULL); // UTF-16, big-endian
    CHECK_EQ_PTR(CFStringCreateWithCString(NULL, "a", 0x12345), NULL);
    CHECK_EQ_INT(CFStringGetBytes(CFSTR("abc"), CFRangeMake(0, 3), 0x0201, '?', false, NULL, 0, &used), 0); // ISO Latin 1
    CHECK_EQ_INT(used, 0);
}

TEST(CFStringFormat_prints_what_printf_prints, "The conversion %qd, and %p of NULL, print what glibc's printf prints") {
    CHECK_EQ_STR(formatted(CFSTR("%qd %p"), 8LL, NULL), "8 (nil)");
}

TEST(CFStringFormat_has_no_conversion_of_UTF16, "A conversion of UTF-16 aborts and says so") {
    CHECK_HALTS("this library does not have the conversion %C", formatted(CFSTR("%C"), 0xE9));
}

TEST(CFStringFormat_survives_nonsense, "Bytes that are no UTF-8 are replaced, and arguments have no numbers") {
    CHECK_EQ_STR(formatted(CFSTR("%s|%.2s"), "h\xFF", "h\xC3\xA9"), "h<00FF>|h"); // the Linux build prints nothing for either
    CHECK_EQ_STR(formatted(CFSTR("%1$d|"), 3), "1$d|"); // the Linux build prints 3|
}

TEST(CFStringAppendFormat_may_show_itself, "The arguments of a format may include the string that it is appended to") {
    CFMutableStringRef str = CFStringCreateMutableCopy(NULL, 0, CFSTR("ab"));
    CFStringAppendFormat(str, NULL, CFSTR("[%@]%d"), str, 7); // the Linux build prints the brackets twice
    CHECK_EQ_STR(spelled(str), "ab[ab]7");
    CFStringAppend(str, str);
    CHECK_EQ_STR(spelled(str), "ab[ab]7ab[ab]7");
    CFRelease(str);
}

// MARK: - Misuse

TEST(CFString_survives_changing_constants, "Changing an immutable string has no effect and prints a message") {
    CHECK_HALTS("CFStringAppend was given an immutable string", {
        CFStringRef str = CFSTR("constant");
        CFStringAppend((CFMutableStringRef)(void *)str, CFSTR("x"));
        CHECK_EQ_STR(spelled(str), "constant");
        abort();
    });
}

TEST(CFString_halts_outside_of_the_string, "A range outside of the string aborts with the function, the range and the length") {
    CHECK_HALTS("CFStringGetCharacterAtIndex was given the range {3, 1} of a string of length 3",
                CFStringGetCharacterAtIndex(CFSTR("abc"), 3));
    UniChar units[3];
    CHECK_HALTS("CFStringGetCharacters was given the range {2, 9223372036854775807}",
                CFStringGetCharacters(CFSTR("abc"), CFRangeMake(2, LONG_MAX), units));
    CHECK_HALTS("CFStringGetLength was given NULL", CFStringGetLength(NULL));
}

TEST(CFString_names_the_function_that_the_program_called,
     "Bad input aborts with the name of the function that the program called, not of one that this function calls") {
    CHECK_HALTS("CFStringCreateMutableCopy was given NULL", CFStringCreateMutableCopy(NULL, 0, NULL));
    CHECK_HALTS("CFStringAppend was given NULL", CFStringAppend(CFStringCreateMutable(NULL, 0), NULL));
    CHECK_HALTS("CFStringGetBytes was given the range {2, 2} of a string of length 3",
                CFStringGetBytes(CFSTR("abc"), CFRangeMake(2, 2), kCFStringEncodingUTF8, 0, false, NULL, 0, NULL));
}
