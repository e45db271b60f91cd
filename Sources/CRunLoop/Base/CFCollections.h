/// CFCollections.h: the little that arrays, sets, bags and dictionaries have in common. Internal.
#if !defined(__COREFOUNDATION_CFCOLLECTIONS__)
#define __COREFOUNDATION_CFCOLLECTIONS__ 1

#include "CFInternal.h"

CF_EXTERN_C_BEGIN

// MARK: - Callbacks of the kCFType… and kCFCopyString… tables, by the names in a Mac's stack traces

CF_EXPORT const void *__CFTypeCollectionRetain(CFAllocatorRef allocator, const void *ptr);
CF_EXPORT void __CFTypeCollectionRelease(CFAllocatorRef allocator, const void *ptr);
CF_EXPORT const void *__CFStringCollectionCopy(CFAllocatorRef allocator, const void *ptr);

// MARK: - Memory and words

/// Room for `n` things of `size` bytes; NULL when `n` is 0. Stops the program, naming `what`, when
/// there is no memory.
CF_EXPORT void *__CFCollectionAllocate(CFAllocatorRef allocator, CFIndex n, size_t size,
                                       const char *what);
/// Appends a value as its collection describes it: what the callback says, or the address when
/// there is none.
CF_EXPORT void __CFCollectionAppendValue(CFMutableStringRef string, const void *value,
                                         CFStringRef (*copyDescription)(const void *));

/// What CFCopyDescription says of an array, with another address in the place of its own.
/// (CFArray.c)
CF_EXPORT CFStringRef __CFArrayCopyDescriptionAs(CFTypeRef cf, const void *address);

// MARK: - Checks

/// The flag of every collection that says whether it can be changed.
enum { __kCFCollectionIsMutable = 0 };

/// Stops the program: `function` was given something that is no object of `cls`.
CF_EXPORT void __CF_WAS_GIVEN_AN_OBJECT_OF_THE_WRONG_TYPE__(const char *function, CFTypeRef cf,
                                                            const CFRuntimeClass *cls)
    __attribute__((noreturn, cold));
/// Stops the program: `function` was to change a collection that was made immutable.
CF_EXPORT void __CF_AN_IMMUTABLE_COLLECTION_CANNOT_BE_CHANGED__(const char *function, CFTypeRef cf)
    __attribute__((noreturn, cold));

/// Stops the program unless `cf` is an object of `cls`.
CF_INLINE void __CFCollectionCheck(CFTypeRef cf, const CFRuntimeClass *cls, const char *function) {
    if (CF_UNLIKELY(!cf)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(function);
    if (CF_UNLIKELY(__CFRuntimeGetClass(cf) != cls))
        __CF_WAS_GIVEN_AN_OBJECT_OF_THE_WRONG_TYPE__(function, cf, cls);
}

/// Stops the program unless `cf` is an object of `cls` that can be changed.
CF_INLINE void __CFCollectionCheckMutable(CFTypeRef cf, const CFRuntimeClass *cls,
                                          const char *function) {
    __CFCollectionCheck(cf, cls, function);
    if (CF_UNLIKELY(!__CFRuntimeGetFlag(cf, __kCFCollectionIsMutable))) {
        __CF_AN_IMMUTABLE_COLLECTION_CANNOT_BE_CHANGED__(function, cf);
    }
}

CF_EXTERN_C_END

#endif
