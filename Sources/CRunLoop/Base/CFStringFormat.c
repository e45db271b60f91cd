/// CFStringFormat.c: printf into a string. Besides what C can print, it prints objects (%@) and
/// UTF-16 (%C, %S).
///
/// A format may use its arguments in any order ("%2$@ %1$@"). But va_arg gets them only in the
/// order in which they were passed, and needs the type of each. So there are three steps: read the
/// whole format, get all arguments, print. On a Mac this is a part of CFString.c, which also uses
/// the user's locale. Both let snprintf print the numbers.
#include "CFString_Internal.h"

// MARK: - The parts of a format

/// The maximum number of arguments. A conversion of a later one prints nothing.
enum { __kCFFormatMaxArguments = 128 };

/// The types that variadic arguments have.
typedef enum {
    __kCFFormatNothing = 0,
    __kCFFormatInt,
    __kCFFormatLong, // 64 bits: integers with the modifier l, q, j, z, t or L
    __kCFFormatDouble,
    __kCFFormatLongDouble,
    __kCFFormatPointer
} __CFFormatType;

typedef union {
    int64_t integer;
    double real;
    long double longReal;
    const void *pointer;
} __CFFormatValue;

/// A plain text or a conversion.
typedef struct {
    const uint8_t *text;  // the start of the plain text
    CFIndex length;       // the number of its bytes
    char conversion;      // the letter; 0 for plain text
    char modifier;        // 'H' (hh), 'h', 'l' (all 64-bit integers), 'L' (long double), or 0
    char flags[8];        // a subset of "-+ #0'"
    int width, precision; // -1 if not given
    // Indexes of arguments: the value, and a width or precision that is written as '*'. -1 if there
    // is no such argument.
    int argument, widthArgument, precisionArgument;
} __CFFormatSpec;

typedef struct {
    __CFFormatSpec *specs;
    CFIndex count, capacity;
    __CFFormatType types[__kCFFormatMaxArguments]; // of each argument
    __CFFormatValue values[__kCFFormatMaxArguments];
    int argumentCount; // the highest index in use plus one
    int next;          // the argument of the next conversion that has no position
} __CFFormat;

// MARK: - Step 1: reading the format

static __CFFormatSpec *__CFFormatAdd(__CFFormat *self) {
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 16;
        self->specs = realloc(self->specs, (size_t)self->capacity * sizeof(__CFFormatSpec));
        if (!self->specs) __CF_HAS_NO_MEMORY_LEFT__("a format");
    }
    __CFFormatSpec *spec = &self->specs[self->count++];
    *spec = (__CFFormatSpec){.width = -1, .precision = -1, .argument = -1, .widthArgument = -1,
                             .precisionArgument = -1};
    return spec;
}

static void __CFFormatAddText(__CFFormat *self, const uint8_t *text, CFIndex length) {
    if (length == 0) return;
    __CFFormatSpec *spec = __CFFormatAdd(self);
    spec->text = text;
    spec->length = length;
}

/// Records the type of an argument, and returns its index. `position` counts from 1; 0 means the
/// next argument. Returns -1 if there are too many arguments.
static int __CFFormatAddArgument(__CFFormat *self, int position, __CFFormatType type) {
    int index = position > 0 ? position - 1 : self->next++;
    if (index >= __kCFFormatMaxArguments) return -1;
    self->types[index] = type;
    if (index >= self->argumentCount) self->argumentCount = index + 1;
    return index;
}

/// The position in the format. A zero follows the format and is not part of any conversion, so no
/// function reads past it.
typedef const uint8_t *__CFFormatCursor;

/// Reads a decimal number. Returns -1 if there is none, and INT_MAX if it is too large.
static int __CFFormatReadNumber(__CFFormatCursor *p) {
    int value = -1;
    for (; **p >= '0' && **p <= '9'; ++*p) {
        int digit = **p - '0';
        value = value < 0 ? digit : value > (INT_MAX - digit) / 10 ? INT_MAX : value * 10 + digit;
    }
    return value;
}

/// Reads a position such as `2$`. Returns 0 if there is none.
static int __CFFormatReadPosition(__CFFormatCursor *p) {
    __CFFormatCursor start = *p;
    int position = __CFFormatReadNumber(p);
    if (position > 0 && **p == '$') {
        ++*p;
        return position;
    }
    *p = start;
    return 0;
}

