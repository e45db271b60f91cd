/// CFBase.h: the types and macros that every other header leans on, the allocators, and the functions that work on any object.
///
/// Ownership follows the rule of CoreFoundation throughout: what a function with Create or Copy in its name returns is the
/// caller's to release with CFRelease; what any other function returns is not.
#if !defined(__COREFOUNDATION_CFBASE__)
#define __COREFOUNDATION_CFBASE__ 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: - Platform

#define TARGET_OS_MAC 0
#define TARGET_OS_OSX 0
#define TARGET_OS_IPHONE 0
#define TARGET_OS_WIN32 0
#define TARGET_OS_LINUX 1

// MARK: - Names
//
// The toolchain's CoreFoundation declares and defines the same names. Ours differ from them where the linker sees them, and where
// Swift's importer does.
#include "CFLinkerNames.h"

// MARK: - Declarations
//
// Functions and variables are hidden: two libraries in one process that each contain this run loop do not meet, and calls inside
// one library are direct. Types are not: a class of yours may have them as its fields.
#if defined(__cplusplus)
#define CF_EXTERN_C_BEGIN extern "C" {
#define CF_EXTERN_C_END }
#else
#define CF_EXTERN_C_BEGIN
#define CF_EXTERN_C_END
#endif

#define CF_EXPORT extern __attribute__((visibility("hidden")))
#define CF_INLINE static __inline__
#define CF_IMPLICIT_BRIDGING_ENABLED
#define CF_IMPLICIT_BRIDGING_DISABLED
#define CF_NOESCAPE
#if defined(__clang__) || defined(__cplusplus)
#define CF_ENUM(_type, _name) _type _name; __extension__ enum : _type
#else // gcc gives an enumeration a fixed type from version 13 on
#define CF_ENUM(_type, _name) _type _name; enum
#endif
#define CF_OPTIONS(_type, _name) CF_ENUM(_type, _name)

CF_EXTERN_C_BEGIN

// MARK: - Plain types

typedef bool Boolean;
typedef uint8_t UInt8;
typedef int8_t SInt8;
typedef uint16_t UInt16;
typedef int16_t SInt16;
typedef uint32_t UInt32;
typedef int32_t SInt32;
typedef uint64_t UInt64;
typedef int64_t SInt64;
typedef SInt32 OSStatus;
typedef float Float32;
typedef double Float64;
typedef unsigned short UniChar;
typedef unsigned long UniCharCount;
typedef unsigned char *StringPtr;
typedef const unsigned char *ConstStringPtr;
typedef UInt32 UTF32Char;
typedef UInt16 UTF16Char;
typedef UInt8 UTF8Char;

#if !defined(TRUE)
#define TRUE 1
#endif
#if !defined(FALSE)
#define FALSE 0
#endif

/// The number of a type, as CFGetTypeID returns it.
typedef unsigned long CFTypeID;
/// A set of option bits.
typedef unsigned long CFOptionFlags;
/// What CFHash returns.
typedef unsigned long CFHashCode;
/// A count, a size or a position; signed, so that -1 can say "nowhere".
typedef signed long CFIndex;

/// Any object of this library.
typedef const void *CFTypeRef;
typedef const struct __CFString *CFStringRef;
typedef struct __CFString *CFMutableStringRef;
/// Any object that may stand in a property list.
typedef CFTypeRef CFPropertyListRef;

/// The answer of a comparison.
typedef CF_ENUM(CFIndex, CFComparisonResult) {
    kCFCompareLessThan = -1L,
    kCFCompareEqualTo = 0,
    kCFCompareGreaterThan = 1
};

/// Compares two values; `context` is what the caller of the sort or search passed along.
typedef CFComparisonResult (*CFComparatorFunction)(const void *val1, const void *val2, void *context);

/// What a search returns that found nothing.
static const CFIndex kCFNotFound = -1;

/// `length` places from `location` on.
typedef struct {
    CFIndex location;
    CFIndex length;
} CFRange;

/// Makes a range.
CF_INLINE CFRange CFRangeMake(CFIndex loc, CFIndex len) {
    CFRange range = {loc, len};
    return range;
}

/// The version of CoreFoundation whose run loop this re-creates (CF-1153, of OS X 10.10).
CF_EXPORT double kCFCoreFoundationVersionNumber;

// MARK: - Null

/// The object that stands for nothing where an object is needed.
typedef const struct __CFNull *CFNullRef;
/// The type id of CFNull.
CF_EXPORT CFTypeID CFNullGetTypeID(void);
/// The one CFNull there is. Retaining and releasing it does nothing.
CF_EXPORT const CFNullRef kCFNull;

// MARK: - Allocators

/// Where an object's memory comes from. NULL means the default allocator everywhere.
typedef const struct __CFAllocator *CFAllocatorRef;

/// NULL, by name: the allocator that CFAllocatorGetDefault returns at the time of the call.
CF_EXPORT const CFAllocatorRef kCFAllocatorDefault;
/// malloc, realloc and free.
CF_EXPORT const CFAllocatorRef kCFAllocatorSystemDefault;
/// malloc, realloc and free; on a Mac a different zone from the system default, here the same memory.
CF_EXPORT const CFAllocatorRef kCFAllocatorMalloc;
/// As kCFAllocatorMalloc.
CF_EXPORT const CFAllocatorRef kCFAllocatorMallocZone;
/// Allocates nothing (always NULL) and frees nothing: for contents that somebody else owns.
CF_EXPORT const CFAllocatorRef kCFAllocatorNull;
/// Only for CFAllocatorCreate: take the new allocator's own memory from the functions given in its context.
CF_EXPORT const CFAllocatorRef kCFAllocatorUseContext;

