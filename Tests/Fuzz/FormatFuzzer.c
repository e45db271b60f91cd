/// FormatFuzzer.c: any format, printed into a string. An input is the format.
///
/// A format decides what its arguments are taken for, so here each argument is something that can be taken for anything: the address of a
/// string object, which is also a short C string and a short row of UniChars, as an int, a pointer or the bits of a double. That
/// address fits into an int, and its lowest 16 bits are zero, so that even the long double made of it is a number.
#include "Fuzz.h"
#include <ctype.h>
#include <stdarg.h>
#include <sys/mman.h>

/// The lowest page that a process may map by default, and a small number: formats use it as a width, too.
#define ADDRESS ((void *)0x10000)

static void *allocateThere(CFIndex size, CFOptionFlags hint, void *info) {
    void *memory = mmap(ADDRESS, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    HOLDS(memory == ADDRESS && size < 0x10000);
    return memory;
}

/// Made once, and never released.
static CFStringRef makeArgument(void) {
    CFAllocatorContext context = {.allocate = allocateThere};
    static CFAllocatorRef allocator; // where the leak check finds it; the page it does not look at
    allocator = CFAllocatorCreate(NULL, &context);
    CFStringRef string = CFStringCreateWithCString(allocator, "argument", kCFStringEncodingASCII);
    HOLDS((const void *)string == ADDRESS);
    return string;
}

static CFStringRef format(CFStringRef format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CFStringRef string = CFStringCreateWithFormatAndArguments(NULL, NULL, format, arguments);
    va_end(arguments);
    return string;
}

/// A width of millions asks for millions of spaces, and gets them. That is no fault, but takes time.
static Boolean isModest(const uint8_t *data, size_t size) {
    for (size_t i = 0, digits = 0; i < size; i++) {
        digits = isdigit(data[i]) ? digits + 1 : 0;
        if (digits > 4) return false;
    }
    return true;
}

/// As printf does it, where there is nothing to convert.
static void checkPlainText(CFStringRef theFormat, CFStringRef string) {
    if (CFStringFind(theFormat, CFSTR("%"), 0).location == kCFNotFound) HOLDS(CFEqual(theFormat, string));
}

/// The string has as many units as its text: it is put together of pieces whose units are counted one by one.
static void checkLength(CFStringRef string) {
    CFIndex size = 0, length = CFStringGetLength(string);
    HOLDS(CFStringGetBytes(string, CFRangeMake(0, length), kCFStringEncodingUTF16LE, 0, false, NULL, 0, &size) == length);
    HOLDS(size == 2 * length);
}

#define FOUR(value) value, value, value, value
#define SIXTEEN(value) FOUR(value), FOUR(value), FOUR(value), FOUR(value)
#define SIXTY_FOUR(value) SIXTEEN(value), SIXTEEN(value), SIXTEEN(value), SIXTEEN(value)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static CFStringRef a;
    if (!a) a = makeArgument();
    if (!isModest(data, size)) return 0;
    CFStringRef theFormat = CFStringCreateWithBytes(NULL, data, (CFIndex)size, kCFStringEncodingUTF8, false);
    if (!theFormat) theFormat = CFStringCreateWithBytes(NULL, data, (CFIndex)size, kCFStringEncodingISOLatin1, false);
    double d;
    memcpy(&d, &a, sizeof(d));
    // Doubles travel in registers of their own, eight of them. A format takes 128 arguments at most, of 16 bytes at most.
    CFStringRef string = format(theFormat, FOUR(d), FOUR(d), SIXTY_FOUR(a), SIXTY_FOUR(a), SIXTY_FOUR(a), SIXTY_FOUR(a), SIXTEEN(a));
    checkPlainText(theFormat, string);
    checkLength(string);
    CFRelease(string);
    CFRelease(theFormat);
    return 0;
}
