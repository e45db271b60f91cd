// CThreadSampler.c: see CThreadSampler.h.
//
// On a Mac a program suspends the thread (thread_suspend), reads its registers (thread_get_state) and follows its frame
// pointers. On Linux a thread cannot read the registers of another thread of its process. But a signal makes a thread stop where
// it is and call a function on top of its stack. That function copies the registers and the stack, and the thread goes on:
//
//     the asking thread                         the sampled thread
//     1. puts its sample into `wanted`
//     2. sends SIGURG
//                                               3. the handler takes the sample out of `wanted`
//                                               4. it copies the registers and the stack into the sample
//                                               5. it posts isTaken, and the thread goes on
//     6. follows the calls on the copy
//
// Steps 3 to 5 call no function of the C library but sem_post. The thread may be anywhere when the signal comes, in malloc or in
// the dynamic linker, and may hold their locks.

#if !defined(__APPLE__) // where nothing uses this target

#define _GNU_SOURCE
#include "CThreadSampler.h"
#include "StackUnwinder.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <ucontext.h>

// Of a deeper stack, the outermost calls are missing. The default stack of a thread has 8 MB, but few threads use a hundredth.
enum { mostWords = 256 * 1024 / sizeof(uintptr_t) };
static uintptr_t copiedWords[mostWords]; // of the sample whose turn it is

struct Sample {
    pthread_t thread;
    uintptr_t stackStart, stackEnd; // that thread's whole stack
    struct StackCopy copy;
    sem_t isTaken;
};

// The sample that the next handler is to take. The thread that takes it out of here owns it: the handler's, or the asking
// thread's if that gives up.
static _Atomic(struct Sample *) wanted;

// MARK: - On the thread that is sampled

#if defined(__aarch64__)
// A stub of the procedure linkage table has at most six instructions. It ends with `br x17`, which compilers use for little else.
// No instruction of the next page is read, because that page may not be there.
static bool isInLinkageStub(uintptr_t instruction) {
    enum { mostInstructions = 6, branch = 0xD61F0220, pageSize = 4096 };
    const volatile uint32_t *code = (const volatile uint32_t *)instruction;
    for (unsigned index = 0; index < mostInstructions; index++, code++) {
        if (*code == branch) return true;
        if ((uintptr_t)(code + 1) % pageSize == 0) return false;
    }
    return false;
}
#endif

static void copyRegisters(struct StackCopy *copy, const ucontext_t *context) {
#if defined(__x86_64__)
    static const int inTableOrder[] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
        REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
    };
    for (int number = 0; number < registerCount; number++) {
        copy->registers[number] = (uintptr_t)context->uc_mcontext.gregs[inTableOrder[number]];
    }
    copy->instruction = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    for (int number = 0; number < stackPointer; number++) copy->registers[number] = context->uc_mcontext.regs[number];
    copy->registers[stackPointer] = context->uc_mcontext.sp;
    copy->instruction = context->uc_mcontext.pc;
    copy->isInLinkageStub = isInLinkageStub(copy->instruction);
#endif
}

// All memory from the stack pointer to the end of the stack can be read. If the thread is on another stack, such as one for
// signals, nothing is copied. The words are volatile so that no call of memcpy is made of the loop: a sanitizer would see it, and
// report the places between variables that it has marked.
__attribute__((no_sanitize("address", "thread")))
static void copyStack(struct Sample *sample) {
    struct StackCopy *copy = &sample->copy;
    copy->start = copy->registers[stackPointer] & ~(sizeof(uintptr_t) - 1);
    copy->words = copiedWords;
    if (copy->start < sample->stackStart || copy->start >= sample->stackEnd) return;
    const volatile uintptr_t *stack = (const volatile uintptr_t *)copy->start;
    while (copy->wordCount < mostWords && (uintptr_t)(stack + copy->wordCount + 1) <= sample->stackEnd) {
        copiedWords[copy->wordCount] = stack[copy->wordCount];
        copy->wordCount++;
    }
}

// A SIGURG may come for another reason. Then there is no sample to take, or it is for another thread: that one is given up.
static void takeSample(int signal, siginfo_t *info, void *context) {
    struct Sample *sample = atomic_exchange(&wanted, NULL);
    if (!sample) return;
    int savedErrno = errno;
    if (pthread_equal(sample->thread, pthread_self())) {
        copyRegisters(&sample->copy, context);
        copyStack(sample);
    }
    sem_post(&sample->isTaken);
    errno = savedErrno;
}

// MARK: - On the thread that asks

static bool isInstalled;

static void installHandler(void) {
    struct sigaction action = {.sa_sigaction = takeSample, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
    if (sigaction(SIGURG, NULL, &old) != 0 || (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN)) return;
    isInstalled = sigaction(SIGURG, &action, NULL) == 0;
}

static void findStack(struct Sample *sample) {
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    if (pthread_getattr_np(sample->thread, &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    sample->stackStart = (uintptr_t)start;
    sample->stackEnd = (uintptr_t)start + size;
}

static bool waitFor(struct Sample *sample, int limit) {
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

// Returns whether the thread has filled in the sample.
static bool take(struct Sample *sample, int limit) {
    sem_init(&sample->isTaken, 0, 0);
    atomic_store(&wanted, sample);
    bool isTaken = pthread_kill(sample->thread, SIGURG) == 0 && waitFor(sample, limit);
    // If the sample is not in `wanted` any more, the handler is filling it in and will soon be done.
    if (!isTaken && atomic_exchange(&wanted, NULL) != sample) {
        while (sem_wait(&sample->isTaken) != 0) {}
        isTaken = true;
    }
    sem_destroy(&sample->isTaken);
    return isTaken && sample->copy.instruction != 0;
}

int CThreadSamplerTake(pthread_t thread, uintptr_t *addresses, int capacity, int limit) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    pthread_once(&once, installHandler);
    if (!isInstalled) return 0;
    struct Sample sample = {.thread = thread};
    findStack(&sample);
    pthread_mutex_lock(&turn);
    int count = take(&sample, limit) ? unwindStack(&sample.copy, addresses, capacity) : 0;
    pthread_mutex_unlock(&turn);
    return count;
}

#endif