typedef const void *(*CFAllocatorRetainCallBack)(const void *info);
typedef void (*CFAllocatorReleaseCallBack)(const void *info);
typedef CFStringRef (*CFAllocatorCopyDescriptionCallBack)(const void *info);
typedef void *(*CFAllocatorAllocateCallBack)(CFIndex allocSize, CFOptionFlags hint, void *info);
typedef void *(*CFAllocatorReallocateCallBack)(void *ptr, CFIndex newsize, CFOptionFlags hint, void *info);
typedef void (*CFAllocatorDeallocateCallBack)(void *ptr, void *info);
typedef CFIndex (*CFAllocatorPreferredSizeCallBack)(CFIndex size, CFOptionFlags hint, void *info);

/// What an allocator is made of. `version` is 0; every callback may be NULL but `allocate`.
typedef struct {
    CFIndex version;
    void *info;
    CFAllocatorRetainCallBack retain;
    CFAllocatorReleaseCallBack release;
    CFAllocatorCopyDescriptionCallBack copyDescription;
    CFAllocatorAllocateCallBack allocate;
    CFAllocatorReallocateCallBack reallocate;
    CFAllocatorDeallocateCallBack deallocate;
    CFAllocatorPreferredSizeCallBack preferredSize;
} CFAllocatorContext;

/// The type id of CFAllocator.
CF_EXPORT CFTypeID CFAllocatorGetTypeID(void);
/// Makes `allocator` the calling thread's default. It is retained for good. NULL and non-allocators are ignored.
CF_EXPORT void CFAllocatorSetDefault(CFAllocatorRef allocator);
/// The calling thread's default allocator: kCFAllocatorSystemDefault unless CFAllocatorSetDefault said otherwise.
CF_EXPORT CFAllocatorRef CFAllocatorGetDefault(void);
/// Makes an allocator from a context, in memory of `allocator`. The caller owns it.
CF_EXPORT CFAllocatorRef CFAllocatorCreate(CFAllocatorRef allocator, CFAllocatorContext *context);
/// `size` bytes, or NULL when there are none to be had or `size` is not positive. `hint` is passed to the callback; pass 0.
CF_EXPORT void *CFAllocatorAllocate(CFAllocatorRef allocator, CFIndex size, CFOptionFlags hint);
/// Changes the size of `ptr`. A NULL `ptr` allocates, a `newsize` of 0 frees. NULL when there is no memory; `ptr` is then
/// untouched.
CF_EXPORT void *CFAllocatorReallocate(CFAllocatorRef allocator, void *ptr, CFIndex newsize, CFOptionFlags hint);
/// Gives `ptr` back. NULL is ignored.
CF_EXPORT void CFAllocatorDeallocate(CFAllocatorRef allocator, void *ptr);
/// How many bytes a request for `size` would really get.
CF_EXPORT CFIndex CFAllocatorGetPreferredSizeForSize(CFAllocatorRef allocator, CFIndex size, CFOptionFlags hint);
/// Copies the allocator's context. `context->version` must be 0.
CF_EXPORT void CFAllocatorGetContext(CFAllocatorRef allocator, CFAllocatorContext *context);

// MARK: - Functions for every object. Each may be called from any thread; each stops the program with a
// clear line when given NULL, unless it says otherwise.

/// The number of the object's type.
CF_EXPORT CFTypeID CFGetTypeID(CFTypeRef cf);
/// The name of a type, as a string that the caller owns; NULL when there is no such type.
CF_EXPORT CFStringRef CFCopyTypeIDDescription(CFTypeID type_id);
/// Adds a reference and returns the object. Atomic; safe in a signal handler.
CF_EXPORT CFTypeRef CFRetain(CFTypeRef cf);
/// Takes a reference away, and the object with the last one.
CF_EXPORT void CFRelease(CFTypeRef cf);
/// The number of references, for looking at only: another thread may change it at any time. LONG_MAX for what never dies.
CF_EXPORT CFIndex CFGetRetainCount(CFTypeRef cf);
/// Whether two objects are equal, by the rule of their type; objects of different types never are.
CF_EXPORT Boolean CFEqual(CFTypeRef cf1, CFTypeRef cf2);
/// A number that is the same for equal objects.
CF_EXPORT CFHashCode CFHash(CFTypeRef cf);
/// The object in words, as CFShow prints it. The caller owns the string. NULL gives NULL.
///
/// A run loop's items show the functions that they call by name. The names of static functions and
/// closures are those of the symbol table in the executable's file, or in its debug file
/// (/usr/lib/debug/.build-id, by the build id); a program that has been stripped (strip, or the
/// linker's -s) has lost the table, and without a debug file all but its exported functions are
/// "???".
CF_EXPORT CFStringRef CFCopyDescription(CFTypeRef cf);
/// The allocator that the object's memory came from. Not retained. NULL gives kCFAllocatorSystemDefault.
CF_EXPORT CFAllocatorRef CFGetAllocator(CFTypeRef cf);
/// Returns its argument. On a Mac it handed an object to the garbage collector that is gone.
CF_EXPORT CFTypeRef CFMakeCollectable(CFTypeRef cf);

CF_EXTERN_C_END

#endif
