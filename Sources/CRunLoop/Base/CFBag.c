/// CFBag.c: the bag. Sets, bags and dictionaries are all hash tables (CFBasicHash.h); a value of a
/// bag is a key of its table. A source keeps the run loops that it was added to in a bag, each once
/// for every mode. On a Mac a bag is the same table.
#include "CFBasicHash.h"

static const CFBagCallBacks kCFTypeBagCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

static const CFBagCallBacks kCFCopyStringBagCallBacks = {
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
static CFConstBasicHashRef __CFBagGetTable(CFBagRef bag, const char *function) {
    __CFCollectionCheck(bag, &__CFBagClass, function);
    return (CFConstBasicHashRef)bag;
}

/// Returns the hash table of a bag that the caller is about to change.
static CFBasicHashRef __CFBagGetMutableTable(CFMutableBagRef bag, const char *function) {
    __CFCollectionCheckMutable(bag, &__CFBagClass, function);
    return (CFBasicHashRef)bag;
}

// MARK: - Creating bags

CFTypeID CFBagGetTypeID(void) {
    return _kCFRuntimeIDCFBag;
}

static CFBasicHashRef __CFBagCreateTable(CFAllocatorRef allocator, const CFBagCallBacks *k,
                                         Boolean isMutable) {
    CFBasicHashCallBacks keys = {0};
    if (k)
        keys = (CFBasicHashCallBacks){k->retain, k->release, k->copyDescription, k->equal, k->hash};
    return CFBasicHashCreate(allocator, &__CFBagClass, isMutable, &keys, NULL);
}

CFBagRef CFBagCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues,
                     const CFBagCallBacks *callBacks) {
    CFBasicHashRef table = __CFBagCreateTable(allocator, callBacks, false);
    CFBasicHashAddValues(table, numValues, values, NULL);
    return (CFBagRef)table;
}

CFBagRef CFBagCreateCopy(CFAllocatorRef allocator, CFBagRef theBag) {
    return (CFBagRef)CFBasicHashCreateCopy(allocator, __CFBagGetTable(theBag, __func__), false);
}

// `capacity` is not used, because an empty table needs no memory, and grows fast enough.
CFMutableBagRef CFBagCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                   const CFBagCallBacks *callBacks) {
    return (CFMutableBagRef)__CFBagCreateTable(allocator, callBacks, true);
}

CFMutableBagRef CFBagCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity,
                                       CFBagRef theBag) {
    return (CFMutableBagRef)CFBasicHashCreateCopy(allocator, __CFBagGetTable(theBag, __func__), true);
}

// MARK: - Looking up

CFIndex CFBagGetCount(CFBagRef theBag) {
    return CFBasicHashGetCount(__CFBagGetTable(theBag, __func__));
}

CFIndex CFBagGetCountOfValue(CFBagRef theBag, const void *value) {
    return CFBasicHashGetCountOfKey(__CFBagGetTable(theBag, __func__), value);
}

Boolean CFBagContainsValue(CFBagRef theBag, const void *value) {
    return CFBasicHashGetCountOfKey(__CFBagGetTable(theBag, __func__), value) > 0;
}

const void *CFBagGetValue(CFBagRef theBag, const void *value) {
    return CFBasicHashFindBucket(__CFBagGetTable(theBag, __func__), value).key;
}

Boolean CFBagGetValueIfPresent(CFBagRef theBag, const void *candidate, const void **value) {
    CFBasicHashBucket bucket = CFBasicHashFindBucket(__CFBagGetTable(theBag, __func__), candidate);
    if (value && bucket.count > 0) *value = bucket.key;
    return bucket.count > 0;
}

void CFBagGetValues(CFBagRef theBag, const void **values) {
    CFBasicHashGetElements(__CFBagGetTable(theBag, __func__), values, NULL);
}

void CFBagApplyFunction(CFBagRef theBag, CFBagApplierFunction CF_NOESCAPE applier, void *context) {
    CFBasicHashApplyToKeys(__CFBagGetTable(theBag, __func__), applier, context);
}

// MARK: - Changing

void CFBagAddValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashAddValue(__CFBagGetMutableTable(theBag, __func__), value, NULL);
}

void CFBagReplaceValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashReplaceValue(__CFBagGetMutableTable(theBag, __func__), value, NULL);
}

void CFBagSetValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashSetValue(__CFBagGetMutableTable(theBag, __func__), value, NULL);
}

void CFBagRemoveValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashRemoveValue(__CFBagGetMutableTable(theBag, __func__), value);
}

void CFBagRemoveAllValues(CFMutableBagRef theBag) {
    CFBasicHashRemoveAllValues(__CFBagGetMutableTable(theBag, __func__));
}
