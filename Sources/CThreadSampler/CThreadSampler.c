// CThreadSampler.c: see CThreadSampler.h.
//
// On a Mac a program suspends the thread (thread_suspend), reads its registers (thread_get_state) and follows its frame
// pointers. Linux lets no thread read the registers of another one of its process. But a signal makes a thread stop where it is
// and call a function on top of its stack; that function looks down the stack, and the thread goes on.

#define _GNU_SOURCE
#include "CThreadSampler.h"
#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <ucontext.h>
#include <unwind.h>

// What a handler fills in.
struct sample {
    pthread_t thread;           // whose stack it is to be
    uintptr_t *addresses;
    int capacity, count;
    uintptr_t stackEnd;         // no frame lies beyond
    uintptr_t instruction;      // where the thread was when the signal came
    bool isBelowHandler;        // the unwinder has come to that place
    uintptr_t stack, frame;     // stack and frame pointer in the outermost frame that it has come to
    sem_t isTaken;
};

// The sample that the next handler is to take. It belongs to who takes it out of here: the handler, or the caller who waits no
// longer.
static _Atomic(struct sample *) wanted;

#if defined(__x86_64__)
enum { frameRegister = 6 }; // rbp, as the unwind tables number it
#elif defined(__aarch64__)
enum { frameRegister = 29 };
#else
#error "Where does this processor keep the instruction pointer and the frame pointer?"
#endif

static uintptr_t instructionOf(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)context->uc_mcontext.pc;
#endif
}

// MARK: - On the thread that is sampled

static void append(struct sample *sample, uintptr_t address) {
    if (sample->count < sample->capacity) sample->addresses[sample->count++] = address;
}

static _Unwind_Reason_Code noteFrame(struct _Unwind_Context *context, void *info) {
    struct sample *sample = info;
    uintptr_t address = _Unwind_GetIP(context);
    if (address == sample->instruction) sample->isBelowHandler = true;
    if (!sample->isBelowHandler || address == 0) return _URC_NO_REASON; // the handler's own frames come first
    append(sample, address);
    sample->stack = _Unwind_GetCFA(context);
    sample->frame = _Unwind_GetGR(context, frameRegister);
    return _URC_NO_REASON;
}

// Unwinding ends early at a function without unwind tables: some that the Swift compiler makes have none. From there on the
// frame pointers lead out, which Swift keeps. (They alone would not do: functions of the system, where many a thread waits,
// keep none.) If that function has no frame of its own, its caller is passed over. AddressSanitizer would not have anybody read
// the frames of others.
__attribute__((no_sanitize("address"))) static void followFramePointers(struct sample *sample) {
    uintptr_t frame = sample->frame, least = sample->stack;
    while (frame >= least && frame % sizeof(void *) == 0 && frame + 2 * sizeof(void *) <= sample->stackEnd) {
        const uintptr_t *words = (const uintptr_t *)frame;
        if (words[1] == 0) break;
        append(sample, words[1]);
        least = frame + 2 * sizeof(void *);
        frame = words[0];
    }
}

// Only what may be called in a handler. _Unwind_Backtrace is not promised to be, but takes no lock and no memory once it is
// loaded. A SIGURG that is somebody else's finds no sample to take; or, on another thread, one that is not for it: nothing is taken then.
static void takeSample(int signal, siginfo_t *info, void *context) {
    struct sample *sample = atomic_exchange(&wanted, NULL);
    if (!sample) return;
    int savedErrno = errno;
    if (pthread_equal(sample->thread, pthread_self())) {
        sample->instruction = instructionOf(context);
        _Unwind_Backtrace(noteFrame, sample);
        if (sample->isBelowHandler) followFramePointers(sample);
    }
    sem_post(&sample->isTaken);
    errno = savedErrno;
}

// MARK: - On the thread that asks

static bool isInstalled;

static void installHandler(void) {
    struct sample none = {.capacity = 0};
    _Unwind_Backtrace(noteFrame, &none); // the first call may load the unwinder, which a handler must not do
    struct sigaction action = {.sa_sigaction = takeSample, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
    if (sigaction(SIGURG, NULL, &old) != 0 || (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN)) return;
    isInstalled = sigaction(SIGURG, &action, NULL) == 0;
}

static uintptr_t endOfStack(pthread_t thread) {
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    if (pthread_getattr_np(thread, &attributes) != 0) return 0;
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    return (uintptr_t)start + size;
}

static bool waitFor(struct sample *sample, int limit) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    long nanoseconds = end.tv_nsec + limit % 1000 * 1000000L;
    end.tv_sec += limit / 1000 + nanoseconds / 1000000000L;
    end.tv_nsec = nanoseconds % 1000000000L;
    while (sem_timedwait(&sample->isTaken, &end) != 0) {
        if (errno != EINTR) return false;
    }
    return true;
}

static int take(pthread_t thread, struct sample *sample, int limit) {
    sem_init(&sample->isTaken, 0, 0);
    atomic_store(&wanted, sample);
    bool isTaken = pthread_kill(thread, SIGURG) == 0 && waitFor(sample, limit);
    // If the sample cannot be taken back, the handler is at work, and soon done.
    if (!isTaken && atomic_exchange(&wanted, NULL) != sample) {
        while (sem_wait(&sample->isTaken) != 0) {}
        isTaken = true;
    }
    sem_destroy(&sample->isTaken);
    return isTaken ? sample->count : 0;
}

int CThreadSamplerTake(pthread_t thread, uintptr_t *addresses, int capacity, int limit) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    pthread_once(&once, installHandler);
    if (!isInstalled) return 0;
    struct sample sample = {.thread = thread, .addresses = addresses, .capacity = capacity, .stackEnd = endOfStack(thread)};
    pthread_mutex_lock(&turn);
    int count = take(thread, &sample, limit);
    pthread_mutex_unlock(&turn);
    return count;
}

const char *CThreadSamplerName(uintptr_t address, const char **file) {
    Dl_info info;
    bool isKnown = dladdr((const void *)address, &info) != 0;
    *file = isKnown ? info.dli_fname : NULL;
    return isKnown ? info.dli_sname : NULL;
}
