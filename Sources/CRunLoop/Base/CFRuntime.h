/// CFRuntime.h: the head of every object, and the functions of each type. Internal.
///
/// On a Mac the first word of an object is its Objective-C class, so that the same pointer is a CF
/// object and an ObjC object. Here it points to the CFRuntimeClass, the table of functions that
/// CFRetain, CFEqual, CFHash and CFCopyDescription use.
#if !defined(__COREFOUNDATION_CFRUNTIME__)
#define __COREFOUNDATION_CFRUNTIME__ 1

#include <CoreFoundation/CoreFoundation.h>
#include <stdatomic.h>

// MARK: - Linkage
//
// The library is one translation unit, CRunLoop.c, so what its files share is static there. Tests
// that call private functions compile the unit themselves, with those functions extern.

/// Precedes the declaration of a private function or variable in an internal header. The definition
/// of a function needs no such word: after a static declaration it is static.
#if !defined(CF_PRIVATE)
#define CF_PRIVATE extern __attribute__((visibility("hidden")))
#define CF_SHARED
#endif
/// Precedes the definition of a private variable, which in C needs a word of its own.
#if !defined(CF_SHARED)
#define CF_SHARED static
#endif

CF_EXTERN_C_BEGIN

#define CF_LIKELY(x) __builtin_expect(!!(x), 1)
#define CF_UNLIKELY(x) __builtin_expect(!!(x), 0)

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
    size_t twin;                                // the offset of the field for a twin; 0: has none
} CFRuntimeClass;

CF_EXPORT const struct __CFRuntimeClass __CFStringClass; // for CFSTR

/// The head of every object.
typedef struct __CFRuntimeBase {
    uintptr_t _cfisa;          // the CFRuntimeClass
    _Atomic(uint32_t) _cfinfo; // the low 8 bits are the type's flags: see __CFRuntimeGetFlag;
                               // the others are the object's number: __CFObjectNextNumber
    _Atomic(uint32_t) _rc;     // the number of references and __kCFRuntimeTwin, or
                               // _kCFRuntimeImmortal
} CFRuntimeBase;

#define _kCFRuntimeImmortal UINT32_MAX

/// The initializer of a constant object, which is never deallocated.
#define INIT_CFRUNTIME_BASE(CLASS) {(uintptr_t)&(CLASS), 0, _kCFRuntimeImmortal}

/// The type ids are constants, so the program registers no type when it starts. On a Mac a type
/// gets the next free number when it is first used.
enum {
    _kCFRuntimeIDNotAType = 0,
    _kCFRuntimeIDCFAllocator = 2,
    _kCFRuntimeIDCFString,
    _kCFRuntimeIDCFArray,
    _kCFRuntimeIDCFBag,
    _kCFRuntimeIDCFSet,
    _kCFRuntimeIDCFDictionary,
    _kCFRuntimeIDCFRunLoop,
    _kCFRuntimeIDCFRunLoopMode,
    _kCFRuntimeIDCFRunLoopSource,
    _kCFRuntimeIDCFRunLoopObserver,
    _kCFRuntimeIDCFRunLoopTimer,
    _kCFRuntimeTypeCount
};

/// The class of each type, defined in the type's own file.
CF_PRIVATE const CFRuntimeClass __CFAllocatorClass, __CFArrayClass, __CFBagClass, __CFSetClass,
    __CFDictionaryClass, __CFRunLoopClass, __CFRunLoopModeClass, __CFRunLoopSourceClass,
    __CFRunLoopObserverClass, __CFRunLoopTimerClass;

/// Creates an object with one reference. `size` includes the CFRuntimeBase. Everything after the
/// base is zero. Returns NULL if there is no memory.
CF_PRIVATE CFTypeRef _CFRuntimeCreateInstance(CFAllocatorRef allocator, const CFRuntimeClass *cls,
                                             size_t size);

/// Adds a reference and returns the object. Returns NULL if its last reference is gone and it is
/// being finalized. The caller ensures that the memory still exists.
CF_PRIVATE CFTypeRef _CFTryRetain(CFTypeRef cf);

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
/// Overwrites what follows the head of an object that is being deallocated. In a debugger or a
/// core file, fields of 0x8C8C… are those of a run loop that is gone, and fields of 0x7C7C…
/// those of a mode, as in the original.
CF_INLINE void __CFRuntimePoison(CFTypeRef cf, size_t size, int byte) {
    memset((char *)cf + sizeof(CFRuntimeBase), byte, size - sizeof(CFRuntimeBase));
}
CF_INLINE void __CFRuntimeSetFlag(CFTypeRef cf, int n, Boolean on) {
    if (on) atomic_fetch_or(&((CFRuntimeBase *)cf)->_cfinfo, 1u << n);
    else atomic_fetch_and(&((CFRuntimeBase *)cf)->_cfinfo, ~(1u << n));
}

CF_EXTERN_C_END

#endif
