/// CFRuntime.h: the head of every object, and the functions of each type. Internal.
///
/// On a Mac the first word of an object is its Objective-C class, so that the same pointer is a CF
/// object and an ObjC object. Here it points to the CFRuntimeClass, the table of functions that
/// CFRetain, CFEqual, CFHash and CFCopyDescription use.
#if !defined(__COREFOUNDATION_CFRUNTIME__)
#define __COREFOUNDATION_CFRUNTIME__ 1

#if !defined(CF_BUILDING_CF)
#define CF_BUILDING_CF 1
#endif
#include <CoreFoundation/CoreFoundation.h>
#include "CFLinkerNames_Internal.h"
#include <stdatomic.h>

// MARK: - Names for the linker
//
// In these files CFRunLoopRun is a macro for CRL_CFRunLoopRun, so the headers declare
// CRL_CFRunLoopRun, and other files call it. The file that defines the function includes
// Names/CFRunLoop.h last. That file undefines the macro, declares CFRunLoopRun as static, and makes
// CRL_CFRunLoopRun an alias of it. A debugger shows the name of the definition, CFRunLoopRun. (With
// an asm label instead of an alias, gdb would show the label.) Scripts/linker-names writes all
// these files.

#if !defined(CF_HAS_LINKER_ALIASES)
#if defined(CF_PLAIN_NAMES)
#define CF_HAS_LINKER_ALIASES 0
#else
#define CF_HAS_LINKER_ALIASES 1
#endif
#endif

