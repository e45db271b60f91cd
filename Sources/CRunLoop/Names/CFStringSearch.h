// What CFStringSearch.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFStringCompare
CF_LINKER_ALIAS(CFStringCompare) // gone or moved? run Scripts/linker-names
#undef CFStringCompareWithOptions
CF_LINKER_ALIAS(CFStringCompareWithOptions) // gone or moved? run Scripts/linker-names
#undef CFStringCreateArrayBySeparatingStrings
CF_LINKER_ALIAS(CFStringCreateArrayBySeparatingStrings) // gone or moved? run Scripts/linker-names
#undef CFStringCreateByCombiningStrings
CF_LINKER_ALIAS(CFStringCreateByCombiningStrings) // gone or moved? run Scripts/linker-names
#undef CFStringFind
CF_LINKER_ALIAS(CFStringFind) // gone or moved? run Scripts/linker-names
#undef CFStringFindAndReplace
CF_LINKER_ALIAS(CFStringFindAndReplace) // gone or moved? run Scripts/linker-names
#undef CFStringFindWithOptions
CF_LINKER_ALIAS(CFStringFindWithOptions) // gone or moved? run Scripts/linker-names
#undef CFStringGetDoubleValue
CF_LINKER_ALIAS(CFStringGetDoubleValue) // gone or moved? run Scripts/linker-names
#undef CFStringGetIntValue
CF_LINKER_ALIAS(CFStringGetIntValue) // gone or moved? run Scripts/linker-names
#undef CFStringHasPrefix
CF_LINKER_ALIAS(CFStringHasPrefix) // gone or moved? run Scripts/linker-names
#undef CFStringHasSuffix
CF_LINKER_ALIAS(CFStringHasSuffix) // gone or moved? run Scripts/linker-names
#undef CFStringLowercase
CF_LINKER_ALIAS(CFStringLowercase) // gone or moved? run Scripts/linker-names
#undef CFStringPad
CF_LINKER_ALIAS(CFStringPad) // gone or moved? run Scripts/linker-names
#undef CFStringTrim
CF_LINKER_ALIAS(CFStringTrim) // gone or moved? run Scripts/linker-names
#undef CFStringTrimWhitespace
CF_LINKER_ALIAS(CFStringTrimWhitespace) // gone or moved? run Scripts/linker-names
#undef CFStringUppercase
CF_LINKER_ALIAS(CFStringUppercase) // gone or moved? run Scripts/linker-names
#undef __CFStringGetLocale
CF_LINKER_ALIAS(__CFStringGetLocale) // gone or moved? run Scripts/linker-names
#endif
