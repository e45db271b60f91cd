/// CFArray.c: the array. A mode keeps its observers and its timers in such arrays, and sorts the
/// timers by their fire dates.
///
/// The values are in one of three places. Those of an immutable array follow the array's own
/// fields. Those of a mutable array are in a separate buffer while they are few, and in a balanced
/// tree (CFArrayTree.h) when they are many. From a few hundred values on, an insertion that moves
/// half of them costs more than a walk down a tree. The section "Values" hides the difference from
/// the rest of the file. On a Mac a mutable array is a buffer with spare room at both ends, and the
/// functions here first check whether the array is an Objective-C one.
///
/// Callbacks: a release callback may do anything, and may even use and change the array. So the
/// array always removes a value first, and releases it when the array is consistent again. When
/// values replace others, it retains all new values before it releases the first old one, so a
/// value that is among both survives.
#include "CFCollections.h"
#include "CFArrayTree.h"
#include "../Names/CFArray.h"

struct __CFArray {
    CFRuntimeBase _base;          // flag __kCFCollectionIsMutable
    CFArrayCallBacks _callBacks;
    CFIndex _count;
    CFIndex _capacity;            // how many values there is room for at _values
    // NULL if there is no room yet, or if the values are in the tree.
    const void **_values;
    CFArrayTree _tree;            // has a root if the values are in it; mutable arrays only
    struct __CFArrayRecent *_recent; // NULL, or see __CFArrayInsertSorted
    const void *_inline[];        // the values of an immutable array
};

/// Those values of a large sorted array that were inserted last, if there are some.
struct __CFArrayRecent {
    CFArrayTree tree;
    CFComparatorFunction comparator; // by which it is sorted
    void *context;
};

enum {
    __kCFArrayMaxInBuffer = 512,  // one value more, and the array becomes a tree
    // An array with keys becomes one sooner: its tree is searched without reading a value.
    __kCFArrayMaxInBufferWithKeys = 16,
    __kCFArrayMaxRecent = 4096,   // with their keys, 64 kilobytes: a part of the processor's cache
};

CF_SHARED const CFArrayCallBacks kCFTypeArrayCallBacks = {
    0, __CFTypeCollectionRetain, __CFTypeCollectionRelease, CFCopyDescription, CFEqual,
};

// MARK: - Diagnoses

static __attribute__((noinline, noreturn, cold))
void __CFARRAY_INDEX_IS_OUT_OF_BOUNDS__(const char *function, CFIndex idx, CFIndex count) {
    __CFHalt("%s was given the index %ld, but the array has %ld values.", function, idx, count);
}

static __attribute__((noinline, noreturn, cold))
void __CFARRAY_RANGE_IS_OUT_OF_BOUNDS__(const char *function, CFRange range, CFIndex count) {
    __CFHalt("%s was given a range of %ld values from index %ld on, but the array has %ld values.",
             function, range.length, range.location, count);
}

static void __CFArrayCheckIndex(CFIndex idx, CFIndex count, const char *function) {
    if (CF_UNLIKELY(idx < 0 || idx >= count))
        __CFARRAY_INDEX_IS_OUT_OF_BOUNDS__(function, idx, count);
}

/// A place is the index of a value, or the index after the last one.
static void __CFArrayCheckPlace(CFIndex idx, CFIndex count, const char *function) {
    if (CF_UNLIKELY(idx < 0 || idx > count))
        __CFARRAY_INDEX_IS_OUT_OF_BOUNDS__(function, idx, count);
}

static void __CFArrayCheckRange(CFArrayRef array, CFRange range, const char *function) {
    __CFCollectionCheck(array, &__CFArrayClass, function);
    // Location and length are not added, because their sum might be too large for a CFIndex.
    if (CF_UNLIKELY(range.location < 0 || range.length < 0 || range.location > array->_count
                    || range.length > array->_count - range.location)) {
        __CFARRAY_RANGE_IS_OUT_OF_BOUNDS__(function, range, array->_count);
    }
}

// MARK: - Values: where they stand. No callback is called in this section.

static Boolean __CFArrayIsTree(CFArrayRef array) {
    return array->_tree.root != NULL;
}

