// The names that CFStringEncodings.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFStringGetBytes
CF_LINKER_ALIAS(CFStringGetBytes)
#undef CFStringGetCString
CF_LINKER_ALIAS(CFStringGetCString)
#undef CFStringGetCStringPtr
CF_LINKER_ALIAS(CFStringGetCStringPtr)
#undef CFStringGetMaximumSizeForEncoding
CF_LINKER_ALIAS(CFStringGetMaximumSizeForEncoding)
#undef CFStringGetSystemEncoding
CF_LINKER_ALIAS(CFStringGetSystemEncoding)
#undef CFStringIsEncodingAvailable
CF_LINKER_ALIAS(CFStringIsEncodingAvailable)
#undef __CFStringAppendBytes
CF_LINKER_ALIAS(__CFStringAppendBytes)
#undef __CFStringCountUnits
CF_LINKER_ALIAS(__CFStringCountUnits)
#undef __CFStringIsASCII
CF_LINKER_ALIAS(__CFStringIsASCII)
#undef __CFStringReadCharacter
CF_LINKER_ALIAS(__CFStringReadCharacter)
#undef __CFStringWriteCharacter
CF_LINKER_ALIAS(__CFStringWriteCharacter)
#endif
