/// CFUUID.h: universally unique identifiers.
///
/// A CFUUID is 16 bytes. There is at most one object for the same bytes at a time, so two CFUUIDs
/// with the same bytes are the same pointer. All functions may be called on any thread. NULL
/// instead of a CFUUID aborts the program with a message.
#if !defined(__COREFOUNDATION_CFUUID__)
#define __COREFOUNDATION_CFUUID__ 1

#include "CFBase.h"
#include "CFString.h"

CF_EXTERN_C_BEGIN

/// A universally unique identifier.
typedef const struct CF_BRIDGED_TYPE(id) __CFUUID *CFUUIDRef;

/// The bytes of a CFUUID, in the order in which they are written.
typedef struct {
    UInt8 byte0, byte1, byte2, byte3, byte4, byte5, byte6, byte7;
    UInt8 byte8, byte9, byte10, byte11, byte12, byte13, byte14, byte15;
} CFUUIDBytes;

/// Returns the type id of CFUUID.
CF_EXPORT CFTypeID CFUUIDGetTypeID(void);
/// Creates a new identifier from random bytes (version 4). The caller owns it.
CF_EXPORT CFUUIDRef CFUUIDCreate(CFAllocatorRef alloc);
/// Returns the identifier with these bytes. The caller owns a reference. The result may be an
/// existing object, which `alloc` did not allocate.
CF_EXPORT CFUUIDRef CFUUIDCreateWithBytes(CFAllocatorRef alloc, UInt8 byte0, UInt8 byte1,
                                          UInt8 byte2, UInt8 byte3, UInt8 byte4, UInt8 byte5,
                                          UInt8 byte6, UInt8 byte7, UInt8 byte8, UInt8 byte9,
                                          UInt8 byte10, UInt8 byte11, UInt8 byte12, UInt8 byte13,
                                          UInt8 byte14, UInt8 byte15);
/// Returns the identifier with these bytes. The caller owns a reference.
CF_EXPORT CFUUIDRef CFUUIDCreateFromUUIDBytes(CFAllocatorRef alloc, CFUUIDBytes bytes);
/// Returns the identifier that a string spells, such as 68753A44-4D6F-1226-9C60-0050E4C00067. The
/// caller owns a reference.
///
/// Letters may be small or capital. As in the original (Linux build), what precedes the first
/// hexadecimal digit is skipped, what follows the identifier is ignored, and in a string of another
/// form each pair that is not two digits counts as 00. Returns NULL if `uuidStr` is NULL or empty.
CF_EXPORT CFUUIDRef CFUUIDCreateFromString(CFAllocatorRef alloc, CFStringRef uuidStr);
/// Creates a string that spells the identifier, with capital letters. The caller owns it.
CF_EXPORT CFStringRef CFUUIDCreateString(CFAllocatorRef alloc, CFUUIDRef uuid);
/// Returns the identifier with these bytes. It is never deallocated, and the caller does not own
/// it. A header can define a constant with this function.
CF_EXPORT CFUUIDRef CFUUIDGetConstantUUIDWithBytes(CFAllocatorRef alloc, UInt8 byte0, UInt8 byte1,
                                                   UInt8 byte2, UInt8 byte3, UInt8 byte4,
                                                   UInt8 byte5, UInt8 byte6, UInt8 byte7,
                                                   UInt8 byte8, UInt8 byte9, UInt8 byte10,
                                                   UInt8 byte11, UInt8 byte12, UInt8 byte13,
                                                   UInt8 byte14, UInt8 byte15);
/// Returns the bytes of an identifier.
CF_EXPORT CFUUIDBytes CFUUIDGetUUIDBytes(CFUUIDRef uuid);

CF_EXTERN_C_END

#endif
