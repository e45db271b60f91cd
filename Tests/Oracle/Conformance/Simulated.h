/// Simulated.h: random programs on the simulated kernel.
#if !defined(SIMULATED_H)
#define SIMULATED_H 1

#include "Program.h"

/// Prints a program as text that LoopProgram.h reads.
void printAsText(FILE *out, const Program *program);

/// Performs a determinate program on the simulated kernel, and returns whether its callbacks and results are those of the model's log. If not,
/// prints the program and both.
bool agreesOnSimulatedKernel(const Program *program, const char *model);

#endif
