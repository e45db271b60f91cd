// What CFRunLoopObject.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopGetTypeID
CF_LINKER_ALIAS(CFRunLoopGetTypeID) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopClass
CF_LINKER_ALIAS(__CFRunLoopClass) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopCreate
CF_LINKER_ALIAS(__CFRunLoopCreate) // gone or moved? run Scripts/linker-names
#endif
