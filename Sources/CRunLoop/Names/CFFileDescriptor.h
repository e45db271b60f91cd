// The names that CFFileDescriptor.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFFileDescriptorCreate
CF_LINKER_ALIAS(CFFileDescriptorCreate)
#undef CFFileDescriptorCreateRunLoopSource
CF_LINKER_ALIAS(CFFileDescriptorCreateRunLoopSource)
#undef CFFileDescriptorDisableCallBacks
CF_LINKER_ALIAS(CFFileDescriptorDisableCallBacks)
#undef CFFileDescriptorEnableCallBacks
CF_LINKER_ALIAS(CFFileDescriptorEnableCallBacks)
#undef CFFileDescriptorGetContext
CF_LINKER_ALIAS(CFFileDescriptorGetContext)
#undef CFFileDescriptorGetNativeDescriptor
CF_LINKER_ALIAS(CFFileDescriptorGetNativeDescriptor)
#undef CFFileDescriptorGetTypeID
CF_LINKER_ALIAS(CFFileDescriptorGetTypeID)
#undef CFFileDescriptorInvalidate
CF_LINKER_ALIAS(CFFileDescriptorInvalidate)
#undef CFFileDescriptorIsValid
CF_LINKER_ALIAS(CFFileDescriptorIsValid)
#undef __CFFileDescriptorClass
CF_LINKER_ALIAS(__CFFileDescriptorClass)
#endif
