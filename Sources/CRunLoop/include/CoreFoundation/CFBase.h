/// CFBase.h: the types and macros that every other header uses, the allocators, and the functions
/// that work on any object.
///
/// Ownership follows CoreFoundation's rule. If a function's name contains Create or Copy, the
/// caller owns the result and releases it with CFRelease. The caller does not own the result of any
/// other function.
#if !defined(__COREFOUNDATION_CFBASE__)
#define __COREFOUNDATION_CFBASE__ 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CFAvailability.h"

// MARK: - Names
//
// The toolchain's CoreFoundation declares and defines the same names. This library gives them other
// names for the linker, and for Swift's importer.
#include "Generated/CFLinkerNames.h"

// MARK: - Declarations
//
// Functions and variables are hidden, so two libraries in one process can each contain this run
// loop without sharing it, and calls inside one library are direct. Types are not hidden, so your
// class may have them as its fields.
#if defined(__cplusplus)
#define CF_EXTERN_C_BEGIN extern "C" {
#define CF_EXTERN_C_END }
#else
#define CF_EXTERN_C_BEGIN
#define CF_EXTERN_C_END
#endif

#if defined(CF_BUILDING_CF)
#define CF_EXPORT static __attribute__((used)) // CRunLoop.c gives it an alias for the linker
#else
#define CF_EXPORT extern __attribute__((visibility("hidden")))
#endif
#define CF_INLINE static __inline__

// MARK: - Attributes
//
// Macros for your own headers and functions. Code that is also compiled for a Mac uses them. A
// macro is empty if the compiler has no such attribute.

/// Your function's result is to be released by its caller, although its name has neither Create
/// nor Copy. clang's static analyzer reads it.
#if CF_HAS_ATTRIBUTE(cf_returns_retained)
#define CF_RETURNS_RETAINED __attribute__((cf_returns_retained))
#else
#define CF_RETURNS_RETAINED
#endif
/// Your function's result is not to be released by its caller, although its name has Create or
/// Copy.
#if CF_HAS_ATTRIBUTE(cf_returns_not_retained)
#define CF_RETURNS_NOT_RETAINED __attribute__((cf_returns_not_retained))
#else
#define CF_RETURNS_NOT_RETAINED
#endif
/// Your function releases this argument. CF_CONSUMED is the older name.
#if CF_HAS_ATTRIBUTE(cf_consumed)
#define CF_RELEASES_ARGUMENT __attribute__((cf_consumed))
#else
#define CF_RELEASES_ARGUMENT
#endif
#define CF_CONSUMED CF_RELEASES_ARGUMENT

/// Your function does not keep this pointer or block after it has returned.
#if CF_HAS_ATTRIBUTE(noescape)
#define CF_NOESCAPE __attribute__((noescape))
#else
#define CF_NOESCAPE
#endif
/// The compiler warns if a caller ignores your function's result.
#if CF_HAS_ATTRIBUTE(warn_unused_result)
#define CF_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#else
#define CF_WARN_UNUSED_RESULT
#endif
/// What Swift calls your declaration.
#if CF_HAS_ATTRIBUTE(swift_name)
#define CF_SWIFT_NAME(_name) __attribute__((swift_name(#_name)))
#else
#define CF_SWIFT_NAME(_name)
#endif

/// Between these two lines a pointer is never NULL, unless it is declared as _Nullable.
#if CF_HAS_FEATURE(assume_nonnull)
#define CF_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define CF_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#else
#define CF_ASSUME_NONNULL_BEGIN
#define CF_ASSUME_NONNULL_END
#endif
#if !CF_HAS_FEATURE(nullability)
#if !defined(_Nullable)
#define _Nullable
#endif
#if !defined(_Nonnull)
#define _Nonnull
#endif
#endif

// These concern Objective-C and its bridge to CoreFoundation, which do not exist on Linux.
#define CF_IMPLICIT_BRIDGING_ENABLED
#define CF_IMPLICIT_BRIDGING_DISABLED
#define CF_BRIDGED_TYPE(T)
#define CF_BRIDGED_MUTABLE_TYPE(T)

CF_EXTERN_C_BEGIN

// MARK: - Plain types

typedef bool Boolean;
typedef uint8_t UInt8;
typedef uint32_t UInt32;
typedef int32_t SInt32;
typedef unsigned short UniChar;
typedef UInt32 UTF32Char;

