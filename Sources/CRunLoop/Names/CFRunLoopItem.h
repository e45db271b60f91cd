// The names that CFRunLoopItem.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFRunLoopItemCopyInfoDescription
CF_LINKER_ALIAS(__CFRunLoopItemCopyInfoDescription)
#undef __CFRunLoopItemEndUse
CF_LINKER_ALIAS(__CFRunLoopItemEndUse)
#undef __CFRunLoopItemInvalidate
CF_LINKER_ALIAS(__CFRunLoopItemInvalidate)
#undef __CFRunLoopItemsForgetLoop
CF_LINKER_ALIAS(__CFRunLoopItemsForgetLoop)
#undef __CFRunLoopLockWithItem
CF_LINKER_ALIAS(__CFRunLoopLockWithItem)
#endif
