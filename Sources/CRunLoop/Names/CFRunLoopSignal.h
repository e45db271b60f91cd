// What CFRunLoopSignal.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopSourceIsSignalled
CF_LINKER_ALIAS(CFRunLoopSourceIsSignalled) // gone or moved? run Scripts/linker-names
#undef CFRunLoopSourceSignal
CF_LINKER_ALIAS(CFRunLoopSourceSignal) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopCollectSignals
CF_LINKER_ALIAS(__CFRunLoopCollectSignals) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopModeAddIfSignaled
CF_LINKER_ALIAS(__CFRunLoopModeAddIfSignaled) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopModeMayHaveSignals
CF_LINKER_ALIAS(__CFRunLoopModeMayHaveSignals) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopSourceIsSignaled
CF_LINKER_ALIAS(__CFRunLoopSourceIsSignaled) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopSourceJoinInbox
CF_LINKER_ALIAS(__CFRunLoopSourceJoinInbox) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopSourceLeaveInbox
CF_LINKER_ALIAS(__CFRunLoopSourceLeaveInbox) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopSourceUnsetSignaled
CF_LINKER_ALIAS(__CFRunLoopSourceUnsetSignaled) // gone or moved? run Scripts/linker-names
#undef __CFSignalInboxCreate
CF_LINKER_ALIAS(__CFSignalInboxCreate) // gone or moved? run Scripts/linker-names
#undef __CFSignalInboxFree
CF_LINKER_ALIAS(__CFSignalInboxFree) // gone or moved? run Scripts/linker-names
#endif
