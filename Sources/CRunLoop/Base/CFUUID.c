/// CFUUID.c: universally unique identifiers.
///
/// A table of all CFUUIDs finds the one with given bytes. It does not retain them.
#include "CFInternal.h"
#include <stdlib.h>
#include <sys/random.h>

struct __CFUUID {
    CFRuntimeBase _base;
    CFUUIDBytes _bytes;
};

_Static_assert(sizeof(CFUUIDBytes) == 16, "a UUID has 16 bytes");

// MARK: - The table of all identifiers

static CFLock_t __CFUUIDLock = CF_LOCK_INITIALIZER;
/// From the bytes of an identifier, which are in the identifier itself, to the identifier. Not
/// retained. Guarded by __CFUUIDLock.
static CFMutableDictionaryRef __CFUUIDs;

static Boolean __CFUUIDBytesEqual(const void *bytes1, const void *bytes2) {
    return memcmp(bytes1, bytes2, sizeof(CFUUIDBytes)) == 0;
}

/// Most identifiers are random, so any part of one is a hash.
static CFHashCode __CFUUIDBytesHash(const void *bytes) {
    uint64_t halves[2];
    memcpy(halves, bytes, sizeof(halves));
    uint64_t hash = (halves[0] ^ halves[1] * 0xFF51AFD7ED558CCD) * 0x9E3779B97F4A7C15;
    return (CFHashCode)(hash ^ (hash >> 32));
}

static Boolean __CFUUIDEqual(CFTypeRef cf1, CFTypeRef cf2) {
    return __CFUUIDBytesEqual(&((CFUUIDRef)cf1)->_bytes, &((CFUUIDRef)cf2)->_bytes);
}

static CFHashCode __CFUUIDHash(CFTypeRef cf) {
    return __CFUUIDBytesHash(&((CFUUIDRef)cf)->_bytes);
}

/// Another identifier with the same bytes may have taken this one's place in the table, after its
/// last reference was gone and before this call.
static void __CFUUIDFinalize(CFTypeRef cf) {
    CFUUIDRef uuid = cf;
    __CFLock(&__CFUUIDLock);
    if (__CFUUIDs && CFDictionaryGetValue(__CFUUIDs, &uuid->_bytes) == uuid)
        CFDictionaryRemoveValue(__CFUUIDs, &uuid->_bytes);
    __CFUnlock(&__CFUUIDLock);
}

static CFStringRef __CFUUIDCopyDescription(CFTypeRef cf) {
    CFStringRef spelled = CFUUIDCreateString(kCFAllocatorSystemDefault, cf);
    CFStringRef text = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                                CFSTR("<CFUUID %p> %@"), cf, spelled);
    if (spelled) CFRelease(spelled);
    return text;
}

static CFStringRef __CFUUIDCopyFormattingDescription(CFTypeRef cf, CFDictionaryRef formatOptions) {
    return CFUUIDCreateString(kCFAllocatorSystemDefault, cf);
}

CF_SHARED const CFRuntimeClass __CFUUIDClass = {
    .typeID = _kCFRuntimeIDCFUUID,
    .className = "CFUUID",
    .finalize = __CFUUIDFinalize,
    .equal = __CFUUIDEqual,
    .hash = __CFUUIDHash,
    .copyFormattingDesc = __CFUUIDCopyFormattingDescription,
    .copyDebugDesc = __CFUUIDCopyDescription,
};

CFTypeID CFUUIDGetTypeID(void) {
    return _kCFRuntimeIDCFUUID;
}

/// Call with __CFUUIDLock locked. Returns the living identifier with these bytes, retained, or
/// NULL.
static CFUUIDRef __CFUUIDCopyKnown(CFUUIDBytes bytes) {
    if (!__CFUUIDs) {
        const CFDictionaryKeyCallBacks byBytes = {.equal = __CFUUIDBytesEqual,
                                                  .hash = __CFUUIDBytesHash};
        __CFUUIDs = CFDictionaryCreateMutable(kCFAllocatorSystemDefault, 0, &byBytes, NULL);
        if (!__CFUUIDs) __CF_HAS_NO_MEMORY_LEFT__("the table of identifiers");
    }
    CFUUIDRef known = CFDictionaryGetValue(__CFUUIDs, &bytes);
    return known ? _CFTryRetain(known) : NULL;
}

CFUUIDRef CFUUIDCreateFromUUIDBytes(CFAllocatorRef alloc, CFUUIDBytes bytes) {
    // Created before the table is locked, because an allocator may call anything.
    struct __CFUUID *uuid = (struct __CFUUID *)_CFRuntimeCreateInstance(alloc, &__CFUUIDClass,
                                                                        sizeof(struct __CFUUID));
    if (!uuid) return NULL;
    uuid->_bytes = bytes;
    __CFLock(&__CFUUIDLock);
    CFUUIDRef known = __CFUUIDCopyKnown(bytes);
    if (!known) {
        // The key of an identifier that is being finalized is in its memory, so the key changes,
        // too.
        CFDictionaryRemoveValue(__CFUUIDs, &bytes);
        CFDictionarySetValue(__CFUUIDs, &uuid->_bytes, uuid);
    }
    __CFUnlock(&__CFUUIDLock);
    if (!known) return uuid;
    CFRelease(uuid);
    return known;
}

