/// CFData.c: bytes as objects: the addresses that CFSocket takes, and the bytes that it receives.
/// The bytes are behind the struct, in the same memory. On a Mac there is also a mutable CFData.
#include "CFInternal.h"

struct __CFData {
    CFRuntimeBase _base;
    CFIndex _length;
    uint8_t _bytes[];
};

// MARK: - The class

static Boolean __CFDataEqual(CFTypeRef cf1, CFTypeRef cf2) {
    CFDataRef data1 = cf1, data2 = cf2;
    return data1->_length == data2->_length
        && memcmp(data1->_bytes, data2->_bytes, (size_t)data1->_length) == 0;
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
                         cf, CFGetAllocator(cf), data->_length, data->_length);
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
    .equal = __CFDataEqual,
    .hash = __CFDataHash,
    .copyDebugDesc = __CFDataCopyDescription,
};

CFTypeID CFDataGetTypeID(void) {
    return _kCFRuntimeIDCFData;
}

// MARK: - The public functions

static __attribute__((noinline, noreturn, cold))
void __CFDATA_WAS_GIVEN_A_LENGTH_WITHOUT_BYTES__(const char *function, const void *bytes,
                                                 CFIndex length) {
    __CFHalt("%s was given the address %p and a length of %ld. The length must not be negative, "
             "and the address not be NULL, unless the length is 0.", function, bytes, length);
}

CFDataRef CFDataCreate(CFAllocatorRef allocator, const UInt8 *bytes, CFIndex length) {
    if (CF_UNLIKELY(length < 0 || (length > 0 && !bytes)))
        __CFDATA_WAS_GIVEN_A_LENGTH_WITHOUT_BYTES__(__func__, bytes, length);
    size_t size;
    if (__builtin_add_overflow(length, sizeof(struct __CFData), &size)) return NULL;
    struct __CFData *data = (struct __CFData *)_CFRuntimeCreateInstance(allocator, &__CFDataClass,
                                                                        size);
    if (!data) return NULL;
    data->_length = length;
    if (length > 0) memcpy(data->_bytes, bytes, (size_t)length);
    return data;
}

CFIndex CFDataGetLength(CFDataRef theData) {
    if (CF_UNLIKELY(!theData)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return theData->_length;
}

const UInt8 *CFDataGetBytePtr(CFDataRef theData) {
    if (CF_UNLIKELY(!theData)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return theData->_length > 0 ? theData->_bytes : NULL;
}
