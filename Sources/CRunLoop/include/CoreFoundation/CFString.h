/// CFString.h: text.
///
/// A string is a sequence of UTF-16 units. All lengths, positions and ranges here count those
/// units, as on a Mac, so an emoji counts as two.
///
/// These rules apply to every function below:
///
/// - Any number of threads may use an immutable string at the same time. Only one thread at a time
///   may use a mutable string.
/// - NULL instead of a string aborts the program with a message that names the function. So does a
///   position or a range outside the string. A change to an immutable string changes nothing and
///   writes a line to stderr.
/// - If a function's name contains Create, the caller owns the result. The result is NULL if no
///   memory is available or the input is not valid.
/// - An encoding that the list below does not contain is refused: the result is NULL, false or 0.
#if !defined(__COREFOUNDATION_CFSTRING__)
#define __COREFOUNDATION_CFSTRING__ 1

#include "CFBase.h"
#include "CFArray.h"
#include "CFDictionary.h"
#include <stdarg.h>

CF_EXTERN_C_BEGIN

// MARK: - Encodings

/// The number of an encoding, a way to write text as bytes.
typedef UInt32 CFStringEncoding;

/// The number that stands for no encoding.
#define kCFStringEncodingInvalidId (0xffffffffU)

/// The encodings that this library supports.
///
/// UTF16 and UTF32 are in the machine's byte order. If the bytes are an external representation, a
/// byte order mark gives the order; without a mark they are big-endian. When ASCII is read, bytes
/// from 0x80 up are taken as ISO Latin 1, as in the original (Linux build).
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

/// Returns whether this library supports an encoding.
CF_EXPORT Boolean CFStringIsEncodingAvailable(CFStringEncoding encoding);

/// Returns the encoding of C strings whose encoding is not given: UTF-8.
CF_EXPORT CFStringEncoding CFStringGetSystemEncoding(void);

// MARK: - Constant strings

/// The layout of a CFSTR string. It begins with the head of every object (CFRuntime.h).
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

/// What the runtime knows about strings. Only CFSTR uses it.
CF_EXPORT const struct __CFRuntimeClass __CFStringClass;

/// Makes a constant string from a literal in UTF-8: `CFSTR("text")`.
///
/// The string lives as long as the program. CFRetain and CFRelease do nothing to it. In C you can
/// use CFSTR in functions only, in C++ also at namespace scope and in a class.
#if defined(__cplusplus)
#define CFSTR(cStr) ([]() -> CFStringRef { \
    static const struct __CFConstStr __cfstr = { \
        {(uintptr_t)&__CFStringClass, 0, 0xffffffffU, nullptr}, \
        (const uint8_t *)("" cStr ""), (CFIndex)sizeof(cStr) - 1}; \
    return (CFStringRef)(const void *)&__cfstr; \
}())
#else
#define CFSTR(cStr) __extension__({ \
    static const struct __CFConstStr __cfstr = { \
        {(uintptr_t)&__CFStringClass, 0, 0xffffffffU, 0}, \
        (const uint8_t *)("" cStr ""), (CFIndex)sizeof(cStr) - 1}; \
    (CFStringRef)(const void *)&__cfstr; \
})
#endif

/// Marks a function that takes a format, for compilers that check CoreFoundation's formats.
///
/// Compilers on Linux do not check them.
#define CF_FORMAT_FUNCTION(F, A)
#define CF_FORMAT_ARGUMENT(A)

/// Returns the type id of CFString, mutable or not.
CF_EXPORT CFTypeID CFStringGetTypeID(void);

// MARK: - Creating strings

/// Creates a string from the bytes before the first zero.
///
/// Returns NULL if the bytes are not valid in `encoding`.
CF_EXPORT CFStringRef CFStringCreateWithCString(CFAllocatorRef alloc, const char *cStr,
                                                CFStringEncoding encoding);

/// Creates a string from `numBytes` bytes. Zeros among them are part of the text.
///
/// A byte order mark at the beginning is left out: always for UTF8, and with
/// `isExternalRepresentation` for UTF16 and UTF32. Returns NULL if the bytes are not valid in
/// `encoding` or `numBytes` is negative.
CF_EXPORT CFStringRef CFStringCreateWithBytes(CFAllocatorRef alloc, const UInt8 *bytes,
                                              CFIndex numBytes,
                                              CFStringEncoding encoding,
                                                  Boolean isExternalRepresentation);

/// Creates a string from UTF-16 units. Unpaired surrogates are kept as they are.
CF_EXPORT CFStringRef CFStringCreateWithCharacters(CFAllocatorRef alloc, const UniChar *chars,
                                                   CFIndex numChars);

