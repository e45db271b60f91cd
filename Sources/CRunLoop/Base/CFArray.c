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
#include "CFArrayPending.h"

struct __CFArray {
    CFRuntimeBase _base;          // flag __kCFCollectionIsMutable
    CFArrayCallBacks _callBacks;
    CFIndex _count;
    CFIndex _capacity;            // how many values there is room for at _values
    // NULL if there is no room yet, or if the values are in the tree.
    const void **_values;
    CFArrayTree _tree;            // has a root if the values are in it; mutable arrays only
    CFArrayPending *_pending;     // NULL, or see __CFArrayInsertSorted
    const void *_inline[];        // the values of an immutable array
};

enum {
    __kCFArrayMaxInBuffer = 512,  // one value more, and the array becomes a tree
    // An array with keys becomes one sooner: its tree is searched without reading a value.
    __kCFArrayMaxInBufferWithKeys = 16,
    // From so many values on, the changes of a sorted array are pending first.
    __kCFArrayMinForPending = 3 * __kCFArrayMostPending,
};

static const CFArrayCallBacks kCFTypeArrayCallBacks = {
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

static Boolean __CFArrayHasPending(CFArrayRef array) {
    return array->_pending && array->_pending->count > 0;
}

/// Makes the pending changes. From then on all values are in the tree, and have indices there. An
/// array that has pending changes is used by one thread at a time, so functions that only read may
/// call this.
static void __CFArrayApplyPending(CFArrayRef array) {
    if (__CFArrayHasPending(array))
        CFArrayPendingApply(array->_pending, &((CFMutableArrayRef)array)->_tree);
}

static CFIndex __CFArrayMaxInBuffer(CFArrayRef array) {
    return array->_tree.keyOf ? __kCFArrayMaxInBufferWithKeys : __kCFArrayMaxInBuffer;
}

/// One value less, and a tree becomes a buffer again. This is far below the other limit, so that an
/// array does not change back and forth.
static CFIndex __CFArrayMinInTree(CFArrayRef array) {
    return __CFArrayMaxInBuffer(array) / 4;
}

/// Returns a pointer to the value that has the index `idx` while pending changes are not made. It
/// must be less than the count. `*run` becomes the number of consecutive values there.
static const void *const *__CFArrayGetRunAsIs(CFArrayRef array, CFIndex idx, CFIndex *run) {
    if (__CFArrayIsTree(array)) return CFArrayTreeGetRun(&array->_tree, idx, run);
    *run = array->_count - idx;
    return array->_values + idx;
}

/// Does the same after it has made the pending changes.
static const void *const *__CFArrayGetRun(CFArrayRef array, CFIndex idx, CFIndex *run) {
    __CFArrayApplyPending(array);
    return __CFArrayGetRunAsIs(array, idx, run);
}

static const void *__CFArrayGet(CFArrayRef array, CFIndex idx) {
    CFIndex run;
    return *__CFArrayGetRun(array, idx, &run);
}

static void __CFArrayCopyOut(CFArrayRef array, CFRange range, const void **values) {
    CFIndex end = range.location + range.length;
    // The loop asks for the first timers again and again. If no change concerns these, it waits.
    if (__CFArrayHasPending(array) && range.length > 0
        && (end > array->_tree.count
            || CFArrayTreeGetFirstKey(&array->_tree, end - 1) >= array->_pending->least))
        __CFArrayApplyPending(array);
    for (CFIndex idx = range.location, run; idx < end; idx += run) {
        const void *const *from = __CFArrayGetRunAsIs(array, idx, &run);
        if (run > end - idx) run = end - idx;
        memcpy(values + (idx - range.location), from, run * sizeof(void *));
    }
}

static void __CFArrayPut(CFMutableArrayRef array, CFIndex idx, const void *value) {
    __CFArrayApplyPending(array);
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
    __CFArrayApplyPending(array);
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
    __CFArrayApplyPending(array);
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
    Boolean isOfAll = range.length == theArray->_count && theArray->_tree.keyOf;
    // A change waits if it concerns values after this one, which do not count.
    if (!isOfAll || !__CFArrayHasPending(theArray)
        || theArray->_pending->least <= theArray->_tree.keyOf(value).first)
        __CFArrayApplyPending(theArray);
    if (isOfAll && __CFArrayIsTree(theArray))
        return CFArrayTreeSearch(&theArray->_tree, value, comparator, context);
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
    __CFArrayApplyPending(array);
    CFAllocatorDeallocate(array->_tree.allocator, array->_pending);
    array->_pending = NULL;
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

/// Returns the list of pending changes of a large array, with room for another change, or NULL if
/// the array is not large.
static CFArrayPending *__CFArrayGetPending(CFMutableArrayRef array, CFComparatorFunction comparator,
                                           void *context) {
    if (!__CFArrayHasPending(array) && array->_tree.count < __kCFArrayMinForPending) return NULL;
    if (!array->_pending) {
        array->_pending = __CFCollectionAllocate(array->_tree.allocator, 1,
                                                 sizeof(CFArrayPending), "a large array");
        CFArrayPendingInit(array->_pending);
    }
    if (array->_pending->count == __kCFArrayMostPending) __CFArrayApplyPending(array);
    array->_pending->comparator = comparator;
    array->_pending->context = context;
    return array->_pending;
}

/// A value that is or belongs at the head of a large tree does not become a pending change, because
/// the loop is about to read it.
void __CFArrayPutSorted(CFMutableArrayRef array, const void *value,
                        CFComparatorFunction comparator, void *context) {
    if (!__CFArrayIsTree(array)) {
        CFRange all = CFRangeMake(0, array->_count);
        CFIndex idx = CFArrayBSearchValues(array, all, value, comparator, context);
        __CFArrayInsert(array, idx, &value, 1);
        return;
    }
    CFArrayKey key = array->_tree.keyOf(value);
    CFArrayPending *pending = __CFArrayGetPending(array, comparator, context);
    if (pending && !CFArrayTreeHasAtHead(&array->_tree, key))
        CFArrayPendingInsert(pending, value, key);
    else CFArrayTreeInsertSorted(&array->_tree, value, key, comparator, context);
    array->_count++;
}

__attribute__((unused)) void __CFArrayInsertSorted(CFMutableArrayRef array, const void *value,
                           CFComparatorFunction comparator, void *context) {
    __CFArrayPutSorted(array, __CFArrayRetainValue(array, value), comparator, context);
}

/// Counts a value that a large array has lost.
static void __CFArrayTreeLostOne(CFMutableArrayRef array) {
    array->_count--;
    // While a change is pending, neither the tree nor what it will be is small.
    if (array->_count <= __kCFArrayMostPending || array->_tree.count <= __kCFArrayMostPending)
        __CFArrayApplyPending(array);
    __CFArrayTreeHasShrunk(array);
}

/// Removes a value and does not release it. Returns whether it was there.
static Boolean __CFArrayTakeSorted(CFMutableArrayRef array, const void *value,
                                   CFComparatorFunction comparator, void *context) {
    if (!__CFArrayIsTree(array)) {
        CFIndex idx = __CFArrayFindInBuffer(array, value, comparator, context);
        if (idx != kCFNotFound) __CFArrayDelete(array, idx, 1);
        return idx != kCFNotFound;
    }
    Boolean isTaken = __CFArrayHasPending(array)
        && CFArrayPendingUndoInsertion(array->_pending, value);
    // The tree may still have the value under that key although it is to be removed.
    if (!isTaken && __CFArrayHasPending(array) && array->_pending->removals > 0
        && array->_pending->least <= array->_tree.keyOf(value).first)
        __CFArrayApplyPending(array);
    isTaken = isTaken || CFArrayTreeRemoveSorted(&array->_tree, value, comparator, context);
    if (isTaken) __CFArrayTreeLostOne(array);
    return isTaken;
}

__attribute__((unused)) Boolean __CFArrayRemoveSorted(CFMutableArrayRef array, const void *value,
                              CFComparatorFunction comparator, void *context) {
    if (!__CFArrayTakeSorted(array, value, comparator, context)) return false;
    __CFArrayReleaseValue(array, value);
    return true;
}

void __CFArrayTakeUnique(CFMutableArrayRef array, const void *value,
                         CFComparatorFunction comparator, void *context) {
    CFArrayKey key = array->_tree.keyOf(value);
    CFArrayPending *pending =
        __CFArrayIsTree(array) ? __CFArrayGetPending(array, comparator, context) : NULL;
    if (!pending || key.first == 0) {
        __CFArrayTakeSorted(array, value, comparator, context);
        return;
    }
    // A value at the head is removed at once: see __CFArrayPutSorted.
    if (!CFArrayPendingUndoInsertion(pending, value)) {
        if (CFArrayTreeHasAtHead(&array->_tree, key)) CFArrayTreeRemoveKey(&array->_tree, key);
        else CFArrayPendingRemove(pending, value, key);
    }
    __CFArrayTreeLostOne(array);
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
