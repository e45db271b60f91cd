/// CFBoolean.c: truth values as objects. Nothing creates one: there are two constants.
#include "CFInternal.h"

struct __CFBoolean {
    CFRuntimeBase _base;
};

static CFStringRef __CFBooleanCopyFormattingDescription(CFTypeRef cf,
                                                        CFDictionaryRef formatOptions) {
    return cf == kCFBooleanTrue ? CFSTR("true") : CFSTR("false");
}

static CFStringRef __CFBooleanCopyDescription(CFTypeRef cf) {
    return CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                    CFSTR("<CFBoolean %p [%p]>{value = %s}"), cf,
                                    CFGetAllocator(cf), cf == kCFBooleanTrue ? "true" : "false");
}

CF_SHARED const CFRuntimeClass __CFBooleanClass = {
    .typeID = _kCFRuntimeIDCFBoolean,
    .className = "CFBoolean",
    .copyFormattingDesc = __CFBooleanCopyFormattingDescription,
    .copyDebugDesc = __CFBooleanCopyDescription,
};

static const struct __CFBoolean __kCFBooleanTrue = {INIT_CFRUNTIME_BASE(__CFBooleanClass)};
static const struct __CFBoolean __kCFBooleanFalse = {INIT_CFRUNTIME_BASE(__CFBooleanClass)};
static const CFBooleanRef kCFBooleanTrue = &__kCFBooleanTrue;
static const CFBooleanRef kCFBooleanFalse = &__kCFBooleanFalse;

CFTypeID CFBooleanGetTypeID(void) {
    return _kCFRuntimeIDCFBoolean;
}

Boolean CFBooleanGetValue(CFBooleanRef boolean) {
    if (CF_UNLIKELY(!boolean)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return boolean == kCFBooleanTrue;
}
