// What CFAllocator.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFAllocatorAllocate
CF_LINKER_ALIAS(CFAllocatorAllocate) // gone or moved? run Scripts/linker-names
#undef CFAllocatorCreate
CF_LINKER_ALIAS(CFAllocatorCreate) // gone or moved? run Scripts/linker-names
#undef CFAllocatorDeallocate
CF_LINKER_ALIAS(CFAllocatorDeallocate) // gone or moved? run Scripts/linker-names
#undef CFAllocatorGetContext
CF_LINKER_ALIAS(CFAllocatorGetContext) // gone or moved? run Scripts/linker-names
#undef CFAllocatorGetDefault
CF_LINKER_ALIAS(CFAllocatorGetDefault) // gone or moved? run Scripts/linker-names
#undef CFAllocatorGetPreferredSizeForSize
CF_LINKER_ALIAS(CFAllocatorGetPreferredSizeForSize) // gone or moved? run Scripts/linker-names
#undef CFAllocatorGetTypeID
CF_LINKER_ALIAS(CFAllocatorGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFAllocatorReallocate
CF_LINKER_ALIAS(CFAllocatorReallocate) // gone or moved? run Scripts/linker-names
#undef CFAllocatorSetDefault
CF_LINKER_ALIAS(CFAllocatorSetDefault) // gone or moved? run Scripts/linker-names
#undef __CFAllocatorClass
CF_LINKER_ALIAS(__CFAllocatorClass) // gone or moved? run Scripts/linker-names
#undef __CFAllocatorFreeItself
CF_LINKER_ALIAS(__CFAllocatorFreeItself) // gone or moved? run Scripts/linker-names
#undef kCFAllocatorDefault
CF_LINKER_ALIAS(kCFAllocatorDefault) // gone or moved? run Scripts/linker-names
#undef kCFAllocatorMalloc
CF_LINKER_ALIAS(kCFAllocatorMalloc) // gone or moved? run Scripts/linker-names
#undef kCFAllocatorMallocZone
CF_LINKER_ALIAS(kCFAllocatorMallocZone) // gone or moved? run Scripts/linker-names
#undef kCFAllocatorNull
CF_LINKER_ALIAS(kCFAllocatorNull) // gone or moved? run Scripts/linker-names
#undef kCFAllocatorSystemDefault
CF_LINKER_ALIAS(kCFAllocatorSystemDefault) // gone or moved? run Scripts/linker-names
#undef kCFAllocatorUseContext
CF_LINKER_ALIAS(kCFAllocatorUseContext) // gone or moved? run Scripts/linker-names
#endif
