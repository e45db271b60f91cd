// The names that CFRunLoopPerRunData.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef _CFRunLoopGetDepth
CF_LINKER_ALIAS(_CFRunLoopGetDepth)
#undef __CFRunLoopAllocatePasses
CF_LINKER_ALIAS(__CFRunLoopAllocatePasses)
#undef __CFRunLoopDropLeftRuns
CF_LINKER_ALIAS(__CFRunLoopDropLeftRuns)
#undef __CFRunLoopFreePerRunData
CF_LINKER_ALIAS(__CFRunLoopFreePerRunData)
#undef __CFRunLoopLeaveOutWakeUp
CF_LINKER_ALIAS(__CFRunLoopLeaveOutWakeUp)
#undef __CFRunLoopPopPerRunData
CF_LINKER_ALIAS(__CFRunLoopPopPerRunData)
#undef __CFRunLoopPushPerRunData
CF_LINKER_ALIAS(__CFRunLoopPushPerRunData)
#undef __CFRunLoopSendOwedWakeUp
CF_LINKER_ALIAS(__CFRunLoopSendOwedWakeUp)
#undef __CFRunLoopSendWakeUp
CF_LINKER_ALIAS(__CFRunLoopSendWakeUp)
#endif
