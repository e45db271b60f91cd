/// CFStringFormat.c: printf into a string, with the conversions that descriptions use, and objects
/// (%@). C prints everything but objects. The original has this in CFString.c. There it also prints
/// UTF-16 (%C, %S), uses the user's locale, and takes arguments by position (%2$@).
#include "CFString_Internal.h"

// MARK: - Printing

/// A conversion as C reads it, such as "%-5.3lld", and what it says about its argument.
typedef struct {
    char text[48];
    size_t length;
    char modifier;        // 'q' (64 bits), 'l' (long, size_t, ptrdiff_t), 'L' (long double), or 0
    char conversion;      // the letter
    Boolean hasPrecision;
} __CFFormatSpec;

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
/// Appends what C prints for one argument. Bytes that are not UTF-8 are taken for ISO Latin 1. If a
/// precision has cut the last character of UTF-8, its bytes are left out.
static void __CFFormatPrintC(CFMutableStringRef out, const __CFFormatSpec *spec, ...) {
    va_list arguments, again;
    va_start(arguments, spec);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, spec->text, arguments);
    if (length < 0) length = 0; // the text is too long for C to print
    char *bytes = malloc((size_t)length + 1);
    if (!bytes) __CF_HAS_NO_MEMORY_LEFT__("a formatted argument");
    if (length > 0) vsnprintf(bytes, (size_t)length + 1, spec->text, again);
    __CFStringText text = {(const uint8_t *)bytes, length, 0};
    Boolean isValid = false;
    for (int cut = 0; !isValid && cut <= (spec->hasPrecision ? 3 : 0) && cut <= length; cut++) {
        text.length = length - cut;
        text.units = __CFStringCountUnits(text.bytes, text.length, &isValid);
    }
    if (isValid) __CFStringAppendText(out, text);
    else
        for (int i = 0; i < length; i++) __CFStringAppendCharacter(out, (uint8_t)bytes[i]);
    free(bytes);
    va_end(again);
    va_end(arguments);
}
#pragma clang diagnostic pop

static void __CFFormatPrintInteger(CFMutableStringRef out, const __CFFormatSpec *spec,
                                   va_list *arguments) {
    if (spec->modifier == 'q' || spec->modifier == 'L')
        __CFFormatPrintC(out, spec, va_arg(*arguments, long long));
    else if (spec->modifier == 'l') __CFFormatPrintC(out, spec, va_arg(*arguments, long));
    else __CFFormatPrintC(out, spec, va_arg(*arguments, int));
}

static locale_t __CFFormatLocale;

static void __CFFormatOpenLocale(void) {
    __CFFormatLocale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

/// The decimal separator is a point, whatever the user's locale.
static void __CFFormatPrintReal(CFMutableStringRef out, const __CFFormatSpec *spec,
                                va_list *arguments) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, __CFFormatOpenLocale);
    locale_t users = __CFFormatLocale ? uselocale(__CFFormatLocale) : (locale_t)0;
    if (spec->modifier == 'L') __CFFormatPrintC(out, spec, va_arg(*arguments, long double));
    else __CFFormatPrintC(out, spec, va_arg(*arguments, double));
    if (__CFFormatLocale) uselocale(users);
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

// MARK: - Conversions

/// Reads flags, width and precision. A star stands for an argument; if a precision is negative, it
/// is as if there were none. What is too long is no conversion, because its letter is missing.
static const uint8_t *__CFFormatReadSizes(const uint8_t *p, __CFFormatSpec *spec,
                                          va_list *arguments) {
    char *end = stpcpy(spec->text, "%");
    for (; *p && strchr("-+ #0'123456789.*", *p) && end < spec->text + 30; p++) {
        int value = *p == '*' ? va_arg(*arguments, int) : 0;
        if (*p != '*') *end++ = (char)*p;
        else if (spec->hasPrecision && value < 0) end--; // the point
        else end += snprintf(end, 13, "%d", value);
        if (*p == '.') spec->hasPrecision = true;
    }
    spec->length = (size_t)(end - spec->text);
    return p;
}

/// Reads the modifier and the letter.
static const uint8_t *__CFFormatReadType(const uint8_t *p, __CFFormatSpec *spec) {
    for (; *p && strchr("hlqjztL", *p); p++) {
        if (*p == 'L') spec->modifier = 'L';
        else if (*p == 'q' || *p == 'j' || spec->modifier == 'l') spec->modifier = 'q';
        else if (*p != 'h') spec->modifier = 'l';
        else if (spec->length < 32) spec->text[spec->length++] = 'h';
    }
    spec->conversion = (char)*p;
    char *end = spec->text + spec->length;
    if (spec->modifier == 'L' && strchr("aAeEfFgG", spec->conversion)) *end++ = 'L';
    else if (spec->modifier && strchr("diouxX", spec->conversion))
        end = stpcpy(end, spec->modifier == 'l' ? "l" : "ll");
    *end = spec->conversion;
    return p;
}

/// Prints the conversion behind a percent sign, and returns its end.
static const uint8_t *__CFFormatPrintConversion(CFMutableStringRef out, const uint8_t *start,
                                                va_list *arguments) {
    __CFFormatSpec spec = {0};
    const uint8_t *p = __CFFormatReadSizes(start, &spec, arguments);
    p = __CFFormatReadType(p, &spec);
    switch (spec.conversion) {
    case 0: return p;
    case '@': __CFFormatPrintObject(out, va_arg(*arguments, CFTypeRef)); break;
    case 's': {
        const char *bytes = va_arg(*arguments, const char *);
        __CFFormatPrintC(out, &spec, bytes ? bytes : "(null)");
        break;
    }
    case 'c': case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
        __CFFormatPrintInteger(out, &spec, arguments);
        break;
    case 'p': __CFFormatPrintC(out, &spec, va_arg(*arguments, const void *)); break;
    case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
        __CFFormatPrintReal(out, &spec, arguments);
        break;
    case 'n': (void)va_arg(*arguments, void *); break; // in C it writes, which attacks have used
    case 'C': case 'S': case 'D': case 'O': case 'U':
        __CFHalt("CFStringCreateWithFormat: this library does not have the conversion %%%c.",
                 spec.conversion);
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
