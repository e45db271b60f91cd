/// CFCollections.c: what arrays, sets, bags and dictionaries share: the retain and release of the
/// predefined callback tables, allocation that succeeds or aborts, and the diagnoses for misuse. On
/// a Mac the retain and release are in CFRuntime.c, and most diagnoses are assertions of debug
/// builds.
#include "CFBasicHash.h"

// MARK: - Callbacks

const void *__CFTypeCollectionRetain(CFAllocatorRef allocator, const void *ptr) {
    return CFRetain(ptr);
}

void __CFTypeCollectionRelease(CFAllocatorRef allocator, const void *ptr) {
    CFRelease(ptr);
}

// MARK: - Memory and descriptions

void *__CFCollectionAllocate(CFIndex n, size_t size, const char *what) {
    if (n == 0) return NULL;
    size_t bytes;
    void *memory = __builtin_mul_overflow((size_t)n, size, &bytes) ? NULL : malloc(bytes);
    if (!memory) __CF_HAS_NO_MEMORY_LEFT__(what);
    return memory;
}

void __CFCollectionAppendValue(CFMutableStringRef string, const void *value,
                               CFStringRef (*copyDescription)(const void *)) {
    CFStringRef description = copyDescription ? copyDescription(value) : NULL;
    if (!description) {
        CFStringAppendFormat(string, NULL, CFSTR("<%p>"), value);
        return;
    }
    CFStringAppend(string, description);
    CFRelease(description);
}

CFTypeRef __CFCollectionCopy(CFTypeRef collection) {
    if (!collection) return NULL;
    if (__CFRuntimeGetClass(collection) == &__CFArrayClass)
        return CFArrayCreateCopy(kCFAllocatorSystemDefault, collection);
    return CFSetCreateCopy(kCFAllocatorSystemDefault, collection);
}

CFStringRef __CFCollectionCopyDescriptionAs(CFTypeRef copy, const void *original) {
    if (!copy) return CFSTR("(null)");
    Boolean isArray = __CFRuntimeGetClass(copy) == &__CFArrayClass;
    return (isArray ? __CFArrayCopyDescriptionAs : __CFBasicHashCopyDescriptionAs)(copy, original);
}

// MARK: - Diagnoses

void __CF_WAS_GIVEN_AN_OBJECT_OF_THE_WRONG_TYPE__(const char *function, CFTypeRef cf,
                                                  const CFRuntimeClass *cls) {
    __CFHalt("%s was given %p, which is not a %s. Check where the reference comes from: the "
             "object may have another type, or may have been deallocated.",
             function, cf, cls->className);
}

// The Linux build also aborts if a program changes an immutable set, bag or dictionary. It changes
// an immutable array, but incorrectly, because it stores NULL for an appended value. Here that
// aborts.
void __CF_AN_IMMUTABLE_COLLECTION_CANNOT_BE_CHANGED__(const char *function, CFTypeRef cf) {
    __CFHalt("%s was given the immutable collection %p. Make it with a Create…Mutable function, "
             "or change a mutable copy of it.", function, cf);
}
