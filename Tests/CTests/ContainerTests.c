/// ContainerTests.c: CFSet, CFBag and CFDictionary, compared with a table of counts in random operations that also check the structure of a
/// table; callbacks that change their container; the aborts on misuse. The work of a search is measured in comparisons, never in time. The
/// scenarios "containers" and "descriptions" of Conformance compare the results, the callbacks and the texts of all containers with the original's.
#include "CTests.h"
#include "Fakes.h"
#include <CoreFoundation/CoreFoundation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// For the fields of the table. No client needs them.
#include "../../Sources/CRunLoop/Base/CFBasicHash.h"

#define V(n) ((const void *)(intptr_t)(n))
#define N(v) ((long)(intptr_t)(v))
#define ALL(array) CFRangeMake(0, CFArrayGetCount(array))

// MARK: - Helpers

static uint64_t randomState;

static void seed(uint64_t n) {
    randomState = n * 0x9E3779B97F4A7C15u + 1;
}

/// A number from 0 up to, but not including, `limit`; the sequence is the same in every run.
static long below(long limit) {
    randomState ^= randomState << 13;
    randomState ^= randomState >> 7;
    randomState ^= randomState << 17;
    return (long)(randomState % (uint64_t)limit);
}

/// Compares the callbacks that `statement` calls with `expected`; the log is empty afterwards.
#define CHECK_CALLS(statement, expected) \
    do {                                 \
        LOG_EVENT_CLEAR();               \
        statement;                       \
        CHECK_LOG(expected);             \
    } while (0)

// Callbacks that count how often each number is held.

enum { held_max = 1000 };
static long held[held_max];

static const void *holdRetain(CFAllocatorRef allocator, const void *v) {
    held[(unsigned long)N(v) % held_max]++;
    return v;
}
static void holdRelease(CFAllocatorRef allocator, const void *v) {
    held[(unsigned long)N(v) % held_max]--;
}
static long heldCount(void) {
    long sum = 0;
    for (int i = 0; i < held_max; i++) sum += labs(held[i]);
    return sum;
}

// MARK: - CFArray: callbacks

static void logValue(const void *value, void *context) {
    LOG("%ld", N(value));
}

static CFMutableArrayRef arrayOfTheCase;

static void appendOnRelease(CFAllocatorRef allocator, const void *v) {
    if (N(v) < 100) CFArrayAppendValue(arrayOfTheCase, V(N(v) + 100));
}

TEST(CFArray_release_may_change_the_array, "CFArray: during a release callback the array is consistent, and the callback may change it") {
    CFArrayCallBacks callBacks = {0, NULL, appendOnRelease, NULL, NULL};
    arrayOfTheCase = CFArrayCreateMutable(NULL, 0, &callBacks);
    for (long i = 0; i < 4; i++) CFArrayAppendValue(arrayOfTheCase, V(i));
    CFArrayRemoveValueAtIndex(arrayOfTheCase, 0); // 1 2 3 100
    CFArrayRemoveValueAtIndex(arrayOfTheCase, 1); // 1 3 100 102
    CHECK_CALLS(CFArrayApplyFunction(arrayOfTheCase, ALL(arrayOfTheCase), logValue, NULL), "1\n3\n100\n102");
    CFArrayRemoveAllValues(arrayOfTheCase);
    CHECK_CALLS(CFArrayApplyFunction(arrayOfTheCase, ALL(arrayOfTheCase), logValue, NULL), "101\n103");
    for (long i = 0; i < 2000; i++) CFArrayAppendValue(arrayOfTheCase, V(i % 150));
    CFArrayRemoveAllValues(arrayOfTheCase);
    CHECK_EQ_INT(CFArrayGetCount(arrayOfTheCase), 1350);
    CFRelease(arrayOfTheCase);
}

static void removeFirst(const void *value, void *context) {
    LOG("%ld", N(value));
    CFArrayRemoveValueAtIndex(context, 0);
}

TEST(CFArray_apply_survives_changes, "CFArrayApplyFunction ends early when its function makes the array shorter") {
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, NULL);
    for (long i = 0; i < 5; i++) CFArrayAppendValue(array, V(i));
    CHECK_CALLS(CFArrayApplyFunction(array, ALL(array), removeFirst, array), "0\n2\n4");
    CFRelease(array);
}

// MARK: - CFSet, CFBag and CFDictionary against counts

enum { key_max = 3000 };

static CFHashCode poorHash(const void *v) {
    return N(v) % 7;
}
static Boolean equalNumbers(const void *a, const void *b) {
    return a == b;
}

