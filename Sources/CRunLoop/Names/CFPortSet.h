// The names that CFPortSet.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFPortSetAllocate
CF_LINKER_ALIAS(__CFPortSetAllocate)
#undef __CFPortSetCheckOwn
CF_LINKER_ALIAS(__CFPortSetCheckOwn)
#undef __CFPortSetControl
CF_LINKER_ALIAS(__CFPortSetControl)
#undef __CFPortSetFree
CF_LINKER_ALIAS(__CFPortSetFree)
#undef __CFPortSetGetDescriptor
CF_LINKER_ALIAS(__CFPortSetGetDescriptor)
#undef __CFPortSetInsert
CF_LINKER_ALIAS(__CFPortSetInsert)
#undef __CFPortSetInsertOwn
CF_LINKER_ALIAS(__CFPortSetInsertOwn)
#undef __CFPortSetInsertSet
CF_LINKER_ALIAS(__CFPortSetInsertSet)
#undef __CFPortSetInsertWakeUp
CF_LINKER_ALIAS(__CFPortSetInsertWakeUp)
#undef __CFPortSetOpen
CF_LINKER_ALIAS(__CFPortSetOpen)
#undef __CFPortSetRemove
CF_LINKER_ALIAS(__CFPortSetRemove)
#undef __CFPortSetRemoveOwn
CF_LINKER_ALIAS(__CFPortSetRemoveOwn)
#undef __CFPortSetRenew
CF_LINKER_ALIAS(__CFPortSetRenew)
#undef mk_timer_arm
CF_LINKER_ALIAS(mk_timer_arm)
#undef mk_timer_cancel
CF_LINKER_ALIAS(mk_timer_cancel)
#undef mk_timer_create
CF_LINKER_ALIAS(mk_timer_create)
#endif
