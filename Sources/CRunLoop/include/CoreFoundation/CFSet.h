/// CFSet.h: values without an order, each at most once.
///
/// What is the same value is decided by the set's equal and hash callbacks. Looking a value up takes the same short time whatever
/// the size. The run loop keeps its sources, its common modes and their items in such sets.
///
/// Threads: any number may read one set at the same time; a thread that changes it must be alone with it.
///
/// Bad input: a change to an immutable set stops the program with a line that says so, as does NULL for the set. A negative
/// count or capacity is taken for 0.
#if !defined(__COREFOUNDATION_CFSET__)
#define __COREFOUNDATION_CFSET__ 1

#include "CFBase.h"

CF_IMPLICIT_BRIDGING_ENABLED
CF_EXTERN_C_BEGIN

// MARK: - Callbacks

/// Called with each value that goes in; what it returns is what the set stores. `allocator` is the set's. It
/// must not change the set.
typedef const void *(*CFSetRetainCallBack)(CFAllocatorRef allocator, const void *value);
/// Called with each value that goes out. The set no longer holds the value by then, and may be used and changed.
typedef void (*CFSetReleaseCallBack)(CFAllocatorRef allocator, const void *value);
/// Describes a value for CFCopyDescription. The caller owns the string; NULL is allowed.
typedef CFStringRef (*CFSetCopyDescriptionCallBack)(const void *value);
/// Whether two values are the same to this set. Not called for two that are the same pointer. It must not change the set.
typedef Boolean (*CFSetEqualCallBack)(const void *value1, const void *value2);
/// A number that is the same for equal values. It need not be well mixed. It must not change the set.
typedef CFHashCode (*CFSetHashCallBack)(const void *value);

/// What a set does with its values. `version` is 0. Every callback may be NULL: values are then neither retained nor released,
/// described by their address, equal when they are the same pointer, and the pointer is the hash.
typedef struct {
    CFIndex version;
    CFSetRetainCallBack retain;
    CFSetReleaseCallBack release;
    CFSetCopyDescriptionCallBack copyDescription;
    CFSetEqualCallBack equal;
    CFSetHashCallBack hash;
} CFSetCallBacks;

/// For values that are objects: CFRetain, CFRelease, CFCopyDescription, CFEqual and CFHash.
CF_EXPORT const CFSetCallBacks kCFTypeSetCallBacks;
/// For strings: as kCFTypeSetCallBacks, but the set keeps an immutable copy of each string in place of the string itself.
CF_EXPORT const CFSetCallBacks kCFCopyStringSetCallBacks;

/// Called by CFSetApplyFunction for each value; `context` is what its caller passed.
typedef void (*CFSetApplierFunction)(const void *value, void *context);

/// A set.
typedef const struct __CFSet *CFSetRef;
/// A set that can be changed.
typedef struct __CFSet *CFMutableSetRef;

// MARK: - Making sets

/// The type id of CFSet.
CF_EXPORT CFTypeID CFSetGetTypeID(void);

/// Makes an immutable set of `numValues` values, added in order as CFSetAddValue does. `values` may be NULL if `numValues` is 0;
/// NULL for `callBacks` means all of them NULL. The caller owns the set.
CF_EXPORT CFSetRef CFSetCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues, const CFSetCallBacks *callBacks);

/// Makes an immutable set with the values and the callbacks of `theSet`. It is always a new set, and retains every value once
/// more. The caller owns it.
CF_EXPORT CFSetRef CFSetCreateCopy(CFAllocatorRef allocator, CFSetRef theSet);

/// Makes an empty mutable set. `capacity` is a hint how many values there will be; 0 says nothing, and it sets no limit.
/// The caller owns the set.
CF_EXPORT CFMutableSetRef CFSetCreateMutable(CFAllocatorRef allocator, CFIndex capacity, const CFSetCallBacks *callBacks);

/// Makes a mutable set with the values and the callbacks of `theSet`; it retains every value. `capacity` is a hint, as above.
/// The caller owns the set.
CF_EXPORT CFMutableSetRef CFSetCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity, CFSetRef theSet);

// MARK: - Looking

/// How many values there are.
CF_EXPORT CFIndex CFSetGetCount(CFSetRef theSet);

/// How many times `value` is in the set: 0 or 1.
CF_EXPORT CFIndex CFSetGetCountOfValue(CFSetRef theSet, const void *value);

/// Whether `value` is in the set.
CF_EXPORT Boolean CFSetContainsValue(CFSetRef theSet, const void *value);

/// The value in the set that is equal to `value`, not retained; NULL when there is none. Where NULL may be a value, ask
/// CFSetGetValueIfPresent.
CF_EXPORT const void *CFSetGetValue(CFSetRef theSet, const void *value);

/// Whether a value equal to `candidate` is in the set. If so it is stored in `*value`, not retained; if not, `*value` is left as
/// it was. `value` may be NULL.
CF_EXPORT Boolean CFSetGetValueIfPresent(CFSetRef theSet, const void *candidate, const void **value);

/// Copies all values, not retained and in no promised order, into `values`, which must have room for CFSetGetCount of them.
CF_EXPORT void CFSetGetValues(CFSetRef theSet, const void **values);

/// Calls `applier` with each value in no promised order. The function may change the set:
/// then each value that was there at the beginning and is still there when its turn comes is passed, and no other.
CF_EXPORT void CFSetApplyFunction(CFSetRef theSet, CFSetApplierFunction CF_NOESCAPE applier, void *context);

// MARK: - Changing

/// Adds `value`, retained. Nothing happens when an equal value is there already.
CF_EXPORT void CFSetAddValue(CFMutableSetRef theSet, const void *value);

/// Puts `value`, retained, in place of the equal value that is there, which is released. Nothing happens when there is none.
CF_EXPORT void CFSetReplaceValue(CFMutableSetRef theSet, const void *value);

/// As CFSetReplaceValue when an equal value is there, as CFSetAddValue when not.
CF_EXPORT void CFSetSetValue(CFMutableSetRef theSet, const void *value);

/// Takes out the value that is equal to `value`, and releases it. Nothing happens when there is none.
CF_EXPORT void CFSetRemoveValue(CFMutableSetRef theSet, const void *value);

/// Takes out all values, and releases them.
CF_EXPORT void CFSetRemoveAllValues(CFMutableSetRef theSet);

CF_EXTERN_C_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
