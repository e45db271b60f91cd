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

/// Ends the child with one line: a figure of work that was not done is worth nothing.
_Noreturn void BenchFail(const Bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Fails unless `done` is what was asked for.
void BenchCheck(const Bench *bench, const char *what, long done, long expected);

// MARK: - Costs that a child process measures

/// Room for the costs of a round, which a child shares. NAN until it writes there.
double *BenchSharedCosts(void);
/// Copies them to `costs`, and frees the room.
void BenchTakeSharedCosts(double *shared, double *costs);

// MARK: - A run loop through its table

/// The functions of the loop that is measured.
static inline const CFRunLoopTable *T(const Bench *bench) { return bench->loop; }
/// The mode that everything happens in: the default mode, in which the main thread's loop serves the main dispatch queue too.
CFStringRef BenchMode(const Bench *bench);
/// The name of another one.
CFStringRef BenchMakeMode(const Bench *bench, const char *name);
CFRunLoopRef BenchLoop(const Bench *bench);

/// A source of version 0, added to the mode of the calling thread's loop.
CFRunLoopSourceRef BenchAddSource0(const Bench *bench, void *info, void (*perform)(void *info));
/// A source of version 1 for a descriptor; `info` begins with the descriptor, an int.
CFRunLoopSourceRef BenchAddSource1(const Bench *bench, void *info, void (*perform)(void *info));
/// A source that is never signalled, so that the mode is not empty.
void BenchKeepAlive(const Bench *bench);
/// A timer that is not in a loop yet.
CFRunLoopTimerRef BenchMakeTimer(const Bench *bench, CFAbsoluteTime date, CFTimeInterval interval, void *info,
                                 void (*fire)(CFRunLoopTimerRef timer, void *info));
/// Runs for as long as nobody stops the loop.
void BenchRunUntilStopped(const Bench *bench);
/// One pass that does not wait.
CFRunLoopRunResult BenchPoll(const Bench *bench);

// MARK: - Descriptors

/// Lets the process have so many descriptors more than it was allowed by earlier calls. Fails if the system does not let it.
void BenchAllowDescriptors(const Bench *bench, long count);
/// How many descriptors the system lets the process have.
long BenchMostDescriptors(void);
/// How many descriptors the process has.
double BenchOpenDescriptorCount(void);
int BenchEvent(void);       ///< an eventfd that does not block
void BenchRing(int event);  ///< makes it readable
void BenchDrain(int event); ///< and takes that away
int BenchEpoll(void);
void BenchEpollAdd(int epoll, int descriptor);

// MARK: - Numbers without pattern, the same ones every time

typedef struct { uint64_t state; } BenchRandom;
uint64_t BenchNext(BenchRandom *random);

/// Dates one after the other, in an order.
typedef struct {
    BenchOrder order;
    long period;  // rising and falling dates begin again after so many
    BenchRandom random;
    long made;
    double date;  // of the burst
} BenchDates;
/// From 0 to 1.
double BenchNextDate(BenchDates *dates);

#endif
