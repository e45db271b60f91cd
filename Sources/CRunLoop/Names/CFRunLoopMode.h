// The names that CFRunLoopMode.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopCopyAllModes
CF_LINKER_ALIAS(CFRunLoopCopyAllModes)
#undef __CFRunLoopAddCommonModeName
CF_LINKER_ALIAS(__CFRunLoopAddCommonModeName)
#undef __CFRunLoopCopyModeName
CF_LINKER_ALIAS(__CFRunLoopCopyModeName)
#undef __CFRunLoopFindMode
CF_LINKER_ALIAS(__CFRunLoopFindMode)
#undef __CFRunLoopFindModeUnlocked
CF_LINKER_ALIAS(__CFRunLoopFindModeUnlocked)
#undef __CFRunLoopForEachMode
CF_LINKER_ALIAS(__CFRunLoopForEachMode)
#undef __CFRunLoopIsCommonModes
CF_LINKER_ALIAS(__CFRunLoopIsCommonModes)
#undef __CFRunLoopModeClass
CF_LINKER_ALIAS(__CFRunLoopModeClass)
#undef __CFRunLoopModeInsertPort
CF_LINKER_ALIAS(__CFRunLoopModeInsertPort)
#undef __CFRunLoopModeRenewPortSet
CF_LINKER_ALIAS(__CFRunLoopModeRenewPortSet)
#undef kCFRunLoopCommonModes
CF_LINKER_ALIAS(kCFRunLoopCommonModes)
#undef kCFRunLoopDefaultMode
CF_LINKER_ALIAS(kCFRunLoopDefaultMode)
#endif
