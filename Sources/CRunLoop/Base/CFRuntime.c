/// CFRuntime.c: what all objects have in common: creation, retain and release, comparison,
/// description.
///
/// On a Mac the functions here first check whether the object is an Objective-C one, and a type
/// gets its number when it is first used. Here every object belongs to this library, and the
/// compiler lays out the table of types.
#include "CFInternal.h"
#include <CoreFoundation/ForFoundationOnly.h>

// MARK: - The types

static const CFRuntimeClass *const __CFRuntimeClassTable[_kCFRuntimeTypeCount] = {
    [_kCFRuntimeIDCFAllocator] = &__CFAllocatorClass,
    [_kCFRuntimeIDCFString] = &__CFStringClass,
    [_kCFRuntimeIDCFArray] = &__CFArrayClass,
    [_kCFRuntimeIDCFBag] = &__CFBagClass,
    [_kCFRuntimeIDCFSet] = &__CFSetClass,
    [_kCFRuntimeIDCFDictionary] = &__CFDictionaryClass,
    [_kCFRuntimeIDCFRunLoop] = &__CFRunLoopClass,
    [_kCFRuntimeIDCFRunLoopMode] = &__CFRunLoopModeClass,
    [_kCFRuntimeIDCFRunLoopSource] = &__CFRunLoopSourceClass,
    [_kCFRuntimeIDCFRunLoopObserver] = &__CFRunLoopObserverClass,
    [_kCFRuntimeIDCFRunLoopTimer] = &__CFRunLoopTimerClass,
};

