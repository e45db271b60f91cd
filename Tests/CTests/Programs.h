/// Programs.h: performs programs on the simulated kernel for Programs.c (SimulationTests.c, which has the library once more for that).
#if !defined(PROGRAMS_H)
#define PROGRAMS_H 1

#include "../../Programs/CRunLoopModel/include/LoopProgram.h"

/// Returns the log of a program, which the caller frees. Fails if a rule that holds for every program is broken, or if something is left
/// allocated.
char *LogOnSimulatedKernel(const LoopProgram *program);

#endif
