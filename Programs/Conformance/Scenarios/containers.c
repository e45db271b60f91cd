/// containers: random operations on the four containers. Numbers are equal if their last digits are, so the log shows which of two equal
/// values a container keeps, in which order it calls its callbacks, and with what. The order of the values in a hash table, and with
/// which values of other hashes it compares, is nobody's business: where the order shows, the calls are sorted. An
/// empty table is not asked: whether it hashes the value depends on whether it ever had one.
#include "../Scenario.h"

#define V(number) ((const void *)(intptr_t)(number))
#define N(value) ((int)(intptr_t)(value))

enum { operations = 300, mostCalls = 4000 };
static uint64_t randomState;

/// The calls that the operation has made.
static struct Call { const char *name; int value, other; } calls[mostCalls];
static int callCount;

static int below(int limit) {
    randomState ^= randomState << 13;
    randomState ^= randomState >> 7;
    randomState ^= randomState << 17;
    return (int)(randomState % (uint64_t)limit);
}

static void add(const char *name, int value, int other) {
    if (callCount < mostCalls) calls[callCount++] = (struct Call){name, value, other};
}

static const void *retain(CFAllocatorRef allocator UNUSED, const void *value) {
    add("retain", N(value), 0);
    return value;
}
static void release(CFAllocatorRef allocator UNUSED, const void *value) { add("release", N(value), 0); }
static Boolean equal(const void *left, const void *right) {
    bool isEqual = N(left) % 10 == N(right) % 10;
    if (isEqual) add("equal", N(left), N(right));
    return isEqual;
}
static CFHashCode hash(const void *value) {
    if (!callCount) add("hash", N(value), 0); // it comes first; a table that grows may ask again
    return N(value) % 10;
}

static int byCall(const void *left, const void *right) {
    const struct Call *a = left, *b = right;
    int names = strcmp(a->name, b->name);
    return names ? names : a->value != b->value ? a->value - b->value : a->other - b->other;
}

/// Logs an operation, what it returned, and the calls that it made.
static void tell(const char *operation, int argument, int result, bool isOrdered) {
    char line[900];
    int length = snprintf(line, sizeof line, "%s %d: %d;", operation, argument, result);
    if (!isOrdered) qsort(calls, callCount, sizeof calls[0], byCall);
    for (int i = 0; i < callCount && length < 850; i++) {
        length += snprintf(line + length, sizeof line - length, " %s %d", calls[i].name, calls[i].value);
        if (calls[i].other) length += snprintf(line + length, sizeof line - length, " %d", calls[i].other);
    }
    LOG("%s", line);
    callCount = 0;
}

static void collect(const void *value, void *unused UNUSED) { add("has", N(value), 0); }
static void collectPair(const void *key, const void *value, void *unused UNUSED) { add("has", N(key), N(value)); }

static void arrays(void) {
    CFArrayCallBacks callBacks = {0, retain, release, NULL, equal};
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, below(4) ? &callBacks : NULL);
    for (int i = 0; i < operations; i++) {
        int value = 1 + below(99), count = (int)CFArrayGetCount(array), place = below(count + 1);
        CFRange range = CFRangeMake(place, below(count - place + 1));
        switch (below(9)) {
            case 0: case 1: CFArrayAppendValue(array, V(value)), tell("append", value, (int)CFArrayGetCount(array), true); break;
            case 2: case 3: CFArrayInsertValueAtIndex(array, place, V(value)), tell("insert", value, place, true); break;
            case 4: if (place < count) CFArrayRemoveValueAtIndex(array, place), tell("remove at", place, count, true); break;
            case 5: tell("contains", value, CFArrayContainsValue(array, range, V(value)), true); break;
            case 6: tell("first index", value, (int)CFArrayGetFirstIndexOfValue(array, range, V(value)), true); break;
            case 7: if (!below(12)) CFArrayRemoveAllValues(array), tell("remove all", 0, count, true); break;
            default: {
                CFArrayRef copy = CFArrayCreateCopy(NULL, array), plain = CFArrayCreate(NULL, NULL, 0, NULL);
                tell("copy", (int)CFHash(copy), CFEqual(array, copy), true);
                tell("one with other callbacks", (int)CFHash(plain), CFEqual(array, plain), true);
                CFRelease(plain);
                CFMutableArrayRef equals = CFArrayCreateMutable(NULL, 0, &callBacks);
                for (int k = 0; k < count; k++) CFArrayAppendValue(equals, V(N(CFArrayGetValueAtIndex(array, k)) % 10 + 200));
                callCount = 0; // its references are nothing new
                tell("one with equal values", 0, CFEqual(array, equals), true);
                CFRelease(equals);
                callCount = 0;
                if (count) CFArrayAppendValue(array, V(value)), tell("changed", value, CFEqual(array, copy), true);
                CFRelease(copy);
                tell("release the copy", 0, 0, true);
                CFArrayApplyFunction(array, range, collect, NULL);
                tell("apply", place, (int)range.length, true);
            }
        }
    }
    CFRelease(array);
    tell("release", 0, 0, true);
}

