// What CFRuntime.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFCopyDescription
CF_LINKER_ALIAS(CFCopyDescription) // gone or moved? run Scripts/linker-names
#undef CFCopyTypeIDDescription
CF_LINKER_ALIAS(CFCopyTypeIDDescription) // gone or moved? run Scripts/linker-names
#undef CFEqual
CF_LINKER_ALIAS(CFEqual) // gone or moved? run Scripts/linker-names
#undef CFGetAllocator
CF_LINKER_ALIAS(CFGetAllocator) // gone or moved? run Scripts/linker-names
#undef CFGetRetainCount
CF_LINKER_ALIAS(CFGetRetainCount) // gone or moved? run Scripts/linker-names
#undef CFGetTypeID
CF_LINKER_ALIAS(CFGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFHash
CF_LINKER_ALIAS(CFHash) // gone or moved? run Scripts/linker-names
#undef CFMakeCollectable
CF_LINKER_ALIAS(CFMakeCollectable) // gone or moved? run Scripts/linker-names
#undef CFNullGetTypeID
CF_LINKER_ALIAS(CFNullGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFRelease
CF_LINKER_ALIAS(CFRelease) // gone or moved? run Scripts/linker-names
#undef CFRetain
CF_LINKER_ALIAS(CFRetain) // gone or moved? run Scripts/linker-names
#undef CFShow
CF_LINKER_ALIAS(CFShow) // gone or moved? run Scripts/linker-names
#undef _CFRuntimeCreateInstance
CF_LINKER_ALIAS(_CFRuntimeCreateInstance) // gone or moved? run Scripts/linker-names
#undef _CFTryRetain
CF_LINKER_ALIAS(_CFTryRetain) // gone or moved? run Scripts/linker-names
#undef __CFBlockCopy
CF_LINKER_ALIAS(__CFBlockCopy) // gone or moved? run Scripts/linker-names
#undef __CFHalt
CF_LINKER_ALIAS(__CFHalt) // gone or moved? run Scripts/linker-names
#undef __CFLockInit
CF_LINKER_ALIAS(__CFLockInit) // gone or moved? run Scripts/linker-names
#undef __CFNullClass
CF_LINKER_ALIAS(__CFNullClass) // gone or moved? run Scripts/linker-names
#undef __CFWarn
CF_LINKER_ALIAS(__CFWarn) // gone or moved? run Scripts/linker-names
#undef __CF_HAS_NO_MEMORY_LEFT__
CF_LINKER_ALIAS(__CF_HAS_NO_MEMORY_LEFT__) // gone or moved? run Scripts/linker-names
#undef __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__
CF_LINKER_ALIAS(__CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__) // gone or moved? run Scripts/linker-names
#undef kCFCoreFoundationVersionNumber
CF_LINKER_ALIAS(kCFCoreFoundationVersionNumber) // gone or moved? run Scripts/linker-names
#undef kCFNull
CF_LINKER_ALIAS(kCFNull) // gone or moved? run Scripts/linker-names
#if defined(CF_CHECK_LOCKS)
#undef __CFAssertLocked
CF_LINKER_ALIAS(__CFAssertLocked) // gone or moved? run Scripts/linker-names
#undef __CFAssertOnThread
CF_LINKER_ALIAS(__CFAssertOnThread) // gone or moved? run Scripts/linker-names
#undef __CFLock
CF_LINKER_ALIAS(__CFLock) // gone or moved? run Scripts/linker-names
#undef __CFUnlock
CF_LINKER_ALIAS(__CFUnlock) // gone or moved? run Scripts/linker-names
#endif
#endif
