// The names that CFData.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFDataAppendBytes
CF_LINKER_ALIAS(CFDataAppendBytes)
#undef CFDataCreate
CF_LINKER_ALIAS(CFDataCreate)
#undef CFDataCreateCopy
CF_LINKER_ALIAS(CFDataCreateCopy)
#undef CFDataCreateMutable
CF_LINKER_ALIAS(CFDataCreateMutable)
#undef CFDataCreateMutableCopy
CF_LINKER_ALIAS(CFDataCreateMutableCopy)
#undef CFDataCreateWithBytesNoCopy
CF_LINKER_ALIAS(CFDataCreateWithBytesNoCopy)
#undef CFDataDeleteBytes
CF_LINKER_ALIAS(CFDataDeleteBytes)
#undef CFDataFind
CF_LINKER_ALIAS(CFDataFind)
#undef CFDataGetBytePtr
CF_LINKER_ALIAS(CFDataGetBytePtr)
#undef CFDataGetBytes
CF_LINKER_ALIAS(CFDataGetBytes)
#undef CFDataGetLength
CF_LINKER_ALIAS(CFDataGetLength)
#undef CFDataGetMutableBytePtr
CF_LINKER_ALIAS(CFDataGetMutableBytePtr)
#undef CFDataGetTypeID
CF_LINKER_ALIAS(CFDataGetTypeID)
#undef CFDataIncreaseLength
CF_LINKER_ALIAS(CFDataIncreaseLength)
#undef CFDataReplaceBytes
CF_LINKER_ALIAS(CFDataReplaceBytes)
#undef CFDataSetLength
CF_LINKER_ALIAS(CFDataSetLength)
#undef __CFDataClass
CF_LINKER_ALIAS(__CFDataClass)
#endif
