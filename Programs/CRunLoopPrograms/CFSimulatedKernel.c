/// CFSimulatedKernel.c: a kernel in which time is a number, a port is a counter, and a seed decides
/// which thread goes first. CFKernel.h declares what the loop asks of a kernel, and Simulation.h
/// what a program does with this one.
///
/// A thread is a coroutine with thread data of its own. It gives up its turn in
/// __CFSimReschedule, the only place that switches: when it waits, and, if the seed says so, in
/// __CFSimPause. A thread that waits is ready when a port of its set is ready, its lock is free, or
/// its time has come. If no thread is ready, the clock jumps. If no thread waits for a time either,
/// they are deadlocked.
///
/// For a WebAssembly module, Edition/Browser has a <ucontext.h>.
#include "../../Sources/CRunLoop/Base/CFInternal.h"
#include "Simulation.h"
#include <errno.h>
#include <ucontext.h>
#if !defined(__wasm__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define CF_SIM_JUMPS 1 // switches without swapcontext, whose system call is most of its time
#include <setjmp.h>
#endif

// MARK: - The state

enum {
    __kCFSimStackSize = 256 * 1024, __kCFSimStackReserve = 16 * 1024,
    __kCFSimBoot = NSEC_PER_SEC, __kCFSimFirstPort = 3,
};

/// What each thread has for itself: the variables with __thread in CFKernel.h, and the key's value.
struct __CFSimThreadData {
    struct __CFTSDSlot table[CF_TSD_MAX_SLOTS];
    Boolean keyIsSet;
    int rounds;
    const void *keyValue;
};

typedef struct __CFSimThread {
    struct __CFSimThread *next; // by number
    pid_t number;
    char name[32];
    SimulationFunction body;
    void *info;
    Boolean isEntry;            // SimulationAt started it
    uint32_t lockCount;         // how many locks it holds
    enum { runs, waitsForPorts, waitsForLock, isBusy, hasEnded } state;
    uint64_t deadline;          // waitsForPorts, isBusy; UINT64_MAX: none
    __CFPortSet set;            // waitsForPorts
    struct __CFSimMutex *mutex; // waitsForLock
    struct __CFSimThreadData data; // while another thread runs
    char *stack;
    ucontext_t context;
#if defined(CF_SIM_JUMPS)
    Boolean isOnStack;          // the stack has been begun; then:
    jmp_buf base, place;        // its first function; where the thread goes on
#endif
} __CFSimThread;

typedef struct __CFSimPort {
    uint32_t file;  // the number of its opening, because a port's number is used again; 0: closed
    uint64_t count; // of messages
    __CFPortSet set; // that a host waits for with this port; NULL: it is an ordinary one
} __CFSimPort;

struct __CFSimWork {
    SimulationFunction function;
    void *info;
};

static struct {
    Simulation simulation;
    uint64_t random, now, signals;
    __CFSimThread *threads, *current;
    pid_t threadCount;
    __CFSimPort *ports; // by number, from __kCFSimFirstPort on
    uint32_t portCount, openCount, portLimit, fileCount, reportCount, objectCount;
    Boolean hasPortLimit, hasFault, isDeadlocked, isAborted;
    SimulationFault fault;
    double faultSeconds;
    struct __CFSimWork *queue; // the main dispatch queue
    size_t queued;
    char *log;
    size_t logLength, logCapacity, lines;
    volatile Boolean isStopped; // a signal handler may set it
#if defined(CF_SIM_JUMPS)
    jmp_buf home; // SimulationRun
#else
    ucontext_t home;
#endif
} __CFSim;

static void (*__CFSimKeyDestructor)(void *value);
static __CFPort __CFSimMainQueuePort = CFPORT_NULL;

/// Returns a number below `count` (splitmix64).
static uint32_t __CFSimPick(uint32_t count) {
    uint64_t z = __CFSim.random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)(((z ^ z >> 31) >> 32) * count >> 32);
}

/// Makes room in an array for one value more.
static void *__CFSimGrow(void *array, size_t count, size_t size) {
    if (count & (count - 1)) return array; // grows when the count is 0 or a power of 2
    array = realloc(array, (count ? 2 * count : 1) * size);
    if (!array) __CF_HAS_NO_MEMORY_LEFT__("a simulation");
    return array;
}

// MARK: - The log

static __attribute__((noreturn)) void __CFSimLeave(void);

void SimulationStop(void) { __CFSim.isStopped = true; }

static void __CFSimLeaveIfStopped(void) {
    if (__CFSim.isStopped && __CFSim.current) __CFSimLeave();
}