// MARK: - Creating

/// RFC 4122 calls identifiers from random bytes version 4. Six bits say so.
CFUUIDRef CFUUIDCreate(CFAllocatorRef alloc) {
    CFUUIDBytes bytes;
    if (getentropy(&bytes, sizeof(bytes)) != 0)
        __CFHalt("%s: the system has no random numbers.", __func__);
    bytes.byte6 = (UInt8)((bytes.byte6 & 0x0F) | 0x40);
    bytes.byte8 = (UInt8)((bytes.byte8 & 0x3F) | 0x80);
    return CFUUIDCreateFromUUIDBytes(alloc, bytes);
}

CFUUIDRef CFUUIDCreateWithBytes(CFAllocatorRef alloc, UInt8 byte0, UInt8 byte1, UInt8 byte2,
                                UInt8 byte3, UInt8 byte4, UInt8 byte5, UInt8 byte6, UInt8 byte7,
                                UInt8 byte8, UInt8 byte9, UInt8 byte10, UInt8 byte11, UInt8 byte12,
                                UInt8 byte13, UInt8 byte14, UInt8 byte15) {
    CFUUIDBytes bytes = {byte0, byte1, byte2, byte3, byte4, byte5, byte6, byte7,
                         byte8, byte9, byte10, byte11, byte12, byte13, byte14, byte15};
    return CFUUIDCreateFromUUIDBytes(alloc, bytes);
}

/// The reference that this function's first call for these bytes gets is never released.
CFUUIDRef CFUUIDGetConstantUUIDWithBytes(CFAllocatorRef alloc, UInt8 byte0, UInt8 byte1,
                                         UInt8 byte2, UInt8 byte3, UInt8 byte4, UInt8 byte5,
                                         UInt8 byte6, UInt8 byte7, UInt8 byte8, UInt8 byte9,
                                         UInt8 byte10, UInt8 byte11, UInt8 byte12, UInt8 byte13,
                                         UInt8 byte14, UInt8 byte15) {
    CFUUIDBytes bytes = {byte0, byte1, byte2, byte3, byte4, byte5, byte6, byte7,
                         byte8, byte9, byte10, byte11, byte12, byte13, byte14, byte15};
    CFUUIDRef uuid = CFUUIDCreateFromUUIDBytes(alloc, bytes);
    // Flag 0 marks a constant.
    if (!uuid) return NULL;
    if (__CFRuntimeGetFlag(uuid, 0)) CFRelease(uuid);
    else __CFRuntimeSetFlag((CFTypeRef)uuid, 0, true);
    return uuid;
}

// MARK: - Spelling

/// Returns the value of a hexadecimal digit, or -1.
static int __CFUUIDDigit(UniChar unit) {
    if (unit >= '0' && unit <= '9') return unit - '0';
    if (unit >= 'a' && unit <= 'f') return unit - 'a' + 10;
    if (unit >= 'A' && unit <= 'F') return unit - 'A' + 10;
    return -1;
}

/// Returns the byte that two digits spell at `*position`, and moves past them. Returns 0 if they
/// are not both digits.
static UInt8 __CFUUIDByteAt(const UniChar *units, CFIndex count, CFIndex *position) {
    int high = *position < count ? __CFUUIDDigit(units[*position]) : -1;
    int low = *position + 1 < count ? __CFUUIDDigit(units[*position + 1]) : -1;
    *position += 2;
    return high < 0 || low < 0 ? 0 : (UInt8)(high << 4 | low);
}

CFUUIDRef CFUUIDCreateFromString(CFAllocatorRef alloc, CFStringRef uuidStr) {
    CFIndex length = uuidStr ? CFStringGetLength(uuidStr) : 0, start = 0;
    if (length == 0) return NULL;
    while (start < length && __CFUUIDDigit(CFStringGetCharacterAtIndex(uuidStr, start)) < 0)
        start++;
    UniChar units[36]; // the digits and four hyphens
    CFIndex count = length - start < 36 ? length - start : 36, position = 0;
    CFStringGetCharacters(uuidStr, CFRangeMake(start, count), units);
    UInt8 spelled[16];
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) position++; // a hyphen
        spelled[i] = __CFUUIDByteAt(units, count, &position);
    }
    CFUUIDBytes bytes;
    memcpy(&bytes, spelled, sizeof(bytes));
    return CFUUIDCreateFromUUIDBytes(alloc, bytes);
}

CFStringRef CFUUIDCreateString(CFAllocatorRef alloc, CFUUIDRef uuid) {
    if (CF_UNLIKELY(!uuid)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    static const char digits[] = "0123456789ABCDEF";
    UInt8 bytes[16];
    char text[37];
    memcpy(bytes, &uuid->_bytes, sizeof(bytes));
    char *end = text;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *end++ = '-';
        *end++ = digits[bytes[i] >> 4];
        *end++ = digits[bytes[i] & 15];
    }
    *end = 0;
    return CFStringCreateWithCString(alloc, text, kCFStringEncodingASCII);
}

CFUUIDBytes CFUUIDGetUUIDBytes(CFUUIDRef uuid) {
    if (CF_UNLIKELY(!uuid)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return uuid->_bytes;
}
