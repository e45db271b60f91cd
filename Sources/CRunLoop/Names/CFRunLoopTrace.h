// The names that CFRunLoopTrace.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopTraceGetLostCount
CF_LINKER_ALIAS(CFRunLoopTraceGetLostCount)
#undef CFRunLoopTraceReceive
CF_LINKER_ALIAS(CFRunLoopTraceReceive)
#undef CFRunLoopTraceStart
CF_LINKER_ALIAS(CFRunLoopTraceStart)
#undef CFRunLoopTraceStop
CF_LINKER_ALIAS(CFRunLoopTraceStop)
#undef __CFRunLoopIsTraced
CF_LINKER_ALIAS(__CFRunLoopIsTraced)
#undef __CFRunLoopTrace
CF_LINKER_ALIAS(__CFRunLoopTrace)
#undef __CFTraceCopyName
CF_LINKER_ALIAS(__CFTraceCopyName)
#endif