static void __CFSimAppend(const char *format, va_list arguments) {
    char line[512];
    uint64_t time = __CFSim.now - __kCFSimBoot;
    uint64_t fraction = time % NSEC_PER_SEC, millisecond = NSEC_PER_SEC / 1000;
    Boolean isShort = fraction % millisecond == 0; // three decimals; otherwise nine
    size_t length = (size_t)snprintf(line, sizeof(line) / 2, "%llu.%0*llu %s ",
        (unsigned long long)(time / NSEC_PER_SEC), isShort ? 3 : 9,
        (unsigned long long)(isShort ? fraction / millisecond : fraction),
        __CFSim.current ? __CFSim.current->name : "kernel");
    vsnprintf(line + length, sizeof(line) - length - 1, format, arguments);
    length = strlen(line);
    line[length++] = '\n';
    while (__CFSim.logCapacity < __CFSim.logLength + length + 1) {
        __CFSim.logCapacity = 2 * __CFSim.logCapacity + sizeof(line);
        __CFSim.log = (realloc)(__CFSim.log, __CFSim.logCapacity);
        if (!__CFSim.log) __CF_HAS_NO_MEMORY_LEFT__("the log of a simulation");
    }
    memcpy(__CFSim.log + __CFSim.logLength, line, length);
    __CFSim.log[__CFSim.logLength += length] = 0;
    if (++__CFSim.lines == __CFSim.simulation.mostLines) SimulationStop();
    __CFSimLeaveIfStopped();
}

void SimulationSay(const char *format, ...) {
    if (__CFSim.simulation.isSilent) return;
    va_list arguments;
    va_start(arguments, format);
    __CFSimAppend(format, arguments);
    va_end(arguments);
}

/// Adds what the kernel does to the log.
static __attribute__((format(printf, 1, 2))) void __CFSimNote(const char *format, ...) {
    if (__CFSim.simulation.isQuiet || __CFSim.simulation.isSilent) return;
    va_list arguments;
    va_start(arguments, format);
    __CFSimAppend(format, arguments);
    va_end(arguments);
}

/// The log has the line, and stderr as well: a test or a page shows that if the library aborts.
void __CFPrintLine(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    __CFSimAppend(format, again);
    va_end(again);
    if (__CFSim.simulation.isSilent) return;
    fputs("CoreFoundation: ", stderr);
    vfprintf(stderr, format, arguments);
    putc('\n', stderr);
}

// MARK: - Clocks

/// Before the first simulation, and after it, too: constructors ask for the time.
uint64_t mach_absolute_time(void) { return __CFSim.now; }

uint64_t __CFSimSignalTime(void) { return ++__CFSim.signals; }

double SimulationGetTime(void) { return (double)(__CFSim.now - __kCFSimBoot) / NSEC_PER_SEC; }

/// The reference date of CFAbsoluteTime is the moment at which the simulation begins.
struct timespec __CFWallClockGetTime(void) {
    uint64_t time = __CFSim.now - __kCFSimBoot;
    return (struct timespec){.tv_sec = 978307200 + (time_t)(time / NSEC_PER_SEC),
                             .tv_nsec = (long)(time % NSEC_PER_SEC)};
}

/// Returns the moment so many seconds from now.
static uint64_t __CFSimLater(double seconds) {
    uint64_t later = __CFTimeIntervalToTSR(seconds);
    return later > UINT64_MAX - __CFSim.now ? UINT64_MAX : __CFSim.now + later;
}

// MARK: - Who is ready

struct __CFPortSet {
    __CFPort wakeUpPort, mainQueuePort;
    _Atomic(Boolean) *wakeUpSent; // see __CFPortSetAllocate
    uint64_t timerDeadline;       // UINT64_MAX: not armed, or reported already
    struct __CFSimClient {
        __CFPort port;
        uint32_t file;            // what was open under the port's number when it was inserted
        CFWatchEvents events;
        uint32_t report;          // when it was reported last, so that ports take turns
    } *clients;
    size_t clientCount;
    uint32_t ownReports[3];       // the same for the wake-up port, the main queue's, and the timer
    uint32_t changes, seenChanges;
    __CFPort host;                // CFPORT_NULL: no host
    Boolean hostHasEvent, hostIsElsewhere, hostIsMuted; // as in CFPortSet_Internal.h
};

static __CFSimPort *__CFSimGetPort(__CFPort port) {
    uint32_t index = (uint32_t)port - __kCFSimFirstPort;
    return index < __CFSim.portCount && __CFSim.ports[index].file ? &__CFSim.ports[index] : NULL;
}

static Boolean __CFSimPortHasMessage(__CFPort port) {
    const __CFSimPort *open = __CFSimGetPort(port);
    return open && open->count > 0;
}

/// A port can always be written to. If its file is gone, the kernel reports that.
static Boolean __CFSimClientIsReady(const struct __CFSimClient *client) {
    const __CFSimPort *open = __CFSimGetPort(client->port);
    if (!open || open->file != client->file) return true;
    return (client->events & kCFWatchWritable) || (client->events && open->count > 0);
}

/// Returns the port that has waited longest of those that are ready, and where its turn is kept; or
/// CFPORT_NULL.
static __CFPort __CFSimSetFind(__CFPortSet set, uint32_t **turn) {
    const struct {
        __CFPort port;
        Boolean isReady;
    } own[] = {{set->wakeUpPort, __CFSimPortHasMessage(set->wakeUpPort)},
               {set->mainQueuePort, __CFSimPortHasMessage(set->mainQueuePort)},
               {CFPORT_TIMER, set->timerDeadline <= __CFSim.now}};
    __CFPort found = CFPORT_NULL;
    for (size_t i = 0; i < 3; i++) {
        if (!own[i].isReady || (found != CFPORT_NULL && set->ownReports[i] >= **turn)) continue;
        found = own[i].port;
        *turn = &set->ownReports[i];
    }
    for (size_t i = 0; i < set->clientCount; i++) {
        struct __CFSimClient *client = &set->clients[i];
        if (!__CFSimClientIsReady(client) || (found != CFPORT_NULL && client->report >= **turn))
            continue;
        const __CFSimPort *open = __CFSimGetPort(client->port);
        found = open && open->file == client->file ? client->port : CFPORT_DEAD;
        *turn = &client->report;
    }
    return found;
}

