// What CFPort.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef __CFPortAllocate
CF_LINKER_ALIAS(__CFPortAllocate) // gone or moved? run Scripts/linker-names
#undef __CFPortCheckAvailable
CF_LINKER_ALIAS(__CFPortCheckAvailable) // gone or moved? run Scripts/linker-names
#undef __CFPortCopyDescription
CF_LINKER_ALIAS(__CFPortCopyDescription) // gone or moved? run Scripts/linker-names
#undef __CFPortFree
CF_LINKER_ALIAS(__CFPortFree) // gone or moved? run Scripts/linker-names
#undef __CFPortIsReady
CF_LINKER_ALIAS(__CFPortIsReady) // gone or moved? run Scripts/linker-names
#undef __CFPortReceive
CF_LINKER_ALIAS(__CFPortReceive) // gone or moved? run Scripts/linker-names
#undef __CFPortSetAllocate
CF_LINKER_ALIAS(__CFPortSetAllocate) // gone or moved? run Scripts/linker-names
#undef __CFPortSetBeginWait
CF_LINKER_ALIAS(__CFPortSetBeginWait) // gone or moved? run Scripts/linker-names
#undef __CFPortSetFree
CF_LINKER_ALIAS(__CFPortSetFree) // gone or moved? run Scripts/linker-names
#undef __CFPortSetGetDescriptor
CF_LINKER_ALIAS(__CFPortSetGetDescriptor) // gone or moved? run Scripts/linker-names
#undef __CFPortSetHasReported
CF_LINKER_ALIAS(__CFPortSetHasReported) // gone or moved? run Scripts/linker-names
#undef __CFPortSetInsert
CF_LINKER_ALIAS(__CFPortSetInsert) // gone or moved? run Scripts/linker-names
#undef __CFPortSetInsertOwn
CF_LINKER_ALIAS(__CFPortSetInsertOwn) // gone or moved? run Scripts/linker-names
#undef __CFPortSetInsertSet
CF_LINKER_ALIAS(__CFPortSetInsertSet) // gone or moved? run Scripts/linker-names
#undef __CFPortSetRemove
CF_LINKER_ALIAS(__CFPortSetRemove) // gone or moved? run Scripts/linker-names
#undef __CFPortSetRemoveOwn
CF_LINKER_ALIAS(__CFPortSetRemoveOwn) // gone or moved? run Scripts/linker-names
#undef __CFPortSetTake
CF_LINKER_ALIAS(__CFPortSetTake) // gone or moved? run Scripts/linker-names
#undef __CFPortSetTakeNew
CF_LINKER_ALIAS(__CFPortSetTakeNew) // gone or moved? run Scripts/linker-names
#undef __CFPortSetWait
CF_LINKER_ALIAS(__CFPortSetWait) // gone or moved? run Scripts/linker-names
#undef __CFSendTrivialMachMessage
CF_LINKER_ALIAS(__CFSendTrivialMachMessage) // gone or moved? run Scripts/linker-names
#undef __CFWatchInterest
CF_LINKER_ALIAS(__CFWatchInterest) // gone or moved? run Scripts/linker-names
#undef mk_timer_arm
CF_LINKER_ALIAS(mk_timer_arm) // gone or moved? run Scripts/linker-names
#undef mk_timer_cancel
CF_LINKER_ALIAS(mk_timer_cancel) // gone or moved? run Scripts/linker-names
#undef mk_timer_create
CF_LINKER_ALIAS(mk_timer_create) // gone or moved? run Scripts/linker-names
#endif
