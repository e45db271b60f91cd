/// StringFuzzer.c: strings of any bytes in any encoding; and what strings do with one another.
///
/// An input is a digit for the encoding, a letter for the options, and three pieces parted by bars: a text, what to look for in it, and what
/// to put in its place. `2aHello, world|o|0`: UTF-8, no options.
#include "Fuzz.h"

static const CFStringEncoding encodings[] = {
    kCFStringEncodingASCII, kCFStringEncodingISOLatin1, kCFStringEncodingUTF8, kCFStringEncodingUTF16, kCFStringEncodingUTF16BE,
    kCFStringEncodingUTF16LE, kCFStringEncodingUTF32, kCFStringEncodingUTF32BE, kCFStringEncodingUTF32LE, 0x12345678, // the last: unknown
};
enum { encodingCount = sizeof(encodings) / sizeof(encodings[0]) };

/// One input, taken apart.
typedef struct {
    CFStringEncoding encoding;
    CFStringCompareFlags options;
    Boolean isExternal;
    CFStringRef text, what, replacement;
} Input;

static CFRange all(CFStringRef string) { return CFRangeMake(0, CFStringGetLength(string)); }

static CFStringRef copyPart(CFStringRef string, CFIndex from, CFIndex to) {
    return CFStringCreateWithSubstring(NULL, string, CFRangeMake(from, to - from));
}

static Boolean isReplaced(CFStringRef string, CFMutableStringRef copy) {
    Boolean isSame = CFEqual(string, copy);
    CFRelease(copy);
    return !isSame;
}

// MARK: - From bytes and to bytes

/// A byte order mark at the start of UTF-8 is left out when it is read, so it does not come back.
static Boolean comesBack(CFStringRef string, CFStringEncoding encoding) {
    return encoding != kCFStringEncodingUTF8 || CFStringGetLength(string) == 0 || CFStringGetCharacterAtIndex(string, 0) != 0xFEFF;
}

/// What an encoding can hold comes back from it, in a buffer that is exactly as long as was said, or longer than need be.
static void checkRoundTrip(CFStringRef string, CFStringEncoding encoding, Boolean isExternal) {
    CFIndex needed = -1, used = -1, length = CFStringGetLength(string);
    CFIndex units = CFStringGetBytes(string, all(string), encoding, 0, isExternal, NULL, 0, &needed);
    UInt8 *bytes = malloc((size_t)needed + 1);
    HOLDS(CFStringGetBytes(string, all(string), encoding, 0, isExternal, bytes, needed, &used) == units && used == needed);
    HOLDS(CFStringIsEncodingAvailable(encoding) || (units == 0 && needed == 0));
    HOLDS(units <= length && needed <= 4 + 4 * length);
    CFStringRef again = CFStringCreateWithBytes(NULL, bytes, needed, encoding, isExternal);
    if (units == length && CFStringIsEncodingAvailable(encoding)) {
        HOLDS(needed <= CFStringGetMaximumSizeForEncoding(length, encoding) + 4);
        HOLDS(again && (!comesBack(string, encoding) || CFEqual(again, string)));
    }
    if (again) CFRelease(again);
    if (needed > 0 && bytes) { // one byte too few
        HOLDS(CFStringGetBytes(string, all(string), encoding, 0, isExternal, bytes, needed - 1, &used) <= units && used < needed);
    }
    CFStringGetBytes(string, all(string), encoding, '?', isExternal, bytes, needed, &used);
    HOLDS(used <= needed);
    free(bytes);
}

static void checkCString(CFStringRef string, CFStringEncoding encoding) {
    CFIndex size = 4 * CFStringGetLength(string) + 1;
    char *bytes = malloc((size_t)size);
    Boolean fits = CFStringGetCString(string, bytes, size, encoding);
    HOLDS(fits || bytes[0] == 0);
    const char *own = CFStringGetCStringPtr(string, encoding);
    HOLDS(!own || (fits && strcmp(own, bytes) == 0));
    HOLDS(!CFStringGetCString(string, bytes, 0, encoding));
    free(bytes);
}

