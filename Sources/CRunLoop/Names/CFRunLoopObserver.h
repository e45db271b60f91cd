// What CFRunLoopObserver.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopAddObserver
CF_LINKER_ALIAS(CFRunLoopAddObserver) // gone or moved? run Scripts/linker-names
#undef CFRunLoopContainsObserver
CF_LINKER_ALIAS(CFRunLoopContainsObserver) // gone or moved? run Scripts/linker-names
#undef CFRunLoopObserverCreate
CF_LINKER_ALIAS(CFRunLoopObserverCreate) // gone or moved? run Scripts/linker-names
#undef CFRunLoopObserverCreateWithHandler
CF_LINKER_ALIAS(CFRunLoopObserverCreateWithHandler) // gone or moved? run Scripts/linker-names
#undef CFRunLoopObserverDoesRepeat
CF_LINKER_ALIAS(CFRunLoopObserverDoesRepeat) // gone or moved? run Scripts/linker-names
#undef CFRunLoopObserverGetActivities
CF_LINKER_ALIAS(CFRunLoopObserverGetActivities) // gone or moved? run Scripts/linker-names
#undef CFRunLoopObserverGetContext
CF_LINKER_ALIAS(CFRunLoopObserverGetContext) // gone or moved? run Scripts/linker-names
#undef CFRunLoopObserverGetOrder
CF_LINKER_ALIAS(CFRunLoopObserverGetOrder) // gone or moved? run Scripts/linker-names
#undef CFRunLoopObserverGetTypeID
CF_LINKER_ALIAS(CFRunLoopObserverGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFRunLoopObserverInvalidate
CF_LINKER_ALIAS(CFRunLoopObserverInvalidate) // gone or moved? run Scripts/linker-names
#undef CFRunLoopObserverIsValid
CF_LINKER_ALIAS(CFRunLoopObserverIsValid) // gone or moved? run Scripts/linker-names
#undef CFRunLoopRemoveObserver
CF_LINKER_ALIAS(CFRunLoopRemoveObserver) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopAddObserverToMode
CF_LINKER_ALIAS(__CFRunLoopAddObserverToMode) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDeallocateObservers
CF_LINKER_ALIAS(__CFRunLoopDeallocateObservers) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDoObservers
CF_LINKER_ALIAS(__CFRunLoopDoObservers) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopObserverClass
CF_LINKER_ALIAS(__CFRunLoopObserverClass) // gone or moved? run Scripts/linker-names
#endif
