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

// MARK: - Costs that a child process measures

/// Room for the costs of a round, which a child shares. NAN until the child writes there.
double *BenchSharedCosts(void);
/// Copies them to `costs`, and frees the room.
void BenchTakeSharedCosts(double *shared, double *costs);

// MARK: - A run loop through its table

/// The functions of the loop that is measured.
static inline const CFRunLoopTable *T(const Bench *bench) { return bench->loop; }
/// The mode in which everything happens: the default mode, in which the main thread's loop also serves the main dispatch queue.
CFStringRef BenchMode(const Bench *bench);
/// The name of another mode.
CFStringRef BenchMakeMode(const Bench *bench, const char *name);
CFRunLoopRef BenchLoop(const Bench *bench);

/// A source of version 0, added to the mode of the calling thread's loop.
CFRunLoopSourceRef BenchAddSource0(const Bench *bench, void *info, void (*perform)(void *info));
/// A version 1 source for a descriptor; `info` begins with the descriptor, an int.
CFRunLoopSourceRef BenchAddSource1(const Bench *bench, void *info, void (*perform)(void *info));
/// A source that is never signalled, so that the mode is not empty.
void BenchKeepAlive(const Bench *bench);
/// A timer that is not in a loop yet.
CFRunLoopTimerRef BenchMakeTimer(const Bench *bench, CFAbsoluteTime date, CFTimeInterval interval, void *info,
                                 void (*fire)(CFRunLoopTimerRef timer, void *info));
/// Runs until the loop is stopped.
void BenchRunUntilStopped(const Bench *bench);
/// Makes one non-blocking pass.
CFRunLoopRunResult BenchPoll(const Bench *bench);

// MARK: - Descriptors

/// Lets the process have this many descriptors more than earlier calls have allowed. Fails if the system refuses.
void BenchAllowDescriptors(const Bench *bench, long count);
/// How many descriptors the system lets the process have.
long BenchMostDescriptors(void);
/// How many descriptors the process has.
double BenchOpenDescriptorCount(void);
int BenchEvent(void);       ///< an eventfd that does not block
void BenchSetEvent(int event);  ///< makes it readable
void BenchClearEvent(int event); ///< and takes that away
int BenchEpoll(void);
void BenchEpollAdd(int epoll, int descriptor);

// MARK: - Numbers without pattern, the same ones every time

typedef struct { uint64_t state; } BenchRandom;
uint64_t BenchNext(BenchRandom *random);

/// A date without pattern, from 0 to 1.
double BenchNextDate(BenchRandom *random);

#endif