/// Returns when the thread will be ready if nothing happens.
static uint64_t __CFSimDeadline(const __CFSimThread *thread) {
    if (thread->state == isBusy) return thread->deadline;
    if (thread->state != waitsForPorts) return UINT64_MAX;
    uint64_t timer = thread->set->timerDeadline;
    return timer < thread->deadline ? timer : thread->deadline;
}

static Boolean __CFSimIsReady(const __CFSimThread *thread) {
    uint32_t *turn;
    switch (thread->state) {
    case runs: return true;
    case isBusy: return thread->deadline <= __CFSim.now;
    case waitsForPorts:
        return thread->deadline <= __CFSim.now
            || __CFSimSetFind(thread->set, &turn) != CFPORT_NULL;
    case waitsForLock: return thread->mutex->holder == 0;
    default: return false;
    }
}

// MARK: - Switching

static void __CFSimStoreData(struct __CFSimThreadData *data) {
    memcpy(data->table, __CFTSDTable, sizeof(data->table));
    data->keyIsSet = __CFTSDKeyIsSet;
    data->rounds = __CFTSDRounds;
}

/// Makes a thread the one that runs. `data` has what it had for itself.
static void __CFSimSetCurrent(__CFSimThread *thread, const struct __CFSimThreadData *data) {
    __CFSim.current = thread;
    memcpy(__CFTSDTable, data->table, sizeof(data->table));
    __CFTSDKeyIsSet = data->keyIsSet;
    __CFTSDRounds = data->rounds;
    __CFKnownThreadNumber = thread ? thread->number : 0;
}

/// A thread's life. The destructors of its data run as pthread runs them.
static void __CFSimLive(__CFSimThread *thread) {
    __CFSimNote("begins");
    thread->body(thread->info);
    for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && thread->number != 1; i++) {
        const void *value = thread->data.keyValue;
        thread->data.keyValue = NULL;
        if (value) __CFSimKeyDestructor((void *)value);
    }
    __CFSimStoreData(&thread->data);
    thread->state = hasEnded;
    __CFSimNote("ends");
}

/// Gives the turn to a thread, and returns when the calling thread has it again.
static void __CFSimSwitch(__CFSimThread *to) {
    __CFSimThread *from = __CFSim.current;
    __CFSimStoreData(&from->data);
    __CFSimSetCurrent(to, &to->data);
#if defined(CF_SIM_JUMPS)
    if (_setjmp(from->place)) return;
    if (to->isOnStack) _longjmp(to->place, 1);
    setcontext(&to->context);
#else
    swapcontext(&from->context, &to->context);
#endif
}

/// Returns to SimulationRun. The threads stay where they are.
static __attribute__((noreturn)) void __CFSimLeave(void) {
#if defined(CF_SIM_JUMPS)
    _longjmp(__CFSim.home, 1);
#else
    setcontext(&__CFSim.home);
    (abort)();
#endif
}

/// Says who waits for what, and ends the simulation.
static __attribute__((noreturn)) void __ALL_THREADS_OF_THE_SIMULATION_WAIT_FOREVER__(void) {
    __CFSim.isDeadlocked = true;
    __CFSim.current = NULL;
    SimulationSay("deadlock: nothing can end the wait of any thread");
    for (__CFSimThread *thread = __CFSim.threads; thread; thread = thread->next) {
        __CFSim.current = thread;
        if (thread->state == waitsForLock) {
            SimulationSay("waits for the lock that %s holds",
                          __CFSimGetName((pthread_t)thread->mutex->holder));
        } else if (thread->state == waitsForPorts) {
            char ports[256];
            size_t used = (size_t)snprintf(ports, sizeof(ports), "%d, which wakes its loop",
                                           thread->set->wakeUpPort);
            for (size_t i = 0; i < thread->set->clientCount && used < sizeof(ports); i++)
                used += (size_t)snprintf(ports + used, sizeof(ports) - used, ", or port %d",
                                         thread->set->clients[i].port);
            SimulationSay("waits for port %s", ports);
        }
    }
    __CFSimLeave();
}

/// The end of a process that aborts: the log has said why.
void __CFSimAbort(void) {
    if (!__CFSim.current) (abort)();
    __CFSim.isAborted = true;
    __CFSimLeave();
}