/// Creates a string from the bytes before the first zero, and takes over the bytes.
///
/// The bytes are copied. On success they are freed at once with `contentsDeallocator`. NULL means
/// the default allocator. With kCFAllocatorNull the bytes remain the caller's. Returns NULL if the
/// bytes are not valid in `encoding`.
CF_EXPORT CFStringRef CFStringCreateWithCStringNoCopy(CFAllocatorRef alloc, const char *cStr,
                                                      CFStringEncoding encoding,
                                                      CFAllocatorRef contentsDeallocator);

/// Creates a string from `numBytes` bytes, as CFStringCreateWithBytes does, and takes over the
/// bytes.
///
/// `contentsDeallocator` frees them as in CFStringCreateWithCStringNoCopy.
CF_EXPORT CFStringRef CFStringCreateWithBytesNoCopy(CFAllocatorRef alloc, const UInt8 *bytes,
                                                    CFIndex numBytes,
                                                    CFStringEncoding encoding,
                                                        Boolean isExternalRepresentation,
                                                    CFAllocatorRef contentsDeallocator);

/// Creates a string from UTF-16 units, as CFStringCreateWithCharacters does, and takes over the
/// units.
///
/// `contentsDeallocator` frees them as in CFStringCreateWithCStringNoCopy.
CF_EXPORT CFStringRef CFStringCreateWithCharactersNoCopy(CFAllocatorRef alloc, const UniChar *chars,
                                                         CFIndex numChars,
                                                         CFAllocatorRef contentsDeallocator);

/// Creates a string from a range of another one.
///
/// A range may split a surrogate pair. Each half is then unpaired.
CF_EXPORT CFStringRef CFStringCreateWithSubstring(CFAllocatorRef alloc, CFStringRef str,
                                                  CFRange range);

/// Returns an immutable copy of a string. If the string is immutable, it returns the same string,
/// retained.
CF_EXPORT CFStringRef CFStringCreateCopy(CFAllocatorRef alloc, CFStringRef theString);

/// Creates a string from a format and arguments, like printf.
///
/// - In addition to printf's conversions there are `%@` (an object, or NULL), `%C` (a UniChar),
///   `%S` (UniChars up to a zero) and positions (`%2$@`).
/// - `%s` is UTF-8, or ISO Latin 1 if it is not valid UTF-8. `%c` is a byte of ISO Latin 1.
/// - `%n` consumes its argument and writes nothing to it.
/// - Width and precision do not affect `%@` and `%C`.
/// - Numbers have a decimal point in every locale.
///
/// There may be up to 128 arguments. `formatOptions` is not used; pass NULL.
CF_EXPORT CFStringRef CFStringCreateWithFormat(CFAllocatorRef alloc, CFDictionaryRef formatOptions,
                                               CFStringRef format, ...)
    CF_FORMAT_FUNCTION(3, 4);

/// Creates a string from a format and a va_list, as CFStringCreateWithFormat does.
///
/// Do not use the list afterwards.
CF_EXPORT CFStringRef CFStringCreateWithFormatAndArguments(CFAllocatorRef alloc,
                                                           CFDictionaryRef formatOptions,
                                                           CFStringRef format,
                                                           va_list arguments)
    CF_FORMAT_FUNCTION(3, 0);

/// Creates an empty mutable string.
///
/// `maxLength` is a hint for its length in UTF-16 units. It is not a limit, and 0 gives no hint.
CF_EXPORT CFMutableStringRef CFStringCreateMutable(CFAllocatorRef alloc, CFIndex maxLength);

/// Creates a mutable copy of a string.
///
/// `maxLength` is a hint for its length in UTF-16 units. It is not a limit, and 0 gives no hint.
CF_EXPORT CFMutableStringRef CFStringCreateMutableCopy(CFAllocatorRef alloc, CFIndex maxLength,
                                                       CFStringRef theString);

// MARK: - Reading strings

/// Returns the number of UTF-16 units.
CF_EXPORT CFIndex CFStringGetLength(CFStringRef theString);

/// Returns the UTF-16 unit at an index.
///
/// This is fast for ASCII text. In other text it counts from the beginning, so use
/// CFStringGetCharacters to read many units.
CF_EXPORT UniChar CFStringGetCharacterAtIndex(CFStringRef theString, CFIndex idx);

/// Copies the UTF-16 units of a range into `buffer`, which must have room for them.
CF_EXPORT void CFStringGetCharacters(CFStringRef theString, CFRange range, UniChar *buffer);

/// Copies the whole string and a zero into a buffer.
///
/// Returns false if `bufferSize` bytes are too few or the encoding cannot represent the string. In
/// that case the buffer contains an empty C string, if it has any room.
CF_EXPORT Boolean CFStringGetCString(CFStringRef theString, char *buffer, CFIndex bufferSize,
                                     CFStringEncoding encoding);

