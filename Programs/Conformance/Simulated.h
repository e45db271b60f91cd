/// Simulated.h: random programs on the simulated kernel.
#if !defined(SIMULATED_H)
#define SIMULATED_H 1

#include "LoopProgram.h"
#include "Program.h"

/// Prints a program as text that LoopProgram.h reads.
void printAsText(FILE *out, const Program *program);

/// Performs the determinate programs of a seed (Program.h). Returns how many there are, or -1 if one does not do what the model predicts.
int simulateModelled(uint64_t seed);
/// Prints those that do not, shortened, with what they do and what the model predicts.
void simulateReport(uint64_t seed);

/// Performs a program of several threads; `order` decides who goes first. Returns NULL, or its log and the rule that it breaks, until the next
/// call.
char *simulateThreads(const LoopProgram *program, uint64_t order);

#endif
