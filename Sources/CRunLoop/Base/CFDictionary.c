/// CFDictionary.c: the dictionary. Sets, bags and dictionaries are all hash tables (CFBasicHash.h).
/// The registry of run loops is a dictionary from threads to loops, and a mode has one from its
/// ports to their sources. On a Mac a dictionary is the same table, but the functions first check
/// whether they were given an Objective-C object.
#include "CFBasicHash.h"

static const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
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

/// Returns the hash table of a dictionary. Every dictionary is mutable.
static CFBasicHashRef __CFDictionaryGetTable(CFDictionaryRef dict, const char *function) {
    __CFCollectionCheck(dict, &__CFDictionaryClass, function);
    return (CFBasicHashRef)dict;
}

CFTypeID CFDictionaryGetTypeID(void) {
    return _kCFRuntimeIDCFDictionary;
}

// `capacity` is not used, because an empty table needs no memory, and grows fast enough.
CFMutableDictionaryRef CFDictionaryCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                                 const CFDictionaryKeyCallBacks *k,
                                                 const CFDictionaryValueCallBacks *v) {
    CFBasicHashCallBacks keys = {0}, values = {0};
    if (k)
        keys = (CFBasicHashCallBacks){k->retain, k->release, k->copyDescription, k->equal, k->hash};
    if (v)
        values = (CFBasicHashCallBacks){v->retain, v->release, v->copyDescription, v->equal, NULL};
    return (CFMutableDictionaryRef)CFBasicHashCreate(allocator, &__CFDictionaryClass, true, &keys,
                                                     &values);
}

CFIndex CFDictionaryGetCount(CFDictionaryRef theDict) {
    return CFBasicHashGetCount(__CFDictionaryGetTable(theDict, __func__));
}

Boolean CFDictionaryContainsKey(CFDictionaryRef theDict, const void *key) {
    return CFBasicHashGetCountOfKey(__CFDictionaryGetTable(theDict, __func__), key) > 0;
}

const void *CFDictionaryGetValue(CFDictionaryRef theDict, const void *key) {
    return CFBasicHashFindBucket(__CFDictionaryGetTable(theDict, __func__), key).value;
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

void CFDictionarySetValue(CFMutableDictionaryRef theDict, const void *key, const void *value) {
    CFBasicHashSetValue(__CFDictionaryGetTable(theDict, __func__), key, value);
}

void CFDictionaryRemoveValue(CFMutableDictionaryRef theDict, const void *key) {
    CFBasicHashRemoveValue(__CFDictionaryGetTable(theDict, __func__), key);
}

void CFDictionaryRemoveAllValues(CFMutableDictionaryRef theDict) {
    CFBasicHashRemoveAllValues(__CFDictionaryGetTable(theDict, __func__));
}
