/// CFNumber.h: numbers and truth values as objects.
///
/// Both are immutable, so any number of threads may use one at the same time. NULL instead of an
/// object aborts the program with a message that names the function.
#if !defined(__COREFOUNDATION_CFNUMBER__)
#define __COREFOUNDATION_CFNUMBER__ 1

#include "CFBase.h"

CF_EXTERN_C_BEGIN

// MARK: - CFBoolean

/// A truth value. There are two objects, kCFBooleanTrue and kCFBooleanFalse.
typedef const struct CF_BRIDGED_TYPE(NSNumber) __CFBoolean *CFBooleanRef;
/// The truth value true. CFRetain and CFRelease do nothing to it.
CF_EXPORT const CFBooleanRef kCFBooleanTrue;
/// The truth value false. CFRetain and CFRelease do nothing to it.
CF_EXPORT const CFBooleanRef kCFBooleanFalse;
/// Returns the type id of CFBoolean.
CF_EXPORT CFTypeID CFBooleanGetTypeID(void);
/// Returns whether the object is kCFBooleanTrue.
CF_EXPORT Boolean CFBooleanGetValue(CFBooleanRef boolean);

// MARK: - CFNumber

/// The C types of numbers. Those with a size in their names, and the names for C's own types.
typedef CF_ENUM(CFIndex, CFNumberType) {
    kCFNumberSInt8Type = 1,
    kCFNumberSInt16Type = 2,
    kCFNumberSInt32Type = 3,
    kCFNumberSInt64Type = 4,
    kCFNumberFloat32Type = 5,
    kCFNumberFloat64Type = 6,
    /// char; it is treated as signed.
    kCFNumberCharType = 7,
    kCFNumberShortType = 8,
    kCFNumberIntType = 9,
    kCFNumberLongType = 10,
    kCFNumberLongLongType = 11,
    kCFNumberFloatType = 12,
    kCFNumberDoubleType = 13,
    kCFNumberCFIndexType = 14,
    /// NSInteger: a CFIndex.
    kCFNumberNSIntegerType = 15,
    /// CGFloat: a double.
    kCFNumberCGFloatType = 16,
    kCFNumberMaxType = 16
};

/// A number. Two are equal if CFNumberCompare says so, whatever their types are.
typedef const struct CF_BRIDGED_TYPE(NSNumber) __CFNumber *CFNumberRef;
/// The number +infinity. CFNumberCreate returns it for this value.
CF_EXPORT const CFNumberRef kCFNumberPositiveInfinity;
/// The number -infinity. CFNumberCreate returns it for this value.
CF_EXPORT const CFNumberRef kCFNumberNegativeInfinity;
/// Not a number. CFNumberCreate returns it for such a value.
CF_EXPORT const CFNumberRef kCFNumberNaN;
/// Returns the type id of CFNumber.
CF_EXPORT CFTypeID CFNumberGetTypeID(void);
/// Creates a number from the value of type `theType` at `valuePtr`. The caller owns it.
///
/// The result may be an existing object. Returns NULL if no memory is available, if `theType` is
/// none of the types above, or if `valuePtr` is NULL. (In the original, all versions, the latter
/// two are undefined.)
CF_EXPORT CFNumberRef CFNumberCreate(CFAllocatorRef allocator, CFNumberType theType,
                                     const void *valuePtr);
/// Returns the type in which the number is stored: one of the six with a size in their names.
///
/// It may differ from the type in CFNumberCreate. As in the original (Linux build), the integers
/// from -1 to 12 are kCFNumberSInt32Type.
CF_EXPORT CFNumberType CFNumberGetType(CFNumberRef number);
/// Returns the size in bytes of a value of the type in which the number is stored.
CF_EXPORT CFIndex CFNumberGetByteSize(CFNumberRef number);
/// Returns whether the number is stored as a floating-point value.
CF_EXPORT Boolean CFNumberIsFloatType(CFNumberRef number);
/// Stores the number at `valuePtr` as a value of type `theType`, and returns whether that value is
/// exact.
///
/// If it returns false, it has stored an approximation: a fraction is cut off, an integer loses its
/// upper bits, and a floating-point number outside the range of an integer type becomes the least
/// integer of 32 or 64 bits, or 0 in a smaller type. As in the original (Linux build), not a number
/// is exact only as a double. Returns false and stores nothing if `theType` is none of the types
/// above, or if `valuePtr` is NULL.
CF_EXPORT Boolean CFNumberGetValue(CFNumberRef number, CFNumberType theType, void *valuePtr);
/// Compares two numbers by their exact values, whatever their types are.
///
/// -0.0 is less than 0. Not a number is equal to itself, less than 0 and all positive numbers, and
/// greater than -0.0 and all negative ones. (In the original's Linux build, a negative integer is
/// greater than not a number, and than a number between -1 and 0.) `context` is not used. It lets
/// you cast this function to CFComparatorFunction.
CF_EXPORT CFComparisonResult CFNumberCompare(CFNumberRef number, CFNumberRef otherNumber,
                                             void *context);

CF_EXTERN_C_END

#endif
