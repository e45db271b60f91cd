/// FormatFuzzer.c: prints any format into a string. The input is the format.
///
/// The format determines the types of its arguments, so each argument here is valid as any type: the address of a string object, which is
/// also a short C string and a short array of UniChars, as an int, a pointer or the bits of a double. That address fits into an int, and
/// its lowest 16 bits are zero, so that even the long double with these bits is a number.
#include "Fuzz.h"
#include <ctype.h>
#include <stdarg.h>
#include <sys/mman.h>

/// The lowest page that a process may map by default, and a small number: formats use it as a width, too.
#define ADDRESS ((void *)0x10000)

/// A constant string at that address.
static CFStringRef makeArgument(void) {
    void *memory = mmap(ADDRESS, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    HOLDS(memory == ADDRESS);
    return memcpy(memory, CFSTR("argument"), sizeof(struct __CFConstStr));
}

static CFStringRef format(CFStringRef format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CFStringRef string = CFStringCreateWithFormatAndArguments(NULL, NULL, format, arguments);
    va_end(arguments);
    return string;
}

/// A width of millions produces millions of spaces. That is no fault, but takes time. A format must not ask for more arguments than there
/// are, and some conversions of the original abort, and say so.
static Boolean isModest(const uint8_t *data, size_t size) {
    for (size_t i = 0, digits = 0, arguments = 0; i < size; i++) {
        digits = isdigit(data[i]) ? digits + 1 : 0;
        arguments += data[i] == '%' || data[i] == '*';
        if (digits > 4 || arguments > 128 || strchr("CSDOU", data[i] ? data[i] : ' ')) return false;
    }
    return true;
}

/// The result of printf for a format without conversions.
static void checkPlainText(CFStringRef theFormat, CFStringRef string, const uint8_t *data, size_t size) {
    if (!memchr(data, '%', size)) HOLDS(CFEqual(theFormat, string));
}

/// The string must have as many units as its text. It is assembled from pieces whose units are counted one by one.
static void checkLength(CFStringRef string) {
    CFIndex length = CFStringGetLength(string);
    UniChar *units = malloc((size_t)length * sizeof(UniChar) + 1);
    CFStringGetCharacters(string, CFRangeMake(0, length), units);
    CFStringRef again = CFStringCreateWithCharacters(NULL, units, length);
    HOLDS(CFEqual(again, string) && CFStringGetLength(again) == length);
    CFRelease(again);
    free(units);
}

#define FOUR(value) value, value, value, value
#define SIXTEEN(value) FOUR(value), FOUR(value), FOUR(value), FOUR(value)
#define SIXTY_FOUR(value) SIXTEEN(value), SIXTEEN(value), SIXTEEN(value), SIXTEEN(value)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static CFStringRef a;
    if (!a) a = makeArgument();
    if (!isModest(data, size)) return 0;
    CFStringRef theFormat = CFStringCreateWithBytes(NULL, data, (CFIndex)size, kCFStringEncodingUTF8, false);
    if (!theFormat) theFormat = CFStringCreateWithBytes(NULL, data, (CFIndex)size, kCFStringEncodingASCII, false);
    double d;
    memcpy(&d, &a, sizeof(d));
    // Doubles are passed in eight separate registers. The format takes at most 128 arguments of at most 16 bytes.
    CFStringRef string = format(theFormat, FOUR(d), FOUR(d), SIXTY_FOUR(a), SIXTY_FOUR(a), SIXTY_FOUR(a), SIXTY_FOUR(a), SIXTEEN(a));
    checkPlainText(theFormat, string, data, size);
    checkLength(string);
    CFRelease(string);
    CFRelease(theFormat);
    return 0;
}
