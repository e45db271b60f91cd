/// CFBasicHash.c: the hash table behind sets, bags and dictionaries.
///
/// The entries are in an array, in the order in which they were added. Beside it is an index, an
/// array of slots that hold the numbers of entries. A hash selects the slot where a search begins.
/// In the original the keys are in the index itself, in the order of their hashes. The separate
/// array has three advantages:
/// - A walk visits the entries in the order in which they were added, the same in every run of a
///   program.
/// - The index is small, so a lookup usually finds it in the cache, and reads only one entry.
/// - Each entry stores its hash, so the table calls the hash callback once for each key, and
///   compares only keys with equal hashes.
///
/// A removed entry becomes a hole. When the array is full, or nearly all of it is holes, the table
/// moves the live entries together into new memory, larger or smaller as needed.
///
/// The invariants of every table, whenever no function of this file runs:
/// - `_live` is the number of entries that are not holes, and `_count` is the sum of their counts.
/// - Each entry (a hole too) is in one slot. A search that begins at the slot of its hash finds it
///   before it finds a free slot.
/// - At least half of the slots are free, so every search is short.
#include "CFBasicHash.h"

CF_SHARED const char __CFBasicHashHole;

enum {
    // Up to this many entries, a walk is short even if nearly all of them are holes.
    __kMaxFewUsed = 64,
};

static Boolean __CFBasicHashIsBag(CFConstBasicHashRef ht) {
    return __CFRuntimeGetClass(ht) == &__CFBagClass;
}
static Boolean __CFBasicHashIsDictionary(CFConstBasicHashRef ht) {
    return __CFRuntimeGetClass(ht) == &__CFDictionaryClass;
}

// MARK: - Callbacks

static const void *__CFBasicHashRetain(CFConstBasicHashRef ht,
                                       const CFBasicHashCallBacks *callBacks, const void *ptr) {
    return callBacks->retain ? callBacks->retain(CFGetAllocator(ht), ptr) : ptr;
}

static void __CFBasicHashRelease(CFConstBasicHashRef ht, const CFBasicHashCallBacks *callBacks,
                                 const void *ptr) {
    if (callBacks->release) callBacks->release(CFGetAllocator(ht), ptr);
}

static CFHashCode __CFBasicHashHashKey(CFConstBasicHashRef ht, const void *key) {
    return ht->_keys.hash ? ht->_keys.hash(key) : (CFHashCode)(uintptr_t)key;
}

static Boolean __CFBasicHashAreEqual(const CFBasicHashCallBacks *callBacks, const void *ptr1,
                                     const void *ptr2) {
    return ptr1 == ptr2 || (callBacks->equal && callBacks->equal(ptr1, ptr2));
}

// MARK: - The index

/// Returns the slot in which the search for a hash begins. Addresses end in zeros and differ
/// little, and so do many hashes. The multiplication by 2^64 divided by the golden ratio carries
/// every bit to the top, and the slot's number is taken from there.
static CFIndex __CFBasicHashFirstSlot(CFConstBasicHashRef ht, CFHashCode hash) {
    int bits = __builtin_ctzl(ht->_capacity) + 1;
    return (CFIndex)((hash * 0x9E3779B97F4A7C15u) >> (64 - bits));
}

static CFIndex __CFBasicHashNextSlot(CFConstBasicHashRef ht, CFIndex slot) {
    return (slot + 1) & (ht->_capacity * 2 - 1);
}

static Boolean __CFBasicHashIsEntryOf(CFConstBasicHashRef ht, const CFBasicHashEntry *entry,
                                      const void *key, CFHashCode hash) {
    return entry->hash == hash && entry->key != __kCFBasicHashHole
        && __CFBasicHashAreEqual(&ht->_keys, entry->key, key);
}

/// Returns the entry of a key whose hash is known, or NULL.
static CFBasicHashEntry *__CFBasicHashFind(CFConstBasicHashRef ht, const void *key,
                                           CFHashCode hash) {
    if (ht->_used == 0) return NULL;
    for (CFIndex slot = __CFBasicHashFirstSlot(ht, hash); ht->_slots[slot];
         slot = __CFBasicHashNextSlot(ht, slot)) {
        CFBasicHashEntry *entry = &ht->_entries[ht->_slots[slot] - 1];
        if (__CFBasicHashIsEntryOf(ht, entry, key, hash)) return entry;
    }
    return NULL;
}

/// Returns the entry of a key, or NULL. Does not call the hash callback if the table is empty.
static CFBasicHashEntry *__CFBasicHashFindEntry(CFConstBasicHashRef ht, const void *key) {
    return ht->_live > 0 ? __CFBasicHashFind(ht, key, __CFBasicHashHashKey(ht, key)) : NULL;
}

