/// CFStringEncodings.c: text from bytes and text to bytes. A Mac knows some hundred encodings, most
/// of them tables in a library of their own; here are those that need no table.
#include "CFString_Internal.h"
#include "../Names/CFStringEncodings.h"

// MARK: - UTF-8

/// Whether the `count` bytes behind a lead byte are there and are what follows a lead byte.
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
    *character = 0xFFFD; // cut off, spelled longer than need be, or no character at all
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
        units += character >= 0x10000 ? 2 : 1;
    }
    return units;
}

static Boolean __CFIsSurrogate(UTF32Char c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

// MARK: - The encodings

/// How an encoding is to be read and written.
typedef struct {
    CFIndex width;         // bytes a unit: 1, 2, 4; 0: not supported
    Boolean isBigEndian;
    // The byte order is not part of the name, so a byte order mark may tell it.
    Boolean hasMark;
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

// MARK: - From bytes

/// Reads one unit of a form, in its byte order.
static UTF32Char __CFEncodingReadUnit(__CFEncodingForm form, const uint8_t *p) {
    UTF32Char unit = 0;
    for (CFIndex i = 0; i < form.width; i++)
        unit = unit << 8 | p[form.isBigEndian ? i : form.width - 1 - i];
    return unit;
}

/// Takes over the byte order that a mark at the start tells, and returns how long the mark is.
/// Without a mark the big end comes first, says Unicode. Where the encoding's name tells the order,
/// what looks like a mark is text.
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
        units += character >= 0x10000 ? 2 : 1;
        p += width;
    }
    __CFStringAppendText(str, bytes, length, units);
    return true;
}

static Boolean __CFStringAppendWide(CFMutableStringRef str, const uint8_t *bytes, CFIndex length,
                                    __CFEncodingForm form) {
    if (form.width == 4 ? length % 4 != 0 : length == 1) return false;
    // Half a UTF-16 unit at the end is left out, as in the Linux build.
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
        // External or not, as in the Linux build.
        CFIndex mark = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        return __CFStringAppendUTF8(str, bytes + mark, length - mark);
    }
    if (form.width == 0) return false;
    for (CFIndex i = 0; i < length; i++) {
        // The first 256 characters are those of ISO Latin 1; the Linux build reads ASCII so as
        // well.
        __CFStringAppendCharacter(str, bytes[i]);
    }
    return true;
}

// MARK: - To bytes

static void __CFEncodingWriteUnit(__CFEncodingForm form, UTF32Char unit, uint8_t *p) {
    for (CFIndex i = 0; i < form.width; i++)
        p[form.isBigEndian ? form.width - 1 - i : i] = (uint8_t)(unit >> (8 * i));
}

/// Writes a character in a wide form; returns its bytes.
static CFIndex __CFEncodingWriteWide(__CFEncodingForm form, UTF32Char c, uint8_t out[4]) {
    if (form.width == 4 || c < 0x10000) {
        __CFEncodingWriteUnit(form, c, out);
        return form.width;
    }
    __CFEncodingWriteUnit(form, 0xD800 + ((c - 0x10000) >> 10), out);
    __CFEncodingWriteUnit(form, 0xDC00 + ((c - 0x10000) & 0x3FF), out + 2);
    return 4;
}

/// Writes a character in an encoding; returns its bytes, or 0 when the encoding has none for it.
static CFIndex __CFEncodingWriteCharacter(CFStringEncoding encoding, __CFEncodingForm form,
                                          UTF32Char c, uint8_t out[4]) {
    // Halves of pairs are units like any other.
    if (form.width == 2) return __CFEncodingWriteWide(form, c, out);
    if (encoding == kCFStringEncodingASCII || encoding == kCFStringEncodingISOLatin1) {
        out[0] = (uint8_t)c;
        return c < (encoding == kCFStringEncodingASCII ? 0x80u : 0x100u);
    }
    if (__CFIsSurrogate(c)) return 0;
    return form.width == 4 ? __CFEncodingWriteWide(form, c, out) : __CFStringWriteCharacter(c, out);
}

/// Where converted bytes go: a buffer, or nowhere when they are only counted.
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

