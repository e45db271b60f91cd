// What CFRunLoopItem.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef __CFRunLoopItemCopyInfoDescription
CF_LINKER_ALIAS(__CFRunLoopItemCopyInfoDescription) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopItemEndUse
CF_LINKER_ALIAS(__CFRunLoopItemEndUse) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopItemInvalidate
CF_LINKER_ALIAS(__CFRunLoopItemInvalidate) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopItemsForgetLoop
CF_LINKER_ALIAS(__CFRunLoopItemsForgetLoop) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopLockWithItem
CF_LINKER_ALIAS(__CFRunLoopLockWithItem) // gone or moved? run Scripts/linker-names
#endif
