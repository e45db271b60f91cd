// The names that CFRunLoopMainQueue.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFRunLoopMainQueuePort
CF_LINKER_ALIAS(__CFRunLoopMainQueuePort)
#undef __CFRunLoopModeServeMainQueue
CF_LINKER_ALIAS(__CFRunLoopModeServeMainQueue)
#undef __CFRunLoopServesMainQueue
CF_LINKER_ALIAS(__CFRunLoopServesMainQueue)
#endif
