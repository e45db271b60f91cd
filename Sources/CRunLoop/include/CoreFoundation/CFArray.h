/// CFArray.h: ordered values, which you find by their index.
///
/// A value is anything of the size of a pointer. The callbacks that you give when you create the
/// array decide what it does with its values. A mutable array has free room at both ends, so that
/// adding and removing there costs O(1). The run loop depends on this: it keeps the timers of a
/// mode in such an array, sorted by their fire dates.
///
/// Threads: any number of threads may read an array at the same time. While a thread changes it, no
/// other thread may use it.
///
/// Bad input: an index or a range outside the array aborts the program with a message that names
/// the index or the range, and the number of values. A change to an immutable array, and NULL for
/// the array, abort the program too. A negative count or capacity counts as 0.
#if !defined(__COREFOUNDATION_CFARRAY__)
#define __COREFOUNDATION_CFARRAY__ 1

#include "CFBase.h"

CF_IMPLICIT_BRIDGING_ENABLED
CF_EXTERN_C_BEGIN

// MARK: - Callbacks

/// Called with each value that is added. The array stores the pointer that it returns.
///
/// `allocator` is the array's. The callback must not change the array.
typedef const void *(*CFArrayRetainCallBack)(CFAllocatorRef allocator, const void *value);
/// Called with each value that is removed.
///
/// The array no longer holds the value at that point, so the callback may use and change the array.
typedef void (*CFArrayReleaseCallBack)(CFAllocatorRef allocator, const void *value);
/// Returns a description of a value, for CFCopyDescription.
///
/// The caller owns the string. The callback may return NULL.
typedef CFStringRef (*CFArrayCopyDescriptionCallBack)(const void *value);
/// Returns whether two values are equal.
///
/// It is not called for two identical pointers. It must not change the array.
typedef Boolean (*CFArrayEqualCallBack)(const void *value1, const void *value2);

/// The callbacks of an array. `version` must be 0 (it is not checked). Every callback may be NULL.
///
/// Without `retain` and `release` the array does not retain or release values. Without
/// `copyDescription` values are described by their address. Without `equal` they are equal if they
/// are the same pointer.
typedef struct {
    CFIndex version;
    CFArrayRetainCallBack retain;
    CFArrayReleaseCallBack release;
    CFArrayCopyDescriptionCallBack copyDescription;
    CFArrayEqualCallBack equal;
} CFArrayCallBacks;

/// Callbacks for values that are objects: CFRetain, CFRelease, CFCopyDescription and CFEqual.
CF_EXPORT const CFArrayCallBacks kCFTypeArrayCallBacks;

/// A function that CFArrayApplyFunction calls with each value. `context` is the pointer that its
/// caller passed.
typedef void (*CFArrayApplierFunction)(const void *value, void *context);

/// An array.
typedef const struct __CFArray *CFArrayRef;
/// An array that you can change.
typedef struct __CFArray *CFMutableArrayRef;

// MARK: - Creating arrays

/// Returns the type id of CFArray.
CF_EXPORT CFTypeID CFArrayGetTypeID(void);

/// Creates an immutable array of `numValues` values, and retains them in order.
///
/// `values` may be NULL if `numValues` is 0. NULL for `callBacks` means that every callback is
/// NULL. The caller owns the array.
CF_EXPORT CFArrayRef CFArrayCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues,
                                   const CFArrayCallBacks *callBacks);

/// Creates an immutable array with the values and the callbacks of another array.
///
/// It is always a new array, and it retains every value again. The caller owns it.
CF_EXPORT CFArrayRef CFArrayCreateCopy(CFAllocatorRef allocator, CFArrayRef theArray);

/// Creates an empty mutable array.
///
/// `capacity` is a hint for how many values there will be. It sets no limit, and 0 gives no hint.
/// NULL for `callBacks` means that every callback is NULL. The caller owns the array.
CF_EXPORT CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                                 const CFArrayCallBacks *callBacks);

// MARK: - Reading

/// Returns the number of values.
CF_EXPORT CFIndex CFArrayGetCount(CFArrayRef theArray);

/// Returns whether a value in a range is equal to `value`.
CF_EXPORT Boolean CFArrayContainsValue(CFArrayRef theArray, CFRange range, const void *value);

/// Returns the value at an index. It is not retained for you.
CF_EXPORT const void *CFArrayGetValueAtIndex(CFArrayRef theArray, CFIndex idx);

/// Copies the values in a range into `values`, which must have room for them. They are not retained
/// for you.
CF_EXPORT void CFArrayGetValues(CFArrayRef theArray, CFRange range, const void **values);

/// Calls a function with each value in a range, in order.
///
/// The function may change the array, because values are looked up one at a time. Each call gets
/// the value that is at the next index by then, and the walk ends early if the array has become too
/// short.
CF_EXPORT void CFArrayApplyFunction(CFArrayRef theArray, CFRange range,
                                    CFArrayApplierFunction CF_NOESCAPE applier, void *context);

/// Returns the lowest index in a range whose value is equal to `value`, or kCFNotFound.
CF_EXPORT CFIndex CFArrayGetFirstIndexOfValue(CFArrayRef theArray, CFRange range,
                                              const void *value);

// MARK: - Changing

/// Adds a value at the end, and retains it.
CF_EXPORT void CFArrayAppendValue(CFMutableArrayRef theArray, const void *value);

/// Inserts a value before the one at `idx`, and retains it. If `idx` is the count, appends the
/// value.
CF_EXPORT void CFArrayInsertValueAtIndex(CFMutableArrayRef theArray, CFIndex idx,
                                         const void *value);

/// Removes and releases the value at `idx`.
CF_EXPORT void CFArrayRemoveValueAtIndex(CFMutableArrayRef theArray, CFIndex idx);

/// Removes and releases all values.
CF_EXPORT void CFArrayRemoveAllValues(CFMutableArrayRef theArray);

CF_EXTERN_C_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
