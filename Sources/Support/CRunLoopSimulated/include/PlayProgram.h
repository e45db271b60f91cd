/// PlayProgram.h: performs the text of a program (Documentation/Reference/programs.md) on either
/// kernel, or on another run loop, and writes its log. `RunLoopLab play` uses it.
#if !defined(PLAY_PROGRAM_H)
#define PLAY_PROGRAM_H 1

#include <CFRunLoopTable.h>
#include <LoopProgram.h>
#include <stdint.h>

/// Performs a program on the simulated kernel, and writes its log. If `isQuiet`, the log has only
/// what the program does. Returns false if all its threads wait forever, or the library aborts; the
/// log says who waits for what, or why.
bool playSimulated(const LoopProgram *program, uint64_t seed, bool isQuiet, FILE *out);

/// Performs a program on the run loop of a table, in real time, and writes each line as it happens.
/// Only the main thread may call it, once in a process.
void playOnTable(const LoopProgram *program, const CFRunLoopTable *table, FILE *out);

#endif