/// Returns the thread that goes next, or NULL if none is ready. With the seed 0 that is the calling
/// thread, or else the ready one with the lowest number. Otherwise it is the first that is ready,
/// from any one on.
static __CFSimThread *__CFSimChoose(void) {
    __CFSimThread *thread;
    Boolean isRandom = __CFSim.simulation.seed != 0;
    pid_t first = isRandom ? 1 + (pid_t)__CFSimPick((uint32_t)__CFSim.threadCount) : 1;
    if (!isRandom && __CFSimIsReady(__CFSim.current)) return __CFSim.current;
    for (thread = __CFSim.threads; thread; thread = thread->next)
        if (thread->number >= first && __CFSimIsReady(thread)) return thread;
    for (thread = __CFSim.threads; thread && thread->number < first; thread = thread->next)
        if (__CFSimIsReady(thread)) return thread;
    return NULL;
}

/// Lets the clock jump to the next moment at which a thread is ready. Returns false if there is no
/// such moment.
static Boolean __CFSimJump(void) {
    uint64_t next = UINT64_MAX;
    for (__CFSimThread *thread = __CFSim.threads; thread; thread = thread->next) {
        if (__CFSimDeadline(thread) < next) next = __CFSimDeadline(thread);
    }
    if (next == UINT64_MAX) return false;
    __CFSim.now = next;
    return true;
}

/// Returns the next thread that goes, and lets the clock jump until there is one.
static __CFSimThread *__CFSimNext(void) {
    __CFSimThread *next;
    while (!(next = __CFSimChoose())) {
        if (__CFSim.simulation.onIdle) __CFSim.simulation.onIdle(__CFSim.simulation.exitInfo);
        if (!__CFSimJump()) __ALL_THREADS_OF_THE_SIMULATION_WAIT_FOREVER__();
    }
    return next;
}

/// The calling thread has set its state. Returns when it is ready and has the turn.
static void __CFSimReschedule(void) {
    __CFSimThread *self = __CFSim.current, *next = __CFSimNext();
    if (next != self) __CFSimSwitch(next);
    self->state = runs;
}

static __attribute__((noinline, noreturn, cold)) void __A_THREAD_HAS_NO_STACK_LEFT__(void) {
    __CFHalt("runs and callbacks nest too deeply: the thread %s has no stack left.",
             __CFSim.current->name);
}

/// Ends the simulation while the stack still has room for the words. At the end of a process the
/// main thread's code runs on the stack of another thread, which this does not check.
static void __CFSimCheckStack(void) {
    const char *frame = __builtin_frame_address(0);
    if (__builtin_expect((uintptr_t)frame - (uintptr_t)__CFSim.current->stack
                         < __kCFSimStackReserve, false))
        __A_THREAD_HAS_NO_STACK_LEFT__();
}

/// Another thread may have the turn, at one pause in four: a thread that goes on for a while gets
/// another one into more places.
void __CFSimPause(void) {
    if (__CFSim.current) __CFSimCheckStack();
    if (!__CFSim.current || !__CFSim.simulation.seed) return;
    if (__CFSimPick(4) == 0) __CFSimReschedule();
}

static __attribute__((noinline)) void __A_THREAD_OF_SIMULATIONAT_CANNOT_WAIT__(void) {
    __CFHalt("%s was started with SimulationAt, and waits. Only the main thread and those of "
             "SimulationStartThread can run a run loop, or be busy.", __CFSim.current->name);
}

/// Makes the calling thread wait.
static void __CFSimWait(int state, uint64_t deadline, __CFPortSet set, struct __CFSimMutex *mutex) {
    __CFSimThread *self = __CFSim.current;
    if (self->isEntry && state != waitsForLock) __A_THREAD_OF_SIMULATIONAT_CANNOT_WAIT__();
    __CFSimLeaveIfStopped();
    self->state = state;
    self->deadline = deadline;
    self->set = set;
    self->mutex = mutex;
    __CFSimReschedule();
}

// MARK: - Threads

#if !defined(__wasm__)
static void __CFSimReleaseMainLoop(void); // CRunLoopSimulated.c
#endif

/// Runs the calling thread, and then those that have not ended. The last thread to end becomes the
/// main thread again, for the end of the process.
static void __CFSimLiveAndLeave(void) {
    __CFSimThread *mainThread = __CFSim.threads;
    __CFSimLive(__CFSim.current);
    for (__CFSimThread *thread = __CFSim.threads; thread; thread = thread->next) {
        while (thread->state != hasEnded) __CFSimSwitch(__CFSimNext());
    }
    __CFSimSetCurrent(mainThread, &mainThread->data);
    mainThread->state = runs;
    if (__CFSim.simulation.onExit) __CFSim.simulation.onExit(__CFSim.simulation.exitInfo);
#if !defined(__wasm__)
    __CFSimReleaseMainLoop();
#endif
    __CFSimLeave();
}

/// The first function on a stack. If another thread is to have the stack, it goes on here.
static void __CFSimBeginStack(void) {
#if defined(CF_SIM_JUMPS)
    __CFSim.current->isOnStack = true;
    (void)_setjmp(__CFSim.current->base);
#endif
    __CFSimLiveAndLeave();
}

/// Lets the thread begin with __CFSimBeginStack when it has the turn.
static void __CFSimPrepareStack(__CFSimThread *thread) {
#if defined(CF_SIM_JUMPS)
    if (thread->isOnStack) return (void)memcpy(thread->place, thread->base, sizeof(thread->base));
#endif
    getcontext(&thread->context);
    thread->context.uc_stack.ss_sp = thread->stack;
    thread->context.uc_stack.ss_size = __kCFSimStackSize;
    makecontext(&thread->context, __CFSimBeginStack, 0);
}

