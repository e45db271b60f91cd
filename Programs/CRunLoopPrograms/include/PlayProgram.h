/// PlayProgram.h: performs the text of a program (Documentation/Reference/programs.md) on either
/// kernel, or on another run loop, and writes its log. `RunLoopLab play` uses it.
#if !defined(PLAY_PROGRAM_H)
#define PLAY_PROGRAM_H 1

#include <CFRunLoopTable.h>
#include <LoopProgram.h>
#include <stdint.h>

typedef enum {
    playEnds,
    playFails,     // all threads wait forever, or the library aborts; the log says who waits for
                   // what, or why
    playIsStopped, // the log is too long, or playStop was called
} PlayResult;

/// Performs a program on the simulated kernel, and writes its log, which has at most so many lines.
/// If `isQuiet`, it has only what the program does.
PlayResult playSimulated(const LoopProgram *program, uint64_t seed, bool isQuiet, size_t mostLines,
                         FILE *out);
/// Stops playSimulated, which writes the log so far. A signal handler may call it.
void playStop(void);

/// Performs a program on the run loop of a table, in real time, and writes each line as it happens.
/// Only the main thread may call it, because a program may use the main queue.
void playOnTable(const LoopProgram *program, const CFRunLoopTable *table, FILE *out);

#endif
