/// CFStringEncodings.c: text from bytes, and bytes from text. A Mac has about a hundred encodings.
/// The names of modes and the descriptions of a loop need two: ASCII and UTF-8.
#include "CFString_Internal.h"

// MARK: - UTF-8

CFIndex __CFStringReadCharacter(const uint8_t *p, const uint8_t *end, UTF32Char *character) {
    static const UTF32Char least[] = {0, 0, 0x80, 0x800, 0x10000}; // by the number of bytes
    CFIndex width = p[0] < 0x80 ? 1 : p[0] < 0xC0 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3
        : p[0] < 0xF8 ? 4 : 0;
    Boolean isWhole = width > 0 && end - p >= width;
    UTF32Char c = width == 1 ? p[0] : p[0] & (0x7Fu >> width);
    for (CFIndex i = 1; isWhole && i < width; i++) {
        isWhole = (p[i] & 0xC0) == 0x80;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    // An overlong form is not UTF-8, because each character has only one form.
    Boolean isCharacter = isWhole && c >= least[width] && c <= 0x10FFFF;
    *character = isCharacter ? c : 0xFFFD;
    return isCharacter ? width : 1;
}

CFIndex __CFStringWriteCharacter(UTF32Char c, uint8_t out[4]) {
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    CFIndex width = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (CFIndex i = width - 1; i > 0; i--, c >>= 6) out[i] = (uint8_t)(0x80 | (c & 0x3F));
    out[0] = (uint8_t)(leads[width] | c);
    return width;
}

static Boolean __CFIsSurrogate(UTF32Char c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

CFIndex __CFStringCountUnits(const uint8_t *bytes, CFIndex length, Boolean *isValid) {
    const uint8_t *p = bytes, *end = bytes + length;
    CFIndex units = 0;
    Boolean isUTF8 = true;
    while (p < end) {
        UTF32Char character;
        CFIndex width = __CFStringReadCharacter(p, end, &character);
        if ((character == 0xFFFD && width == 1) || __CFIsSurrogate(character)) isUTF8 = false;
        units += __CFCharacterCountUnits(character);
        p += width;
    }
    if (isValid) *isValid = isUTF8;
    return units;
}

// MARK: - Text from bytes

static CFStringRef __CFStringCreateWithUTF8(CFAllocatorRef alloc, const UInt8 *bytes,
                                            CFIndex length) {
    // A byte order mark is skipped even if this is no external representation, as in the Linux
    // build.
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        bytes += 3;
        length -= 3;
    }
    Boolean isValid;
    __CFStringText text = {bytes, length, __CFStringCountUnits(bytes, length, &isValid)};
    return isValid ? __CFStringCreateWithText(alloc, text) : NULL;
}

static Boolean __CFIsASCII(const uint8_t *bytes, CFIndex length) {
    uint8_t all = 0;
    for (CFIndex i = 0; i < length; i++) all |= bytes[i];
    return all < 0x80;
}

/// Reads bytes from 0x80 up as ISO Latin 1, the first 256 characters of Unicode, as the Linux build
/// does.
static CFStringRef __CFStringCreateWithASCII(CFAllocatorRef alloc, const UInt8 *bytes,
                                             CFIndex length) {
    if (__CFIsASCII(bytes, length))
        return __CFStringCreateWithText(alloc, (__CFStringText){bytes, length, length});
    CFMutableStringRef str = CFStringCreateMutable(alloc, length);
    if (!str) return NULL;
    for (CFIndex i = 0; i < length; i++) __CFStringAppendCharacter(str, bytes[i]);
    return __CFStringFreeze(str);
}

CFStringRef CFStringCreateWithBytes(CFAllocatorRef alloc, const UInt8 *bytes, CFIndex numBytes,
                                    CFStringEncoding encoding, Boolean isExternalRepresentation) {
    if (numBytes < 0 || (!bytes && numBytes > 0)) return NULL;
    switch (encoding) {
    case kCFStringEncodingUTF8: return __CFStringCreateWithUTF8(alloc, bytes, numBytes);
    case kCFStringEncodingASCII: return __CFStringCreateWithASCII(alloc, bytes, numBytes);
    default: return NULL;
    }
}

CFStringRef CFStringCreateWithCString(CFAllocatorRef alloc, const char *cStr,
                                      CFStringEncoding encoding) {
    if (!cStr) return NULL;
    return CFStringCreateWithBytes(alloc, (const UInt8 *)cStr, (CFIndex)strlen(cStr), encoding,
                                   false);
}

// MARK: - Bytes from text

/// The buffer for converted bytes. If it is NULL, the bytes are only counted.
typedef struct {
    UInt8 *buffer;
    CFIndex size, used;
} __CFByteSink;

static Boolean __CFByteSinkPut(__CFByteSink *sink, const uint8_t *bytes, CFIndex count) {
    if (sink->buffer) {
        if (count > sink->size - sink->used) return false;
        memcpy(sink->buffer + sink->used, bytes, (size_t)count);
    }
    sink->used += count;
    return true;
}

/// Converts one character, and returns how many of its units fit. A character that the encoding
/// does not have becomes `lossByte`, once for each unit; it does not fit if `lossByte` is 0.
static CFIndex __CFByteSinkPutCharacter(__CFByteSink *sink, CFStringEncoding encoding,
                                        UTF32Char character, UInt8 lossByte) {
    CFIndex units = __CFCharacterCountUnits(character);
    Boolean isKnown = encoding == kCFStringEncodingUTF8 ? !__CFIsSurrogate(character)
        : character < 0x80;
    uint8_t out[4] = {lossByte < 0x80 ? lossByte : '?'};
    if (isKnown)
        return __CFByteSinkPut(sink, out, __CFStringWriteCharacter(character, out)) ? units : 0;
    for (CFIndex i = 0; i < units; i++) {
        if (lossByte == 0 || !__CFByteSinkPut(sink, out, 1)) return i;
    }
    return units;
}

static Boolean __CFEncodingIsKnown(CFStringEncoding encoding) {
    return encoding == kCFStringEncodingUTF8 || encoding == kCFStringEncodingASCII;
}

CFIndex CFStringGetBytes(CFStringRef theString, CFRange range, CFStringEncoding encoding,
                         UInt8 lossByte, Boolean isExternalRepresentation, UInt8 *buffer,
                         CFIndex maxBufLen, CFIndex *usedBufLen) {
    __CFStringWalk walk = __CFStringWalkBegin(theString, range, __func__);
    __CFByteSink sink = {buffer, maxBufLen > 0 ? maxBufLen : 0, 0};
    UTF32Char character;
    CFIndex done = 0;
    while (__CFEncodingIsKnown(encoding) && __CFStringWalkNext(&walk, &character)) {
        CFIndex units = __CFByteSinkPutCharacter(&sink, encoding, character, lossByte);
        done += units;
        if (units < __CFCharacterCountUnits(character)) break;
    }
    if (usedBufLen) *usedBufLen = sink.used;
    return done;
}

CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding) {
    CFIndex width = encoding == kCFStringEncodingUTF8 ? 3 : 1, size = 0;
    Boolean fits = length >= 0 && !__builtin_mul_overflow(length, width, &size);
    return fits && __CFEncodingIsKnown(encoding) ? size : kCFNotFound;
}

