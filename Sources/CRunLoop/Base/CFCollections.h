/// CFCollections.h: what arrays, sets, bags and dictionaries have in common. Internal.
#if !defined(__COREFOUNDATION_CFCOLLECTIONS__)
#define __COREFOUNDATION_CFCOLLECTIONS__ 1

#include "CFInternal.h"

CF_EXTERN_C_BEGIN

// MARK: - Callbacks

// The callbacks in kCFTypeSetCallBacks and the like. They have the names that you see in stack
// traces on a Mac.

CF_PRIVATE const void *__CFTypeCollectionRetain(CFAllocatorRef allocator, const void *ptr);
CF_PRIVATE void __CFTypeCollectionRelease(CFAllocatorRef allocator, const void *ptr);

// MARK: - Memory and descriptions

/// Allocates memory for `n` elements of `size` bytes. Returns NULL if `n` is 0. If there is no
/// memory, aborts with a message that names `what`.
CF_PRIVATE void *__CFCollectionAllocate(CFIndex n, size_t size,
                                       const char *what);
/// Appends the description of a value: what the callback returns, or the value's address if there
/// is no callback.
CF_PRIVATE void __CFCollectionAppendValue(CFMutableStringRef string, const void *value,
                                         CFStringRef (*copyDescription)(const void *));

/// Copies the description of an array, but writes `address` in place of the array's. (CFArray.c)
CF_PRIVATE CFStringRef __CFArrayCopyDescriptionAs(CFTypeRef cf, const void *address);

// MARK: - Checks

/// The flag that every mutable collection has.
enum { __kCFCollectionIsMutable = 0 };

/// Aborts: `function` was given something that is not an object of `cls`.
CF_PRIVATE void __CF_WAS_GIVEN_AN_OBJECT_OF_THE_WRONG_TYPE__(const char *function, CFTypeRef cf,
                                                            const CFRuntimeClass *cls)
    __attribute__((noreturn, cold));
/// Aborts: `function` changes collections, but was given an immutable one.
CF_PRIVATE void __CF_AN_IMMUTABLE_COLLECTION_CANNOT_BE_CHANGED__(const char *function, CFTypeRef cf)
    __attribute__((noreturn, cold));

/// Aborts unless `cf` is an object of `cls`.
CF_INLINE void __CFCollectionCheck(CFTypeRef cf, const CFRuntimeClass *cls, const char *function) {
    if (CF_UNLIKELY(!cf)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(function);
    if (CF_UNLIKELY(__CFRuntimeGetClass(cf) != cls))
        __CF_WAS_GIVEN_AN_OBJECT_OF_THE_WRONG_TYPE__(function, cf, cls);
}

/// Aborts unless `cf` is a mutable object of `cls`.
CF_INLINE void __CFCollectionCheckMutable(CFTypeRef cf, const CFRuntimeClass *cls,
                                          const char *function) {
    __CFCollectionCheck(cf, cls, function);
    if (CF_UNLIKELY(!__CFRuntimeGetFlag(cf, __kCFCollectionIsMutable))) {
        __CF_AN_IMMUTABLE_COLLECTION_CANNOT_BE_CHANGED__(function, cf);
    }
}

CF_EXTERN_C_END

#endif
