/// RunProgram.c: performs the program in a text (Documentation/Reference/programs.md) on the
/// simulated kernel. Scripts/check-book compiles it as a command, and Scripts/build-wasm as a module
/// for web pages, which has the functions `text` and `perform`. People use `RunLoopLab play`.
#include "CRunLoopSimulated.c"
#include "../CRunLoopModel/LoopProgram.c"
#include "PerformProgram.c"

static char text[65536];
static LoopProgram program;

#if defined(__wasm__)

/// Returns where the page writes a program, as a text that ends in a zero.
__attribute__((export_name("text"))) char *textOfPage(void) { return text; }

/// Performs that program, and returns its log; or what is wrong with it.
__attribute__((export_name("perform"))) const char *performText(uint32_t seed, int isQuiet) {
    if (!loopProgramRead(&program, text)) return program.error;
    SimulationResult result = performSimulated(&program,
                                               (Simulation){.seed = seed, .isQuiet = isQuiet != 0});
    return result.log ? result.log : "";
}

#else

/// RunProgram < PROGRAM
int main(void) {
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    if (!loopProgramRead(&program, text)) return fprintf(stderr, "%s\n", program.error), 2;
    SimulationResult result = performSimulated(&program, (Simulation){.isQuiet = true});
    if (result.log) fputs(result.log, stdout);
    return result.isDeadlocked;
}

#endif
