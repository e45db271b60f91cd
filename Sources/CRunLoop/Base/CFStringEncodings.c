/// CFStringEncodings.c: text from bytes, and bytes from text. A Mac has about a hundred encodings,
/// and needs tables for most of them. This file has the encodings that need no table.
#include "CFString_Internal.h"

// MARK: - UTF-8

/// Returns whether `count` continuation bytes follow the lead byte at `p`.
static Boolean __CFUTF8Continues(const uint8_t *p, const uint8_t *end, CFIndex count) {
    if (end - p <= count) return false;
    for (CFIndex i = 1; i <= count; i++) {
        if ((p[i] & 0xC0) != 0x80) return false;
    }
    return true;
}

CFIndex __CFStringReadCharacter(const uint8_t *p, const uint8_t *end, UTF32Char *character) {
    UTF32Char c = p[0];
    *character = c;
    if (c < 0x80) return 1;
    if (c >= 0xC2 && c <= 0xDF && __CFUTF8Continues(p, end, 1)) {
        *character = (c & 0x1F) << 6 | (p[1] & 0x3Fu);
        return 2;
    }
    if ((c & 0xF0) == 0xE0 && __CFUTF8Continues(p, end, 2)) {
        *character = (c & 0x0F) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
        if (*character >= 0x800) return 3;
    } else if (c >= 0xF0 && c <= 0xF4 && __CFUTF8Continues(p, end, 3)) {
        *character = (c & 0x07) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
        if (*character >= 0x10000 && *character <= 0x10FFFF) return 4;
    }
    *character = 0xFFFD; // a truncated or overlong form, or a number above U+10FFFF
    return 1;
}

CFIndex __CFStringWriteCharacter(UTF32Char c, uint8_t out[4]) {
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (uint8_t)(0xC0 | c >> 6);
        out[1] = (uint8_t)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (uint8_t)(0xE0 | c >> 12);
        out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | c >> 18);
    out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (c & 0x3F));
    return 4;
}

CFIndex __CFStringCountUnits(const uint8_t *bytes, CFIndex length) {
    const uint8_t *p = bytes, *end = bytes + length;
    CFIndex units = 0;
    while (p < end) {
        UTF32Char character;
        p += __CFStringReadCharacter(p, end, &character);
        units += __CFCharacterCountUnits(character);
    }
    return units;
}

static Boolean __CFIsSurrogate(UTF32Char c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

// MARK: - The encodings

/// How an encoding is read and written.
typedef struct {
    CFIndex width;       // bytes per unit: 1, 2 or 4; 0 if the encoding is not supported
    Boolean isBigEndian;
    Boolean hasMark;     // a byte order mark may give the byte order, as the name does not
} __CFEncodingForm;

static const Boolean __CFHostIsBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static __CFEncodingForm __CFEncodingGetForm(CFStringEncoding encoding) {
    switch (encoding) {
    case kCFStringEncodingASCII:
    case kCFStringEncodingISOLatin1:
    case kCFStringEncodingUTF8: return (__CFEncodingForm){1, false, false};
    case kCFStringEncodingUTF16: return (__CFEncodingForm){2, __CFHostIsBigEndian, true};
    case kCFStringEncodingUTF16BE: return (__CFEncodingForm){2, true, false};
    case kCFStringEncodingUTF16LE: return (__CFEncodingForm){2, false, false};
    case kCFStringEncodingUTF32: return (__CFEncodingForm){4, __CFHostIsBigEndian, true};
    case kCFStringEncodingUTF32BE: return (__CFEncodingForm){4, true, false};
    case kCFStringEncodingUTF32LE: return (__CFEncodingForm){4, false, false};
    default: return (__CFEncodingForm){0, false, false};
    }
}

Boolean CFStringIsEncodingAvailable(CFStringEncoding encoding) {
    return __CFEncodingGetForm(encoding).width != 0;
}

CFStringEncoding CFStringGetSystemEncoding(void) {
    return kCFStringEncodingUTF8;
}

CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding) {
    CFIndex width = encoding == kCFStringEncodingUTF8 ? 3 : __CFEncodingGetForm(encoding).width;
    CFIndex size;
    if (width == 0 || length < 0 || __builtin_mul_overflow(length, width, &size))
        return kCFNotFound;
    return size;
}

Boolean __CFStringIsASCII(const uint8_t *bytes, CFIndex length, CFStringEncoding encoding) {
    if (__CFEncodingGetForm(encoding).width != 1) return false;
    uint8_t all = 0;
    for (CFIndex i = 0; i < length; i++) all |= bytes[i];
    return all < 0x80;
}

