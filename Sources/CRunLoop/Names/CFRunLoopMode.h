// What CFRunLoopMode.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopCopyAllModes
CF_LINKER_ALIAS(CFRunLoopCopyAllModes) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopAddCommonItem
CF_LINKER_ALIAS(__CFRunLoopAddCommonItem) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopAddCommonModeName
CF_LINKER_ALIAS(__CFRunLoopAddCommonModeName) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopApplyToItems
CF_LINKER_ALIAS(__CFRunLoopApplyToItems) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopContainsCommonItem
CF_LINKER_ALIAS(__CFRunLoopContainsCommonItem) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopCopyModeName
CF_LINKER_ALIAS(__CFRunLoopCopyModeName) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopCopyModesNamed
CF_LINKER_ALIAS(__CFRunLoopCopyModesNamed) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopFindMode
CF_LINKER_ALIAS(__CFRunLoopFindMode) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopFindModeUnlocked
CF_LINKER_ALIAS(__CFRunLoopFindModeUnlocked) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopForEachMode
CF_LINKER_ALIAS(__CFRunLoopForEachMode) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopForEachModeNamed
CF_LINKER_ALIAS(__CFRunLoopForEachModeNamed) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopFreeModesNamed
CF_LINKER_ALIAS(__CFRunLoopFreeModesNamed) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopIsCommonModes
CF_LINKER_ALIAS(__CFRunLoopIsCommonModes) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopModeClass
CF_LINKER_ALIAS(__CFRunLoopModeClass) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopModeInsertPort
CF_LINKER_ALIAS(__CFRunLoopModeInsertPort) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopModeOpenPortSet
CF_LINKER_ALIAS(__CFRunLoopModeOpenPortSet) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopModeRenewPortSet
CF_LINKER_ALIAS(__CFRunLoopModeRenewPortSet) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopTakeCommonItem
CF_LINKER_ALIAS(__CFRunLoopTakeCommonItem) // gone or moved? run Scripts/linker-names
#undef kCFRunLoopCommonModes
CF_LINKER_ALIAS(kCFRunLoopCommonModes) // gone or moved? run Scripts/linker-names
#undef kCFRunLoopDefaultMode
CF_LINKER_ALIAS(kCFRunLoopDefaultMode) // gone or moved? run Scripts/linker-names
#endif
