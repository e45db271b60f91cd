// The names that CFRunLoopCommonModes.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopAddCommonMode
CF_LINKER_ALIAS(CFRunLoopAddCommonMode)
#endif