static void checkUnits(CFStringRef string) {
    CFIndex length = CFStringGetLength(string);
    UniChar *units = malloc((size_t)length * sizeof(UniChar) + 1);
    CFStringGetCharacters(string, all(string), units);
    CFStringRef again = CFStringCreateWithCharacters(NULL, units, length);
    HOLDS(CFEqual(again, string) && CFHash(again) == CFHash(string));
    for (CFIndex i = 0; i < length; i += 1 + length / 16) HOLDS(CFStringGetCharacterAtIndex(string, i) == units[i]);
    CFRelease(again);
    free(units);
}

// MARK: - Parts

/// Cut anywhere, even through a surrogate pair, and put together again.
static void checkCut(CFStringRef string, CFIndex at) {
    CFStringRef front = copyPart(string, 0, at), back = copyPart(string, at, CFStringGetLength(string));
    HOLDS(CFStringGetLength(front) == at);
    CFMutableStringRef whole = CFStringCreateMutableCopy(NULL, 0, front);
    CFStringAppend(whole, back);
    HOLDS(CFEqual(whole, string) && CFHash(whole) == CFHash(string));
    CFStringDelete(whole, CFRangeMake(0, at));
    HOLDS(CFEqual(whole, back));
    CFStringInsert(whole, 0, front);
    HOLDS(!isReplaced(string, whole));
    CFRelease(front);
    CFRelease(back);
}

/// Taken apart at each place of the separator and put together with it again.
static void checkSeparating(CFStringRef string, CFStringRef separator, CFIndex places) {
    CFArrayRef parts = CFStringCreateArrayBySeparatingStrings(NULL, string, separator);
    CFStringRef whole = CFStringCreateByCombiningStrings(NULL, parts, separator);
    HOLDS(CFArrayGetCount(parts) == places + 1);
    HOLDS(CFEqual(whole, string));
    CFRelease(parts);
    CFRelease(whole);
}

// MARK: - Comparing and searching

static void checkComparing(const Input *input) {
    CFStringRef a = input->text, b = input->what;
    HOLDS(CFStringCompare(a, a, input->options) == kCFCompareEqualTo);
    HOLDS(CFStringCompare(a, b, input->options) == -CFStringCompare(b, a, input->options));
    HOLDS((CFStringCompare(a, b, 0) == kCFCompareEqualTo) == (CFEqual(a, b) != 0));
    HOLDS(!CFEqual(a, b) || CFHash(a) == CFHash(b));
}

static void checkFinding(const Input *input) {
    CFRange found = {-1, -1};
    Boolean isThere = CFStringFindWithOptions(input->text, input->what, all(input->text), input->options, &found);
    if (!isThere) return;
    HOLDS(found.location >= 0 && found.length == CFStringGetLength(input->what) && found.length > 0);
    CFStringRef part = copyPart(input->text, found.location, found.location + found.length);
    HOLDS(CFStringCompare(part, input->what, input->options & kCFCompareCaseInsensitive) == kCFCompareEqualTo);
    CFRelease(part);
    CFRange first = CFStringFind(input->text, input->what, input->options & kCFCompareCaseInsensitive);
    HOLDS(first.location != kCFNotFound && first.location <= found.location);
}

static void checkReplacing(const Input *input) {
    CFMutableStringRef copy = CFStringCreateMutableCopy(NULL, 0, input->text);
    CFIndex places = CFStringFindAndReplace(copy, input->what, input->what, all(copy), 0);
    HOLDS(CFEqual(copy, input->text)); // by itself
    HOLDS((places > 0) == (CFStringFind(input->text, input->what, 0).location != kCFNotFound));
    CFIndex length = CFStringGetLength(copy), grows = CFStringGetLength(input->replacement) - CFStringGetLength(input->what);
    places = CFStringFindAndReplace(copy, input->what, input->replacement, all(copy), input->options);
    HOLDS(CFStringGetLength(copy) == length + places * grows);
    CFRelease(copy);
    copy = CFStringCreateMutableCopy(NULL, 0, input->text);
    checkSeparating(input->text, input->what, CFStringFindAndReplace(copy, input->what, CFSTR(""), all(copy), 0));
    CFRelease(copy);
}