// MARK: - Text from bytes

/// Reads one unit of a form, in its byte order.
static UTF32Char __CFEncodingReadUnit(__CFEncodingForm form, const uint8_t *p) {
    UTF32Char unit = 0;
    for (CFIndex i = 0; i < form.width; i++)
        unit = unit << 8 | p[form.isBigEndian ? i : form.width - 1 - i];
    return unit;
}

/// Sets the byte order from the byte order mark at the start, and returns the length of the mark.
/// Without a mark the order is big-endian, as Unicode says. If the encoding's name gives the order,
/// a mark is text like any other.
static CFIndex __CFEncodingReadMark(__CFEncodingForm *form, const uint8_t *bytes, CFIndex length) {
    if (!form->hasMark) return 0;
    form->isBigEndian = true;
    if (length < form->width) return 0;
    UTF32Char unit = __CFEncodingReadUnit(*form, bytes);
    form->isBigEndian = unit != (form->width == 2 ? 0xFFFE : 0xFFFE0000);
    return form->isBigEndian && unit != 0xFEFF ? 0 : form->width;
}

static Boolean __CFStringAppendUTF8(CFMutableStringRef str, const uint8_t *bytes, CFIndex length) {
    const uint8_t *p = bytes, *end = bytes + length;
    CFIndex units = 0;
    while (p < end) {
        UTF32Char character;
        CFIndex width = __CFStringReadCharacter(p, end, &character);
        if ((character == 0xFFFD && width == 1) || __CFIsSurrogate(character)) return false;
        units += __CFCharacterCountUnits(character);
        p += width;
    }
    __CFStringAppendText(str, bytes, length, units);
    return true;
}

static Boolean __CFStringAppendWide(CFMutableStringRef str, const uint8_t *bytes, CFIndex length,
                                    __CFEncodingForm form) {
    if (form.width == 4 ? length % 4 != 0 : length == 1) return false;
    // Half a UTF-16 unit at the end is ignored, as in the Linux build.
    for (const uint8_t *p = bytes, *end = bytes + length - length % form.width; p < end;
         p += form.width) {
        UTF32Char unit = __CFEncodingReadUnit(form, p);
        if (unit > 0x10FFFF || (form.width == 4 && __CFIsSurrogate(unit))) return false;
        __CFStringAppendCharacter(str, unit);
    }
    return true;
}

Boolean __CFStringAppendBytes(CFMutableStringRef str, const uint8_t *bytes, CFIndex length,
                              CFStringEncoding encoding, Boolean isExternalRepresentation) {
    __CFEncodingForm form = __CFEncodingGetForm(encoding);
    if (form.width > 1) {
        CFIndex mark = isExternalRepresentation ? __CFEncodingReadMark(&form, bytes, length) : 0;
        return __CFStringAppendWide(str, bytes + mark, length - mark, form);
    }
    if (encoding == kCFStringEncodingUTF8) {
        // A mark is skipped even if this is no external representation, as in the Linux build.
        CFIndex mark = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        return __CFStringAppendUTF8(str, bytes + mark, length - mark);
    }
    if (form.width == 0) return false;
    for (CFIndex i = 0; i < length; i++) {
        // The first 256 characters of Unicode are ISO Latin 1. The Linux build reads ASCII the same
        // way.
        __CFStringAppendCharacter(str, bytes[i]);
    }
    return true;
}

// MARK: - Bytes from text

static void __CFEncodingWriteUnit(__CFEncodingForm form, UTF32Char unit, uint8_t *p) {
    for (CFIndex i = 0; i < form.width; i++)
        p[form.isBigEndian ? form.width - 1 - i : i] = (uint8_t)(unit >> (8 * i));
}

/// Writes a character in UTF-16 or UTF-32, and returns its number of bytes.
static CFIndex __CFEncodingWriteWide(__CFEncodingForm form, UTF32Char c, uint8_t out[4]) {
    if (form.width == 4 || c < 0x10000) {
        __CFEncodingWriteUnit(form, c, out);
        return form.width;
    }
    __CFEncodingWriteUnit(form, __CFCharacterGetHighSurrogate(c), out);
    __CFEncodingWriteUnit(form, __CFCharacterGetLowSurrogate(c), out + 2);
    return 4;
}

