// What CFRunLoopEmbedding.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopGetDescriptor
CF_LINKER_ALIAS(CFRunLoopGetDescriptor) // gone or moved? run Scripts/linker-names
#undef CFRunLoopServe
CF_LINKER_ALIAS(CFRunLoopServe) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopServeFromMainQueue
CF_LINKER_ALIAS(_CFRunLoopServeFromMainQueue) // gone or moved? run Scripts/linker-names
#endif
