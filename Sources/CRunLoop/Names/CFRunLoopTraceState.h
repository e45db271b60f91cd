// The names that CFRunLoopTraceState.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopTraceGetState
CF_LINKER_ALIAS(CFRunLoopTraceGetState)
#undef CFRunLoopTraceGetTimers
CF_LINKER_ALIAS(CFRunLoopTraceGetTimers)
#endif