/// Returns the string's own bytes, which end in a zero, or NULL.
///
/// It returns them only if the string happens to store them in `encoding`, so always be ready to
/// use CFStringGetCString instead. The bytes belong to the string. They are valid until it is
/// changed or released.
CF_EXPORT const char *CFStringGetCStringPtr(CFStringRef theString, CFStringEncoding encoding);

/// Returns NULL, because no string of this library stores UTF-16 units. Use CFStringGetCharacters.
CF_EXPORT const UniChar *CFStringGetCharactersPtr(CFStringRef theString);

/// Writes a range of the string in an encoding, and returns how many UTF-16 units it has converted.
///
/// It converts as many units as fit in `maxBufLen` bytes. If `usedBufLen` is not NULL, it receives
/// the number of bytes. If `buffer` is NULL, the function only counts. A unit that the encoding
/// cannot represent becomes `lossByte`, which must be ASCII. If `lossByte` is 0, such a unit ends
/// the conversion. `isExternalRepresentation` adds a byte order mark to UTF16 and UTF32.
CF_EXPORT CFIndex CFStringGetBytes(CFStringRef theString, CFRange range, CFStringEncoding encoding,
                                   UInt8 lossByte,
                                   Boolean isExternalRepresentation, UInt8 *buffer,
                                       CFIndex maxBufLen, CFIndex *usedBufLen);

/// Returns the most bytes that `length` UTF-16 units can take in an encoding, without a final zero.
///
/// Returns kCFNotFound if that number is too large or the encoding is not supported.
CF_EXPORT CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding);

/// Returns whether a UTF-16 unit is the first half of a surrogate pair.
CF_INLINE Boolean CFStringIsSurrogateHighCharacter(UniChar character) {
    return character >= 0xD800 && character <= 0xDBFF;
}
/// Returns whether a UTF-16 unit is the second half of a surrogate pair.
CF_INLINE Boolean CFStringIsSurrogateLowCharacter(UniChar character) {
    return character >= 0xDC00 && character <= 0xDFFF;
}
/// Returns the character that a surrogate pair stands for.
CF_INLINE UTF32Char CFStringGetLongCharacterForSurrogatePair(UniChar surrogateHigh,
                                                             UniChar surrogateLow) {
    return (UTF32Char)(surrogateHigh - 0xD800) * 0x400 + (UTF32Char)(surrogateLow - 0xDC00)
        + 0x10000;
}

// MARK: - Comparing and searching

/// Options of a comparison or a search.
///
/// This library does not support CoreFoundation's other options and ignores their
/// numbers.
typedef CF_OPTIONS(CFOptionFlags, CFStringCompareFlags) {
    /// A equals a, in every script that has cases. Characters are compared one to one.
    kCFCompareCaseInsensitive = 1,
    /// In a search: find the last occurrence.
    kCFCompareBackwards = 4,
    /// In a search: look only at the start, or with kCFCompareBackwards only at the end.
    kCFCompareAnchored = 8,
    /// In a comparison: digits count as numbers, so file2 < file10.
    kCFCompareNumerically = 64
};

/// Compares two strings unit by unit, and returns their order.
///
/// Only kCFCompareCaseInsensitive and kCFCompareNumerically have an effect.
CF_EXPORT CFComparisonResult CFStringCompare(CFStringRef theString1, CFStringRef theString2,
                                             CFStringCompareFlags compareOptions);

/// Compares a range of the first string with the second string, as CFStringCompare does.
CF_EXPORT CFComparisonResult CFStringCompareWithOptions(CFStringRef theString1,
                                                        CFStringRef theString2,
                                                        CFRange rangeToCompare,
                                                        CFStringCompareFlags compareOptions);

/// Returns the range of the first occurrence of `stringToFind`, or {kCFNotFound, 0}.
///
/// An empty `stringToFind` is never found.
CF_EXPORT CFRange CFStringFind(CFStringRef theString, CFStringRef stringToFind,
                               CFStringCompareFlags compareOptions);

/// Searches a range of a string, as CFStringFind does, and returns whether it found `stringToFind`.
///
/// If `result` is not NULL, it receives the range that was found.
CF_EXPORT Boolean CFStringFindWithOptions(CFStringRef theString, CFStringRef stringToFind,
                                          CFRange rangeToSearch,
                                          CFStringCompareFlags searchOptions, CFRange *result);

/// Returns whether a string begins with `prefix`. Returns false if `prefix` is empty.
CF_EXPORT Boolean CFStringHasPrefix(CFStringRef theString, CFStringRef prefix);

/// Returns whether a string ends with `suffix`. Returns false if `suffix` is empty.
CF_EXPORT Boolean CFStringHasSuffix(CFStringRef theString, CFStringRef suffix);

// MARK: - Splitting, joining, reading numbers

/// Creates a string from the strings of an array, with `separatorString` between them.
///
/// The caller owns the string. An empty array gives an empty string. If the array has more than one
/// string, a NULL separator aborts the program with a message.
CF_EXPORT CFStringRef CFStringCreateByCombiningStrings(CFAllocatorRef alloc, CFArrayRef theArray,
                                                       CFStringRef separatorString);