CF_SIM_SECTION_ENDS
static __CFSimThread *__CFSimSpareThreads; // of earlier processes, because their stacks are large
CF_SIM_SECTION_BEGINS

static __CFSimThread *__CFSimAllocateThread(void) {
    __CFSimThread *thread = __CFSimSpareThreads;
    if (thread) __CFSimSpareThreads = thread->next;
    else thread = (calloc)(1, sizeof(__CFSimThread));
    if (thread && !thread->stack) thread->stack = (malloc)(__kCFSimStackSize);
    if (!thread || !thread->stack) __CF_HAS_NO_MEMORY_LEFT__("a simulated thread");
    memset(thread, 0, offsetof(__CFSimThread, stack));
    return thread;
}

static void __CFSimFreeThreads(void) {
    while (__CFSim.threads) {
        __CFSimThread *thread = __CFSim.threads;
        __CFSim.threads = thread->next;
        thread->next = __CFSimSpareThreads;
        __CFSimSpareThreads = thread;
    }
}

static __CFSimThread *__CFSimCreateThread(const char *name, SimulationFunction body, void *info) {
    __CFSimThread **end = &__CFSim.threads, *thread = __CFSimAllocateThread();
    while (*end) end = &(*end)->next;
    *end = thread;
    thread->number = ++__CFSim.threadCount;
    snprintf(thread->name, sizeof(thread->name), "%s", name);
    thread->body = body;
    thread->info = info;
    __CFSimPrepareStack(thread);
    return thread;
}

SimulationResult SimulationRun(Simulation simulation, SimulationFunction body, void *info) {
    static const struct __CFSimThreadData none;
    __CFSimBeginProcess();
    __CFSim.simulation = simulation;
    __CFSim.random = simulation.seed;
    __CFSim.now = __kCFSimBoot;
    __CFSim.threadCount = 0;
    __CFSim.log = NULL;
    __CFSim.logLength = __CFSim.logCapacity = __CFSim.lines = 0;
    __CFSim.isStopped = false;
    __CFSimThread *mainThread = __CFSimCreateThread("main", body, info);
    __CFSimSetCurrent(mainThread, &none);
    __CFMainThreadIsThisOne();
#if defined(CF_SIM_JUMPS)
    if (!_setjmp(__CFSim.home)) {
        if (mainThread->isOnStack) _longjmp(mainThread->place, 1);
        setcontext(&mainThread->context);
    }
#else
    swapcontext(&__CFSim.home, &mainThread->context);
#endif
    __CFSimSetCurrent(NULL, &none);
    __CFSimFreeThreads();
#if !defined(__wasm__)
    free(__CFSim.ports);
    free(__CFSim.queue);
#endif
    return (SimulationResult){__CFSim.log, __CFSim.isDeadlocked, __CFSim.isAborted,
                              __CFSim.isStopped, __CFSimHeapCount};
}

void SimulationStartThread(const char *name, SimulationFunction body, void *info) {
    __CFSimCreateThread(name, body, info);
    __CFSimPause();
}

void SimulationAt(double seconds, const char *name, SimulationFunction body, void *info) {
    __CFSimThread *thread = __CFSimCreateThread(name, body, info);
    uint64_t tsr = __CFTimeIntervalToTSR(seconds) + __kCFSimBoot;
    thread->isEntry = true;
    thread->state = isBusy;
    thread->deadline = tsr > __CFSim.now ? tsr : __CFSim.now;
}

void SimulationCallElsewhere(const char *name, SimulationFunction body, void *info) {
    __CFSimThread *thread = __CFSimCreateThread(name, body, info);
    thread->isEntry = true;
    __CFSimSwitch(thread);
}

void SimulationSpend(double seconds) {
    __CFSimWait(isBusy, __CFSimLater(seconds), NULL, NULL);
}

pthread_t __CFSimSelf(void) { return (pthread_t)__CFThreadNumber(); }

const char *__CFSimGetName(pthread_t number) {
    __CFSimThread *thread = __CFSim.threads;
    while (thread && (pthread_t)thread->number != number) thread = thread->next;
    return thread ? thread->name : "a thread that has ended";
}

pid_t __CFThreadAskNumber(void) { return __CFSim.current ? __CFSim.current->number : 0; }

pid_t __CFThreadAskFirstNumber(void) { return 1; }

int __CFThreadKeyCreate(pthread_key_t *key, void (*destructor)(void *value)) {
    *key = 1;
    __CFSimKeyDestructor = destructor;
    return 0;
}

int __CFSimSetKeyValue(const void *value) {
    __CFSim.current->data.keyValue = value;
    return 0;
}

// MARK: - Locks

/// Outside a simulation nothing else runs.
static int32_t __CFSimHolder(void) { return __CFSim.current ? __CFSim.current->number : -1; }

