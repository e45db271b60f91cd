/// CFStringFormat.c: printf into a string. Besides what C can print, it prints objects (%@) and
/// UTF-16 (%C, %S).
///
/// A format may use its arguments in any order ("%2$@ %1$@"). But va_arg gets them only in the
/// order in which they were passed, and needs the type of each. So there are three steps: read the
/// whole format, get all arguments, and read the format again to print. On a Mac this is a part of
/// CFString.c, which also uses the user's locale. Both let snprintf print the numbers.
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

/// A part of a format: a plain text, or a conversion.
typedef struct {
    __CFStringText text;  // the plain text
    char conversion;      // the letter; 0 for plain text
    char modifier;        // 'H' (hh), 'h', 'l' (all 64-bit integers), 'L' (long double), or 0
    char flags[8];        // a subset of "-+ #0'"
    int width, precision; // -1 if not given
    // Indexes of arguments: the value, and a width or precision that is written as '*'. -1 if there
    // is no such argument.
    int argument, widthArgument, precisionArgument;
} __CFFormatSpec;

typedef struct {
    // The rest of the format. A zero follows it and is not part of any conversion, so no function
    // reads past it.
    const uint8_t *p, *end;
    int next;          // the argument of the next conversion that has no position
    int argumentCount; // the highest index in use plus one
    __CFFormatType types[__kCFFormatMaxArguments]; // of each argument
    __CFFormatValue values[__kCFFormatMaxArguments];
} __CFFormat;

// MARK: - Reading the format

/// Records the type of an argument, and returns its index. `position` counts from 1; 0 means the
/// next argument. Returns -1 if there are too many arguments.
static int __CFFormatAddArgument(__CFFormat *self, int position, __CFFormatType type) {
    int index = position > 0 ? position - 1 : self->next++;
    if (index >= __kCFFormatMaxArguments) return -1;
    self->types[index] = type;
    if (index >= self->argumentCount) self->argumentCount = index + 1;
    return index;
}

/// Reads a decimal number. Returns -1 if there is none, and INT_MAX if it is too large.
static int __CFFormatReadNumber(__CFFormat *self) {
    int value = -1;
    for (; *self->p >= '0' && *self->p <= '9'; self->p++) {
        int digit = *self->p - '0';
        value = value < 0 ? digit : value > (INT_MAX - digit) / 10 ? INT_MAX : value * 10 + digit;
    }
    return value;
}

/// Reads a position such as `2$`. Returns 0 if there is none.
static int __CFFormatReadPosition(__CFFormat *self) {
    const uint8_t *start = self->p;
    int position = __CFFormatReadNumber(self);
    if (position > 0 && *self->p == '$') {
        self->p++;
        return position;
    }
    self->p = start;
    return 0;
}

static void __CFFormatReadFlags(__CFFormat *self, char flags[8]) {
    for (; *self->p && strchr("-+ #0'", *self->p); self->p++) {
        // Each of the six flags is stored only once, so a zero always follows them.
        if (!strchr(flags, *self->p)) flags[strlen(flags)] = (char)*self->p;
    }
}

/// Reads a width or a precision: a number, or `*` if it is an argument.
static int __CFFormatReadSize(__CFFormat *self, int *argument) {
    if (*self->p != '*') return __CFFormatReadNumber(self);
    self->p++;
    *argument = __CFFormatAddArgument(self, __CFFormatReadPosition(self), __kCFFormatInt);
    return -1;
}

static char __CFFormatReadModifier(__CFFormat *self) {
    char modifier = 0;
    for (; *self->p && strchr("hlqjztL", *self->p); self->p++) {
        if (*self->p == 'h') modifier = modifier == 'h' ? 'H' : 'h';
        else modifier = *self->p == 'L' ? 'L' : 'l';
    }
    return modifier;
}

/// Returns the type of a conversion's argument, or __kCFFormatNothing if the letter is not a
/// conversion.
static __CFFormatType __CFFormatGetType(char conversion, char modifier) {
    if (conversion == 0) return __kCFFormatNothing;
    if (strchr("diouxX", conversion))
        return modifier == 'l' || modifier == 'L' ? __kCFFormatLong : __kCFFormatInt;
    if (strchr("aAeEfFgG", conversion))
        return modifier == 'L' ? __kCFFormatLongDouble : __kCFFormatDouble;
    if (strchr("cC", conversion)) return __kCFFormatInt;
    return strchr("@sSpn", conversion) ? __kCFFormatPointer : __kCFFormatNothing;
}

static __CFFormatSpec __CFFormatMakeText(const uint8_t *bytes, CFIndex length) {
    return (__CFFormatSpec){.text = {bytes, length, __CFStringCountUnits(bytes, length, NULL)}};
}

