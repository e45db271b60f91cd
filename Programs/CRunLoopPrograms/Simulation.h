/// Simulation.h: run loops on a simulated kernel, for tests and for a run loop in a web page.
///
/// A simulation needs no time: when all threads wait, the clock jumps to the next moment at which
/// one of them goes on. Nothing happens in it that its seed does not decide, so the same seed gives
/// the same log, byte for byte, on every machine. One thread runs at a time. With the seed 0 it
/// runs until it waits. With any other seed the kernel may give another thread the turn at every
/// call of a public function, every lock, every wake-up, every wait, and every access to an atomic
/// variable of the loop.
///
///     #include "CRunLoopSimulated.c" // the library and this kernel
///
///     static void body(void *unused) {
///         …
///         CFRunLoopRunInMode(kCFRunLoopDefaultMode, 3600, false); // returns at once
///     }
///     SimulationResult result = SimulationRun((Simulation){.seed = 7}, body, NULL);
///     puts(result.log);
#if !defined(SIMULATION_H)
#define SIMULATION_H 1

#include <CoreFoundation/CoreFoundation.h>

typedef void (*SimulationFunction)(void *info);

typedef struct Simulation {
    uint64_t seed;
    Boolean isQuiet;            // the log has only what the program says: SimulationSay
    Boolean isSilent;           // the log has only what the library prints, and stderr does not
    size_t mostLines;           // the simulation is stopped when its log has so many; 0: no limit
    uint32_t faultsPerThousand; // how many of a thousand waits have one of the first four faults
    SimulationFunction onSignal; // what a signal handler does, on the thread that is interrupted
    void *signalInfo;
    void (*onStep)(int step);   // called on a loop's thread, which holds its locks, before the
                                // record of the pass gets another step
    void (*onWait)(void);       // called on a thread that is about to wait for ports, and holds
                                // none of the loop's locks
    SimulationFunction onIdle;  // called whenever all threads wait, before the clock jumps; on no
                                // thread, so it may only look
    SimulationFunction onExit;  // called as the main thread, when all threads have ended
    void *exitInfo;
} Simulation;

typedef struct SimulationResult {
    char *log;             // a line for each event: seconds, thread, words; the caller frees it
    Boolean isDeadlocked;  // all threads wait, and nothing can end it; the log says who waits for
                           // what
    Boolean isAborted;     // the library has aborted; the log says why
    Boolean isStopped;     // by SimulationStop, or because of mostLines
    size_t leakCount;      // otherwise: how many allocations nothing has freed
} SimulationResult;

/// Runs `body` as the main thread of a new process, with the time 0. Returns when all threads have
/// ended, or none can go on. Nothing of the process is left, so keep none of its objects. (A
/// WebAssembly module is one process. Its page makes another instance for another simulation.)
SimulationResult SimulationRun(Simulation simulation, SimulationFunction body, void *info);

/// Stops the simulation that runs, at the next line of its log or the next wait. Any thread and any
/// signal handler may call it.
void SimulationStop(void);

// The other functions are for the threads of a simulation.

/// Starts a thread.
void SimulationStartThread(const char *name, SimulationFunction body, void *info);
/// Calls a function at a moment, on a thread of its own. Such a thread must not run a run loop.
void SimulationAt(double seconds, const char *name, SimulationFunction body, void *info);
/// Calls a function on a thread of its own, which has the turn at once. Such a thread is like one
/// of SimulationAt. With the seed 0 it ends, or waits for a lock, before another thread has the
/// turn.
void SimulationCallElsewhere(const char *name, SimulationFunction body, void *info);
/// Adds a function to the main dispatch queue.
void SimulationMainQueueAsync(SimulationFunction work, void *info);
/// The calling thread is busy for some time, which passes for the other threads as well.
void SimulationSpend(double seconds);
/// Adds a line to the log: a printf format and its arguments.
void SimulationSay(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Returns the seconds since the simulation began, which is also what CFAbsoluteTimeGetCurrent
/// returns.
double SimulationGetTime(void);

/// What a kernel may do to a thread that waits.
typedef enum SimulationFault {
    kSimulationSpuriousWakeUp, // the wait returns the wake-up port, which has no message
    kSimulationEarlyReturn,    // the wait returns this long before its time, and without a port
    kSimulationLateReturn,     // the wait returns this long after its time
    kSimulationInterrupt,      // EINTR: so long after the wait began, a signal handler runs on the
                               // thread, which then waits for the rest of the time
    kSimulationNoPorts,        // from now on no more ports can be open than are
} SimulationFault;

/// Returns how many locks of the library the calling thread holds.
uint32_t SimulationGetLockCount(void);

/// The next wait that begins, on any thread, has a fault; or no port is left.
void SimulationInject(SimulationFault fault, double seconds);
/// Whether a port has a message, or a mode's set is ready that the port is the descriptor of
/// (CFRunLoopGetDescriptor).
Boolean SimulationIsReadable(int port);
/// Closes a port behind the loop's back, while a duplicate keeps the file open.
void SimulationClosePort(int port);

#endif
