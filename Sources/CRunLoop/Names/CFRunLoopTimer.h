// What CFRunLoopTimer.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopAddTimer
CF_LINKER_ALIAS(CFRunLoopAddTimer) // gone or moved? run Scripts/linker-names
#undef CFRunLoopContainsTimer
CF_LINKER_ALIAS(CFRunLoopContainsTimer) // gone or moved? run Scripts/linker-names
#undef CFRunLoopGetNextTimerFireDate
CF_LINKER_ALIAS(CFRunLoopGetNextTimerFireDate) // gone or moved? run Scripts/linker-names
#undef CFRunLoopRemoveTimer
CF_LINKER_ALIAS(CFRunLoopRemoveTimer) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerCreate
CF_LINKER_ALIAS(CFRunLoopTimerCreate) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerCreateWithHandler
CF_LINKER_ALIAS(CFRunLoopTimerCreateWithHandler) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerDoesRepeat
CF_LINKER_ALIAS(CFRunLoopTimerDoesRepeat) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerGetContext
CF_LINKER_ALIAS(CFRunLoopTimerGetContext) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerGetInterval
CF_LINKER_ALIAS(CFRunLoopTimerGetInterval) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerGetNextFireDate
CF_LINKER_ALIAS(CFRunLoopTimerGetNextFireDate) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerGetOrder
CF_LINKER_ALIAS(CFRunLoopTimerGetOrder) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerGetTolerance
CF_LINKER_ALIAS(CFRunLoopTimerGetTolerance) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerGetTypeID
CF_LINKER_ALIAS(CFRunLoopTimerGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerInvalidate
CF_LINKER_ALIAS(CFRunLoopTimerInvalidate) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerIsValid
CF_LINKER_ALIAS(CFRunLoopTimerIsValid) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerSetNextFireDate
CF_LINKER_ALIAS(CFRunLoopTimerSetNextFireDate) // gone or moved? run Scripts/linker-names
#undef CFRunLoopTimerSetTolerance
CF_LINKER_ALIAS(CFRunLoopTimerSetTolerance) // gone or moved? run Scripts/linker-names
#undef __CFArmNextTimerInMode
CF_LINKER_ALIAS(__CFArmNextTimerInMode) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopAddTimerToMode
CF_LINKER_ALIAS(__CFRunLoopAddTimerToMode) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDeallocateTimers
CF_LINKER_ALIAS(__CFRunLoopDeallocateTimers) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDoTimers
CF_LINKER_ALIAS(__CFRunLoopDoTimers) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopModeDisarm
CF_LINKER_ALIAS(__CFRunLoopModeDisarm) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopTimerClass
CF_LINKER_ALIAS(__CFRunLoopTimerClass) // gone or moved? run Scripts/linker-names
#endif
