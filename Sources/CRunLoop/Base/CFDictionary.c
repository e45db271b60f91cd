/// CFDictionary.c: the dictionary. Sets, bags and dictionaries are all hash tables (CFBasicHash.h).
/// The registry of run loops is a dictionary from threads to loops, and a mode has one from its
/// ports to their sources. On a Mac a dictionary is the same table, but the functions first check
/// whether they were given an Objective-C object.
#include "CFBasicHash.h"

static const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

static const CFDictionaryKeyCallBacks kCFCopyStringDictionaryKeyCallBacks = {
    0, __CFStringCollectionCopy, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

static const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual,
};

CF_SHARED const CFRuntimeClass __CFDictionaryClass = {
    .typeID = _kCFRuntimeIDCFDictionary,
    .className = "CFDictionary",
    .finalize = __CFBasicHashDeallocate,
    .equal = __CFBasicHashEqual,
    .hash = __CFBasicHashHash,
    .copyDebugDesc = __CFBasicHashCopyDescription,
};

/// Returns the hash table of a dictionary.
static CFConstBasicHashRef __CFDictionaryGetTable(CFDictionaryRef dict, const char *function) {
    __CFCollectionCheck(dict, &__CFDictionaryClass, function);
    return (CFConstBasicHashRef)dict;
}

/// Returns the hash table of a dictionary that the caller is about to change.
static CFBasicHashRef __CFDictionaryGetMutableTable(CFMutableDictionaryRef dict,
                                                    const char *function) {
    __CFCollectionCheckMutable(dict, &__CFDictionaryClass, function);
    return (CFBasicHashRef)dict;
}

// MARK: - Creating dictionaries

CFTypeID CFDictionaryGetTypeID(void) {
    return _kCFRuntimeIDCFDictionary;
}

static CFBasicHashRef __CFDictionaryCreateTable(CFAllocatorRef allocator,
                                                const CFDictionaryKeyCallBacks *k,
                                                const CFDictionaryValueCallBacks *v,
                                                Boolean isMutable) {
    CFBasicHashCallBacks keys = {0}, values = {0};
    if (k)
        keys = (CFBasicHashCallBacks){k->retain, k->release, k->copyDescription, k->equal, k->hash};
    if (v)
        values = (CFBasicHashCallBacks){v->retain, v->release, v->copyDescription, v->equal, NULL};
    return CFBasicHashCreate(allocator, &__CFDictionaryClass, isMutable, &keys, &values);
}

CFDictionaryRef CFDictionaryCreate(CFAllocatorRef allocator, const void **keys, const void **values,
                                   CFIndex numValues, const CFDictionaryKeyCallBacks *keyCallBacks,
                                   const CFDictionaryValueCallBacks *valueCallBacks) {
    CFBasicHashRef table = __CFDictionaryCreateTable(allocator, keyCallBacks, valueCallBacks,
                                                     false);
    CFBasicHashAddValues(table, numValues, keys, values);
    return (CFDictionaryRef)table;
}

CFDictionaryRef CFDictionaryCreateCopy(CFAllocatorRef allocator, CFDictionaryRef theDict) {
    CFConstBasicHashRef table = __CFDictionaryGetTable(theDict, __func__);
    return (CFDictionaryRef)CFBasicHashCreateCopy(allocator, table, false);
}

// `capacity` is not used, because an empty table needs no memory, and grows fast enough.
CFMutableDictionaryRef CFDictionaryCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                                 const CFDictionaryKeyCallBacks *keyCallBacks,
                                                 const CFDictionaryValueCallBacks *valueCallBacks) {
    return (CFMutableDictionaryRef)__CFDictionaryCreateTable(allocator, keyCallBacks,
                                                             valueCallBacks, true);
}

CFMutableDictionaryRef CFDictionaryCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity,
                                                     CFDictionaryRef theDict) {
    CFConstBasicHashRef table = __CFDictionaryGetTable(theDict, __func__);
    return (CFMutableDictionaryRef)CFBasicHashCreateCopy(allocator, table, true);
}

// MARK: - Looking up

CFIndex CFDictionaryGetCount(CFDictionaryRef theDict) {
    return CFBasicHashGetCount(__CFDictionaryGetTable(theDict, __func__));
}

Boolean CFDictionaryContainsKey(CFDictionaryRef theDict, const void *key) {
    return CFBasicHashGetCountOfKey(__CFDictionaryGetTable(theDict, __func__), key) > 0;
}

const void *CFDictionaryGetValue(CFDictionaryRef theDict, const void *key) {
    return CFBasicHashFindBucket(__CFDictionaryGetTable(theDict, __func__), key).value;
}

Boolean CFDictionaryGetValueIfPresent(CFDictionaryRef theDict, const void *key,
                                      const void **value) {
    CFConstBasicHashRef table = __CFDictionaryGetTable(theDict, __func__);
    CFBasicHashBucket bucket = CFBasicHashFindBucket(table, key);
    if (value && bucket.count > 0) *value = bucket.value;
    return bucket.count > 0;
}

void CFDictionaryGetKeysAndValues(CFDictionaryRef theDict, const void **keys, const void **values) {
    CFBasicHashGetElements(__CFDictionaryGetTable(theDict, __func__), keys, values);
}

void CFDictionaryApplyFunction(CFDictionaryRef theDict,
                               CFDictionaryApplierFunction CF_NOESCAPE applier, void *context) {
    CFConstBasicHashRef table = __CFDictionaryGetTable(theDict, __func__);
    CFIndex position = 0;
    CFBasicHashBucket bucket;
    while (CFBasicHashNext(table, &position, &bucket)) {
        applier(bucket.key, bucket.value, context);
    }
}

// MARK: - Changing

void CFDictionaryAddValue(CFMutableDictionaryRef theDict, const void *key, const void *value) {
    CFBasicHashAddValue(__CFDictionaryGetMutableTable(theDict, __func__), key, value);
}

void CFDictionarySetValue(CFMutableDictionaryRef theDict, const void *key, const void *value) {
    CFBasicHashSetValue(__CFDictionaryGetMutableTable(theDict, __func__), key, value);
}

void CFDictionaryReplaceValue(CFMutableDictionaryRef theDict, const void *key, const void *value) {
    CFBasicHashReplaceValue(__CFDictionaryGetMutableTable(theDict, __func__), key, value);
}

void CFDictionaryRemoveValue(CFMutableDictionaryRef theDict, const void *key) {
    CFBasicHashRemoveValue(__CFDictionaryGetMutableTable(theDict, __func__), key);
}

void CFDictionaryRemoveAllValues(CFMutableDictionaryRef theDict) {
    CFBasicHashRemoveAllValues(__CFDictionaryGetMutableTable(theDict, __func__));
}
