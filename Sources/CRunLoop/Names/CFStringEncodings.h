// What CFStringEncodings.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFStringGetBytes
CF_LINKER_ALIAS(CFStringGetBytes) // gone or moved? run Scripts/linker-names
#undef CFStringGetCString
CF_LINKER_ALIAS(CFStringGetCString) // gone or moved? run Scripts/linker-names
#undef CFStringGetCStringPtr
CF_LINKER_ALIAS(CFStringGetCStringPtr) // gone or moved? run Scripts/linker-names
#undef CFStringGetMaximumSizeForEncoding
CF_LINKER_ALIAS(CFStringGetMaximumSizeForEncoding) // gone or moved? run Scripts/linker-names
#undef CFStringGetSystemEncoding
CF_LINKER_ALIAS(CFStringGetSystemEncoding) // gone or moved? run Scripts/linker-names
#undef CFStringIsEncodingAvailable
CF_LINKER_ALIAS(CFStringIsEncodingAvailable) // gone or moved? run Scripts/linker-names
#undef __CFStringAppendBytes
CF_LINKER_ALIAS(__CFStringAppendBytes) // gone or moved? run Scripts/linker-names
#undef __CFStringCountUnits
CF_LINKER_ALIAS(__CFStringCountUnits) // gone or moved? run Scripts/linker-names
#undef __CFStringIsASCII
CF_LINKER_ALIAS(__CFStringIsASCII) // gone or moved? run Scripts/linker-names
#undef __CFStringReadCharacter
CF_LINKER_ALIAS(__CFStringReadCharacter) // gone or moved? run Scripts/linker-names
#undef __CFStringWriteCharacter
CF_LINKER_ALIAS(__CFStringWriteCharacter) // gone or moved? run Scripts/linker-names
#endif
