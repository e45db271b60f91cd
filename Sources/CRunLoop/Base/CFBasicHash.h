/// CFBasicHash.h: the hash table that sets, bags and dictionaries are. Internal.
///
/// On a Mac, too, all three are one type of table under three names: a bag is a set that counts, a
/// dictionary a set of keys with a value each. CFSet.c, CFBag.c and CFDictionary.c hold only what
/// their functions are called; all the work is done here.
///
/// Callbacks, in the order that was observed on the Linux build: a value is retained before its
/// key, and released before it; what is new is retained before what is old is released; an empty
/// table is never asked for the hash of what it cannot hold. Release callbacks are called when the
/// table is whole again, and may use and change it; the other callbacks must not change it.
#if !defined(__COREFOUNDATION_CFBASICHASH__)
#define __COREFOUNDATION_CFBASICHASH__ 1

#include "CFCollections.h"

CF_EXTERN_C_BEGIN

/// What is done with keys, and with values. Those of values have no hash, those of a set's or bag's
/// values are all NULL.
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

/// What a set calls a value stands here as the key.
typedef struct {
    const void *key;
    const void *value; // of a dictionary; NULL in sets and bags
    CFIndex count;     // in a bag, how many times; otherwise 1
} CFBasicHashBucket;

/// A walk over a table: all zero before its first step.
typedef struct {
    uint64_t end;     // serial number of the first entry that is too new for this walk
    uint64_t visited; // serial number of the last entry that was looked at
    CFIndex index;    // where that one stands, plus one
} CFBasicHashWalk;

/// Makes an empty table, an object of `cls`. `values` may be NULL; so may every callback.
CF_EXPORT CFBasicHashRef CFBasicHashCreate(CFAllocatorRef allocator, const CFRuntimeClass *cls,
                                           const CFBasicHashCallBacks *keys,
                                           const CFBasicHashCallBacks *values);
/// Makes a table with the same content and the same callbacks. It retains all of them, but does not
/// ask for their hash.
CF_EXPORT CFBasicHashRef CFBasicHashCreateCopy(CFAllocatorRef allocator, CFConstBasicHashRef ht);

/// How many there are; in a bag, each as often as it is there.
CF_EXPORT CFIndex CFBasicHashGetCount(CFConstBasicHashRef ht);
/// Finds the entry of a key. `bucket` may be NULL.
CF_EXPORT Boolean CFBasicHashFindKey(CFConstBasicHashRef ht, const void *key,
                                     CFBasicHashBucket *bucket);
/// How many keys have a value equal to `value`. Walks over all.
CF_EXPORT CFIndex CFBasicHashGetCountOfValue(CFConstBasicHashRef ht, const void *value);
/// The next entry of a walk; false when there is none. The table may be changed between two steps:
/// then what was there at the first step and is still there when its turn comes is found, and
/// nothing else.
CF_EXPORT Boolean CFBasicHashNext(CFConstBasicHashRef ht, CFBasicHashWalk *walk,
                                  CFBasicHashBucket *bucket);
/// The entry that a walk visited last, once more; false when it is no longer there.
CF_EXPORT Boolean CFBasicHashLookAgain(CFConstBasicHashRef ht, CFBasicHashWalk *walk,
                                       CFBasicHashBucket *bucket);
/// Copies all keys and values, in the same order. Either may be NULL. Those of a bag are copied as
/// often as they are there.
CF_EXPORT void CFBasicHashGetElements(CFConstBasicHashRef ht, const void **keys,
                                      const void **values);

/// Makes room for `n` more entries at once.
CF_EXPORT void CFBasicHashReserve(CFBasicHashRef ht, CFIndex n);
/// Adds an entry. If the key is there, a bag counts it again, and the others do nothing.
CF_EXPORT void CFBasicHashAddValue(CFBasicHashRef ht, const void *key, const void *value);
/// Replaces the key and the value of an entry, if it is there.
CF_EXPORT void CFBasicHashReplaceValue(CFBasicHashRef ht, const void *key, const void *value);
/// Replaces the key and the value of an entry if it is there, adds it if not.
CF_EXPORT void CFBasicHashSetValue(CFBasicHashRef ht, const void *key, const void *value);
/// Takes an entry out if it is there; a bag, only the last time.
CF_EXPORT void CFBasicHashRemoveValue(CFBasicHashRef ht, const void *key);
/// Takes everything out, and gives the memory back.
CF_EXPORT void CFBasicHashRemoveAllValues(CFBasicHashRef ht);

/// Stops the program unless everything is true of the table that its file claims. For tests.
CF_EXPORT void CFBasicHashCheck(CFConstBasicHashRef ht);

/// The functions of the three classes.
CF_EXPORT void __CFBasicHashDeallocate(CFTypeRef cf);
CF_EXPORT Boolean __CFBasicHashEqual(CFTypeRef cf1, CFTypeRef cf2);
CF_EXPORT CFHashCode __CFBasicHashHash(CFTypeRef cf);
CF_EXPORT CFStringRef __CFBasicHashCopyDescription(CFTypeRef cf);
/// The same, with another address in the place of its own.
CF_EXPORT CFStringRef __CFBasicHashCopyDescriptionAs(CFTypeRef cf, const void *address);

CF_EXTERN_C_END

#endif
