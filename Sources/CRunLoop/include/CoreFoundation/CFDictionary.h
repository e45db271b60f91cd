/// CFDictionary.h: values without an order, each of which you find by its key.
///
/// The key callbacks decide which keys are equal. To find a key takes the same short time in a
/// dictionary of any size. The registry of all run loops is such a dictionary: its keys are
/// threads, and its values are loops.
///
/// Threads: any number of threads may read a dictionary at the same time. While a thread changes
/// it, no other thread may use it.
///
/// Bad input: NULL for the dictionary aborts the program with a message. A negative capacity counts
/// as 0.
#if !defined(__COREFOUNDATION_CFDICTIONARY__)
#define __COREFOUNDATION_CFDICTIONARY__ 1

#include "CFBase.h"

CF_IMPLICIT_BRIDGING_ENABLED
CF_EXTERN_C_BEGIN

// MARK: - Callbacks

/// Called with each key or value that is added. The dictionary stores the pointer that it returns.
///
/// `allocator` is the dictionary's. The callback must not change the dictionary.
typedef const void *(*CFDictionaryRetainCallBack)(CFAllocatorRef allocator, const void *value);
/// Called with each key or value that is removed.
///
/// The dictionary no longer holds the key or value at that point, so the callback may use and
/// change the dictionary.
typedef void (*CFDictionaryReleaseCallBack)(CFAllocatorRef allocator, const void *value);
/// Returns a description of a key or value, for CFCopyDescription.
///
/// The caller owns the string. The callback may return NULL.
typedef CFStringRef (*CFDictionaryCopyDescriptionCallBack)(const void *value);
/// Returns whether two keys or two values are equal.
///
/// It is not called for two identical pointers. It must not change the dictionary.
typedef Boolean (*CFDictionaryEqualCallBack)(const void *value1, const void *value2);
/// Returns a number that is the same for equal keys.
///
/// The number need not be well mixed. The callback must not change the dictionary.
typedef CFHashCode (*CFDictionaryHashCallBack)(const void *value);

/// The callbacks for the keys of a dictionary. `version` must be 0 (it is not checked). Every
/// callback may be NULL.
///
/// Without `retain` and `release` the dictionary does not retain or release keys. Without
/// `copyDescription` keys are described by their address. Without `equal` they are equal if they
/// are the same pointer. Without `hash` the pointer is the hash.
typedef struct {
    CFIndex version;
    CFDictionaryRetainCallBack retain;
    CFDictionaryReleaseCallBack release;
    CFDictionaryCopyDescriptionCallBack copyDescription;
    CFDictionaryEqualCallBack equal;
    CFDictionaryHashCallBack hash;
} CFDictionaryKeyCallBacks;

/// Callbacks for keys that are objects: CFRetain, CFRelease, CFCopyDescription, CFEqual and CFHash.
CF_EXPORT const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;

/// The callbacks for the values of a dictionary. `version` must be 0 (it is not checked). Every
/// callback may be NULL.
///
/// Without `retain` and `release` the dictionary does not retain or release values. Without
/// `copyDescription` values are described by their address. Without `equal` they are equal if they
/// are the same pointer.
typedef struct {
    CFIndex version;
    CFDictionaryRetainCallBack retain;
    CFDictionaryReleaseCallBack release;
    CFDictionaryCopyDescriptionCallBack copyDescription;
    CFDictionaryEqualCallBack equal;
} CFDictionaryValueCallBacks;

/// Callbacks for values that are objects: CFRetain, CFRelease, CFCopyDescription and CFEqual.
CF_EXPORT const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;

/// A function that CFDictionaryApplyFunction calls with each pair. `context` is the pointer that
/// its caller passed.
typedef void (*CFDictionaryApplierFunction)(const void *key, const void *value, void *context);

/// A dictionary.
typedef const struct __CFDictionary *CFDictionaryRef;
/// A dictionary that you can change.
typedef struct __CFDictionary *CFMutableDictionaryRef;

// MARK: - Creating dictionaries

/// Returns the type id of CFDictionary.
CF_EXPORT CFTypeID CFDictionaryGetTypeID(void);

/// Creates an empty mutable dictionary.
///
/// `capacity` is a hint for how many pairs there will be. It sets no limit, and 0 gives no hint.
/// NULL for `keyCallBacks` or `valueCallBacks` means that every callback is NULL. The caller owns
/// the dictionary.
CF_EXPORT CFMutableDictionaryRef CFDictionaryCreateMutable(
    CFAllocatorRef allocator, CFIndex capacity, const CFDictionaryKeyCallBacks *keyCallBacks,
    const CFDictionaryValueCallBacks *valueCallBacks);

// MARK: - Reading

/// Returns the number of pairs.
CF_EXPORT CFIndex CFDictionaryGetCount(CFDictionaryRef theDict);

/// Returns whether `key` is in the dictionary.
CF_EXPORT Boolean CFDictionaryContainsKey(CFDictionaryRef theDict, const void *key);

/// Returns the value of a key, or NULL if the key is not in the dictionary.
///
/// It is not retained for you.
CF_EXPORT const void *CFDictionaryGetValue(CFDictionaryRef theDict, const void *key);

/// Calls a function with each pair, in no particular order.
///
/// The function must not change the dictionary.
CF_EXPORT void CFDictionaryApplyFunction(CFDictionaryRef theDict,
                                         CFDictionaryApplierFunction CF_NOESCAPE applier,
                                         void *context);

// MARK: - Changing

/// Sets the value of a key.
///
/// If the key is in the dictionary, the new key and value replace the old ones: they are retained,
/// and the old ones are released. Otherwise the pair is added.
CF_EXPORT void CFDictionarySetValue(CFMutableDictionaryRef theDict, const void *key,
                                    const void *value);

/// Removes the pair of a key, and releases its key and its value. Nothing happens if there is none.
CF_EXPORT void CFDictionaryRemoveValue(CFMutableDictionaryRef theDict, const void *key);

/// Removes all pairs, and releases their keys and values.
CF_EXPORT void CFDictionaryRemoveAllValues(CFMutableDictionaryRef theDict);

CF_EXTERN_C_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
