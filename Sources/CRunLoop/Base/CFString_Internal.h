/// CFString_Internal.h: what the files of CFString share. Internal.
///
/// A string's text is kept as UTF-8, followed by a zero: a C string is then ready at once, a
/// constant string needs no conversion, and equal strings have equal bytes. A Mac keeps eight-bit
/// or UTF-16 units. What is counted outside is UTF-16 units all the same, so each string knows its
/// number of units; if that is its number of bytes too, the text is ASCII, and a unit's place is
/// its byte's place. In other text a unit is found by walking from the start.
///
/// Halves of surrogate pairs that stand alone, which UTF-8 has no form for, are kept in the three
/// bytes that they would take. Two halves that meet are joined at once: the same text never has two
/// forms, or equal strings would not have equal bytes.
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

/// Reads the character at `p`, which is before `end`, and returns how many bytes it takes. Halves
/// of surrogate pairs are characters. A byte that is not UTF-8 (in a constant string: all others
/// are checked when they are made) reads as U+FFFD.
CF_EXPORT CFIndex __CFStringReadCharacter(const uint8_t *p, const uint8_t *end,
                                          UTF32Char *character);
/// Writes a character, or half a surrogate pair, and returns how many bytes it takes.
CF_EXPORT CFIndex __CFStringWriteCharacter(UTF32Char character, uint8_t out[4]);
/// How many UTF-16 units some text has.
CF_EXPORT CFIndex __CFStringCountUnits(const uint8_t *bytes, CFIndex length);
/// Whether the bytes are ASCII, in one of the encodings that write ASCII as it is.
CF_EXPORT Boolean __CFStringIsASCII(const uint8_t *bytes, CFIndex length,
                                    CFStringEncoding encoding);
/// Adds bytes in `encoding` to a mutable string. False, and nothing useful added, when they are not
/// valid.
CF_EXPORT Boolean __CFStringAppendBytes(CFMutableStringRef str, const uint8_t *bytes,
                                        CFIndex length, CFStringEncoding encoding,
                                        Boolean isExternalRepresentation);

// MARK: - Text (CFString.c)

/// Stops the program: a position or a range lies outside of the string.
CF_EXPORT void __CFSTRING_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_STRING__(const char *function,
                                                                    CFRange range, CFIndex length)
    __attribute__((noreturn, cold));
/// Checks the string and gives its text. `function` is who asks, for the diagnosis.
CF_EXPORT __CFStringText __CFStringGetText(CFStringRef str, const char *function);
/// The same, and checks that `range` lies in the string.
CF_EXPORT __CFStringText __CFStringGetTextOfRange(CFStringRef str, CFRange range,
                                                  const char *function);
/// Whether `str` may be changed. If not it says so on stderr.
CF_EXPORT Boolean __CFStringMayChange(CFMutableStringRef str, const char *function);
/// Copies units out of a text. The range is valid.
CF_EXPORT void __CFStringGetUnits(__CFStringText text, CFRange range, UniChar *buffer);
/// Adds text to a mutable string; joins two halves of a surrogate pair that meet. `units` is the
/// number of units of `bytes`.
CF_EXPORT void __CFStringAppendText(CFMutableStringRef str, const uint8_t *bytes, CFIndex length,
                                    CFIndex units);
/// Adds one character, or half a surrogate pair.
CF_EXPORT void __CFStringAppendCharacter(CFMutableStringRef str, UTF32Char character);
/// Adds the units of a valid range of a text, which may cut surrogate pairs. The text is not the
/// string's own.
CF_EXPORT void __CFStringAppendSlice(CFMutableStringRef str, __CFStringText text, CFRange range);
/// Adds UTF-16 units.
CF_EXPORT void __CFStringAppendUnits(CFMutableStringRef str, const UniChar *units, CFIndex count);
/// Makes the mutable string one that cannot be changed, and returns it.
CF_EXPORT CFStringRef __CFStringFreeze(CFMutableStringRef str);

// MARK: - Letters (CFStringSearch.c)

/// A locale that knows the letters of all scripts and writes numbers with a point; NULL when the
/// system gives none.
CF_EXPORT locale_t __CFStringGetLocale(void);

CF_EXTERN_C_END

#endif
