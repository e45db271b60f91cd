// The names that CFPort.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFPortAllocate
CF_LINKER_ALIAS(__CFPortAllocate)
#undef __CFPortCheckAvailable
CF_LINKER_ALIAS(__CFPortCheckAvailable)
#undef __CFPortCopyDescription
CF_LINKER_ALIAS(__CFPortCopyDescription)
#undef __CFPortFree
CF_LINKER_ALIAS(__CFPortFree)
#undef __CFPortIsReady
CF_LINKER_ALIAS(__CFPortIsReady)
#undef __CFPortReceive
CF_LINKER_ALIAS(__CFPortReceive)
#undef __CFPortSetAllocate
CF_LINKER_ALIAS(__CFPortSetAllocate)
#undef __CFPortSetDistrustReports
CF_LINKER_ALIAS(__CFPortSetDistrustReports)
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
#undef __CFPortSetLook
CF_LINKER_ALIAS(__CFPortSetLook)
#undef __CFPortSetRemove
CF_LINKER_ALIAS(__CFPortSetRemove)
#undef __CFPortSetRemoveOwn
CF_LINKER_ALIAS(__CFPortSetRemoveOwn)
#undef __CFPortSetRenew
CF_LINKER_ALIAS(__CFPortSetRenew)
#undef __CFPortSetWait
CF_LINKER_ALIAS(__CFPortSetWait)
#undef __CFSendTrivialMachMessage
CF_LINKER_ALIAS(__CFSendTrivialMachMessage)
#undef __CFWatchInterest
CF_LINKER_ALIAS(__CFWatchInterest)
#undef mk_timer_arm
CF_LINKER_ALIAS(mk_timer_arm)
#undef mk_timer_cancel
CF_LINKER_ALIAS(mk_timer_cancel)
#undef mk_timer_create
CF_LINKER_ALIAS(mk_timer_create)
#endif
