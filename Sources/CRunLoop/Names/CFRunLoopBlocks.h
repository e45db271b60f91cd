// What CFRunLoopBlocks.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopPerformBlock
CF_LINKER_ALIAS(CFRunLoopPerformBlock) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDoBlocks
CF_LINKER_ALIAS(__CFRunLoopDoBlocks) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDropBlocks
CF_LINKER_ALIAS(__CFRunLoopDropBlocks) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopHasBlocks
CF_LINKER_ALIAS(__CFRunLoopHasBlocks) // gone or moved? run Scripts/linker-names
#endif
