/// CFData.h: bytes.
///
/// A CFData holds a number of bytes, immutable or mutable. CFSocket passes what it has read, and
/// addresses, as CFData.
///
/// These rules apply to every function below:
///
/// - Any number of threads may use an immutable CFData at the same time. Only one thread at a time
///   may use a mutable one.
/// - NULL instead of an object aborts the program with a message that names the function. So does a
///   range outside the bytes, a negative length, and NULL bytes with a length other than 0. A
///   change to an immutable CFData changes nothing and writes a line to stderr. (The original's
///   Linux build does not notice some of these, and reads or writes outside the bytes.)
/// - If a function's name contains Create, the caller owns the result. The result is NULL if no
///   memory is available.
// [D67]
#if !defined(__COREFOUNDATION_CFDATA__)
#define __COREFOUNDATION_CFDATA__ 1

#include "CFBase.h"

CF_EXTERN_C_BEGIN

/// Bytes. Two are equal if they have the same bytes.
typedef const struct CF_BRIDGED_TYPE(NSData) __CFData *CFDataRef;
/// Bytes that can be changed.
typedef struct CF_BRIDGED_MUTABLE_TYPE(NSMutableData) __CFData *CFMutableDataRef;

/// Returns the type id of CFData, mutable or not.
CF_EXPORT CFTypeID CFDataGetTypeID(void);

// MARK: - Creating

/// Creates an immutable CFData with a copy of `length` bytes.
CF_EXPORT CFDataRef CFDataCreate(CFAllocatorRef allocator, const UInt8 *bytes, CFIndex length);
/// Creates an immutable CFData with the same bytes.
///
/// The result may be `theData` itself, retained, if that is immutable.
CF_EXPORT CFDataRef CFDataCreateCopy(CFAllocatorRef allocator, CFDataRef theData);
/// Creates an empty mutable CFData.
///
/// `capacity` is the largest number of bytes that it may have; 0 means any number. If a later
/// change exceeds it, the program aborts, as it does in the original (Linux build).
CF_EXPORT CFMutableDataRef CFDataCreateMutable(CFAllocatorRef allocator, CFIndex capacity);
/// Creates a mutable CFData with the same bytes. For `capacity` see CFDataCreateMutable.
CF_EXPORT CFMutableDataRef CFDataCreateMutableCopy(CFAllocatorRef allocator, CFIndex capacity,
                                                   CFDataRef theData);

// MARK: - Reading

/// Returns the number of bytes.
CF_EXPORT CFIndex CFDataGetLength(CFDataRef theData);
/// Returns the address of the bytes.
///
/// It is valid until the object is changed or deallocated. It may be NULL if there are no bytes.
CF_EXPORT const UInt8 *CFDataGetBytePtr(CFDataRef theData);
/// Returns the address of the bytes of a mutable CFData, which you may change in place.
///
/// It is valid until the length is changed. Returns NULL, and writes a line to stderr, if `theData`
/// is immutable.
CF_EXPORT UInt8 *CFDataGetMutableBytePtr(CFMutableDataRef theData);
/// Copies the bytes of a range into `buffer`.
CF_EXPORT void CFDataGetBytes(CFDataRef theData, CFRange range, UInt8 *buffer);

// MARK: - Changing

/// Changes the number of bytes. New bytes are 0.
CF_EXPORT void CFDataSetLength(CFMutableDataRef theData, CFIndex length);
/// Adds a copy of `length` bytes at the end. They may be bytes of `theData` itself.
CF_EXPORT void CFDataAppendBytes(CFMutableDataRef theData, const UInt8 *bytes, CFIndex length);
CF_EXTERN_C_END

#endif
