/// CRunLoopSimulated.c: the library over the simulated kernel, as one translation unit. Tests, and
/// the module for web pages, include it. Its functions are static, with their plain names.
#define CF_SIMULATED_KERNEL 1
#define CF_CHECK_LOCKS 1
#define CF_BUILDING_CF 1
#define CF_PRIVATE static
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CFSimulatedProcess.c"
#include "pthread.h"

// The library's heap, and its end, are those of the simulated process.
#define malloc(size) __CFSimMalloc(size)
#define calloc(count, size) __CFSimCalloc(count, size)
#define realloc(memory, size) __CFSimRealloc(memory, size)
#define free(memory) __CFSimFree(memory)
#define abort() __CFSimAbort()
#define _Block_copy __CFSimBlockCopy
#define _Block_release __CFSimBlockRelease
void __CFSimAbort(void) __attribute__((noreturn));
// For debuggers: the simulated port set is another struct than the one on Linux.
#define __CFPortSet __CFSimPortSet

CF_SIM_SECTION_BEGINS
#include "../../Sources/CRunLoop/Base/Base.c"
#include "CFSimulatedKernel.c"

// What the loop's threads share without a lock: another thread may have the turn before each
// access. (In Base such variables are mainly counts of references.)
#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_fetch_or
#undef atomic_fetch_and
#define atomic_load(p) (__CFSimPause(), __c11_atomic_load(p, __ATOMIC_SEQ_CST))
#define atomic_store(p, v) (__CFSimPause(), __c11_atomic_store(p, v, __ATOMIC_SEQ_CST))
#define atomic_exchange(p, v) (__CFSimPause(), __c11_atomic_exchange(p, v, __ATOMIC_SEQ_CST))
#define atomic_fetch_add(p, v) (__CFSimPause(), __c11_atomic_fetch_add(p, v, __ATOMIC_SEQ_CST))
#define atomic_fetch_or(p, v) (__CFSimPause(), __c11_atomic_fetch_or(p, v, __ATOMIC_SEQ_CST))
#define atomic_fetch_and(p, v) (__CFSimPause(), __c11_atomic_fetch_and(p, v, __ATOMIC_SEQ_CST))

// A simulation may do something before each step of a pass.
#include "../../Sources/CRunLoop/CFRunLoopProbes.h"
static void __CFSimReachStep(int step) {
    if (__CFSim.simulation.onStep) __CFSim.simulation.onStep(step);
}
#define __CFRunLoopRecordStep(rl, step) \
    (__CFSimReachStep(step), (__CFRunLoopRecordStep)(rl, step))

#include "../../Sources/CRunLoop/CRunLoop.c"
CF_SIM_SECTION_ENDS

#undef malloc
#undef calloc
#undef realloc
#undef free
#undef abort
#undef _Block_copy
#undef _Block_release

#if !defined(__wasm__)
/// Gives back what a process keeps until its end.
static void __CFSimReleaseMainLoop(void) {
    CFRunLoopRef mainLoop = _CFRunLoopGet0b(kNilPthreadT);
    if (!mainLoop) return;
    __CFRunLoopRemoveAllItems(mainLoop);
    CFRelease(__CFRunLoops);
}
#endif