/// Reads a conversion after its percent sign.
static __CFFormatSpec __CFFormatReadConversion(__CFFormat *self) {
    const uint8_t *start = self->p;
    __CFFormatSpec spec = {.width = -1, .precision = -1, .argument = -1, .widthArgument = -1,
                           .precisionArgument = -1};
    int position = __CFFormatReadPosition(self);
    __CFFormatReadFlags(self, spec.flags);
    spec.width = __CFFormatReadSize(self, &spec.widthArgument);
    if (*self->p == '.') {
        self->p++;
        spec.precision = __CFFormatReadSize(self, &spec.precisionArgument);
        // A point without a number means 0. If there is a `*`, the argument replaces it later.
        if (spec.precision < 0) spec.precision = 0;
    }
    spec.modifier = __CFFormatReadModifier(self);
    spec.conversion = (char)*self->p;
    if (spec.conversion && strchr("DOU", spec.conversion)) { // old names of ld, lo, lu
        spec.conversion = (char)tolower(spec.conversion);
        spec.modifier = 'l';
    }
    __CFFormatType type = __CFFormatGetType(spec.conversion, spec.modifier);
    if (type != __kCFFormatNothing) {
        spec.argument = __CFFormatAddArgument(self, position, type);
        self->p++;
        return spec;
    }
    // It is not a conversion, so print it as text, without the percent sign. It ends with the
    // letter that is unknown, which may be several bytes of UTF-8.
    CFIndex width = *self->p ? 1 : 0;
    while (self->p[width] >= 0x80 && self->p[width] < 0xC0) width++;
    if (*self->p == '%') start = self->p;
    self->p += width;
    return __CFFormatMakeText(start, width > 0 ? self->p - start : 0);
}

/// Reads the next part of the format. Returns false at its end.
static Boolean __CFFormatReadNext(__CFFormat *self, __CFFormatSpec *spec) {
    const uint8_t *start = self->p;
    if (start >= self->end) return false;
    if (*start == '%') {
        self->p++;
        *spec = __CFFormatReadConversion(self);
        return true;
    }
    const uint8_t *percent = memchr(start, '%', (size_t)(self->end - start));
    self->p = percent ? percent : self->end;
    *spec = __CFFormatMakeText(start, self->p - start);
    return true;
}

// MARK: - Getting the arguments

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

// MARK: - Printing

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
/// Appends one number, printed by C. `modifier` and the conversion say what type it has.
static void __CFFormatPrintC(CFMutableStringRef out, const __CFFormatSpec *spec,
                             const char *modifier, ...) {
    char format[48], precision[16] = "";
    if (spec->precision >= 0) snprintf(precision, sizeof(precision), ".%d", spec->precision);
    snprintf(format, sizeof(format), "%%%s%.0d%s%s%c", spec->flags, // no digit for the width 0
             spec->width > 0 ? spec->width : 0, precision, modifier, spec->conversion);
    va_list arguments, again;
    va_start(arguments, modifier);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) length = 0; // the text is too long for C to print
    char *bytes = malloc((size_t)length + 1);
    if (!bytes) __CF_HAS_NO_MEMORY_LEFT__("a formatted number");
    if (length > 0) vsnprintf(bytes, (size_t)length + 1, format, again);
    __CFStringText text = {(const uint8_t *)bytes, length, 0};
    Boolean isValid; // in some locales, C does not print UTF-8
    text.units = __CFStringCountUnits(text.bytes, text.length, &isValid);
    if (isValid) __CFStringAppendText(out, text);
    free(bytes);
    va_end(again);
    va_end(arguments);
}
#pragma clang diagnostic pop

static void __CFFormatPrintInteger(CFMutableStringRef out, const __CFFormatSpec *spec,
                                   int64_t value) {
    if (__CFFormatGetType(spec->conversion, spec->modifier) == __kCFFormatLong)
        __CFFormatPrintC(out, spec, "ll", (long long)value);
    else
        __CFFormatPrintC(out, spec, spec->modifier == 'H' ? "hh" : spec->modifier ? "h" : "",
                         (int)value);
}

static locale_t __CFFormatLocale;

static void __CFFormatOpenLocale(void) {
    __CFFormatLocale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

static void __CFFormatPrintReal(CFMutableStringRef out, const __CFFormatSpec *spec,
                                __CFFormatValue value) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, __CFFormatOpenLocale);
    // The decimal separator is a point, whatever the user's locale.
    locale_t users = __CFFormatLocale ? uselocale(__CFFormatLocale) : (locale_t)0;
    if (spec->modifier == 'L') __CFFormatPrintC(out, spec, "L", value.longReal);
    else __CFFormatPrintC(out, spec, "", value.real);
    if (__CFFormatLocale) uselocale(users);
}

