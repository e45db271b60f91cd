/// CFString.c: strings as objects: what they are made of, making them, looking into them, and the
/// steps that every change is made of. CFString_Internal.h tells how the text is kept and why; on a
/// Mac it is kept otherwise, and much in this file then serves Objective-C strings too.
#include "CFString_Internal.h"
#include "../Names/CFString.h"

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
    Boolean lies = range.location >= 0 && range.length >= 0 && range.location <= text.units &&
                   range.length <= text.units - range.location; // not the sum, which may overflow
    if (CF_UNLIKELY(!lies))
        __CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__(function, range, text.units);
    return text;
}

/// The place of a unit: the character that it belongs to, and whether it is the second half of that
/// character.
typedef struct {
    const uint8_t *p;
    Boolean isSecondHalf;
} __CFStringPlace;

static __CFStringPlace __CFStringFindPlace(__CFStringText text, CFIndex unit) {
    if (text.units == text.length) return (__CFStringPlace){text.bytes + unit, false};
    const uint8_t *p = text.bytes, *end = text.bytes + text.length;
    while (unit > 0 && p < end) {
        UTF32Char character;
        CFIndex width = __CFStringReadCharacter(p, end, &character);
        if (character >= 0x10000 && unit == 1) return (__CFStringPlace){p, true};
        unit -= character >= 0x10000 ? 2 : 1;
        p += width;
    }
    return (__CFStringPlace){p, false};
}

static UniChar __CFStringHighHalf(UTF32Char character) {
    return (UniChar)(0xD800 + ((character - 0x10000) >> 10));
}

static UniChar __CFStringLowHalf(UTF32Char character) {
    return (UniChar)(0xDC00 + ((character - 0x10000) & 0x3FF));
}

void __CFStringGetUnits(__CFStringText text, CFRange range, UniChar *buffer) {
    if (range.length == 0) return;
    __CFStringPlace place = __CFStringFindPlace(text, range.location);
    const uint8_t *p = place.p, *end = text.bytes + text.length;
    CFIndex count = 0;
    while (count < range.length) {
        UTF32Char character = 0xFFFD;
        // Always so, unless a constant was not UTF-8.
        if (p < end) p += __CFStringReadCharacter(p, end, &character);
        if (character < 0x10000) {
            buffer[count++] = (UniChar)character;
            continue;
        }
        if (!place.isSecondHalf) buffer[count++] = __CFStringHighHalf(character);
        if (count < range.length) buffer[count++] = __CFStringLowHalf(character);
        place.isSecondHalf = false; // only the first character can be cut at its front
    }
}

// MARK: - Adding text: every change is made of these steps

/// Makes room for `more` bytes and the zero. Grows by halves, so that adding byte after byte costs
/// no more than a few copies each.
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

/// The bytes of a mutable string, to be written to.
static uint8_t *__CFStringBytes(CFMutableStringRef str) {
    return (uint8_t *)str->_ptr;
}

/// The half of a surrogate pair that the three bytes at `p` are; 0 when they are anything else.
static UniChar __CFStringReadLoneHalf(const uint8_t *p) {
    if (p[0] != 0xED || (p[1] & 0xE0) != 0xA0 || (p[2] & 0xC0) != 0x80) return 0;
    return (UniChar)(0xD000 | ((p[1] & 0x3F) << 6) | (p[2] & 0x3F));
}

/// Whether the string ends with a high half and `bytes` begin with a low one; gives the character
/// that they are together.
static Boolean __CFStringHalvesMeet(CFStringRef str, const uint8_t *bytes, CFIndex length,
                                    UTF32Char *character) {
    if (length < 3 || str->_length < 3 || bytes[0] != 0xED) return false;
    UniChar high = __CFStringReadLoneHalf(str->_ptr + str->_length - 3),
        low = __CFStringReadLoneHalf(bytes);
    if (!CFStringIsSurrogateHighCharacter(high) || !CFStringIsSurrogateLowCharacter(low))
        return false;
    *character = CFStringGetLongCharacterForSurrogatePair(high, low);
    return true;
}

