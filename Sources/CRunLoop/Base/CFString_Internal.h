/// CFString_Internal.h: what the files of CFString share. Internal.
///
/// A string stores its text as UTF-8, followed by a zero. So a C string is ready at once, a
/// constant string needs no conversion, and equal strings have equal bytes. A Mac stores eight-bit
/// or UTF-16 units. The public functions still count UTF-16 units, so each string knows its number
/// of units. If it equals the number of bytes, the text is ASCII, and the index of a unit is the
/// index of its byte. In other text a unit is found by walking from the start.
///
/// UTF-8 has no form for an unpaired surrogate, so it is stored in the three bytes that it would
/// take. Two halves that meet are joined at once. So the same text never has two forms, and equal
/// strings always have equal bytes.
#if !defined(__COREFOUNDATION_CFSTRING_INTERNAL__)
#define __COREFOUNDATION_CFSTRING_INTERNAL__ 1

#include "CFInternal.h"

CF_EXTERN_C_BEGIN

struct __CFString {
    CFRuntimeBase _base;
    // The text; behind the struct, or in memory of the string's own (flag OwnsBytes)
    const uint8_t *_ptr;
    CFIndex _length;       // in bytes, without the zero
    // Constant strings end here: what follows is there only with the flag KnowsUnits.
    CFIndex _units;        // the length that CFStringGetLength tells
    CFIndex _capacity;     // bytes at _ptr, the zero included; only with the flag OwnsBytes
};

enum {
    __kCFStringKnowsUnits = 0,
    __kCFStringIsMutable = 1,
    __kCFStringOwnsBytes = 2
};

/// The text of a string, looked at once and then used: for constant strings the units must be
/// counted.
typedef struct {
    const uint8_t *bytes;
    CFIndex length; // in bytes
    CFIndex units;
} __CFStringText;

// MARK: - UTF-8 (CFStringEncodings.c)

/// Reads the character at `p`, which is before `end`, and returns how many bytes it takes. An
/// unpaired surrogate is a character. A byte that is not UTF-8 reads as U+FFFD. Only a constant
/// string can contain one, because all others are checked when they are created.
CF_EXPORT CFIndex __CFStringReadCharacter(const uint8_t *p, const uint8_t *end,
                                          UTF32Char *character);
/// Writes a character, or half a surrogate pair, and returns how many bytes it takes.
CF_EXPORT CFIndex __CFStringWriteCharacter(UTF32Char character, uint8_t out[4]);
/// Returns how many UTF-16 units a text has.
CF_EXPORT CFIndex __CFStringCountUnits(const uint8_t *bytes, CFIndex length);
/// Returns whether the bytes are ASCII, in one of the encodings that write ASCII as it is.
CF_EXPORT Boolean __CFStringIsASCII(const uint8_t *bytes, CFIndex length,
                                    CFStringEncoding encoding);
/// Appends bytes in `encoding` to a mutable string. If they are not valid, returns false and
/// appends nothing useful.
CF_EXPORT Boolean __CFStringAppendBytes(CFMutableStringRef str, const uint8_t *bytes,
                                        CFIndex length, CFStringEncoding encoding,
                                        Boolean isExternalRepresentation);

// MARK: - Text (CFString.c)

/// Aborts: a position or a range lies outside the string.
CF_EXPORT void __CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__(const char *function,
                                                                    CFRange range, CFIndex length)
    __attribute__((noreturn, cold));
/// Checks the string and returns its text. `function` is the caller, for the diagnosis.
CF_EXPORT __CFStringText __CFStringGetText(CFStringRef str, const char *function);
/// Checks the string and that `range` lies in it, and returns its text.
CF_EXPORT __CFStringText __CFStringGetTextOfRange(CFStringRef str, CFRange range,
                                                  const char *function);
/// Returns whether `str` is mutable. If not, it writes a line to stderr.
CF_EXPORT Boolean __CFStringMayChange(CFMutableStringRef str, const char *function);
/// Copies units out of a text. The range is valid.
CF_EXPORT void __CFStringGetUnits(__CFStringText text, CFRange range, UniChar *buffer);
/// Appends text to a mutable string, and joins two halves of a surrogate pair that meet. `units` is
/// the number of units of `bytes`.
CF_EXPORT void __CFStringAppendText(CFMutableStringRef str, const uint8_t *bytes, CFIndex length,
                                    CFIndex units);
/// Appends one character, or half a surrogate pair.
CF_EXPORT void __CFStringAppendCharacter(CFMutableStringRef str, UTF32Char character);
/// Appends the units of a valid range of a text, which may split surrogate pairs. The text is not
/// the string's own.
CF_EXPORT void __CFStringAppendSlice(CFMutableStringRef str, __CFStringText text, CFRange range);
/// Adds UTF-16 units.
CF_EXPORT void __CFStringAppendUnits(CFMutableStringRef str, const UniChar *units, CFIndex count);
/// Makes a mutable string immutable, and returns it.
CF_EXPORT CFStringRef __CFStringFreeze(CFMutableStringRef str);

// MARK: - Letters (CFStringSearch.c)

/// Returns a locale that knows the letters of all scripts and writes numbers with a point. Returns
/// NULL if the system has none.
CF_EXPORT locale_t __CFStringGetLocale(void);

CF_EXTERN_C_END

#endif
