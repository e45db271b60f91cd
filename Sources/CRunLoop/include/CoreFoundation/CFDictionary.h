/// CFDictionary.h: values without an order, each found by its key.
///
/// What is the same key is decided by the key callbacks. Looking a key up takes the same short time whatever the size. The
/// registry of all run loops is such a dictionary: its keys are threads, its values are loops.
///
/// Threads: any number may read one dictionary at the same time; a thread that changes it must be alone with it.
///
/// Bad input: a change to an immutable dictionary stops the program with a line that says so, as does NULL for the dictionary. A
/// negative count or capacity is taken for 0.
#if !defined(__COREFOUNDATION_CFDICTIONARY__)
#define __COREFOUNDATION_CFDICTIONARY__ 1

#include "CFBase.h"

CF_IMPLICIT_BRIDGING_ENABLED
CF_EXTERN_C_BEGIN

// MARK: - Callbacks

/// Called with each key or value that goes in; what it returns is what the dictionary stores. `allocator` is the dictionary's.
/// It must not change the dictionary.
typedef const void *(*CFDictionaryRetainCallBack)(CFAllocatorRef allocator, const void *value);
/// Called with each key or value that goes out. The dictionary no longer holds it by then, and may be used and changed.
typedef void (*CFDictionaryReleaseCallBack)(CFAllocatorRef allocator, const void *value);
/// Describes a key or value for CFCopyDescription. The caller owns the string; NULL is allowed.
typedef CFStringRef (*CFDictionaryCopyDescriptionCallBack)(const void *value);
/// Whether two keys or two values are equal. Not called for two that are the same pointer. It must not change the dictionary.
typedef Boolean (*CFDictionaryEqualCallBack)(const void *value1, const void *value2);
/// A number that is the same for equal keys. It need not be well mixed. It must not change the dictionary.
typedef CFHashCode (*CFDictionaryHashCallBack)(const void *value);

/// What a dictionary does with its keys. `version` is 0. Every callback may be NULL: keys are then neither retained nor released,
/// described by their address, equal when they are the same pointer, and the pointer is the hash.
typedef struct {
    CFIndex version;
    CFDictionaryRetainCallBack retain;
    CFDictionaryReleaseCallBack release;
    CFDictionaryCopyDescriptionCallBack copyDescription;
    CFDictionaryEqualCallBack equal;
    CFDictionaryHashCallBack hash;
} CFDictionaryKeyCallBacks;

/// For keys that are objects: CFRetain, CFRelease, CFCopyDescription, CFEqual and CFHash.
CF_EXPORT const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
/// For keys that are strings: as kCFTypeDictionaryKeyCallBacks, but the dictionary keeps an immutable copy of each key.
CF_EXPORT const CFDictionaryKeyCallBacks kCFCopyStringDictionaryKeyCallBacks;

/// What a dictionary does with its values. `version` is 0. Every callback may be NULL, as with the keys.
typedef struct {
    CFIndex version;
    CFDictionaryRetainCallBack retain;
    CFDictionaryReleaseCallBack release;
    CFDictionaryCopyDescriptionCallBack copyDescription;
    CFDictionaryEqualCallBack equal;
} CFDictionaryValueCallBacks;

/// For values that are objects: CFRetain, CFRelease, CFCopyDescription and CFEqual.
CF_EXPORT const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;

/// Called by CFDictionaryApplyFunction for each pair; `context` is what its caller passed.
typedef void (*CFDictionaryApplierFunction)(const void *key, const void *value, void *context);

/// A dictionary.
typedef const struct __CFDictionary *CFDictionaryRef;
/// A dictionary that can be changed.
typedef struct __CFDictionary *CFMutableDictionaryRef;

// MARK: - Making dictionaries

/// The type id of CFDictionary.
CF_EXPORT CFTypeID CFDictionaryGetTypeID(void);

/// Makes an immutable dictionary of `numValues` pairs, taken from two arrays of that length, which may be NULL if `numValues` is
/// 0. Of pairs with equal keys the first is kept. NULL for callbacks means all of them NULL. The caller owns the dictionary.
CF_EXPORT CFDictionaryRef CFDictionaryCreate(CFAllocatorRef allocator, const void **keys, const void **values, CFIndex numValues,
                                             const CFDictionaryKeyCallBacks *keyCallBacks,
                                             const CFDictionaryValueCallBacks *valueCallBacks);

