/// CFBag.c: the bag, in terms of the hash table (CFBasicHash.h) that sets and dictionaries are as
/// well. What it calls a value is the table's key. A source keeps the run loops that it was added
/// to in a bag: each once for every mode. On a Mac, too, it is the hash table under another name.
#include "CFBasicHash.h"
#include "../Names/CFBag.h"

CF_SHARED const CFBagCallBacks kCFTypeBagCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

CF_SHARED const CFBagCallBacks kCFCopyStringBagCallBacks = {
    0, __CFStringCollectionCopy, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

CF_SHARED const CFRuntimeClass __CFBagClass = {
    .typeID = _kCFRuntimeIDCFBag,
    .className = "CFBag",
    .finalize = __CFBasicHashDeallocate,
    .equal = __CFBasicHashEqual,
    .hash = __CFBasicHashHash,
    .copyDebugDesc = __CFBasicHashCopyDescription,
};

/// Returns the hash table of a bag.
static CFConstBasicHashRef __table(CFBagRef bag, const char *function) {
    __CFCollectionCheck(bag, &__CFBagClass, function);
    return (CFConstBasicHashRef)bag;
}

/// Returns the hash table of a bag that the caller is about to change.
static CFBasicHashRef __mutableTable(CFMutableBagRef bag, const char *function) {
    __CFCollectionCheckMutable(bag, &__CFBagClass, function);
    return (CFBasicHashRef)bag;
}

// MARK: - Making bags

CFTypeID CFBagGetTypeID(void) {
    return _kCFRuntimeIDCFBag;
}

static CFBasicHashRef __CFBagCreateTable(CFAllocatorRef allocator,
                                         const CFBagCallBacks *callBacks) {
    CFBasicHashCallBacks keys = {0};
    if (callBacks) {
        keys = (CFBasicHashCallBacks){callBacks->retain, callBacks->release,
                                      callBacks->copyDescription, callBacks->equal,
                                      callBacks->hash};
    }
    return CFBasicHashCreate(allocator, &__CFBagClass, &keys, NULL);
}

CFBagRef CFBagCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues,
                     const CFBagCallBacks *callBacks) {
    CFBasicHashRef table = __CFBagCreateTable(allocator, callBacks);
    if (numValues > 0) CFBasicHashReserve(table, numValues);
    for (CFIndex i = 0; i < numValues; i++) CFBasicHashAddValue(table, values[i], NULL);
    return (CFBagRef)table;
}

CFBagRef CFBagCreateCopy(CFAllocatorRef allocator, CFBagRef theBag) {
    return (CFBagRef)CFBasicHashCreateCopy(allocator, __table(theBag, __func__));
}

// The hint is not used, because an empty table needs no memory, and grows fast enough.
CFMutableBagRef CFBagCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                   const CFBagCallBacks *callBacks) {
    CFBasicHashRef table = __CFBagCreateTable(allocator, callBacks);
    __CFRuntimeSetFlag(table, __kCFCollectionIsMutable, true);
    return (CFMutableBagRef)table;
}

CFMutableBagRef CFBagCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity,
                                       CFBagRef theBag) {
    CFBasicHashRef copy = CFBasicHashCreateCopy(allocator, __table(theBag, __func__));
    __CFRuntimeSetFlag(copy, __kCFCollectionIsMutable, true);
    return (CFMutableBagRef)copy;
}

// MARK: - Looking

CFIndex CFBagGetCount(CFBagRef theBag) {
    return CFBasicHashGetCount(__table(theBag, __func__));
}

CFIndex CFBagGetCountOfValue(CFBagRef theBag, const void *value) {
    CFBasicHashBucket bucket;
    return CFBasicHashFindKey(__table(theBag, __func__), value, &bucket) ? bucket.count : 0;
}

Boolean CFBagContainsValue(CFBagRef theBag, const void *value) {
    return CFBasicHashFindKey(__table(theBag, __func__), value, NULL);
}

const void *CFBagGetValue(CFBagRef theBag, const void *value) {
    CFBasicHashBucket bucket;
    return CFBasicHashFindKey(__table(theBag, __func__), value, &bucket) ? bucket.key : NULL;
}

Boolean CFBagGetValueIfPresent(CFBagRef theBag, const void *candidate, const void **value) {
    CFBasicHashBucket bucket;
    if (!CFBasicHashFindKey(__table(theBag, __func__), candidate, &bucket)) return false;
    if (value) *value = bucket.key;
    return true;
}

void CFBagGetValues(CFBagRef theBag, const void **values) {
    CFBasicHashGetElements(__table(theBag, __func__), values, NULL);
}

void CFBagApplyFunction(CFBagRef theBag, CFBagApplierFunction CF_NOESCAPE applier, void *context) {
    CFConstBasicHashRef table = __table(theBag, __func__);
    CFBasicHashWalk walk = {0};
    CFBasicHashBucket bucket;
    while (CFBasicHashNext(table, &walk, &bucket)) {
        CFIndex times = bucket.count;
        do {
            applier(bucket.key, context);
            // The function may have taken the value out, or replaced it by an equal one: look again
            // before the next call.
        } while (--times > 0 && CFBasicHashLookAgain(table, &walk, &bucket));
    }
}

// MARK: - Changing

void CFBagAddValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashAddValue(__mutableTable(theBag, __func__), value, NULL);
}

void CFBagReplaceValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashReplaceValue(__mutableTable(theBag, __func__), value, NULL);
}

void CFBagSetValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashSetValue(__mutableTable(theBag, __func__), value, NULL);
}

void CFBagRemoveValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashRemoveValue(__mutableTable(theBag, __func__), value);
}

void CFBagRemoveAllValues(CFMutableBagRef theBag) {
    CFBasicHashRemoveAllValues(__mutableTable(theBag, __func__));
}