CFTypeID CFGetTypeID(CFTypeRef cf) {
    if (CF_UNLIKELY(!cf)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return __CFRuntimeGetClass(cf)->typeID;
}

CFStringRef CFCopyTypeIDDescription(CFTypeID type_id) {
    if (type_id >= _kCFRuntimeTypeCount || !__CFRuntimeClassTable[type_id]) return NULL;
    return CFStringCreateWithCString(kCFAllocatorSystemDefault,
                                     __CFRuntimeClassTable[type_id]->className,
                                     kCFStringEncodingASCII);
}

// MARK: - Creating objects

CFTypeRef _CFRuntimeCreateInstance(CFAllocatorRef allocator, const CFRuntimeClass *cls,
                                   size_t size) {
    (void)allocator; // there is one
    CFRuntimeBase *base = calloc(1, size);
    if (!base) return NULL;
    base->_cfisa = (uintptr_t)cls;
    atomic_init(&base->_cfinfo, __CFObjectNextNumber() << 8);
    atomic_init(&base->_rc, 1);
    return base;
}

// MARK: - The allocator
//
// In the original a client creates others, and each object knows its own.

CF_SHARED const CFRuntimeClass __CFAllocatorClass = {
    .typeID = _kCFRuntimeIDCFAllocator,
    .className = "CFAllocator",
};

static const struct __CFAllocator {
    CFRuntimeBase _base;
} __kCFAllocatorSystemDefault = {INIT_CFRUNTIME_BASE(__CFAllocatorClass)};

static const CFAllocatorRef kCFAllocatorDefault = NULL;
static const CFAllocatorRef kCFAllocatorSystemDefault = &__kCFAllocatorSystemDefault;

CFTypeID CFAllocatorGetTypeID(void) { return _kCFRuntimeIDCFAllocator; }

CFAllocatorRef CFAllocatorGetDefault(void) { return kCFAllocatorSystemDefault; }

CFAllocatorRef CFGetAllocator(CFTypeRef cf) {
    (void)cf;
    return kCFAllocatorSystemDefault;
}

// MARK: - Retain and release
//
// An object is finalized once, when its last reference is released. Its finalizer may call code
// that retains and releases the object again. If the count reached zero again, the object would be
// finalized twice. So the count of an object that is being finalized starts from __kCFRuntimeDying.
// The thread that finalizes it holds one reference. The thread that releases the last one, usually
// the same, only frees the memory. A reference that outlives the finalizer keeps an empty shell,
// never a dangling pointer.
//
// After 2^28 references a count would reach __kCFRuntimeTwin. So if an object with __kCFRuntimeMany
// references is retained again, it is pinned: from then on neither retain nor release changes its
// count, and it is never freed. It is a leak anyway, because no program releases so many.

#define __kCFRuntimeMany 0x10000000u
#define __kCFRuntimeTwin 0x20000000u // the object has a twin: see below
// Far from both ends, so a concurrent release does not unpin it.
#define __kCFRuntimePinned 0x60000000u
#define __kCFRuntimeDying 0x80000000u

CF_INLINE Boolean __CFRuntimeIsPinned(uint32_t count) {
    return count >= __kCFRuntimePinned && count < __kCFRuntimeDying;
}

static __attribute__((noinline, cold)) void __AN_OBJECT_HAS_TOO_MANY_REFERENCES__(CFTypeRef cf) {
    __CFWarn(
        "the %s %p has been retained %u times more than released, and will never be freed: "
        "something retains it again and again. Break on __AN_OBJECT_HAS_TOO_MANY_REFERENCES__ "
        "to see what.",
        __CFRuntimeGetClass(cf)->className, cf, __kCFRuntimeMany);
}

// MARK: Twins
//
// An object of the layer above, such as a Timer in Swift, has one reference to its C object for
// life. The C object retains its twin while it has other references, too: the second reference
// retains the twin, and when only the twin's own is left, the twin is released. So whoever holds
// one of the two holds both, and no cycle is left: a toggle reference. On a Mac both are one
// object.

// The layer above has one kind of reference.
static _Atomic(const CFTwinCallBacks *) __CFTwinFunctions;

static void __CFTwinRetain(const void *twin) {
    atomic_load(&__CFTwinFunctions)->retain(twin);
}

static void __CFTwinRelease(const void *twin) {
    atomic_load(&__CFTwinFunctions)->release(twin);
}

static const void **__CFTwinPlace(CFTypeRef cf) {
    return (const void **)((char *)cf + __CFRuntimeGetClass(cf)->twin);
}

const void *_CFGetTwin(CFTypeRef cf) {
    return __atomic_load_n(__CFTwinPlace(cf), __ATOMIC_ACQUIRE);
}

const void *_CFSetTwin(CFTypeRef cf, const void *twin, const CFTwinCallBacks *callBacks) {
    const void *other = NULL;
    atomic_store(&__CFTwinFunctions, callBacks);
    if (!__atomic_compare_exchange_n(__CFTwinPlace(cf), &other, twin, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return other;
    uint32_t count = atomic_fetch_or(&((CFRuntimeBase *)cf)->_rc, __kCFRuntimeTwin);
    if (count > 1) __CFTwinRetain(twin);
    return twin;
}

void _CFRemoveTwin(CFTypeRef cf) {
    atomic_fetch_and(&((CFRuntimeBase *)cf)->_rc, ~__kCFRuntimeTwin);
    __atomic_store_n(__CFTwinPlace(cf), NULL, __ATOMIC_RELEASE);
}

/// Retains an object that has a twin, or whose count is __kCFRuntimeMany or higher, or was a moment
/// ago.
static __attribute__((noinline)) CFTypeRef _CFRetain(CFTypeRef cf) {
    _Atomic(uint32_t) *rc = &((CFRuntimeBase *)cf)->_rc;
    uint32_t count = atomic_load_explicit(rc, memory_order_relaxed);
    for (;;) {
        if (count == _kCFRuntimeImmortal || __CFRuntimeIsPinned(count)) return cf;
        Boolean pins =
            (count & ~__kCFRuntimeTwin) >= __kCFRuntimeMany && count < __kCFRuntimePinned;
        if (!atomic_compare_exchange_weak(rc, &count, pins ? __kCFRuntimePinned : count + 1))
            continue;
        if (pins) __AN_OBJECT_HAS_TOO_MANY_REFERENCES__(cf);
        if (count == (__kCFRuntimeTwin | 1)) __CFTwinRetain(_CFGetTwin(cf));
        return cf;
    }
}

CFTypeRef CFRetain(CFTypeRef cf) {
    if (CF_UNLIKELY(!cf)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    _Atomic(uint32_t) *rc = &((CFRuntimeBase *)cf)->_rc;
    // Constants are in memory that must not be written to. An object does not become immortal
    // later, so this check may come first. There cannot be so many threads past the check that they
    // raise a count from __kCFRuntimeMany to __kCFRuntimePinned.
    if (atomic_load_explicit(rc, memory_order_relaxed) >= __kCFRuntimeMany) return _CFRetain(cf);
    // Relaxed is enough, because the caller already has a reference, so the object cannot go away
    // meanwhile.
    atomic_fetch_add_explicit(rc, 1, memory_order_relaxed);
    return cf;
}

CFTypeRef _CFTryRetain(CFTypeRef cf) {
    _Atomic(uint32_t) *rc = &((CFRuntimeBase *)cf)->_rc;
    uint32_t count = atomic_load(rc);
    while (count > 0 && count < __kCFRuntimePinned
           && (count & ~__kCFRuntimeTwin) < __kCFRuntimeMany) {
        if (count == (__kCFRuntimeTwin | 1)) return NULL; // the twin may be going at this moment
        if (atomic_compare_exchange_weak(rc, &count, count + 1)) return cf;
    }
    Boolean isAlive = count == _kCFRuntimeImmortal || (count > 0 && count < __kCFRuntimeDying);
    return isAlive ? _CFRetain(cf) : NULL;
}

/// Separate from CFRelease, so that CFRelease needs no stack frame for the many calls that do not
/// release the last reference.
static __attribute__((noinline)) void _CFRelease(CFTypeRef cf, uint32_t left) {
    _Atomic(uint32_t) *rc = &((CFRuntimeBase *)cf)->_rc;
    if (left == (__kCFRuntimeTwin | 1)) {
        __CFTwinRelease(_CFGetTwin(cf)); // the twin lives until here, and so the object does
        return;
    }
    if (left == 0) {
        // No other thread can see the object any more.
        atomic_store_explicit(rc, __kCFRuntimeDying + 1, memory_order_relaxed);
        void (*finalize)(CFTypeRef) = __CFRuntimeGetClass(cf)->finalize;
        if (finalize) finalize(cf);
        // If this thread's reference is the only one, no other thread can add one.
        left = atomic_load_explicit(rc, memory_order_acquire) - 1;
        if (left != __kCFRuntimeDying)
            left = atomic_fetch_sub_explicit(rc, 1, memory_order_acq_rel) - 1;
    }
    if (left == __kCFRuntimeDying) free((void *)cf);
}

void CFRelease(CFTypeRef cf) {
    if (CF_UNLIKELY(!cf)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    _Atomic(uint32_t) *rc = &((CFRuntimeBase *)cf)->_rc;
    uint32_t count = atomic_load_explicit(rc, memory_order_relaxed);
    if (CF_UNLIKELY(count >= __kCFRuntimePinned)
        && (count == _kCFRuntimeImmortal || count < __kCFRuntimeDying))
        return;
    // Release: this thread's writes come before the count goes down. Acquire: the thread that ends
    // the object sees the writes of all threads.
    uint32_t left = atomic_fetch_sub_explicit(rc, 1, memory_order_acq_rel) - 1;
    if (CF_UNLIKELY(left == 0 || left == __kCFRuntimeDying || left == (__kCFRuntimeTwin | 1)))
        _CFRelease(cf, left);
}

#define __CF_SWIFT_REFERENCE(Type) \
    void _##Type##Retain(Type##Ref cf) { if (cf) CFRetain(cf); } \
    void _##Type##Release(Type##Ref cf) { if (cf) CFRelease(cf); }
__CF_SWIFT_REFERENCE(CFRunLoop)
__CF_SWIFT_REFERENCE(CFRunLoopSource)
__CF_SWIFT_REFERENCE(CFRunLoopObserver)
__CF_SWIFT_REFERENCE(CFRunLoopTimer)

CFIndex CFGetRetainCount(CFTypeRef cf) {
    if (CF_UNLIKELY(!cf)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    uint32_t count = atomic_load_explicit(&((CFRuntimeBase *)cf)->_rc, memory_order_relaxed);
    if (count == _kCFRuntimeImmortal || __CFRuntimeIsPinned(count)) return LONG_MAX;
    return (CFIndex)(count & ~(__kCFRuntimeDying | __kCFRuntimeTwin));
}

// MARK: - Comparison and description

Boolean CFEqual(CFTypeRef cf1, CFTypeRef cf2) {
    if (CF_UNLIKELY(!cf1 || !cf2)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    if (cf1 == cf2) return true;
    const CFRuntimeClass *cls = __CFRuntimeGetClass(cf1);
    if (cls != __CFRuntimeGetClass(cf2) || !cls->equal) return false;
    return cls->equal(cf1, cf2);
}

CFHashCode CFHash(CFTypeRef cf) {
    if (CF_UNLIKELY(!cf)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    const CFRuntimeClass *cls = __CFRuntimeGetClass(cf);
    if (cls->hash) return cls->hash(cf);
    uint32_t number = atomic_load(&((const CFRuntimeBase *)cf)->_cfinfo) >> 8;
    return number ? number : (CFHashCode)(uintptr_t)cf;
}

CFStringRef CFCopyDescription(CFTypeRef cf) {
    if (!cf) return NULL;
    const CFRuntimeClass *cls = __CFRuntimeGetClass(cf);
    CFStringRef desc = cls->copyDebugDesc ? cls->copyDebugDesc(cf) : NULL;
    if (desc) return desc;
    return CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, CFSTR("<%s %p [%p]>"),
                                    cls->className, cf, CFGetAllocator(cf));
}

// MARK: - CFShow

/// Returns what CFShow prints: a string as it is, and the description of anything else.
static CFStringRef __CFShowCopyText(CFTypeRef obj) {
    if (!obj) return CFSTR("(null)");
    return CFGetTypeID(obj) == CFStringGetTypeID() ? CFStringCreateCopy(NULL, obj)
        : CFCopyDescription(obj);
}

void CFShow(CFTypeRef obj) {
    CFStringRef text = __CFShowCopyText(obj);
    if (!text) return;
    flockfile(stderr);
    CFIndex length = CFStringGetLength(text);
    UniChar units[128];
    for (CFIndex done = 0; done < length;) {
        CFIndex count = length - done < 128 ? length - done : 128;
        CFStringGetCharacters(text, CFRangeMake(done, count), units);
        for (CFIndex i = 0; i < count; i++) {
            // The encoding of the terminal or log is not known, so everything but ASCII is escaped.
            if (units[i] < 0x80) putc(units[i], stderr);
            else fprintf(stderr, "\\u%04x", units[i]);
        }
        done += count;
    }
    // The description of a collection already ends in a line end.
    if (!length || CFStringGetCharacterAtIndex(text, length - 1) != '\n') putc('\n', stderr);
    funlockfile(stderr);
    CFRelease(text);
}

// MARK: - Diagnoses
//
// A function whose name is the diagnosis appears in the stack, because the compiler does not inline
// it (noinline), and does not replace its last call by a jump: compilers call a function that does
// not return.

void __CFHalt(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    __CFPrintLine(format, arguments);
    va_end(arguments);
    abort();
}

void __CFWarn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    __CFPrintLine(format, arguments);
    va_end(arguments);
}

__attribute__((noinline)) void __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(const char *function) {
    __CFHalt("%s was given NULL instead of an object. Check the pointer in its caller.", function);
}

__attribute__((noinline)) void __CF_HAS_NO_MEMORY_LEFT__(const char *what) {
    __CFHalt("There is no memory left for %s. The limits of the process or the machine are too "
             "low, or something leaks.", what);
}

// MARK: - Blocks

extern void *_Block_copy(const void *block);

const void *__CFBlockCopy(const void *block) {
    const void *copy = _Block_copy(block);
    if (!copy) __CF_HAS_NO_MEMORY_LEFT__("a block");
    return copy;
}
