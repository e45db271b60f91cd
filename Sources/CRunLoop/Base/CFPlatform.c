/// CFPlatform.c: what belongs to one thread: its table of data, the question whether it is the main
/// thread, and whether the process is one that may be used at all: the child of a fork may not.
///
/// All of the library's thread-specific data is in one small `__thread` table, which is reached in
/// one instruction; the pthread key exists only to be told when the thread ends. A Mac has reserved
/// slots in the thread itself for this.
#define _GNU_SOURCE // MADV_WIPEONFORK, dladdr1
#include "CFInternal.h"
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "../Names/CFPlatform.h"

// MARK: - Thread-specific data

struct __CFTSDSlot {
    void *value;
    void (*destructor)(void *);
};

/// The calling thread's table. It is part of the thread itself, so it can be asked at any time,
/// even by destructors that run when all else is gone, and is never left behind. [D5]
static __thread struct __CFTSDSlot __CFTSDTable[CF_TSD_MAX_SLOTS];
/// Whether the key is set for this thread, so that pthread will call __CFTSDFinalize.
static __thread Boolean __CFTSDIsAnnounced;
/// How many rounds of destructors the ending thread has gone through.
static __thread int __CFTSDRounds;

static pthread_key_t __CFTSDKey;
static pthread_once_t __CFTSDKeyOnce = PTHREAD_ONCE_INIT;

/// Calls the destructor of each filled slot. The slot is emptied first, so that the destructor may
/// fill it again.
static void __CFTSDCallDestructors(void) {
    for (int i = 0; i < CF_TSD_MAX_SLOTS; i++) {
        struct __CFTSDSlot slot = __CFTSDTable[i];
        if (!slot.value || !slot.destructor) continue;
        __CFTSDTable[i] = (struct __CFTSDSlot){NULL, NULL};
        slot.destructor(slot.value);
    }
}

/// Whether a destructor is still to be called.
static Boolean __CFTSDHasWork(void) {
    for (int i = 0; i < CF_TSD_MAX_SLOTS; i++) {
        if (__CFTSDTable[i].value && __CFTSDTable[i].destructor) return true;
    }
    return false;
}

static void __CFTSDFinalize(void *unused);

/// Has the loader keep the library or plug-in that this code is a part of, whatever dlclose is
/// told: from now on threads will call __CFTSDFinalize when they end, and nobody can tell when the
/// last of them has. A program cannot be unloaded, and has no name here.
static void __CFImagePin(void) {
    Dl_info info;
    struct link_map *image = NULL;
    if (!dladdr1((const void *)__CFImagePin, &info, (void **)&image, RTLD_DL_LINKMAP)) return;
    if (!image || !image->l_name || !image->l_name[0]) return;
    // By its name: a linker that makes a static program warns of every call of dlopen.
    __typeof__(&dlopen) open = (__typeof__(&dlopen))dlsym(RTLD_DEFAULT, "dlopen");
    void *itself = open ? open(image->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) : NULL;
    if (itself) dlclose(itself); // RTLD_NODELETE stays
}

static void __CFTSDCreateKey(void) {
    __CFImagePin();
    int error = pthread_key_create(&__CFTSDKey, __CFTSDFinalize);
    if (error)
        __CFHalt("There is no pthread key left for the data of threads (%s).", strerror(error));
}

/// Has pthread call __CFTSDFinalize in the next round of destructors.
static void __CFTSDAnnounce(void) {
    pthread_once(&__CFTSDKeyOnce, __CFTSDCreateKey);
    if (pthread_setspecific(__CFTSDKey, __CFTSDTable) != 0)
        __CF_HAS_NO_MEMORY_LEFT__("the data of a thread");
    __CFTSDIsAnnounced = true;
}

/// The key's destructor: one round. pthread empties the key and calls this; a key that is set again
/// is called again in the next round, PTHREAD_DESTRUCTOR_ITERATIONS times at most. It is set again
/// even when nothing is left to do, so that the rounds are counted right for who fills a slot late;
/// but not for the last round, in which sanitizers have left the thread already. In the last round
/// there is no next one: destructors that ask for another round get it at once. The second count
/// stops one that would ask for ever.
static void __CFTSDFinalize(void *unused) {
    (void)unused;
    __CFTSDIsAnnounced = false;
    __CFTSDRounds++;
    __CFTSDCallDestructors();
    if (__CFTSDRounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1
        || (__CFTSDRounds < PTHREAD_DESTRUCTOR_ITERATIONS && __CFTSDHasWork())) {
        __CFTSDAnnounce();
        return;
    }
    for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && __CFTSDHasWork(); i++)
        __CFTSDCallDestructors();
}

