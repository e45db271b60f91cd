/// CFArray.h: ordered values, found by their index.
///
/// A value is any pointer-sized thing; what keeping one means is up to the callbacks given when the array is made. Reading costs
/// O(log n) at most, and so do inserting and removing, wherever they happen: a mutable array that grows large turns itself into
/// a balanced tree. The run loop leans on it; the timers of a mode stand in such an array, sorted by when they fire.
///
/// Threads: any number may read one array at the same time; a thread that changes it must be alone with it.
///
/// Bad input: an index or a range that reaches outside the array stops the program with a line that names both, as do a change
/// to an immutable array and NULL for the array. A negative count or capacity is taken for 0.
#if !defined(__COREFOUNDATION_CFARRAY__)
#define __COREFOUNDATION_CFARRAY__ 1

#include "CFBase.h"

CF_IMPLICIT_BRIDGING_ENABLED
CF_EXTERN_C_BEGIN

// MARK: - Callbacks

/// Called with each value that goes in; what it returns is what the array stores. `allocator` is the array's. It
/// must not change the array.
typedef const void *(*CFArrayRetainCallBack)(CFAllocatorRef allocator, const void *value);
/// Called with each value that goes out. The array no longer holds the value by then, and may be used and changed.
typedef void (*CFArrayReleaseCallBack)(CFAllocatorRef allocator, const void *value);
/// Describes a value for CFCopyDescription. The caller owns the string; NULL is allowed.
typedef CFStringRef (*CFArrayCopyDescriptionCallBack)(const void *value);
/// Whether two values are equal. Not called for two that are the same pointer. It must not change the array.
typedef Boolean (*CFArrayEqualCallBack)(const void *value1, const void *value2);

/// What an array does with its values. `version` is 0. Every callback may be NULL: values are then neither retained nor released,
/// described by their address, and equal when they are the same pointer.
typedef struct {
    CFIndex version;
    CFArrayRetainCallBack retain;
    CFArrayReleaseCallBack release;
    CFArrayCopyDescriptionCallBack copyDescription;
    CFArrayEqualCallBack equal;
} CFArrayCallBacks;

/// For values that are objects: CFRetain, CFRelease, CFCopyDescription and CFEqual.
CF_EXPORT const CFArrayCallBacks kCFTypeArrayCallBacks;

/// Called by CFArrayApplyFunction for each value; `context` is what its caller passed.
typedef void (*CFArrayApplierFunction)(const void *value, void *context);

/// An array.
typedef const struct __CFArray *CFArrayRef;
/// An array that can be changed.
typedef struct __CFArray *CFMutableArrayRef;

// MARK: - Making arrays

/// The type id of CFArray.
CF_EXPORT CFTypeID CFArrayGetTypeID(void);

/// Makes an immutable array of `numValues` values, which it retains in order. `values` may be NULL if `numValues` is 0;
/// NULL for `callBacks` means all of them NULL. The caller owns the array.
CF_EXPORT CFArrayRef CFArrayCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues,
                                   const CFArrayCallBacks *callBacks);

/// Makes an immutable array with the values and the callbacks of `theArray`. It is always a new array, and retains every value
/// once more. The caller owns it.
CF_EXPORT CFArrayRef CFArrayCreateCopy(CFAllocatorRef allocator, CFArrayRef theArray);

/// Makes an empty mutable array. `capacity` is a hint how many values there will be; 0 says nothing, and it sets no limit.
/// The caller owns the array.
CF_EXPORT CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef allocator, CFIndex capacity, const CFArrayCallBacks *callBacks);

/// Makes a mutable array with the values and the callbacks of `theArray`; it retains every value. `capacity` is a hint, as above.
/// The caller owns the array.
CF_EXPORT CFMutableArrayRef CFArrayCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity, CFArrayRef theArray);

// MARK: - Looking

/// How many values there are.
CF_EXPORT CFIndex CFArrayGetCount(CFArrayRef theArray);