void __CFStringAppendText(CFMutableStringRef str, const uint8_t *bytes, CFIndex length,
                          CFIndex units) {
    UTF32Char character;
    // A joined pair needs one byte more than the low half that is added.
    __CFStringReserve(str, length + 1);
    if (__CFStringHalvesMeet(str, bytes, length, &character)) {
        str->_length += __CFStringWriteCharacter(character,
                                                 __CFStringBytes(str) + str->_length - 3) - 3;
        bytes += 3;
        length -= 3;
    }
    if (length > 0) memcpy(__CFStringBytes(str) + str->_length, bytes, (size_t)length);
    str->_length += length;
    str->_units += units;
    __CFStringBytes(str)[str->_length] = 0;
}

void __CFStringAppendCharacter(CFMutableStringRef str, UTF32Char character) {
    uint8_t bytes[4];
    CFIndex length = __CFStringWriteCharacter(character, bytes);
    __CFStringAppendText(str, bytes, length, character < 0x10000 ? 1 : 2);
}

void __CFStringAppendSlice(CFMutableStringRef str, __CFStringText text, CFRange range) {
    if (range.length == 0) return;
    __CFStringPlace from = __CFStringFindPlace(text, range.location);
    __CFStringPlace to = __CFStringFindPlace(text, range.location + range.length);
    const uint8_t *end = text.bytes + text.length;
    UTF32Char character;
    CFIndex units = range.length - from.isSecondHalf - to.isSecondHalf;
    if (from.isSecondHalf) {
        from.p += __CFStringReadCharacter(from.p, end, &character);
        __CFStringAppendCharacter(str, __CFStringLowHalf(character));
    }
    __CFStringAppendText(str, from.p, to.p - from.p, units);
    if (to.isSecondHalf) {
        __CFStringReadCharacter(to.p, end, &character);
        __CFStringAppendCharacter(str, __CFStringHighHalf(character));
    }
}

void __CFStringAppendUnits(CFMutableStringRef str, const UniChar *units, CFIndex count) {
    __CFStringReserve(str, count); // enough for ASCII
    // Halves join as they meet.
    for (CFIndex i = 0; i < count; i++) __CFStringAppendCharacter(str, units[i]);
}

// MARK: - The class

static void __CFStringFinalize(CFTypeRef cf) {
    CFStringRef str = cf;
    if (__CFRuntimeGetFlag(cf, __kCFStringOwnsBytes))
        CFAllocatorDeallocate(CFGetAllocator(cf), (void *)str->_ptr);
}

/// Equal text has equal bytes, so there is nothing to decode.
static Boolean __CFStringEqual(CFTypeRef cf1, CFTypeRef cf2) {
    CFStringRef str1 = cf1, str2 = cf2;
    return str1->_length == str2->_length
        && memcmp(str1->_ptr, str2->_ptr, (size_t)str1->_length) == 0;
}

/// Eight bytes at a time: the run loop hashes a mode's name each time it is run.
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

