/// CFString.c: strings as objects: their text, and how to create, read and change them.
/// CFString_Internal.h explains how a string stores its text. On a Mac the text is stored
/// differently, and many of these functions also work on Objective-C strings.
#include "CFString_Internal.h"

// MARK: - Diagnoses

__attribute__((noinline))
void __CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__(const char *function, CFRange range,
                                                          CFIndex length) {
    __CFHalt("%s was given the range {%ld, %ld} of a string of length %ld. Compare with "
             "CFStringGetLength first.", function, range.location, range.length, length);
}

Boolean __CFStringMayChange(CFMutableStringRef str, const char *function) {
    if (CF_UNLIKELY(!str)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(function);
    if (CF_LIKELY(__CFRuntimeGetFlag(str, __kCFStringIsMutable))) return true;
    __CFWarn("%s was given an immutable string, and has not changed it. Change a copy made by "
             "CFStringCreateMutableCopy.", function);
    return false;
}

// MARK: - The text of a string

__CFStringText __CFStringGetText(CFStringRef str, const char *function) {
    if (CF_UNLIKELY(!str)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(function);
    Boolean knowsUnits = __CFRuntimeGetFlag(str, __kCFStringKnowsUnits);
    return (__CFStringText){str->_ptr, str->_length, knowsUnits ? str->_units
                            : __CFStringCountUnits(str->_ptr, str->_length)};
}

__CFStringText __CFStringGetTextOfRange(CFStringRef str, CFRange range, const char *function) {
    __CFStringText text = __CFStringGetText(str, function);
    // The sum of location and length could overflow, so this does not compute it.
    Boolean isInside = range.location >= 0 && range.length >= 0 && range.location <= text.units
        && range.length <= text.units - range.location;
    if (CF_UNLIKELY(!isInside))
        __CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__(function, range, text.units);
    return text;
}

/// Where a unit is in the text: at which character, and whether it is the low surrogate of that
/// character.
typedef struct {
    const uint8_t *p;
    Boolean isLowSurrogate;
} __CFStringPlace;

static __CFStringPlace __CFStringFindUnit(__CFStringText text, CFIndex unit) {
    if (text.units == text.length) return (__CFStringPlace){text.bytes + unit, false};
    const uint8_t *p = text.bytes, *end = text.bytes + text.length;
    while (unit > 0 && p < end) {
        UTF32Char character;
        CFIndex width = __CFStringReadCharacter(p, end, &character);
        CFIndex units = __CFCharacterCountUnits(character);
        if (unit < units) return (__CFStringPlace){p, true};
        unit -= units;
        p += width;
    }
    return (__CFStringPlace){p, false};
}

void __CFStringGetUnits(__CFStringText text, CFRange range, UniChar *buffer) {
    if (range.length == 0) return;
    __CFStringPlace place = __CFStringFindUnit(text, range.location);
    const uint8_t *p = place.p, *end = text.bytes + text.length;
    CFIndex count = 0;
    while (count < range.length) {
        UTF32Char character = 0xFFFD; // if a constant is not UTF-8, and ends early
        if (p < end) p += __CFStringReadCharacter(p, end, &character);
        if (character < 0x10000) {
            buffer[count++] = (UniChar)character;
            continue;
        }
        if (!place.isLowSurrogate) buffer[count++] = __CFCharacterGetHighSurrogate(character);
        if (count < range.length) buffer[count++] = __CFCharacterGetLowSurrogate(character);
        place.isLowSurrogate = false; // the range can begin inside its first character only
    }
}

// MARK: - Appending text

/// Makes room for `more` bytes and the zero. The capacity grows by half each time, so that each
/// byte is copied only a few times, even if bytes are appended one by one.
static void __CFStringReserve(CFMutableStringRef str, CFIndex more) {
    CFIndex needed;
    if (__builtin_add_overflow(str->_length, more + 1, &needed))
        __CF_HAS_NO_MEMORY_LEFT__("a string");
    if (needed <= str->_capacity) return;
    CFIndex capacity = str->_capacity < LONG_MAX / 2 ? str->_capacity + str->_capacity / 2 : needed;
    if (capacity < needed) capacity = needed < 32 ? 32 : needed;
    void *bytes = CFAllocatorReallocate(CFGetAllocator(str), (void *)str->_ptr, capacity, 0);
    if (!bytes) __CF_HAS_NO_MEMORY_LEFT__("a string");
    str->_ptr = bytes;
    str->_capacity = capacity;
}

/// Returns the bytes of a mutable string for writing.
static uint8_t *__CFStringGetBytesForWriting(CFMutableStringRef str) {
    return (uint8_t *)str->_ptr;
}

/// Returns the unpaired surrogate in the three bytes at `p`, or 0 if they are something else.
static UniChar __CFStringReadSurrogate(const uint8_t *p) {
    if (p[0] != 0xED || (p[1] & 0xE0) != 0xA0 || (p[2] & 0xC0) != 0x80) return 0;
    return (UniChar)(0xD000 | ((p[1] & 0x3F) << 6) | (p[2] & 0x3F));
}

/// Returns whether the string ends with a high surrogate and `bytes` begin with a low one.
/// `*character` is the character that they form.
static Boolean __CFStringSurrogatesMeet(CFStringRef str, const uint8_t *bytes, CFIndex length,
                                        UTF32Char *character) {
    if (length < 3 || str->_length < 3 || bytes[0] != 0xED) return false;
    UniChar high = __CFStringReadSurrogate(str->_ptr + str->_length - 3);
    UniChar low = __CFStringReadSurrogate(bytes);
    if (!CFStringIsSurrogateHighCharacter(high) || !CFStringIsSurrogateLowCharacter(low))
        return false;
    *character = CFStringGetLongCharacterForSurrogatePair(high, low);
    return true;
}

void __CFStringAppendText(CFMutableStringRef str, const uint8_t *bytes, CFIndex length,
                          CFIndex units) {
    UTF32Char character;
    __CFStringReserve(str, length);
    if (__CFStringSurrogatesMeet(str, bytes, length, &character)) {
        // The high surrogate's three bytes become the character's four.
        uint8_t *end = __CFStringGetBytesForWriting(str) + str->_length;
        str->_length += __CFStringWriteCharacter(character, end - 3) - 3;
        bytes += 3;
        length -= 3;
    }
    if (length > 0) memcpy(__CFStringGetBytesForWriting(str) + str->_length, bytes, (size_t)length);
    str->_length += length;
    str->_units += units;
    __CFStringGetBytesForWriting(str)[str->_length] = 0;
}

void __CFStringAppendCharacter(CFMutableStringRef str, UTF32Char character) {
    uint8_t bytes[4];
    CFIndex length = __CFStringWriteCharacter(character, bytes);
    __CFStringAppendText(str, bytes, length, __CFCharacterCountUnits(character));
}

void __CFStringAppendSlice(CFMutableStringRef str, __CFStringText text, CFRange range) {
    if (range.length == 0) return;
    __CFStringPlace from = __CFStringFindUnit(text, range.location);
    __CFStringPlace to = __CFStringFindUnit(text, range.location + range.length);
    const uint8_t *end = text.bytes + text.length;
    UTF32Char character;
    CFIndex units = range.length - from.isLowSurrogate - to.isLowSurrogate;
    if (from.isLowSurrogate) {
        from.p += __CFStringReadCharacter(from.p, end, &character);
        __CFStringAppendCharacter(str, __CFCharacterGetLowSurrogate(character));
    }
    __CFStringAppendText(str, from.p, to.p - from.p, units);
    if (to.isLowSurrogate) {
        __CFStringReadCharacter(to.p, end, &character);
        __CFStringAppendCharacter(str, __CFCharacterGetHighSurrogate(character));
    }
}

void __CFStringAppendUnits(CFMutableStringRef str, const UniChar *units, CFIndex count) {
    __CFStringReserve(str, count); // enough for ASCII
    for (CFIndex i = 0; i < count; i++) __CFStringAppendCharacter(str, units[i]);
}

// MARK: - The class

static void __CFStringFinalize(CFTypeRef cf) {
    CFStringRef str = cf;
    if (__CFRuntimeGetFlag(cf, __kCFStringOwnsBytes))
        CFAllocatorDeallocate(CFGetAllocator(cf), (void *)str->_ptr);
}

/// Equal strings have equal bytes: see CFString_Internal.h.
static Boolean __CFStringEqual(CFTypeRef cf1, CFTypeRef cf2) {
    CFStringRef str1 = cf1, str2 = cf2;
    return str1->_length == str2->_length
        && memcmp(str1->_ptr, str2->_ptr, (size_t)str1->_length) == 0;
}

/// Reads eight bytes at a time, because each run of a loop hashes the name of its mode.
static CFHashCode __CFStringHash(CFTypeRef cf) {
    CFStringRef str = cf;
    const uint8_t *p = str->_ptr;
    uint64_t hash = (uint64_t)str->_length * 0x9E3779B97F4A7C15, word;
    CFIndex left = str->_length;
    for (; left >= 8; left -= 8, p += 8) {
        memcpy(&word, p, 8);
        hash = (hash ^ word) * 0xFF51AFD7ED558CCD;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, p, (size_t)left);
    hash = (hash ^ word) * 0xFF51AFD7ED558CCD;
    return (CFHashCode)(hash ^ (hash >> 32));
}

static CFStringRef __CFStringCopyFormattingDescription(CFTypeRef cf,
                                                       CFDictionaryRef formatOptions) {
    return CFStringCreateCopy(kCFAllocatorSystemDefault, cf);
}

static CFStringRef __CFStringCopyDescription(CFTypeRef cf) {
    return CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                    CFSTR("<CFString %p [%p]>{contents = \"%@\"}"), cf,
                                    CFGetAllocator(cf), cf);
}

static const CFRuntimeClass __CFStringClass = {
    .typeID = _kCFRuntimeIDCFString,
    .className = "CFString",
    .finalize = __CFStringFinalize,
    .equal = __CFStringEqual,
    .hash = __CFStringHash,
    .copyFormattingDesc = __CFStringCopyFormattingDescription,
    .copyDebugDesc = __CFStringCopyDescription,
};

CFTypeID CFStringGetTypeID(void) {
    return _kCFRuntimeIDCFString;
}

// MARK: - Creating strings

/// Creates an immutable string, whose text follows the struct in the same memory.
static CFStringRef __CFStringCreateWithText(CFAllocatorRef alloc, const uint8_t *bytes,
                                            CFIndex length, CFIndex units) {
    CFMutableStringRef str = (CFMutableStringRef)_CFRuntimeCreateInstance(
        alloc, &__CFStringClass, offsetof(struct __CFString, _text) + (size_t)length + 1);
    if (!str) return NULL;
    uint8_t *text = str->_text;
    if (length > 0) memcpy(text, bytes, (size_t)length);
    str->_ptr = text; // a zero follows it, because a new object is filled with zeros
    str->_length = length;
    str->_units = units;
    __CFRuntimeSetFlag(str, __kCFStringKnowsUnits, true);
    return str;
}

CFMutableStringRef CFStringCreateMutable(CFAllocatorRef alloc, CFIndex maxLength) {
    CFMutableStringRef str = (CFMutableStringRef)_CFRuntimeCreateInstance(alloc, &__CFStringClass,
        sizeof(struct __CFString));
    if (!str) return NULL;
    // A large hint is ignored. There are always some bytes, because the text ends with a zero.
    CFIndex capacity = maxLength > 0 && maxLength < 1024 ? maxLength + 1 : 32;
    uint8_t *bytes = CFAllocatorAllocate(CFGetAllocator(str), capacity, 0);
    if (!bytes) {
        CFRelease(str);
        return NULL;
    }
    bytes[0] = 0;
    str->_ptr = bytes;
    str->_capacity = capacity;
    __CFRuntimeSetFlag(str, __kCFStringKnowsUnits, true);
    __CFRuntimeSetFlag(str, __kCFStringIsMutable, true);
    __CFRuntimeSetFlag(str, __kCFStringOwnsBytes, true);
    return str;
}

CFStringRef __CFStringFreeze(CFMutableStringRef str) {
    __CFRuntimeSetFlag(str, __kCFStringIsMutable, false);
    return str;
}

CFMutableStringRef __CFDescriptionCreateMutable(CFAllocatorRef allocator) {
    CFMutableStringRef description = CFStringCreateMutable(allocator, 0);
    if (!description) __CF_HAS_NO_MEMORY_LEFT__("a description");
    return description;
}

CFMutableStringRef CFStringCreateMutableCopy(CFAllocatorRef alloc, CFIndex maxLength,
                                             CFStringRef theString) {
    __CFStringText text = __CFStringGetText(theString, __func__);
    CFMutableStringRef copy = CFStringCreateMutable(alloc, maxLength > text.length ? maxLength
                                                    : text.length);
    if (copy) __CFStringAppendText(copy, text.bytes, text.length, text.units);
    return copy;
}

CFStringRef CFStringCreateCopy(CFAllocatorRef alloc, CFStringRef theString) {
    __CFStringText text = __CFStringGetText(theString, __func__);
    if (!alloc) alloc = CFAllocatorGetDefault();
    // An immutable string from the same allocator is its own copy. So is a constant, which no
    // allocator has allocated.
    Boolean isConstant = !__CFRuntimeGetFlag(theString, __kCFStringKnowsUnits);
    Boolean isMutable = __CFRuntimeGetFlag(theString, __kCFStringIsMutable);
    if (isConstant || (!isMutable && CFGetAllocator(theString) == alloc))
        return CFRetain(theString);
    return __CFStringCreateWithText(alloc, text.bytes, text.length, text.units);
}

CFStringRef CFStringCreateWithSubstring(CFAllocatorRef alloc, CFStringRef str, CFRange range) {
    __CFStringText text = __CFStringGetTextOfRange(str, range, __func__);
    if (range.length == text.units) return CFStringCreateCopy(alloc, str);
    if (text.units == text.length)
        return __CFStringCreateWithText(alloc, text.bytes + range.location, range.length,
                                        range.length);
    CFMutableStringRef slice = CFStringCreateMutable(alloc, 0);
    if (!slice) return NULL;
    __CFStringAppendSlice(slice, text, range);
    return __CFStringFreeze(slice);
}

CFStringRef CFStringCreateWithBytes(CFAllocatorRef alloc, const UInt8 *bytes, CFIndex numBytes,
                                    CFStringEncoding encoding, Boolean isExternalRepresentation) {
    if (numBytes < 0 || (!bytes && numBytes > 0)) return NULL;
    if (__CFStringIsASCII(bytes, numBytes, encoding))
        return __CFStringCreateWithText(alloc, bytes, numBytes, numBytes);
    CFMutableStringRef str = CFStringCreateMutable(alloc, numBytes);
    if (!str) return NULL;
    CFStringRef result = NULL;
    // The copy takes one allocation instead of two, and has no unused bytes.
    if (__CFStringAppendBytes(str, bytes, numBytes, encoding, isExternalRepresentation))
        result = __CFStringCreateWithText(alloc, str->_ptr, str->_length, str->_units);
    CFRelease(str);
    return result;
}

CFStringRef CFStringCreateWithCString(CFAllocatorRef alloc, const char *cStr,
                                      CFStringEncoding encoding) {
    if (!cStr) return NULL;
    return CFStringCreateWithBytes(alloc, (const UInt8 *)cStr, (CFIndex)strlen(cStr), encoding,
                                   false);
}

CFStringRef CFStringCreateWithCharacters(CFAllocatorRef alloc, const UniChar *chars,
                                         CFIndex numChars) {
    if (numChars < 0 || (!chars && numChars > 0)) return NULL;
    CFMutableStringRef str = CFStringCreateMutable(alloc, numChars);
    if (!str) return NULL;
    __CFStringAppendUnits(str, chars, numChars);
    return __CFStringFreeze(str);
}

/// Ends a NoCopy function. These functions copy too, because a string stores its text as UTF-8. If
/// the string was created, this frees the caller's bytes. Otherwise the caller still owns them.
static CFStringRef __CFStringFreeContents(CFStringRef str, const void *contents,
                                          CFAllocatorRef contentsDeallocator) {
    if (str) CFAllocatorDeallocate(contentsDeallocator, (void *)contents);
    return str;
}

CFStringRef CFStringCreateWithCStringNoCopy(CFAllocatorRef alloc, const char *cStr,
                                            CFStringEncoding encoding,
                                            CFAllocatorRef contentsDeallocator) {
    return __CFStringFreeContents(CFStringCreateWithCString(alloc, cStr, encoding), cStr,
                                  contentsDeallocator);
}

CFStringRef CFStringCreateWithBytesNoCopy(CFAllocatorRef alloc, const UInt8 *bytes,
                                          CFIndex numBytes, CFStringEncoding encoding,
                                          Boolean isExternalRepresentation,
                                          CFAllocatorRef contentsDeallocator) {
    CFStringRef str = CFStringCreateWithBytes(alloc, bytes, numBytes, encoding,
                                              isExternalRepresentation);
    return __CFStringFreeContents(str, bytes, contentsDeallocator);
}

CFStringRef CFStringCreateWithCharactersNoCopy(CFAllocatorRef alloc, const UniChar *chars,
                                               CFIndex numChars,
                                               CFAllocatorRef contentsDeallocator) {
    return __CFStringFreeContents(CFStringCreateWithCharacters(alloc, chars, numChars), chars,
                                  contentsDeallocator);
}

// MARK: - Reading strings

CFIndex CFStringGetLength(CFStringRef theString) {
    return __CFStringGetText(theString, __func__).units;
}

UniChar CFStringGetCharacterAtIndex(CFStringRef theString, CFIndex idx) {
    CFRange range = CFRangeMake(idx, 1);
    __CFStringText text = __CFStringGetTextOfRange(theString, range, __func__);
    UniChar unit;
    __CFStringGetUnits(text, range, &unit);
    return unit;
}

void CFStringGetCharacters(CFStringRef theString, CFRange range, UniChar *buffer) {
    __CFStringGetUnits(__CFStringGetTextOfRange(theString, range, __func__), range, buffer);
}

const UniChar *CFStringGetCharactersPtr(CFStringRef theString) {
    return NULL;
}

// MARK: - Changing strings

void CFStringAppendCharacters(CFMutableStringRef theString, const UniChar *chars,
                              CFIndex numChars) {
    if (__CFStringMayChange(theString, __func__) && numChars > 0)
        __CFStringAppendUnits(theString, chars, numChars);
}

void CFStringAppendCString(CFMutableStringRef theString, const char *cStr,
                           CFStringEncoding encoding) {
    if (!__CFStringMayChange(theString, __func__)) return;
    CFStringRef appended = CFStringCreateWithCString(kCFAllocatorSystemDefault, cStr, encoding);
    if (!appended) return;
    CFStringAppend(theString, appended);
    CFRelease(appended);
}

/// Truncates the string to `units` units. If that splits a surrogate pair, the high surrogate
/// stays.
static void __CFStringTruncate(CFMutableStringRef str, CFIndex units) {
    __CFStringText text = {str->_ptr, str->_length, str->_units};
    __CFStringPlace place = __CFStringFindUnit(text, units);
    UTF32Char character = 0;
    if (place.isLowSurrogate)
        __CFStringReadCharacter(place.p, text.bytes + text.length, &character);
    str->_length = place.p - str->_ptr;
    str->_units = units - place.isLowSurrogate;
    __CFStringGetBytesForWriting(str)[str->_length] = 0;
    if (place.isLowSurrogate)
        __CFStringAppendCharacter(str, __CFCharacterGetHighSurrogate(character));
}

/// Replaces a valid range. It copies the text after the range, truncates the string, and appends
/// the replacement and the copy. This is slower than moving the bytes, but it is correct if
/// surrogate pairs are split or joined.
static void __CFStringReplaceText(CFMutableStringRef str, CFRange range, CFStringRef replacement) {
    CFIndex end = range.location + range.length, length = str->_units;
    CFStringRef tail = end == length ? NULL
        : CFStringCreateWithSubstring(kCFAllocatorSystemDefault, str,
                                      CFRangeMake(end, length - end));
    if (!tail && end < length) __CF_HAS_NO_MEMORY_LEFT__("a string");
    if (range.location < length) __CFStringTruncate(str, range.location);
    __CFStringText added = __CFStringGetText(replacement, "CFStringReplace");
    __CFStringAppendText(str, added.bytes, added.length, added.units);
    if (!tail) return;
    __CFStringAppendText(str, tail->_ptr, tail->_length, tail->_units);
    CFRelease(tail);
}

/// Checks the arguments, and replaces the range. The replacement may be `str` itself, so it is
/// copied first. The copy of an immutable string is the string itself, retained.
static void __CFStringReplace(CFMutableStringRef str, CFRange range, CFStringRef replacement,
                              const char *function) {
    __CFStringGetTextOfRange(str, range, function);
    if (CF_UNLIKELY(!replacement)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(function);
    replacement = CFStringCreateCopy(kCFAllocatorSystemDefault, replacement);
    if (!replacement) __CF_HAS_NO_MEMORY_LEFT__("a string");
    __CFStringReplaceText(str, range, replacement);
    CFRelease(replacement);
}

void CFStringAppend(CFMutableStringRef theString, CFStringRef appendedString) {
    if (!__CFStringMayChange(theString, __func__)) return;
    __CFStringReplace(theString, CFRangeMake(theString->_units, 0), appendedString, __func__);
}

void CFStringInsert(CFMutableStringRef str, CFIndex idx, CFStringRef insertedStr) {
    if (__CFStringMayChange(str, __func__))
        __CFStringReplace(str, CFRangeMake(idx, 0), insertedStr, __func__);
}

void CFStringDelete(CFMutableStringRef theString, CFRange range) {
    if (__CFStringMayChange(theString, __func__))
        __CFStringReplace(theString, range, CFSTR(""), __func__);
}

void CFStringReplace(CFMutableStringRef theString, CFRange range, CFStringRef replacement) {
    if (__CFStringMayChange(theString, __func__))
        __CFStringReplace(theString, range, replacement, __func__);
}

void CFStringReplaceAll(CFMutableStringRef theString, CFStringRef replacement) {
    if (!__CFStringMayChange(theString, __func__)) return;
    __CFStringReplace(theString, CFRangeMake(0, theString->_units), replacement, __func__);
}