/// Makes an immutable dictionary with the pairs and the callbacks of `theDict`. It is always a new dictionary, and retains every
/// key and value once more. The caller owns it.
CF_EXPORT CFDictionaryRef CFDictionaryCreateCopy(CFAllocatorRef allocator, CFDictionaryRef theDict);

/// Makes an empty mutable dictionary. `capacity` is a hint how many pairs there will be; 0 says nothing, and it sets no limit.
/// The caller owns the dictionary.
CF_EXPORT CFMutableDictionaryRef CFDictionaryCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                                           const CFDictionaryKeyCallBacks *keyCallBacks,
                                                           const CFDictionaryValueCallBacks *valueCallBacks);

/// Makes a mutable dictionary with the pairs and the callbacks of `theDict`; it retains every key and value. `capacity` is a
/// hint, as above. The caller owns the dictionary.
CF_EXPORT CFMutableDictionaryRef CFDictionaryCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity,
                                                               CFDictionaryRef theDict);

// MARK: - Looking

/// How many pairs there are.
CF_EXPORT CFIndex CFDictionaryGetCount(CFDictionaryRef theDict);

/// How many times `key` is in the dictionary: 0 or 1.
CF_EXPORT CFIndex CFDictionaryGetCountOfKey(CFDictionaryRef theDict, const void *key);

/// How many keys have a value equal to `value`. Looks at every pair.
CF_EXPORT CFIndex CFDictionaryGetCountOfValue(CFDictionaryRef theDict, const void *value);

/// Whether `key` is in the dictionary.
CF_EXPORT Boolean CFDictionaryContainsKey(CFDictionaryRef theDict, const void *key);

/// Whether any key has a value equal to `value`. Looks at every pair.
CF_EXPORT Boolean CFDictionaryContainsValue(CFDictionaryRef theDict, const void *value);

/// The value that belongs to `key`, not retained; NULL when there is none. Where NULL may be a value, ask
/// CFDictionaryGetValueIfPresent.
CF_EXPORT const void *CFDictionaryGetValue(CFDictionaryRef theDict, const void *key);

/// Whether `key` is in the dictionary. If so its value is stored in `*value`, not retained; if not, `*value` is left as it was.
/// `value` may be NULL.
CF_EXPORT Boolean CFDictionaryGetValueIfPresent(CFDictionaryRef theDict, const void *key, const void **value);

/// Copies all keys and all values, not retained and in no promised order, but the same in both, into `keys` and `values`.
/// Each must have room for CFDictionaryGetCount of them; either may be NULL.
CF_EXPORT void CFDictionaryGetKeysAndValues(CFDictionaryRef theDict, const void **keys, const void **values);

/// Calls `applier` with each pair, in no promised order. The function may change the dictionary:
/// then each pair that was there at the beginning and is still there when its turn comes is passed, with the value it
/// has by then, and no other.
CF_EXPORT void CFDictionaryApplyFunction(CFDictionaryRef theDict, CFDictionaryApplierFunction CF_NOESCAPE applier, void *context);

// MARK: - Changing

/// Adds a pair; key and value are retained. Nothing happens when the key is there already.
CF_EXPORT void CFDictionaryAddValue(CFMutableDictionaryRef theDict, const void *key, const void *value);

/// Gives `key` the value `value`, retained, in place of the one it has, which is released. `key`, too, takes the place of the
/// equal key that is there. Adds the pair when the key is not there.
CF_EXPORT void CFDictionarySetValue(CFMutableDictionaryRef theDict, const void *key, const void *value);

/// As CFDictionarySetValue when the key is there. Nothing happens when it is not.
CF_EXPORT void CFDictionaryReplaceValue(CFMutableDictionaryRef theDict, const void *key, const void *value);

/// Takes out the pair that belongs to `key`, and releases its key and its value. Nothing happens when there is none.
CF_EXPORT void CFDictionaryRemoveValue(CFMutableDictionaryRef theDict, const void *key);

/// Takes out all pairs, and releases their keys and values.
CF_EXPORT void CFDictionaryRemoveAllValues(CFMutableDictionaryRef theDict);

CF_EXTERN_C_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
