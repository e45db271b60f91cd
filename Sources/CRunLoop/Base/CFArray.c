/// CFArray.c: the array. A mode keeps its observers and its timers in such arrays, and sorts the
/// timers by their fire dates.
///
/// The values of an immutable array follow the array's own fields. Those of a mutable array are in
/// a buffer with free room at both ends, as on a Mac. An insertion or a removal moves the values on
/// the shorter side of its place. So the first value, which is the timer that fires next, goes
/// without moving any.
///
/// Callbacks: a release callback may do anything, and may even use and change the array. So the
/// array always removes a value first, and releases it when the array is consistent again.
#include "CFCollections.h"

struct __CFArray {
    CFRuntimeBase _base;          // flag __kCFCollectionIsMutable
    CFArrayCallBacks _callBacks;
    CFIndex _count;
    const void **_values;         // the first value, in the buffer or at _inline
    const void **_buffer;         // NULL if there is no room yet; mutable arrays only
    CFIndex _capacity;            // how many values the buffer has room for
    const void *_inline[];        // the values of an immutable array
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

static void __CFArrayCheckRange(CFArrayRef array, CFRange range, const char *function) {
    __CFCollectionCheck(array, &__CFArrayClass, function);
    // Location and length are not added, because their sum might be too large for a CFIndex.
    if (CF_UNLIKELY(range.location < 0 || range.length < 0 || range.location > array->_count
                    || range.length > array->_count - range.location)) {
        __CFARRAY_RANGE_IS_OUT_OF_BOUNDS__(function, range, array->_count);
    }
}

// MARK: - The buffer. No callback is called in this section.

static void __CFArrayCopyOut(CFArrayRef array, CFRange range, const void **values) {
    if (range.length > 0)
        memcpy(values, array->_values + range.location, (size_t)range.length * sizeof(void *));
}

/// Moves all values to the middle of the buffer, and leaves a gap before the one at `idx`. If the
/// buffer would be more than three quarters full, the values move to one of twice the size, so each
/// end has free room for many more insertions.
static void __CFArrayMoveToMiddle(CFMutableArrayRef array, CFIndex idx) {
    CFIndex count = array->_count + 1, capacity = array->_capacity ? array->_capacity : 4;
    if (count > capacity / 4 * 3) capacity *= 2;
    const void **buffer = array->_buffer;
    if (capacity != array->_capacity)
        buffer = __CFCollectionAllocate(capacity, sizeof(void *),
                                        "an array");
    const void **first = buffer + (capacity - count) / 2, **old = array->_values;
    size_t before = (size_t)idx * sizeof(void *);
    size_t after = (size_t)(array->_count - idx) * sizeof(void *);
    if (array->_count == 0) {
        // nothing to move
    } else if (first > old) { // in one buffer, the later values must make way first
        memmove(first + idx + 1, old + idx, after);
        memmove(first, old, before);
    } else {
        memmove(first, old, before);
        memmove(first + idx + 1, old + idx, after);
    }
    if (buffer != array->_buffer) free(array->_buffer);
    array->_buffer = buffer;
    array->_capacity = capacity;
    array->_values = first;
}

/// Inserts a value before the one at `idx`.
static void __CFArrayInsert(CFMutableArrayRef array, CFIndex idx, const void *value) {
    CFIndex freeBefore = array->_values - array->_buffer;
    CFIndex freeAfter = array->_capacity - freeBefore - array->_count;
    CFIndex after = array->_count - idx;
    if (idx < after && freeBefore > 0) {
        memmove(array->_values - 1, array->_values, (size_t)idx * sizeof(void *));
        array->_values--;
    } else if (idx >= after && freeAfter > 0) {
        const void **place = array->_values + idx;
        memmove(place + 1, place, (size_t)after * sizeof(void *));
    } else {
        __CFArrayMoveToMiddle(array, idx);
    }
    array->_values[idx] = value;
    array->_count++;
}

/// Removes the value at `idx`.
static void __CFArrayDelete(CFMutableArrayRef array, CFIndex idx) {
    CFIndex after = array->_count - idx - 1;
    const void **place = array->_values + idx;
    if (idx < after) {
        memmove(array->_values + 1, array->_values, (size_t)idx * sizeof(void *));
        array->_values++;
    } else {
        memmove(place, place + 1, (size_t)after * sizeof(void *));
    }
    array->_count--;
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
    return array;
}

CFArrayRef CFArrayCreate(CFAllocatorRef allocator, const void **values, CFIndex numValues,
                         const CFArrayCallBacks *callBacks) {
    if (numValues < 0) numValues = 0;
    CFMutableArrayRef array = __CFArrayCreateInstance(allocator, numValues, callBacks);
    array->_values = array->_inline;
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
    copy->_count = theArray->_count;
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

// MARK: - Looking

CFIndex CFArrayGetCount(CFArrayRef theArray) {
    __CFCollectionCheck(theArray, &__CFArrayClass, __func__);
    return theArray->_count;
}

const void *CFArrayGetValueAtIndex(CFArrayRef theArray, CFIndex idx) {
    __CFCollectionCheck(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckIndex(idx, theArray->_count, __func__);
    return theArray->_values[idx];
}

void CFArrayGetValues(CFArrayRef theArray, CFRange range, const void **values) {
    __CFArrayCheckRange(theArray, range, __func__);
    __CFArrayCopyOut(theArray, range, values);
}

CFIndex CFArrayGetFirstIndexOfValue(CFArrayRef theArray, CFRange range, const void *value) {
    __CFArrayCheckRange(theArray, range, __func__);
    for (CFIndex idx = range.location; idx < range.location + range.length; idx++) {
        if (__CFArrayValuesAreEqual(theArray, value, theArray->_values[idx])) return idx;
    }
    return kCFNotFound;
}

Boolean CFArrayContainsValue(CFArrayRef theArray, CFRange range, const void *value) {
    return CFArrayGetFirstIndexOfValue(theArray, range, value) != kCFNotFound;
}

void CFArrayApplyFunction(CFArrayRef theArray, CFRange range,
                          CFArrayApplierFunction CF_NOESCAPE applier, void *context) {
    __CFArrayCheckRange(theArray, range, __func__);
    // Looks each value up again, because the function may have changed the array.
    for (CFIndex i = 0; i < range.length && range.location + i < theArray->_count; i++) {
        applier(theArray->_values[range.location + i], context);
    }
}

// MARK: - Changing

void CFArrayInsertValueAtIndex(CFMutableArrayRef theArray, CFIndex idx, const void *value) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    if (CF_UNLIKELY(idx < 0 || idx > theArray->_count))
        __CFARRAY_INDEX_IS_OUT_OF_BOUNDS__(__func__, idx, theArray->_count);
    __CFArrayInsert(theArray, idx, __CFArrayRetainValue(theArray, value));
}

void CFArrayAppendValue(CFMutableArrayRef theArray, const void *value) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayInsert(theArray, theArray->_count, __CFArrayRetainValue(theArray, value));
}

void CFArrayRemoveValueAtIndex(CFMutableArrayRef theArray, CFIndex idx) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayCheckIndex(idx, theArray->_count, __func__);
    const void *oldValue = theArray->_values[idx];
    __CFArrayDelete(theArray, idx);
    __CFArrayReleaseValue(theArray, oldValue);
}

/// Removes everything first, then releases it. By then the array is empty, and the release callback
/// may fill it again.
static void __CFArrayRemoveAll(CFMutableArrayRef array) {
    const void **values = array->_values, **buffer = array->_buffer;
    CFIndex count = array->_count;
    array->_values = array->_buffer = NULL;
    array->_count = array->_capacity = 0;
    for (CFIndex i = 0; i < count; i++) __CFArrayReleaseValue(array, values[i]);
    free(buffer);
}

void CFArrayRemoveAllValues(CFMutableArrayRef theArray) {
    __CFCollectionCheckMutable(theArray, &__CFArrayClass, __func__);
    __CFArrayRemoveAll(theArray);
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
        if (!__CFArrayValuesAreEqual(array1, array1->_values[i], array2->_values[i]))
            return false;
    }
    return true;
}

// Two equal arrays are sure to share only the count, because the callbacks have no hash.
static CFHashCode __CFArrayHash(CFTypeRef cf) {
    return ((CFArrayRef)cf)->_count;
}

// A Mac prints "mutable-small" at any size, and so does this.
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
        __CFCollectionAppendValue(string, array->_values[i],
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
