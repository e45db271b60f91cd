/// CFRuntime.h: what every object begins with, and what the runtime knows of each type. Internal.
///
/// On a Mac the first word of an object is its Objective-C class, so that the same pointer works as a CF and as an ObjC object.
/// Here it points to the CFRuntimeClass: the table of functions that CFRetain, CFEqual, CFHash and CFCopyDescription go through.
#if !defined(__COREFOUNDATION_CFRUNTIME__)
#define __COREFOUNDATION_CFRUNTIME__ 1

#include <CoreFoundation/CoreFoundation.h>
#include <stdatomic.h>

CF_EXTERN_C_BEGIN

/// What the runtime knows of a type. Every function may be NULL; the default is then pointer equality, pointer hash, `<Name
/// 0x…>`.
typedef struct __CFRuntimeClass {
    CFTypeID typeID;                            // one of the numbers below; index into the class table
    const char *className;
    void (*finalize)(CFTypeRef cf);             // frees what the object holds, not the object
    Boolean (*equal)(CFTypeRef cf1, CFTypeRef cf2);
    CFHashCode (*hash)(CFTypeRef cf);
    CFStringRef (*copyFormattingDesc)(CFTypeRef cf, CFDictionaryRef formatOptions); // what %@ shows; NULL: copyDebugDesc
    CFStringRef (*copyDebugDesc)(CFTypeRef cf); // what CFCopyDescription and CFShow show
} CFRuntimeClass;

/// The head of every object.
typedef struct __CFRuntimeBase {
    uintptr_t _cfisa;             // the CFRuntimeClass
    _Atomic(uint32_t) _cfinfo;    // low 8 bits: flags of the type's own; see __CFRuntimeGetFlag
    _Atomic(uint32_t) _rc;        // references; UINT32_MAX: immortal
    CFAllocatorRef _allocator;    // whose memory it is, retained; NULL: the system default allocator's
} CFRuntimeBase;

#define _kCFRuntimeImmortal UINT32_MAX

/// For objects that are laid out at compile time and never die.
#define INIT_CFRUNTIME_BASE(CLASS) {(uintptr_t)&(CLASS), 0, _kCFRuntimeImmortal, NULL}

/// The type ids are fixed at compile time, so nothing has to be registered at start-up. On a Mac each type asks for the next
/// free number when it is first used.
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
    _kCFRuntimeIDCFRunLoop,
    _kCFRuntimeIDCFRunLoopMode,
    _kCFRuntimeIDCFRunLoopSource,
    _kCFRuntimeIDCFRunLoopObserver,
    _kCFRuntimeIDCFRunLoopTimer,
    _kCFRuntimeTypeCount
};

/// One for each type, defined in the type's own file.
extern const CFRuntimeClass __CFAllocatorClass, __CFNullClass, __CFStringClass, __CFArrayClass, __CFBagClass, __CFSetClass,
    __CFDictionaryClass, __CFDateClass, __CFRunLoopClass, __CFRunLoopModeClass, __CFRunLoopSourceClass,
    __CFRunLoopObserverClass, __CFRunLoopTimerClass;

/// Makes an object with one reference; `size` counts the CFRuntimeBase. Everything behind the base is zero. NULL when there is no
/// memory.
CF_EXPORT CFTypeRef _CFRuntimeCreateInstance(CFAllocatorRef allocator, const CFRuntimeClass *cls, size_t size);

/// Adds a reference and returns the object, or NULL if its last reference is gone and it is being finalized. The caller makes
/// sure that the memory is still there.
CF_EXPORT CFTypeRef _CFTryRetain(CFTypeRef cf);

/// The class of an object.
CF_INLINE const CFRuntimeClass *__CFRuntimeGetClass(CFTypeRef cf) {
    return (const CFRuntimeClass *)((const CFRuntimeBase *)cf)->_cfisa;
}

/// The eight flags (0 to 7) that a type may use as it likes. Atomic, so that they can be read without the object's lock.
CF_INLINE Boolean __CFRuntimeGetFlag(CFTypeRef cf, int n) {
    return (atomic_load(&((CFRuntimeBase *)cf)->_cfinfo) >> n) & 1;
}
CF_INLINE void __CFRuntimeSetFlag(CFTypeRef cf, int n, Boolean on) {
    if (on) atomic_fetch_or(&((CFRuntimeBase *)cf)->_cfinfo, 1u << n);
    else atomic_fetch_and(&((CFRuntimeBase *)cf)->_cfinfo, ~(1u << n));
}

CF_EXTERN_C_END

#endif
