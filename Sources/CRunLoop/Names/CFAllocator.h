// The names that CFAllocator.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFAllocatorAllocate
CF_LINKER_ALIAS(CFAllocatorAllocate)
#undef CFAllocatorCreate
CF_LINKER_ALIAS(CFAllocatorCreate)
#undef CFAllocatorDeallocate
CF_LINKER_ALIAS(CFAllocatorDeallocate)
#undef CFAllocatorGetContext
CF_LINKER_ALIAS(CFAllocatorGetContext)
#undef CFAllocatorGetDefault
CF_LINKER_ALIAS(CFAllocatorGetDefault)
#undef CFAllocatorGetPreferredSizeForSize
CF_LINKER_ALIAS(CFAllocatorGetPreferredSizeForSize)
#undef CFAllocatorGetTypeID
CF_LINKER_ALIAS(CFAllocatorGetTypeID)
#undef CFAllocatorReallocate
CF_LINKER_ALIAS(CFAllocatorReallocate)
#undef CFAllocatorSetDefault
CF_LINKER_ALIAS(CFAllocatorSetDefault)
#undef __CFAllocatorClass
CF_LINKER_ALIAS(__CFAllocatorClass)
#undef __CFAllocatorFreeItself
CF_LINKER_ALIAS(__CFAllocatorFreeItself)
#undef kCFAllocatorDefault
CF_LINKER_ALIAS(kCFAllocatorDefault)
#undef kCFAllocatorMalloc
CF_LINKER_ALIAS(kCFAllocatorMalloc)
#undef kCFAllocatorMallocZone
CF_LINKER_ALIAS(kCFAllocatorMallocZone)
#undef kCFAllocatorNull
CF_LINKER_ALIAS(kCFAllocatorNull)
#undef kCFAllocatorSystemDefault
CF_LINKER_ALIAS(kCFAllocatorSystemDefault)
#undef kCFAllocatorUseContext
CF_LINKER_ALIAS(kCFAllocatorUseContext)
#endif