/// Checks every invariant of CFBasicHash.c. Looks up each key, so it calls the callbacks for keys.
static void checkHash(CFTypeRef table) {
    CFConstBasicHashRef ht = table;
    long live = 0, count = 0, slotsInUse = 0;
    CHECK_LE(ht->_used, ht->_capacity);
    CHECK_EQ_INT(ht->_capacity & (ht->_capacity - 1), 0);
    char *isInASlot = calloc(ht->_used + 1, 1);
    for (uint32_t i = 0; i < 2 * ht->_capacity; i++) {
        if (ht->_slots[i] == 0) continue;
        CHECK_LE(ht->_slots[i], ht->_used);
        if (isInASlot[ht->_slots[i]]++) FAIL("entry %u is in two slots", ht->_slots[i] - 1);
        slotsInUse++;
    }
    CHECK_EQ_INT(slotsInUse, ht->_used);
    free(isInASlot);
    for (uint32_t i = 0; i < ht->_used; i++) {
        const CFBasicHashEntry *entry = &ht->_entries[i];
        if (entry->key == __kCFBasicHashHole) continue;
        live++;
        count += CFGetTypeID(table) == CFBagGetTypeID() ? entry->count : 1;
        CHECK_EQ_PTR(CFBasicHashFindBucket(ht, entry->key).key, entry->key);
    }
    CHECK_EQ_INT(live, ht->_live);
    CHECK_EQ_INT(count, ht->_count);
}

/// Checks that a CFSet, CFBag or CFDictionary contains what the counts say; in a dictionary, the value of a key is its count.
static void checkTable(CFTypeRef table, const long *counts, long keys) {
    CFTypeID type = CFGetTypeID(table);
    long total = 0;
    checkHash(table);
    for (long k = 0; k < keys; k++) {
        total += type == CFBagGetTypeID() ? counts[k] : counts[k] > 0;
        if (type == CFSetGetTypeID()) CHECK_EQ_INT(CFSetContainsValue(table, V(k)), counts[k] > 0);
        if (type == CFBagGetTypeID()) CHECK_EQ_INT(CFBasicHashGetCountOfKey(table, V(k)), counts[k]);
        if (type == CFDictionaryGetTypeID()) CHECK_EQ_INT(N(CFDictionaryGetValue(table, V(k))), counts[k]);
    }
    CHECK_EQ_INT(CFBasicHashGetCount(table), total);
    CHECK_EQ_INT(CFHash(table), total);
}

static void setStep(void *set, long key, int what, long *count) {
    *count = what < 3;
    if (*count) CFSetAddValue(set, V(key));
    else CFSetRemoveValue(set, V(key));
    CHECK_EQ_INT(CFSetContainsValue(set, V(key)), *count);
}

static void bagStep(void *bag, long key, int what, long *count) {
    if (what < 3) {
        CFBagAddValue(bag, V(key));
        ++*count;
    } else {
        CFBagRemoveValue(bag, V(key));
        if (*count > 0) --*count;
    }
    CHECK_EQ_INT(CFBasicHashGetCountOfKey((CFConstBasicHashRef)bag, V(key)), *count);
}

static void dictionaryStep(void *dict, long key, int what, long *value) {
    *value = what < 3 ? 1 + below(900) : 0;
    if (*value) CFDictionarySetValue(dict, V(key), V(*value));
    else CFDictionaryRemoveValue(dict, V(key));
    CHECK_EQ_INT(N(CFDictionaryGetValue(dict, V(key))), *value);
    CHECK_EQ_INT(CFDictionaryContainsKey(dict, V(key)), *value != 0);
}

static void checkCopy(CFSetRef set, const long *counts, long keys) {
    CFSetRef copy = CFSetCreateCopy(NULL, set);
    checkTable(copy, counts, keys);
    CHECK(CFEqual(set, copy) && CFEqual(copy, set));
    CFRelease(copy);
}

/// Runs random steps on a table, which is filled and drained in turns, and releases it. The tables of odd rounds have poor hashes: they get
/// fewer keys and steps.
static void runSteps(int round, void *table, void (*step)(void *table, long key, int what, long *count)) {
    static long counts[key_max];
    long keys = round % 2 ? 40 : key_max;
    int steps = round % 2 ? 4000 : 60000;
    seed((uint64_t)round);
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < steps; i++) {
        bool drains = i * 8 / steps % 2;
        long key = below(keys);
        step(table, key, below(10) < (drains ? 9 : 2) ? 3 : (int)below(3), &counts[key]);
        if (i % (steps / 16) == 0) checkTable(table, counts, keys);
    }
    checkTable(table, counts, keys);
    if (CFGetTypeID(table) == CFSetGetTypeID()) checkCopy(table, counts, keys);
    CFRelease(table);
    CHECK_EQ_INT(heldCount(), 0);
}