int __CFSimMutexLock(struct __CFSimMutex *mutex) {
    __CFSimPause();
    if (mutex->holder == __CFSimHolder()) {
        if (mutex->type != PTHREAD_MUTEX_RECURSIVE) return EDEADLK;
        mutex->count++;
        return 0;
    }
    while (mutex->holder) {
        __CFSimNote("waits for the lock that %s holds", __CFSimGetName((pthread_t)mutex->holder));
        __CFSimWait(waitsForLock, UINT64_MAX, NULL, mutex);
    }
    mutex->holder = __CFSimHolder();
    mutex->count = 1;
    if (__CFSim.current) __CFSim.current->lockCount++;
    return 0;
}

int __CFSimMutexUnlock(struct __CFSimMutex *mutex) {
    if (mutex->holder != __CFSimHolder()) return EPERM;
    if (--mutex->count) return 0;
    mutex->holder = 0;
    if (__CFSim.current) __CFSim.current->lockCount--;
    __CFSimPause();
    return 0;
}

uint32_t SimulationGetLockCount(void) { return __CFSim.current->lockCount; }

Boolean __CFThreadHoldsLock(pthread_mutex_t *lock) { return lock->holder == __CFSimHolder(); }

// MARK: - Ports

static __attribute__((noinline, noreturn, cold))
void __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__(const char *what) {
    __CFHalt("no port is available for %s. The simulation has %u, and all are open.", what,
             __CFSim.portLimit);
}

static __attribute__((noinline, noreturn, cold))
void __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__(__CFPort port) {
    __CFHalt("the run loop uses its own port %d, which is not open. Some other part of the program "
             "has closed it.", port);
}

/// Opens the lowest number that is free, as Linux does. Returns -1 and errno if there is none.
static __CFPort __CFSimOpenPort(uint64_t count) {
    uint32_t index = 0;
    if (__CFSim.hasPortLimit && __CFSim.openCount >= __CFSim.portLimit) {
        errno = EMFILE;
        return -1;
    }
    while (index < __CFSim.portCount && __CFSim.ports[index].file) index++;
    if (index == __CFSim.portCount)
        __CFSim.ports = __CFSimGrow(__CFSim.ports, __CFSim.portCount++, sizeof(__CFSimPort));
    __CFSim.ports[index] = (__CFSimPort){.file = ++__CFSim.fileCount, .count = count};
    __CFSim.openCount++;
    return (__CFPort)(index + __kCFSimFirstPort);
}

__CFPort __CFPortAllocate(void) {
    __CFPort port = __CFSimOpenPort(0);
    if (port < 0) __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__("a wake-up port");
    return port;
}

__CFPort __CFPortMake(__CFPort (*make)(void), const char *what) {
    __CFPort port = __CFSimOpenPort(0);
    if (port < 0) __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__(what);
    __CFPortFree(port);
    return make();
}

void __CFPortFree(__CFPort port) {
    __CFSimPort *open = __CFSimGetPort(port);
    if (!open) return;
    open->file = 0;
    __CFSim.openCount--;
}

void SimulationClosePort(int port) {
    __CFSimNote("closes port %d", port);
    __CFPortFree(port);
}

__attribute__((noinline)) void __CFSendTrivialMachMessage(__CFPort port) {
    __CFSimPause();
    __CFSimPort *open = __CFSimGetPort(port);
    if (!open) __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__(port);
    open->count++;
    __CFSimNote("sends a message to port %d", port);
    __CFSimPause();
}

Boolean __CFPortReceive(__CFPort port) {
    __CFSimPort *open = __CFSimGetPort(port);
    if (!open) __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__(port);
    Boolean hadMessage = open->count > 0;
    open->count = 0;
    return hadMessage;
}

Boolean __CFPortIsReady(__CFPort port) { return __CFSimPortHasMessage(port); }

CFStringRef __CFPortCopyDescription(__CFPort port) {
    if (port == CFPORT_NULL) return CFSTR("none");
    CFStringRef result = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
        CFSTR("%d (%s)"), port, __CFSimGetPort(port) ? "simulated" : "closed");
    return result ? result : CFSTR("?");
}

// The ports of clients: CFPortSupport.h

int CFEventDescriptorCreate(Boolean isSet) { return __CFSimOpenPort(isSet); }

void CFEventDescriptorSet(int descriptor) {
    __CFSimPause();
    if (!__CFSimGetPort(descriptor)) return;
    __CFSimGetPort(descriptor)->count++;
    __CFSimNote("sends a message to port %d", descriptor);
    __CFSimPause();
}

void CFEventDescriptorClear(int descriptor) {
    if (__CFSimGetPort(descriptor)) __CFPortReceive(descriptor);
}

Boolean CFWatchIsPossible(int descriptor) {
    errno = EBADF;
    return __CFSimGetPort(descriptor) != NULL;
}

CFWatchEvents CFWatchGetEvents(int descriptor, CFWatchEvents wanted) {
    if (!__CFSimGetPort(descriptor)) return 0;
    return wanted & (kCFWatchWritable | (__CFSimPortHasMessage(descriptor) ? kCFWatchReadable : 0));
}

// MARK: - Port sets

