/// Simulate.h: random programs by the million on the simulated kernel.
#if !defined(SIMULATE_H)
#define SIMULATE_H 1

#include <stdint.h>

/// Performs the programs of these seeds, in a process for each processor. Prints the first failures, each shrunk to the text of a short
/// program, and how many programs there were. Returns how many failed.
long simulate(uint64_t from, uint64_t to);

/// Prints the program of several threads that a seed makes, as text, with the command that performs it.
void simulatePrint(uint64_t seed);

#endif
