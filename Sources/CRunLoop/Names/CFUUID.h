// The names that CFUUID.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFUUIDCreate
CF_LINKER_ALIAS(CFUUIDCreate)
#undef CFUUIDCreateFromString
CF_LINKER_ALIAS(CFUUIDCreateFromString)
#undef CFUUIDCreateFromUUIDBytes
CF_LINKER_ALIAS(CFUUIDCreateFromUUIDBytes)
#undef CFUUIDCreateString
CF_LINKER_ALIAS(CFUUIDCreateString)
#undef CFUUIDCreateWithBytes
CF_LINKER_ALIAS(CFUUIDCreateWithBytes)
#undef CFUUIDGetConstantUUIDWithBytes
CF_LINKER_ALIAS(CFUUIDGetConstantUUIDWithBytes)
#undef CFUUIDGetTypeID
CF_LINKER_ALIAS(CFUUIDGetTypeID)
#undef CFUUIDGetUUIDBytes
CF_LINKER_ALIAS(CFUUIDGetUUIDBytes)
#undef __CFUUIDClass
CF_LINKER_ALIAS(__CFUUIDClass)
#endif