/// Puts one character into the sink, and returns how many of its units went in. What the encoding
/// has no bytes for becomes `lossByte`, once for each unit.
static CFIndex __CFByteSinkPutCharacter(__CFByteSink *sink, CFStringEncoding encoding,
                                        UTF32Char character, UInt8 lossByte) {
    __CFEncodingForm form = __CFEncodingGetForm(encoding);
    CFIndex units = character >= 0x10000 ? 2 : 1;
    uint8_t out[4];
    CFIndex count = __CFEncodingWriteCharacter(encoding, form, character, out);
    CFIndex pieces = 1;
    if (count == 0) {
        if (lossByte == 0) return 0;
        count = __CFEncodingWriteCharacter(encoding, form, lossByte < 0x80 ? lossByte : '?', out);
        pieces = units;
    } else if (form.width == 2) {
        count = 2; // the halves of a pair go in one by one
        pieces = units;
    }
    for (CFIndex i = 0; i < pieces; i++) {
        if (!__CFByteSinkPut(sink, form.width == 2 ? out + 2 * i : out, count))
            return pieces == units ? i : 0;
    }
    return units;
}

/// Converts until the text or the sink is at its end, or a character has no bytes. Returns the
/// units converted.
static CFIndex __CFStringConvert(__CFStringText text, CFStringEncoding encoding, UInt8 lossByte,
                                 __CFByteSink *sink) {
    const uint8_t *p = text.bytes, *end = text.bytes + text.length;
    CFIndex done = 0;
    while (p < end) {
        UTF32Char character;
        p += __CFStringReadCharacter(p, end, &character);
        CFIndex units = __CFByteSinkPutCharacter(sink, encoding, character, lossByte);
        done += units;
        if (units != (character >= 0x10000 ? 2 : 1)) break;
    }
    return done;
}

CFIndex CFStringGetBytes(CFStringRef theString, CFRange range, CFStringEncoding encoding,
                         UInt8 lossByte,
                         Boolean isExternalRepresentation, UInt8 *buffer, CFIndex maxBufLen,
                             CFIndex *usedBufLen) {
    __CFStringText text = __CFStringGetTextOfRange(theString, range, "CFStringGetBytes");
    __CFEncodingForm form = __CFEncodingGetForm(encoding);
    __CFByteSink sink = {buffer, maxBufLen > 0 ? maxBufLen : 0, 0};
    CFIndex units = 0;
    uint8_t mark[4];
    CFIndex markLength = form.hasMark && isExternalRepresentation
        ? __CFEncodingWriteWide(form, 0xFEFF, mark) : 0;
    if (form.width != 0 && __CFByteSinkPut(&sink, mark, markLength)) {
        CFStringRef part = CFStringCreateWithSubstring(kCFAllocatorSystemDefault, theString, range);
        if (!part) __CF_HAS_NO_MEMORY_LEFT__("a string");
        text = __CFStringGetText(part, "CFStringGetBytes");
        units = __CFStringConvert(text, encoding, lossByte, &sink);
        CFRelease(part);
    }
    if (usedBufLen) *usedBufLen = sink.used;
    return units;
}

const char *CFStringGetCStringPtr(CFStringRef theString, CFStringEncoding encoding) {
    __CFStringText text = __CFStringGetText(theString, "CFStringGetCStringPtr");
    // A zero inside of the text would end the C string early.
    if (memchr(text.bytes, 0, (size_t)text.length)) return NULL;
    return __CFStringIsASCII(text.bytes, text.length, encoding) ? (const char *)text.bytes : NULL;
}

Boolean CFStringGetCString(CFStringRef theString, char *buffer, CFIndex bufferSize,
                           CFStringEncoding encoding) {
    __CFStringText text = __CFStringGetText(theString, "CFStringGetCString");
    if (bufferSize < 1 || !buffer) return false;
    __CFByteSink sink = {(UInt8 *)buffer, bufferSize - 1, 0};
    Boolean isWhole = CFStringIsEncodingAvailable(encoding)
        && __CFStringConvert(text, encoding, 0, &sink) == text.units;
    buffer[isWhole ? sink.used : 0] = 0;
    return isWhole;
}
