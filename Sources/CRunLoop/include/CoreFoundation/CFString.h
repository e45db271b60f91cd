/// CFString.h: text.
///
/// A string is a row of UTF-16 units. All lengths, positions and ranges here count those units, as on a Mac: an emoji counts two.
///
/// These rules hold for every function below:
/// - A string that cannot be changed may be used by any number of threads at once; a mutable one by one thread at a time.
/// - A NULL where a string must be stops the program with a line that names the function. So does a position or a range outside
///   of the string. The attempt to change a string that is not mutable changes nothing and says so on stderr.
/// - What has Create in its name returns a string that the caller owns; NULL when there is no memory or the input is not valid.
/// - An encoding that is not in the list below is refused: NULL, false or 0.
#if !defined(__COREFOUNDATION_CFSTRING__)
#define __COREFOUNDATION_CFSTRING__ 1

#include "CFBase.h"
#include "CFArray.h"
#include "CFDictionary.h"
#include <stdarg.h>

CF_EXTERN_C_BEGIN

// MARK: - Encodings

/// The name of a way to write text as bytes.
typedef UInt32 CFStringEncoding;

/// No encoding.
#define kCFStringEncodingInvalidId (0xffffffffU)

/// The encodings there are. UTF16 and UTF32 are in the byte order of this machine; when the bytes are said to be an external
/// representation, in the order that a byte order mark tells, or else with the big end first.
/// Reading ASCII, bytes from 0x80 on are taken for ISO Latin 1, as in the original.
typedef CF_ENUM(CFStringEncoding, CFStringBuiltInEncodings) {
    kCFStringEncodingISOLatin1 = 0x0201,
    kCFStringEncodingASCII = 0x0600,
    kCFStringEncodingUnicode = 0x0100,
    kCFStringEncodingUTF8 = 0x08000100,
    kCFStringEncodingUTF16 = 0x0100,
    kCFStringEncodingUTF16BE = 0x10000100,
    kCFStringEncodingUTF16LE = 0x14000100,
    kCFStringEncodingUTF32 = 0x0c000100,
    kCFStringEncodingUTF32BE = 0x18000100,
    kCFStringEncodingUTF32LE = 0x1c000100
};

/// Whether `encoding` is one of the list above.
CF_EXPORT Boolean CFStringIsEncodingAvailable(CFStringEncoding encoding);

/// The encoding of C strings that nobody labelled: UTF-8.
CF_EXPORT CFStringEncoding CFStringGetSystemEncoding(void);

// MARK: - Constant strings

/// What CFSTR lays out. The head is that of every object (CFRuntime.h).
struct __CFConstStr {
    struct {
        uintptr_t _cfisa;
        uint32_t _cfinfo;
        uint32_t _rc;
        CFAllocatorRef _allocator;
    } _base;
    const uint8_t *_ptr;
    CFIndex _length; // in bytes
};

/// What the runtime knows of strings; only for CFSTR.
CF_EXPORT const struct __CFRuntimeClass __CFStringClass;

/// A constant string from a literal in UTF-8: `CFSTR("text")`. It lives as long as the program and belongs to nobody; retaining
/// and releasing it does nothing. In C it may stand in functions only; in C++ also at namespace scope and in a class.
#if defined(__cplusplus)
#define CFSTR(cStr) ([]() -> CFStringRef { \
    static const struct __CFConstStr __cfstr = { \
        {(uintptr_t)&__CFStringClass, 0, 0xffffffffU, nullptr}, (const uint8_t *)("" cStr ""), (CFIndex)sizeof(cStr) - 1}; \
    return (CFStringRef)(const void *)&__cfstr; \
}())
#else
#define CFSTR(cStr) __extension__({ \
    static const struct __CFConstStr __cfstr = { \
        {(uintptr_t)&__CFStringClass, 0, 0xffffffffU, 0}, (const uint8_t *)("" cStr ""), (CFIndex)sizeof(cStr) - 1}; \
    (CFStringRef)(const void *)&__cfstr; \
})
#endif

/// Marks functions that take a format, for compilers that check the formats of CoreFoundation; those on Linux do not.
#define CF_FORMAT_FUNCTION(F, A)
#define CF_FORMAT_ARGUMENT(A)

/// The type id of CFString, mutable or not.
CF_EXPORT CFTypeID CFStringGetTypeID(void);

// MARK: - Making strings

/// From bytes up to the first zero. NULL when the bytes are not valid in `encoding`.
CF_EXPORT CFStringRef CFStringCreateWithCString(CFAllocatorRef alloc, const char *cStr, CFStringEncoding encoding);

