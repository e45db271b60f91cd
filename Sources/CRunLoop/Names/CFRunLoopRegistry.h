// What CFRunLoopRegistry.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopGetCurrent
CF_LINKER_ALIAS(CFRunLoopGetCurrent) // gone or moved? run Scripts/linker-names
#undef CFRunLoopGetMain
CF_LINKER_ALIAS(CFRunLoopGetMain) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTraceCopyAllLoops
CF_LINKER_ALIAS(CFRunLoopTraceCopyAllLoops) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopGet0
CF_LINKER_ALIAS(_CFRunLoopGet0) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopGet0b
CF_LINKER_ALIAS(_CFRunLoopGet0b) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopGet1
CF_LINKER_ALIAS(_CFRunLoopGet1) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopGet2
CF_LINKER_ALIAS(_CFRunLoopGet2) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopGet2b
CF_LINKER_ALIAS(_CFRunLoopGet2b) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopIsCurrent
CF_LINKER_ALIAS(_CFRunLoopIsCurrent) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopSetCounterpart
CF_LINKER_ALIAS(_CFRunLoopSetCounterpart) // gone or moved? run Scripts/linker-names
#endif