static void __CFFormatReadFlags(__CFFormatCursor *p, char flags[8]) {
    for (; **p && strchr("-+ #0'", **p); ++*p) {
        size_t used = strlen(flags);
        // Each of the six flags is stored only once, so a zero always follows them.
        if (!strchr(flags, **p)) flags[used] = (char)**p;
    }
}

/// Reads a width or a precision: a number, or `*` if it is an argument.
static int __CFFormatReadSize(__CFFormat *self, __CFFormatCursor *p, int *argument) {
    if (**p != '*') return __CFFormatReadNumber(p);
    ++*p;
    *argument = __CFFormatAddArgument(self, __CFFormatReadPosition(p), __kCFFormatInt);
    return -1;
}

static char __CFFormatReadModifier(__CFFormatCursor *p) {
    char modifier = 0;
    for (; **p && strchr("hlqjztL", **p); ++*p) {
        if (**p == 'h') modifier = modifier == 'h' ? 'H' : 'h';
        else modifier = **p == 'L' ? 'L' : 'l';
    }
    return modifier;
}

/// Returns the type of a conversion's argument, or __kCFFormatNothing if the letter is not a
/// conversion.
static __CFFormatType __CFFormatGetType(char conversion, char modifier) {
    if (conversion == 0) return __kCFFormatNothing;
    if (strchr("diouxX", conversion))
        return modifier == 'l' || modifier == 'L' ? __kCFFormatLong : __kCFFormatInt;
    if (strchr("DOU", conversion)) return __kCFFormatLong;
    if (strchr("aAeEfFgG", conversion))
        return modifier == 'L' ? __kCFFormatLongDouble : __kCFFormatDouble;
    if (strchr("cC", conversion)) return __kCFFormatInt;
    return strchr("@sSpn", conversion) ? __kCFFormatPointer : __kCFFormatNothing;
}

/// Reads a conversion after its percent sign.
static void __CFFormatReadConversion(__CFFormat *self, __CFFormatCursor *p) {
    __CFFormatCursor start = *p;
    CFIndex index = self->count;
    __CFFormatSpec *spec = __CFFormatAdd(self);
    int position = __CFFormatReadPosition(p);
    __CFFormatReadFlags(p, spec->flags);
    spec->width = __CFFormatReadSize(self, p, &spec->widthArgument);
    if (**p == '.') {
        ++*p;
        spec->precision = __CFFormatReadSize(self, p, &spec->precisionArgument);
        // A point without a number means 0. If there is a `*`, the argument replaces it later.
        if (spec->precision < 0) spec->precision = 0;
    }
    spec->modifier = __CFFormatReadModifier(p);
    spec->conversion = (char)**p;
    __CFFormatType type = __CFFormatGetType(spec->conversion, spec->modifier);
    if (type != __kCFFormatNothing) {
        spec->argument = __CFFormatAddArgument(self, position, type);
        ++*p;
        return;
    }
    // It is not a conversion, so print it as text, without the percent sign. It ends with the
    // letter that is unknown, which may be several bytes of UTF-8.
    self->count = index;
    CFIndex width = **p ? 1 : 0;
    while ((*p)[width] >= 0x80 && (*p)[width] < 0xC0) width++;
    if (**p == '%') start = *p;
    if (width > 0) __CFFormatAddText(self, start, *p + width - start);
    *p += width;
}

static void __CFFormatRead(__CFFormat *self, __CFStringText text) {
    const uint8_t *p = text.bytes, *end = text.bytes + text.length;
    while (p < end) {
        const uint8_t *percent = memchr(p, '%', (size_t)(end - p));
        __CFFormatAddText(self, p, (percent ? percent : end) - p);
        if (!percent) return;
        p = percent + 1;
        __CFFormatReadConversion(self, &p);
    }
}

// MARK: - Step 2: getting the arguments

static void __CFFormatGetArguments(__CFFormat *self, va_list *arguments) {
    for (int i = 0; i < self->argumentCount; i++) {
        __CFFormatValue *value = &self->values[i];
        switch (self->types[i]) {
        case __kCFFormatInt: value->integer = va_arg(*arguments, int); break;
        case __kCFFormatDouble: value->real = va_arg(*arguments, double); break;
        case __kCFFormatLongDouble: value->longReal = va_arg(*arguments, long double); break;
        case __kCFFormatPointer: value->pointer = va_arg(*arguments, const void *); break;
        case __kCFFormatNothing: // no conversion uses the argument, but it must be skipped
        case __kCFFormatLong: value->integer = va_arg(*arguments, int64_t); break;
        }
    }
}

