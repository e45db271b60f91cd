/// RunProgram.c: performs the program in a text (Documentation/Reference/programs.md) on the
/// simulated kernel. Scripts/check-book compiles it as a command, and Scripts/broken-loop compiles
/// it with copies of the sources that have lines which can be broken. People use `RunLoopLab play`.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/// The number of the line that is broken (Facts/breaks.tsv); 0: none. Only the copies
/// look at it.
static int __CFBroken;

#include "CRunLoopSimulated.c"
#include "../CRunLoopModel/LoopProgram.c"
#include "PerformProgram.c"

static char text[65536];
static LoopProgram program;
enum { mostLines = 100000, mostSeconds = 10 }; // a program may have no end

static void stop(int number) { SimulationStop(); }

/// RunProgram [BREAK [SEED]] < PROGRAM
int main(int count, char **words) {
    if (count > 1) __CFBroken = atoi(words[1]);
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    if (!loopProgramRead(&program, text)) return fprintf(stderr, "%s\n", program.error), 2;
    signal(SIGALRM, stop);
    alarm(mostSeconds);
    SimulationResult result = performSimulated(&program, (Simulation){
        .seed = count > 2 ? strtoull(words[2], NULL, 10) : 0,
        .isQuiet = true, .mostLines = mostLines});
    if (result.log) fputs(result.log, stdout);
    return result.isDeadlocked || result.isStopped || result.isAborted;
}
