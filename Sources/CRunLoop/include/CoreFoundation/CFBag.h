/// CFBag.h: values without an order, each any number of times.
///
/// A bag is a set that counts: what is the same value is decided by its equal and hash callbacks, and of values that are equal it
/// keeps the first and a number. A source knows the run loops that it was added to by such a bag: a loop is in it once for each
/// mode.
///
/// Threads: any number may read one bag at the same time; a thread that changes it must be alone with it.
///
/// Bad input: a change to an immutable bag stops the program with a line that says so, as does NULL for the bag. A negative
/// count or capacity is taken for 0.
#if !defined(__COREFOUNDATION_CFBAG__)
#define __COREFOUNDATION_CFBAG__ 1

#include "CFBase.h"

CF_IMPLICIT_BRIDGING_ENABLED
CF_EXTERN_C_BEGIN

// MARK: - Callbacks

/// Called with each value that goes in; what it returns is what the bag stores. `allocator` is the bag's. It
/// must not change the bag.
typedef const void *(*CFBagRetainCallBack)(CFAllocatorRef allocator, const void *value);
/// Called with each value that goes out. The bag no longer holds the value by then, and may be used and changed.
typedef void (*CFBagReleaseCallBack)(CFAllocatorRef allocator, const void *value);
/// Describes a value for CFCopyDescription. The caller owns the string; NULL is allowed.
typedef CFStringRef (*CFBagCopyDescriptionCallBack)(const void *value);
/// Whether two values are the same to this bag. Not called for two that are the same pointer. It must not change the bag.
typedef Boolean (*CFBagEqualCallBack)(const void *value1, const void *value2);
/// A number that is the same for equal values. It need not be well mixed. It must not change the bag.
typedef CFHashCode (*CFBagHashCallBack)(const void *value);

/// What a bag does with its values. `version` is 0. Every callback may be NULL: values are then neither retained nor released,
/// described by their address, equal when they are the same pointer, and the pointer is the hash.
typedef struct {
    CFIndex version;
    CFBagRetainCallBack retain;
    CFBagReleaseCallBack release;
    CFBagCopyDescriptionCallBack copyDescription;
    CFBagEqualCallBack equal;
    CFBagHashCallBack hash;
} CFBagCallBacks;

/// For values that are objects: CFRetain, CFRelease, CFCopyDescription, CFEqual and CFHash.
CF_EXPORT const CFBagCallBacks kCFTypeBagCallBacks;
/// For strings: as kCFTypeBagCallBacks, but the bag keeps an immutable copy of each string in place of the string itself.
CF_EXPORT const CFBagCallBacks kCFCopyStringBagCallBacks;

/// Called by CFBagApplyFunction for each value; `context` is what its caller passed.
typedef void (*CFBagApplierFunction)(const void *value, void *context);

/// A bag.
typedef const struct __CFBag *CFBagRef;
/// A bag that can be changed.
typedef struct __CFBag *CFMutableBagRef;

// MARK: - Making bags

/// The type id of CFBag.
CF_EXPORT CFTypeID CFBagGetTypeID(void);

/// Makes an immutable bag of `numValues` values, added in order as CFBagAddValue does. `values` may be NULL if `numValues` is 0;
/// NULL for `callBacks` means all of them NULL. The caller owns the bag.
CF_EXPORT CFBagRef CFBagCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues, const CFBagCallBacks *callBacks);

/// Makes an immutable bag with the values and the callbacks of `theBag`. It is always a new bag, and retains every value once
/// more. The caller owns it.
CF_EXPORT CFBagRef CFBagCreateCopy(CFAllocatorRef allocator, CFBagRef theBag);

/// Makes an empty mutable bag. `capacity` is a hint how many values there will be; 0 says nothing, and it sets no limit.
/// The caller owns the bag.
CF_EXPORT CFMutableBagRef CFBagCreateMutable(CFAllocatorRef allocator, CFIndex capacity, const CFBagCallBacks *callBacks);

/// Makes a mutable bag with the values and the callbacks of `theBag`; it retains every value. `capacity` is a hint, as above.
/// The caller owns the bag.
CF_EXPORT CFMutableBagRef CFBagCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity, CFBagRef theBag);

// MARK: - Looking

/// How many values there are, equal ones counted each time.
CF_EXPORT CFIndex CFBagGetCount(CFBagRef theBag);

/// How many times `value` is in the bag.
CF_EXPORT CFIndex CFBagGetCountOfValue(CFBagRef theBag, const void *value);

/// Whether `value` is in the bag.
CF_EXPORT Boolean CFBagContainsValue(CFBagRef theBag, const void *value);

/// The value in the bag that is equal to `value`, not retained; NULL when there is none. Where NULL may be a value, ask
/// CFBagGetValueIfPresent.
CF_EXPORT const void *CFBagGetValue(CFBagRef theBag, const void *value);

/// Whether a value equal to `candidate` is in the bag. If so it is stored in `*value`, not retained; if not, `*value` is left as
/// it was. `value` may be NULL.
CF_EXPORT Boolean CFBagGetValueIfPresent(CFBagRef theBag, const void *candidate, const void **value);

/// Copies all values, not retained and in no promised order, into `values`, which must have room for CFBagGetCount of them.
CF_EXPORT void CFBagGetValues(CFBagRef theBag, const void **values);

/// Calls `applier` with each value, as often as it is there, in no promised order. The function may change the bag:
/// then each value that was there at the beginning and is still there when its turn comes is passed, and no other.
CF_EXPORT void CFBagApplyFunction(CFBagRef theBag, CFBagApplierFunction CF_NOESCAPE applier, void *context);

// MARK: - Changing

/// Adds `value` once more. If an equal value is there already, that one is kept and counted again.
CF_EXPORT void CFBagAddValue(CFMutableBagRef theBag, const void *value);

/// Puts `value`, retained, in place of the equal value that is there, which is released; the number stays. Nothing happens
/// when there is none.
CF_EXPORT void CFBagReplaceValue(CFMutableBagRef theBag, const void *value);

/// As CFBagReplaceValue when an equal value is there, as CFBagAddValue when not.
CF_EXPORT void CFBagSetValue(CFMutableBagRef theBag, const void *value);

/// Takes `value` out once; with the last time the value is released. Nothing happens when it is not there.
CF_EXPORT void CFBagRemoveValue(CFMutableBagRef theBag, const void *value);

/// Takes out all values, and releases them.
CF_EXPORT void CFBagRemoveAllValues(CFMutableBagRef theBag);

CF_EXTERN_C_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
