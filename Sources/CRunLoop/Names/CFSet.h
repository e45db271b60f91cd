// The names that CFSet.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFSetAddValue
CF_LINKER_ALIAS(CFSetAddValue)
#undef CFSetApplyFunction
CF_LINKER_ALIAS(CFSetApplyFunction)
#undef CFSetContainsValue
CF_LINKER_ALIAS(CFSetContainsValue)
#undef CFSetCreate
CF_LINKER_ALIAS(CFSetCreate)
#undef CFSetCreateCopy
CF_LINKER_ALIAS(CFSetCreateCopy)
#undef CFSetCreateMutable
CF_LINKER_ALIAS(CFSetCreateMutable)
#undef CFSetCreateMutableCopy
CF_LINKER_ALIAS(CFSetCreateMutableCopy)
#undef CFSetGetCount
CF_LINKER_ALIAS(CFSetGetCount)
#undef CFSetGetCountOfValue
CF_LINKER_ALIAS(CFSetGetCountOfValue)
#undef CFSetGetTypeID
CF_LINKER_ALIAS(CFSetGetTypeID)
#undef CFSetGetValue
CF_LINKER_ALIAS(CFSetGetValue)
#undef CFSetGetValueIfPresent
CF_LINKER_ALIAS(CFSetGetValueIfPresent)
#undef CFSetGetValues
CF_LINKER_ALIAS(CFSetGetValues)
#undef CFSetRemoveAllValues
CF_LINKER_ALIAS(CFSetRemoveAllValues)
#undef CFSetRemoveValue
CF_LINKER_ALIAS(CFSetRemoveValue)
#undef CFSetReplaceValue
CF_LINKER_ALIAS(CFSetReplaceValue)
#undef CFSetSetValue
CF_LINKER_ALIAS(CFSetSetValue)
#undef __CFSetClass
CF_LINKER_ALIAS(__CFSetClass)
#undef kCFCopyStringSetCallBacks
CF_LINKER_ALIAS(kCFCopyStringSetCallBacks)
#undef kCFTypeSetCallBacks
CF_LINKER_ALIAS(kCFTypeSetCallBacks)
#endif
