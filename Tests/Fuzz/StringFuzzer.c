/// StringFuzzer.c: strings of any bytes in any encoding, and of any UTF-16 units; and strings that are appended to one another.
///
/// An input is a digit for the encoding, and two texts, parted by a bar. `1Hello, |world`: UTF-8.
#include "Fuzz.h"

static const CFStringEncoding encodings[] = {kCFStringEncodingASCII, kCFStringEncodingUTF8, 0x12345678}; // the last: unknown
enum { encodingCount = sizeof(encodings) / sizeof(encodings[0]) };

static bool isKnown(CFStringEncoding encoding) { return encoding != encodings[encodingCount - 1]; }

static CFRange all(CFStringRef string) { return CFRangeMake(0, CFStringGetLength(string)); }

// MARK: - From bytes and to bytes

/// A byte order mark at the start of UTF-8 is left out when it is read, so it does not come back.
static Boolean comesBack(CFStringRef string, CFStringEncoding encoding) {
    return encoding != kCFStringEncodingUTF8 || CFStringGetLength(string) == 0 || CFStringGetCharacterAtIndex(string, 0) != 0xFEFF;
}

/// What an encoding can hold comes back from it, in a buffer that is exactly as long as was said, or longer than need be.
static void checkRoundTrip(CFStringRef string, CFStringEncoding encoding) {
    CFIndex needed = -1, used = -1, length = CFStringGetLength(string);
    CFIndex units = CFStringGetBytes(string, all(string), encoding, 0, false, NULL, 0, &needed);
    UInt8 *bytes = malloc((size_t)needed + 1);
    HOLDS(CFStringGetBytes(string, all(string), encoding, 0, false, bytes, needed, &used) == units && used == needed);
    HOLDS(isKnown(encoding) || (units == 0 && needed == 0));
    HOLDS(units <= length && needed <= 3 * length);
    CFStringRef again = CFStringCreateWithBytes(NULL, bytes, needed, encoding, false);
    if (units == length && isKnown(encoding)) {
        HOLDS(needed <= CFStringGetMaximumSizeForEncoding(length, encoding));
        HOLDS(again && (!comesBack(string, encoding) || CFEqual(again, string)));
    }
    if (again) CFRelease(again);
    if (needed > 0 && bytes) { // one byte too few
        HOLDS(CFStringGetBytes(string, all(string), encoding, 0, false, bytes, needed - 1, &used) <= units && used < needed);
    }
    CFStringGetBytes(string, all(string), encoding, '?', false, bytes, needed, &used);
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

// MARK: - Strings and one another

/// The units of a part are those of the whole, wherever it is cut, even through a surrogate pair; and the parts together are the whole.
static void checkCut(CFStringRef string, CFIndex at) {
    CFIndex length = CFStringGetLength(string);
    UniChar *units = malloc((size_t)length * sizeof(UniChar) + 1);
    CFStringGetCharacters(string, CFRangeMake(0, at), units);
    CFStringGetCharacters(string, CFRangeMake(at, length - at), units + at);
    CFStringRef front = CFStringCreateWithCharacters(NULL, units, at), back = CFStringCreateWithCharacters(NULL, units + at, length - at);
    HOLDS(CFStringGetLength(front) == at);
    CFMutableStringRef whole = CFStringCreateMutableCopy(NULL, 0, front);
    CFStringAppend(whole, back);
    HOLDS(CFEqual(whole, string) && CFHash(whole) == CFHash(string));
    CFTypeRef made[] = {front, back, whole};
    for (int i = 0; i < 3; i++) CFRelease(made[i]);
    free(units);
}

static void checkAppending(CFStringRef a, CFStringRef b) {
    CFMutableStringRef both = CFStringCreateMutableCopy(NULL, 0, a);
    CFStringAppend(both, b);
    CFIndex length = CFStringGetLength(both);
    HOLDS(length == CFStringGetLength(a) + CFStringGetLength(b));
    CFStringAppend(both, both);
    HOLDS(CFStringGetLength(both) == 2 * length);
    checkUnits(both);
    CFStringRef copy = CFStringCreateCopy(NULL, both);
    HOLDS(CFEqual(copy, both) && CFHash(copy) == CFHash(both));
    CFRelease(copy);
    CFRelease(both);
}

// MARK: - An input

static CFStringRef copyPiece(CFStringEncoding encoding, const uint8_t *start, const uint8_t *end) {
    CFIndex count = end - start;
    UInt8 *bytes = malloc((size_t)count); // its end is the end of its memory, so that reading on is noticed
    memcpy(bytes, start, (size_t)count);
    CFStringRef string = CFStringCreateWithBytes(NULL, bytes, count, encoding, false);
    // Bytes that are not valid are UTF-16.
    if (!string) string = CFStringCreateWithCharacters(NULL, (const UniChar *)(void *)bytes, count / 2);
    free(bytes);
    return string;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    const uint8_t *end = data + size, *bar = memchr(data + 1, '|', size - 1);
    CFStringEncoding encoding = encodings[(uint8_t)(data[0] - '0') % encodingCount];
    CFStringRef a = copyPiece(encoding, data + 1, bar ? bar : end), b = copyPiece(encoding, bar ? bar + 1 : end, end);
    for (int i = 0; i < encodingCount; i++) {
        checkRoundTrip(a, encodings[i]);
        checkCString(a, encodings[i]);
    }
    checkUnits(a);
    CFIndex length = CFStringGetLength(a);
    for (CFIndex at = 0; at <= length; at += 1 + length / 8) checkCut(a, at);
    checkAppending(a, b);
    CFRelease(a);
    CFRelease(b);
    return 0;
}
