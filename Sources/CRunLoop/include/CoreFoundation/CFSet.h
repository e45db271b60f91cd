/// CFSet.h: values without an order, each at most once.
///
/// The set's `equal` and `hash` callbacks decide which values are equal. To find a value takes the
/// same short time in a set of any size. The run loop keeps its sources, its common modes and their
/// items in such sets.
///
/// Threads: any number of threads may read a set at the same time. While a thread changes it, no
/// other thread may use it.
///
/// Bad input: a change to an immutable set, and NULL for the set, abort the program with a message.
/// A negative count or capacity counts as 0.
#if !defined(__COREFOUNDATION_CFSET__)
#define __COREFOUNDATION_CFSET__ 1

#include "CFBase.h"

CF_IMPLICIT_BRIDGING_ENABLED
CF_EXTERN_C_BEGIN

// MARK: - Callbacks

/// Called with each value that is added. The set stores the pointer that it returns.
///
/// `allocator` is the set's. The callback must not change the set.
typedef const void *(*CFSetRetainCallBack)(CFAllocatorRef allocator, const void *value);
/// Called with each value that is removed.
///
/// The set no longer holds the value at that point, so the callback may use and change the set.
typedef void (*CFSetReleaseCallBack)(CFAllocatorRef allocator, const void *value);
/// Returns a description of a value, for CFCopyDescription.
///
/// The caller owns the string. The callback may return NULL.
typedef CFStringRef (*CFSetCopyDescriptionCallBack)(const void *value);
/// Returns whether two values are equal.
///
/// It is not called for two identical pointers. It must not change the set.
typedef Boolean (*CFSetEqualCallBack)(const void *value1, const void *value2);
/// Returns a number that is the same for equal values.
///
/// The number need not be well mixed. The callback must not change the set.
typedef CFHashCode (*CFSetHashCallBack)(const void *value);

/// The callbacks of a set. `version` must be 0 (it is not checked). Every callback may be NULL.
///
/// Without `retain` and `release` the set does not retain or release values. Without
/// `copyDescription` values are described by their address. Without `equal` they are equal if they
/// are the same pointer. Without `hash` the pointer is the hash.
typedef struct {
    CFIndex version;
    CFSetRetainCallBack retain;
    CFSetReleaseCallBack release;
    CFSetCopyDescriptionCallBack copyDescription;
    CFSetEqualCallBack equal;
    CFSetHashCallBack hash;
} CFSetCallBacks;

/// Callbacks for values that are objects: CFRetain, CFRelease, CFCopyDescription, CFEqual and
/// CFHash.
CF_EXPORT const CFSetCallBacks kCFTypeSetCallBacks;

/// A function that CFSetApplyFunction calls with each value. `context` is the pointer that its
/// caller passed.
typedef void (*CFSetApplierFunction)(const void *value, void *context);

/// A set.
typedef const struct __CFSet *CFSetRef;
/// A set that you can change.
typedef struct __CFSet *CFMutableSetRef;

// MARK: - Creating sets

/// Returns the type id of CFSet.
CF_EXPORT CFTypeID CFSetGetTypeID(void);

/// Creates an immutable set of `numValues` values, which are added in order as by CFSetAddValue.
///
/// `values` may be NULL if `numValues` is 0. NULL for `callBacks` means that every callback is
/// NULL. The caller owns the set.
CF_EXPORT CFSetRef CFSetCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues,
                               const CFSetCallBacks *callBacks);

/// Creates an immutable set with the values and the callbacks of another set.
///
/// It is always a new set, and it retains every value again. The caller owns it.
CF_EXPORT CFSetRef CFSetCreateCopy(CFAllocatorRef allocator, CFSetRef theSet);

/// Creates an empty mutable set.
///
/// `capacity` is a hint for how many values there will be. It sets no limit, and 0 gives no hint.
/// NULL for `callBacks` means that every callback is NULL. The caller owns the set.
CF_EXPORT CFMutableSetRef CFSetCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                             const CFSetCallBacks *callBacks);

// MARK: - Reading

/// Returns the number of values.
CF_EXPORT CFIndex CFSetGetCount(CFSetRef theSet);

/// Returns whether `value` is in the set.
CF_EXPORT Boolean CFSetContainsValue(CFSetRef theSet, const void *value);

/// Returns the value in the set that is equal to `value`, or NULL if there is none.
///
/// It is not retained for you.
CF_EXPORT const void *CFSetGetValue(CFSetRef theSet, const void *value);

/// Copies all values into `values`, in no particular order.
///
/// `values` must have room for CFSetGetCount of them. They are not retained for you.
CF_EXPORT void CFSetGetValues(CFSetRef theSet, const void **values);

/// Calls a function with each value, in no particular order.
///
/// The function must not change the set.
CF_EXPORT void CFSetApplyFunction(CFSetRef theSet, CFSetApplierFunction CF_NOESCAPE applier,
                                  void *context);

// MARK: - Changing

/// Adds a value, and retains it. Nothing happens if the set already contains an equal value.
CF_EXPORT void CFSetAddValue(CFMutableSetRef theSet, const void *value);

/// Removes and releases the value that is equal to `value`. Nothing happens if there is none.
CF_EXPORT void CFSetRemoveValue(CFMutableSetRef theSet, const void *value);

/// Removes and releases all values.
CF_EXPORT void CFSetRemoveAllValues(CFMutableSetRef theSet);

CF_EXTERN_C_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
