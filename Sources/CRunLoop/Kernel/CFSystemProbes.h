/// CFSystemProbes.h: makes the points of CFRunLoopProbes.h USDT probes, which perf, bpftrace and
/// gdb find, if <sys/sdt.h> is installed where the library is built.
#if !defined(__COREFOUNDATION_CFSYSTEMPROBES__)
#define __COREFOUNDATION_CFSYSTEMPROBES__ 1

#if !defined(CF_NO_PROBES) && defined(__has_include)
#if __has_include(<sys/sdt.h>)
// The arguments stay in registers; without this, clang stores them on the stack at each probe.
#define STAP_SDT_ARG_CONSTRAINT nr
#include <sys/sdt.h>
#define __CFRUNLOOP_USDT(name, rl, item, value) STAP_PROBE3(cfrunloop, name, rl, item, value)
#endif
#endif
#if !defined(__CFRUNLOOP_USDT)
#define __CFRUNLOOP_USDT(name, rl, item, value) do {} while (0)
#endif

#endif
