// The names that CFRunLoopObject.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopGetTypeID
CF_LINKER_ALIAS(CFRunLoopGetTypeID)
#undef __CFRunLoopClass
CF_LINKER_ALIAS(__CFRunLoopClass)
#undef __CFRunLoopCreate
CF_LINKER_ALIAS(__CFRunLoopCreate)
#endif