__CFPortSet __CFPortSetAllocate(__CFPort wakeUpPort, _Atomic(Boolean) *sent) {
    __CFPortSet set = calloc(1, sizeof(struct __CFPortSet));
    if (!set) __CF_HAS_NO_MEMORY_LEFT__("a port set");
    set->wakeUpPort = wakeUpPort;
    set->wakeUpSent = sent;
    set->mainQueuePort = set->host = CFPORT_NULL;
    set->timerDeadline = UINT64_MAX;
    return set;
}

void __CFPortSetFree(__CFPortSet set) {
    if (!set) return;
    __CFPortFree(set->host);
    free(set->clients);
    free(set);
}

/// A set has no descriptor: its host waits for a port of its own.
int __CFPortSetGetDescriptor(__CFPortSet set) {
    (void)set;
    return CFPORT_NULL;
}

int __CFPortSetInsert(__CFPort port, CFWatchEvents events, __CFPortSet set) {
    __CFSimPause();
    if (port == set->wakeUpPort || (port == set->mainQueuePort && port != CFPORT_NULL))
        return EBUSY;
    size_t i = 0;
    while (i < set->clientCount && set->clients[i].port != port) i++;
    const __CFSimPort *open = __CFSimGetPort(port);
    if (events && !open) return EBADF;
    set->changes++;
    if (!events) {
        if (i < set->clientCount) set->clients[i] = set->clients[--set->clientCount];
        return 0;
    }
    if (i == set->clientCount)
        set->clients = __CFSimGrow(set->clients, set->clientCount++, sizeof(set->clients[0]));
    set->clients[i] = (struct __CFSimClient){port, open->file, events, 0};
    return 0;
}

const char *__CFPortSetWhyNotInserted(int error) {
    if (error == EBUSY) return "The number is that of one of the run loop's own ports.";
    return "The port is not open.";
}

void __CFPortSetRemove(__CFPort port, __CFPortSet set) { (void)__CFPortSetInsert(port, 0, set); }

void __CFPortSetSetMainQueuePort(__CFPort port, __CFPortSet set) { set->mainQueuePort = port; }

void __CFPortSetRenew(__CFPortSet set) {
    set->clientCount = 0;
    set->changes++;
}

Boolean __CFPortSetHasChanged(__CFPortSet set) { return set->seenChanges != set->changes; }

__CFPort mk_timer_create(__CFPortSet set) {
    (void)set;
    return CFPORT_TIMER;
}

__attribute__((noinline)) Boolean mk_timer_arm(__CFPortSet set, uint64_t deadlineTSR) {
    __CFSimPause();
    Boolean changes = set->timerDeadline != deadlineTSR;
    set->timerDeadline = deadlineTSR;
    return changes;
}

void mk_timer_cancel(__CFPortSet set) { set->timerDeadline = UINT64_MAX; }

// MARK: - The wait, and what can go wrong with it

void SimulationInject(SimulationFault fault, double seconds) {
    if (fault == kSimulationNoPorts) {
        __CFSim.hasPortLimit = true;
        __CFSim.portLimit = __CFSim.openCount;
        return;
    }
    __CFSim.hasFault = true;
    __CFSim.fault = fault;
    __CFSim.faultSeconds = seconds;
}

/// Decides whether the wait that begins has a fault.
static Boolean __CFSimTakeFault(SimulationFault *fault, uint64_t *length) {
    static const char *const names[] = {"a spurious wake-up", "an early return", "a late return",
                                        "an interrupt"};
    if (!__CFSim.hasFault && __CFSim.simulation.faultsPerThousand
        && __CFSimPick(1000) < __CFSim.simulation.faultsPerThousand)
        SimulationInject((SimulationFault)__CFSimPick(4), 1e-3 * __CFSimPick(100));
    if (!__CFSim.hasFault) return false;
    __CFSim.hasFault = false;
    *fault = __CFSim.fault;
    *length = __CFTimeIntervalToTSR(__CFSim.faultSeconds);
    __CFSimNote("will have %s", names[*fault]);
    return true;
}

/// Returns a port that is ready, and receives its messages if it is one of the loop's own.
static __CFPort __CFSimSetReceive(__CFPortSet set) {
    uint32_t *turn;
    __CFPort port = __CFSimSetFind(set, &turn);
    if (port == CFPORT_NULL) return port;
    *turn = ++__CFSim.reportCount;
    if (port == CFPORT_TIMER) set->timerDeadline = UINT64_MAX;
    if (port == set->wakeUpPort) atomic_store(set->wakeUpSent, false);
    if (port == set->wakeUpPort || port == set->mainQueuePort) __CFPortReceive(port);
    return port;
}

/// Waits until a port is ready or a moment has come, and returns the port.
static __CFPort __CFSimSleep(__CFPortSet set, uint64_t until, uint64_t late) {
    __CFPort port = __CFSimSetReceive(set);
    if (port != CFPORT_NULL || until <= __CFSim.now) return port;
    __CFSimWait(waitsForPorts, until, set, NULL);
    if (late && (until <= __CFSim.now || set->timerDeadline <= __CFSim.now))
        __CFSimWait(isBusy, __CFSim.now + late, NULL, NULL);
    return __CFSimSetReceive(set);
}

