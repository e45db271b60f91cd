/// StringTests.c: CFString. The expected results were compared with the original, unless a case says otherwise.
#include "CTests.h"
#include <CoreFoundation/CoreFoundation.h>

// MARK: - Helpers

static CFStringRef utf8(const char *bytes) {
    CFStringRef str = CFStringCreateWithCString(NULL, bytes, kCFStringEncodingUTF8);
    if (!str) FAIL("not UTF-8");
    return str;
}

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

static const char *made(const char *bytes, CFIndex length, CFStringEncoding encoding, Boolean isExternal) {
    CFStringRef str = CFStringCreateWithBytes(NULL, (const UInt8 *)bytes, length, encoding, isExternal);
    const char *text = spelled(str);
    if (str) CFRelease(str);
    return text;
}

// MARK: - Making

TEST(CFString_length_counts_UTF16_units, "The length counts UTF-16 units: an emoji counts two") {
    CFStringRef str = utf8("h\xC3\xA9\xF0\x9F\x98\x80!");
    CHECK_EQ_INT(CFStringGetLength(str), 5);
    CHECK_EQ_STR(spelled(str), "h<00E9><D83D><DE00>!");
    CHECK_EQ_INT(CFStringGetLength(CFSTR("h\xC3\xA9")), 2); // the original's CFSTR takes ASCII only
    CFRelease(str);
}

TEST(CFString_refuses_invalid_UTF8, "Bytes that are not UTF-8 make no string") {
    const char *bad[] = {"\xFF", "\xC0\x80", "\xC3", "\xE2\x82", "\xED\xA0\xBD", "\xF4\x90\x80\x80", "\xF0\x80\x80\x80", "a\x80"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        CHECK_EQ_PTR(CFStringCreateWithCString(NULL, bad[i], kCFStringEncodingUTF8), NULL);
    }
    CHECK_EQ_PTR(CFStringCreateWithCString(NULL, "a", 0x12345), NULL);
    CHECK_EQ_PTR(CFStringCreateWithBytes(NULL, (const UInt8 *)"a", -1, kCFStringEncodingUTF8, false), NULL);
}

TEST(CFString_reads_encodings, "Bytes are read as ASCII or as UTF-8, with and without a byte order mark; no other encoding is read") {
    CHECK_EQ_STR(made("\xE9", 1, kCFStringEncodingASCII, false), "<00E9>");
    CHECK_EQ_STR(made("\xEF\xBB\xBF" "a", 4, kCFStringEncodingUTF8, false), "a");
    CHECK_EQ_STR(made("\xEF\xBB\xBF", 3, kCFStringEncodingUTF8, true), "");
    CHECK_EQ_STR(made("\0a", 2, 0x10000100, false), NULL); // UTF-16, big-endian
    CHECK_EQ_STR(made("a\0b", 3, kCFStringEncodingUTF8, false), "a<0000>b");
}

TEST(CFString_joins_surrogate_halves, "Two halves of a surrogate pair that meet are one character, and equal to it in every way") {
    CFStringRef emoji = utf8("\xF0\x9F\x98\x80"), high = CFStringCreateWithCharacters(NULL, (const UniChar[]){0xD83D}, 1),
                low = CFStringCreateWithCharacters(NULL, (const UniChar[]){0xDE00}, 1);
    CFMutableStringRef str = CFStringCreateMutableCopy(NULL, 0, high);
    CHECK_EQ_STR(spelled(str), "<D83D>");
    CFStringAppend(str, low);
    CHECK(CFEqual(str, emoji));
    CHECK_EQ_INT(CFHash(str), CFHash(emoji));
    CFStringAppend(str, high);
    CFStringAppend(str, CFSTR("-"));
    CFStringAppend(str, low);
    CHECK_EQ_STR(spelled(str), "<D83D><DE00><D83D>-<DE00>");
    CFMutableStringRef twice = CFStringCreateMutableCopy(NULL, 0, low);
    CFStringAppend(twice, high);
    CFStringAppend(twice, twice);
    CHECK_EQ_STR(spelled(twice), "<DE00><D83D><DE00><D83D>");
    CHECK_EQ_INT(CFStringGetBytes(twice, CFRangeMake(1, 2), kCFStringEncodingUTF8, 0, false, NULL, 0, NULL), 2);
    CFTypeRef all[] = {emoji, high, low, str, twice};
    for (int i = 0; i < 5; i++) CFRelease(all[i]);
}

