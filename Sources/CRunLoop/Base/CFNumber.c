/// CFNumber.c: numbers and truth values as objects.
///
/// A number is stored as an integer of 64 bits or as a double, together with the type that its
/// client gave. A double holds every float exactly, so nothing is lost.
#include "CFInternal.h"
#include <math.h>

// MARK: - CFBoolean

struct __CFBoolean {
    CFRuntimeBase _base;
};

static CFStringRef __CFBooleanCopyFormattingDescription(CFTypeRef cf,
                                                        CFDictionaryRef formatOptions) {
    return cf == kCFBooleanTrue ? CFSTR("true") : CFSTR("false");
}

static CFStringRef __CFBooleanCopyDescription(CFTypeRef cf) {
    return CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                    CFSTR("<CFBoolean %p [%p]>{value = %s}"), cf,
                                    CFGetAllocator(cf), cf == kCFBooleanTrue ? "true" : "false");
}

CF_SHARED const CFRuntimeClass __CFBooleanClass = {
    .typeID = _kCFRuntimeIDCFBoolean,
    .className = "CFBoolean",
    .copyFormattingDesc = __CFBooleanCopyFormattingDescription,
    .copyDebugDesc = __CFBooleanCopyDescription,
};

static const struct __CFBoolean __kCFBooleanTrue = {INIT_CFRUNTIME_BASE(__CFBooleanClass)};
static const struct __CFBoolean __kCFBooleanFalse = {INIT_CFRUNTIME_BASE(__CFBooleanClass)};
static const CFBooleanRef kCFBooleanTrue = &__kCFBooleanTrue;
static const CFBooleanRef kCFBooleanFalse = &__kCFBooleanFalse;

CFTypeID CFBooleanGetTypeID(void) {
    return _kCFRuntimeIDCFBoolean;
}