/// From `numBytes` bytes; zeros among them are text. A byte order mark at the start is left out: of UTF8 always, of UTF16 and
/// UTF32 with `isExternalRepresentation`. NULL when the bytes are not valid in `encoding`, or `numBytes` is negative.
CF_EXPORT CFStringRef CFStringCreateWithBytes(CFAllocatorRef alloc, const UInt8 *bytes, CFIndex numBytes,
                                              CFStringEncoding encoding, Boolean isExternalRepresentation);

/// From UTF-16 units. Halves of surrogate pairs that stand alone are kept as they are.
CF_EXPORT CFStringRef CFStringCreateWithCharacters(CFAllocatorRef alloc, const UniChar *chars, CFIndex numChars);

/// As CFStringCreateWithCString, and takes over the bytes: they are copied, and on success freed at once with
/// `contentsDeallocator` (NULL: the default allocator; kCFAllocatorNull: they stay the caller's).
CF_EXPORT CFStringRef CFStringCreateWithCStringNoCopy(CFAllocatorRef alloc, const char *cStr, CFStringEncoding encoding,
                                                      CFAllocatorRef contentsDeallocator);

/// As CFStringCreateWithBytes; takes over the bytes as CFStringCreateWithCStringNoCopy does.
CF_EXPORT CFStringRef CFStringCreateWithBytesNoCopy(CFAllocatorRef alloc, const UInt8 *bytes, CFIndex numBytes,
                                                    CFStringEncoding encoding, Boolean isExternalRepresentation,
                                                    CFAllocatorRef contentsDeallocator);

/// As CFStringCreateWithCharacters; takes over the units as CFStringCreateWithCStringNoCopy does.
CF_EXPORT CFStringRef CFStringCreateWithCharactersNoCopy(CFAllocatorRef alloc, const UniChar *chars, CFIndex numChars,
                                                         CFAllocatorRef contentsDeallocator);

/// A part of a string. A range may cut a surrogate pair; each half then stands alone.
CF_EXPORT CFStringRef CFStringCreateWithSubstring(CFAllocatorRef alloc, CFStringRef str, CFRange range);

/// A copy that cannot be changed; for a string that cannot be changed anyway, the same string retained.
CF_EXPORT CFStringRef CFStringCreateCopy(CFAllocatorRef alloc, CFStringRef theString);

/// printf into a string. Beside printf's conversions there are `%@` (an object, or NULL), `%C` (a UniChar), `%S` (UniChars up to
/// a zero) and positions (`%2$@`). `%s` is UTF-8, or ISO Latin 1 where it is not valid UTF-8. `%c` is a byte of ISO Latin 1. `%n`
/// takes its argument and writes nothing to it. Width and precision do nothing to `%@` and `%C`. Numbers have a decimal point in
/// every locale. There may be up to 128 arguments. `formatOptions` is not used; pass NULL.
CF_EXPORT CFStringRef CFStringCreateWithFormat(CFAllocatorRef alloc, CFDictionaryRef formatOptions, CFStringRef format, ...)
    CF_FORMAT_FUNCTION(3, 4);

/// As CFStringCreateWithFormat, with the arguments in a va_list. The list is not usable afterwards.
CF_EXPORT CFStringRef CFStringCreateWithFormatAndArguments(CFAllocatorRef alloc, CFDictionaryRef formatOptions,
                                                           CFStringRef format, va_list arguments) CF_FORMAT_FUNCTION(3, 0);

/// An empty string that can be changed. `maxLength` is a hint how long it will get, in units; 0 says nothing. It is not a limit.
CF_EXPORT CFMutableStringRef CFStringCreateMutable(CFAllocatorRef alloc, CFIndex maxLength);

/// A copy that can be changed; `maxLength` as for CFStringCreateMutable.
CF_EXPORT CFMutableStringRef CFStringCreateMutableCopy(CFAllocatorRef alloc, CFIndex maxLength, CFStringRef theString);

// MARK: - Looking into strings

/// The number of UTF-16 units.
CF_EXPORT CFIndex CFStringGetLength(CFStringRef theString);

/// The unit at `idx`. Quick for ASCII text; in other text it counts from the start, so take many with CFStringGetCharacters.
CF_EXPORT UniChar CFStringGetCharacterAtIndex(CFStringRef theString, CFIndex idx);

/// Copies the units of `range`. `buffer` must have room for `range.length` of them.
CF_EXPORT void CFStringGetCharacters(CFStringRef theString, CFRange range, UniChar *buffer);

