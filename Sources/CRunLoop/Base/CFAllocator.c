/// CFAllocator.c: allocators.
///
/// The predefined allocators are constants, and CFAllocatorCreate creates more. On a Mac an
/// allocator is also a malloc zone. Here there is one heap.
#include "CFInternal.h"

struct __CFAllocator {
    CFRuntimeBase _base;
    CFAllocatorContext _context;
};

// MARK: - Calling the context

/// Replaces NULL by the default allocator.
static CFAllocatorRef __CFAllocatorResolve(CFAllocatorRef allocator) {
    return allocator ? allocator : CFAllocatorGetDefault();
}

void *CFAllocatorAllocate(CFAllocatorRef allocator, CFIndex size, CFOptionFlags hint) {
    const CFAllocatorContext *context = &__CFAllocatorResolve(allocator)->_context;
    if (size <= 0 || !context->allocate) return NULL;
    return context->allocate(size, hint, context->info);
}

void *CFAllocatorReallocate(CFAllocatorRef allocator, void *ptr, CFIndex newsize,
                            CFOptionFlags hint) {
    allocator = __CFAllocatorResolve(allocator);
    if (!ptr) return CFAllocatorAllocate(allocator, newsize, hint);
    if (newsize < 0) return NULL;
    if (newsize == 0) {
        CFAllocatorDeallocate(allocator, ptr);
        return NULL;
    }
    const CFAllocatorContext *context = &allocator->_context;
    return context->reallocate ? context->reallocate(ptr, newsize, hint, context->info) : NULL;
}

void CFAllocatorDeallocate(CFAllocatorRef allocator, void *ptr) {
    const CFAllocatorContext *context = &__CFAllocatorResolve(allocator)->_context;
    if (ptr && context->deallocate) context->deallocate(ptr, context->info);
}

// MARK: - The class

static void __CFAllocatorFinalize(CFTypeRef cf) {
    const CFAllocatorContext *context = &((CFAllocatorRef)cf)->_context;
    if (context->info && context->release) context->release(context->info);
}

static CFStringRef __CFAllocatorCopyDescription(CFTypeRef cf) {
    const CFAllocatorContext *context = &((CFAllocatorRef)cf)->_context;
    CFStringRef info = context->info && context->copyDescription
        ? context->copyDescription(context->info) : NULL;
    if (!info)
        info = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, CFSTR("%p"),
                                        context->info);
    CFStringRef desc = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                                CFSTR("<CFAllocator %p [%p]>{info = %@}"), cf,
                                                CFGetAllocator(cf), info);
    if (info) CFRelease(info);
    return desc;
}

CF_SHARED const CFRuntimeClass __CFAllocatorClass = {
    .typeID = _kCFRuntimeIDCFAllocator,
    .className = "CFAllocator",
    .finalize = __CFAllocatorFinalize,
    .copyDebugDesc = __CFAllocatorCopyDescription,
};

CFTypeID CFAllocatorGetTypeID(void) {
    return _kCFRuntimeIDCFAllocator;
}

// MARK: - The predefined allocators

static void *__CFAllocatorMallocAllocate(CFIndex allocSize, CFOptionFlags hint, void *info) {
    return malloc((size_t)allocSize);
}

static void *__CFAllocatorMallocReallocate(void *ptr, CFIndex newsize, CFOptionFlags hint,
                                           void *info) {
    return realloc(ptr, (size_t)newsize);
}

static void __CFAllocatorMallocDeallocate(void *ptr, void *info) {
    free(ptr);
}

static const struct __CFAllocator __kCFAllocatorSystemDefault = {
    INIT_CFRUNTIME_BASE(__CFAllocatorClass),
    {.allocate = __CFAllocatorMallocAllocate, .reallocate = __CFAllocatorMallocReallocate,
     .deallocate = __CFAllocatorMallocDeallocate}};
/// Its context has no functions, so it allocates nothing and frees nothing.
static const struct __CFAllocator __kCFAllocatorNull =
    {._base = INIT_CFRUNTIME_BASE(__CFAllocatorClass)};

static const CFAllocatorRef kCFAllocatorDefault = NULL;
static const CFAllocatorRef kCFAllocatorSystemDefault = &__kCFAllocatorSystemDefault;
static const CFAllocatorRef kCFAllocatorNull = &__kCFAllocatorNull;

// MARK: - Creating allocators

CFAllocatorRef CFAllocatorCreate(CFAllocatorRef allocator, CFAllocatorContext *context) {
    if (!context) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    if (context->version != 0)
        __CFHalt("%s was given a context of version %ld; set it to 0.", __func__, context->version);
    void *info = context->info && context->retain ? (void *)context->retain(context->info)
        : context->info;
    struct __CFAllocator *created = (struct __CFAllocator *)_CFRuntimeCreateInstance(
        allocator, &__CFAllocatorClass, sizeof(struct __CFAllocator));
    if (!created) {
        if (info && context->release) context->release(info);
        return NULL;
    }
    created->_context = *context;
    created->_context.info = info;
    return created;
}

// MARK: - The default allocator of a thread

CFAllocatorRef CFAllocatorGetDefault(void) {
    CFAllocatorRef allocator = _CFGetTSD(__CFTSDKeyAllocator);
    return allocator ? allocator : kCFAllocatorSystemDefault;
}

void CFAllocatorSetDefault(CFAllocatorRef allocator) {
    if (!allocator || CFGetTypeID(allocator) != _kCFRuntimeIDCFAllocator
        || allocator == CFAllocatorGetDefault()) return;
    // The allocator is never released, as Apple's documentation promises, because objects created
    // while it was the default may outlive the thread and any later default.
    _CFSetTSD(__CFTSDKeyAllocator, (void *)CFRetain(allocator), NULL);
}