/// An array without callbacks that grows to hundreds of values, shrinks, and grows again. The log has only what the values and their places add up to.
static void largeArrays(void) {
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, NULL);
    for (int i = 1; i <= 6000; i++) {
        int count = (int)CFArrayGetCount(array), place = below(count + 1);
        if (below(100) < (i / 1500 % 2 ? 20 : 80)) CFArrayInsertValueAtIndex(array, place / (1 + below(3)), V(1 + below(99)));
        else if (place < count) CFArrayRemoveValueAtIndex(array, place);
        if (i % 50) continue;
        uint32_t sum = 0;
        count = (int)CFArrayGetCount(array);
        for (int k = 0; k < count; k++) sum = sum * 31 + (uint32_t)N(CFArrayGetValueAtIndex(array, k));
        LOG("%d values: %08x, first 7 at %d", count, sum, (int)CFArrayGetFirstIndexOfValue(array, CFRangeMake(count / 2, count - count / 2), V(7)));
    }
    CFRelease(array);
}

static void sets(void) {
    CFSetCallBacks callBacks = {0, retain, release, NULL, equal, hash};
    CFMutableSetRef set = CFSetCreateMutable(NULL, 0, below(4) ? &callBacks : NULL);
    for (int i = 0; i < operations; i++) {
        int value = 1 + below(99), count = (int)CFSetGetCount(set);
        switch (below(8)) {
            case 0: case 1: case 2: CFSetAddValue(set, V(value)), tell("add", value, (int)CFSetGetCount(set), true); break;
            case 3: if (count) CFSetRemoveValue(set, V(value)), tell("remove", value, (int)CFSetGetCount(set), true); break;
            case 4: if (count) tell("contains", value, CFSetContainsValue(set, V(value)), true); break;
            case 5: if (count) tell("get", value, N(CFSetGetValue(set, V(value))), true); break;
            case 6: if (!below(12)) CFSetRemoveAllValues(set), tell("remove all", 0, count, false); break;
            default: {
                CFSetRef copy = CFSetCreateCopy(NULL, set);
                tell("copy", 0, CFEqual(set, copy), false);
                CFSetAddValue(set, V(value)), tell("changed", value, CFEqual(set, copy), false);
                CFRelease(copy);
                tell("release the copy", 0, 0, false);
                CFSetApplyFunction(set, collect, NULL);
                tell("apply", 0, 0, false);
            }
        }
    }
    CFRelease(set);
    tell("release", 0, 0, false);
}

static void bags(void) {
    CFBagCallBacks callBacks = {0, retain, release, NULL, equal, hash};
    CFMutableBagRef bag = CFBagCreateMutable(NULL, 0, below(4) ? &callBacks : NULL);
    for (int i = 0; i < operations; i++) {
        int value = 1 + below(99), count = (int)CFBagGetCount(bag);
        switch (below(5)) {
            case 0: case 1: CFBagAddValue(bag, V(value)), tell("add", value, (int)CFBagGetCount(bag), true); break;
            case 2: case 3: if (count) CFBagRemoveValue(bag, V(value)), tell("remove", value, (int)CFBagGetCount(bag), true); break;
            default: CFBagApplyFunction(bag, collect, NULL), tell("apply", 0, 0, false);
        }
    }
    CFRelease(bag);
    tell("release", 0, 0, false);
}

static void dictionaries(void) {
    CFDictionaryKeyCallBacks keys = {0, retain, release, NULL, equal, hash};
    CFDictionaryValueCallBacks values = {0, retain, release, NULL, equal};
    CFMutableDictionaryRef dictionary = CFDictionaryCreateMutable(NULL, 0, below(4) ? &keys : NULL, below(4) ? &values : NULL);
    for (int i = 0; i < operations; i++) {
        int key = 1 + below(99), value = 1000 + below(1000), count = (int)CFDictionaryGetCount(dictionary);
        switch (below(8)) {
            case 0: case 1: case 2: CFDictionarySetValue(dictionary, V(key), V(value)), tell("set", key, (int)CFDictionaryGetCount(dictionary), true); break;
            case 3: case 4: if (count) CFDictionaryRemoveValue(dictionary, V(key)), tell("remove", key, (int)CFDictionaryGetCount(dictionary), true); break;
            case 5: if (count) tell("get", key, N(CFDictionaryGetValue(dictionary, V(key))), true); break;
            case 6: if (count) tell("contains", key, CFDictionaryContainsKey(dictionary, V(key)), true); break;
            default:
                if (!below(12)) CFDictionaryRemoveAllValues(dictionary), tell("remove all", 0, count, false);
                else CFDictionaryApplyFunction(dictionary, collectPair, NULL), tell("apply", 0, 0, false);
        }
    }
    CFRelease(dictionary);
    tell("release", 0, 0, false);
}

SCENARIO(containers, onThreads, 0x21fb7e4c) {
    void (*const kinds[])(void) = {arrays, largeArrays, sets, bags, dictionaries};
    const char *const names[] = {"CFArray", "large CFArray", "CFSet", "CFBag", "CFDictionary"};
    for (int kind = 0; kind < 5; kind++) {
        for (uint64_t seed = 1; seed <= 8; seed++) {
            randomState = (seed + 10 * kind) * 0x9E3779B97F4A7C15u;
            PART(names[kind]);
            kinds[kind]();
        }
    }
}