/// How many values in `range` are equal to `value`.
CF_EXPORT CFIndex CFArrayGetCountOfValue(CFArrayRef theArray, CFRange range, const void *value);

/// Whether a value in `range` is equal to `value`.
CF_EXPORT Boolean CFArrayContainsValue(CFArrayRef theArray, CFRange range, const void *value);

/// The value at `idx`, not retained.
CF_EXPORT const void *CFArrayGetValueAtIndex(CFArrayRef theArray, CFIndex idx);

/// Copies the values in `range`, not retained, into `values`, which must have room for them.
CF_EXPORT void CFArrayGetValues(CFArrayRef theArray, CFRange range, const void **values);

/// Calls `applier` with each value in `range`, in order. The function may change the array: values are looked up one at a time,
/// so each call gets what stands at the next index by then, and the walk ends early if the array has become too short.
CF_EXPORT void CFArrayApplyFunction(CFArrayRef theArray, CFRange range, CFArrayApplierFunction CF_NOESCAPE applier,
                                    void *context);

/// The lowest index in `range` whose value is equal to `value`, or kCFNotFound.
CF_EXPORT CFIndex CFArrayGetFirstIndexOfValue(CFArrayRef theArray, CFRange range, const void *value);

/// The highest index in `range` whose value is equal to `value`, or kCFNotFound.
CF_EXPORT CFIndex CFArrayGetLastIndexOfValue(CFArrayRef theArray, CFRange range, const void *value);

/// Looks for `value` in `range`, which must be sorted by `comparator`, with O(log n) comparisons. Returns the index of a value
/// that compares equal, if there is one; otherwise the lowest index at which `value` can be inserted and the order kept, which
/// is the end of the range when every value is less. Not found and found look alike: check what stands at the index.
CF_EXPORT CFIndex CFArrayBSearchValues(CFArrayRef theArray, CFRange range, const void *value, CFComparatorFunction comparator,
                                       void *context);

// MARK: - Changing

/// Adds `value`, retained, behind the last.
CF_EXPORT void CFArrayAppendValue(CFMutableArrayRef theArray, const void *value);

/// Inserts `value`, retained, before what stands at `idx`. The count itself is a good index, and appends.
CF_EXPORT void CFArrayInsertValueAtIndex(CFMutableArrayRef theArray, CFIndex idx, const void *value);

/// Puts `value`, retained, in place of what stands at `idx`, which is released. The count itself is a good index, and appends.
CF_EXPORT void CFArraySetValueAtIndex(CFMutableArrayRef theArray, CFIndex idx, const void *value);

/// Takes out what stands at `idx`, and releases it.
CF_EXPORT void CFArrayRemoveValueAtIndex(CFMutableArrayRef theArray, CFIndex idx);

/// Takes out all values, and releases them.
CF_EXPORT void CFArrayRemoveAllValues(CFMutableArrayRef theArray);

/// Puts `newCount` values, retained, in place of those in `range`, which are released. Either may be empty; `newValues` may be
/// NULL if `newCount` is 0. All new values are retained before any old one is released.
CF_EXPORT void CFArrayReplaceValues(CFMutableArrayRef theArray, CFRange range, const void **newValues, CFIndex newCount);

/// Lets two values change places. Nothing is retained or released.
CF_EXPORT void CFArrayExchangeValuesAtIndices(CFMutableArrayRef theArray, CFIndex idx1, CFIndex idx2);

/// Sorts the values in `range` by `comparator`, in O(n log n); values that compare equal keep their order. Nothing is retained or
/// released. The comparator must not change the array.
CF_EXPORT void CFArraySortValues(CFMutableArrayRef theArray, CFRange range, CFComparatorFunction comparator, void *context);

/// Adds the values in `otherRange` of `otherArray`, retained, behind the last of `theArray`. The two may be the same array.
CF_EXPORT void CFArrayAppendArray(CFMutableArrayRef theArray, CFArrayRef otherArray, CFRange otherRange);

CF_EXTERN_C_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