/// Writes a character, and returns its number of bytes. Returns 0 if the encoding does not have the
/// character.
static CFIndex __CFEncodingWriteCharacter(CFStringEncoding encoding, __CFEncodingForm form,
                                          UTF32Char c, uint8_t out[4]) {
    // UTF-16 can have unpaired surrogates; UTF-8 and UTF-32 cannot.
    if (form.width == 2) return __CFEncodingWriteWide(form, c, out);
    if (encoding == kCFStringEncodingASCII || encoding == kCFStringEncodingISOLatin1) {
        out[0] = (uint8_t)c;
        return c < (encoding == kCFStringEncodingASCII ? 0x80u : 0x100u);
    }
    if (__CFIsSurrogate(c)) return 0;
    return form.width == 4 ? __CFEncodingWriteWide(form, c, out) : __CFStringWriteCharacter(c, out);
}

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
    __CFEncodingForm form = __CFEncodingGetForm(encoding);
    CFIndex units = __CFCharacterCountUnits(character);
    uint8_t out[4];
    CFIndex count = __CFEncodingWriteCharacter(encoding, form, character, out);
    CFIndex pieces = 1;
    if (count == 0) {
        if (lossByte == 0) return 0;
        count = __CFEncodingWriteCharacter(encoding, form, lossByte < 0x80 ? lossByte : '?', out);
        pieces = units;
    } else if (form.width == 2) {
        count = 2; // one surrogate may fit without the other
        pieces = units;
    }
    for (CFIndex i = 0; i < pieces; i++) {
        if (!__CFByteSinkPut(sink, form.width == 2 ? out + 2 * i : out, count))
            return pieces == units ? i : 0;
    }
    return units;
}

/// Converts a text until the sink is full, or the encoding does not have a character. Returns how
/// many units it has converted.
static CFIndex __CFStringConvert(__CFStringText text, CFStringEncoding encoding, UInt8 lossByte,
                                 __CFByteSink *sink) {
    const uint8_t *p = text.bytes, *end = text.bytes + text.length;
    CFIndex done = 0;
    while (p < end) {
        UTF32Char character;
        p += __CFStringReadCharacter(p, end, &character);
        CFIndex units = __CFByteSinkPutCharacter(sink, encoding, character, lossByte);
        done += units;
        if (units != __CFCharacterCountUnits(character)) break;
    }
    return done;
}

CFIndex CFStringGetBytes(CFStringRef theString, CFRange range, CFStringEncoding encoding,
                         UInt8 lossByte, Boolean isExternalRepresentation, UInt8 *buffer,
                         CFIndex maxBufLen, CFIndex *usedBufLen) {
    __CFStringGetTextOfRange(theString, range, __func__);
    __CFEncodingForm form = __CFEncodingGetForm(encoding);
    __CFByteSink sink = {buffer, maxBufLen > 0 ? maxBufLen : 0, 0};
    CFIndex units = 0;
    uint8_t mark[4];
    CFIndex markLength = form.hasMark && isExternalRepresentation
        ? __CFEncodingWriteWide(form, 0xFEFF, mark) : 0;
    if (form.width != 0 && __CFByteSinkPut(&sink, mark, markLength)) {
        CFStringRef part = CFStringCreateWithSubstring(kCFAllocatorSystemDefault, theString, range);
        if (!part) __CF_HAS_NO_MEMORY_LEFT__("a string");
        units = __CFStringConvert(__CFStringGetText(part, __func__), encoding, lossByte, &sink);
        CFRelease(part);
    }
    if (usedBufLen) *usedBufLen = sink.used;
    return units;
}

const char *CFStringGetCStringPtr(CFStringRef theString, CFStringEncoding encoding) {
    __CFStringText text = __CFStringGetText(theString, __func__);
    // A zero within the text would end the C string early.
    if (memchr(text.bytes, 0, (size_t)text.length)) return NULL;
    return __CFStringIsASCII(text.bytes, text.length, encoding) ? (const char *)text.bytes : NULL;
}

Boolean CFStringGetCString(CFStringRef theString, char *buffer, CFIndex bufferSize,
                           CFStringEncoding encoding) {
    __CFStringText text = __CFStringGetText(theString, __func__);
    if (bufferSize < 1 || !buffer) return false;
    __CFByteSink sink = {(UInt8 *)buffer, bufferSize - 1, 0};
    Boolean isWhole = CFStringIsEncodingAvailable(encoding)
        && __CFStringConvert(text, encoding, 0, &sink) == text.units;
    buffer[isWhole ? sink.used : 0] = 0;
    return isWhole;
}