/// Appends an entry, for which there must be room, and adds it to the index.
static void __CFBasicHashAppend(CFBasicHashRef ht, CFBasicHashEntry entry) {
    CFIndex slot = __CFBasicHashFirstSlot(ht, entry.hash);
    while (ht->_slots[slot]) slot = __CFBasicHashNextSlot(ht, slot);
    ht->_entries[ht->_used++] = entry;
    ht->_slots[slot] = (uint32_t)ht->_used;
}

// MARK: - Memory

static void __CFBasicHashAllocate(CFBasicHashRef ht, CFIndex capacity) {
    size_t size = sizeof(CFBasicHashEntry) + 2 * sizeof(uint32_t);
    // A slot has 32 bits. A table that needs more would also need a hundred gigabytes.
    if (capacity > UINT32_MAX / 2) __CF_HAS_NO_MEMORY_LEFT__("a set, a bag or a dictionary");
    ht->_entries = __CFCollectionAllocate(capacity, size,
                                          "a set, a bag or a dictionary");
    ht->_slots = (uint32_t *)(ht->_entries + capacity);
    ht->_capacity = (uint32_t)capacity;
    ht->_used = 0;
    memset(ht->_slots, 0, 2 * capacity * sizeof(uint32_t));
}

/// Moves the live entries together into new memory, with room for `n` more. A quarter of the new
/// memory stays free, so that the table is not rebuilt often. Many sets have one member: a timer
/// keeps its modes in a set. So the first entry gets memory for one.
static void __CFBasicHashRebuild(CFBasicHashRef ht, CFIndex n) {
    if (n > UINT32_MAX) __CF_HAS_NO_MEMORY_LEFT__("a set, a bag or a dictionary");
    CFIndex capacity = ht->_live + n > 1 ? 4 : 1;
    while (capacity - capacity / 4 < ht->_live + n) capacity *= 2;
    CFBasicHashEntry *old = ht->_entries;
    CFIndex oldUsed = ht->_used;
    __CFBasicHashAllocate(ht, capacity);
    for (CFIndex i = 0; i < oldUsed; i++) {
        if (old[i].key != __kCFBasicHashHole) __CFBasicHashAppend(ht, old[i]);
    }
    free(old);
}

/// Makes room for `n` more entries at once.
static void __CFBasicHashReserve(CFBasicHashRef ht, CFIndex n) {
    if (n > ht->_capacity - ht->_used) __CFBasicHashRebuild(ht, n);
}

/// After a removal, discards the holes if nearly all entries are holes.
static void __CFBasicHashDiscardHoles(CFBasicHashRef ht) {
    if (ht->_used > __kMaxFewUsed && ht->_live < ht->_used / 8) {
        __CFBasicHashRebuild(ht, 0);
    } else if (ht->_live == 0) {
        ht->_used = 0;
        memset(ht->_slots, 0, 2 * ht->_capacity * sizeof(uint32_t));
    }
}

// MARK: - Creating tables

CFBasicHashRef CFBasicHashCreate(CFAllocatorRef allocator, const CFRuntimeClass *cls,
                                 Boolean isMutable, const CFBasicHashCallBacks *keys,
                                 const CFBasicHashCallBacks *values) {
    size_t size = sizeof(struct __CFBasicHash) + (values ? sizeof(*values) : 0);
    CFBasicHashRef ht = (CFBasicHashRef)_CFRuntimeCreateInstance(allocator, cls, size);
    if (!ht) __CF_HAS_NO_MEMORY_LEFT__("a set, a bag or a dictionary");
    ht->_keys = *keys;
    if (values) ht->_values[0] = *values;
    if (isMutable) __CFRuntimeSetFlag(ht, __kCFCollectionIsMutable, true);
    return ht;
}

CFBasicHashRef CFBasicHashCreateCopy(CFAllocatorRef allocator, CFConstBasicHashRef ht) {
    CFBasicHashRef copy = CFBasicHashCreate(allocator, __CFRuntimeGetClass(ht), false, &ht->_keys,
                                            NULL);
    if (ht->_live > 0) __CFBasicHashReserve(copy, ht->_live);
    for (CFIndex i = 0; i < ht->_used; i++) {
        CFBasicHashEntry entry = ht->_entries[i];
        if (entry.key == __kCFBasicHashHole) continue;
        entry.key = __CFBasicHashRetain(copy, &copy->_keys, entry.key);
        __CFBasicHashAppend(copy, entry);
        copy->_live++;
    }
    copy->_count = ht->_count;
    return copy;
}

// MARK: - Looking up

