// What CFRunLoopWakeUp.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopStop
CF_LINKER_ALIAS(CFRunLoopStop) // gone or moved? run Scripts/linker-names
#undef CFRunLoopWakeUp
CF_LINKER_ALIAS(CFRunLoopWakeUp) // gone or moved? run Scripts/linker-names
#undef _CFMainThreadHasEnded
CF_LINKER_ALIAS(_CFMainThreadHasEnded) // gone or moved? run Scripts/linker-names
#undef _CFMainThreadSetEndHandler
CF_LINKER_ALIAS(_CFMainThreadSetEndHandler) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopGetDepth
CF_LINKER_ALIAS(_CFRunLoopGetDepth) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDropLeftRuns
CF_LINKER_ALIAS(__CFRunLoopDropLeftRuns) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopFreePerRunData
CF_LINKER_ALIAS(__CFRunLoopFreePerRunData) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopMainThreadHasExited
CF_LINKER_ALIAS(__CFRunLoopMainThreadHasExited) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopPopPerRunData
CF_LINKER_ALIAS(__CFRunLoopPopPerRunData) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopPushPerRunData
CF_LINKER_ALIAS(__CFRunLoopPushPerRunData) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopReceiveWakeUp
CF_LINKER_ALIAS(__CFRunLoopReceiveWakeUp) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopRefusesItems
CF_LINKER_ALIAS(__CFRunLoopRefusesItems) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopSendOwedWakeUp
CF_LINKER_ALIAS(__CFRunLoopSendOwedWakeUp) // gone or moved? run Scripts/linker-names
#endif
