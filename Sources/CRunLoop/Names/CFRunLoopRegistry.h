// The names that CFRunLoopRegistry.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopGetCurrent
CF_LINKER_ALIAS(CFRunLoopGetCurrent)
#undef CFRunLoopGetMain
CF_LINKER_ALIAS(CFRunLoopGetMain)
#undef CFRunLoopTraceCopyAllLoops
CF_LINKER_ALIAS(CFRunLoopTraceCopyAllLoops)
#undef _CFRunLoopCopyCounterpart
CF_LINKER_ALIAS(_CFRunLoopCopyCounterpart)
#undef _CFRunLoopGet0
CF_LINKER_ALIAS(_CFRunLoopGet0)
#undef _CFRunLoopGet0b
CF_LINKER_ALIAS(_CFRunLoopGet0b)
#undef _CFRunLoopGet1
CF_LINKER_ALIAS(_CFRunLoopGet1)
#undef _CFRunLoopGet2
CF_LINKER_ALIAS(_CFRunLoopGet2)
#undef _CFRunLoopGet2b
CF_LINKER_ALIAS(_CFRunLoopGet2b)
#undef _CFRunLoopIsCurrent
CF_LINKER_ALIAS(_CFRunLoopIsCurrent)
#undef _CFRunLoopSetCounterpart
CF_LINKER_ALIAS(_CFRunLoopSetCounterpart)
#endif