// MARK: - Changing

static void checkLetters(CFStringRef string) {
    CFMutableStringRef copy = CFStringCreateMutableCopy(NULL, 0, string);
    CFStringUppercase(copy, NULL);
    CFStringLowercase(copy, NULL);
    HOLDS(CFStringGetLength(copy) == CFStringGetLength(string));
    CFStringTrimWhitespace(copy);
    HOLDS(CFStringGetLength(copy) <= CFStringGetLength(string));
    CFRelease(copy);
}

static void checkPadding(const Input *input) {
    CFIndex length = CFStringGetLength(input->text), padLength = CFStringGetLength(input->what);
    CFMutableStringRef copy = CFStringCreateMutableCopy(NULL, 0, input->text);
    if (padLength > 0) {
        CFStringPad(copy, input->what, length + 3, (CFIndex)(CFHash(input->text) % (CFHashCode)padLength));
        HOLDS(CFStringGetLength(copy) == length + 3);
        CFStringPad(copy, NULL, length, 0);
        HOLDS(CFEqual(copy, input->text));
    }
    CFStringTrim(copy, input->what);
    HOLDS(padLength == 0 || !CFStringHasPrefix(copy, input->what));
    HOLDS(padLength == 0 || !CFStringHasSuffix(copy, input->what));
    CFStringAppend(copy, copy);
    CFStringReplaceAll(copy, input->replacement);
    HOLDS(!isReplaced(input->replacement, copy));
}

/// The whole number that was read is read again from its own digits.
static void checkNumbers(CFStringRef string) {
    SInt32 number = CFStringGetIntValue(string);
    CFStringRef digits = CFStringCreateWithFormat(NULL, NULL, CFSTR(" %d"), (int)number);
    HOLDS(CFStringGetIntValue(digits) == number);
    CFRelease(digits);
    CFStringGetDoubleValue(string);
}

// MARK: - An input

static CFStringRef copyPiece(const Input *input, const uint8_t **data, const uint8_t *end) {
    const uint8_t *bar = memchr(*data, '|', (size_t)(end - *data)), *stop = bar ? bar : end;
    CFIndex count = stop - *data;
    UInt8 *bytes = malloc((size_t)count); // its end is the end of its memory, so that reading on is noticed
    memcpy(bytes, *data, (size_t)count);
    CFStringRef string = CFStringCreateWithBytes(NULL, bytes, count, input->encoding, input->isExternal);
    free(bytes);
    *data = bar ? bar + 1 : end;
    return string ? string : CFSTR("");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const uint8_t *rest = data + 2, *end = data + size;
    int letter = data[1] - 'a';
    Input input = {.encoding = encodings[(uint8_t)(data[0] - '0') % encodingCount], .isExternal = letter & 1,
                   .options = (CFStringCompareFlags)((letter >> 1 & 1) | (letter >> 1 & 2) << 1 | (letter >> 1 & 4) << 1 | (letter >> 1 & 8) << 3)};
    input.text = copyPiece(&input, &rest, end);
    input.what = copyPiece(&input, &rest, end);
    input.replacement = copyPiece(&input, &rest, end);
    for (int i = 0; i < encodingCount; i++) {
        checkRoundTrip(input.text, encodings[i], input.isExternal);
        checkCString(input.text, encodings[i]);
    }
    checkUnits(input.text);
    CFIndex length = CFStringGetLength(input.text);
    for (CFIndex at = 0; at <= length; at += 1 + length / 8) checkCut(input.text, at);
    checkComparing(&input);
    checkFinding(&input);
    checkReplacing(&input);
    checkLetters(input.text);
    checkPadding(&input);
    checkNumbers(input.text);
    CFStringRef strings[] = {input.text, input.what, input.replacement};
    for (int i = 0; i < 3; i++) CFRelease(strings[i]);
    return 0;
}
