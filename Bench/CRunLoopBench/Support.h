/// Support.h: what the files with the rows share.
#if !defined(__BENCH_SUPPORT__)
#define __BENCH_SUPPORT__ 1

#include "CRunLoopBench.h"
#include "CFRunLoopTable.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

// MARK: - Failing

/// Ends the child with one line, because the figure of work that was not done would be worthless.
_Noreturn void BenchFail(const Bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Fails unless `done` is the requested number.
void BenchCheck(const Bench *bench, const char *what, long done, long expected);

/// The result of the clocks in a child whose instructions are counted: see BenchCountInstructions. Elsewhere returns false, and no count.
bool TraceIsClock(double *instructions);

// MARK: - A run loop through its table

/// The functions of the loop that is measured.
static inline const CFRunLoopTable *T(const Bench *bench) { return bench->loop; }
/// The mode in which everything happens: the default mode, in which the main thread's loop also serves the main dispatch queue.
CFStringRef BenchMode(const Bench *bench);
/// What the heap has of each: Memory.c.
void BenchMeasureMemory(Bench *bench, double *costs);

// MARK: - Descriptors

int BenchEvent(void);       ///< an eventfd that does not block
void BenchSetEvent(int event);  ///< makes it readable
void BenchClearEvent(int event); ///< and takes that away
int BenchEpoll(void);
void BenchEpollAdd(int epoll, int descriptor, void *info);

// MARK: - Numbers without pattern, the same ones every time

typedef struct { uint64_t state; } BenchRandom;
uint64_t BenchNext(BenchRandom *random);

/// A date without pattern, from 0 to 1.
double BenchNextDate(BenchRandom *random);

#endif
