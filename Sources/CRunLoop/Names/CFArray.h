// What CFArray.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFArrayAppendArray
CF_LINKER_ALIAS(CFArrayAppendArray) // gone or moved? run Scripts/linker-names
#undef CFArrayAppendValue
CF_LINKER_ALIAS(CFArrayAppendValue) // gone or moved? run Scripts/linker-names
#undef CFArrayApplyFunction
CF_LINKER_ALIAS(CFArrayApplyFunction) // gone or moved? run Scripts/linker-names
#undef CFArrayBSearchValues
CF_LINKER_ALIAS(CFArrayBSearchValues) // gone or moved? run Scripts/linker-names
#undef CFArrayContainsValue
CF_LINKER_ALIAS(CFArrayContainsValue) // gone or moved? run Scripts/linker-names
#undef CFArrayCreate
CF_LINKER_ALIAS(CFArrayCreate) // gone or moved? run Scripts/linker-names
#undef CFArrayCreateCopy
CF_LINKER_ALIAS(CFArrayCreateCopy) // gone or moved? run Scripts/linker-names
#undef CFArrayCreateMutable
CF_LINKER_ALIAS(CFArrayCreateMutable) // gone or moved? run Scripts/linker-names
#undef CFArrayCreateMutableCopy
CF_LINKER_ALIAS(CFArrayCreateMutableCopy) // gone or moved? run Scripts/linker-names
#undef CFArrayExchangeValuesAtIndices
CF_LINKER_ALIAS(CFArrayExchangeValuesAtIndices) // gone or moved? run Scripts/linker-names
#undef CFArrayGetCount
CF_LINKER_ALIAS(CFArrayGetCount) // gone or moved? run Scripts/linker-names
#undef CFArrayGetCountOfValue
CF_LINKER_ALIAS(CFArrayGetCountOfValue) // gone or moved? run Scripts/linker-names
#undef CFArrayGetFirstIndexOfValue
CF_LINKER_ALIAS(CFArrayGetFirstIndexOfValue) // gone or moved? run Scripts/linker-names
#undef CFArrayGetLastIndexOfValue
CF_LINKER_ALIAS(CFArrayGetLastIndexOfValue) // gone or moved? run Scripts/linker-names
#undef CFArrayGetTypeID
CF_LINKER_ALIAS(CFArrayGetTypeID) // gone or moved? run Scripts/linker-names
#undef CFArrayGetValueAtIndex
CF_LINKER_ALIAS(CFArrayGetValueAtIndex) // gone or moved? run Scripts/linker-names
#undef CFArrayGetValues
CF_LINKER_ALIAS(CFArrayGetValues) // gone or moved? run Scripts/linker-names
#undef CFArrayInsertValueAtIndex
CF_LINKER_ALIAS(CFArrayInsertValueAtIndex) // gone or moved? run Scripts/linker-names
#undef CFArrayRemoveAllValues
CF_LINKER_ALIAS(CFArrayRemoveAllValues) // gone or moved? run Scripts/linker-names
#undef CFArrayRemoveValueAtIndex
CF_LINKER_ALIAS(CFArrayRemoveValueAtIndex) // gone or moved? run Scripts/linker-names
#undef CFArrayReplaceValues
CF_LINKER_ALIAS(CFArrayReplaceValues) // gone or moved? run Scripts/linker-names
#undef CFArraySetValueAtIndex
CF_LINKER_ALIAS(CFArraySetValueAtIndex) // gone or moved? run Scripts/linker-names
#undef CFArraySortValues
CF_LINKER_ALIAS(CFArraySortValues) // gone or moved? run Scripts/linker-names
#undef __CFArrayClass
CF_LINKER_ALIAS(__CFArrayClass) // gone or moved? run Scripts/linker-names
#undef __CFArrayCopyDescriptionAs
CF_LINKER_ALIAS(__CFArrayCopyDescriptionAs) // gone or moved? run Scripts/linker-names
#undef __CFArrayCreateMutableWithKeys
CF_LINKER_ALIAS(__CFArrayCreateMutableWithKeys) // gone or moved? run Scripts/linker-names
#undef kCFTypeArrayCallBacks
CF_LINKER_ALIAS(kCFTypeArrayCallBacks) // gone or moved? run Scripts/linker-names
#endif