Boolean CFBooleanGetValue(CFBooleanRef boolean) {
    if (CF_UNLIKELY(!boolean)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return boolean == kCFBooleanTrue;
}

// MARK: - Numbers and their types

struct __CFNumber {
    CFRuntimeBase _base;
    CFNumberType _type; // one of the six with a size in their names
    union {
        int64_t integer;
        double real;    // of the two types of floating-point numbers
    } _value;
};

/// Returns the type with a size in its name that is the same as `type`, or 0 for no type.
static CFNumberType __CFNumberCanonicalType(CFNumberType type) {
    switch (type) {
    case kCFNumberSInt8Type:
    case kCFNumberCharType: return kCFNumberSInt8Type;
    case kCFNumberSInt16Type:
    case kCFNumberShortType: return kCFNumberSInt16Type;
    case kCFNumberSInt32Type:
    case kCFNumberIntType: return kCFNumberSInt32Type;
    case kCFNumberSInt64Type:
    case kCFNumberLongLongType: return kCFNumberSInt64Type;
    case kCFNumberLongType:
    case kCFNumberCFIndexType:
    case kCFNumberNSIntegerType:
        return sizeof(long) == 8 ? kCFNumberSInt64Type : kCFNumberSInt32Type;
    case kCFNumberFloat32Type:
    case kCFNumberFloatType: return kCFNumberFloat32Type;
    case kCFNumberCGFloatType:
        return sizeof(long) == 8 ? kCFNumberFloat64Type : kCFNumberFloat32Type;
    case kCFNumberFloat64Type:
    case kCFNumberDoubleType: return kCFNumberFloat64Type;
    default: return (CFNumberType)0;
    }
}

static const char *__CFNumberTypeName(CFNumberType type) {
    static const char *const names[] = {"SInt8", "SInt16", "SInt32", "SInt64", "Float32",
                                        "Float64"};
    return names[type - kCFNumberSInt8Type];
}

static Boolean __CFNumberTypeIsFloat(CFNumberType type) {
    return type == kCFNumberFloat32Type || type == kCFNumberFloat64Type;
}

/// Reads a value of one of the six types.
static void __CFNumberRead(struct __CFNumber *number, CFNumberType type, const void *valuePtr) {
    int8_t int8;
    int16_t int16;
    int32_t int32;
    float float32;
    number->_type = type;
    // The address may not be aligned for the type.
    switch (type) {
    case kCFNumberSInt8Type:
        number->_value.integer = (memcpy(&int8, valuePtr, 1), int8);
        return;
    case kCFNumberSInt16Type:
        number->_value.integer = (memcpy(&int16, valuePtr, 2), int16);
        return;
    case kCFNumberSInt32Type:
        number->_value.integer = (memcpy(&int32, valuePtr, 4), int32);
        return;
    case kCFNumberFloat32Type:
        number->_value.real = (memcpy(&float32, valuePtr, 4), float32);
        return;
    default: memcpy(&number->_value, valuePtr, 8);
    }
}

// MARK: - Comparison

/// Returns the order of an integer and a double that is neither NaN nor -0.0. A double of less than
/// 2^63 has an integral part that an int64_t holds, so nothing is rounded.
static CFComparisonResult __CFNumberCompareIntegerAndReal(int64_t integer, double real) {
    if (real >= 9223372036854775808.0) return kCFCompareLessThan;
    if (real < -9223372036854775808.0) return kCFCompareGreaterThan;
    int64_t whole = (int64_t)real;
    if (integer != whole) return integer < whole ? kCFCompareLessThan : kCFCompareGreaterThan;
    double fraction = real - (double)whole;
    if (fraction == 0) return kCFCompareEqualTo;
    return fraction > 0 ? kCFCompareLessThan : kCFCompareGreaterThan;
}

static CFComparisonResult __CFNumberCompareReals(double real1, double real2) {
    if (real1 < real2) return kCFCompareLessThan;
    return real1 > real2 ? kCFCompareGreaterThan : kCFCompareEqualTo;
}

/// -0.0 and NaN stand at fixed places between the negative numbers and 0, in this order. This
/// returns 1 and 2 for them, 0 for a negative number, and 3 for 0 and for a positive one. [D68]
static int __CFNumberPlace(CFNumberRef number) {
    if (!__CFNumberTypeIsFloat(number->_type)) return number->_value.integer < 0 ? 0 : 3;
    double real = number->_value.real;
    if (isnan(real)) return 2;
    if (real == 0) return signbit(real) ? 1 : 3;
    return real < 0 ? 0 : 3;
}

CFComparisonResult CFNumberCompare(CFNumberRef number, CFNumberRef otherNumber, void *context) {
    if (CF_UNLIKELY(!number || !otherNumber))
        __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    int place = __CFNumberPlace(number), otherPlace = __CFNumberPlace(otherNumber);
    if (place != otherPlace) return place < otherPlace ? kCFCompareLessThan : kCFCompareGreaterThan;
    if (place == 1 || place == 2) return kCFCompareEqualTo;
    Boolean isReal = __CFNumberTypeIsFloat(number->_type);
    Boolean otherIsReal = __CFNumberTypeIsFloat(otherNumber->_type);
    if (isReal && otherIsReal)
        return __CFNumberCompareReals(number->_value.real, otherNumber->_value.real);
    if (otherIsReal)
        return __CFNumberCompareIntegerAndReal(number->_value.integer, otherNumber->_value.real);
    if (isReal)
        return (CFComparisonResult)-__CFNumberCompareIntegerAndReal(otherNumber->_value.integer,
                                                                     number->_value.real);
    int64_t value = number->_value.integer, otherValue = otherNumber->_value.integer;
    if (value == otherValue) return kCFCompareEqualTo;
    return value < otherValue ? kCFCompareLessThan : kCFCompareGreaterThan;
}

static Boolean __CFNumberEqual(CFTypeRef cf1, CFTypeRef cf2) {
    return CFNumberCompare(cf1, cf2, NULL) == kCFCompareEqualTo;
}

/// Equal numbers of different types are the same double after conversion, so they have the same
/// hash.
static CFHashCode __CFNumberHash(CFTypeRef cf) {
    CFNumberRef number = cf;
    double value = __CFNumberTypeIsFloat(number->_type) ? number->_value.real
        : (double)number->_value.integer;
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    bits *= 0x9E3779B97F4A7C15; // see __CFDateHash
    return (CFHashCode)(bits ^ (bits >> 32));
}

// MARK: - Description

/// Returns the text of infinity, not a number and the two zeros, or NULL for any other number.
static const char *__CFNumberSpecialText(double real, Boolean hasSign) {
    if (isnan(real)) return "nan";
    if (isinf(real)) return real > 0 ? "+infinity" : "-infinity";
    if (real != 0) return NULL;
    if (!hasSign) return "0.0";
    return signbit(real) ? "-0.0" : "+0.0";
}

static CFStringRef __CFNumberCopyFormattingDescription(CFTypeRef cf,
                                                       CFDictionaryRef formatOptions) {
    CFNumberRef number = cf;
    if (!__CFNumberTypeIsFloat(number->_type))
        return CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, CFSTR("%lld"),
                                        (long long)number->_value.integer);
    const char *text = __CFNumberSpecialText(number->_value.real, false);
    if (text) return CFStringCreateWithCString(kCFAllocatorSystemDefault, text,
                                               kCFStringEncodingASCII);
    return CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, CFSTR("%.17g"),
                                    number->_value.real);
}

