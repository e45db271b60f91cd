// The names that CFRunLoopMainThread.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef _CFMainThreadHasEnded
CF_LINKER_ALIAS(_CFMainThreadHasEnded)
#undef _CFMainThreadSetEndHandler
CF_LINKER_ALIAS(_CFMainThreadSetEndHandler)
#undef __CFRunLoopMainThreadHasExited
CF_LINKER_ALIAS(__CFRunLoopMainThreadHasExited)
#undef __CFRunLoopRefusesItems
CF_LINKER_ALIAS(__CFRunLoopRefusesItems)
#endif