static __CFPort __CFSimSleepWithFault(__CFPortSet set, uint64_t deadlineTSR, SimulationFault fault,
                                      uint64_t length) {
    uint64_t end = set->timerDeadline < deadlineTSR ? set->timerDeadline : deadlineTSR;
    uint64_t left = end > __CFSim.now ? end - __CFSim.now : 0;
    __CFPort port;
    switch (fault) {
    case kSimulationSpuriousWakeUp: return set->wakeUpPort;
    case kSimulationEarlyReturn:
        if (end == UINT64_MAX) break; // a wait without an end cannot return before it
        return __CFSimSleep(set, end - (length < left ? length : left), 0);
    case kSimulationLateReturn: return __CFSimSleep(set, deadlineTSR, length);
    case kSimulationInterrupt:
        if (deadlineTSR <= __CFSim.now || length >= deadlineTSR - __CFSim.now) break; // it is over
        port = __CFSimSleep(set, __CFSim.now + length, 0);
        if (port != CFPORT_NULL) return port;
        if (__CFSim.simulation.onSignal)
            __CFSim.simulation.onSignal(__CFSim.simulation.signalInfo);
        break;
    case kSimulationNoPorts: break; // no fault of a wait
    }
    return __CFSimSleep(set, deadlineTSR, 0);
}

__attribute__((noinline)) __CFPort __CFPortSetWait(__CFPortSet set, uint64_t deadlineTSR) {
    SimulationFault fault;
    uint64_t length;
    __CFSimPause();
    set->seenChanges = set->changes;
    if (deadlineTSR == 0) return __CFSimSetReceive(set);
    if (__CFSim.simulation.onWait) __CFSim.simulation.onWait();
    __CFSimNote("waits");
    __CFPort port = __CFSimTakeFault(&fault, &length)
        ? __CFSimSleepWithFault(set, deadlineTSR, fault, length)
        : __CFSimSleep(set, deadlineTSR, 0);
    if (port == CFPORT_NULL) __CFSimNote("wakes up without a port");
    else if (port == CFPORT_TIMER) __CFSimNote("wakes up for the timer port");
    else if (port == CFPORT_DEAD) __CFSimNote("wakes up for a port that was closed");
    else __CFSimNote("wakes up for port %d", port);
    return port;
}

// MARK: - Hosts

int __CFPortSetEmbed(__CFPortSet set) {
    set->host = __CFSimOpenPort(0);
    if (set->host < 0) __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__("an embedded mode");
    __CFSimGetPort(set->host)->set = set;
    return 0;
}

const char *__CFPortSetWhyNotEmbedded(int error) { return strerror(error); }

int __CFPortSetGetHostDescriptor(__CFPortSet set) { return set->host; }

void __CFPortSetSetHostEvent(__CFPortSet set, Boolean hasWork) { set->hostHasEvent = hasWork; }

void __CFPortSetHostIsElsewhere(__CFPortSet set) { set->hostIsElsewhere = true; }

void __CFPortSetBeginHostsRun(__CFPortSet set) {
    if (set->hostIsElsewhere) set->hostIsMuted = true;
    else set->hostHasEvent = true;
}

void __CFPortSetEndHostsRun(__CFPortSet set) { set->hostIsMuted = false; }

Boolean SimulationIsReadable(int port) {
    uint32_t *turn;
    const __CFSimPort *open = __CFSimGetPort(port);
    if (!open || !open->set) return __CFSimPortHasMessage(port);
    if (open->set->hostIsMuted) return false;
    return open->set->hostHasEvent || __CFSimSetFind(open->set, &turn) != CFPORT_NULL;
}

// MARK: - The main dispatch queue

int _dispatch_get_main_queue_port_4CF(void) {
    if (__CFSimMainQueuePort == CFPORT_NULL)
        __CFSimMainQueuePort = __CFSimOpenPort(__CFSim.queued > 0);
    return __CFSimMainQueuePort;
}

/// Performs what was in the queue when it was called, as libdispatch does.
void _dispatch_main_queue_callback_4CF(void *msg) {
    (void)msg;
    struct __CFSimWork *queue = __CFSim.queue;
    size_t count = __CFSim.queued;
    __CFSim.queue = NULL;
    __CFSim.queued = 0;
    for (size_t i = 0; i < count; i++) queue[i].function(queue[i].info);
    free(queue);
}

void SimulationMainQueueAsync(SimulationFunction work, void *info) {
    __CFSim.queue = __CFSimGrow(__CFSim.queue, __CFSim.queued, sizeof(*__CFSim.queue));
    __CFSim.queue[__CFSim.queued++] = (struct __CFSimWork){work, info};
    if (__CFSimMainQueuePort != CFPORT_NULL) __CFSendTrivialMachMessage(__CFSimMainQueuePort);
}

// MARK: - Objects, and the names of functions

/// So the hash of an object does not depend on its address.
uint32_t __CFObjectNextNumber(void) { return ++__CFSim.objectCount; }

/// Addresses differ between machines, so no function has a name.
#if !defined(CF_SIM_HAS_SYMBOLS) // where it is defined, the program knows its functions
__CFSymbol __CFSymbolFind(const void *function) {
    (void)function;
    return (__CFSymbol){NULL, NULL, NULL};
}
#endif