/// Copies the whole string, and a zero, into `buffer`. False when `bufferSize` bytes are too few or the encoding cannot hold it;
/// the buffer then holds an empty C string, if it has any room.
CF_EXPORT Boolean CFStringGetCString(CFStringRef theString, char *buffer, CFIndex bufferSize, CFStringEncoding encoding);

/// The string's own bytes, ending in a zero, if it happens to have them in `encoding`; otherwise NULL, so always be ready to
/// use CFStringGetCString. They are the string's, and good until it is changed or released.
CF_EXPORT const char *CFStringGetCStringPtr(CFStringRef theString, CFStringEncoding encoding);

/// The string's own UTF-16 units, if it happens to have them. It never has: NULL. Use CFStringGetCharacters.
CF_EXPORT const UniChar *CFStringGetCharactersPtr(CFStringRef theString);

/// Writes the units of `range` in `encoding`, as many as fit in `maxBufLen` bytes, and returns how many units that were. The
/// bytes used come back in `usedBufLen`, if it is not NULL. With `buffer` NULL it only counts. Each unit that the encoding cannot
/// hold becomes `lossByte` (which is ASCII), or ends the conversion when that is 0. `isExternalRepresentation` adds a byte order
/// mark to UTF16 and UTF32.
CF_EXPORT CFIndex CFStringGetBytes(CFStringRef theString, CFRange range, CFStringEncoding encoding, UInt8 lossByte,
                                   Boolean isExternalRepresentation, UInt8 *buffer, CFIndex maxBufLen, CFIndex *usedBufLen);

/// The most bytes that `length` units can take in `encoding`, without the zero at the end; kCFNotFound when that is too many to
/// count or the encoding is not supported.
CF_EXPORT CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding);

/// Whether a unit is the first half of a surrogate pair.
CF_INLINE Boolean CFStringIsSurrogateHighCharacter(UniChar character) {
    return character >= 0xD800 && character <= 0xDBFF;
}
/// Whether a unit is the second half of a surrogate pair.
CF_INLINE Boolean CFStringIsSurrogateLowCharacter(UniChar character) {
    return character >= 0xDC00 && character <= 0xDFFF;
}
/// The character that a surrogate pair stands for.
CF_INLINE UTF32Char CFStringGetLongCharacterForSurrogatePair(UniChar surrogateHigh, UniChar surrogateLow) {
    return (UTF32Char)(surrogateHigh - 0xD800) * 0x400 + (UTF32Char)(surrogateLow - 0xDC00) + 0x10000;
}

// MARK: - Comparing and searching

/// How to compare. Options of the original that are not here are not supported, and ignored where they are given by number.
typedef CF_OPTIONS(CFOptionFlags, CFStringCompareFlags) {
    kCFCompareCaseInsensitive = 1, // A equals a, in every script that has cases; one character against one
    kCFCompareBackwards = 4,       // find: the last place
    kCFCompareAnchored = 8,        // find: only at the start, or with Backwards at the end
    kCFCompareNumerically = 64     // compare: digits count as numbers, file2 < file10
};

/// Which string comes first, unit by unit. Only kCFCompareCaseInsensitive and kCFCompareNumerically matter.
CF_EXPORT CFComparisonResult CFStringCompare(CFStringRef theString1, CFStringRef theString2, CFStringCompareFlags compareOptions);

/// As CFStringCompare, with only `rangeToCompare` of the first string.
CF_EXPORT CFComparisonResult CFStringCompareWithOptions(CFStringRef theString1, CFStringRef theString2, CFRange rangeToCompare,
                                                        CFStringCompareFlags compareOptions);

/// The first place of `stringToFind`; {kCFNotFound, 0} when there is none. Nothing is never found.
CF_EXPORT CFRange CFStringFind(CFStringRef theString, CFStringRef stringToFind, CFStringCompareFlags compareOptions);

/// As CFStringFind, within `rangeToSearch`. Returns whether it was found, and where in `result`, if that is not NULL.
CF_EXPORT Boolean CFStringFindWithOptions(CFStringRef theString, CFStringRef stringToFind, CFRange rangeToSearch,
                                          CFStringCompareFlags searchOptions, CFRange *result);

/// Whether the string begins with `prefix`.
CF_EXPORT Boolean CFStringHasPrefix(CFStringRef theString, CFStringRef prefix);

/// Whether the string ends with `suffix`.
CF_EXPORT Boolean CFStringHasSuffix(CFStringRef theString, CFStringRef suffix);

