/// CFNotificationCenter.c: the local notification center.
///
/// On a Mac CFNotificationCenter and NSNotificationCenter share one registry, whose source is not
/// published. The Linux build has neither. The registry here is a list, and a post walks it.
#include "CFInternal.h"
#include <stdlib.h>

/// An observer with what it was added for.
typedef struct __CFNotificationRegistration {
    struct __CFNotificationRegistration *next; // guarded by the center's lock
    _Atomic(int) references;                   // one of the center, one of each post
    _Atomic(Boolean) isRemoved;
    const void *observer;
    CFNotificationCallback callBack;
    CFStringRef name;   // retained; NULL for any
    const void *object; // NULL for any
} __CFNotificationRegistration;

struct __CFNotificationCenter {
    CFRuntimeBase _base;
    CFLock_t _lock;
    __CFNotificationRegistration *_first; // in the order of adding
    __CFNotificationRegistration **_end;  // the last one's `next`; NULL if there was none ever
    CFIndex _count;
};

CF_SHARED const CFRuntimeClass __CFNotificationCenterClass = {
    .typeID = _kCFRuntimeIDCFNotificationCenter,
    .className = "CFNotificationCenter",
};

static struct __CFNotificationCenter __CFLocalCenter = {
    INIT_CFRUNTIME_BASE(__CFNotificationCenterClass), CF_LOCK_INITIALIZER, NULL, NULL, 0};

CFTypeID CFNotificationCenterGetTypeID(void) {
    return _kCFRuntimeIDCFNotificationCenter;
}

CFNotificationCenterRef CFNotificationCenterGetLocalCenter(void) {
    return &__CFLocalCenter;
}

static void __CFNotificationRegistrationRelease(__CFNotificationRegistration *registration) {
    if (atomic_fetch_sub(&registration->references, 1) > 1) return;
    if (registration->name) CFRelease(registration->name);
    free(registration);
}

// MARK: - Adding and removing

void CFNotificationCenterAddObserver(CFNotificationCenterRef center, const void *observer,
                                     CFNotificationCallback callBack, CFStringRef name,
                                     const void *object,
                                     CFNotificationSuspensionBehavior suspensionBehavior) {
    if (CF_UNLIKELY(!center)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    if (!callBack) return;
    __CFNotificationRegistration *added = calloc(1, sizeof(*added));
    if (!added) __CF_HAS_NO_MEMORY_LEFT__("a notification's observer");
    atomic_init(&added->references, 1);
    added->observer = observer;
    added->callBack = callBack;
    added->object = object;
    // A copy, because a mutable string could change.
    if (name) added->name = CFStringCreateCopy(kCFAllocatorSystemDefault, name);
    __CFLock(&center->_lock);
    if (!center->_end) center->_end = &center->_first;
    *center->_end = added;
    center->_end = &added->next;
    center->_count++;
    __CFUnlock(&center->_lock);
}

static Boolean __CFNotificationRegistrationIsFor(const __CFNotificationRegistration *registration,
                                                 const void *observer, CFStringRef name,
                                                 const void *object) {
    if (registration->observer != observer) return false;
    if (object && registration->object != object) return false;
    return !name || (registration->name && CFEqual(registration->name, name));
}

/// Moves the registrations of an observer to a list of their own, so that they are released with
/// nothing locked: the name's allocator may be a client's.
static __CFNotificationRegistration *__CFNotificationCenterTake(CFNotificationCenterRef center,
                                                                const void *observer,
                                                                CFStringRef name,
                                                                const void *object) {
    __CFNotificationRegistration *taken = NULL, **link = &center->_first;
    __CFLock(&center->_lock);
    while (*link) {
        __CFNotificationRegistration *registration = *link;
        if (!__CFNotificationRegistrationIsFor(registration, observer, name, object)) {
            link = &registration->next;
            continue;
        }
        *link = registration->next;
        atomic_store(&registration->isRemoved, true);
        registration->next = taken;
        taken = registration;
        center->_count--;
    }
    center->_end = link;
    __CFUnlock(&center->_lock);
    return taken;
}

void CFNotificationCenterRemoveObserver(CFNotificationCenterRef center, const void *observer,
                                        CFNotificationName name, const void *object) {
    if (CF_UNLIKELY(!center)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    __CFNotificationRegistration *taken =
        __CFNotificationCenterTake(center, observer, name, object);
    while (taken) {
        __CFNotificationRegistration *next = taken->next;
        __CFNotificationRegistrationRelease(taken);
        taken = next;
    }
}

void CFNotificationCenterRemoveEveryObserver(CFNotificationCenterRef center,
                                             const void *observer) {
    CFNotificationCenterRemoveObserver(center, observer, NULL, NULL);
}

// MARK: - Posting

/// Returns the registrations that a notification calls, retained, in the order of adding. The
/// caller frees the array. `*count` becomes their number.
static __CFNotificationRegistration **__CFNotificationCenterCopyCalled(
    CFNotificationCenterRef center, CFStringRef name, const void *object, CFIndex *count) {
    __CFNotificationRegistration **called = NULL;
    *count = 0;
    __CFLock(&center->_lock);
    if (center->_count > 0 && !(called = malloc((size_t)center->_count * sizeof(*called))))
        __CF_HAS_NO_MEMORY_LEFT__("a notification");
    __CFNotificationRegistration *each = center->_first;
    for (; each; each = each->next) {
        if (each->object && each->object != object) continue;
        if (each->name && !CFEqual(each->name, name)) continue;
        atomic_fetch_add(&each->references, 1);
        called[(*count)++] = each;
    }
    __CFUnlock(&center->_lock);
    return called;
}

void CFNotificationCenterPostNotificationWithOptions(CFNotificationCenterRef center,
                                                     CFNotificationName name, const void *object,
                                                     CFDictionaryRef userInfo,
                                                     CFOptionFlags options) {
    if (CF_UNLIKELY(!center)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    if (!name) return;
    CFIndex count;
    __CFNotificationRegistration **called =
        __CFNotificationCenterCopyCalled(center, name, object, &count);
    for (CFIndex i = 0; i < count; i++) {
        if (!atomic_load(&called[i]->isRemoved))
            called[i]->callBack(center, (void *)called[i]->observer, name, object, userInfo);
        __CFNotificationRegistrationRelease(called[i]);
    }
    free(called);
}

void CFNotificationCenterPostNotification(CFNotificationCenterRef center, CFNotificationName name,
                                          const void *object, CFDictionaryRef userInfo,
                                          Boolean deliverImmediately) {
    CFOptionFlags options = deliverImmediately ? kCFNotificationDeliverImmediately : 0;
    CFNotificationCenterPostNotificationWithOptions(center, name, object, userInfo, options);
}