static CFStringRef __CFNumberCopyDescription(CFTypeRef cf) {
    CFNumberRef number = cf;
    char value[400]; // the largest double has 309 digits before its point
    const char *special = __CFNumberTypeIsFloat(number->_type)
        ? __CFNumberSpecialText(number->_value.real, true) : NULL;
    if (special) snprintf(value, sizeof(value), "%s", special);
    else if (number->_type == kCFNumberFloat64Type)
        snprintf(value, sizeof(value), "%+.20f", number->_value.real);
    else if (number->_type == kCFNumberFloat32Type)
        snprintf(value, sizeof(value), "%+.10f", number->_value.real);
    else snprintf(value, sizeof(value), "%+lld", (long long)number->_value.integer);
    return CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                    CFSTR("<CFNumber %p [%p]>{value = %s, type = kCFNumber%sType}"),
                                    cf, CFGetAllocator(cf), value,
                                    __CFNumberTypeName(number->_type));
}

CF_SHARED const CFRuntimeClass __CFNumberClass = {
    .typeID = _kCFRuntimeIDCFNumber,
    .className = "CFNumber",
    .equal = __CFNumberEqual,
    .hash = __CFNumberHash,
    .copyFormattingDesc = __CFNumberCopyFormattingDescription,
    .copyDebugDesc = __CFNumberCopyDescription,
};

CFTypeID CFNumberGetTypeID(void) {
    return _kCFRuntimeIDCFNumber;
}

// MARK: - Creating

#define CONST_NUMBER(REAL) \
    {INIT_CFRUNTIME_BASE(__CFNumberClass), kCFNumberFloat64Type, {.real = (REAL)}}
static const struct __CFNumber __kCFNumberPositiveInfinity = CONST_NUMBER(INFINITY);
static const struct __CFNumber __kCFNumberNegativeInfinity = CONST_NUMBER(-INFINITY);
static const struct __CFNumber __kCFNumberNaN = CONST_NUMBER(NAN);
static const CFNumberRef kCFNumberPositiveInfinity = &__kCFNumberPositiveInfinity;
static const CFNumberRef kCFNumberNegativeInfinity = &__kCFNumberNegativeInfinity;
static const CFNumberRef kCFNumberNaN = &__kCFNumberNaN;

/// The integers from -1 to 12, which programs create most often. They are constants, so
/// CFNumberCreate allocates nothing for them.
#define SMALL_NUMBER(INTEGER) \
    {INIT_CFRUNTIME_BASE(__CFNumberClass), kCFNumberSInt32Type, {.integer = (INTEGER)}}
enum { __kCFNumberLeastSmall = -1, __kCFNumberGreatestSmall = 12 };
static const struct __CFNumber
    __CFSmallNumbers[__kCFNumberGreatestSmall - __kCFNumberLeastSmall + 1] = {
    SMALL_NUMBER(-1), SMALL_NUMBER(0), SMALL_NUMBER(1), SMALL_NUMBER(2), SMALL_NUMBER(3),
    SMALL_NUMBER(4), SMALL_NUMBER(5), SMALL_NUMBER(6), SMALL_NUMBER(7), SMALL_NUMBER(8),
    SMALL_NUMBER(9), SMALL_NUMBER(10), SMALL_NUMBER(11), SMALL_NUMBER(12),
};

/// Returns the constant that is equal to a number and takes its place, or NULL.
static CFNumberRef __CFNumberConstant(const struct __CFNumber *number) {
    if (__CFNumberTypeIsFloat(number->_type)) {
        double real = number->_value.real;
        if (isnan(real)) return kCFNumberNaN;
        if (isinf(real)) return real > 0 ? kCFNumberPositiveInfinity : kCFNumberNegativeInfinity;
        return NULL;
    }
    int64_t integer = number->_value.integer;
    if (integer < __kCFNumberLeastSmall || integer > __kCFNumberGreatestSmall) return NULL;
    return &__CFSmallNumbers[integer - __kCFNumberLeastSmall];
}

