/// CRunLoop.c: the library as one translation unit. The build compiles only this file.
///
/// The order below is the order of the layers, from the bottom to the top. A file uses what stands
/// before it; the compiler checks that, because a header declares only its own layer. What the
/// files share is static, so the linker sees only the public functions, each under the name that
/// CFLinkerNames.h gives it. Start reading at CFRunLoop_Internal.h, and then CFRunLoop.c.

#if !defined(__APPLE__) // there, the system has the loop, and nothing uses this target

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#if !defined(CF_BUILDING_CF)
#define CF_BUILDING_CF 1
#endif
#if !defined(CF_PRIVATE) && !defined(CF_PRIVATE_IS_EXTERN) // the tests define one of these
#define CF_PRIVATE static
#endif

// Layer 0: the small CoreFoundation, and what the loop asks of the system
#include "Base/Base.c"
#if !defined(CF_SIMULATED_KERNEL)
#include "Kernel/CFPort.c"
#include "Kernel/CFPortSet.c"
#include "Kernel/CFPortSupport.c"
#endif

// Layer 1: the structs, modes, and what the items have in common
#include "CFRunLoopMainThread.c"
#include "CFRunLoopMode.c"
#include "CFRunLoopItem.c"

// Layer 2: the items, and the records of the runs
#include "CFRunLoopCallouts.c"
#include "CFRunLoopBlocks.c"
#include "CFRunLoopSource.c"
#include "CFRunLoopTimer.c"
#include "CFRunLoopObserver.c"
#include "CFRunLoopCommonModes.c"
#include "CFRunLoopHosts.c"
#include "CFRunLoopPerRunData.c"

// Layer 3: the loop
#include "CFRunLoopObject.c"
#include "CFRunLoopRegistry.c"
#include "CFRunLoop.c"
#include "CFRunLoopEmbedding.c"
#include "CFRunLoopTrace.c"

#if !defined(CF_SIMULATED_KERNEL) // which needs no names for the linker

// MARK: - Names for the linker
//
// A public function is static under its own name, which debuggers show, and has an alias under its
// name for the linker. The alias has no size, because a tool that has only the symbol table
// (Swift's backtrace, perf, a debugger without debug information) prefers the symbol that has one.

#define CF_LINKER_ALIAS_AS(name, other) \
    extern __typeof__(name) other __attribute__((alias(#name), visibility("hidden"))); \
    __asm__(".size " #other ", 0");
#define CF_LINKER_ALIAS_1(name, other) CF_LINKER_ALIAS_AS(name, other)
#define CF_LINKER_ALIAS(name) CF_LINKER_ALIAS_1(name, CF_LINKER_NAME(name))
CF_LINKER_NAMES(CF_LINKER_ALIAS)

#endif

#endif