static Boolean __CFArrayHasRecent(CFArrayRef array) {
    return array->_recent && array->_recent->tree.count > 0;
}

/// Moves the recent values to the others. From then on all values are in the one tree, and have
/// indices there. An array that has recent values is used by one thread at a time, so functions
/// that only read may call this.
static void __CFArrayMergeRecent(CFArrayRef array) {
    if (!__CFArrayHasRecent(array)) return;
    struct __CFArrayRecent *recent = array->_recent;
    CFArrayTreeMerge(&((CFMutableArrayRef)array)->_tree, &recent->tree, recent->comparator,
                     recent->context);
}

static CFIndex __CFArrayMaxInBuffer(CFArrayRef array) {
    return array->_tree.keyOf ? __kCFArrayMaxInBufferWithKeys : __kCFArrayMaxInBuffer;
}

/// One value less, and a tree becomes a buffer again. This is far below the other limit, so that an
/// array does not change back and forth.
static CFIndex __CFArrayMinInTree(CFArrayRef array) {
    return __CFArrayMaxInBuffer(array) / 4;
}

/// Returns a pointer to the value at `idx`, which must be less than the count. `*run` becomes the
/// number of consecutive values there.
static const void *const *__CFArrayGetRun(CFArrayRef array, CFIndex idx, CFIndex *run) {
    __CFArrayMergeRecent(array);
    if (__CFArrayIsTree(array)) return CFArrayTreeGetRun(&array->_tree, idx, run);
    *run = array->_count - idx;
    return array->_values + idx;
}

static const void *__CFArrayGet(CFArrayRef array, CFIndex idx) {
    CFIndex run;
    return *__CFArrayGetRun(array, idx, &run);
}

/// Copies the first `n` values, and leaves the recent ones among them where they are.
static void __CFArrayCopyFirst(CFArrayRef array, CFIndex n, const void **values) {
    struct __CFArrayRecent *recent = array->_recent;
    const CFArrayTree *trees[2] = {&array->_tree, &recent->tree};
    const void *const *next[2] = {NULL, NULL};
    CFIndex copied[2] = {0, 0}, run[2] = {0, 0};
    for (CFIndex i = 0; i < n; i++) {
        for (int t = 0; t < 2; t++) {
            if (run[t] == 0 && copied[t] < trees[t]->count)
                next[t] = CFArrayTreeGetRun(trees[t], copied[t], &run[t]);
        }
        int t = run[1] > 0
                && (run[0] == 0 || recent->comparator(*next[1], *next[0], recent->context) < 0);
        values[i] = *next[t]++;
        copied[t]++;
        run[t]--;
    }
}

static void __CFArrayCopyOut(CFArrayRef array, CFRange range, const void **values) {
    // The loop asks for a mode's first timers all the time. To move more recent values than it asks
    // for would take longer than to copy from both trees.
    if (range.location == 0 && __CFArrayHasRecent(array)
        && range.length <= array->_recent->tree.count) {
        __CFArrayCopyFirst(array, range.length, values);
        return;
    }
    for (CFIndex done = 0, run; done < range.length; done += run) {
        const void *const *from = __CFArrayGetRun(array, range.location + done, &run);
        if (run > range.length - done) run = range.length - done;
        memcpy(values + done, from, run * sizeof(void *));
    }
}

static void __CFArrayPut(CFMutableArrayRef array, CFIndex idx, const void *value) {
    __CFArrayMergeRecent(array);
    if (__CFArrayIsTree(array)) CFArrayTreeSet(&array->_tree, idx, value);
    else array->_values[idx] = value;
}

static void __CFArrayBufferBecomesTree(CFMutableArrayRef array) {
    for (CFIndex i = 0; i < array->_count; i++)
        CFArrayTreeInsert(&array->_tree, i, array->_values[i]);
    CFAllocatorDeallocate(array->_tree.allocator, array->_values);
    array->_values = NULL;
    array->_capacity = 0;
}

