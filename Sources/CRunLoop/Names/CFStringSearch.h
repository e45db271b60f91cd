// The names that CFStringSearch.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFStringCompare
CF_LINKER_ALIAS(CFStringCompare)
#undef CFStringCompareWithOptions
CF_LINKER_ALIAS(CFStringCompareWithOptions)
#undef CFStringCreateArrayBySeparatingStrings
CF_LINKER_ALIAS(CFStringCreateArrayBySeparatingStrings)
#undef CFStringCreateByCombiningStrings
CF_LINKER_ALIAS(CFStringCreateByCombiningStrings)
#undef CFStringFind
CF_LINKER_ALIAS(CFStringFind)
#undef CFStringFindAndReplace
CF_LINKER_ALIAS(CFStringFindAndReplace)
#undef CFStringFindWithOptions
CF_LINKER_ALIAS(CFStringFindWithOptions)
#undef CFStringGetDoubleValue
CF_LINKER_ALIAS(CFStringGetDoubleValue)
#undef CFStringGetIntValue
CF_LINKER_ALIAS(CFStringGetIntValue)
#undef CFStringHasPrefix
CF_LINKER_ALIAS(CFStringHasPrefix)
#undef CFStringHasSuffix
CF_LINKER_ALIAS(CFStringHasSuffix)
#undef CFStringLowercase
CF_LINKER_ALIAS(CFStringLowercase)
#undef CFStringPad
CF_LINKER_ALIAS(CFStringPad)
#undef CFStringTrim
CF_LINKER_ALIAS(CFStringTrim)
#undef CFStringTrimWhitespace
CF_LINKER_ALIAS(CFStringTrimWhitespace)
#undef CFStringUppercase
CF_LINKER_ALIAS(CFStringUppercase)
#undef __CFStringGetLocale
CF_LINKER_ALIAS(__CFStringGetLocale)
#endif
