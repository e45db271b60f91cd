// What CFSet.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFSetAddValue
CF_LINKER_ALIAS(CFSetAddValue) // gone or moved? run Scripts/linker-names
#undef CFSetApplyFunction
CF_LINKER_ALIAS(CFSetApplyFunction) // gone or moved? run Scripts/linker-names
#undef CFSetContainsValue
CF_LINKER_ALIAS(CFSetContainsValue) // gone or moved? run Scripts/linker-names
#undef CFSetCreate
CF_LINKER_ALIAS(CFSetCreate) // gone or moved? run Scripts/linker-names
#undef CFSetCreateCopy
CF_LINKER_ALIAS(CFSetCreateCopy) // gone or moved? run Scripts/linker-names
#undef CFSetCreateMutable
CF_LINKER_ALIAS(CFSetCreateMutable) // gone or moved? run Scripts/linker-names
#undef CFSetCreateMutableCopy
CF_LINKER_ALIAS(CFSetCreateMutableCopy) // gone or moved? run Scripts/linker-names
#undef CFSetGetCount
CF_LINKER_ALIAS(CFSetGetCount) // gone or moved? run Scripts/linker-names
#undef CFSetGetCountOfValue
CF_LINKER_ALIAS(CFSetGetCountOfValue) // gone or moved? run Scripts/linker-names
#undef CFSetGetTypeID
CF_LINKER_ALIAS(CFSetGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFSetGetValue
CF_LINKER_ALIAS(CFSetGetValue) // gone or moved? run Scripts/linker-names
#undef CFSetGetValueIfPresent
CF_LINKER_ALIAS(CFSetGetValueIfPresent) // gone or moved? run Scripts/linker-names
#undef CFSetGetValues
CF_LINKER_ALIAS(CFSetGetValues) // gone or moved? run Scripts/linker-names
#undef CFSetRemoveAllValues
CF_LINKER_ALIAS(CFSetRemoveAllValues) // gone or moved? run Scripts/linker-names
#undef CFSetRemoveValue
CF_LINKER_ALIAS(CFSetRemoveValue) // gone or moved? run Scripts/linker-names
#undef CFSetReplaceValue
CF_LINKER_ALIAS(CFSetReplaceValue) // gone or moved? run Scripts/linker-names
#undef CFSetSetValue
CF_LINKER_ALIAS(CFSetSetValue) // gone or moved? run Scripts/linker-names
#undef __CFSetClass
CF_LINKER_ALIAS(__CFSetClass) // gone or moved? run Scripts/linker-names
#undef kCFCopyStringSetCallBacks
CF_LINKER_ALIAS(kCFCopyStringSetCallBacks) // gone or moved? run Scripts/linker-names
#undef kCFTypeSetCallBacks
CF_LINKER_ALIAS(kCFTypeSetCallBacks) // gone or moved? run Scripts/linker-names
#endif
