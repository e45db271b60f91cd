/// CFNumber.h: truth values as objects. It has the name that the header has on a Mac.
///
/// You may call each function on any thread. NULL instead of an object aborts the program with a
/// message that names the function.
#if !defined(__COREFOUNDATION_CFNUMBER__)
#define __COREFOUNDATION_CFNUMBER__ 1

#include "CFBase.h"

CF_EXTERN_C_BEGIN

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

CF_EXTERN_C_END

#endif
