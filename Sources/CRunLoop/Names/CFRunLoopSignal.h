// The names that CFRunLoopSignal.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopSourceIsSignalled
CF_LINKER_ALIAS(CFRunLoopSourceIsSignalled)
#undef CFRunLoopSourceSignal
CF_LINKER_ALIAS(CFRunLoopSourceSignal)
#undef __CFRunLoopCollectSignals
CF_LINKER_ALIAS(__CFRunLoopCollectSignals)
#undef __CFRunLoopModeAddIfSignaled
CF_LINKER_ALIAS(__CFRunLoopModeAddIfSignaled)
#undef __CFRunLoopModeMayHaveSignals
CF_LINKER_ALIAS(__CFRunLoopModeMayHaveSignals)
#undef __CFRunLoopSourceIsSignaled
CF_LINKER_ALIAS(__CFRunLoopSourceIsSignaled)
#undef __CFRunLoopSourceJoinInbox
CF_LINKER_ALIAS(__CFRunLoopSourceJoinInbox)
#undef __CFRunLoopSourceLeaveInbox
CF_LINKER_ALIAS(__CFRunLoopSourceLeaveInbox)
#undef __CFRunLoopSourceUnsetSignaled
CF_LINKER_ALIAS(__CFRunLoopSourceUnsetSignaled)
#undef __CFSignalInboxCreate
CF_LINKER_ALIAS(__CFSignalInboxCreate)
#undef __CFSignalInboxFree
CF_LINKER_ALIAS(__CFSignalInboxFree)
#endif
