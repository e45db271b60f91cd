// What CFRunLoopCommonModes.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopAddCommonMode
CF_LINKER_ALIAS(CFRunLoopAddCommonMode) // gone or moved? run Scripts/linker-names
#endif
