/// CFData.c: bytes as objects: the addresses that CFSocket takes, and the bytes that it receives.
///
/// An immutable CFData has its bytes behind the struct, in the same memory. A mutable one has them
/// in separate memory, which grows.
#include "CFInternal.h"

struct __CFData {
    CFRuntimeBase _base;
    CFIndex _length;
    CFIndex _capacity;  // the bytes that there is room for
    CFIndex _limit;     // of a mutable one: the most that it may have, 0 for any
    uint8_t *_bytes;    // _inline, NULL or, of a mutable one, memory that it frees
    uint8_t _inline[];  // the bytes of an immutable one
};

/// The flag of a mutable CFData.
#define __kCFDataIsMutable 0

// MARK: - Diagnoses

static __attribute__((noinline, noreturn, cold))
void __CFDATA_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_BYTES__(const char *function, CFRange range,
                                                       CFIndex length) {
    __CFHalt("%s was given the range {%ld, %ld} of %ld bytes. Compare with CFDataGetLength first.",
             function, range.location, range.length, length);
}

static __attribute__((noinline, noreturn, cold))
void __CFDATA_WAS_GIVEN_A_LENGTH_WITHOUT_BYTES__(const char *function, const void *bytes,
                                                 CFIndex length) {
    __CFHalt("%s was given the address %p and a length of %ld. The length must not be negative, "
             "and the address not be NULL, unless the length is 0.", function, bytes, length);
}

static __attribute__((noinline, noreturn, cold))
void __CFDATA_CANNOT_GROW_BEYOND_ITS_CAPACITY__(const char *function, CFIndex length,
                                                CFIndex limit) {
    __CFHalt("%s would make a length of %ld, but the CFData was created with a capacity of %ld. "
             "Create it with the capacity 0.", function, length, limit);
}

static void __CFDataCheckBytes(const char *function, const void *bytes, CFIndex length) {
    if (CF_UNLIKELY(length < 0 || (length > 0 && !bytes)))
        __CFDATA_WAS_GIVEN_A_LENGTH_WITHOUT_BYTES__(function, bytes, length);
}

