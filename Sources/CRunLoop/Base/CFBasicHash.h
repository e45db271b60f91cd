/// CFBasicHash.h: the hash table behind sets, bags and dictionaries. Internal.
///
/// All three are one type of table, as on a Mac. A bag is a set that counts. A dictionary is a set
/// of keys with a value each. CFSet.c, CFBag.c and CFDictionary.c contain only the public
/// functions, which check their arguments and call the functions below.
///
/// The table calls a client's callbacks in the order observed on the Linux build:
/// - It retains a value before its key, and releases a value before its key.
/// - It retains what is new before it releases what is old.
/// - A lookup in an empty table does not call the hash callback.
/// - It calls release callbacks last, when it is consistent again, so they may use and change it.
///   The other callbacks must not change it.
#if !defined(__COREFOUNDATION_CFBASICHASH__)
#define __COREFOUNDATION_CFBASICHASH__ 1

#include "CFCollections.h"

CF_EXTERN_C_BEGIN

/// The callbacks for keys, or for the values of a dictionary, which have no hash.
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

typedef struct {
    CFHashCode hash;
    const void *key; // __kCFBasicHashHole if the entry was removed
    union {
        const void *value; // in a dictionary
        CFIndex count;     // in a set (1) or a bag
    };
} CFBasicHashEntry;

/// The key of a hole. No client's key has this address, because the variable is private.
CF_PRIVATE const char __CFBasicHashHole;
#define __kCFBasicHashHole ((const void *)&__CFBasicHashHole)

/// CFBasicHash.c says what is true of the fields. A table that was never filled has no memory.
struct __CFBasicHash {
    // Its flag is __kCFCollectionIsMutable. The class tells sets, bags and dictionaries apart.
    CFRuntimeBase _base;
    CFBasicHashEntry *_entries; // allocated memory, in which the index follows
    // The index: each slot holds an entry's index plus one, or 0 if it is free.
    uint32_t *_slots;
    // How many entries there is room for, a power of two. There are twice as many slots.
    uint32_t _capacity;
    uint32_t _used;             // entries, including holes
    uint32_t _live;             // entries without holes
    CFIndex _count;             // what CFSetGetCount and its relatives return
    CFBasicHashCallBacks _keys;
    CFBasicHashCallBacks _values[]; // one, of a dictionary
};

/// A copy of an entry. The key is what sets and bags call a value. All zero if there is no entry.
typedef struct {
    const void *key;
    const void *value; // of a dictionary; NULL in sets and bags
    CFIndex count;     // how many times a bag contains the key; otherwise 1
} CFBasicHashBucket;

// MARK: - Creating tables

/// Creates an empty table, an object of `cls`. `values` is NULL unless it is a dictionary. Every
/// callback may be NULL.
CF_PRIVATE CFBasicHashRef CFBasicHashCreate(CFAllocatorRef allocator, const CFRuntimeClass *cls,
                                           Boolean isMutable, const CFBasicHashCallBacks *keys,
                                           const CFBasicHashCallBacks *values);
/// Creates an immutable copy of a set. It retains all keys, but does not call the hash callback.
CF_PRIVATE CFBasicHashRef CFBasicHashCreateCopy(CFAllocatorRef allocator, CFConstBasicHashRef ht);

// MARK: - Looking up

/// Returns the number of entries. A bag counts each entry as often as it contains it.
CF_PRIVATE CFIndex CFBasicHashGetCount(CFConstBasicHashRef ht);
/// Returns the entry of a key, or zeros.
CF_PRIVATE CFBasicHashBucket CFBasicHashFindBucket(CFConstBasicHashRef ht, const void *key);
/// Returns how many times the table contains a key: 0 or 1, except in a bag.
CF_PRIVATE CFIndex CFBasicHashGetCountOfKey(CFConstBasicHashRef ht, const void *key);
/// Gets the next entry of a walk, whose position begins with 0. Returns false if there is none.
CF_PRIVATE Boolean CFBasicHashNext(CFConstBasicHashRef ht, CFIndex *position,
                                  CFBasicHashBucket *bucket);
/// Calls a function with each key, as many times as the table contains it. The function must not
/// change the table.
CF_PRIVATE void CFBasicHashApplyToKeys(CFConstBasicHashRef ht,
                                      void (*applier)(const void *key, void *context),
                                      void *context);
/// Copies the keys of a set into an array.
CF_PRIVATE void CFBasicHashGetKeys(CFConstBasicHashRef ht, const void **keys);

// MARK: - Changing

/// Adds an entry. If the table already contains the key, a bag counts it once more, and a set or a
/// dictionary does not change.
CF_PRIVATE void CFBasicHashAddValue(CFBasicHashRef ht, const void *key, const void *value);
/// Replaces the key and the value of an entry if the table contains it, otherwise adds it.
CF_PRIVATE void CFBasicHashSetValue(CFBasicHashRef ht, const void *key, const void *value);
/// Removes an entry. A bag that contains the key several times counts it once less.
CF_PRIVATE void CFBasicHashRemoveValue(CFBasicHashRef ht, const void *key);
/// Removes everything, and frees the memory.
CF_PRIVATE void CFBasicHashRemoveAllValues(CFBasicHashRef ht);

// MARK: - The functions of the three classes

CF_PRIVATE void __CFBasicHashDeallocate(CFTypeRef cf);
CF_PRIVATE Boolean __CFBasicHashEqual(CFTypeRef cf1, CFTypeRef cf2);
CF_PRIVATE CFHashCode __CFBasicHashHash(CFTypeRef cf);
CF_PRIVATE CFStringRef __CFBasicHashCopyDescription(CFTypeRef cf);
/// Copies the description of a table, but writes `address` in place of the table's.
CF_PRIVATE CFStringRef __CFBasicHashCopyDescriptionAs(CFTypeRef cf, const void *address);

CF_EXTERN_C_END

#endif
