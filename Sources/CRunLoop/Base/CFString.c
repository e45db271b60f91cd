/// CFString.c: strings as objects: their text, and how to create, read and extend them.
/// CFString_Internal.h explains how a string stores its text. On a Mac the text is stored
/// differently, and many of these functions also work on Objective-C strings.
#include "CFString_Internal.h"

// MARK: - Diagnoses

static __attribute__((noinline, noreturn, cold))
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
                            : __CFStringCountUnits(str->_ptr, str->_length, NULL)};
}

__CFStringWalk __CFStringWalkBegin(CFStringRef str, CFRange range, const char *function) {
    __CFStringText text = __CFStringGetText(str, function);
    // The sum of location and length could overflow, so this does not compute it.
    Boolean isInside = range.location >= 0 && range.length >= 0 && range.location <= text.units
        && range.length <= text.units - range.location;
    if (CF_UNLIKELY(!isInside))
        __CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__(function, range, text.units);
    __CFStringWalk walk = {text.bytes, text.bytes + text.length, range.length, false};
    CFIndex unitsToSkip = range.location;
    if (text.units == text.length) { // one byte for each unit
        walk.p += unitsToSkip;
        return walk;
    }
    while (unitsToSkip > 0) {
        UTF32Char character;
        CFIndex width = __CFStringReadCharacter(walk.p, walk.end, &character);
        CFIndex units = __CFCharacterCountUnits(character);
        walk.isInPair = unitsToSkip < units;
        if (walk.isInPair) break;
        unitsToSkip -= units;
        walk.p += width;
    }
    return walk;
}

Boolean __CFStringWalkNext(__CFStringWalk *walk, UTF32Char *character) {
    if (walk->unitsLeft == 0) return false;
    walk->p += __CFStringReadCharacter(walk->p, walk->end, character);
    if (walk->isInPair) *character = __CFCharacterGetLowSurrogate(*character);
    else if (walk->unitsLeft < __CFCharacterCountUnits(*character))
        *character = __CFCharacterGetHighSurrogate(*character);
    walk->isInPair = false;
    walk->unitsLeft -= __CFCharacterCountUnits(*character);
    return true;
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
    void *bytes = realloc((void *)str->_ptr, (size_t)capacity);
    if (!bytes) __CF_HAS_NO_MEMORY_LEFT__("a string");
    str->_ptr = bytes;
    str->_capacity = capacity;
}

/// Returns the bytes of a mutable string for writing.
static uint8_t *__CFStringGetBytesForWriting(CFMutableStringRef str) {
    return (uint8_t *)str->_ptr;
}

/// Returns whether the string ends with a high surrogate and `text` begins with a low one, which
/// are three bytes each. `*character` is the character that they form.
static Boolean __CFStringSurrogatesMeet(CFStringRef str, __CFStringText text,
                                        UTF32Char *character) {
    UTF32Char high, low;
    const uint8_t *end = str->_ptr + str->_length;
    if (str->_length < 3 || text.length < 3) return false;
    __CFStringReadCharacter(end - 3, end, &high);
    __CFStringReadCharacter(text.bytes, text.bytes + 3, &low);
    if (!CFStringIsSurrogateHighCharacter((UniChar)high)
        || !CFStringIsSurrogateLowCharacter((UniChar)low))
        return false;
    *character = CFStringGetLongCharacterForSurrogatePair((UniChar)high, (UniChar)low);
    return true;
}

void __CFStringAppendText(CFMutableStringRef str, __CFStringText text) {
    UTF32Char character;
    __CFStringReserve(str, text.length);
    if (__CFStringSurrogatesMeet(str, text, &character)) {
        // The high surrogate's three bytes become the character's four.
        uint8_t *end = __CFStringGetBytesForWriting(str) + str->_length;
        str->_length += __CFStringWriteCharacter(character, end - 3) - 3;
        text.bytes += 3;
        text.length -= 3;
    }
    uint8_t *end = __CFStringGetBytesForWriting(str) + str->_length;
    if (text.length > 0) memcpy(end, text.bytes, (size_t)text.length);
    end[text.length] = 0;
    str->_length += text.length;
    str->_units += text.units;
}

void __CFStringAppendCharacter(CFMutableStringRef str, UTF32Char character) {
    uint8_t bytes[4];
    CFIndex length = __CFStringWriteCharacter(character, bytes);
    __CFStringAppendText(str, (__CFStringText){bytes, length, __CFCharacterCountUnits(character)});
}

