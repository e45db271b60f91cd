/// CFAvailability.h: macros that declare enumerations, and macros that say in which system a
/// declaration first appeared.
///
/// The names are those of the toolchain's header (Linux build). Code that is also compiled for a
/// Mac uses them. A macro about a version of macOS or iOS is empty, because no version of these is
/// the system here.
#if !defined(__COREFOUNDATION_CFAVAILABILITY__)
#define __COREFOUNDATION_CFAVAILABILITY__ 1

#include "CFTargetConditionals.h"

// MARK: - What the compiler can do
//
// CF_HAS_FEATURE and CF_HAS_ATTRIBUTE are 0 for a compiler that cannot say. (The toolchain's header
// defines __has_feature itself for such a compiler. That would tell other headers a lie.)

#if defined(__has_feature)
#define CF_HAS_FEATURE(feature) __has_feature(feature)
#else
#define CF_HAS_FEATURE(feature) 0
#endif
#if defined(__has_attribute)
#define CF_HAS_ATTRIBUTE(attribute) __has_attribute(attribute)
#else
#define CF_HAS_ATTRIBUTE(attribute) 0
#endif

// MARK: - Availability

#if !defined(API_AVAILABLE)
#define API_AVAILABLE(...)
#endif
#define CF_AVAILABLE(_mac, _ios)
#define CF_DEPRECATED(_macIntro, _macDep, _iosIntro, ...)

/// Marks a declaration that Swift must not use. `_msg` is the compiler's message.
#if CF_HAS_FEATURE(attribute_availability_swift)
#define CF_SWIFT_UNAVAILABLE(_msg) __attribute__((availability(swift, unavailable, message = _msg)))
#else
#define CF_SWIFT_UNAVAILABLE(_msg)
#endif

// MARK: - Enumerations

#if CF_HAS_ATTRIBUTE(enum_extensibility)
#define __CF_ENUM_ATTRIBUTES __attribute__((enum_extensibility(open)))
#define __CF_CLOSED_ENUM_ATTRIBUTES __attribute__((enum_extensibility(closed)))
#define __CF_OPTIONS_ATTRIBUTES __attribute__((flag_enum, enum_extensibility(open)))
#else
#define __CF_ENUM_ATTRIBUTES
#define __CF_CLOSED_ENUM_ATTRIBUTES
#define __CF_OPTIONS_ATTRIBUTES
#endif

/// Declares constants of an integer type. With a name, it also declares a type for them:
///
///     typedef CF_ENUM(CFIndex, Color) { kColorRed, kColorGreen };
///     CF_ENUM(CFIndex) { kAnswer = 42 };
///
/// Other constants may be added to the type later.
#define CF_ENUM(...) \
    __CF_ENUM_GET_MACRO(__VA_ARGS__, __CF_NAMED_ENUM, __CF_ANON_ENUM, )(__VA_ARGS__)
#define __CF_ENUM_GET_MACRO(_1, _2, NAME, ...) NAME

// clang and C++ have enumerations of a fixed type in every standard. gcc has them in C from version
// 13 on. Without them the type is the plain integer type, and the constants are ints.
#if (defined(__cplusplus) && __cplusplus >= 201103L) || defined(__clang__)
#define __CF_NAMED_ENUM(_type, _name) \
    __CF_FIXED_ENUM(__CF_ENUM_ATTRIBUTES, _type, _name, __CF_ENUM_##_name)
#define __CF_ANON_ENUM(_type) __extension__ enum __CF_ENUM_ATTRIBUTES : _type
/// Declares an enumeration to which nothing will ever be added. Swift then accepts a `switch`
/// without a default.
#define CF_CLOSED_ENUM(_type, _name) \
    __CF_FIXED_ENUM(__CF_CLOSED_ENUM_ATTRIBUTES, _type, _name, __CF_ENUM_##_name)
/// Declares a set of flags. A value of the type is any combination of them.
///
/// In C++ the type is the integer type, because the result of `|` would need a cast otherwise.
#if defined(__cplusplus)
#define CF_OPTIONS(_type, _name) \
    _type _name; \
    enum __CF_OPTIONS_ATTRIBUTES : _type
#else
#define CF_OPTIONS(_type, _name) \
    __CF_FIXED_ENUM(__CF_OPTIONS_ATTRIBUTES, _type, _name, __CF_OPTIONS_##_name)
#endif
// `typedef` stands before the macro and declares `_unused`, a name that nothing needs.
#define __CF_FIXED_ENUM(_attributes, _type, _name, _unused) \
    int _unused; \
    __extension__ enum _attributes _name : _type; \
    typedef enum _name _name; \
    __extension__ enum _name : _type
#else
#define __CF_NAMED_ENUM(_type, _name) _type _name; enum
#define __CF_ANON_ENUM(_type) enum
#define CF_CLOSED_ENUM(_type, _name) _type _name; enum
#define CF_OPTIONS(_type, _name) _type _name; enum
#endif

/// Declares the error codes of a domain, with or without a name for the type, like CF_ENUM.
#define CF_ERROR_ENUM(...) \
    __CF_ENUM_GET_MACRO(__VA_ARGS__, __CF_NAMED_ERROR_ENUM, __CF_ANON_ERROR_ENUM, )(__VA_ARGS__)
#define __CF_NAMED_ERROR_ENUM(_domain, _name) __CF_NAMED_ENUM(CFIndex, _name)
#define __CF_ANON_ERROR_ENUM(_domain) __CF_ANON_ENUM(CFIndex)

// Marks a typedef of CFStringRef whose values are a list of constants. On Linux the toolchain's
// header leaves it empty.
#define CF_EXTENSIBLE_STRING_ENUM

#endif
