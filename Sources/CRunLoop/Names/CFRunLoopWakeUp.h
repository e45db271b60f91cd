// The names that CFRunLoopWakeUp.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopStop
CF_LINKER_ALIAS(CFRunLoopStop)
#undef CFRunLoopWakeUp
CF_LINKER_ALIAS(CFRunLoopWakeUp)
#undef _CFMainThreadHasEnded
CF_LINKER_ALIAS(_CFMainThreadHasEnded)
#undef _CFMainThreadSetEndHandler
CF_LINKER_ALIAS(_CFMainThreadSetEndHandler)
#undef _CFRunLoopGetDepth
CF_LINKER_ALIAS(_CFRunLoopGetDepth)
#undef __CFRunLoopDropLeftRuns
CF_LINKER_ALIAS(__CFRunLoopDropLeftRuns)
#undef __CFRunLoopFreePerRunData
CF_LINKER_ALIAS(__CFRunLoopFreePerRunData)
#undef __CFRunLoopMainThreadHasExited
CF_LINKER_ALIAS(__CFRunLoopMainThreadHasExited)
#undef __CFRunLoopPopPerRunData
CF_LINKER_ALIAS(__CFRunLoopPopPerRunData)
#undef __CFRunLoopPushPerRunData
CF_LINKER_ALIAS(__CFRunLoopPushPerRunData)
#undef __CFRunLoopReceiveWakeUp
CF_LINKER_ALIAS(__CFRunLoopReceiveWakeUp)
#undef __CFRunLoopRefusesItems
CF_LINKER_ALIAS(__CFRunLoopRefusesItems)
#undef __CFRunLoopSendOwedWakeUp
CF_LINKER_ALIAS(__CFRunLoopSendOwedWakeUp)
#endif
