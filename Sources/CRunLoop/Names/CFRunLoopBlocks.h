// The names that CFRunLoopBlocks.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopPerformBlock
CF_LINKER_ALIAS(CFRunLoopPerformBlock)
#undef __CFRunLoopBlockIsForMode
CF_LINKER_ALIAS(__CFRunLoopBlockIsForMode)
#undef __CFRunLoopDoBlocks
CF_LINKER_ALIAS(__CFRunLoopDoBlocks)
#undef __CFRunLoopDropBlocks
CF_LINKER_ALIAS(__CFRunLoopDropBlocks)
#undef __CFRunLoopFreeBlockChunks
CF_LINKER_ALIAS(__CFRunLoopFreeBlockChunks)
#undef __CFRunLoopHasBlocks
CF_LINKER_ALIAS(__CFRunLoopHasBlocks)
#endif