/// For a pointer, C defines only the width and the flag `-`.
static void __CFFormatPrintPointer(CFMutableStringRef out, const __CFFormatSpec *spec,
                                   const void *value) {
    __CFFormatSpec plain = {.conversion = 'p', .width = spec->width, .precision = -1};
    if (strchr(spec->flags, '-')) plain.flags[0] = '-';
    __CFFormatPrintC(out, &plain, "", value);
}

static void __CFFormatPrintSpaces(CFMutableStringRef out, CFIndex count) {
    for (CFIndex i = 0; i < count; i++) __CFStringAppendCharacter(out, ' ');
}

/// Prints text with spaces before or after it, up to the width. `length` is the text's length in
/// the unit of the width: bytes for %s, UTF-16 units for %S.
static void __CFFormatPrintPadded(CFMutableStringRef out, const __CFFormatSpec *spec,
                                  __CFStringText text, CFIndex length) {
    CFIndex spaces = spec->width > length ? spec->width - length : 0;
    Boolean isLeft = strchr(spec->flags, '-') != NULL;
    if (!isLeft) __CFFormatPrintSpaces(out, spaces);
    __CFStringAppendText(out, text);
    if (isLeft) __CFFormatPrintSpaces(out, spaces);
}

/// Prints a string and releases it.
static void __CFFormatPrintString(CFMutableStringRef out, const __CFFormatSpec *spec,
                                  CFStringRef str, CFIndex length) {
    if (!str) return;
    __CFFormatPrintPadded(out, spec, __CFStringGetText(str, __func__), length);
    CFRelease(str);
}

/// Prints UTF-8. A precision counts bytes, and may have cut the last character. Its bytes are left
/// out. What is not UTF-8 is printed as ISO Latin 1.
static void __CFFormatPrintCString(CFMutableStringRef out, const __CFFormatSpec *spec,
                                   const char *bytes) {
    if (!bytes) bytes = "(null)";
    Boolean isCut = spec->precision >= 0;
    CFIndex length = (CFIndex)(isCut ? strnlen(bytes, (size_t)spec->precision) : strlen(bytes));
    const UInt8 *start = (const UInt8 *)bytes;
    CFStringRef str = NULL;
    for (CFIndex cut = 0; !str && cut <= (isCut ? 3 : 0) && cut <= length; cut++)
        str = CFStringCreateWithBytes(kCFAllocatorSystemDefault, start, length - cut,
                                      kCFStringEncodingUTF8, false);
    if (!str)
        str = CFStringCreateWithBytes(kCFAllocatorSystemDefault, start, length,
                                      kCFStringEncodingASCII, false);
    __CFFormatPrintString(out, spec, str, length);
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
    __CFFormatPrintString(out, spec, CFStringCreateWithCharacters(kCFAllocatorSystemDefault, units,
                                                                  length), length);
}

/// Prints a byte as a character of ISO Latin 1. A zero is not printed, because it would end the
/// text for functions that take a C string.
static void __CFFormatPrintByte(CFMutableStringRef out, const __CFFormatSpec *spec, uint8_t byte) {
    uint8_t bytes[4];
    __CFStringText text = {bytes, byte ? __CFStringWriteCharacter(byte, bytes) : 0, byte != 0};
    __CFFormatPrintPadded(out, spec, text, 1);
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
        __CFStringAppendText(out, spec->text);
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
        __CFFormatPrintInteger(out, spec, value.integer);
        break;
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
    __CFFormat reader = {.p = text.bytes, .end = text.bytes + text.length};
    __CFFormatSpec spec;
    while (__CFFormatReadNext(&reader, &spec)) { // to learn the types
    }
    __CFFormatGetArguments(&reader, arguments);
    reader.p = text.bytes;
    reader.next = 0;
    while (__CFFormatReadNext(&reader, &spec)) __CFFormatPrint(&reader, out, &spec);
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

void CFStringAppendFormat(CFMutableStringRef theString, CFDictionaryRef formatOptions,
                          CFStringRef format, ...) {
    if (!__CFStringMayChange(theString, __func__)) return;
    va_list arguments;
    va_start(arguments, format);
    CFStringRef str = __CFStringCreateFormatted(kCFAllocatorSystemDefault, format, &arguments,
                                                __func__);
    va_end(arguments);
    if (!str) __CF_HAS_NO_MEMORY_LEFT__("a formatted string");
    CFStringAppend(theString, str);
    CFRelease(str);
}
