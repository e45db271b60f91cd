// What CFDictionary.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFDictionaryAddValue
CF_LINKER_ALIAS(CFDictionaryAddValue) // gone or moved? run Scripts/linker-names
#undef CFDictionaryApplyFunction
CF_LINKER_ALIAS(CFDictionaryApplyFunction) // gone or moved? run Scripts/linker-names
#undef CFDictionaryContainsKey
CF_LINKER_ALIAS(CFDictionaryContainsKey) // gone or moved? run Scripts/linker-names
#undef CFDictionaryContainsValue
CF_LINKER_ALIAS(CFDictionaryContainsValue) // gone or moved? run Scripts/linker-names
#undef CFDictionaryCreate
CF_LINKER_ALIAS(CFDictionaryCreate) // gone or moved? run Scripts/linker-names
#undef CFDictionaryCreateCopy
CF_LINKER_ALIAS(CFDictionaryCreateCopy) // gone or moved? run Scripts/linker-names
#undef CFDictionaryCreateMutable
CF_LINKER_ALIAS(CFDictionaryCreateMutable) // gone or moved? run Scripts/linker-names
#undef CFDictionaryCreateMutableCopy
CF_LINKER_ALIAS(CFDictionaryCreateMutableCopy) // gone or moved? run Scripts/linker-names
#undef CFDictionaryGetCount
CF_LINKER_ALIAS(CFDictionaryGetCount) // gone or moved? run Scripts/linker-names
#undef CFDictionaryGetCountOfKey
CF_LINKER_ALIAS(CFDictionaryGetCountOfKey) // gone or moved? run Scripts/linker-names
#undef CFDictionaryGetCountOfValue
CF_LINKER_ALIAS(CFDictionaryGetCountOfValue) // gone or moved? run Scripts/linker-names
#undef CFDictionaryGetKeysAndValues
CF_LINKER_ALIAS(CFDictionaryGetKeysAndValues) // gone or moved? run Scripts/linker-names
#undef CFDictionaryGetTypeID
CF_LINKER_ALIAS(CFDictionaryGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFDictionaryGetValue
CF_LINKER_ALIAS(CFDictionaryGetValue) // gone or moved? run Scripts/linker-names
#undef CFDictionaryGetValueIfPresent
CF_LINKER_ALIAS(CFDictionaryGetValueIfPresent) // gone or moved? run Scripts/linker-names
#undef CFDictionaryRemoveAllValues
CF_LINKER_ALIAS(CFDictionaryRemoveAllValues) // gone or moved? run Scripts/linker-names
#undef CFDictionaryRemoveValue
CF_LINKER_ALIAS(CFDictionaryRemoveValue) // gone or moved? run Scripts/linker-names
#undef CFDictionaryReplaceValue
CF_LINKER_ALIAS(CFDictionaryReplaceValue) // gone or moved? run Scripts/linker-names
#undef CFDictionarySetValue
CF_LINKER_ALIAS(CFDictionarySetValue) // gone or moved? run Scripts/linker-names
#undef __CFDictionaryClass
CF_LINKER_ALIAS(__CFDictionaryClass) // gone or moved? run Scripts/linker-names
#undef kCFCopyStringDictionaryKeyCallBacks
CF_LINKER_ALIAS(kCFCopyStringDictionaryKeyCallBacks) // gone or moved? run Scripts/linker-names
#undef kCFTypeDictionaryKeyCallBacks
CF_LINKER_ALIAS(kCFTypeDictionaryKeyCallBacks) // gone or moved? run Scripts/linker-names
#undef kCFTypeDictionaryValueCallBacks
CF_LINKER_ALIAS(kCFTypeDictionaryValueCallBacks) // gone or moved? run Scripts/linker-names
#endif
