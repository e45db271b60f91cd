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

static void checkRange(CFRange range, CFIndex location, CFIndex length) {
    CHECK_EQ_INT(range.location, location);
    CHECK_EQ_INT(range.length, length);
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

TEST(CFString_reads_encodings, "Bytes are read in the given encoding, with and without a byte order mark") {
    CHECK_EQ_STR(made("\xE9", 1, kCFStringEncodingISOLatin1, false), "<00E9>");
    CHECK_EQ_STR(made("\xE9", 1, kCFStringEncodingASCII, false), "<00E9>");
    CHECK_EQ_STR(made("\xEF\xBB\xBF" "a", 4, kCFStringEncodingUTF8, false), "a");
    CHECK_EQ_STR(made("\0a", 2, kCFStringEncodingUTF16BE, false), "a");
    CHECK_EQ_STR(made("a\0", 2, kCFStringEncodingUTF16LE, false), "a");
    CHECK_EQ_STR(made("\xFE\xFF\0a", 4, kCFStringEncodingUTF16, true), "a");
    CHECK_EQ_STR(made("\xFF\xFE" "a\0", 4, kCFStringEncodingUTF16, true), "a");
    CHECK_EQ_STR(made("\0a", 2, kCFStringEncodingUTF16, true), "a");
    CHECK_EQ_STR(made("\x3D\xD8\x00\xDE", 4, kCFStringEncodingUTF16LE, false), "<D83D><DE00>");
    CHECK_EQ_STR(made("\0\x01\xF6\0", 4, kCFStringEncodingUTF32BE, false), "<D83D><DE00>");
    CHECK_EQ_STR(made("\0\x11\0\0", 4, kCFStringEncodingUTF32BE, false), NULL);
    CHECK_EQ_STR(made("a\0b", 3, kCFStringEncodingUTF8, false), "a<0000>b");
}

TEST(CFString_NoCopy_frees_what_it_took, "The NoCopy functions free the contents with the deallocator, but only if they create a string") {
    CFStringRef str = CFStringCreateWithCStringNoCopy(NULL, strdup("text"), kCFStringEncodingUTF8, kCFAllocatorMalloc);
    CHECK_EQ_STR(spelled(str), "text");
    CFRelease(str);
    char *bad = strdup("\xFF");
    CHECK_EQ_PTR(CFStringCreateWithCStringNoCopy(NULL, bad, kCFStringEncodingUTF8, kCFAllocatorMalloc), NULL);
    free(bad);
    str = CFStringCreateWithCharactersNoCopy(NULL, (const UniChar[]){'a', 'b'}, 2, kCFAllocatorNull);
    CHECK_EQ_STR(spelled(str), "ab");
    CFRelease(str);
}

TEST(CFString_joins_surrogate_halves, "Two halves of a surrogate pair that meet are one character, and equal to it in every way") {
    CFMutableStringRef str = CFStringCreateMutable(NULL, 0);
    CFStringAppendCharacters(str, (const UniChar[]){0xD83D}, 1);
    CHECK_EQ_STR(spelled(str), "<D83D>");
    CFStringAppendCharacters(str, (const UniChar[]){0xDE00}, 1);
    CFStringRef emoji = utf8("\xF0\x9F\x98\x80");
    CHECK(CFEqual(str, emoji));
    CHECK_EQ_INT(CFHash(str), CFHash(emoji));
    CFStringInsert(str, 1, CFSTR("-"));
    CHECK_EQ_STR(spelled(str), "<D83D>-<DE00>");
    CFStringDelete(str, CFRangeMake(1, 1));
    CHECK(CFEqual(str, emoji));
    CFStringRef half = CFStringCreateWithSubstring(NULL, emoji, CFRangeMake(1, 1));
    CHECK_EQ_STR(spelled(half), "<DE00>");
    CFRelease(half);
    CFRelease(emoji);
    CFRelease(str);
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
    CHECK_HALTS("CFStringCreateWithSubstring was given the range {2, 9223372036854775807}",
                CFStringCreateWithSubstring(NULL, CFSTR("abc"), CFRangeMake(2, LONG_MAX)));
    CHECK_HALTS("CFStringGetLength was given NULL", CFStringGetLength(NULL));
}

TEST(CFString_names_the_function_that_the_program_called,
     "Bad input aborts with the name of the function that the program called, not of one that this function calls") {
    CHECK_HALTS("CFStringPad was given the range {-1, 4} of a string of length 3",
                CFStringPad(CFStringCreateMutableCopy(NULL, 0, CFSTR("abc")), CFSTR("."), -1, 0));
    CHECK_HALTS("CFStringCreateByCombiningStrings was given NULL", {
        const void *two[] = {CFSTR("a"), CFSTR("b")};
        CFStringCreateByCombiningStrings(NULL, CFArrayCreate(NULL, two, 2, &kCFTypeArrayCallBacks), NULL);
    });
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
    CHECK_EQ_INT(CFStringGetBytes(str, all, kCFStringEncodingISOLatin1, 0, false, NULL, 0, &used), 2);
    CHECK_EQ_INT(CFStringGetBytes(str, all, kCFStringEncodingASCII, '?', false, buffer, 16, &used), 4);
    CHECK(used == 4 && memcmp(buffer, "h???", 4) == 0);
    CHECK_EQ_INT(CFStringGetBytes(str, all, kCFStringEncodingUTF16BE, 0, false, buffer, 7, &used), 3);
    CHECK_EQ_INT(used, 6);
    CHECK_EQ_INT(CFStringGetBytes(str, CFRangeMake(0, 1), kCFStringEncodingUTF16, 0, true, NULL, 0, &used), 1);
    CHECK_EQ_INT(used, 4);
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

TEST(CFStringFormat_prints_objects_and_units, "A format may have objects, NULL, UTF-16 units, positions, and non-ASCII text") {
    const UniChar units[] = {'h', 0xE9, 0xD83D, 0xDE00, 0};
    CHECK_EQ_STR(formatted(CFSTR("%@|%@|%@|%10@"), CFSTR("text"), NULL, kCFNull, CFSTR("x")), "text|(null)|null|x");
    CHECK_EQ_STR(formatted(CFSTR("%C|%S|%.2S|%6S"), 0xE9, units, units, units), "<00E9>|h<00E9><D83D><DE00>|h<00E9>|  h<00E9><D83D><DE00>");
    CHECK_EQ_STR(formatted(CFSTR("%2$@ %1$@ %2$@"), CFSTR("a"), CFSTR("b")), "b a b");
    CHECK_EQ_STR(formatted(CFSTR("%3$s %1$d %2$g"), 5, 1.5, "c"), "c 5 1.5");
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
    CHECK_EQ_STR(formatted(CFSTR("%99999$d|")), "|");
}

TEST(CFStringFormat_is_the_same_in_every_locale, "The decimal point is a point in every locale") {
    setlocale(LC_ALL, "de_DE.UTF-8"); // no effect if the locale is not installed
    CHECK_EQ_STR(formatted(CFSTR("%.1f"), 1.5), "1.5");
    CHECK_EQ_DOUBLE(CFStringGetDoubleValue(CFSTR("1.5")), 1.5, 0.0);
}

TEST(CFStringAppendFormat_may_show_itself, "The arguments of a format may include the string that it is appended to") {
    CFMutableStringRef str = CFStringCreateMutableCopy(NULL, 0, CFSTR("ab"));
    CFStringAppendFormat(str, NULL, CFSTR("[%@]%d"), str, 7); // the original prints the brackets twice
    CHECK_EQ_STR(spelled(str), "ab[ab]7");
    CFStringAppend(str, str);
    CHECK_EQ_STR(spelled(str), "ab[ab]7ab[ab]7");
    CFRelease(str);
}

// MARK: - Comparing and finding

TEST(CFStringCompare_orders, "Comparison works literally, without case, and by number") {
    CHECK_EQ_INT(CFStringCompare(CFSTR("a"), CFSTR("b"), 0), kCFCompareLessThan);
    CHECK_EQ_INT(CFStringCompare(CFSTR("a"), CFSTR("B"), 0), kCFCompareGreaterThan);
    CHECK_EQ_INT(CFStringCompare(CFSTR("ab"), CFSTR("a"), 0), kCFCompareGreaterThan);
    CHECK_EQ_INT(CFStringCompare(CFSTR("ABC"), CFSTR("abc"), kCFCompareCaseInsensitive), kCFCompareEqualTo);
    CHECK_EQ_INT(CFStringCompare(CFSTR("\xC3\x89\xD0\x96"), CFSTR("\xC3\xA9\xD0\xB6"), kCFCompareCaseInsensitive), kCFCompareEqualTo);
    CHECK_EQ_INT(CFStringCompare(CFSTR("I"), CFSTR("\xC4\xB1"), kCFCompareCaseInsensitive), kCFCompareLessThan);
    CHECK_EQ_INT(CFStringCompare(CFSTR("file2"), CFSTR("file10"), kCFCompareNumerically), kCFCompareLessThan);
    CHECK_EQ_INT(CFStringCompare(CFSTR("file02"), CFSTR("file2"), kCFCompareNumerically), kCFCompareEqualTo);
    CHECK_EQ_INT(CFStringCompare(CFSTR("9999999999999999999999"), CFSTR("10000000000000000000000"), kCFCompareNumerically),
                 kCFCompareLessThan);
    CHECK_EQ_INT(CFStringCompareWithOptions(CFSTR("xabx"), CFSTR("ab"), CFRangeMake(1, 2), 0), kCFCompareEqualTo);
}

TEST(CFStringFind_finds,
     "Search works from the first, from the last, at the start, at the end, without case; an empty string is never found") {
    CFStringRef str = CFSTR("abcabcABC");
    checkRange(CFStringFind(str, CFSTR("bc"), 0), 1, 2);
    checkRange(CFStringFind(str, CFSTR("bc"), kCFCompareBackwards), 4, 2);
    checkRange(CFStringFind(str, CFSTR("bc"), kCFCompareBackwards | kCFCompareCaseInsensitive), 7, 2);
    checkRange(CFStringFind(str, CFSTR("bc"), kCFCompareAnchored), kCFNotFound, 0);
    checkRange(CFStringFind(str, CFSTR("C"), kCFCompareAnchored | kCFCompareBackwards), 8, 1);
    checkRange(CFStringFind(str, CFSTR(""), 0), kCFNotFound, 0);
    checkRange(CFStringFind(CFSTR("\xF0\x9F\x98\x80\xC3\xA9"), CFSTR("\xC3\xA9"), 0), 2, 1);
    CHECK(CFStringHasPrefix(str, CFSTR("abc")) && !CFStringHasPrefix(str, CFSTR("bc")) && !CFStringHasPrefix(str, CFSTR("")));
    CHECK(CFStringHasSuffix(str, CFSTR("ABC")) && !CFStringHasSuffix(str, CFSTR("abc")));
}

// MARK: - Changing

TEST(CFStringFindAndReplace_directions, "Replacing works from the start or from the end, everywhere or only in a row of matches") {
    CFMutableStringRef str = CFStringCreateMutableCopy(NULL, 0, CFSTR("AAAAA"));
    CHECK_EQ_INT(CFStringFindAndReplace(str, CFSTR("AA"), CFSTR("B"), CFRangeMake(0, 5), 0), 2);
    CHECK_EQ_STR(spelled(str), "BBA");
    CFStringReplaceAll(str, CFSTR("AAAAA"));
    CHECK_EQ_INT(CFStringFindAndReplace(str, CFSTR("AA"), CFSTR("B"), CFRangeMake(0, 5), kCFCompareBackwards), 2);
    CHECK_EQ_STR(spelled(str), "ABB");
    CFStringReplaceAll(str, CFSTR("AAXAA"));
    CHECK_EQ_INT(CFStringFindAndReplace(str, CFSTR("A"), CFSTR("B"), CFRangeMake(0, 5), kCFCompareAnchored), 2);
    CHECK_EQ_STR(spelled(str), "BBXAA");
    CFRelease(str);
}

TEST(CFString_changes_in_place, "Insert, delete, replace, pad, trim, lower and upper case change a string in place") {
    CFMutableStringRef str = CFStringCreateMutableCopy(NULL, 0, CFSTR("Hello"));
    CFStringInsert(str, 5, CFSTR(" W\xC3\x96rld"));
    CFStringDelete(str, CFRangeMake(0, 1));
    CFStringReplace(str, CFRangeMake(0, 4), CFSTR("J"));
    CHECK_EQ_STR(spelled(str), "J W<00D6>rld");
    CFStringLowercase(str, NULL);
    CHECK_EQ_STR(spelled(str), "j w<00F6>rld");
    CFStringUppercase(str, NULL);
    CHECK_EQ_STR(spelled(str), "J W<00D6>RLD");
    CFStringPad(str, CFSTR("xyz"), 10, 1);
    CHECK_EQ_STR(spelled(str), "J W<00D6>RLDyzx");
    CFStringPad(str, NULL, 1, 0);
    CHECK_EQ_STR(spelled(str), "J");
    CFStringReplaceAll(str, CFSTR(" \n\xC2\xA0" "a b\t"));
    CFStringTrimWhitespace(str);
    CHECK_EQ_STR(spelled(str), "a b");
    CFStringReplaceAll(str, CFSTR("xyxyaxy"));
    CFStringTrim(str, CFSTR("xy"));
    CHECK_EQ_STR(spelled(str), "a");
    CFRelease(str);
}

TEST(CFString_grows_by_steps, "A long string built from many short ones has the right contents") {
    CFMutableStringRef str = CFStringCreateMutable(NULL, 0);
    for (int i = 0; i < 20000; i++) CFStringAppend(str, i % 2 ? CFSTR("abc") : CFSTR("\xE2\x82\xAC"));
    CHECK_EQ_INT(CFStringGetLength(str), 40000);
    CHECK_EQ_INT(CFStringGetCharacterAtIndex(str, 39999), 'c');
    CHECK_EQ_INT(CFStringGetCharacterAtIndex(str, 39996), 0x20AC);
    CFRelease(str);
}

// MARK: - Parts and numbers

TEST(CFString_parts, "A string that is split and joined again is the same") {
    CFArrayRef parts = CFStringCreateArrayBySeparatingStrings(NULL, CFSTR(",a,,b"), CFSTR(","));
    CHECK_EQ_INT(CFArrayGetCount(parts), 4);
    CHECK_EQ_STR(spelled(CFArrayGetValueAtIndex(parts, 0)), "");
    CHECK_EQ_STR(spelled(CFArrayGetValueAtIndex(parts, 3)), "b");
    CFStringRef whole = CFStringCreateByCombiningStrings(NULL, parts, CFSTR(","));
    CHECK(CFEqual(whole, CFSTR(",a,,b")));
    CFRelease(whole);
    CFRelease(parts);
}

TEST(CFString_numbers, "Numbers are read after white space, up to the first other character, within the limits of their type") {
    CHECK_EQ_INT(CFStringGetIntValue(CFSTR(" \t-12abc")), -12);
    CHECK_EQ_INT(CFStringGetIntValue(CFSTR("abc")), 0);
    CHECK_EQ_INT(CFStringGetIntValue(CFSTR("99999999999999999999")), INT32_MAX);
    CHECK_EQ_INT(CFStringGetIntValue(CFSTR("-99999999999999999999")), INT32_MIN);
    CHECK_EQ_DOUBLE(CFStringGetDoubleValue(CFSTR(" -1.5e-3x")), -0.0015, 0.0);
    CHECK_EQ_DOUBLE(CFStringGetDoubleValue(CFSTR("0x10")), 0.0, 0.0);
    CHECK_EQ_DOUBLE(CFStringGetDoubleValue(CFSTR("inf")), 0.0, 0.0);
}

// MARK: - Any input

/// Checks that all functions agree about a string, whatever it was created from.
static void checkString(CFStringRef str) {
    CFIndex length = CFStringGetLength(str);
    UniChar *units = calloc((size_t)length + 1, sizeof(UniChar));
    CFStringGetCharacters(str, CFRangeMake(0, length), units);
    CFStringRef again = CFStringCreateWithCharacters(NULL, units, length);
    CHECK(CFEqual(str, again));
    CHECK_EQ_INT(CFHash(str), CFHash(again));
    CHECK_EQ_INT(CFStringCompare(str, again, 0), kCFCompareEqualTo);
    for (CFIndex i = 0; i < length; i++) CHECK_EQ_INT(CFStringGetCharacterAtIndex(str, i), units[i]);
    CFRelease(again);
    free(units);
}

TEST(CFString_takes_any_bytes, "Random bytes in every encoding, cut and joined at random, make strings about which all functions agree") {
    const CFStringEncoding encodings[] = {kCFStringEncodingUTF8, kCFStringEncodingASCII, kCFStringEncodingISOLatin1,
                                          kCFStringEncodingUTF16, kCFStringEncodingUTF16BE, kCFStringEncodingUTF32LE};
    CFMutableStringRef str = CFStringCreateMutable(NULL, 0);
    srandom(1);
    for (int i = 0; i < 5000; i++) {
        UInt8 bytes[12];
        CFIndex count = random() % 12;
        for (CFIndex k = 0; k < count; k++) bytes[k] = random() % 3 ? (UInt8)(0xD8 + random() % 8) : (UInt8)random();
        CFStringRef part = CFStringCreateWithBytes(NULL, bytes, count, encodings[i % 6], random() % 2);
        if (!part) continue;
        checkString(part);
        CFIndex length = CFStringGetLength(str), at = random() % (length + 1);
        CFStringReplace(str, CFRangeMake(at, random() % (length - at + 1)), part);
        checkString(str);
        CFStringFindAndReplace(str, part, CFSTR("\xF0\x9F\x98\x80"), CFRangeMake(0, CFStringGetLength(str)), kCFCompareCaseInsensitive);
        CFStringUppercase(str, NULL);
        checkString(str);
        CFRelease(part);
    }
    CFRelease(str);
}
