/// Perform.h: performs a program (Program.h) on a run loop.
#if !defined(PERFORM_H)
#define PERFORM_H 1

#include "Program.h"
#include "Stage.h"

/// The log of a program on one side, to be freed by the caller. `unit` is how many seconds the program's unit of time is. May be
/// called from any thread, and by several at the same time. A program for the main thread is performed in a child.
char *performProgram(const Program *program, Side side, double unit);

/// Performs a program on the calling thread and prints its log as it comes: what a child does.
void performProgramHere(const Program *program, Side side, double unit);

#endif