/// Returns whether a function may change its argument. If not, it has written a line to stderr.
static Boolean __CFDataMayChange(CFDataRef data, const char *function) {
    if (CF_UNLIKELY(!data)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(function);
    if (CF_LIKELY(__CFRuntimeGetFlag(data, __kCFDataIsMutable))) return true;
    __CFWarn("%s was given an immutable CFData, and has not changed it. Change a copy made by "
             "CFDataCreateMutableCopy.", function);
    return false;
}

// MARK: - The class

static void __CFDataFinalize(CFTypeRef cf) {
    if (__CFRuntimeGetFlag(cf, __kCFDataIsMutable))
        CFAllocatorDeallocate(CFGetAllocator(cf), ((CFDataRef)cf)->_bytes);
}

static Boolean __CFDataEqual(CFTypeRef cf1, CFTypeRef cf2) {
    CFDataRef data1 = cf1, data2 = cf2;
    if (data1->_length != data2->_length) return false;
    return data1->_length == 0 || memcmp(data1->_bytes, data2->_bytes, (size_t)data1->_length) == 0;
}

/// The hash of at most 80 bytes at the beginning, as in the original (all versions), so that the
/// hash of a large CFData is quick.
static CFHashCode __CFDataHash(CFTypeRef cf) {
    CFDataRef data = cf;
    CFIndex count = data->_length < 80 ? data->_length : 80;
    uint64_t hash = 0xCBF29CE484222325;
    for (CFIndex i = 0; i < count; i++) hash = (hash ^ data->_bytes[i]) * 0x100000001B3;
    return (CFHashCode)(hash ^ (hash >> 32));
}

static void __CFDataAppendHex(CFMutableStringRef text, const uint8_t *bytes, CFIndex count) {
    for (CFIndex i = 0; i < count; i++)
        CFStringAppendFormat(text, NULL, CFSTR("%02x"), (unsigned)bytes[i]);
}

/// Of more than 24 bytes it shows the first 16 and the last 8.
static CFStringRef __CFDataCopyDescription(CFTypeRef cf) {
    CFDataRef data = cf;
    CFMutableStringRef text = __CFDescriptionCreateMutable(kCFAllocatorSystemDefault);
    CFStringAppendFormat(text, NULL, CFSTR("<CFData %p [%p]>{length = %ld, capacity = %ld, "
                                           "bytes = 0x"),
                         cf, CFGetAllocator(cf), data->_length, data->_capacity);
    if (data->_length <= 24) {
        __CFDataAppendHex(text, data->_bytes, data->_length);
    } else {
        __CFDataAppendHex(text, data->_bytes, 16);
        CFStringAppend(text, CFSTR(" ... "));
        __CFDataAppendHex(text, data->_bytes + data->_length - 8, 8);
    }
    CFStringAppend(text, CFSTR("}"));
    return text;
}

CF_SHARED const CFRuntimeClass __CFDataClass = {
    .typeID = _kCFRuntimeIDCFData,
    .className = "CFData",
    .finalize = __CFDataFinalize,
    .equal = __CFDataEqual,
    .hash = __CFDataHash,
    .copyDebugDesc = __CFDataCopyDescription,
};

CFTypeID CFDataGetTypeID(void) {
    return _kCFRuntimeIDCFData;
}

// MARK: - Creating

/// Creates a CFData with room for `extra` bytes behind the struct.
static struct __CFData *__CFDataCreateInstance(CFAllocatorRef allocator, CFIndex extra) {
    if (extra > PTRDIFF_MAX - (CFIndex)sizeof(struct __CFData)) return NULL;
    return (struct __CFData *)_CFRuntimeCreateInstance(allocator, &__CFDataClass,
                                                       sizeof(struct __CFData) + (size_t)extra);
}

CFDataRef CFDataCreate(CFAllocatorRef allocator, const UInt8 *bytes, CFIndex length) {
    __CFDataCheckBytes(__func__, bytes, length);
    struct __CFData *data = __CFDataCreateInstance(allocator, length);
    if (!data) return NULL;
    data->_length = data->_capacity = length;
    if (length == 0) return data;
    data->_bytes = data->_inline;
    memcpy(data->_bytes, bytes, (size_t)length);
    return data;
}

CFDataRef CFDataCreateCopy(CFAllocatorRef allocator, CFDataRef theData) {
    if (CF_UNLIKELY(!theData)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    if (!__CFRuntimeGetFlag(theData, __kCFDataIsMutable)) return CFRetain(theData);
    return CFDataCreate(allocator, theData->_bytes, theData->_length);
}

/// Makes room for `length` bytes, and more than that, so that the next ones need no new memory.
/// Returns whether there is room.
static Boolean __CFDataReserve(struct __CFData *data, CFIndex length) {
    if (length <= data->_capacity) return true;
    CFIndex capacity = data->_limit;
    if (capacity == 0) {
        capacity = data->_capacity < 16 ? 16 : data->_capacity;
        while (capacity < length) capacity = capacity > PTRDIFF_MAX / 2 ? length : capacity * 2;
    }
    void *bytes = CFAllocatorReallocate(CFGetAllocator(data), data->_bytes, capacity, 0);
    if (!bytes) return false;
    data->_bytes = bytes;
    data->_capacity = capacity;
    return true;
}

CFMutableDataRef CFDataCreateMutable(CFAllocatorRef allocator, CFIndex capacity) {
    if (CF_UNLIKELY(capacity < 0))
        __CFHalt("%s was given the capacity %ld. Use 0 for any number of bytes.", __func__,
                 capacity);
    struct __CFData *data = __CFDataCreateInstance(allocator, 0);
    if (!data) return NULL;
    __CFRuntimeSetFlag(data, __kCFDataIsMutable, true);
    data->_limit = capacity;
    if (__CFDataReserve(data, 1)) return data;
    CFRelease(data);
    return NULL;
}

CFMutableDataRef CFDataCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity,
                                         CFDataRef theData) {
    if (CF_UNLIKELY(!theData)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    CFMutableDataRef copy = CFDataCreateMutable(allocator, capacity);
    if (copy) CFDataAppendBytes(copy, theData->_bytes, theData->_length);
    return copy;
}

// MARK: - Reading

CFIndex CFDataGetLength(CFDataRef theData) {
    if (CF_UNLIKELY(!theData)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return theData->_length;
}

const UInt8 *CFDataGetBytePtr(CFDataRef theData) {
    if (CF_UNLIKELY(!theData)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return theData->_bytes;
}

UInt8 *CFDataGetMutableBytePtr(CFMutableDataRef theData) {
    return __CFDataMayChange(theData, __func__) ? theData->_bytes : NULL;
}

void CFDataGetBytes(CFDataRef theData, CFRange range, UInt8 *buffer) {
    if (CF_UNLIKELY(!theData)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    CFIndex length = theData->_length;
    // The sum of location and length could overflow, so this does not compute it.
    if (CF_UNLIKELY(range.location < 0 || range.length < 0 || range.location > length
                    || range.length > length - range.location))
        __CFDATA_WAS_GIVEN_A_RANGE_OUTSIDE_OF_THE_BYTES__(__func__, range, length);
    if (range.length > 0) memcpy(buffer, theData->_bytes + range.location, (size_t)range.length);
}

// MARK: - Changing

/// Changes the number of bytes. New bytes have yet to be written. Aborts if there is no memory,
/// because these functions have no result to say so.
static void __CFDataResize(const char *function, CFMutableDataRef data, CFIndex length) {
    if (CF_UNLIKELY(data->_limit > 0 && length > data->_limit))
        __CFDATA_CANNOT_GROW_BEYOND_ITS_CAPACITY__(function, length, data->_limit);
    if (!__CFDataReserve(data, length)) __CF_HAS_NO_MEMORY_LEFT__("the bytes of a CFData");
    data->_length = length;
}

void CFDataSetLength(CFMutableDataRef theData, CFIndex length) {
    if (!__CFDataMayChange(theData, __func__)) return;
    if (CF_UNLIKELY(length < 0)) __CFHalt("%s was given the length %ld.", __func__, length);
    CFIndex old = theData->_length;
    __CFDataResize(__func__, theData, length);
    if (length > old) memset(theData->_bytes + old, 0, (size_t)(length - old));
}

void CFDataAppendBytes(CFMutableDataRef theData, const UInt8 *bytes, CFIndex length) {
    if (!__CFDataMayChange(theData, __func__)) return;
    __CFDataCheckBytes(__func__, bytes, length);
    CFIndex old = theData->_length, sum;
    if (__builtin_add_overflow(old, length, &sum)) sum = PTRDIFF_MAX; // more than any memory
    // Bytes of theData itself may move.
    uintptr_t offset = (uintptr_t)bytes - (uintptr_t)theData->_bytes;
    Boolean areOwn = offset < (uintptr_t)old;
    __CFDataResize(__func__, theData, sum);
    if (areOwn) bytes = theData->_bytes + offset;
    if (length > 0) memcpy(theData->_bytes + old, bytes, (size_t)length);
}