CFNumberRef CFNumberCreate(CFAllocatorRef allocator, CFNumberType theType, const void *valuePtr) {
    CFNumberType type = __CFNumberCanonicalType(theType);
    if (!type || !valuePtr) return NULL;
    struct __CFNumber given;
    __CFNumberRead(&given, type, valuePtr);
    CFNumberRef constant = __CFNumberConstant(&given);
    if (constant) return constant;
    struct __CFNumber *number = (struct __CFNumber *)_CFRuntimeCreateInstance(
        allocator, &__CFNumberClass, sizeof(struct __CFNumber));
    if (!number) return NULL;
    number->_type = given._type;
    number->_value = given._value;
    return number;
}

// MARK: - Values

CFNumberType CFNumberGetType(CFNumberRef number) {
    if (CF_UNLIKELY(!number)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    return number->_type;
}

CFIndex CFNumberGetByteSize(CFNumberRef number) {
    static const CFIndex sizes[] = {1, 2, 4, 8, 4, 8};
    return sizes[CFNumberGetType(number) - kCFNumberSInt8Type];
}

Boolean CFNumberIsFloatType(CFNumberRef number) {
    return __CFNumberTypeIsFloat(CFNumberGetType(number));
}

/// Converts a double to an integer. C leaves undefined what becomes of a value that is too large.
/// Here it becomes the least integer of the type that the processor converts to (x86-64): of 32
/// bits, of which a smaller type gets the low ones, or of 64 bits.
static int64_t __CFNumberIntegerOfReal(double real, CFNumberType type) {
    if (type == kCFNumberSInt64Type)
        return real >= -9223372036854775808.0 && real < 9223372036854775808.0 ? (int64_t)real
            : INT64_MIN;
    return real > -2147483649.0 && real < 2147483648.0 ? (int32_t)real : INT32_MIN;
}

/// Stores an integer, which may lose its upper bits. Returns the integer that is stored.
static int64_t __CFNumberStoreInteger(int64_t integer, CFNumberType type, void *valuePtr) {
    int8_t int8 = (int8_t)integer;
    int16_t int16 = (int16_t)integer;
    int32_t int32 = (int32_t)integer;
    switch (type) {
    case kCFNumberSInt8Type: memcpy(valuePtr, &int8, 1); return int8;
    case kCFNumberSInt16Type: memcpy(valuePtr, &int16, 2); return int16;
    case kCFNumberSInt32Type: memcpy(valuePtr, &int32, 4); return int32;
    default: memcpy(valuePtr, &integer, 8); return integer;
    }
}

/// Stores a double, which may be rounded to a float. Returns the number that is stored.
static double __CFNumberStoreReal(double real, CFNumberType type, void *valuePtr) {
    float float32 = (float)real;
    if (type == kCFNumberFloat64Type) {
        memcpy(valuePtr, &real, 8);
        return real;
    }
    memcpy(valuePtr, &float32, 4);
    return float32;
}

Boolean CFNumberGetValue(CFNumberRef number, CFNumberType theType, void *valuePtr) {
    if (CF_UNLIKELY(!number)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    CFNumberType type = __CFNumberCanonicalType(theType);
    if (!type || !valuePtr) return false;
    if (__CFNumberTypeIsFloat(number->_type)) {
        double real = number->_value.real;
        if (__CFNumberTypeIsFloat(type))
            return __CFNumberStoreReal(real, type, valuePtr) == real || type == number->_type;
        int64_t integer = __CFNumberIntegerOfReal(real, type);
        return (double)__CFNumberStoreInteger(integer, type, valuePtr) == real
            && __CFNumberCompareIntegerAndReal(integer, real) == kCFCompareEqualTo;
    }
    int64_t integer = number->_value.integer;
    if (!__CFNumberTypeIsFloat(type))
        return __CFNumberStoreInteger(integer, type, valuePtr) == integer;
    // To a float directly, because an integer of 64 bits may be rounded on the way to a double.
    double stored = type == kCFNumberFloat32Type ? (double)(float)integer : (double)integer;
    __CFNumberStoreReal(stored, type, valuePtr);
    return __CFNumberCompareIntegerAndReal(integer, stored) == kCFCompareEqualTo;
}
