// RandomPrograms.c: programs made of random numbers, and what the model says of them, for Programs.c.
#include "CTests.h"
#if defined(__GLIBC__)
#include "../../Programs/CRunLoopModel/Prediction.c"
#include "../../Programs/CRunLoopModel/Program.c"
#endif
