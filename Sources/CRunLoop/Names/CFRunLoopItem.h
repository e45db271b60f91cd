// The names that CFRunLoopItem.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFRunLoopAddCommonItem
CF_LINKER_ALIAS(__CFRunLoopAddCommonItem)
#undef __CFRunLoopApplyToItems
CF_LINKER_ALIAS(__CFRunLoopApplyToItems)
#undef __CFRunLoopContainsCommonItem
CF_LINKER_ALIAS(__CFRunLoopContainsCommonItem)
#undef __CFRunLoopCopyItems
CF_LINKER_ALIAS(__CFRunLoopCopyItems)
#undef __CFRunLoopDeallocateItems
CF_LINKER_ALIAS(__CFRunLoopDeallocateItems)
#undef __CFRunLoopItemBeginFiring
CF_LINKER_ALIAS(__CFRunLoopItemBeginFiring)
#undef __CFRunLoopItemCopyContextDescription
CF_LINKER_ALIAS(__CFRunLoopItemCopyContextDescription)
#undef __CFRunLoopItemEndFiring
CF_LINKER_ALIAS(__CFRunLoopItemEndFiring)
#undef __CFRunLoopItemInvalidate
CF_LINKER_ALIAS(__CFRunLoopItemInvalidate)
#undef __CFRunLoopListAllModes
CF_LINKER_ALIAS(__CFRunLoopListAllModes)
#undef __CFRunLoopListModesInSet
CF_LINKER_ALIAS(__CFRunLoopListModesInSet)
#undef __CFRunLoopListModesNamed
CF_LINKER_ALIAS(__CFRunLoopListModesNamed)
#undef __CFRunLoopLockWithItem
CF_LINKER_ALIAS(__CFRunLoopLockWithItem)
#undef __CFRunLoopModeListFree
CF_LINKER_ALIAS(__CFRunLoopModeListFree)
#undef __CFRunLoopTakeCommonItem
CF_LINKER_ALIAS(__CFRunLoopTakeCommonItem)
#endif