static void __CFArrayTreeBecomesBuffer(CFMutableArrayRef array) {
    CFIndex capacity = __CFArrayMinInTree(array);
    const void **values = __CFCollectionAllocate(array->_tree.allocator, capacity, sizeof(void *),
                                                 "an array");
    __CFArrayCopyOut(array, CFRangeMake(0, array->_count), values);
    CFArrayTreeFree(&array->_tree);
    array->_values = values;
    array->_capacity = capacity;
}

static void __CFArrayTreeHasShrunk(CFMutableArrayRef array) {
    if (__CFArrayIsTree(array) && array->_count < __CFArrayMinInTree(array))
        __CFArrayTreeBecomesBuffer(array);
}

/// Makes the buffer large enough for `count` values. It at least doubles the buffer, so that
/// appending rarely moves a value.
static void __CFArrayBufferGrow(CFMutableArrayRef array, CFIndex count) {
    if (count <= array->_capacity) return;
    CFIndex capacity = array->_capacity ? array->_capacity * 2 : 4;
    while (capacity < count) capacity *= 2;
    const void **values = __CFCollectionAllocate(array->_tree.allocator, capacity, sizeof(void *),
                                                 "an array");
    if (array->_count > 0) memcpy(values, array->_values, array->_count * sizeof(void *));
    CFAllocatorDeallocate(array->_tree.allocator, array->_values);
    array->_values = values;
    array->_capacity = capacity;
}

/// Inserts `n` values, at least one, before the one at `idx`.
static void __CFArrayInsert(CFMutableArrayRef array, CFIndex idx, const void *const *values,
                            CFIndex n) {
    __CFArrayMergeRecent(array);
    Boolean fits = array->_count + n <= __CFArrayMaxInBuffer(array);
    if (!__CFArrayIsTree(array) && !fits) __CFArrayBufferBecomesTree(array);
    if (__CFArrayIsTree(array) || !fits) {
        for (CFIndex i = 0; i < n; i++) CFArrayTreeInsert(&array->_tree, idx + i, values[i]);
    } else {
        __CFArrayBufferGrow(array, array->_count + n);
        const void **place = array->_values + idx;
        memmove(place + n, place, (array->_count - idx) * sizeof(void *));
        memcpy(place, values, n * sizeof(void *));
    }
    array->_count += n;
}

/// Removes `n` values, beginning at `idx`.
static void __CFArrayDelete(CFMutableArrayRef array, CFIndex idx, CFIndex n) {
    if (n == 0) return;
    __CFArrayMergeRecent(array);
    array->_count -= n;
    if (__CFArrayIsTree(array)) {
        while (n > 0) n -= CFArrayTreeRemove(&array->_tree, idx, n);
        __CFArrayTreeHasShrunk(array);
    } else {
        const void **place = array->_values + idx;
        memmove(place, place + n, (array->_count - idx) * sizeof(void *));
    }
}

// MARK: - Callbacks

static const void *__CFArrayRetainValue(CFArrayRef array, const void *value) {
    return array->_callBacks.retain ? array->_callBacks.retain(CFGetAllocator(array), value)
        : value;
}

static void __CFArrayReleaseValue(CFArrayRef array, const void *value) {
    if (array->_callBacks.release) array->_callBacks.release(CFGetAllocator(array), value);
}

static Boolean __CFArrayValuesAreEqual(CFArrayRef array, const void *value1, const void *value2) {
    return value1 == value2 || (array->_callBacks.equal && array->_callBacks.equal(value1, value2));
}

// MARK: - Making arrays

CFTypeID CFArrayGetTypeID(void) {
    return _kCFRuntimeIDCFArray;
}

static CFMutableArrayRef __CFArrayCreateInstance(CFAllocatorRef allocator, CFIndex room,
                                                 const CFArrayCallBacks *callBacks) {
    size_t bytes;
    Boolean tooMany = __builtin_mul_overflow(room, sizeof(void *), &bytes)
                      || __builtin_add_overflow(bytes, sizeof(struct __CFArray), &bytes);
    CFTypeRef instance = tooMany ? NULL
        : _CFRuntimeCreateInstance(allocator, &__CFArrayClass, bytes);
    if (!instance) __CF_HAS_NO_MEMORY_LEFT__("an array");
    CFMutableArrayRef array = (CFMutableArrayRef)instance;
    if (callBacks) array->_callBacks = *callBacks;
    array->_tree.allocator = CFGetAllocator(array);
    return array;
}

