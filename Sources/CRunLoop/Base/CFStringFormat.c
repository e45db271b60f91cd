/// CFStringFormat.c: printf into a string. Besides what C can print, it prints objects (%@) and
/// UTF-16 (%C, %S). On a Mac this is a part of CFString.c, which also uses the user's locale, and
/// takes arguments by position (%2$@). Both let snprintf print the numbers.
#include "CFString_Internal.h"

// MARK: - Reading a conversion

/// What stands between a percent sign and the letter, and the letter.
typedef struct {
    char conversion;      // the letter
    char modifier;        // 'H' (hh), 'h', 'l' (long, size_t, ptrdiff_t), 'q' (64 bits),
                          // 'L' (long double), or 0
    char flags[8];        // a subset of "-+ #0'"
    int width, precision; // -1 if not given
} __CFFormatSpec;

static void __CFFormatReadFlags(const uint8_t **p, char flags[8]) {
    for (; **p && strchr("-+ #0'", **p); ++*p) {
        // Each of the six flags is stored only once, so a zero always follows them.
        if (!strchr(flags, **p)) flags[strlen(flags)] = (char)**p;
    }
}

/// Reads a width or a precision: a decimal number, or `*` if it is an argument. Returns -1 if there
/// is none, and INT_MAX if it is too large.
static int __CFFormatReadSize(const uint8_t **p, va_list *arguments) {
    if (**p == '*') {
        ++*p;
        return va_arg(*arguments, int);
    }
    int value = -1;
    for (; **p >= '0' && **p <= '9'; ++*p) {
        int digit = **p - '0';
        value = value < 0 ? digit : value > (INT_MAX - digit) / 10 ? INT_MAX : value * 10 + digit;
    }
    return value;
}

static char __CFFormatReadModifier(const uint8_t **p) {
    char modifier = 0;
    for (; **p && strchr("hlqjztL", **p); ++*p) {
        if (**p == 'h') modifier = modifier == 'h' ? 'H' : 'h';
        else if (**p == 'L') modifier = 'L';
        else modifier = **p == 'q' || **p == 'j' || modifier == 'l' ? 'q' : 'l';
    }
    return modifier;
}

/// Reads a conversion from behind its percent sign up to its letter. A zero follows the format and
/// is not part of any conversion, so no function reads past it.
static __CFFormatSpec __CFFormatReadSpec(const uint8_t **p, va_list *arguments) {
    __CFFormatSpec spec = {.precision = -1};
    __CFFormatReadFlags(p, spec.flags);
    Boolean isArgument = **p == '*';
    spec.width = __CFFormatReadSize(p, arguments);
    if (isArgument && spec.width < 0) { // a negative width means the flag `-`
        spec.width = spec.width == INT_MIN ? INT_MAX : -spec.width;
        if (!strchr(spec.flags, '-')) spec.flags[strlen(spec.flags)] = '-';
    }
    if (**p == '.') {
        ++*p;
        isArgument = **p == '*';
        spec.precision = __CFFormatReadSize(p, arguments);
        // A point without a number means 0, and a negative argument means no precision.
        if (!isArgument && spec.precision < 0) spec.precision = 0;
    }
    spec.modifier = __CFFormatReadModifier(p);
    spec.conversion = (char)**p;
    if (spec.conversion && strchr("DOU", spec.conversion)) { // old names of ld, lo, lu
        spec.conversion = (char)tolower(spec.conversion);
        spec.modifier = 'l';
    }
    return spec;
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
                                   va_list *arguments) {
    if (spec->modifier == 'q' || spec->modifier == 'L')
        __CFFormatPrintC(out, spec, "ll", va_arg(*arguments, long long));
    else if (spec->modifier == 'l')
        __CFFormatPrintC(out, spec, "l", va_arg(*arguments, long));
    else
        __CFFormatPrintC(out, spec, spec->modifier == 'H' ? "hh" : spec->modifier ? "h" : "",
                         va_arg(*arguments, int));
}

static locale_t __CFFormatLocale;

static void __CFFormatOpenLocale(void) {
    __CFFormatLocale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

static void __CFFormatPrintReal(CFMutableStringRef out, const __CFFormatSpec *spec,
                                va_list *arguments) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, __CFFormatOpenLocale);
    // The decimal separator is a point, whatever the user's locale.
    locale_t users = __CFFormatLocale ? uselocale(__CFFormatLocale) : (locale_t)0;
    if (spec->modifier == 'L') __CFFormatPrintC(out, spec, "L", va_arg(*arguments, long double));
    else __CFFormatPrintC(out, spec, "", va_arg(*arguments, double));
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

static void __CFFormatPrintText(CFMutableStringRef out, const uint8_t *bytes, const uint8_t *end) {
    CFIndex length = end - bytes;
    __CFStringAppendText(out, (__CFStringText){bytes, length,
                                               __CFStringCountUnits(bytes, length, NULL)});
}

/// Prints the conversion behind a percent sign, and returns its end.
static const uint8_t *__CFFormatPrintConversion(CFMutableStringRef out, const uint8_t *p,
                                                va_list *arguments) {
    const uint8_t *start = p;
    __CFFormatSpec spec = __CFFormatReadSpec(&p, arguments);
    switch (spec.conversion) {
    case 0: return p;
    case '@': __CFFormatPrintObject(out, va_arg(*arguments, CFTypeRef)); break;
    case 's': __CFFormatPrintCString(out, &spec, va_arg(*arguments, const char *)); break;
    case 'S': __CFFormatPrintUnits(out, &spec, va_arg(*arguments, const UniChar *)); break;
    case 'c': __CFFormatPrintByte(out, &spec, (uint8_t)va_arg(*arguments, int)); break;
    case 'C': __CFStringAppendCharacter(out, (UniChar)va_arg(*arguments, int)); break;
    case 'p': __CFFormatPrintPointer(out, &spec, va_arg(*arguments, const void *)); break;
    case 'n': (void)va_arg(*arguments, void *); break; // in C it writes, which attacks have used
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
        __CFFormatPrintInteger(out, &spec, arguments);
        break;
    case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
        __CFFormatPrintReal(out, &spec, arguments);
        break;
    default: {
        // It is not a conversion, so print it as text, without the percent sign. It ends with the
        // letter that is unknown, which may be several bytes of UTF-8.
        CFIndex width = 1;
        while (p[width] >= 0x80 && p[width] < 0xC0) width++;
        __CFFormatPrintText(out, *p == '%' ? p : start, p + width);
        return p + width;
    }
    }
    return p + 1;
}

// MARK: - The public functions

/// Creates a string with the formatted text. It is a new string, because the string that a caller
/// appends it to may be among the arguments.
static CFMutableStringRef __CFStringCreateFormatted(CFAllocatorRef alloc, CFStringRef format,
                                                    va_list *arguments, const char *function) {
    __CFStringText text = __CFStringGetText(format, function);
    CFMutableStringRef out = CFStringCreateMutable(alloc, 0);
    if (!out) return NULL;
    const uint8_t *p = text.bytes, *end = text.bytes + text.length;
    while (p < end) {
        const uint8_t *percent = memchr(p, '%', (size_t)(end - p));
        __CFFormatPrintText(out, p, percent ? percent : end);
        p = percent ? __CFFormatPrintConversion(out, percent + 1, arguments) : end;
    }
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
