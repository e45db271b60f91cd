/// pthread.h: what the library uses of pthreads (see CFKernel.h), under the simulated kernel.
///
/// A thread's pthread_t is its number: the main thread is 1. A mutex says which thread holds it,
/// and finds the errors that debug builds look for. A WebAssembly module has no other pthread.h;
/// elsewhere the system's comes first, because other headers need its types.
#if !defined(CF_SIMULATED_PTHREAD)
#define CF_SIMULATED_PTHREAD 1

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#if defined(__wasm__) // <sys/types.h> has the types
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define PTHREAD_ONCE_INIT 0
#define flockfile(file) ((void)(file))
#define funlockfile(file) ((void)(file))
#else
#include <pthread.h>
#endif

#if defined(__GLIBC__)
/// It has the layout of glibc's mutex. The lab has the library twice, and a debugger that looks for a
/// struct by its name finds that of either copy. So structs of one name have one layout.
struct __CFSimMutex {
    union {
        struct {
            int32_t _unused;
            uint32_t count; // how often the holder has locked it
            int32_t holder; // the thread's number; 0: nobody
            uint32_t _users;
            int32_t type;
        };
        struct {
            int32_t _before[2];
            int32_t __owner;
        } __data;
        pthread_mutex_t _system;
    };
};
_Static_assert(offsetof(struct __CFSimMutex, holder) == offsetof(pthread_mutex_t, __data.__owner),
               "debuggers look for the holder where glibc has it");
#else
struct __CFSimMutex {
    uint32_t count; // how often the holder has locked it
    int32_t holder; // the thread's number; 0: nobody
    int32_t type;
};
#endif
#if !defined(PTHREAD_MUTEX_RECURSIVE) && defined(__wasm__)
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#endif
int __CFSimMutexLock(struct __CFSimMutex *mutex);
int __CFSimMutexUnlock(struct __CFSimMutex *mutex);
pthread_t __CFSimSelf(void);
int __CFSimSetKeyValue(const void *value);
void __CFSimPause(void);
const char *__CFSimGetName(pthread_t thread);

#define pthread_mutex_t struct __CFSimMutex
#undef PTHREAD_MUTEX_INITIALIZER
#undef PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
#define PTHREAD_MUTEX_INITIALIZER {0}
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP {0}
#define pthread_mutexattr_t int
#define pthread_mutexattr_init(attributes) (*(attributes) = 0)
#define pthread_mutexattr_settype(attributes, newType) (*(attributes) = (newType))
#define pthread_mutexattr_destroy(attributes) ((void)(attributes))
#define pthread_mutex_init(mutex, attributes) \
    (*(mutex) = (struct __CFSimMutex){0}, (mutex)->type = *(attributes))
#define pthread_mutex_lock __CFSimMutexLock
#define pthread_mutex_unlock __CFSimMutexUnlock
#define pthread_self __CFSimSelf
#define pthread_equal(a, b) ((a) == (b))
#define pthread_setspecific(key, value) __CFSimSetKeyValue(value)
#define pthread_once(once, function) (*(once) != 2 ? (*(once) = 2, (function)()) : (void)0)
#define pthread_atfork(prepare, parent, child) ((void)(child)) // nothing forks
#define pthread_setname_np(thread, name) ((void)(thread), (void)(name), 0)
#define pthread_getname_np(thread, buffer, length) \
    (snprintf(buffer, length, "%s", __CFSimGetName(thread)), 0)

/// Signals are sent in an order although the clock stands still.
uint64_t __CFSimSignalTime(void);
#define __CFSignalTime __CFSimSignalTime

/// The library checks for a fork at the beginning of every public function. Nothing forks here, but
/// another thread may have the turn.
#define CHECK_FOR_FORK() __CFSimPause()
#define CHECK_FOR_FORK_IN_SIGNAL_HANDLER() __CFSimPause()

// libdispatch's part
#define _dispatch_get_main_queue_port_4CF __CFSimMainQueueGetPort
#define _dispatch_main_queue_callback_4CF __CFSimMainQueuePerform

#endif