// MARK: - Step 3: printing

/// Appends one number, printed by C.
__attribute__((format(printf, 2, 3)))
static void __CFFormatPrintC(CFMutableStringRef out, const char *format, ...) {
    char few[128], *bytes = few;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(few, sizeof(few), format, arguments);
    if (length >= (int)sizeof(few)) {
        bytes = malloc((size_t)length + 1);
        if (!bytes) __CF_HAS_NO_MEMORY_LEFT__("a formatted number");
        vsnprintf(bytes, (size_t)length + 1, format, again);
    }
    // The length is negative if the text is too long for C to print.
    if (length > 0)
        __CFStringAppendBytes(out, (uint8_t *)bytes, length, kCFStringEncodingUTF8, false);
    if (bytes != few) free(bytes);
    va_end(again);
    va_end(arguments);
}

/// A format by which C prints one number. Its width and precision are arguments.
typedef struct {
    char text[24];
} __CFFormatCFormat;

static __CFFormatCFormat __CFFormatMakeC(const __CFFormatSpec *spec, const char *modifier,
                                         char conversion) {
    __CFFormatCFormat format;
    snprintf(format.text, sizeof(format.text), "%%%s%s%s%c", spec->flags,
             spec->precision >= 0 ? "*.*" : "*", modifier, conversion);
    return format;
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-security"
/// Passes no width as 0, which has the same effect.
#define __CFFormatPrintNumber(OUT, SPEC, FORMAT, VALUE) do { \
    int __width = (SPEC)->width > 0 ? (SPEC)->width : 0; \
    if ((SPEC)->precision >= 0) \
        __CFFormatPrintC(OUT, (FORMAT).text, __width, (SPEC)->precision, VALUE); \
    else __CFFormatPrintC(OUT, (FORMAT).text, __width, VALUE); \
} while (0)

/// Truncates an integer to the type that its modifier names.
static int64_t __CFFormatNarrow(const __CFFormatSpec *spec, int64_t value, Boolean isSigned) {
    switch (spec->modifier) {
    case 'H': return isSigned ? (int64_t)(signed char)value : (int64_t)(unsigned char)value;
    case 'h': return isSigned ? (int64_t)(short)value : (int64_t)(unsigned short)value;
    case 0: return isSigned ? (int64_t)(int)value : (int64_t)(unsigned)value;
    default: return value;
    }
}

static void __CFFormatPrintInteger(CFMutableStringRef out, const __CFFormatSpec *spec,
                                   int64_t value) {
    char conversion = spec->conversion;
    Boolean isLong = strchr("DOU", conversion) != NULL; // old names of ld, lo, lu
    if (isLong) conversion = (char)tolower(conversion);
    Boolean isSigned = conversion == 'd' || conversion == 'i';
    if (!isLong) value = __CFFormatNarrow(spec, value, isSigned);
    __CFFormatCFormat format = __CFFormatMakeC(spec, "ll", conversion);
    __CFFormatPrintNumber(out, spec, format, (long long)value);
}

static void __CFFormatPrintReal(CFMutableStringRef out, const __CFFormatSpec *spec,
                                __CFFormatValue value) {
    locale_t locale = __CFStringGetLocale();
    // The decimal separator is a point, whatever the user's locale.
    locale_t users = locale ? uselocale(locale) : (locale_t)0;
    if (spec->modifier == 'L') {
        __CFFormatCFormat format = __CFFormatMakeC(spec, "L", spec->conversion);
        __CFFormatPrintNumber(out, spec, format, value.longReal);
    } else {
        __CFFormatCFormat format = __CFFormatMakeC(spec, "", spec->conversion);
        __CFFormatPrintNumber(out, spec, format, value.real);
    }
    if (locale) uselocale(users);
}

static void __CFFormatPrintPointer(CFMutableStringRef out, const __CFFormatSpec *spec,
                                   const void *value) {
    __CFFormatSpec plain = *spec;
    plain.precision = -1;
    memset(plain.flags, 0, sizeof(plain.flags));
    // For a pointer, C defines only this flag.
    if (strchr(spec->flags, '-')) plain.flags[0] = '-';
    __CFFormatCFormat format = __CFFormatMakeC(&plain, "", 'p');
    __CFFormatPrintNumber(out, &plain, format, value);
}
#pragma clang diagnostic pop

