/// CFDate.h: points in time.
///
/// All times are absolute times: seconds, with a fraction, since 1 January 2001, 00:00 GMT. Earlier
/// times are negative. They follow the wall clock, which can be set. The run loop itself measures
/// by the monotonic clock, which never jumps.
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

CF_EXTERN_C_END

#endif
