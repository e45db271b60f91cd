/// CFDate.h: points in time, as seconds and as objects.
///
/// All times are absolute times: seconds, with a fraction, since 1 January 2001, 00:00 GMT. Earlier times are negative. They
/// follow the wall clock, which somebody may set; what must not jump is measured by the monotonic clock inside the run loop.
#if !defined(__COREFOUNDATION_CFDATE__)
#define __COREFOUNDATION_CFDATE__ 1

#include "CFBase.h"

CF_EXTERN_C_BEGIN

/// A span of time, in seconds.
typedef double CFTimeInterval;
/// A point in time: seconds since 1 January 2001, 00:00 GMT.
typedef CFTimeInterval CFAbsoluteTime;

/// The time now, by the wall clock. Any thread; safe in a signal handler.
CF_EXPORT CFAbsoluteTime CFAbsoluteTimeGetCurrent(void);

/// The seconds from 1970, where Unix counts from, to 2001. Add it to an absolute time to get Unix time.
CF_EXPORT const CFTimeInterval kCFAbsoluteTimeIntervalSince1970;
/// The seconds from 1904, where the first Macs counted from, to 2001.
CF_EXPORT const CFTimeInterval kCFAbsoluteTimeIntervalSince1904;

/// An absolute time as an object. It cannot be changed.
typedef const struct __CFDate *CFDateRef;

/// The type id of CFDate.
CF_EXPORT CFTypeID CFDateGetTypeID(void);

/// Makes a date, which the caller owns. NULL when there is no memory.
CF_EXPORT CFDateRef CFDateCreate(CFAllocatorRef allocator, CFAbsoluteTime at);

/// The date's time. Any thread.
CF_EXPORT CFAbsoluteTime CFDateGetAbsoluteTime(CFDateRef theDate);

/// The seconds from `otherDate` to `theDate`; negative when `theDate` is the earlier one. Any thread.
CF_EXPORT CFTimeInterval CFDateGetTimeIntervalSinceDate(CFDateRef theDate, CFDateRef otherDate);

/// Which date is earlier; the earlier one is the lesser. `context` is not used: it makes this a CFComparatorFunction. Any thread.
CF_EXPORT CFComparisonResult CFDateCompare(CFDateRef theDate, CFDateRef otherDate, void *context);

CF_EXTERN_C_END

#endif