static void __CFFormatPrintSpaces(CFMutableStringRef out, CFIndex count) {
    for (CFIndex i = 0; i < count; i++) __CFStringAppendCharacter(out, ' ');
}

/// Prints text with spaces before or after it, up to the width. `length` is the text's length in
/// the unit of the width: bytes for %s, UTF-16 units for %S.
static void __CFFormatPrintPadded(CFMutableStringRef out, const __CFFormatSpec *spec,
                                  CFStringRef text, CFIndex length) {
    CFIndex spaces = spec->width > length ? spec->width - length : 0;
    Boolean isLeft = strchr(spec->flags, '-') != NULL;
    __CFStringText units = __CFStringGetText(text, "CFStringCreateWithFormat");
    if (!isLeft) __CFFormatPrintSpaces(out, spaces);
    __CFStringAppendText(out, units.bytes, units.length, units.units);
    if (isLeft) __CFFormatPrintSpaces(out, spaces);
}

/// Creates a string from UTF-8, or from ISO Latin 1 if the bytes are not valid UTF-8. A precision
/// counts bytes, and may have cut the last character (`isCut`). Its bytes are left out.
static CFStringRef __CFFormatCopyCString(const char *bytes, CFIndex length, Boolean isCut) {
    for (CFIndex cut = 0; cut <= (isCut ? 3 : 0) && cut <= length; cut++) {
        CFStringRef str = CFStringCreateWithBytes(kCFAllocatorSystemDefault, (const UInt8 *)bytes,
                                                  length - cut, kCFStringEncodingUTF8, false);
        if (str) return str;
    }
    return CFStringCreateWithBytes(kCFAllocatorSystemDefault, (const UInt8 *)bytes, length,
                                   kCFStringEncodingISOLatin1, false);
}

static void __CFFormatPrintCString(CFMutableStringRef out, const __CFFormatSpec *spec,
                                   const char *bytes) {
    if (!bytes) bytes = "(null)";
    size_t length = spec->precision >= 0 ? strnlen(bytes, (size_t)spec->precision) : strlen(bytes);
    CFStringRef text = __CFFormatCopyCString(bytes, (CFIndex)length, spec->precision >= 0);
    if (!text) return;
    __CFFormatPrintPadded(out, spec, text, (CFIndex)length);
    CFRelease(text);
}

/// Prints UTF-16 units up to a zero, or up to the precision.
static void __CFFormatPrintUnits(CFMutableStringRef out, const __CFFormatSpec *spec,
                                 const UniChar *units) {
    if (!units) {
        __CFFormatPrintCString(out, spec, NULL);
        return;
    }
    CFIndex length = 0;
    while ((spec->precision < 0 || length < spec->precision) && units[length] != 0) length++;
    CFStringRef text = CFStringCreateWithCharacters(kCFAllocatorSystemDefault, units, length);
    if (!text) return;
    __CFFormatPrintPadded(out, spec, text, length);
    CFRelease(text);
}

/// Prints a byte as a character of ISO Latin 1. A zero is not printed, because it would end the
/// text for functions that take a C string.
static void __CFFormatPrintByte(CFMutableStringRef out, const __CFFormatSpec *spec, uint8_t byte) {
    CFStringRef text = CFStringCreateWithBytes(kCFAllocatorSystemDefault, &byte, byte != 0,
                                               kCFStringEncodingISOLatin1, false);
    if (!text) return;
    __CFFormatPrintPadded(out, spec, text, 1);
    CFRelease(text);
}

/// Prints an object. Width and precision have no effect, as in the Linux build.
static void __CFFormatPrintObject(CFMutableStringRef out, CFTypeRef object) {
    CFStringRef text;
    if (!object) {
        text = CFSTR("(null)");
    } else {
        const CFRuntimeClass *cls = __CFRuntimeGetClass(object);
        text = cls->copyFormattingDesc ? cls->copyFormattingDesc(object, NULL)
            : CFCopyDescription(object);
    }
    if (!text) return;
    CFStringAppend(out, text);
    CFRelease(text);
}