CFArrayRef CFArrayCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues,
                         const CFArrayCallBacks *callBacks) {
    if (numValues < 0) numValues = 0;
    CFMutableArrayRef array = __CFArrayCreateInstance(allocator, numValues, callBacks);
    array->_values = array->_inline;
    array->_capacity = numValues;
    for (CFIndex i = 0; i < numValues; i++) {
        array->_values[i] = __CFArrayRetainValue(array, values[i]);
        array->_count = i + 1;
    }
    return array;
}

CFArrayRef CFArrayCreateCopy(CFAllocatorRef allocator, CFArrayRef theArray) {
    __CFCollectionCheck(theArray, &__CFArrayClass, __func__);
    CFMutableArrayRef copy = __CFArrayCreateInstance(allocator, theArray->_count,
                                                     &theArray->_callBacks);
    copy->_values = copy->_inline;
    copy->_capacity = copy->_count = theArray->_count;
    __CFArrayCopyOut(theArray, CFRangeMake(0, copy->_count), copy->_values);
    for (CFIndex i = 0; i < copy->_count; i++)
        copy->_values[i] = __CFArrayRetainValue(copy, copy->_values[i]);
    return copy;
}

// The hint is not used, because an empty array needs no buffer. A few doublings cost less than a
// buffer that may stay empty.
CFMutableArrayRef CFArrayCreateMutable(CFAllocatorRef allocator, CFIndex capacity,
                                       const CFArrayCallBacks *callBacks) {
    CFMutableArrayRef array = __CFArrayCreateInstance(allocator, 0, callBacks);
    __CFRuntimeSetFlag(array, __kCFCollectionIsMutable, true);
    return array;
}

CFMutableArrayRef CFArrayCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity,
                                           CFArrayRef theArray) {
    __CFCollectionCheck(theArray, &__CFArrayClass, __func__);
    CFMutableArrayRef copy = CFArrayCreateMutable(allocator, capacity, &theArray->_callBacks);
    CFArrayAppendArray(copy, theArray, CFRangeMake(0, theArray->_count));
    return copy;
}

CFMutableArrayRef __CFArrayCreateMutableWithKeys(CFAllocatorRef allocator,
                                                 const CFArrayCallBacks *callBacks,
                                                 CFArrayKey (*keyOf)(const void *value)) {
    CFMutableArrayRef array = CFArrayCreateMutable(allocator, 0, callBacks);
    array->_tree.keyOf = keyOf;
    return array;
}

// MARK: - Looking

CFIndex CFArrayGetCount(CFArrayRef theArray) {
    __CFCollectionCheck(theArray, &__CFArrayClass, __func__);
    return theArray->_count;
}

