// What CFRunLoopTraceState.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopTraceGetState
CF_LINKER_ALIAS(CFRunLoopTraceGetState) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTraceGetTimers
CF_LINKER_ALIAS(CFRunLoopTraceGetTimers) // gone or moved? run Scripts/linker-names
#endif
