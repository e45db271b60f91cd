/// RunProgram.c: performs the program in a text (Documentation/Reference/programs.md).
/// Scripts/run-program compiles it as a command, with or without REAL_KERNEL, and
/// Scripts/build-wasm as a module for web pages, which has the functions `text` and `perform`.
#if !defined(REAL_KERNEL)
#include "CRunLoopSimulated.c"
#else
#define _GNU_SOURCE 1
#include <CoreFoundation/CoreFoundation.h>
#include <stdatomic.h>
#endif
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

/// RunProgram quiet|kernel SEED < PROGRAM. Exit status: 0, 1 after a deadlock, 2 if the program is
/// wrong.
int main(int argc, char **argv) {
    if (argc != 3) return 2;
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    if (!loopProgramRead(&program, text)) return fprintf(stderr, "%s\n", program.error), 2;
#if defined(REAL_KERNEL)
    fputs(performReally(&program), stdout);
    return 0;
#else
    Simulation simulation = {.seed = strtoull(argv[2], NULL, 10),
                             .isQuiet = strcmp(argv[1], "quiet") == 0};
    SimulationResult result = performSimulated(&program, simulation);
    if (result.log) fputs(result.log, stdout);
    return result.isDeadlocked;
#endif
}

#endif
