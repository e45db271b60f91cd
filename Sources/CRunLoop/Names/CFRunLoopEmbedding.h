// The names that CFRunLoopEmbedding.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopGetDescriptor
CF_LINKER_ALIAS(CFRunLoopGetDescriptor)
#undef CFRunLoopServe
CF_LINKER_ALIAS(CFRunLoopServe)
#undef _CFRunLoopServeFromMainQueue
CF_LINKER_ALIAS(_CFRunLoopServeFromMainQueue)
#endif