void *_CFGetTSD(uint32_t slot) {
    return slot < CF_TSD_MAX_SLOTS ? __CFTSDTable[slot].value : NULL;
}

void *_CFSetTSD(uint32_t slot, void *newVal, void (*destructor)(void *)) {
    if (slot >= CF_TSD_MAX_SLOTS)
        __CFHalt("There is no slot %u for the data of threads; the last one is %d.", slot,
                 CF_TSD_MAX_SLOTS - 1);
    void *oldVal = __CFTSDTable[slot].value;
    __CFTSDTable[slot] = (struct __CFTSDSlot){newVal, destructor};
    if (newVal && !__CFTSDIsAnnounced) __CFTSDAnnounce();
    return oldVal;
}

// MARK: - Numbers of threads

static __thread pid_t __CFKnownThreadNumber; // 0: not asked for yet

pid_t __CFThreadNumber(void) {
    if (CF_UNLIKELY(!__CFKnownThreadNumber)) __CFKnownThreadNumber = (pid_t)syscall(SYS_gettid);
    return __CFKnownThreadNumber;
}

// MARK: - The main thread

/// The process's first thread. Set before main, and once more in the child of a fork, whose first
/// thread is the one that forked.
static pthread_t __CFMainPThread;
static Boolean __CFMainPThreadIsKnown;

static void __CFMainThreadIsThisOne(void) {
    __CFMainPThread = pthread_self();
    __CFMainPThreadIsKnown = true;
    __CFKnownThreadNumber = 0; // the child of a fork has another one
}

static void __CFChildOfFork(void);

/// Runs while the program is loaded, which the first thread does, unless this code is part of a
/// plug-in.
__attribute__((constructor)) static void __CFPlatformInitialize(void) {
    if (syscall(SYS_gettid) == getpid()) __CFMainThreadIsThisOne();
    pthread_atfork(NULL, NULL, __CFMainThreadIsThisOne);
    pthread_atfork(NULL, NULL, __CFChildOfFork);
}

pthread_t pthread_main_thread_np(void) {
    return __CFMainPThread;
}

int pthread_main_np(void) {
    if (CF_LIKELY(__CFMainPThreadIsKnown))
        return pthread_equal(pthread_self(), __CFMainPThread) != 0;
    return syscall(SYS_gettid) == getpid();
}

// MARK: - Fork (R8)

// The mark is a byte in a page of its own, which the kernel fills with zeros in every child that
// gets a copy of the process's memory: fork, _Fork, clone and bare system calls alike. A handler of
// pthread_atfork would run in children of fork alone. A process identifier, kept for comparison,
// would cost a system call at each look: the C library does not keep it.

CF_SHARED _Atomic(uint8_t) __CFNoForkMark = 1;
CF_SHARED _Atomic(uint8_t) *_Atomic __CFForkMark = &__CFNoForkMark;
/// For a kernel that cannot fill the page (before Linux 4.14): there children of fork alone are
/// noticed.
static _Atomic(uint8_t) __CFPlainForkMark = 1;

/// The child has inherited descriptors that it shares with the parent (a timer armed here would be
/// armed there) and locks that other threads may have held. Nothing of it can be used; exec is the
/// way out. [D3]
__attribute__((noinline))
void __THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__(
    void) {
    __CFHalt("this process was forked from one that had used a run loop, and did not exec. Run "
             "loops cannot be used here: call exec, or start the child with posix_spawn.");
}

static void __CFChildOfFork(void) {
    if (__CFUseAfterForkIsForbidden()) atomic_store(atomic_load(&__CFForkMark), 0);
}

/// The page, with the mark in it; NULL if there is none, or if it cannot be told from a parent's.
static _Atomic(uint8_t) *__CFMakeForkMark(size_t size) {
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return NULL;
    _Atomic(uint8_t) *mark = page;
    if (madvise(page, size, MADV_WIPEONFORK) == 0) {
        atomic_store(mark, 1);
        return mark;
    }
    munmap(page, size);
    return NULL;
}

/// A fork before the mark is in place finds no lock held, one after it finds the mark.
void __CFForbidUseAfterFork(void) {
    if (CF_LIKELY(__CFUseAfterForkIsForbidden())) return;
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    _Atomic(uint8_t) *page = __CFMakeForkMark(size), *none = &__CFNoForkMark;
    Boolean isFirst =
        atomic_compare_exchange_strong(&__CFForkMark, &none, page ? page : &__CFPlainForkMark);
    if (!isFirst && page) munmap((void *)page, size);
}