TEST(CFString_equal_strings_hash_alike, "Constant, made and mutable strings with the same text are equal and hash alike") {
    CFStringRef plain = utf8("kCFRunLoopDefaultMode");
    CFMutableStringRef mutable = CFStringCreateMutableCopy(NULL, 0, plain);
    CHECK(CFEqual(plain, CFSTR("kCFRunLoopDefaultMode")) && CFEqual(mutable, plain));
    CHECK_EQ_INT(CFHash(plain), CFHash(CFSTR("kCFRunLoopDefaultMode")));
    CHECK_EQ_INT(CFHash(plain), CFHash(mutable));
    CHECK(!CFEqual(plain, CFSTR("kCFRunLoopDefaultModf")));
    CFRelease(mutable);
    CFRelease(plain);
}

TEST(CFString_copy_retains_when_it_can, "Copying an immutable string retains it; copying a mutable one creates a new string") {
    CFStringRef plain = utf8("text");
    CFStringRef copy = CFStringCreateCopy(NULL, plain);
    CHECK_EQ_PTR(copy, plain);
    CFMutableStringRef mutable = CFStringCreateMutableCopy(NULL, 2, plain); // the length is a hint, not a limit
    CFStringRef frozen = CFStringCreateCopy(NULL, mutable);
    CFStringAppend(mutable, CFSTR(" and more"));
    CHECK_EQ_STR(spelled(frozen), "text");
    CHECK_EQ_STR(spelled(mutable), "text and more");
    CFRelease(frozen);
    CFRelease(mutable);
    CFRelease(copy);
    CFRelease(plain);
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

// MARK: - To bytes

TEST(CFStringGetBytes_converts_what_fits,
     "Conversion stops where the buffer ends or where the encoding has no character, or inserts the loss byte") {
    CFStringRef str = utf8("h\xC3\xA9\xF0\x9F\x98\x80");
    UInt8 buffer[16];
    CFIndex used;
    CFRange all = CFRangeMake(0, 4);
    CHECK_EQ_INT(CFStringGetBytes(str, all, kCFStringEncodingUTF8, 0, false, buffer, 6, &used), 2);
    CHECK_EQ_INT(used, 3);
    CHECK_EQ_INT(CFStringGetBytes(str, all, kCFStringEncodingASCII, 0, false, NULL, 0, &used), 1);
    CHECK_EQ_INT(CFStringGetBytes(str, all, kCFStringEncodingASCII, '?', false, buffer, 16, &used), 4);
    CHECK(used == 4 && memcmp(buffer, "h???", 4) == 0);
    CHECK_EQ_INT(CFStringGetBytes(str, all, kCFStringEncodingASCII, '?', false, buffer, 3, &used), 3);
    CHECK_EQ_INT(CFStringGetBytes(str, CFRangeMake(3, 1), kCFStringEncodingUTF8, 0, false, buffer, 16, &used), 0); // half of a pair
    CHECK_EQ_INT(CFStringGetBytes(str, all, 0x0201, '?', false, buffer, 16, &used), 0); // ISO Latin 1
    CHECK_EQ_INT(used, 0);
    CFRelease(str);
}

TEST(CFStringGetCString_needs_room_for_the_zero, "A C string is returned completely, with its zero, or not at all") {
    char buffer[8];
    CHECK(!CFStringGetCString(CFSTR("abc"), buffer, 3, kCFStringEncodingUTF8));
    CHECK(CFStringGetCString(CFSTR("abc"), buffer, 4, kCFStringEncodingUTF8));
    CHECK_EQ_STR(buffer, "abc");
    CHECK(!CFStringGetCString(CFSTR("\xC3\xA9"), buffer, 8, kCFStringEncodingASCII));
    CHECK_EQ_STR(CFStringGetCStringPtr(CFSTR("abc"), kCFStringEncodingASCII), "abc");
    CHECK_EQ_INT(CFStringGetMaximumSizeForEncoding(10, kCFStringEncodingUTF8), 30);
}

// MARK: - Formats

TEST(CFStringFormat_prints_what_printf_prints, "Every conversion, flag, width, precision and modifier of printf gives printf's result") {
    CHECK_EQ_STR(formatted(CFSTR("% d|%+d|%05d|%-5d|%+.3d|%#x|%#o|%X"), 3, 3, 3, 3, 3, 255, 8, 255),
                 " 3|+3|00003|3    |+003|0xff|010|FF");
    CHECK_EQ_STR(formatted(CFSTR("%hhd %hd %ld %lld %qd %jd %zd %td"), 300, 70000, 6L, 7LL, 8LL, (intmax_t)9, (size_t)10, (ptrdiff_t)11),
                 "44 4464 6 7 8 9 10 11");
    CHECK_EQ_STR(formatted(CFSTR("%0.09g %10.2f|%-10.2f|%e %.3Lf %a"), 1.0 / 3, 2.5, 2.5, 1.5, 1.5L, 1.5),
                 "0.333333333       2.50|2.50      |1.500000e+00 1.500 0x1.8p+0");
    CHECK_EQ_STR(formatted(CFSTR("%*d|%-*d|%*d|%.*d|%*.*f"), 5, 1, 5, 1, -5, 1, -3, 5, 8, 2, 3.14159), "    1|1    |1    |5|    3.14");
    CHECK_EQ_STR(formatted(CFSTR("%s|%.2s|%5s|%-5s|%s|%c%5c"), "abc", "abc", "abc", "abc", NULL, 'x', 'y'),
                 "abc|ab|  abc|abc  |(null)|x    y");
    CHECK_EQ_STR(formatted(CFSTR("%p|%10p|%-10p|%p"), (void *)0x1234, (void *)0x12, (void *)0x12, NULL), "0x1234|      0x12|0x12      |(nil)");
    CHECK_EQ_STR(formatted(CFSTR("%llu %u %f %f"), -1LL, -1, INFINITY, -INFINITY), "18446744073709551615 4294967295 inf -inf");
}

TEST(CFStringFormat_prints_objects, "A format may have objects, NULL, and non-ASCII text; a conversion of UTF-16 aborts and says so") {
    CHECK_EQ_STR(formatted(CFSTR("%@|%@|%@|%10@"), CFSTR("text"), NULL, CFSTR("more"), CFSTR("x")), "text|(null)|more|x");
    CHECK_HALTS("this library does not have the conversion %C", formatted(CFSTR("%C"), 0xE9));
    CHECK_EQ_STR(formatted(CFSTR("\xC3\xA9%d\xE2\x82\xAC"), 1), "<00E9>1<20AC>");
    CHECK_EQ_STR(formatted(CFSTR("%s"), "h\xC3\xA9"), "h<00E9>");
}

TEST(CFStringFormat_survives_nonsense, "An invalid conversion is printed or left out, and %n writes nothing") {
    int target = 42;
    CHECK_EQ_STR(formatted(CFSTR("%%|abc%")), "%|abc");
    CHECK_EQ_STR(formatted(CFSTR("%y|%d|%l"), 3), "y|3|");
    CHECK_EQ_STR(formatted(CFSTR("%n|%d"), &target, 5), "|5");
    CHECK_EQ_INT(target, 42);
    CHECK_EQ_STR(formatted(CFSTR("%s|%.2s"), "h\xFF", "h\xC3\xA9"), "h<00FF>|h"); // the original prints nothing for either
    CHECK_EQ_STR(formatted(CFSTR("%1$d|"), 3), "1$d|");
}

TEST(CFStringFormat_is_the_same_in_every_locale, "The decimal point is a point in every locale") {
    setlocale(LC_ALL, "de_DE.UTF-8"); // no effect if the locale is not installed
    CHECK_EQ_STR(formatted(CFSTR("%.1f"), 1.5), "1.5");
}

TEST(CFStringAppendFormat_may_show_itself, "The arguments of a format may include the string that it is appended to") {
    CFMutableStringRef str = CFStringCreateMutableCopy(NULL, 0, CFSTR("ab"));
    CFStringAppendFormat(str, NULL, CFSTR("[%@]%d"), str, 7); // the original prints the brackets twice
    CHECK_EQ_STR(spelled(str), "ab[ab]7");
    CFStringAppend(str, str);
    CHECK_EQ_STR(spelled(str), "ab[ab]7ab[ab]7");
    CFRelease(str);
}

// MARK: - Extending

TEST(CFString_grows_by_steps, "A long string built from many short ones has the right contents") {
    CFMutableStringRef str = CFStringCreateMutable(NULL, 0);
    for (int i = 0; i < 20000; i++) CFStringAppend(str, i % 2 ? CFSTR("abc") : CFSTR("\xE2\x82\xAC"));
    CHECK_EQ_INT(CFStringGetLength(str), 40000);
    CHECK_EQ_INT(CFStringGetCharacterAtIndex(str, 39999), 'c');
    CHECK_EQ_INT(CFStringGetCharacterAtIndex(str, 39996), 0x20AC);
    CFRelease(str);
}
