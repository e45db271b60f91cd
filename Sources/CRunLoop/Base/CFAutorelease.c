/// CFAutorelease.c: objects that are released later.
///
/// On a Mac (CF-1153, current) CFAutorelease gives the object to the Objective-C runtime, which has
/// a stack of pools for each thread. Here this file has the stack. A pool is only a position in the
/// thread's array of objects: everything behind it belongs to the pool. [D71]
#include "CFInternal.h"
#include <CoreFoundation/ForFoundationOnly.h>
#include <stdlib.h>

/// The autoreleased objects of a thread, the oldest first. Only the thread itself uses them.
struct __CFAutoreleased {
    CFIndex count;
    CFIndex capacity;
    CFTypeRef *objects;
};

/// Releases the objects from a position on, the newest first. A finalizer may autorelease others.
static void __CFAutoreleasedReleaseFrom(struct __CFAutoreleased *these, CFIndex position) {
    while (these->count > position) CFRelease(these->objects[--these->count]);
}

/// The destructor of the thread's slot. While it releases the objects, the slot is set, so that
/// what their finalizers autorelease comes here, too.
static void __CFAutoreleasedFinalize(void *value) {
    struct __CFAutoreleased *these = value;
    _CFSetTSD(__CFTSDKeyAutorelease, these, NULL);
    __CFAutoreleasedReleaseFrom(these, 0);
    _CFSetTSD(__CFTSDKeyAutorelease, NULL, NULL);
    free(these->objects);
    free(these);
}

/// Returns those of the calling thread, with room for another one.
static struct __CFAutoreleased *__CFAutoreleasedGetCurrent(void) {
    struct __CFAutoreleased *these = _CFGetTSD(__CFTSDKeyAutorelease);
    if (!these) {
        if (!(these = calloc(1, sizeof(*these)))) __CF_HAS_NO_MEMORY_LEFT__("autoreleased objects");
        _CFSetTSD(__CFTSDKeyAutorelease, these, __CFAutoreleasedFinalize);
    }
    if (these->count < these->capacity) return these;
    CFIndex capacity = these->capacity ? these->capacity * 2 : 16;
    CFTypeRef *objects = realloc(these->objects, (size_t)capacity * sizeof(CFTypeRef));
    if (!objects) __CF_HAS_NO_MEMORY_LEFT__("autoreleased objects");
    these->objects = objects;
    these->capacity = capacity;
    return these;
}

CFTypeRef CFAutorelease(CFTypeRef arg) {
    if (CF_UNLIKELY(!arg)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    struct __CFAutoreleased *these = __CFAutoreleasedGetCurrent();
    these->objects[these->count++] = arg;
    return arg;
}

void *_CFAutoreleasePoolPush(void) {
    const struct __CFAutoreleased *these = _CFGetTSD(__CFTSDKeyAutorelease);
    return (void *)(intptr_t)((these ? these->count : 0) + 1); // NULL is no pool
}

void _CFAutoreleasePoolPop(void *pool) {
    struct __CFAutoreleased *these = _CFGetTSD(__CFTSDKeyAutorelease);
    if (pool && these) __CFAutoreleasedReleaseFrom(these, (CFIndex)(intptr_t)pool - 1);
}
