// The names that CFBag.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFBagAddValue
CF_LINKER_ALIAS(CFBagAddValue)
#undef CFBagApplyFunction
CF_LINKER_ALIAS(CFBagApplyFunction)
#undef CFBagContainsValue
CF_LINKER_ALIAS(CFBagContainsValue)
#undef CFBagCreate
CF_LINKER_ALIAS(CFBagCreate)
#undef CFBagCreateCopy
CF_LINKER_ALIAS(CFBagCreateCopy)
#undef CFBagCreateMutable
CF_LINKER_ALIAS(CFBagCreateMutable)
#undef CFBagCreateMutableCopy
CF_LINKER_ALIAS(CFBagCreateMutableCopy)
#undef CFBagGetCount
CF_LINKER_ALIAS(CFBagGetCount)
#undef CFBagGetCountOfValue
CF_LINKER_ALIAS(CFBagGetCountOfValue)
#undef CFBagGetTypeID
CF_LINKER_ALIAS(CFBagGetTypeID)
#undef CFBagGetValue
CF_LINKER_ALIAS(CFBagGetValue)
#undef CFBagGetValueIfPresent
CF_LINKER_ALIAS(CFBagGetValueIfPresent)
#undef CFBagGetValues
CF_LINKER_ALIAS(CFBagGetValues)
#undef CFBagRemoveAllValues
CF_LINKER_ALIAS(CFBagRemoveAllValues)
#undef CFBagRemoveValue
CF_LINKER_ALIAS(CFBagRemoveValue)
#undef CFBagReplaceValue
CF_LINKER_ALIAS(CFBagReplaceValue)
#undef CFBagSetValue
CF_LINKER_ALIAS(CFBagSetValue)
#undef __CFBagClass
CF_LINKER_ALIAS(__CFBagClass)
#undef kCFCopyStringBagCallBacks
CF_LINKER_ALIAS(kCFCopyStringBagCallBacks)
#undef kCFTypeBagCallBacks
CF_LINKER_ALIAS(kCFTypeBagCallBacks)
#endif