static CFBasicHashBucket __CFBasicHashGetBucket(CFConstBasicHashRef ht,
                                                const CFBasicHashEntry *entry) {
    if (__CFBasicHashIsDictionary(ht)) return (CFBasicHashBucket){entry->key, entry->value, 1};
    return (CFBasicHashBucket){entry->key, NULL, entry->count};
}

CFIndex CFBasicHashGetCount(CFConstBasicHashRef ht) {
    return ht->_count;
}

CFBasicHashBucket CFBasicHashFindBucket(CFConstBasicHashRef ht, const void *key) {
    const CFBasicHashEntry *entry = __CFBasicHashFindEntry(ht, key);
    return entry ? __CFBasicHashGetBucket(ht, entry) : (CFBasicHashBucket){0};
}

CFIndex CFBasicHashGetCountOfKey(CFConstBasicHashRef ht, const void *key) {
    const CFBasicHashEntry *entry = __CFBasicHashFindEntry(ht, key);
    if (!entry) return 0;
    return __CFBasicHashIsDictionary(ht) ? 1 : entry->count;
}

/// A walk over many objects waits for memory, so this fetches the key after the next ones.
Boolean CFBasicHashNext(CFConstBasicHashRef ht, CFIndex *position, CFBasicHashBucket *bucket) {
    while (*position < ht->_used) {
        const CFBasicHashEntry *entry = &ht->_entries[(*position)++];
        if (*position + 8 < ht->_used) __builtin_prefetch(entry[8].key);
        if (entry->key == __kCFBasicHashHole) continue;
        *bucket = __CFBasicHashGetBucket(ht, entry);
        return true;
    }
    return false;
}

void CFBasicHashApplyToKeys(CFConstBasicHashRef ht,
                            void (*applier)(const void *key, void *context), void *context) {
    CFIndex position = 0;
    CFBasicHashBucket bucket;
    while (CFBasicHashNext(ht, &position, &bucket)) {
        for (CFIndex times = bucket.count; times > 0; times--) applier(bucket.key, context);
    }
}

void CFBasicHashGetKeys(CFConstBasicHashRef ht, const void **keys) {
    CFIndex position = 0;
    CFBasicHashBucket bucket;
    for (CFIndex n = 0; CFBasicHashNext(ht, &position, &bucket); n++) keys[n] = bucket.key;
}

// MARK: - Changing

static void __CFBasicHashAdd(CFBasicHashRef ht, const void *key, const void *value,
                             CFHashCode hash) {
    CFBasicHashEntry entry = {.hash = hash};
    if (__CFBasicHashIsDictionary(ht)) entry.value = __CFBasicHashRetain(ht, ht->_values, value);
    else entry.count = 1;
    entry.key = __CFBasicHashRetain(ht, &ht->_keys, key);
    __CFBasicHashReserve(ht, 1);
    __CFBasicHashAppend(ht, entry);
    ht->_live++;
    ht->_count++;
}

static void __CFBasicHashReplace(CFBasicHashRef ht, CFBasicHashEntry *entry, const void *key,
                                 const void *value) {
    const void *oldKey = entry->key, *oldValue = NULL;
    if (__CFBasicHashIsDictionary(ht)) {
        oldValue = entry->value;
        entry->value = __CFBasicHashRetain(ht, ht->_values, value);
    }
    entry->key = __CFBasicHashRetain(ht, &ht->_keys, key);
    // A release callback may change the table, so `entry` is not valid after it.
    if (__CFBasicHashIsDictionary(ht)) __CFBasicHashRelease(ht, ht->_values, oldValue);
    __CFBasicHashRelease(ht, &ht->_keys, oldKey);
}

void CFBasicHashAddValue(CFBasicHashRef ht, const void *key, const void *value) {
    CFHashCode hash = __CFBasicHashHashKey(ht, key);
    CFBasicHashEntry *entry = __CFBasicHashFind(ht, key, hash);
    if (!entry) {
        __CFBasicHashAdd(ht, key, value, hash);
    } else if (__CFBasicHashIsBag(ht)) {
        entry->count++;
        ht->_count++;
    }
}

void CFBasicHashSetValue(CFBasicHashRef ht, const void *key, const void *value) {
    CFHashCode hash = __CFBasicHashHashKey(ht, key);
    CFBasicHashEntry *entry = __CFBasicHashFind(ht, key, hash);
    if (entry) __CFBasicHashReplace(ht, entry, key, value);
    else __CFBasicHashAdd(ht, key, value, hash);
}