const void *CFArrayGetValueAtIndex(CFArrayRef theArray, CFIndex idx) {
    __CFCollectionCheck(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckIndex(idx, theArray->_count, __func__);
    const void *value;
    __CFArrayCopyOut(theArray, CFRangeMake(idx, 1), &value);
    return value;
}

void CFArrayGetValues(CFArrayRef theArray, CFRange range, const void **values) {
    __CFArrayCheckRange(theArray, range, __func__);
    __CFArrayCopyOut(theArray, range, values);
}

/// Returns the lowest index from `from` up to `end` whose value is equal to `value`, or
/// kCFNotFound.
static CFIndex __CFArrayFindForward(CFArrayRef array, CFIndex from, CFIndex end,
                                    const void *value) {
    for (CFIndex idx = from, run; idx < end; idx += run) {
        const void *const *values = __CFArrayGetRun(array, idx, &run);
        for (CFIndex i = 0; i < run && idx + i < end; i++) {
            if (__CFArrayValuesAreEqual(array, value, values[i])) return idx + i;
        }
    }
    return kCFNotFound;
}

CFIndex CFArrayGetFirstIndexOfValue(CFArrayRef theArray, CFRange range, const void *value) {
    __CFArrayCheckRange(theArray, range, __func__);
    return __CFArrayFindForward(theArray, range.location, range.location + range.length, value);
}

CFIndex CFArrayGetLastIndexOfValue(CFArrayRef theArray, CFRange range, const void *value) {
    __CFArrayCheckRange(theArray, range, __func__);
    for (CFIndex idx = range.location + range.length - 1; idx >= range.location; idx--) {
        if (__CFArrayValuesAreEqual(theArray, value, __CFArrayGet(theArray, idx))) return idx;
    }
    return kCFNotFound;
}

Boolean CFArrayContainsValue(CFArrayRef theArray, CFRange range, const void *value) {
    __CFArrayCheckRange(theArray, range, __func__);
    return __CFArrayFindForward(theArray, range.location, range.location + range.length,
                                value) != kCFNotFound;
}

CFIndex CFArrayGetCountOfValue(CFArrayRef theArray, CFRange range, const void *value) {
    __CFArrayCheckRange(theArray, range, __func__);
    CFIndex found = 0, end = range.location + range.length;
    for (CFIndex idx = range.location;
         (idx = __CFArrayFindForward(theArray, idx, end, value)) != kCFNotFound; idx++) found++;
    return found;
}

void CFArrayApplyFunction(CFArrayRef theArray, CFRange range,
                          CFArrayApplierFunction CF_NOESCAPE applier, void *context) {
    __CFArrayCheckRange(theArray, range, __func__);
    // Looks each value up again, because the function may have changed the array.
    for (CFIndex i = 0; i < range.length && range.location + i < theArray->_count; i++) {
        applier(__CFArrayGet(theArray, range.location + i), context);
    }
}

CFIndex CFArrayBSearchValues(CFArrayRef theArray, CFRange range, const void *value,
                             CFComparatorFunction comparator, void *context) {
    __CFArrayCheckRange(theArray, range, __func__);
    if (__CFArrayIsTree(theArray) && theArray->_tree.keyOf && range.length == theArray->_count) {
        CFIndex idx = CFArrayTreeSearch(&theArray->_tree, value, comparator, context);
        if (__CFArrayHasRecent(theArray))
            idx += CFArrayTreeSearch(&theArray->_recent->tree, value, comparator, context);
        return idx;
    }
    __CFArrayMergeRecent(theArray);
    CFIndex low = range.location, high = range.location + range.length;
    while (low < high) {
        CFIndex middle = low + (high - low) / 2;
        if (comparator(__CFArrayGet(theArray, middle), value, context) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

// MARK: - Changing

void CFArrayInsertValueAtIndex(CFMutableArrayRef theArray, CFIndex idx, const void *value) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckPlace(idx, theArray->_count, __func__);
    const void *newValue = __CFArrayRetainValue(theArray, value);
    __CFArrayInsert(theArray, idx, &newValue, 1);
}

void CFArrayAppendValue(CFMutableArrayRef theArray, const void *value) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    const void *newValue = __CFArrayRetainValue(theArray, value);
    __CFArrayInsert(theArray, theArray->_count, &newValue, 1);
}

void CFArraySetValueAtIndex(CFMutableArrayRef theArray, CFIndex idx, const void *value) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckPlace(idx, theArray->_count, __func__);
    if (idx == theArray->_count) {
        CFArrayAppendValue(theArray, value);
        return;
    }
    const void *newValue = __CFArrayRetainValue(theArray, value);
    const void *oldValue = __CFArrayGet(theArray, idx);
    __CFArrayPut(theArray, idx, newValue);
    __CFArrayReleaseValue(theArray, oldValue);
}

void CFArrayRemoveValueAtIndex(CFMutableArrayRef theArray, CFIndex idx) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckIndex(idx, theArray->_count, __func__);
    const void *oldValue = __CFArrayGet(theArray, idx);
    __CFArrayDelete(theArray, idx, 1);
    __CFArrayReleaseValue(theArray, oldValue);
}

void CFArrayExchangeValuesAtIndices(CFMutableArrayRef theArray, CFIndex idx1, CFIndex idx2) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckIndex(idx1, theArray->_count, __func__);
    __CFArrayCheckIndex(idx2, theArray->_count, __func__);
    const void *value1 = __CFArrayGet(theArray, idx1);
    __CFArrayPut(theArray, idx1, __CFArrayGet(theArray, idx2));
    __CFArrayPut(theArray, idx2, value1);
}

