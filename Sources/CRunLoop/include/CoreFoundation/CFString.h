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
/// - An encoding other than ASCII and UTF-8 is refused: the result is NULL, false or 0.
#if !defined(__COREFOUNDATION_CFSTRING__)
#define __COREFOUNDATION_CFSTRING__ 1

#include "CFBase.h"
#include "CFDictionary.h"
#include <stdarg.h>

CF_EXTERN_C_BEGIN

// MARK: - Encodings

/// The number of an encoding, a way to write text as bytes.
typedef UInt32 CFStringEncoding;

/// The encodings that this library supports.
///
/// When ASCII is read, bytes from 0x80 up are taken as ISO Latin 1, as in the original (Linux
/// build).
typedef CF_ENUM(CFStringEncoding, CFStringBuiltInEncodings) {
    kCFStringEncodingASCII = 0x0600,
    kCFStringEncodingUTF8 = 0x08000100
};

// MARK: - Constant strings

/// The layout of a CFSTR string. It begins with the head of every object (CFRuntime.h).
struct __CFConstStr {
    struct {
        uintptr_t _cfisa;
        uint32_t _cfinfo;
        uint32_t _rc;
    } _base;
    const uint8_t *_ptr;
    CFIndex _length; // in bytes
};

/// What the runtime knows about strings. Only CFSTR uses it.
#if !defined(CF_BUILDING_CF) // the library declares it after the struct: Base/CFRuntime.h
CF_EXPORT const struct __CFRuntimeClass __CFStringClass;
#endif

/// Makes a constant string from a literal in UTF-8: `CFSTR("text")`.
///
/// The string lives as long as the program. CFRetain and CFRelease do nothing to it. In C you can
/// use CFSTR in functions only, in C++ also at namespace scope and in a class.
#if defined(__cplusplus)
#define CFSTR(cStr) ([]() -> CFStringRef { \
    static const struct __CFConstStr __cfstr = { \
        {(uintptr_t)&__CFStringClass, 0, 0xffffffffU}, \
        (const uint8_t *)("" cStr ""), (CFIndex)sizeof(cStr) - 1}; \
    return (CFStringRef)(const void *)&__cfstr; \
}())
#else
#define CFSTR(cStr) __extension__({ \
    static const struct __CFConstStr __cfstr = { \
        {(uintptr_t)&__CFStringClass, 0, 0xffffffffU}, \
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
/// A byte order mark at the beginning of UTF8 is left out. Returns NULL if the bytes are not valid
/// in `encoding` or `numBytes` is negative. `isExternalRepresentation` has no effect on these
/// encodings.
CF_EXPORT CFStringRef CFStringCreateWithBytes(CFAllocatorRef alloc, const UInt8 *bytes,
                                              CFIndex numBytes, CFStringEncoding encoding,
                                              Boolean isExternalRepresentation);

/// Creates a string from UTF-16 units. Unpaired surrogates are kept as they are.
CF_EXPORT CFStringRef CFStringCreateWithCharacters(CFAllocatorRef alloc, const UniChar *chars,
                                                   CFIndex numChars);

/// Returns an immutable copy of a string. If the string is immutable, it returns the same string,
/// retained.
CF_EXPORT CFStringRef CFStringCreateCopy(CFAllocatorRef alloc, CFStringRef theString);

/// Creates a string from a format and arguments, like printf.
///
/// - In addition to printf's conversions there is `%@` (an object, or NULL). The original
///   also has `%C`, `%S`, `%D`, `%O` and `%U`, which abort here, and positions (`%2$@`), which are
///   not read here.
/// - `%s` is UTF-8, or ISO Latin 1 if it is not valid UTF-8. `%c` is a byte of ISO Latin 1.
/// - `%n` consumes its argument and writes nothing to it.
/// - Width and precision do not affect `%@`.
/// - Numbers have a decimal point in every locale.
///
/// `formatOptions` is not used; pass NULL.
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

/// Writes a range of the string in an encoding, and returns how many UTF-16 units it has converted.
///
/// It converts as many units as fit in `maxBufLen` bytes. If `usedBufLen` is not NULL, it receives
/// the number of bytes. If `buffer` is NULL, the function only counts. A unit that the encoding
/// cannot represent becomes `lossByte`, which must be ASCII. If `lossByte` is 0, such a unit ends
/// the conversion. `isExternalRepresentation` has no effect on these encodings.
CF_EXPORT CFIndex CFStringGetBytes(CFStringRef theString, CFRange range, CFStringEncoding encoding,
                                   UInt8 lossByte, Boolean isExternalRepresentation, UInt8 *buffer,
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

// MARK: - Extending strings

/// Appends a string.
CF_EXPORT void CFStringAppend(CFMutableStringRef theString, CFStringRef appendedString);

/// Appends formatted text. CFStringCreateWithFormat describes the format.
CF_EXPORT void CFStringAppendFormat(CFMutableStringRef theString, CFDictionaryRef formatOptions,
                                    CFStringRef format, ...)
    CF_FORMAT_FUNCTION(3, 4);

// MARK: - Showing

/// Prints an object's description and a line end on stderr, for debugging.
///
/// It prints a string as it is, and NULL as "(null)". You may call it in a debugger.
CF_EXPORT void CFShow(CFTypeRef obj);

CF_EXTERN_C_END

#endif
