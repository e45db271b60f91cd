/// CFBasicHash.h: the hash table behind sets, bags and dictionaries. Internal.
///
/// On a Mac, too, all three are one type of table with three names. A bag is a set that counts. A
/// dictionary is a set of keys with a value each. CFSet.c, CFBag.c and CFDictionary.c contain only
/// the public functions; this file's functions do all the work.
///
/// Callbacks, in the order observed on the Linux build: the table retains a value before its key,
/// and releases it before its key. It retains what is new before it releases what is old. An empty
/// table never asks for the hash of what it cannot contain. It calls release callbacks when the
/// table is consistent again, so they may use and change it. The other callbacks must not change
/// it.
#if !defined(__COREFOUNDATION_CFBASICHASH__)
#define __COREFOUNDATION_CFBASICHASH__ 1

#include "CFCollections.h"

CF_EXTERN_C_BEGIN

/// The callbacks for keys or for values. Those for values have no hash. For the values of a set or
/// a bag, all are NULL.
typedef struct {
    const void *(*retain)(CFAllocatorRef allocator, const void *ptr);
    void (*release)(CFAllocatorRef allocator, const void *ptr);
    CFStringRef (*copyDescription)(const void *ptr);
    Boolean (*equal)(const void *ptr1, const void *ptr2);
    CFHashCode (*hash)(const void *ptr);
} CFBasicHashCallBacks;

/// A CFSet, a CFBag or a CFDictionary.
typedef struct __CFBasicHash *CFBasicHashRef;
typedef const struct __CFBasicHash *CFConstBasicHashRef;

/// An entry. For a set or a bag, the key is what the set calls a value.
typedef struct {
    const void *key;
    const void *value; // of a dictionary; NULL in sets and bags
    CFIndex count;     // in a bag, how many times; otherwise 1
} CFBasicHashBucket;

/// A walk over a table: all zero before its first step.
typedef struct {
    uint64_t end;     // serial number of the first entry that is too new for this walk
    uint64_t visited; // serial number of the last entry that was looked at
    CFIndex index;    // the place of that entry, plus one
} CFBasicHashWalk;

/// Creates an empty table, an object of `cls`. `values` may be NULL, and so may every callback.
CF_EXPORT CFBasicHashRef CFBasicHashCreate(CFAllocatorRef allocator, const CFRuntimeClass *cls,
                                           const CFBasicHashCallBacks *keys,
                                           const CFBasicHashCallBacks *values);
/// Creates a table with the same content and the same callbacks. It retains all keys and values,
/// but does not ask for their hash.
CF_EXPORT CFBasicHashRef CFBasicHashCreateCopy(CFAllocatorRef allocator, CFConstBasicHashRef ht);

/// Returns the number of entries. A bag counts each entry as often as it contains it.
CF_EXPORT CFIndex CFBasicHashGetCount(CFConstBasicHashRef ht);
/// Finds the entry of a key. `bucket` may be NULL.
CF_EXPORT Boolean CFBasicHashFindKey(CFConstBasicHashRef ht, const void *key,
                                     CFBasicHashBucket *bucket);
/// Returns how many keys have a value equal to `value`. It walks over all entries.
CF_EXPORT CFIndex CFBasicHashGetCountOfValue(CFConstBasicHashRef ht, const void *value);
/// Gets the next entry of a walk. Returns false if there is none. The table may change between two
/// steps. In that case the walk finds the entries that were there at the first step and are still
/// there when their turn comes, and no others.
CF_EXPORT Boolean CFBasicHashNext(CFConstBasicHashRef ht, CFBasicHashWalk *walk,
                                  CFBasicHashBucket *bucket);
/// Gets the entry that a walk visited last again. Returns false if it is no longer there.
CF_EXPORT Boolean CFBasicHashLookAgain(CFConstBasicHashRef ht, CFBasicHashWalk *walk,
                                       CFBasicHashBucket *bucket);
/// Copies all keys and values, in the same order. Either array may be NULL. A bag copies each as
/// often as it contains it.
CF_EXPORT void CFBasicHashGetElements(CFConstBasicHashRef ht, const void **keys,
                                      const void **values);

/// Makes room for `n` more entries at once.
CF_EXPORT void CFBasicHashReserve(CFBasicHashRef ht, CFIndex n);
/// Adds an entry. If the table already contains the key, a bag counts it again, and the others do
/// nothing.
CF_EXPORT void CFBasicHashAddValue(CFBasicHashRef ht, const void *key, const void *value);
/// Replaces the key and the value of an entry, if it is there.
CF_EXPORT void CFBasicHashReplaceValue(CFBasicHashRef ht, const void *key, const void *value);
/// Replaces the key and the value of an entry if it is there, adds it if not.
CF_EXPORT void CFBasicHashSetValue(CFBasicHashRef ht, const void *key, const void *value);
/// Removes an entry if it is there. A bag removes it only the last time.
CF_EXPORT void CFBasicHashRemoveValue(CFBasicHashRef ht, const void *key);
/// Removes everything, and frees the memory.
CF_EXPORT void CFBasicHashRemoveAllValues(CFBasicHashRef ht);

/// Aborts unless every invariant of CFBasicHash.c is true of the table. For tests.
CF_EXPORT void CFBasicHashCheck(CFConstBasicHashRef ht);

/// The functions of the three classes.
CF_EXPORT void __CFBasicHashDeallocate(CFTypeRef cf);
CF_EXPORT Boolean __CFBasicHashEqual(CFTypeRef cf1, CFTypeRef cf2);
CF_EXPORT CFHashCode __CFBasicHashHash(CFTypeRef cf);
CF_EXPORT CFStringRef __CFBasicHashCopyDescription(CFTypeRef cf);
/// Copies the description of a table, with another address instead of its own.
CF_EXPORT CFStringRef __CFBasicHashCopyDescriptionAs(CFTypeRef cf, const void *address);

CF_EXTERN_C_END

#endif
