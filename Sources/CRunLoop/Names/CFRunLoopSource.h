// What CFRunLoopSource.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopAddSource
CF_LINKER_ALIAS(CFRunLoopAddSource) // gone or moved? run Scripts/linker-names
#undef CFRunLoopContainsSource
CF_LINKER_ALIAS(CFRunLoopContainsSource) // gone or moved? run Scripts/linker-names
#undef CFRunLoopRemoveSource
CF_LINKER_ALIAS(CFRunLoopRemoveSource) // gone or moved? run Scripts/linker-names
#undef CFRunLoopSourceCreate
CF_LINKER_ALIAS(CFRunLoopSourceCreate) // gone or moved? run Scripts/linker-names
#undef CFRunLoopSourceGetContext
CF_LINKER_ALIAS(CFRunLoopSourceGetContext) // gone or moved? run Scripts/linker-names
#undef CFRunLoopSourceGetOrder
CF_LINKER_ALIAS(CFRunLoopSourceGetOrder) // gone or moved? run Scripts/linker-names
#undef CFRunLoopSourceGetTypeID
CF_LINKER_ALIAS(CFRunLoopSourceGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFRunLoopSourceInvalidate
CF_LINKER_ALIAS(CFRunLoopSourceInvalidate) // gone or moved? run Scripts/linker-names
#undef CFRunLoopSourceIsValid
CF_LINKER_ALIAS(CFRunLoopSourceIsValid) // gone or moved? run Scripts/linker-names
#undef CFRunLoopSourceSetWatchEvents
CF_LINKER_ALIAS(CFRunLoopSourceSetWatchEvents) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopAddSourceToMode
CF_LINKER_ALIAS(__CFRunLoopAddSourceToMode) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDoSource1
CF_LINKER_ALIAS(__CFRunLoopDoSource1) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDoSources0
CF_LINKER_ALIAS(__CFRunLoopDoSources0) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopModeFindSourceForMachPort
CF_LINKER_ALIAS(__CFRunLoopModeFindSourceForMachPort) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopRemoveAllSources
CF_LINKER_ALIAS(__CFRunLoopRemoveAllSources) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopSourceClass
CF_LINKER_ALIAS(__CFRunLoopSourceClass) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopSourceGetPort
CF_LINKER_ALIAS(__CFRunLoopSourceGetPort) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopSourceNeedsPort
CF_LINKER_ALIAS(__CFRunLoopSourceNeedsPort) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopSourceSchedule
CF_LINKER_ALIAS(__CFRunLoopSourceSchedule) // gone or moved? run Scripts/linker-names
#endif
