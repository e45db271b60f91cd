/// Threads.h: random programs of several threads, each with a loop of its own.
#if !defined(THREADS_H)
#define THREADS_H 1

#include "LoopProgram.h"
#include <stdint.h>

/// Makes the program of a seed. Whatever its threads do, all runs have limits, and each action that gives a loop work is followed by a wake-up
/// of that loop. So it ends, and no loop may sleep while it has work.
void threadsMake(LoopProgram *program, uint64_t seed);

#endif
