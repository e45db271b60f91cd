// The names that CFArray.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFArrayAppendArray
CF_LINKER_ALIAS(CFArrayAppendArray)
#undef CFArrayAppendValue
CF_LINKER_ALIAS(CFArrayAppendValue)
#undef CFArrayApplyFunction
CF_LINKER_ALIAS(CFArrayApplyFunction)
#undef CFArrayBSearchValues
CF_LINKER_ALIAS(CFArrayBSearchValues)
#undef CFArrayContainsValue
CF_LINKER_ALIAS(CFArrayContainsValue)
#undef CFArrayCreate
CF_LINKER_ALIAS(CFArrayCreate)
#undef CFArrayCreateCopy
CF_LINKER_ALIAS(CFArrayCreateCopy)
#undef CFArrayCreateMutable
CF_LINKER_ALIAS(CFArrayCreateMutable)
#undef CFArrayCreateMutableCopy
CF_LINKER_ALIAS(CFArrayCreateMutableCopy)
#undef CFArrayExchangeValuesAtIndices
CF_LINKER_ALIAS(CFArrayExchangeValuesAtIndices)
#undef CFArrayGetCount
CF_LINKER_ALIAS(CFArrayGetCount)
#undef CFArrayGetCountOfValue
CF_LINKER_ALIAS(CFArrayGetCountOfValue)
#undef CFArrayGetFirstIndexOfValue
CF_LINKER_ALIAS(CFArrayGetFirstIndexOfValue)
#undef CFArrayGetLastIndexOfValue
CF_LINKER_ALIAS(CFArrayGetLastIndexOfValue)
#undef CFArrayGetTypeID
CF_LINKER_ALIAS(CFArrayGetTypeID)
#undef CFArrayGetValueAtIndex
CF_LINKER_ALIAS(CFArrayGetValueAtIndex)
#undef CFArrayGetValues
CF_LINKER_ALIAS(CFArrayGetValues)
#undef CFArrayInsertValueAtIndex
CF_LINKER_ALIAS(CFArrayInsertValueAtIndex)
#undef CFArrayRemoveAllValues
CF_LINKER_ALIAS(CFArrayRemoveAllValues)
#undef CFArrayRemoveValueAtIndex
CF_LINKER_ALIAS(CFArrayRemoveValueAtIndex)
#undef CFArrayReplaceValues
CF_LINKER_ALIAS(CFArrayReplaceValues)
#undef CFArraySetValueAtIndex
CF_LINKER_ALIAS(CFArraySetValueAtIndex)
#undef CFArraySortValues
CF_LINKER_ALIAS(CFArraySortValues)
#undef __CFArrayClass
CF_LINKER_ALIAS(__CFArrayClass)
#undef __CFArrayCopyDescriptionAs
CF_LINKER_ALIAS(__CFArrayCopyDescriptionAs)
#undef __CFArrayCreateMutableWithKeys
CF_LINKER_ALIAS(__CFArrayCreateMutableWithKeys)
#undef __CFArrayInsertSorted
CF_LINKER_ALIAS(__CFArrayInsertSorted)
#undef __CFArrayPutSorted
CF_LINKER_ALIAS(__CFArrayPutSorted)
#undef __CFArrayRemoveSorted
CF_LINKER_ALIAS(__CFArrayRemoveSorted)
#undef __CFArrayTakeUnique
CF_LINKER_ALIAS(__CFArrayTakeUnique)
#undef kCFTypeArrayCallBacks
CF_LINKER_ALIAS(kCFTypeArrayCallBacks)
#endif
