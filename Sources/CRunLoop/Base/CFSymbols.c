/// CFSymbols.c: the name of the function at an address, for descriptions. CFSymbolTable.c finds it.
#include "CFInternal.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>

/// A function of Swift's runtime. A C program does not have it.
extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size,
                            uint32_t flags) __attribute__((weak, visibility("default")));

const char *_CFGetNameOfFunction(const void *address, const void **start) {
    __CFSymbol found = __CFSymbolFind(address);
    *start = found.start;
    return found.name;
}

CFStringRef __CFCopyNameOfFunction(const void *function) {
    const char *name = __CFSymbolFind(function).name;
    if (!name) name = "???"; // as on a Mac
    // A name that is not Swift's gives NULL.
    char *readable = swift_demangle ? swift_demangle(name, strlen(name), NULL, NULL, 0) : NULL;
    CFStringRef string = CFStringCreateWithCString(
        kCFAllocatorSystemDefault, readable ? readable : name, kCFStringEncodingUTF8);
    free(readable);
    return string ? string : CFSTR("???");
}

/// `format` shows the object, and then the function's name and its address.
static CFStringRef __CFSymbolDescribe(CFStringRef format, const void *object,
                                      const void *function) {
    CFStringRef name = __CFCopyNameOfFunction(function);
    CFStringRef result = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, format, object,
                                                  name, function);
    CFRelease(name);
    return result;
}

/// A block begins with its class, flags, and its function. This layout is part of the ABI.
CFStringRef __CFBlockCopyDescription(const void *block) {
    if (!block) return NULL;
    return __CFSymbolDescribe(CFSTR("<block %p>{function = %@ (%p)}"), block,
                              ((const void *const *)block)[2]);
}

CFStringRef _CFCopyClosureDescription(const void *function) {
    return __CFSymbolDescribe(CFSTR("<closure %p: %@>"), function, function);
}
