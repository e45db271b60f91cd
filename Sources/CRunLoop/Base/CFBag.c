/// CFBag.c: the bag. Sets, bags and dictionaries are all hash tables (CFBasicHash.h); a value of a
/// bag is a key of its table. A source keeps the run loops that it was added to in a bag, each once
/// for every mode. On a Mac a bag is the same table; here it has the functions that a source needs.
#include "CFBasicHash.h"

static const CFBagCallBacks kCFTypeBagCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual, CFHash,
};

CF_SHARED const CFRuntimeClass __CFBagClass = {
    .typeID = _kCFRuntimeIDCFBag,
    .className = "CFBag",
    .finalize = __CFBasicHashDeallocate,
    .equal = __CFBasicHashEqual,
    .hash = __CFBasicHashHash,
    .copyDebugDesc = __CFBasicHashCopyDescription,
};

/// Returns the hash table of a bag. Every bag is mutable.
static CFBasicHashRef __CFBagGetTable(CFBagRef bag, const char *function) {
    __CFCollectionCheck(bag, &__CFBagClass, function);
    return (CFBasicHashRef)bag;
}

CFTypeID CFBagGetTypeID(void) {
    return _kCFRuntimeIDCFBag;
}

// `capacity` is not used, because an empty table needs no memory, and grows fast enough.
CFMutableBagRef CFBagCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                   const CFBagCallBacks *k) {
    CFBasicHashCallBacks keys = {0};
    if (k)
        keys = (CFBasicHashCallBacks){k->retain, k->release, k->copyDescription, k->equal, k->hash};
    return (CFMutableBagRef)CFBasicHashCreate(allocator, &__CFBagClass, true, &keys, NULL);
}

CFIndex CFBagGetCount(CFBagRef theBag) {
    return CFBasicHashGetCount(__CFBagGetTable(theBag, __func__));
}

void CFBagApplyFunction(CFBagRef theBag, CFBagApplierFunction CF_NOESCAPE applier, void *context) {
    CFBasicHashApplyToKeys(__CFBagGetTable(theBag, __func__), applier, context);
}

void CFBagAddValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashAddValue(__CFBagGetTable(theBag, __func__), value, NULL);
}

void CFBagRemoveValue(CFMutableBagRef theBag, const void *value) {
    CFBasicHashRemoveValue(__CFBagGetTable(theBag, __func__), value);
}
