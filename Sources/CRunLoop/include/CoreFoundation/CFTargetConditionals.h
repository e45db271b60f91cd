/// CFTargetConditionals.h: TargetConditionals.h under the name that the current source gives it.
#if !defined(__COREFOUNDATION_CFTARGETCONDITIONALS__)
#define __COREFOUNDATION_CFTARGETCONDITIONALS__ 1

#include "../TargetConditionals.h"

#endif
