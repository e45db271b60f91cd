// The names that CFRuntime.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFCopyDescription
CF_LINKER_ALIAS(CFCopyDescription)
#undef CFCopyTypeIDDescription
CF_LINKER_ALIAS(CFCopyTypeIDDescription)
#undef CFEqual
CF_LINKER_ALIAS(CFEqual)
#undef CFGetAllocator
CF_LINKER_ALIAS(CFGetAllocator)
#undef CFGetRetainCount
CF_LINKER_ALIAS(CFGetRetainCount)
#undef CFGetTypeID
CF_LINKER_ALIAS(CFGetTypeID)
#undef CFHash
CF_LINKER_ALIAS(CFHash)
#undef CFMakeCollectable
CF_LINKER_ALIAS(CFMakeCollectable)
#undef CFNullGetTypeID
CF_LINKER_ALIAS(CFNullGetTypeID)
#undef CFRelease
CF_LINKER_ALIAS(CFRelease)
#undef CFRetain
CF_LINKER_ALIAS(CFRetain)
#undef CFShow
CF_LINKER_ALIAS(CFShow)
#undef _CFRuntimeCreateInstance
CF_LINKER_ALIAS(_CFRuntimeCreateInstance)
#undef _CFTryRetain
CF_LINKER_ALIAS(_CFTryRetain)
#undef __CFBlockCopy
CF_LINKER_ALIAS(__CFBlockCopy)
#undef __CFHalt
CF_LINKER_ALIAS(__CFHalt)
#undef __CFNullClass
CF_LINKER_ALIAS(__CFNullClass)
#undef __CFWarn
CF_LINKER_ALIAS(__CFWarn)
#undef __CF_HAS_NO_MEMORY_LEFT__
CF_LINKER_ALIAS(__CF_HAS_NO_MEMORY_LEFT__)
#undef __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__
CF_LINKER_ALIAS(__CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__)
#undef kCFCoreFoundationVersionNumber
CF_LINKER_ALIAS(kCFCoreFoundationVersionNumber)
#undef kCFNull
CF_LINKER_ALIAS(kCFNull)
#endif