/// Splits a string at each occurrence of `separatorString`, and returns the parts.
///
/// The caller owns the array. If there is no occurrence, the array contains one string.
CF_EXPORT CFArrayRef CFStringCreateArrayBySeparatingStrings(CFAllocatorRef alloc,
                                                            CFStringRef theString,
                                                            CFStringRef separatorString);

/// Returns the decimal number at the beginning of a string, after white space, or 0 if there is
/// none.
///
/// A number that is too large gives INT32_MAX or INT32_MIN.
CF_EXPORT SInt32 CFStringGetIntValue(CFStringRef str);

/// Returns the decimal number at the beginning of a string, after white space, or 0.0 if there is
/// none.
///
/// The number may have a fraction and an exponent.
CF_EXPORT double CFStringGetDoubleValue(CFStringRef str);

// MARK: - Changing strings

/// Appends a string.
CF_EXPORT void CFStringAppend(CFMutableStringRef theString, CFStringRef appendedString);

/// Appends UTF-16 units.
CF_EXPORT void CFStringAppendCharacters(CFMutableStringRef theString, const UniChar *chars,
                                        CFIndex numChars);

/// Appends a C string. If its bytes are not valid in `encoding`, appends nothing.
CF_EXPORT void CFStringAppendCString(CFMutableStringRef theString, const char *cStr,
                                     CFStringEncoding encoding);

/// Appends formatted text. CFStringCreateWithFormat describes the format.
CF_EXPORT void CFStringAppendFormat(CFMutableStringRef theString, CFDictionaryRef formatOptions,
                                    CFStringRef format, ...)
    CF_FORMAT_FUNCTION(3, 4);

/// Appends formatted text from a va_list. CFStringCreateWithFormat describes the format.
///
/// Do not use the list afterwards.
CF_EXPORT void CFStringAppendFormatAndArguments(CFMutableStringRef theString,
                                                CFDictionaryRef formatOptions, CFStringRef format,
                                                va_list arguments)
    CF_FORMAT_FUNCTION(3, 0);

/// Inserts a string before `idx`, which may be the length.
CF_EXPORT void CFStringInsert(CFMutableStringRef str, CFIndex idx, CFStringRef insertedStr);

/// Deletes a range.
CF_EXPORT void CFStringDelete(CFMutableStringRef theString, CFRange range);

/// Replaces a range by a string.
CF_EXPORT void CFStringReplace(CFMutableStringRef theString, CFRange range,
                               CFStringRef replacement);

/// Replaces the whole text by a string.
CF_EXPORT void CFStringReplaceAll(CFMutableStringRef theString, CFStringRef replacement);

/// Replaces every occurrence of `stringToFind` in a range, and returns how many there were.
///
/// With kCFCompareBackwards it searches from the end. With kCFCompareAnchored it replaces only the
/// occurrences that follow one another from the start (or the end).
CF_EXPORT CFIndex CFStringFindAndReplace(CFMutableStringRef theString, CFStringRef stringToFind,
                                         CFStringRef replacementString,
                                         CFRange rangeToSearch,
                                             CFStringCompareFlags compareOptions);

/// Makes a string `length` UTF-16 units long.
///
/// It truncates the string, or appends units of `padString` repeatedly, beginning with the unit at
/// `indexIntoPad`. `padString` may be NULL if the string is only truncated. A negative length, and
/// an index outside `padString` when the string grows, abort the program with a message.
CF_EXPORT void CFStringPad(CFMutableStringRef theString, CFStringRef padString, CFIndex length,
                           CFIndex indexIntoPad);

/// Removes `trimString` from the beginning and the end of a string, as often as it is there.
CF_EXPORT void CFStringTrim(CFMutableStringRef theString, CFStringRef trimString);

/// Removes white space and line ends from the beginning and the end of a string.
CF_EXPORT void CFStringTrimWhitespace(CFMutableStringRef theString);

/// Makes the letters of a string lowercase, one character for one.
///
/// `locale` is a CFLocaleRef on a Mac. It is not used here; pass NULL.
CF_EXPORT void CFStringLowercase(CFMutableStringRef theString, const void *locale);

/// Makes the letters of a string uppercase, one character for one.
///
/// `locale` is a CFLocaleRef on a Mac. It is not used here; pass NULL.
CF_EXPORT void CFStringUppercase(CFMutableStringRef theString, const void *locale);

// MARK: - Showing

/// Prints an object's description and a line end on stderr, for debugging.
///
/// It prints a string as it is, and NULL as "(null)". You may call it in a debugger.
CF_EXPORT void CFShow(CFTypeRef obj);

CF_EXTERN_C_END

#endif
