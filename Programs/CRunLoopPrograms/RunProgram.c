/// RunProgram.c: performs the program in a text (Documentation/Reference/programs.md) on the
/// simulated kernel. Scripts/check-book compiles it as a command. People use `RunLoopLab play`.
#include "CRunLoopSimulated.c"
#include "../CRunLoopModel/LoopProgram.c"
#include "PerformProgram.c"

static char text[65536];
static LoopProgram program;

/// RunProgram < PROGRAM
int main(void) {
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    if (!loopProgramRead(&program, text)) return fprintf(stderr, "%s\n", program.error), 2;
    SimulationResult result = performSimulated(&program, (Simulation){.isQuiet = true});
    if (result.log) fputs(result.log, stdout);
    return result.isDeadlocked;
}