#if !defined(TRUE)
#define TRUE 1
#endif
#if !defined(FALSE)
#define FALSE 0
#endif

/// The number of a type. CFGetTypeID returns it.
typedef unsigned long CFTypeID;
/// A set of option bits.
typedef unsigned long CFOptionFlags;
/// A hash of a value. CFHash returns it.
typedef unsigned long CFHashCode;
/// A count, a size or a position. It is signed, so that -1 can mean "nowhere".
typedef signed long CFIndex;

/// Any object of this library.
typedef const void *CFTypeRef;
typedef const struct __CFString *CFStringRef;
typedef struct __CFString *CFMutableStringRef;

/// The result of a search that found nothing.
static const CFIndex kCFNotFound = -1;

/// A range: `length` places, beginning at `location`.
typedef struct {
    CFIndex location;
    CFIndex length;
} CFRange;

/// Returns a range.
CF_INLINE CFRange CFRangeMake(CFIndex loc, CFIndex len) {
    CFRange range = {loc, len};
    return range;
}

// MARK: - Allocators

/// An allocator: the place where an object's memory comes from. Here there is one, malloc. In the
/// original a program can create others.
typedef const struct __CFAllocator *CFAllocatorRef;

/// A name for NULL, which stands for the default allocator.
CF_EXPORT const CFAllocatorRef kCFAllocatorDefault;
/// The allocator. It uses malloc, realloc and free.
CF_EXPORT const CFAllocatorRef kCFAllocatorSystemDefault;
/// Returns the type id of CFAllocator.
CF_EXPORT CFTypeID CFAllocatorGetTypeID(void);
/// Returns the default allocator, kCFAllocatorSystemDefault. It is not retained for you.
CF_EXPORT CFAllocatorRef CFAllocatorGetDefault(void);

// MARK: - Functions for every object
//
// You may call each of them on any thread. Each aborts the program with a message if you pass NULL,
// unless its comment says otherwise.

/// Returns the number of the object's type.
CF_EXPORT CFTypeID CFGetTypeID(CFTypeRef cf);
/// Returns the name of a type, or NULL if no such type exists. The caller owns the string.
CF_EXPORT CFStringRef CFCopyTypeIDDescription(CFTypeID type_id);
/// Adds a reference to an object, and returns the object. It is atomic and safe in a signal
/// handler.
CF_EXPORT CFTypeRef CFRetain(CFTypeRef cf);
/// Removes a reference from an object. The object is deallocated when the last one is removed.
CF_EXPORT void CFRelease(CFTypeRef cf);
/// Gives a reference to an object to the calling thread's innermost autorelease pool, which
/// releases it when the pool ends. Returns the object.
///
/// Without a pool, the thread releases the object when it ends; the main thread never does. A pool
/// begins and ends with _CFAutoreleasePoolPush and _CFAutoreleasePoolPop (ForFoundationOnly.h), or
/// in Swift with AutoreleasePool. The Linux build exports this function, but does not declare it;
/// there it returns its argument, which nothing ever releases.
CF_EXPORT CFTypeRef CFAutorelease(CFTypeRef arg CF_RELEASES_ARGUMENT); // [D71]
/// Returns the number of references to an object, for debugging only.
///
/// Another thread may change the number at any time. Returns LONG_MAX for an object that is never
/// deallocated.
CF_EXPORT CFIndex CFGetRetainCount(CFTypeRef cf);
/// Returns whether two objects are equal by the rule of their type. Objects of different types are
/// never equal.
CF_EXPORT Boolean CFEqual(CFTypeRef cf1, CFTypeRef cf2);
/// Returns a number that is the same for equal objects.
CF_EXPORT CFHashCode CFHash(CFTypeRef cf);
/// Returns a description of an object, in the words that CFShow prints.
///
/// The caller owns the string. Returns NULL for NULL.
///
/// The description of a run loop's item shows the names of the functions that it calls. The names
/// of static functions and closures come from the symbol table in the program's file. A stripped
/// program (strip, or the linker's -s) has lost the table. Then all of its functions are "???",
/// except those that it exports. Those of a shared library that it does not export always are.
CF_EXPORT CFStringRef CFCopyDescription(CFTypeRef cf);
/// Returns the allocator that the object's memory came from, kCFAllocatorSystemDefault. It is not
/// retained for you. NULL is allowed.
CF_EXPORT CFAllocatorRef CFGetAllocator(CFTypeRef cf);
CF_EXTERN_C_END

#endif
