/// CFSet.c: the set, in terms of the hash table (CFBasicHash.h) that bags and dictionaries are as
/// well. What it calls a value is the table's key. A run loop keeps its common modes, its common
/// items and its modes in sets, a mode its sources. On a Mac, too, it is the hash table under
/// another name; the functions first ask whether the set is an Objective-C one.
#include "CFBasicHash.h"
#include "../Names/CFSet.h"

CF_SHARED const CFSetCallBacks kCFTypeSetCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

CF_SHARED const CFSetCallBacks kCFCopyStringSetCallBacks = {
    0, __CFStringCollectionCopy, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

CF_SHARED const CFRuntimeClass __CFSetClass = {
    .typeID = _kCFRuntimeIDCFSet,
    .className = "CFSet",
    .finalize = __CFBasicHashDeallocate,
    .equal = __CFBasicHashEqual,
    .hash = __CFBasicHashHash,
    .copyDebugDesc = __CFBasicHashCopyDescription,
};

/// Returns the hash table of a set.
static CFConstBasicHashRef __table(CFSetRef set, const char *function) {
    __CFCollectionCheck(set, &__CFSetClass, function);
    return (CFConstBasicHashRef)set;
}

/// Returns the hash table of a set that the caller is about to change.
static CFBasicHashRef __mutableTable(CFMutableSetRef set, const char *function) {
    __CFCollectionCheckMutable(set, &__CFSetClass, function);
    return (CFBasicHashRef)set;
}

// MARK: - Making sets

CFTypeID CFSetGetTypeID(void) {
    return _kCFRuntimeIDCFSet;
}

static CFBasicHashRef __CFSetCreateTable(CFAllocatorRef allocator,
                                         const CFSetCallBacks *callBacks) {
    CFBasicHashCallBacks keys = {0};
    if (callBacks) {
        keys = (CFBasicHashCallBacks){callBacks->retain, callBacks->release,
                                      callBacks->copyDescription, callBacks->equal,
                                      callBacks->hash};
    }
    return CFBasicHashCreate(allocator, &__CFSetClass, &keys, NULL);
}

CFSetRef CFSetCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues,
                     const CFSetCallBacks *callBacks) {
    CFBasicHashRef table = __CFSetCreateTable(allocator, callBacks);
    if (numValues > 0) CFBasicHashReserve(table, numValues);
    for (CFIndex i = 0; i < numValues; i++) CFBasicHashAddValue(table, values[i], NULL);
    return (CFSetRef)table;
}

CFSetRef CFSetCreateCopy(CFAllocatorRef allocator, CFSetRef theSet) {
    return (CFSetRef)CFBasicHashCreateCopy(allocator, __table(theSet, __func__));
}

// The hint is not used, because an empty table needs no memory, and grows fast enough.
CFMutableSetRef CFSetCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                   const CFSetCallBacks *callBacks) {
    CFBasicHashRef table = __CFSetCreateTable(allocator, callBacks);
    __CFRuntimeSetFlag(table, __kCFCollectionIsMutable, true);
    return (CFMutableSetRef)table;
}

CFMutableSetRef CFSetCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity,
                                       CFSetRef theSet) {
    CFBasicHashRef copy = CFBasicHashCreateCopy(allocator, __table(theSet, __func__));
    __CFRuntimeSetFlag(copy, __kCFCollectionIsMutable, true);
    return (CFMutableSetRef)copy;
}

// MARK: - Looking

CFIndex CFSetGetCount(CFSetRef theSet) {
    return CFBasicHashGetCount(__table(theSet, __func__));
}

CFIndex CFSetGetCountOfValue(CFSetRef theSet, const void *value) {
    CFBasicHashBucket bucket;
    return CFBasicHashFindKey(__table(theSet, __func__), value, &bucket) ? bucket.count : 0;
}

Boolean CFSetContainsValue(CFSetRef theSet, const void *value) {
    return CFBasicHashFindKey(__table(theSet, __func__), value, NULL);
}

const void *CFSetGetValue(CFSetRef theSet, const void *value) {
    CFBasicHashBucket bucket;
    return CFBasicHashFindKey(__table(theSet, __func__), value, &bucket) ? bucket.key : NULL;
}

Boolean CFSetGetValueIfPresent(CFSetRef theSet, const void *candidate, const void **value) {
    CFBasicHashBucket bucket;
    if (!CFBasicHashFindKey(__table(theSet, __func__), candidate, &bucket)) return false;
    if (value) *value = bucket.key;
    return true;
}

void CFSetGetValues(CFSetRef theSet, const void **values) {
    CFBasicHashGetElements(__table(theSet, __func__), values, NULL);
}

void CFSetApplyFunction(CFSetRef theSet, CFSetApplierFunction CF_NOESCAPE applier, void *context) {
    CFConstBasicHashRef table = __table(theSet, __func__);
    CFBasicHashWalk walk = {0};
    CFBasicHashBucket bucket;
    while (CFBasicHashNext(table, &walk, &bucket)) {
        applier(bucket.key, context);
    }
}

// MARK: - Changing

void CFSetAddValue(CFMutableSetRef theSet, const void *value) {
    CFBasicHashAddValue(__mutableTable(theSet, __func__), value, NULL);
}

void CFSetReplaceValue(CFMutableSetRef theSet, const void *value) {
    CFBasicHashReplaceValue(__mutableTable(theSet, __func__), value, NULL);
}

void CFSetSetValue(CFMutableSetRef theSet, const void *value) {
    CFBasicHashSetValue(__mutableTable(theSet, __func__), value, NULL);
}

void CFSetRemoveValue(CFMutableSetRef theSet, const void *value) {
    CFBasicHashRemoveValue(__mutableTable(theSet, __func__), value);
}

void CFSetRemoveAllValues(CFMutableSetRef theSet) {
    CFBasicHashRemoveAllValues(__mutableTable(theSet, __func__));
}