CF_SHARED const CFRuntimeClass __CFStringClass = {
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

// MARK: - Making strings

/// A string that cannot be changed has its text right behind it, in one piece of memory.
static CFStringRef __CFStringCreateWithText(CFAllocatorRef alloc, const uint8_t *bytes,
                                            CFIndex length, CFIndex units) {
    CFMutableStringRef str = (CFMutableStringRef)_CFRuntimeCreateInstance(
        alloc, &__CFStringClass, sizeof(struct __CFString) + (size_t)length + 1);
    if (!str) return NULL;
    uint8_t *text = (uint8_t *)(str + 1);
    if (length > 0) memcpy(text, bytes, (size_t)length);
    str->_ptr = text; // the zero behind it is there already
    str->_length = length;
    str->_units = units;
    __CFRuntimeSetFlag(str, __kCFStringKnowsUnits, true);
    return str;
}

CFMutableStringRef CFStringCreateMutable(CFAllocatorRef alloc, CFIndex maxLength) {
    CFMutableStringRef str = (CFMutableStringRef)_CFRuntimeCreateInstance(alloc, &__CFStringClass,
        sizeof(struct __CFString));
    if (!str) return NULL;
    // No more than a few bytes on the word of a hint; and always some, so that there is a zero to
    // point to.
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
    __CFStringText text = __CFStringGetText(theString, "CFStringCreateMutableCopy");
    CFMutableStringRef copy = CFStringCreateMutable(alloc, maxLength > text.length ? maxLength
                                                    : text.length);
    if (copy) __CFStringAppendText(copy, text.bytes, text.length, text.units);
    return copy;
}

CFStringRef CFStringCreateCopy(CFAllocatorRef alloc, CFStringRef theString) {
    __CFStringText text = __CFStringGetText(theString, "CFStringCreateCopy");
    if (!alloc) alloc = CFAllocatorGetDefault();
    // Its memory must come from where the caller wants it; constants come from nowhere and are good
    // for all.
    Boolean isConstant = !__CFRuntimeGetFlag(theString, __kCFStringKnowsUnits);
    Boolean isMutable = __CFRuntimeGetFlag(theString, __kCFStringIsMutable);
    if (isConstant || (!isMutable && CFGetAllocator(theString) == alloc))
        return CFRetain(theString);
    return __CFStringCreateWithText(alloc, text.bytes, text.length, text.units);
}

CFStringRef CFStringCreateWithSubstring(CFAllocatorRef alloc, CFStringRef str, CFRange range) {
    __CFStringText text = __CFStringGetTextOfRange(str, range, "CFStringCreateWithSubstring");
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
    if (__CFStringAppendBytes(str, bytes, numBytes, encoding, isExternalRepresentation)) {
        // One piece of memory instead of two, and not a byte too much.
        CFStringRef result = __CFStringCreateWithText(alloc, str->_ptr, str->_length, str->_units);
        CFRelease(str);
        return result;
    }
    CFRelease(str);
    return NULL;
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

/// The NoCopy functions do copy: the text is kept in a form of its own anyway. What they promise is
/// who frees the bytes, and that it stays the caller's when no string was made.
static CFStringRef __CFStringTakeOver(CFStringRef str, const void *contents,
                                      CFAllocatorRef contentsDeallocator) {
    if (str) CFAllocatorDeallocate(contentsDeallocator, (void *)contents);
    return str;
}

CFStringRef CFStringCreateWithCStringNoCopy(CFAllocatorRef alloc, const char *cStr,
                                            CFStringEncoding encoding,
                                            CFAllocatorRef contentsDeallocator) {
    return __CFStringTakeOver(CFStringCreateWithCString(alloc, cStr, encoding), cStr,
                              contentsDeallocator);
}

CFStringRef CFStringCreateWithBytesNoCopy(CFAllocatorRef alloc, const UInt8 *bytes,
                                          CFIndex numBytes, CFStringEncoding encoding,
                                          Boolean isExternalRepresentation,
                                              CFAllocatorRef contentsDeallocator) {
    CFStringRef str = CFStringCreateWithBytes(alloc, bytes, numBytes, encoding,
                                              isExternalRepresentation);
    return __CFStringTakeOver(str, bytes, contentsDeallocator);
}

CFStringRef CFStringCreateWithCharactersNoCopy(CFAllocatorRef alloc, const UniChar *chars,
                                               CFIndex numChars,
                                               CFAllocatorRef contentsDeallocator) {
    return __CFStringTakeOver(CFStringCreateWithCharacters(alloc, chars, numChars), chars,
                              contentsDeallocator);
}

// MARK: - Looking into strings

CFIndex CFStringGetLength(CFStringRef theString) {
    return __CFStringGetText(theString, "CFStringGetLength").units;
}

UniChar CFStringGetCharacterAtIndex(CFStringRef theString, CFIndex idx) {
    CFRange range = CFRangeMake(idx, 1);
    __CFStringText text = __CFStringGetTextOfRange(theString, range, "CFStringGetCharacterAtIndex");
    UniChar unit;
    __CFStringGetUnits(text, range, &unit);
    return unit;
}

void CFStringGetCharacters(CFStringRef theString, CFRange range, UniChar *buffer) {
    __CFStringGetUnits(__CFStringGetTextOfRange(theString, range, "CFStringGetCharacters"), range,
                       buffer);
}

const UniChar *CFStringGetCharactersPtr(CFStringRef theString) {
    return NULL;
}

// MARK: - Changing strings

void CFStringAppendCharacters(CFMutableStringRef theString, const UniChar *chars,
                              CFIndex numChars) {
    if (__CFStringMayChange(theString, "CFStringAppendCharacters") && numChars > 0)
        __CFStringAppendUnits(theString, chars, numChars);
}

void CFStringAppendCString(CFMutableStringRef theString, const char *cStr,
                           CFStringEncoding encoding) {
    if (!__CFStringMayChange(theString, "CFStringAppendCString")) return;
    CFStringRef appended = CFStringCreateWithCString(kCFAllocatorSystemDefault, cStr, encoding);
    if (!appended) return;
    CFStringAppend(theString, appended);
    CFRelease(appended);
}

/// Cuts the string off at a unit; half of a pair that is cut there stays.
static void __CFStringTruncate(CFMutableStringRef str, CFIndex units) {
    __CFStringPlace place =
        __CFStringFindPlace((__CFStringText){str->_ptr, str->_length, str->_units}, units);
    UTF32Char character = 0;
    if (place.isSecondHalf) __CFStringReadCharacter(place.p, str->_ptr + str->_length, &character);
    str->_length = place.p - str->_ptr;
    str->_units = units - place.isSecondHalf;
    __CFStringBytes(str)[str->_length] = 0;
    if (place.isSecondHalf) __CFStringAppendCharacter(str, __CFStringHighHalf(character));
}

/// The steps of a change in the middle: put the end aside, cut, add the replacement, add the end
/// again. Simple rather than quick, and right where surrogate pairs are cut and joined. The range
/// is valid.
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

/// What all the functions below do: check everything, hold the replacement fast, change. Where the
/// string takes in a part of itself, holding means copying; any other string that cannot change is
/// only retained.
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
    if (!__CFStringMayChange(theString, "CFStringAppend")) return;
    __CFStringReplace(theString, CFRangeMake(theString->_units, 0), appendedString,
                      "CFStringAppend");
}

void CFStringInsert(CFMutableStringRef str, CFIndex idx, CFStringRef insertedStr) {
    if (__CFStringMayChange(str, "CFStringInsert"))
        __CFStringReplace(str, CFRangeMake(idx, 0), insertedStr, "CFStringInsert");
}

void CFStringDelete(CFMutableStringRef theString, CFRange range) {
    if (__CFStringMayChange(theString, "CFStringDelete"))
        __CFStringReplace(theString, range, CFSTR(""), "CFStringDelete");
}

void CFStringReplace(CFMutableStringRef theString, CFRange range, CFStringRef replacement) {
    if (__CFStringMayChange(theString, "CFStringReplace"))
        __CFStringReplace(theString, range, replacement, "CFStringReplace");
}

void CFStringReplaceAll(CFMutableStringRef theString, CFStringRef replacement) {
    if (!__CFStringMayChange(theString, "CFStringReplaceAll")) return;
    __CFStringReplace(theString, CFRangeMake(0, theString->_units), replacement,
                      "CFStringReplaceAll");
}