/// Returns a buffer for `n` values; __CFArrayFreeTemporary frees it. Returns NULL for 0 values.
static const void **__CFArrayCreateTemporary(CFArrayRef array, CFIndex n) {
    return __CFCollectionAllocate(array->_tree.allocator, n, sizeof(void *),
                                  "a change to an array");
}

static void __CFArrayFreeTemporary(CFArrayRef array, const void **values) {
    CFAllocatorDeallocate(array->_tree.allocator, values);
}

/// Replaces the values in `range` by `n` values. It overwrites the old ones as far as both go, and
/// then inserts or deletes the rest.
static void __CFArrayExchangeRange(CFMutableArrayRef array, CFRange range,
                                   const void *const *values, CFIndex n) {
    CFIndex both = n < range.length ? n : range.length;
    for (CFIndex i = 0; i < both; i++) __CFArrayPut(array, range.location + i, values[i]);
    if (n > both) __CFArrayInsert(array, range.location + both, values + both, n - both);
    else __CFArrayDelete(array, range.location + both, range.length - both);
}

static void __CFArrayReplaceValues(CFMutableArrayRef array, CFRange range,
                                   const void *const *values, CFIndex n) {
    const void **newValues = __CFArrayCreateTemporary(array, n);
    const void **oldValues = __CFArrayCreateTemporary(array, range.length);
    for (CFIndex i = 0; i < n; i++) newValues[i] = __CFArrayRetainValue(array, values[i]);
    __CFArrayCopyOut(array, range, oldValues);
    __CFArrayExchangeRange(array, range, newValues, n);
    for (CFIndex i = 0; i < range.length; i++) __CFArrayReleaseValue(array, oldValues[i]);
    __CFArrayFreeTemporary(array, oldValues);
    __CFArrayFreeTemporary(array, newValues);
}

void CFArrayReplaceValues(CFMutableArrayRef theArray, CFRange range, const void **newValues,
                          CFIndex newCount) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckRange(theArray, range, __func__);
    __CFArrayReplaceValues(theArray, range, newValues, newCount < 0 ? 0 : newCount);
}

void CFArrayAppendArray(CFMutableArrayRef theArray, CFArrayRef otherArray, CFRange otherRange) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckRange(otherArray, otherRange, __func__);
    const void **values = __CFArrayCreateTemporary(theArray, otherRange.length);
    __CFArrayCopyOut(otherArray, otherRange, values);
    __CFArrayReplaceValues(theArray, CFRangeMake(theArray->_count, 0), values, otherRange.length);
    __CFArrayFreeTemporary(theArray, values);
}

/// Removes everything first, then releases it. By then the array is empty, and the release callback
/// may fill it again.
static void __CFArrayRemoveAll(CFMutableArrayRef array) {
    __CFArrayMergeRecent(array);
    CFAllocatorDeallocate(array->_tree.allocator, array->_recent);
    array->_recent = NULL;
    struct __CFArray old = *array;
    array->_values = NULL;
    array->_count = array->_capacity = 0;
    array->_tree.root = NULL;
    array->_tree.count = 0;
    for (CFIndex idx = 0, run; old._callBacks.release && idx < old._count; idx += run) {
        const void *const *values = __CFArrayGetRun(&old, idx, &run);
        for (CFIndex i = 0; i < run; i++) __CFArrayReleaseValue(array, values[i]);
    }
    CFArrayTreeFree(&old._tree);
    if (old._values != array->_inline) CFAllocatorDeallocate(old._tree.allocator, old._values);
}

void CFArrayRemoveAllValues(CFMutableArrayRef theArray) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayRemoveAll(theArray);
}

// MARK: - Changing a sorted array

/// The index of a value in an array that is not a tree, or kCFNotFound.
static CFIndex __CFArrayFindInBuffer(CFArrayRef array, const void *value,
                                     CFComparatorFunction comparator, void *context) {
    if (array->_count > 0 && array->_values[0] == value) return 0; // see __CFArrayPathToSame
    CFRange all = CFRangeMake(0, array->_count);
    CFIndex idx = CFArrayBSearchValues(array, all, value, comparator, context);
    return idx < array->_count && array->_values[idx] == value ? idx : kCFNotFound;
}

