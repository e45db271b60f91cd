/// Diagnostics.c: CRunLoopDiagnostics, compiled into this program, because it is a client of the library and this program has its own copy of that.
#include "../../Sources/CRunLoopDiagnostics/CRunLoopTraceRing.c"
#include "../../Sources/CRunLoopDiagnostics/CThreadSampler.c"
#include "../../Sources/CRunLoopDiagnostics/StackUnwinder.c"
