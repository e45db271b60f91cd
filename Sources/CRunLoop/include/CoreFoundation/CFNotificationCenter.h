/// CFNotificationCenter.h: messages that one part of a program posts and other parts observe.
///
/// An observer is a pointer of yours with a function. It is called for notifications with a certain
/// name, from a certain object, or for all of them. There is one center, the local one, for the
/// messages of a process to itself.
///
/// - The functions may be called on any thread. CFNotificationCenterPostNotification calls the
///   observers on the thread that calls it, one after the other, in the order in which they were
///   added, and returns after the last one. No lock is held, so an observer may call anything here.
/// - An observer that is removed while a notification is being posted is not called any more,
///   unless another thread is calling it already. One that is added is called from the next
///   notification on.
/// - Observers and objects are pointers that the center neither retains nor looks into. Remove an
///   observer before you free it.
///
/// The center that sends messages to other processes and Darwin's are not here, because Linux has
/// no server for them.
// [D72]
#if !defined(__COREFOUNDATION_CFNOTIFICATIONCENTER__)
#define __COREFOUNDATION_CFNOTIFICATIONCENTER__ 1

#include "CFBase.h"
#include "CFDictionary.h"

CF_EXTERN_C_BEGIN

/// The name of a notification. Two names are the same if their characters are equal.
typedef CFStringRef CFNotificationName CF_EXTENSIBLE_STRING_ENUM;
/// A notification center.
typedef struct CF_BRIDGED_MUTABLE_TYPE(id) __CFNotificationCenter *CFNotificationCenterRef;
/// Your function. `observer` is the pointer that you added; `name`, `object` and `userInfo` are
/// those of the notification.
typedef void (*CFNotificationCallback)(CFNotificationCenterRef center, void *observer,
                                       CFNotificationName name, const void *object,
                                       CFDictionaryRef userInfo);

/// What a center for several processes does while yours is suspended. The local center delivers at
/// once, whatever you choose.
typedef CF_ENUM(CFIndex, CFNotificationSuspensionBehavior) {
    CFNotificationSuspensionBehaviorDrop = 1,
    CFNotificationSuspensionBehaviorCoalesce = 2,
    CFNotificationSuspensionBehaviorHold = 3,
    CFNotificationSuspensionBehaviorDeliverImmediately = 4
};

/// Options of CFNotificationCenterPostNotificationWithOptions. The local center ignores them.
CF_ENUM(CFOptionFlags) {
    kCFNotificationDeliverImmediately = (1UL << 0),
    kCFNotificationPostToAllSessions = (1UL << 1)
};

/// Returns the type id of CFNotificationCenter.
CF_EXPORT CFTypeID CFNotificationCenterGetTypeID(void);
/// Returns the center for the process's messages to itself. It is never deallocated.
CF_EXPORT CFNotificationCenterRef CFNotificationCenterGetLocalCenter(void);

/// Adds an observer.
///
/// If `name` is not NULL, only notifications with this name call it. If `object` is not NULL, only
/// those from this object. An observer that is added twice is called twice. The call is ignored if
/// `callBack` is NULL.
CF_EXPORT void CFNotificationCenterAddObserver(CFNotificationCenterRef center, const void *observer,
                                               CFNotificationCallback callBack, CFStringRef name,
                                               const void *object,
                                               CFNotificationSuspensionBehavior suspensionBehavior);
/// Removes an observer, as often as it was added with this name and this object.
///
/// With NULL as `name` it is removed whatever the name, and with NULL as `object` whatever the
/// object.
CF_EXPORT void CFNotificationCenterRemoveObserver(CFNotificationCenterRef center,
                                                  const void *observer, CFNotificationName name,
                                                  const void *object);
/// Removes an observer, whatever it was added for.
CF_EXPORT void CFNotificationCenterRemoveEveryObserver(CFNotificationCenterRef center,
                                                       const void *observer);

/// Calls the observers of a notification.
///
/// `object` is what the notification comes from, and `userInfo` what belongs to it; both may be
/// NULL. The local center ignores `deliverImmediately`. The call is ignored if `name` is
/// NULL.
CF_EXPORT void CFNotificationCenterPostNotification(CFNotificationCenterRef center,
                                                    CFNotificationName name, const void *object,
                                                    CFDictionaryRef userInfo,
                                                    Boolean deliverImmediately);
/// Calls the observers of a notification, with options in place of `deliverImmediately`.
CF_EXPORT void CFNotificationCenterPostNotificationWithOptions(CFNotificationCenterRef center,
                                                               CFNotificationName name,
                                                               const void *object,
                                                               CFDictionaryRef userInfo,
                                                               CFOptionFlags options);

CF_EXTERN_C_END

#endif