/// The tree of recent values. It is made when the first one is inserted.
static CFArrayTree *__CFArrayGetRecent(CFMutableArrayRef array, CFComparatorFunction comparator,
                                       void *context) {
    if (!array->_recent) {
        array->_recent = __CFCollectionAllocate(array->_tree.allocator, 1, sizeof(*array->_recent),
                                                "a large array");
        array->_recent->tree = (CFArrayTree){.allocator = array->_tree.allocator,
                                             .keyOf = array->_tree.keyOf};
    }
    array->_recent->comparator = comparator;
    array->_recent->context = context;
    return &array->_recent->tree;
}

/// A large tree is not in the processor's cache, and an insertion waits for memory several times.
/// But most timers are cancelled or moved soon, long before they are due. So a value does not go
/// into a large tree at once. It goes into a small one, which stays in the cache. If it is still
/// there when that is full, it moves on, with all the others.
///
/// An index counts in both trees, so most functions that use one move the recent values, too. Those
/// that the loop calls when timers fire do not: CFArrayBSearchValues of all values, and
/// CFArrayGetValues and CFArrayGetValueAtIndex of a few values from the first one on.
void __CFArrayInsertSorted(CFMutableArrayRef array, const void *value,
                           CFComparatorFunction comparator, void *context) {
    if (!__CFArrayIsTree(array)) {
        CFRange all = CFRangeMake(0, array->_count);
        CFArrayInsertValueAtIndex(array, CFArrayBSearchValues(array, all, value, comparator,
                                                              context), value);
        return;
    }
    CFArrayTree *tree = &array->_tree;
    if (tree->count > __kCFArrayMaxRecent) tree = __CFArrayGetRecent(array, comparator, context);
    CFArrayTreeInsertSorted(tree, __CFArrayRetainValue(array, value), comparator, context);
    array->_count++;
    if (tree->count >= __kCFArrayMaxRecent && tree != &array->_tree) __CFArrayMergeRecent(array);
}

Boolean __CFArrayRemoveSorted(CFMutableArrayRef array, const void *value,
                              CFComparatorFunction comparator, void *context) {
    if (!__CFArrayIsTree(array)) {
        CFIndex idx = __CFArrayFindInBuffer(array, value, comparator, context);
        if (idx == kCFNotFound) return false;
        CFArrayRemoveValueAtIndex(array, idx);
        return true;
    }
    Boolean wasRecent = __CFArrayHasRecent(array)
        && CFArrayTreeRemoveSorted(&array->_recent->tree, value, comparator, context);
    if (!wasRecent && !CFArrayTreeRemoveSorted(&array->_tree, value, comparator, context))
        return false;
    array->_count--;
    // Small arrays have no recent values.
    if (array->_tree.count < __kCFArrayMaxRecent / 2) __CFArrayMergeRecent(array);
    __CFArrayTreeHasShrunk(array);
    __CFArrayReleaseValue(array, value);
    return true;
}

Boolean __CFArrayContainsSorted(CFArrayRef array, const void *value,
                                CFComparatorFunction comparator, void *context) {
    if (!__CFArrayIsTree(array))
        return __CFArrayFindInBuffer(array, value, comparator, context) != kCFNotFound;
    return CFArrayTreeContainsSorted(&array->_tree, value, comparator, context)
        || (__CFArrayHasRecent(array)
            && CFArrayTreeContainsSorted(&array->_recent->tree, value, comparator, context));
}

// MARK: - Sorting

typedef struct {
    CFComparatorFunction comparator;
    void *context;
} CFArraySort;

/// Merges the sorted halves of `values`, `half` and `n - half` of them. `room` has space for the
/// first half.
static void __CFArrayMerge(const CFArraySort *sort, const void **values, CFIndex half, CFIndex n,
                           const void **room) {
    memcpy(room, values, half * sizeof(void *));
    CFIndex left = 0, right = half, to = 0;
    while (left < half && right < n) {
        // Equal values keep their order: the right one comes first only if it is less.
        Boolean takeRight = sort->comparator(values[right], room[left], sort->context) < 0;
        values[to++] = takeRight ? values[right++] : room[left++];
    }
    memcpy(values + to, room + left, (half - left) * sizeof(void *));
}