TEST(CFSet_random_operations_equal_a_table, "CFSet: random operations have the same results as in a table of flags") {
    CFSetCallBacks hold = {0, holdRetain, holdRelease, NULL, NULL, NULL};
    CFSetCallBacks poor = {0, holdRetain, holdRelease, NULL, equalNumbers, poorHash};
    for (int i = 0; i < 4; i++) runSteps(i, CFSetCreateMutable(NULL, 0, i % 2 ? &poor : &hold), setStep);
}

TEST(CFBag_random_operations_equal_a_table, "CFBag: random operations have the same results as in a table of counts") {
    CFBagCallBacks hold = {0, holdRetain, holdRelease, NULL, NULL, NULL};
    CFBagCallBacks poor = {0, holdRetain, holdRelease, NULL, equalNumbers, poorHash};
    for (int i = 0; i < 4; i++) runSteps(i, CFBagCreateMutable(NULL, 0, i % 2 ? &poor : &hold), bagStep);
}

TEST(CFDictionary_random_operations_equal_a_table, "CFDictionary: random operations have the same results as in a table of values") {
    CFDictionaryKeyCallBacks hold = {0, holdRetain, holdRelease, NULL, NULL, NULL};
    CFDictionaryKeyCallBacks poor = {0, NULL, NULL, NULL, equalNumbers, poorHash};
    CFDictionaryValueCallBacks values = {0, holdRetain, holdRelease, NULL, NULL};
    for (int i = 0; i < 4; i++) runSteps(i, CFDictionaryCreateMutable(NULL, 0, i % 2 ? &poor : &hold, &values), dictionaryStep);
}

static long equalCalls;
static Boolean countedEqual(const void *a, const void *b) {
    equalCalls++;
    return N(a) % 1000000 == N(b) % 1000000;
}
static CFHashCode alignedHash(const void *v) {
    return N(v) % 1000000 * 4096; // like addresses of pages
}

TEST(CFSet_of_100000_asks_once_for_equality, "CFSet: among 100,000 values a lookup compares one, however regular their hashes are") {
    CFSetCallBacks callBacks = {0, NULL, NULL, NULL, countedEqual, alignedHash};
    CFMutableSetRef set = CFSetCreateMutable(NULL, 0, &callBacks);
    for (long i = 0; i < 120000; i++) CFSetAddValue(set, V(i));
    CHECK_EQ_INT(equalCalls, 0);
    for (long i = 0; i < 120000; i++) CHECK_EQ_INT(N(CFSetGetValue(set, V(i + 1000000))), i);
    CHECK_EQ_INT(equalCalls, 120000);
    for (long i = 0; i < 120000; i += 2) CFSetRemoveValue(set, V(i));
    for (long i = 0; i < 120000; i++) CHECK_EQ_INT(CFSetContainsValue(set, V(i)), i % 2);
    checkHash(set);
    CFRelease(set);
}

// MARK: - CFSet, CFBag and CFDictionary: callbacks

static CFMutableSetRef setOfTheCase;

static void addOnRelease(CFAllocatorRef allocator, const void *v) {
    checkHash(setOfTheCase);
    CHECK(!CFSetContainsValue(setOfTheCase, v));
    for (long i = 0; i < 50 && N(v) < 1000; i++) CFSetAddValue(setOfTheCase, V(1000 + N(v) * 50 + i));
}

TEST(CFSet_release_may_change_the_set,
     "CFSet: during a release callback the set is consistent and no longer contains the value, and the callback may change it") {
    CFSetCallBacks callBacks = {0, NULL, addOnRelease, NULL, NULL, NULL};
    setOfTheCase = CFSetCreateMutable(NULL, 0, &callBacks);
    for (long i = 0; i < 10; i++) CFSetAddValue(setOfTheCase, V(i));
    for (long i = 0; i < 5; i++) CFSetRemoveValue(setOfTheCase, V(i));
    CHECK_EQ_INT(CFSetGetCount(setOfTheCase), 5 + 5 * 50);
    CFSetRemoveAllValues(setOfTheCase);
    CHECK_EQ_INT(CFSetGetCount(setOfTheCase), 5 * 50);
    CFRelease(setOfTheCase);
}

// MARK: - Strings, allocators

