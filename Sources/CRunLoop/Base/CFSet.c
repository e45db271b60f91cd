/// CFSet.c: the set. Sets, bags and dictionaries are all hash tables (CFBasicHash.h); a value of a
/// set is a key of its table. A run loop keeps its modes, its common modes and its common items in
/// sets, and a mode keeps its sources in sets. On a Mac a set is the same table, but the functions
/// first check whether they were given an Objective-C object.
#include "CFBasicHash.h"

static const CFSetCallBacks kCFTypeSetCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
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
static CFConstBasicHashRef __CFSetGetTable(CFSetRef set, const char *function) {
    __CFCollectionCheck(set, &__CFSetClass, function);
    return (CFConstBasicHashRef)set;
}

/// Returns the hash table of a set that the caller is about to change.
static CFBasicHashRef __CFSetGetMutableTable(CFMutableSetRef set, const char *function) {
    __CFCollectionCheckMutable(set, &__CFSetClass, function);
    return (CFBasicHashRef)set;
}

// MARK: - Creating sets

CFTypeID CFSetGetTypeID(void) {
    return _kCFRuntimeIDCFSet;
}

static CFBasicHashRef __CFSetCreateTable(CFAllocatorRef allocator, const CFSetCallBacks *k,
                                         Boolean isMutable) {
    CFBasicHashCallBacks keys = {0};
    if (k)
        keys = (CFBasicHashCallBacks){k->retain, k->release, k->copyDescription, k->equal, k->hash};
    return CFBasicHashCreate(allocator, &__CFSetClass, isMutable, &keys, NULL);
}

CFSetRef CFSetCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues,
                     const CFSetCallBacks *callBacks) {
    CFBasicHashRef table = __CFSetCreateTable(allocator, callBacks, false);
    for (CFIndex i = 0; i < numValues; i++) CFBasicHashAddValue(table, values[i], NULL);
    return (CFSetRef)table;
}

CFSetRef CFSetCreateCopy(CFAllocatorRef allocator, CFSetRef theSet) {
    return (CFSetRef)CFBasicHashCreateCopy(allocator, __CFSetGetTable(theSet, __func__));
}

// `capacity` is not used, because an empty table needs no memory, and grows fast enough.
CFMutableSetRef CFSetCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                   const CFSetCallBacks *callBacks) {
    return (CFMutableSetRef)__CFSetCreateTable(allocator, callBacks, true);
}

// MARK: - Looking up

CFIndex CFSetGetCount(CFSetRef theSet) {
    return CFBasicHashGetCount(__CFSetGetTable(theSet, __func__));
}

Boolean CFSetContainsValue(CFSetRef theSet, const void *value) {
    return CFBasicHashGetCountOfKey(__CFSetGetTable(theSet, __func__), value) > 0;
}

const void *CFSetGetValue(CFSetRef theSet, const void *value) {
    return CFBasicHashFindBucket(__CFSetGetTable(theSet, __func__), value).key;
}

void CFSetGetValues(CFSetRef theSet, const void **values) {
    CFBasicHashGetKeys(__CFSetGetTable(theSet, __func__), values);
}

void CFSetApplyFunction(CFSetRef theSet, CFSetApplierFunction CF_NOESCAPE applier, void *context) {
    CFBasicHashApplyToKeys(__CFSetGetTable(theSet, __func__), applier, context);
}

// MARK: - Changing

void CFSetAddValue(CFMutableSetRef theSet, const void *value) {
    CFBasicHashAddValue(__CFSetGetMutableTable(theSet, __func__), value, NULL);
}

void CFSetRemoveValue(CFMutableSetRef theSet, const void *value) {
    CFBasicHashRemoveValue(__CFSetGetMutableTable(theSet, __func__), value);
}

void CFSetRemoveAllValues(CFMutableSetRef theSet) {
    CFBasicHashRemoveAllValues(__CFSetGetMutableTable(theSet, __func__));
}
