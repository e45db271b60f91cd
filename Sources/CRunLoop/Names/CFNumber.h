// The names that CFNumber.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFBooleanGetTypeID
CF_LINKER_ALIAS(CFBooleanGetTypeID)
#undef CFBooleanGetValue
CF_LINKER_ALIAS(CFBooleanGetValue)
#undef CFNumberCompare
CF_LINKER_ALIAS(CFNumberCompare)
#undef CFNumberCreate
CF_LINKER_ALIAS(CFNumberCreate)
#undef CFNumberGetByteSize
CF_LINKER_ALIAS(CFNumberGetByteSize)
#undef CFNumberGetType
CF_LINKER_ALIAS(CFNumberGetType)
#undef CFNumberGetTypeID
CF_LINKER_ALIAS(CFNumberGetTypeID)
#undef CFNumberGetValue
CF_LINKER_ALIAS(CFNumberGetValue)
#undef CFNumberIsFloatType
CF_LINKER_ALIAS(CFNumberIsFloatType)
#undef __CFBooleanClass
CF_LINKER_ALIAS(__CFBooleanClass)
#undef __CFNumberClass
CF_LINKER_ALIAS(__CFNumberClass)
#undef kCFBooleanFalse
CF_LINKER_ALIAS(kCFBooleanFalse)
#undef kCFBooleanTrue
CF_LINKER_ALIAS(kCFBooleanTrue)
#undef kCFNumberNaN
CF_LINKER_ALIAS(kCFNumberNaN)
#undef kCFNumberNegativeInfinity
CF_LINKER_ALIAS(kCFNumberNegativeInfinity)
#undef kCFNumberPositiveInfinity
CF_LINKER_ALIAS(kCFNumberPositiveInfinity)
#endif
