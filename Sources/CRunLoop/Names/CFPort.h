// The names that CFPort.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__
CF_LINKER_ALIAS(__A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__)
#undef __CFPortAllocate
CF_LINKER_ALIAS(__CFPortAllocate)
#undef __CFPortCheckAvailable
CF_LINKER_ALIAS(__CFPortCheckAvailable)
#undef __CFPortCheckNew
CF_LINKER_ALIAS(__CFPortCheckNew)
#undef __CFPortCopyDescription
CF_LINKER_ALIAS(__CFPortCopyDescription)
#undef __CFPortFree
CF_LINKER_ALIAS(__CFPortFree)
#undef __CFPortHasEvents
CF_LINKER_ALIAS(__CFPortHasEvents)
#undef __CFPortIsReady
CF_LINKER_ALIAS(__CFPortIsReady)
#undef __CFPortReceive
CF_LINKER_ALIAS(__CFPortReceive)
#undef __CFPortsPoll
CF_LINKER_ALIAS(__CFPortsPoll)
#undef __CFSendTrivialMachMessage
CF_LINKER_ALIAS(__CFSendTrivialMachMessage)
#undef __CFTimerDescriptorCreate
CF_LINKER_ALIAS(__CFTimerDescriptorCreate)
#undef __CFTimerDescriptorSet
CF_LINKER_ALIAS(__CFTimerDescriptorSet)
#undef __CFWatchInterest
CF_LINKER_ALIAS(__CFWatchInterest)
#undef __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__
CF_LINKER_ALIAS(__THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__)
#endif