// MARK: - The class

static void __CFStringFinalize(CFTypeRef cf) {
    CFStringRef str = cf;
    if (__CFRuntimeGetFlag(cf, __kCFStringOwnsBytes))
        free((void *)str->_ptr);
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

/// The text follows the struct in the same memory.
CFStringRef __CFStringCreateWithText(CFAllocatorRef alloc, __CFStringText text) {
    CFMutableStringRef str = (CFMutableStringRef)_CFRuntimeCreateInstance(
        alloc, &__CFStringClass, offsetof(struct __CFString, _text) + (size_t)text.length + 1);
    if (!str) return NULL;
    uint8_t *bytes = str->_text;
    if (text.length > 0) memcpy(bytes, text.bytes, (size_t)text.length);
    str->_ptr = bytes; // a zero follows it, because a new object is filled with zeros
    str->_length = text.length;
    str->_units = text.units;
    __CFRuntimeSetFlag(str, __kCFStringKnowsUnits, true);
    return str;
}

CFMutableStringRef CFStringCreateMutable(CFAllocatorRef alloc, CFIndex maxLength) {
    CFMutableStringRef str = (CFMutableStringRef)_CFRuntimeCreateInstance(alloc, &__CFStringClass,
        sizeof(struct __CFString));
    if (!str) return NULL;
    // A large hint is ignored. There are always some bytes, because the text ends with a zero.
    CFIndex capacity = maxLength > 0 && maxLength < 1024 ? maxLength + 1 : 32;
    uint8_t *bytes = malloc((size_t)capacity);
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
    if (copy) __CFStringAppendText(copy, text);
    return copy;
}

CFStringRef CFStringCreateCopy(CFAllocatorRef alloc, CFStringRef theString) {
    __CFStringText text = __CFStringGetText(theString, __func__);
    if (!__CFRuntimeGetFlag(theString, __kCFStringIsMutable)) return CFRetain(theString);
    return __CFStringCreateWithText(alloc, text);
}

CFStringRef CFStringCreateWithCharacters(CFAllocatorRef alloc, const UniChar *chars,
                                         CFIndex numChars) {
    if (numChars < 0 || (!chars && numChars > 0)) return NULL;
    CFMutableStringRef str = CFStringCreateMutable(alloc, numChars);
    if (!str) return NULL;
    for (CFIndex i = 0; i < numChars; i++) __CFStringAppendCharacter(str, chars[i]);
    return __CFStringFreeze(str);
}

// MARK: - Reading strings

CFIndex CFStringGetLength(CFStringRef theString) {
    return __CFStringGetText(theString, __func__).units;
}

/// Copies the units of a range. A surrogate pair is one character of the walk.
static void __CFStringGetUnits(__CFStringWalk walk, UniChar *buffer) {
    UTF32Char character;
    while (__CFStringWalkNext(&walk, &character)) {
        Boolean isPair = character >= 0x10000;
        *buffer++ = isPair ? __CFCharacterGetHighSurrogate(character) : (UniChar)character;
        if (isPair) *buffer++ = __CFCharacterGetLowSurrogate(character);
    }
}

UniChar CFStringGetCharacterAtIndex(CFStringRef theString, CFIndex idx) {
    UniChar unit;
    __CFStringGetUnits(__CFStringWalkBegin(theString, CFRangeMake(idx, 1), __func__), &unit);
    return unit;
}

void CFStringGetCharacters(CFStringRef theString, CFRange range, UniChar *buffer) {
    __CFStringGetUnits(__CFStringWalkBegin(theString, range, __func__), buffer);
}

// MARK: - Extending strings

void CFStringAppend(CFMutableStringRef theString, CFStringRef appendedString) {
    if (!__CFStringMayChange(theString, __func__)) return;
    __CFStringText text = __CFStringGetText(appendedString, __func__);
    CFStringRef copy = NULL;
    if (appendedString == theString) { // its text may move
        if (!(copy = __CFStringCreateWithText(kCFAllocatorSystemDefault, text)))
            __CF_HAS_NO_MEMORY_LEFT__("a string");
        text.bytes = copy->_ptr;
    }
    __CFStringAppendText(theString, text);
    if (copy) CFRelease(copy);
}
