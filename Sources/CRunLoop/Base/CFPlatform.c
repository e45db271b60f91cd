/// CFPlatform.c: what belongs to one thread: its table of data, and the question whether it is the main thread.
///
/// All of the library's thread-specific data is in one small table a thread. A `__thread` pointer leads to it in one instruction;
/// the pthread key exists only to be told when the thread ends. A Mac has reserved slots in the thread itself for this.
#include "CFInternal.h"
#include <sys/syscall.h>

// MARK: - Thread-specific data

typedef struct __CFTSDTable {
    void *data[CF_TSD_MAX_SLOTS];
    void (*destructors[CF_TSD_MAX_SLOTS])(void *);
} __CFTSDTable;

/// The calling thread's table; NULL until something is kept in it, and again once the table is freed. It is never left pointing
/// to a freed table: a destructor that runs later may ask again, and must find nothing rather than a stale value. [D5]
static __thread __CFTSDTable *__CFTSDCurrentTable;
/// How many rounds of destructors the ending thread has gone through. It outlives the table.
static __thread int __CFTSDRounds;

static pthread_key_t __CFTSDKey;
static pthread_once_t __CFTSDKeyOnce = PTHREAD_ONCE_INIT;

/// Calls the destructor of each filled slot. The slot is emptied first, so that the destructor may fill it again.
static void __CFTSDCallDestructors(__CFTSDTable *table) {
    for (int slot = 0; slot < CF_TSD_MAX_SLOTS; slot++) {
        void *value = table->data[slot];
        void (*destructor)(void *) = table->destructors[slot];
        if (!value || !destructor) continue;
        table->data[slot] = NULL;
        table->destructors[slot] = NULL;
        destructor(value);
    }
}

/// Whether a destructor is still to be called.
static Boolean __CFTSDHasWork(const __CFTSDTable *table) {
    for (int slot = 0; slot < CF_TSD_MAX_SLOTS; slot++) {
        if (table->data[slot] && table->destructors[slot]) return true;
    }
    return false;
}

static void __CFTSDFreeTable(__CFTSDTable *table) {
    __CFTSDCurrentTable = NULL;
    pthread_setspecific(__CFTSDKey, NULL);
    free(table);
}

/// The key's destructor: one round. pthread empties the key and calls this; a key that is set again is called again in the next
/// round, PTHREAD_DESTRUCTOR_ITERATIONS times at most.
///
/// Destructors of other keys may use the table between our rounds, so it stays as long as it can be of use: until the last round
/// but one. The last round is in reserve for who fills a slot after that: pthread will not call again, so destructors that ask
/// for another round get it at once. The count stops one that would ask for ever.
static void __CFTSDFinalize(void *arg) {
    __CFTSDTable *table = arg;
    __CFTSDCurrentTable = table;
    pthread_setspecific(__CFTSDKey, table);
    __CFTSDRounds++;
    __CFTSDCallDestructors(table);
    if (__CFTSDRounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) return;
    if (__CFTSDRounds == PTHREAD_DESTRUCTOR_ITERATIONS - 1 && __CFTSDHasWork(table)) return;
    for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && __CFTSDHasWork(table); i++) __CFTSDCallDestructors(table);
    __CFTSDFreeTable(table);
}

static void __CFTSDCreateKey(void) {
    int error = pthread_key_create(&__CFTSDKey, __CFTSDFinalize);
    if (error) __CFHalt("There is no pthread key left for the data of threads (%s).", strerror(error));
}

static __CFTSDTable *__CFTSDCreateTable(void) {
    pthread_once(&__CFTSDKeyOnce, __CFTSDCreateKey);
    __CFTSDTable *table = calloc(1, sizeof(__CFTSDTable));
    if (!table || pthread_setspecific(__CFTSDKey, table) != 0) __CF_HAS_NO_MEMORY_LEFT__("the data of a thread");
    __CFTSDCurrentTable = table;
    return table;
}

void *_CFGetTSD(uint32_t slot) {
    __CFTSDTable *table = __CFTSDCurrentTable;
    return table && slot < CF_TSD_MAX_SLOTS ? table->data[slot] : NULL;
}

void *_CFSetTSD(uint32_t slot, void *newVal, void (*destructor)(void *)) {
    if (slot >= CF_TSD_MAX_SLOTS) __CFHalt("There is no slot %u for the data of threads; the last one is %d.", slot, CF_TSD_MAX_SLOTS - 1);
    __CFTSDTable *table = __CFTSDCurrentTable;
    if (!table) {
        if (!newVal) return NULL;
        table = __CFTSDCreateTable();
    }
    void *oldVal = table->data[slot];
    table->data[slot] = newVal;
    table->destructors[slot] = destructor;
    return oldVal;
}

// MARK: - The main thread

/// The process's first thread. Set before main, and once more in the child of a fork, whose first thread is the one that forked.
static pthread_t __CFMainPThread;
static Boolean __CFMainPThreadIsKnown;

static void __CFMainThreadIsThisOne(void) {
    __CFMainPThread = pthread_self();
    __CFMainPThreadIsKnown = true;
}

/// Runs while the program is loaded, which the first thread does, unless this code is part of a plug-in.
__attribute__((constructor)) static void __CFPlatformInitialize(void) {
    if (syscall(SYS_gettid) == getpid()) __CFMainThreadIsThisOne();
    pthread_atfork(NULL, NULL, __CFMainThreadIsThisOne);
}

pthread_t pthread_main_thread_np(void) {
    return __CFMainPThread;
}

int pthread_main_np(void) {
    if (CF_LIKELY(__CFMainPThreadIsKnown)) return pthread_equal(pthread_self(), __CFMainPThread) != 0;
    return syscall(SYS_gettid) == getpid();
}