static void __CFArrayMergeSort(const CFArraySort *sort, const void **values, CFIndex n,
                               const void **room) {
    if (n < 2) return;
    CFIndex half = n / 2;
    __CFArrayMergeSort(sort, values, half, room);
    __CFArrayMergeSort(sort, values + half, n - half, room);
    // Halves that are already in order need no merging. That is so when a few values were added to
    // a sorted array.
    if (sort->comparator(values[half - 1], values[half], sort->context) <= 0) return;
    __CFArrayMerge(sort, values, half, n, room);
}

void CFArraySortValues(CFMutableArrayRef theArray, CFRange range, CFComparatorFunction comparator,
                       void *context) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckRange(theArray, range, __func__);
    if (range.length < 2) return;
    CFArraySort sort = {comparator, context};
    const void **values = __CFArrayCreateTemporary(theArray, range.length);
    const void **room = __CFArrayCreateTemporary(theArray, range.length / 2);
    __CFArrayCopyOut(theArray, range, values);
    __CFArrayMergeSort(&sort, values, range.length, room);
    for (CFIndex i = 0; i < range.length; i++)
        __CFArrayPut(theArray, range.location + i, values[i]);
    __CFArrayFreeTemporary(theArray, room);
    __CFArrayFreeTemporary(theArray, values);
}

// MARK: - The class

static void __CFArrayDeallocate(CFTypeRef cf) {
    __CFArrayRemoveAll((CFMutableArrayRef)cf);
}

static Boolean __CFArrayEqual(CFTypeRef cf1, CFTypeRef cf2) {
    CFArrayRef array1 = cf1, array2 = cf2;
    if (array1->_count != array2->_count || array1->_callBacks.equal != array2->_callBacks.equal)
        return false;
    for (CFIndex i = 0; i < array1->_count; i++) {
        if (!__CFArrayValuesAreEqual(array1, __CFArrayGet(array1, i), __CFArrayGet(array2, i)))
            return false;
    }
    return true;
}

// Two equal arrays are sure to share only the count, because the callbacks have no hash.
static CFHashCode __CFArrayHash(CFTypeRef cf) {
    return ((CFArrayRef)cf)->_count;
}

// A Mac prints "mutable-small" at any size, and so does this, for a buffer and for a tree.
CFStringRef __CFArrayCopyDescriptionAs(CFTypeRef cf, const void *address) {
    CFArrayRef array = cf;
    CFMutableStringRef string = __CFDescriptionCreateMutable(CFGetAllocator(cf));
    const char *type = __CFRuntimeGetFlag(cf, __kCFCollectionIsMutable) ? "mutable-small"
        : "immutable";
    CFStringAppendFormat(string, NULL,
                         CFSTR("<CFArray %p [%p]>{type = %s, count = %ld, values = ("), address,
                         CFGetAllocator(cf), type, array->_count);
    for (CFIndex i = 0; i < array->_count; i++) {
        CFStringAppendFormat(string, NULL, i == 0 ? CFSTR("\n\t%ld : ") : CFSTR("\t%ld : "), i);
        __CFCollectionAppendValue(string, __CFArrayGet(array, i),
                                  array->_callBacks.copyDescription);
        CFStringAppend(string, CFSTR("\n"));
    }
    CFStringAppend(string, CFSTR(")}"));
    return string;
}

static CFStringRef __CFArrayCopyDescription(CFTypeRef cf) {
    return __CFArrayCopyDescriptionAs(cf, cf);
}

CF_SHARED const CFRuntimeClass __CFArrayClass = {
    .typeID = _kCFRuntimeIDCFArray,
    .className = "CFArray",
    .finalize = __CFArrayDeallocate,
    .equal = __CFArrayEqual,
    .hash = __CFArrayHash,
    .copyDebugDesc = __CFArrayCopyDescription,
};
