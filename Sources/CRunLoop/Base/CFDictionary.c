/// CFDictionary.c: the dictionary, in terms of the hash table (CFBasicHash.h) that sets and bags
/// are as well. The registry of run loops is a dictionary from threads to loops, and a mode has
/// another from its ports to their sources. On a Mac, too, it is the hash table under another name;
/// the functions first ask whether the dictionary is an Objective-C one.
#include "CFBasicHash.h"
#include "../Names/CFDictionary.h"

CF_SHARED const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

CF_SHARED const CFDictionaryKeyCallBacks kCFCopyStringDictionaryKeyCallBacks = {
    0, __CFStringCollectionCopy, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

CF_SHARED const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks = {
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
static CFConstBasicHashRef __table(CFDictionaryRef dict, const char *function) {
    __CFCollectionCheck(dict, &__CFDictionaryClass, function);
    return (CFConstBasicHashRef)dict;
}

/// Returns the hash table of a dictionary that the caller is about to change.
static CFBasicHashRef __mutableTable(CFMutableDictionaryRef dict, const char *function) {
    __CFCollectionCheckMutable(dict, &__CFDictionaryClass, function);
    return (CFBasicHashRef)dict;
}

// MARK: - Making dictionaries

CFTypeID CFDictionaryGetTypeID(void) {
    return _kCFRuntimeIDCFDictionary;
}

static CFBasicHashRef __CFDictionaryCreateTable(CFAllocatorRef allocator,
                                                const CFDictionaryKeyCallBacks *k,
                                                const CFDictionaryValueCallBacks *v) {
    CFBasicHashCallBacks keys = {0}, values = {0};
    if (k)
        keys = (CFBasicHashCallBacks){k->retain, k->release, k->copyDescription, k->equal, k->hash};
    if (v)
        values = (CFBasicHashCallBacks){v->retain, v->release, v->copyDescription, v->equal, NULL};
    return CFBasicHashCreate(allocator, &__CFDictionaryClass, &keys, &values);
}

CFDictionaryRef CFDictionaryCreate(CFAllocatorRef allocator, const void **keys, const void **values,
                                   CFIndex numValues, const CFDictionaryKeyCallBacks *keyCallBacks,
                                   const CFDictionaryValueCallBacks *valueCallBacks) {
    CFBasicHashRef table = __CFDictionaryCreateTable(allocator, keyCallBacks, valueCallBacks);
    if (numValues > 0) CFBasicHashReserve(table, numValues);
    for (CFIndex i = 0; i < numValues; i++) CFBasicHashAddValue(table, keys[i], values[i]);
    return (CFDictionaryRef)table;
}

CFDictionaryRef CFDictionaryCreateCopy(CFAllocatorRef allocator, CFDictionaryRef theDict) {
    return (CFDictionaryRef)CFBasicHashCreateCopy(allocator, __table(theDict, __func__));
}

// The hint is not used, because an empty table needs no memory, and grows fast enough.
CFMutableDictionaryRef CFDictionaryCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                                 const CFDictionaryKeyCallBacks *keyCallBacks,
                                                 const CFDictionaryValueCallBacks *valueCallBacks) {
    CFBasicHashRef table = __CFDictionaryCreateTable(allocator, keyCallBacks, valueCallBacks);
    __CFRuntimeSetFlag(table, __kCFCollectionIsMutable, true);
    return (CFMutableDictionaryRef)table;
}

CFMutableDictionaryRef CFDictionaryCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity,
                                                     CFDictionaryRef theDict) {
    CFBasicHashRef copy = CFBasicHashCreateCopy(allocator, __table(theDict, __func__));
    __CFRuntimeSetFlag(copy, __kCFCollectionIsMutable, true);
    return (CFMutableDictionaryRef)copy;
}

// MARK: - Looking

CFIndex CFDictionaryGetCount(CFDictionaryRef theDict) {
    return CFBasicHashGetCount(__table(theDict, __func__));
}

CFIndex CFDictionaryGetCountOfKey(CFDictionaryRef theDict, const void *key) {
    return CFBasicHashFindKey(__table(theDict, __func__), key, NULL) ? 1 : 0;
}

CFIndex CFDictionaryGetCountOfValue(CFDictionaryRef theDict, const void *value) {
    return CFBasicHashGetCountOfValue(__table(theDict, __func__), value);
}

Boolean CFDictionaryContainsKey(CFDictionaryRef theDict, const void *key) {
    return CFBasicHashFindKey(__table(theDict, __func__), key, NULL);
}

Boolean CFDictionaryContainsValue(CFDictionaryRef theDict, const void *value) {
    return CFBasicHashGetCountOfValue(__table(theDict, __func__), value) > 0;
}

const void *CFDictionaryGetValue(CFDictionaryRef theDict, const void *key) {
    CFBasicHashBucket bucket;
    return CFBasicHashFindKey(__table(theDict, __func__), key, &bucket) ? bucket.value : NULL;
}

Boolean CFDictionaryGetValueIfPresent(CFDictionaryRef theDict, const void *key,
                                      const void **value) {
    CFBasicHashBucket bucket;
    if (!CFBasicHashFindKey(__table(theDict, __func__), key, &bucket)) return false;
    if (value) *value = bucket.value;
    return true;
}

void CFDictionaryGetKeysAndValues(CFDictionaryRef theDict, const void **keys, const void **values) {
    CFBasicHashGetElements(__table(theDict, __func__), keys, values);
}

void CFDictionaryApplyFunction(CFDictionaryRef theDict,
                               CFDictionaryApplierFunction CF_NOESCAPE applier, void *context) {
    CFConstBasicHashRef table = __table(theDict, __func__);
    CFBasicHashWalk walk = {0};
    CFBasicHashBucket bucket;
    while (CFBasicHashNext(table, &walk, &bucket)) {
        applier(bucket.key, bucket.value, context);
    }
}

// MARK: - Changing

void CFDictionaryAddValue(CFMutableDictionaryRef theDict, const void *key, const void *value) {
    CFBasicHashAddValue(__mutableTable(theDict, __func__), key, value);
}

void CFDictionarySetValue(CFMutableDictionaryRef theDict, const void *key, const void *value) {
    CFBasicHashSetValue(__mutableTable(theDict, __func__), key, value);
}

void CFDictionaryReplaceValue(CFMutableDictionaryRef theDict, const void *key, const void *value) {
    CFBasicHashReplaceValue(__mutableTable(theDict, __func__), key, value);
}

void CFDictionaryRemoveValue(CFMutableDictionaryRef theDict, const void *key) {
    CFBasicHashRemoveValue(__mutableTable(theDict, __func__), key);
}

void CFDictionaryRemoveAllValues(CFMutableDictionaryRef theDict) {
    CFBasicHashRemoveAllValues(__mutableTable(theDict, __func__));
}
