/// Sides.h: what a program does with a loop, on each side. The rows are written once, with these functions.
#if !defined(__BENCH_SIDES__)
#define __BENCH_SIDES__ 1

#include "Support.h"

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

#endif
