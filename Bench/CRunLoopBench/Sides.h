/// Sides.h: what a program does with a loop, on each side. The work of the rows is written once, with these functions.
#if !defined(__BENCH_SIDES__)
#define __BENCH_SIDES__ 1

#include "CRunLoopBench.h"
#include "CFRunLoopTable.h"
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/// A loop; on the floor, what a loop needs at least: a set of descriptors with one to wake it, a list of signalled sources, a list of blocks,
/// and a heap of timers.
typedef struct Loop {
    const Bench *bench;
    const struct Side *side;
    void *loop;      // CFRunLoopRef, GMainContext *, uv_loop_t *
    double now;      // the moment from which the dates of timers are counted, in seconds of the side's clock
    bool isStopped;
    int epoll, event;
    struct Item *first, **last;
    struct BareBlock *firstBlock, **lastBlock;
    struct Item **timers;
    long timerCount, timerCapacity;
} Loop;

/// A source, a reader of a descriptor, or a timer. Where it is ready, `call(info)` is called.
typedef struct Item {
    Loop *loop;
    void (*call)(void *info);
    void *info;
    int descriptor;
    double date, interval; // of a timer: seconds after the loop's `now`; it repeats if `interval` is not 0
    void *object;          // CFRunLoopSourceRef, CFRunLoopTimerRef, GSource *, uv_handle_t *
    struct Item *next;     // on the floor: in the list of signalled sources
    bool isSignalled;
    long place;            // and a timer's place in the heap
} Item;

typedef struct Side {
    const char *name;
    bool (*isInstalled)(void);                 ///< NULL: it always is
    void (*open)(Loop *loop);                  ///< creates the loop, or gets the calling thread's
    void (*close)(Loop *loop, Item *source);   ///< frees it with its only source, on its thread
    void (*addSource)(Item *source);           ///< a source that is signalled
    void (*signal)(Item *source);
    void (*wakeUp)(Loop *loop);                ///< NULL: a signal wakes the loop
    void (*addReader)(Item *reader);           ///< a source for a descriptor
    bool readsItself;                          ///< the loop has read eight bytes from the descriptor before the call
    void (*setNow)(Loop *loop);
    void (*makeTimer)(Item *timer);
    void (*addTimer)(Item *timer);
    void (*moveTimer)(Item *timer);            ///< to its new date
    void (*invalidateTimer)(Item *timer);
    void (*freeTimer)(Item *timer);
    void (*addBlock)(Loop *loop, long *calls); ///< a block that counts its calls; NULL: there are none
    void (*limitedRun)(Loop *loop);            ///< a run with a limit, which ends with the source that it handles; NULL: there is none
    void (*poll)(Loop *loop);                  ///< a pass that does not wait
    void (*run)(Loop *loop);                   ///< runs until the loop is stopped
    void (*stop)(Loop *loop);
} Side;

extern const Side BenchRunLoopSide, BenchToolchainSide, BenchFloorSide, BenchGLibSide, BenchLibuvSide;
const Side *BenchSideOf(const Bench *bench);

/// A loop on the calling thread.
static inline void LoopOpen(Loop *loop, const Bench *bench) {
    *loop = (Loop){.bench = bench, .side = BenchSideOf(bench)};
    loop->side->open(loop);
}

/// The functions of the run loop that is measured.
static inline const CFRunLoopTable *T(const Bench *bench) { return bench->loop; }
/// The mode in which everything happens: the default mode, in which the main thread's loop also serves the main dispatch queue.
static inline CFStringRef BenchMode(const Bench *bench) { return T(bench)->kCFRunLoopDefaultMode; }

/// Defines pointers to the functions of a library, which is loaded if it is installed and needs no header here, and `isInstalled`, which
/// finds them. It returns false if the library is not there, or too old to have all.
#define LIBRARY(FILE, FUNCTIONS) \
    FUNCTIONS(FUNCTION_POINTER) \
    static bool isInstalled(void) { \
        void *library = dlopen(FILE, RTLD_NOW | RTLD_LOCAL); \
        return library FUNCTIONS(FIND_FUNCTION); \
    }
#define FUNCTION_POINTER(result, name, arguments) static result (*name) arguments;
#define FIND_FUNCTION(result, name, arguments) && (name = (result (*) arguments)dlsym(library, #name))

// MARK: - Support.c

/// Ends the child with one line, because the figure of work that was not done would be worthless.
_Noreturn void BenchFail(const Bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Fails unless `done` is the requested number.
void BenchCheck(const Bench *bench, const char *what, long done, long expected);

int BenchEvent(void);            ///< an eventfd that does not block
void BenchSetEvent(int event);   ///< makes it readable
void BenchClearEvent(int event); ///< and takes that away
int BenchEpoll(void);
void BenchEpollAdd(int epoll, int descriptor, void *info);

/// Tracer.c: in a child whose instructions are counted, the result of the clocks. Elsewhere returns false, and no count.
bool TraceIsClock(double *instructions);

#endif
