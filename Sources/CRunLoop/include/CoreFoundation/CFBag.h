/// CFBag.h: values without an order, each any number of times.
///
/// A bag is a set that counts. Its `equal` and `hash` callbacks decide which values are equal. Of
/// equal values it keeps the first and a count. A source keeps the run loops that it was added to
/// in such a bag, each loop once for each mode. The functions here are those that a source needs.
///
/// Threads: any number of threads may read a bag at the same time. While a thread changes it, no
/// other thread may use it.
///
/// Bad input: NULL for the bag aborts the program with a message. A negative capacity counts as 0.
#if !defined(__COREFOUNDATION_CFBAG__)
#define __COREFOUNDATION_CFBAG__ 1

#include "CFBase.h"

CF_IMPLICIT_BRIDGING_ENABLED
CF_EXTERN_C_BEGIN

// MARK: - Callbacks

/// Called with each value that is added. The bag stores the pointer that it returns.
///
/// `allocator` is the bag's. The callback must not change the bag.
typedef const void *(*CFBagRetainCallBack)(CFAllocatorRef allocator, const void *value);
/// Called with each value that is removed.
///
/// The bag no longer holds the value at that point, so the callback may use and change the bag.
typedef void (*CFBagReleaseCallBack)(CFAllocatorRef allocator, const void *value);
/// Returns a description of a value, for CFCopyDescription.
///
/// The caller owns the string. The callback may return NULL.
typedef CFStringRef (*CFBagCopyDescriptionCallBack)(const void *value);
/// Returns whether two values are equal.
///
/// It is not called for two identical pointers. It must not change the bag.
typedef Boolean (*CFBagEqualCallBack)(const void *value1, const void *value2);
/// Returns a number that is the same for equal values.
///
/// The number need not be well mixed. The callback must not change the bag.
typedef CFHashCode (*CFBagHashCallBack)(const void *value);

/// The callbacks of a bag. `version` must be 0 (it is not checked). Every callback may be NULL.
///
/// Without `retain` and `release` the bag does not retain or release values. Without
/// `copyDescription` values are described by their address. Without `equal` they are equal if they
/// are the same pointer. Without `hash` the pointer is the hash.
typedef struct {
    CFIndex version;
    CFBagRetainCallBack retain;
    CFBagReleaseCallBack release;
    CFBagCopyDescriptionCallBack copyDescription;
    CFBagEqualCallBack equal;
    CFBagHashCallBack hash;
} CFBagCallBacks;

/// Callbacks for values that are objects: CFRetain, CFRelease, CFCopyDescription, CFEqual and
/// CFHash.
CF_EXPORT const CFBagCallBacks kCFTypeBagCallBacks;
/// A function that CFBagApplyFunction calls with each value. `context` is the pointer that its
/// caller passed.
typedef void (*CFBagApplierFunction)(const void *value, void *context);

/// A bag.
typedef const struct __CFBag *CFBagRef;
/// A bag that you can change.
typedef struct __CFBag *CFMutableBagRef;

// MARK: - Creating bags

/// Returns the type id of CFBag.
CF_EXPORT CFTypeID CFBagGetTypeID(void);

/// Creates an empty mutable bag.
///
/// `capacity` is a hint for how many values there will be. It sets no limit, and 0 gives no hint.
/// NULL for `callBacks` means that every callback is NULL. The caller owns the bag.
CF_EXPORT CFMutableBagRef CFBagCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                             const CFBagCallBacks *callBacks);

// MARK: - Reading

/// Returns the number of values. Equal values count each time.
CF_EXPORT CFIndex CFBagGetCount(CFBagRef theBag);

/// Calls a function with each value, as often as the bag contains it, in no particular order.
///
/// The function must not change the bag.
CF_EXPORT void CFBagApplyFunction(CFBagRef theBag, CFBagApplierFunction CF_NOESCAPE applier,
                                  void *context);

// MARK: - Changing

/// Adds a value once more.
///
/// If an equal value is already in the bag, the bag keeps that one and counts it again.
CF_EXPORT void CFBagAddValue(CFMutableBagRef theBag, const void *value);

/// Removes a value once. The last removal releases it. Nothing happens if it is not in the bag.
CF_EXPORT void CFBagRemoveValue(CFMutableBagRef theBag, const void *value);

CF_EXTERN_C_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