/// Gets a width and a precision that are arguments. A negative width means the flag `-`, and a
/// negative precision means none.
static void __CFFormatResolveSizes(const __CFFormat *self, __CFFormatSpec *spec) {
    if (spec->precisionArgument >= 0)
        spec->precision = (int)self->values[spec->precisionArgument].integer;
    if (spec->widthArgument < 0) return;
    spec->width = (int)self->values[spec->widthArgument].integer;
    if (spec->width >= 0) return;
    spec->width = spec->width == INT_MIN ? INT_MAX : -spec->width;
    if (!strchr(spec->flags, '-')) spec->flags[strlen(spec->flags)] = '-';
}

static void __CFFormatPrint(__CFFormat *self, CFMutableStringRef out, __CFFormatSpec *spec) {
    if (spec->conversion == 0) {
        __CFStringAppendText(out, spec->text, spec->length,
                             __CFStringCountUnits(spec->text, spec->length));
        return;
    }
    if (spec->argument < 0) return;
    __CFFormatResolveSizes(self, spec);
    __CFFormatValue value = self->values[spec->argument];
    switch (spec->conversion) {
    case '@': __CFFormatPrintObject(out, value.pointer); break;
    case 's': __CFFormatPrintCString(out, spec, value.pointer); break;
    case 'S': __CFFormatPrintUnits(out, spec, value.pointer); break;
    case 'c': __CFFormatPrintByte(out, spec, (uint8_t)value.integer); break;
    case 'C': __CFStringAppendCharacter(out, (UniChar)value.integer); break;
    case 'p': __CFFormatPrintPointer(out, spec, value.pointer); break;
    case 'n': break; // in C it writes to memory, which attacks have used
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
    case 'D': case 'O': case 'U': __CFFormatPrintInteger(out, spec, value.integer); break;
    default: __CFFormatPrintReal(out, spec, value); break;
    }
}

// MARK: - The public functions

/// Creates a string with the formatted text. It is a new string, because the string that a caller
/// appends it to may be among the arguments.
static CFMutableStringRef __CFStringCreateFormatted(CFAllocatorRef alloc, CFStringRef format,
                                                    va_list *arguments, const char *function) {
    __CFStringText text = __CFStringGetText(format, function);
    CFMutableStringRef out = CFStringCreateMutable(alloc, 0);
    if (!out) return NULL;
    __CFFormat reader = {0};
    __CFFormatRead(&reader, text);
    __CFFormatGetArguments(&reader, arguments);
    for (CFIndex i = 0; i < reader.count; i++) __CFFormatPrint(&reader, out, &reader.specs[i]);
    free(reader.specs);
    return out;
}

CFStringRef CFStringCreateWithFormatAndArguments(CFAllocatorRef alloc,
                                                 CFDictionaryRef formatOptions, CFStringRef format,
                                                 va_list arguments) {
    // A va_list may be an array. Then the parameter is a pointer, and its address has another type.
    va_list list;
    va_copy(list, arguments);
    CFMutableStringRef str = __CFStringCreateFormatted(alloc, format, &list,
                                                       "CFStringCreateWithFormat");
    va_end(list);
    return str ? __CFStringFreeze(str) : NULL;
}

CFStringRef CFStringCreateWithFormat(CFAllocatorRef alloc, CFDictionaryRef formatOptions,
                                     CFStringRef format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CFStringRef str = CFStringCreateWithFormatAndArguments(alloc, formatOptions, format, arguments);
    va_end(arguments);
    return str;
}

void CFStringAppendFormatAndArguments(CFMutableStringRef theString, CFDictionaryRef formatOptions,
                                      CFStringRef format, va_list arguments) {
    if (!__CFStringMayChange(theString, "CFStringAppendFormat")) return;
    va_list list;
    va_copy(list, arguments);
    CFStringRef str = __CFStringCreateFormatted(kCFAllocatorSystemDefault, format, &list,
                                                "CFStringAppendFormat");
    va_end(list);
    if (!str) __CF_HAS_NO_MEMORY_LEFT__("a formatted string");
    CFStringAppend(theString, str);
    CFRelease(str);
}

void CFStringAppendFormat(CFMutableStringRef theString, CFDictionaryRef formatOptions,
                          CFStringRef format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CFStringAppendFormatAndArguments(theString, formatOptions, format, arguments);
    va_end(arguments);
}
