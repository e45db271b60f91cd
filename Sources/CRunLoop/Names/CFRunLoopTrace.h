// What CFRunLoopTrace.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopTraceGetLostCount
CF_LINKER_ALIAS(CFRunLoopTraceGetLostCount) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTraceReceive
CF_LINKER_ALIAS(CFRunLoopTraceReceive) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTraceStart
CF_LINKER_ALIAS(CFRunLoopTraceStart) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTraceStop
CF_LINKER_ALIAS(CFRunLoopTraceStop) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopIsTraced
CF_LINKER_ALIAS(__CFRunLoopIsTraced) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopTrace
CF_LINKER_ALIAS(__CFRunLoopTrace) // gone or moved? run Scripts/linker-names
#undef __CFTraceCopyName
CF_LINKER_ALIAS(__CFTraceCopyName) // gone or moved? run Scripts/linker-names
#endif
