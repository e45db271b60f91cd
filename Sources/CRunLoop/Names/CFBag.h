// What CFBag.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFBagAddValue
CF_LINKER_ALIAS(CFBagAddValue) // gone or moved? run Scripts/linker-names
#undef CFBagApplyFunction
CF_LINKER_ALIAS(CFBagApplyFunction) // gone or moved? run Scripts/linker-names
#undef CFBagContainsValue
CF_LINKER_ALIAS(CFBagContainsValue) // gone or moved? run Scripts/linker-names
#undef CFBagCreate
CF_LINKER_ALIAS(CFBagCreate) // gone or moved? run Scripts/linker-names
#undef CFBagCreateCopy
CF_LINKER_ALIAS(CFBagCreateCopy) // gone or moved? run Scripts/linker-names
#undef CFBagCreateMutable
CF_LINKER_ALIAS(CFBagCreateMutable) // gone or moved? run Scripts/linker-names
#undef CFBagCreateMutableCopy
CF_LINKER_ALIAS(CFBagCreateMutableCopy) // gone or moved? run Scripts/linker-names
#undef CFBagGetCount
CF_LINKER_ALIAS(CFBagGetCount) // gone or moved? run Scripts/linker-names
#undef CFBagGetCountOfValue
CF_LINKER_ALIAS(CFBagGetCountOfValue) // gone or moved? run Scripts/linker-names
#undef CFBagGetTypeID
CF_LINKER_ALIAS(CFBagGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFBagGetValue
CF_LINKER_ALIAS(CFBagGetValue) // gone or moved? run Scripts/linker-names
#undef CFBagGetValueIfPresent
CF_LINKER_ALIAS(CFBagGetValueIfPresent) // gone or moved? run Scripts/linker-names
#undef CFBagGetValues
CF_LINKER_ALIAS(CFBagGetValues) // gone or moved? run Scripts/linker-names
#undef CFBagRemoveAllValues
CF_LINKER_ALIAS(CFBagRemoveAllValues) // gone or moved? run Scripts/linker-names
#undef CFBagRemoveValue
CF_LINKER_ALIAS(CFBagRemoveValue) // gone or moved? run Scripts/linker-names
#undef CFBagReplaceValue
CF_LINKER_ALIAS(CFBagReplaceValue) // gone or moved? run Scripts/linker-names
#undef CFBagSetValue
CF_LINKER_ALIAS(CFBagSetValue) // gone or moved? run Scripts/linker-names
#undef __CFBagClass
CF_LINKER_ALIAS(__CFBagClass) // gone or moved? run Scripts/linker-names
#undef kCFCopyStringBagCallBacks
CF_LINKER_ALIAS(kCFCopyStringBagCallBacks) // gone or moved? run Scripts/linker-names
#undef kCFTypeBagCallBacks
CF_LINKER_ALIAS(kCFTypeBagCallBacks) // gone or moved? run Scripts/linker-names
#endif
