/// CFDate.h: points in time, as seconds and as objects.
///
/// All times are absolute times: seconds, with a fraction, since 1 January 2001, 00:00 GMT. Earlier
/// times are negative. They follow the wall clock, which can be set. The run loop itself measures
/// by the monotonic clock, which never jumps.
///
/// You may call every function on any thread. NULL instead of a CFDate aborts the program with a
/// message.
#if !defined(__COREFOUNDATION_CFDATE__)
#define __COREFOUNDATION_CFDATE__ 1

#include "CFBase.h"

CF_EXTERN_C_BEGIN

/// A span of time, in seconds.
typedef double CFTimeInterval;
/// A point in time: seconds since 1 January 2001, 00:00 GMT.
typedef CFTimeInterval CFAbsoluteTime;

/// Returns the present time by the wall clock. You may also call it in a signal handler.
CF_EXPORT CFAbsoluteTime CFAbsoluteTimeGetCurrent(void);

/// The seconds from 1 January 1970, where Unix time begins, to 1 January 2001.
///
/// Add it to an absolute time to get Unix time.
CF_EXPORT const CFTimeInterval kCFAbsoluteTimeIntervalSince1970;
/// The seconds from 1 January 1904, where the time of the first Macs began, to 1 January 2001.
CF_EXPORT const CFTimeInterval kCFAbsoluteTimeIntervalSince1904;

/// An absolute time as an object. It is immutable.
typedef const struct __CFDate *CFDateRef;

/// Returns the type id of CFDate.
CF_EXPORT CFTypeID CFDateGetTypeID(void);

/// Creates a date, which the caller owns. Returns NULL if no memory is available.
CF_EXPORT CFDateRef CFDateCreate(CFAllocatorRef allocator, CFAbsoluteTime at);

/// Returns a date's time.
CF_EXPORT CFAbsoluteTime CFDateGetAbsoluteTime(CFDateRef theDate);

/// Returns the seconds from `otherDate` to `theDate`.
///
/// The result is negative if `theDate` is earlier.
CF_EXPORT CFTimeInterval CFDateGetTimeIntervalSinceDate(CFDateRef theDate, CFDateRef otherDate);

/// Compares two dates. The earlier one is the lesser.
///
/// `context` is not used. It lets you cast this function to CFComparatorFunction.
CF_EXPORT CFComparisonResult CFDateCompare(CFDateRef theDate, CFDateRef otherDate, void *context);

CF_EXTERN_C_END

#endif
