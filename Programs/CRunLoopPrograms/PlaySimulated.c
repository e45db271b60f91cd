/// PlaySimulated.c: performs programs on the simulated kernel. The library that it includes is
/// static, so it can stand in a process beside the one on Linux.
#include "CRunLoopSimulated.c"
#include "PerformProgram.c"
#include "include/PlayProgram.h"

PlayResult playSimulated(const LoopProgram *program, uint64_t seed, bool isQuiet, size_t mostLines,
                         FILE *out) {
    SimulationResult result = performSimulated(program, (Simulation){
        .seed = seed, .isQuiet = isQuiet, .mostLines = mostLines});
    if (result.log) fputs(result.log, out);
    free(result.log);
    if (result.isStopped) return playIsStopped;
    return result.isDeadlocked || result.isAborted ? playFails : playEnds;
}

void playStop(void) { SimulationStop(); }