void CFBasicHashRemoveValue(CFBasicHashRef ht, const void *key) {
    CFBasicHashEntry *entry = __CFBasicHashFindEntry(ht, key);
    if (!entry) return;
    ht->_count--;
    if (__CFBasicHashIsBag(ht) && --entry->count > 0) return;
    CFBasicHashBucket old = __CFBasicHashGetBucket(ht, entry);
    entry->key = __kCFBasicHashHole;
    ht->_live--;
    __CFBasicHashDiscardHoles(ht);
    if (__CFBasicHashIsDictionary(ht)) __CFBasicHashRelease(ht, ht->_values, old.value);
    __CFBasicHashRelease(ht, &ht->_keys, old.key);
}

void CFBasicHashRemoveAllValues(CFBasicHashRef ht) {
    CFBasicHashEntry *old = ht->_entries;
    CFIndex oldUsed = ht->_used;
    // The table is like a new one before the first callback, which may fill it again.
    ht->_entries = NULL;
    ht->_slots = NULL;
    ht->_capacity = ht->_used = ht->_live = 0;
    ht->_count = 0;
    for (CFIndex i = 0; i < oldUsed; i++) {
        if (old[i].key == __kCFBasicHashHole) continue;
        if (__CFBasicHashIsDictionary(ht)) __CFBasicHashRelease(ht, ht->_values, old[i].value);
        __CFBasicHashRelease(ht, &ht->_keys, old[i].key);
    }
    free(old);
}

// MARK: - The functions of the classes

void __CFBasicHashDeallocate(CFTypeRef cf) {
    CFBasicHashRemoveAllValues((CFBasicHashRef)cf);
}

// The two tables may have different callbacks. As in the Linux build, those of the first table
// compare values, and those of the second compare keys.
Boolean __CFBasicHashEqual(CFTypeRef cf1, CFTypeRef cf2) {
    CFConstBasicHashRef ht1 = cf1, ht2 = cf2;
    if (ht1->_count != ht2->_count || ht1->_live != ht2->_live) return false;
    CFIndex position = 0;
    CFBasicHashBucket bucket1;
    while (CFBasicHashNext(ht1, &position, &bucket1)) {
        CFBasicHashBucket bucket2 = CFBasicHashFindBucket(ht2, bucket1.key);
        if (bucket1.count != bucket2.count) return false;
        if (!__CFBasicHashAreEqual(ht1->_values, bucket1.value, bucket2.value)) return false;
    }
    return true;
}

// Uses only the count, as the Linux build does, because the hashes of all keys would cost too much.
CFHashCode __CFBasicHashHash(CFTypeRef cf) {
    return ((CFConstBasicHashRef)cf)->_count;
}

static void __CFBasicHashDescribeBucket(CFMutableStringRef string, CFConstBasicHashRef ht,
                                        CFBasicHashBucket bucket) {
    __CFCollectionAppendValue(string, bucket.key, ht->_keys.copyDescription);
    if (__CFBasicHashIsDictionary(ht)) {
        CFStringAppend(string, CFSTR(" = "));
        __CFCollectionAppendValue(string, bucket.value, ht->_values->copyDescription);
    }
    if (__CFBasicHashIsBag(ht)) CFStringAppendFormat(string, NULL, CFSTR(" (%ld)"), bucket.count);
    CFStringAppend(string, CFSTR("\n"));
}

// Numbers the entries in their order. The Linux build prints the number of each entry's slot.
CFStringRef __CFBasicHashCopyDescriptionAs(CFTypeRef cf, const void *address) {
    CFConstBasicHashRef ht = cf;
    CFMutableStringRef string = __CFDescriptionCreateMutable(CFGetAllocator(cf));
    const char *mutability = __CFRuntimeGetFlag(cf, __kCFCollectionIsMutable) ? "mutable"
        : "immutable";
    const char *type = __CFBasicHashIsDictionary(ht) ? "dict" : __CFBasicHashIsBag(ht) ? "multiset"
        : "set";
    CFStringAppendFormat(string, NULL,
                         CFSTR("<CFBasicHash %p [%p]>{type = %s %s, count = %ld,\nentries =>\n"),
                         address, CFGetAllocator(cf), mutability, type, ht->_count);
    CFIndex position = 0;
    CFBasicHashBucket bucket;
    for (CFIndex i = 0; CFBasicHashNext(ht, &position, &bucket); i++) {
        CFStringAppendFormat(string, NULL, CFSTR("\t%ld : "), i);
        __CFBasicHashDescribeBucket(string, ht, bucket);
    }
    CFStringAppend(string, CFSTR("}\n"));
    return string;
}

CFStringRef __CFBasicHashCopyDescription(CFTypeRef cf) {
    return __CFBasicHashCopyDescriptionAs(cf, cf);
}
