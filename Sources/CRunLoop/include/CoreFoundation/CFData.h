/// CFData.h: bytes.
///
/// A CFData holds bytes that do not change. CFSocket passes what it has read, and addresses, as
/// CFData. Any number of threads may use one at the same time.
///
/// Bad input: NULL instead of an object, a negative length, and NULL bytes with a length other than
/// 0 abort the program with a message that names the function.
#if !defined(__COREFOUNDATION_CFDATA__)
#define __COREFOUNDATION_CFDATA__ 1

#include "CFBase.h"

CF_EXTERN_C_BEGIN

/// Bytes. Two are equal if they have the same bytes.
typedef const struct CF_BRIDGED_TYPE(NSData) __CFData *CFDataRef;

/// Returns the type id of CFData.
CF_EXPORT CFTypeID CFDataGetTypeID(void);

/// Creates a CFData with a copy of `length` bytes.
///
/// The caller owns it. Returns NULL if no memory is available.
CF_EXPORT CFDataRef CFDataCreate(CFAllocatorRef allocator, const UInt8 *bytes, CFIndex length);

/// Returns the number of bytes.
CF_EXPORT CFIndex CFDataGetLength(CFDataRef theData);
/// Returns the address of the bytes.
///
/// It is valid until the object is deallocated. It is NULL if there are no bytes.
CF_EXPORT const UInt8 *CFDataGetBytePtr(CFDataRef theData);

CF_EXTERN_C_END

#endif