// MARK: - Taking apart, putting together, reading numbers

/// The strings of an array in one, with `separatorString` between them. An empty array gives an empty string.
CF_EXPORT CFStringRef CFStringCreateByCombiningStrings(CFAllocatorRef alloc, CFArrayRef theArray, CFStringRef separatorString);

/// The parts of a string between the places of `separatorString`, in an array that the caller owns. Without any such place, the
/// array has one string.
CF_EXPORT CFArrayRef CFStringCreateArrayBySeparatingStrings(CFAllocatorRef alloc, CFStringRef theString,
                                                            CFStringRef separatorString);

/// The decimal number that the string begins with, after white space; 0 when there is none. Too large a number gives INT32_MAX or
/// INT32_MIN.
CF_EXPORT SInt32 CFStringGetIntValue(CFStringRef str);

/// The decimal number, with a fraction and an exponent, that the string begins with, after white space; 0.0 when there is none.
CF_EXPORT double CFStringGetDoubleValue(CFStringRef str);

// MARK: - Changing strings

/// Adds a string at the end.
CF_EXPORT void CFStringAppend(CFMutableStringRef theString, CFStringRef appendedString);

/// Adds UTF-16 units at the end.
CF_EXPORT void CFStringAppendCharacters(CFMutableStringRef theString, const UniChar *chars, CFIndex numChars);

/// Adds a C string at the end. What is not valid in `encoding` adds nothing.
CF_EXPORT void CFStringAppendCString(CFMutableStringRef theString, const char *cStr, CFStringEncoding encoding);

/// Adds formatted text at the end; see CFStringCreateWithFormat.
CF_EXPORT void CFStringAppendFormat(CFMutableStringRef theString, CFDictionaryRef formatOptions, CFStringRef format, ...)
    CF_FORMAT_FUNCTION(3, 4);

/// As CFStringAppendFormat, with the arguments in a va_list. The list is not usable afterwards.
CF_EXPORT void CFStringAppendFormatAndArguments(CFMutableStringRef theString, CFDictionaryRef formatOptions, CFStringRef format,
                                                va_list arguments) CF_FORMAT_FUNCTION(3, 0);

/// Puts a string in before `idx`, which may be the length.
CF_EXPORT void CFStringInsert(CFMutableStringRef str, CFIndex idx, CFStringRef insertedStr);

/// Takes a range away.
CF_EXPORT void CFStringDelete(CFMutableStringRef theString, CFRange range);

/// Puts a string in the place of a range.
CF_EXPORT void CFStringReplace(CFMutableStringRef theString, CFRange range, CFStringRef replacement);

/// Puts a string in the place of the whole.
CF_EXPORT void CFStringReplaceAll(CFMutableStringRef theString, CFStringRef replacement);

/// Replaces every place of `stringToFind` in `rangeToSearch`, and returns how many there were. With kCFCompareBackwards they are
/// looked for from the end; with kCFCompareAnchored, only those that follow one another from the start (or the end) count.
CF_EXPORT CFIndex CFStringFindAndReplace(CFMutableStringRef theString, CFStringRef stringToFind, CFStringRef replacementString,
                                         CFRange rangeToSearch, CFStringCompareFlags compareOptions);

/// Makes the string `length` units long: cuts it, or adds units of `padString`, over and over, from `indexIntoPad` on.
/// `padString` may be NULL when the string is only to be cut.
CF_EXPORT void CFStringPad(CFMutableStringRef theString, CFStringRef padString, CFIndex length, CFIndex indexIntoPad);

/// Takes `trimString` away from the start and from the end, as often as it is there.
CF_EXPORT void CFStringTrim(CFMutableStringRef theString, CFStringRef trimString);

/// Takes white space and line ends away from the start and from the end.
CF_EXPORT void CFStringTrimWhitespace(CFMutableStringRef theString);

/// Makes the letters small, one character for one. `locale`, a CFLocaleRef in the original, is not used; pass NULL.
CF_EXPORT void CFStringLowercase(CFMutableStringRef theString, const void *locale);

/// Makes the letters large, one character for one. `locale`, a CFLocaleRef in the original, is not used; pass NULL.
CF_EXPORT void CFStringUppercase(CFMutableStringRef theString, const void *locale);

// MARK: - Showing

/// Prints an object's description, and a line end, on stderr; a string is printed as it is, NULL as "(null)". For debugging: it
/// may be called from a debugger.
CF_EXPORT void CFShow(CFTypeRef obj);

CF_EXTERN_C_END

#endif
