/// Diagnostics.c: CRunLoopDiagnostics, compiled into this program, because it is a client of the library and this program has its own copy of that.
#include "../../Sources/Support/CRunLoopDiagnostics/CRunLoopTraceRing.c"
#include "../../Sources/Support/CRunLoopDiagnostics/CThreadSampler.c"
#include "../../Sources/Support/CRunLoopDiagnostics/StackUnwinder.c"