/// Makes a function or variable of this file static, and gives it an alias for other files. The
/// alias has no size, because a tool that has only the symbol table (Swift's backtrace, a debugger
/// without debug information, perf) prefers the symbol that has one. `used` keeps the optimizer
/// from using only the alias's name.
#define CF_LINKER_ALIAS(name) CF_LINKER_ALIAS_1(name, CF_LINKER_NAME(name))
#define CF_LINKER_ALIAS_1(name, other) CF_LINKER_ALIAS_2(name, other)
#define CF_LINKER_ALIAS_2(name, other) \
    static __typeof__(other) name __attribute__((used)); \
    extern __typeof__(name) other __attribute__((alias(#name), visibility("hidden"))); \
    __asm__(".size " #other ", 0");

/// Precedes the definition of a variable that other files use. The definition of a function needs
/// no such word, because after a static declaration it is static. In C that is not true of a
/// variable.
#if CF_HAS_LINKER_ALIASES
#define CF_SHARED static
#else
#define CF_SHARED
#endif

CF_EXTERN_C_BEGIN

/// A type: its name and its functions. Every function may be NULL. The defaults are pointer
/// equality, the pointer as the hash, and `<Name 0x…>`.
typedef struct __CFRuntimeClass {
    CFTypeID typeID;                            // one of the numbers below
    const char *className;
    void (*finalize)(CFTypeRef cf);             // frees what the object holds, not the object
    Boolean (*equal)(CFTypeRef cf1, CFTypeRef cf2);
    CFHashCode (*hash)(CFTypeRef cf);
    // What %@ shows. If it is NULL, %@ shows copyDebugDesc.
    CFStringRef (*copyFormattingDesc)(CFTypeRef cf, CFDictionaryRef formatOptions);
    CFStringRef (*copyDebugDesc)(CFTypeRef cf); // what CFCopyDescription and CFShow show
} CFRuntimeClass;

/// The head of every object.
typedef struct __CFRuntimeBase {
    uintptr_t _cfisa;          // the CFRuntimeClass
    _Atomic(uint32_t) _cfinfo; // the low 8 bits are the type's flags: see __CFRuntimeGetFlag
    _Atomic(uint32_t) _rc;     // the number of references, or _kCFRuntimeImmortal
    CFAllocatorRef _allocator; // retained; NULL for the system default allocator
} CFRuntimeBase;

#define _kCFRuntimeImmortal UINT32_MAX

/// The initializer of a constant object, which is never deallocated.
#define INIT_CFRUNTIME_BASE(CLASS) {(uintptr_t)&(CLASS), 0, _kCFRuntimeImmortal, NULL}

/// The type ids are constants, so the program registers no type when it starts. On a Mac a type
/// gets the next free number when it is first used.
enum {
    _kCFRuntimeIDNotAType = 0,
    _kCFRuntimeIDCFAllocator = 2,
    _kCFRuntimeIDCFNull,
    _kCFRuntimeIDCFString,
    _kCFRuntimeIDCFArray,
    _kCFRuntimeIDCFBag,
    _kCFRuntimeIDCFSet,
    _kCFRuntimeIDCFDictionary,
    _kCFRuntimeIDCFDate,
    _kCFRuntimeIDCFData,
    _kCFRuntimeIDCFNumber,
    _kCFRuntimeIDCFBoolean,
    _kCFRuntimeIDCFUUID,
    _kCFRuntimeIDCFNotificationCenter,
    _kCFRuntimeIDCFRunLoop,
    _kCFRuntimeIDCFRunLoopMode,
    _kCFRuntimeIDCFRunLoopSource,
    _kCFRuntimeIDCFRunLoopObserver,
    _kCFRuntimeIDCFRunLoopTimer,
    _kCFRuntimeIDCFSocket,
    _kCFRuntimeIDCFFileDescriptor,
    _kCFRuntimeTypeCount
};

/// The class of each type, defined in the type's own file.
CF_EXPORT const CFRuntimeClass __CFAllocatorClass, __CFNullClass, __CFStringClass, __CFArrayClass,
    __CFBagClass, __CFSetClass, __CFDictionaryClass, __CFDateClass, __CFDataClass, __CFNumberClass,
    __CFBooleanClass, __CFUUIDClass, __CFNotificationCenterClass, __CFRunLoopClass,
    __CFRunLoopModeClass, __CFRunLoopSourceClass, __CFRunLoopObserverClass, __CFRunLoopTimerClass,
    __CFSocketClass, __CFFileDescriptorClass;

/// Creates an object with one reference. `size` includes the CFRuntimeBase. Everything after the
/// base is zero. Returns NULL if there is no memory.
CF_EXPORT CFTypeRef _CFRuntimeCreateInstance(CFAllocatorRef allocator, const CFRuntimeClass *cls,
                                             size_t size);

/// Adds a reference and returns the object. Returns NULL if its last reference is gone and it is
/// being finalized. The caller ensures that the memory still exists.
CF_EXPORT CFTypeRef _CFTryRetain(CFTypeRef cf);

/// Returns the class of an object.
CF_INLINE const CFRuntimeClass *__CFRuntimeGetClass(CFTypeRef cf) {
    return (const CFRuntimeClass *)((const CFRuntimeBase *)cf)->_cfisa;
}

/// Each object has eight flags (0 to 7), whose meaning depends on its type. They are atomic, so
/// that a thread can read them without the object's lock.
CF_INLINE Boolean __CFRuntimeGetFlag(CFTypeRef cf, int n) {
    return (atomic_load(&((CFRuntimeBase *)cf)->_cfinfo) >> n) & 1;
}
/// Sets a flag of an object that no other thread has yet.
CF_INLINE void __CFRuntimeInitFlag(CFTypeRef cf, int n) {
    CFRuntimeBase *base = (CFRuntimeBase *)cf;
    uint32_t flags = atomic_load_explicit(&base->_cfinfo, memory_order_relaxed);
    atomic_store_explicit(&base->_cfinfo, flags | 1u << n, memory_order_relaxed);
}
CF_INLINE void __CFRuntimeSetFlag(CFTypeRef cf, int n, Boolean on) {
    if (on) atomic_fetch_or(&((CFRuntimeBase *)cf)->_cfinfo, 1u << n);
    else atomic_fetch_and(&((CFRuntimeBase *)cf)->_cfinfo, ~(1u << n));
}

CF_EXTERN_C_END

#endif
