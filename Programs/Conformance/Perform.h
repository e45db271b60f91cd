/// Perform.h: performs a program (Program.h) on a run loop.
#if !defined(PERFORM_H)
#define PERFORM_H 1

#include "Program.h"
#include "Stage.h"

/// Returns the log of a program on one side, which the caller frees. `unit` is the program's unit of time in seconds. Call it on any
/// thread; several threads may call it at the same time. A program for the main thread is performed in a child.
char *performOn(const Program *program, Side side, double unit);

/// Performs a program on the calling thread and prints each line of its log at once: for a child.
void performHere(const Program *program, Side side, double unit);

#endif
