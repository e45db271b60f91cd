// Model.c: the model for Programs.c. It changes stacks, and musl has no functions for that.
#include "CTests.h"
#if defined(__GLIBC__)
#include "../../Programs/CRunLoopModel/Model.c"
#endif