const char *CFStringGetCStringPtr(CFStringRef theString, CFStringEncoding encoding) {
    __CFStringText text = __CFStringGetText(theString, __func__);
    if (!__CFEncodingIsKnown(encoding) || !__CFIsASCII(text.bytes, text.length)) return NULL;
    // A zero within the text would end the C string early.
    return memchr(text.bytes, 0, (size_t)text.length) ? NULL : (const char *)text.bytes;
}

Boolean CFStringGetCString(CFStringRef theString, char *buffer, CFIndex bufferSize,
                           CFStringEncoding encoding) {
    __CFStringText text = __CFStringGetText(theString, __func__);
    if (bufferSize < 1 || !buffer) return false;
    CFIndex used = 0, units = CFStringGetBytes(theString, CFRangeMake(0, text.units), encoding, 0,
                                               false, (UInt8 *)buffer, bufferSize - 1, &used);
    Boolean isWhole = __CFEncodingIsKnown(encoding) && units == text.units;
    buffer[isWhole ? used : 0] = 0;
    return isWhole;
}

void __CFStringCopyTruncated(CFStringRef string, char *text, CFIndex size) {
    CFIndex used = 0;
    if (string)
        CFStringGetBytes(string, CFRangeMake(0, CFStringGetLength(string)), kCFStringEncodingUTF8,
                         '?', false, (UInt8 *)text, size - 1, &used);
    text[used] = 0;
}
