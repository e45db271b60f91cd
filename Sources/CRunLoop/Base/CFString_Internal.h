/// CFString_Internal.h: what the files of CFString share. Internal.
///
/// A string stores its text as UTF-8, followed by a zero. So it is a C string already, a constant
/// string needs no conversion, and equal strings have equal bytes. (A Mac stores eight-bit or
/// UTF-16 units.) The public functions count UTF-16 units, so each string stores its number of
/// units (the functions count those of a constant string). If that is the number of bytes, the text
/// is ASCII, and the index of a unit is the index of its byte. In other text the functions find a
/// unit by reading from the start.
///
/// An unpaired surrogate is not valid in UTF-8. A string stores it in three bytes, in the form that
/// UTF-8 would give it. When a high and a low surrogate meet, they are joined into one character at
/// once, so that the same text never has two forms.
#if !defined(__COREFOUNDATION_CFSTRING_INTERNAL__)
#define __COREFOUNDATION_CFSTRING_INTERNAL__ 1

#include "CFInternal.h"

CF_EXTERN_C_BEGIN

struct __CFString {
    CFRuntimeBase _base;
    // The text. It is _text, or it is in separate memory, which the string frees (flag OwnsBytes).
    const uint8_t *_ptr;
    CFIndex _length;   // in bytes, without the zero
    // A constant string ends here. The fields below exist only with the flag KnowsUnits.
    CFIndex _units;    // what CFStringGetLength returns
    union {
        CFIndex _capacity; // with the flag OwnsBytes: bytes at _ptr, including the zero
        uint8_t _text[sizeof(CFIndex)]; // otherwise: the text, which may extend beyond the struct
    };
};

enum {
    __kCFStringKnowsUnits = 0,
    __kCFStringIsMutable = 1,
    __kCFStringOwnsBytes = 2
};

/// The text of a string. A function gets it once and passes it on, because the units of a constant
/// string must be counted.
typedef struct {
    const uint8_t *bytes;
    CFIndex length; // in bytes
    CFIndex units;
} __CFStringText;

/// A walk over the characters of a range. If the range splits a surrogate pair, the half counts as
/// a character.
typedef struct {
    const uint8_t *p, *end;
    CFIndex unitsLeft;
    Boolean isInPair; // the range begins with the second half of the character at `p`
} __CFStringWalk;

// MARK: - UTF-16

/// Returns how many UTF-16 units a character has: 1, or 2 for a surrogate pair.
CF_INLINE CFIndex __CFCharacterCountUnits(UTF32Char character) {
    return character >= 0x10000 ? 2 : 1;
}
/// Returns the high surrogate of a character that has two units.
CF_INLINE UniChar __CFCharacterGetHighSurrogate(UTF32Char character) {
    return (UniChar)(0xD800 + ((character - 0x10000) >> 10));
}
/// Returns the low surrogate of a character that has two units.
CF_INLINE UniChar __CFCharacterGetLowSurrogate(UTF32Char character) {
    return (UniChar)(0xDC00 + ((character - 0x10000) & 0x3FF));
}

// MARK: - UTF-8 (CFStringEncodings.c)

/// Reads the character at `p`, which is before `end`, and returns its number of bytes. An unpaired
/// surrogate counts as a character. A byte that is not UTF-8 reads as U+FFFD. Only a constant
/// string can contain such a byte, because the text of all others is checked when they are created.
CF_PRIVATE CFIndex __CFStringReadCharacter(const uint8_t *p, const uint8_t *end,
                                          UTF32Char *character);
/// Writes a character, or an unpaired surrogate, and returns its number of bytes.
CF_PRIVATE CFIndex __CFStringWriteCharacter(UTF32Char character, uint8_t out[4]);
/// Returns how many UTF-16 units a text has. `*isValid` says whether it is UTF-8; the pointer may
/// be NULL.
CF_PRIVATE CFIndex __CFStringCountUnits(const uint8_t *bytes, CFIndex length, Boolean *isValid);

// MARK: - Text (CFString.c)

/// Checks the string and returns its text. `function` is the caller, for the diagnosis.
CF_PRIVATE __CFStringText __CFStringGetText(CFStringRef str, const char *function);
/// Returns whether `str` is mutable. If not, it writes a line to stderr.
CF_PRIVATE Boolean __CFStringMayChange(CFMutableStringRef str, const char *function);
/// Begins a walk over the characters of a range. Aborts if the range is not in the string.
CF_PRIVATE __CFStringWalk __CFStringWalkBegin(CFStringRef str, CFRange range,
                                             const char *function);
/// Gets the next character of a walk. Returns false at the end.
CF_PRIVATE Boolean __CFStringWalkNext(__CFStringWalk *walk, UTF32Char *character);
/// Creates an immutable string with a text that has been checked.
CF_PRIVATE CFStringRef __CFStringCreateWithText(CFAllocatorRef alloc, __CFStringText text);
/// Appends text to a mutable string, and joins the surrogates of a pair that meet. The text must
/// not be that of `str`.
CF_PRIVATE void __CFStringAppendText(CFMutableStringRef str, __CFStringText text);
/// Appends one character, or an unpaired surrogate.
CF_PRIVATE void __CFStringAppendCharacter(CFMutableStringRef str, UTF32Char character);
/// Makes a mutable string immutable, and returns it.
CF_PRIVATE CFStringRef __CFStringFreeze(CFMutableStringRef str);

CF_EXTERN_C_END

#endif