TEST(containers_of_objects_compare_and_retain_them, "The kCFType… callbacks compare and retain objects") {
    CFMutableStringRef string = CFStringCreateMutableCopy(NULL, 0, CFSTR("text"));
    CFMutableSetRef set = CFSetCreateMutable(NULL, 0, &kCFTypeSetCallBacks);
    CFMutableBagRef bag = CFBagCreateMutable(NULL, 0, &kCFTypeBagCallBacks);
    CFMutableDictionaryRef dict =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    CFSetAddValue(set, string);
    CFBagAddValue(bag, string);
    CFDictionarySetValue(dict, string, string);
    CFArrayAppendValue(array, string);
    CHECK_EQ_INT(CFGetRetainCount(string), 6);
    CHECK(CFSetGetValue(set, CFSTR("text")) == string && CFDictionaryGetValue(dict, CFSTR("text")) == string);
    CHECK_EQ_INT(CFArrayGetFirstIndexOfValue(array, ALL(array), CFSTR("text")), 0);
    CFBagRemoveValue(bag, CFSTR("text"));
    CHECK_EQ_INT(CFBagGetCount(bag), 0);
    CFRelease(array);
    CFRelease(dict);
    CFRelease(bag);
    CFRelease(set);
    CHECK_EQ_INT(CFGetRetainCount(string), 1);
    CFRelease(string);
}

// MARK: - Misuse

TEST(containers_halt_on_misuse,
     "A bad index, a change to an immutable container, a wrong object and NULL abort, and the message names them") {
    const void *values[] = {V(1), V(2), V(3)};
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, NULL);
    for (int i = 0; i < 3; i++) CFArrayAppendValue(array, values[i]);
    CFArrayRef immutable = CFArrayCreateCopy(NULL, array);
    CFSetRef set = CFSetCreate(NULL, values, 3, NULL);
    CHECK_HALTS("CFArrayGetValueAtIndex was given the index 3, but the array has 3 values", { CFArrayGetValueAtIndex(array, 3); });
    CHECK_HALTS("the index -1", { CFArrayGetValueAtIndex(array, -1); });
    CHECK_HALTS("CFArrayRemoveValueAtIndex was given the index 3", { CFArrayRemoveValueAtIndex(array, 3); });
    CHECK_HALTS("CFArrayInsertValueAtIndex was given the index 4, but the array has 3 values", { CFArrayInsertValueAtIndex(array, 4, NULL); });
    CHECK_HALTS("a range of 3 values from index 1 on", { CFArrayGetFirstIndexOfValue(array, CFRangeMake(1, 3), NULL); });
    CHECK_HALTS("a range of -1 values", { CFArrayGetValues(array, CFRangeMake(1, -1), values); });
    CHECK_HALTS("from index 4 on", { CFArrayContainsValue(array, CFRangeMake(4, 0), NULL); });
    CHECK_HALTS("CFArrayApplyFunction", { CFArrayApplyFunction(array, CFRangeMake(1, LONG_MAX), logValue, NULL); });
    CHECK_HALTS("CFArrayAppendValue was given the immutable collection", { CFArrayAppendValue((CFMutableArrayRef)immutable, NULL); });
    CHECK_HALTS("CFSetRemoveValue was given the immutable collection", { CFSetRemoveValue((CFMutableSetRef)set, V(9)); });
    CHECK_HALTS("which is not a CFSet", { CFSetGetCount((CFSetRef)array); });
    CHECK_HALTS("CFDictionaryGetCount was given NULL", { CFDictionaryGetCount(NULL); });
    CHECK_EQ_INT(CFArrayGetCount(array), 3);
    CFRelease(array);
    CFRelease(immutable);
    CFRelease(set);
}

TEST(containers_take_negative_counts_for_none, "A negative count or capacity makes an empty container; the toolchain's CFArrayCreate makes one with that count") {
    CFTypeRef all[] = {
        CFArrayCreate(NULL, NULL, -1, NULL), CFArrayCreateMutable(NULL, -1, NULL), CFSetCreate(NULL, NULL, -1, NULL),
        CFBagCreateMutable(NULL, -1, NULL), CFDictionaryCreateMutable(NULL, -1, NULL, NULL),
    };
    CHECK_EQ_INT(CFArrayGetCount(all[0]) + CFArrayGetCount(all[1]), 0);
    CHECK_EQ_INT(CFSetGetCount(all[2]) + CFBagGetCount(all[3]) + CFDictionaryGetCount(all[4]), 0);
    for (int i = 0; i < 5; i++) CFRelease(all[i]);
}
