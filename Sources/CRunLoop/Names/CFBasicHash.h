// The names that CFBasicHash.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFBasicHashAddValue
CF_LINKER_ALIAS(CFBasicHashAddValue)
#undef CFBasicHashAddValues
CF_LINKER_ALIAS(CFBasicHashAddValues)
#undef CFBasicHashApplyToKeys
CF_LINKER_ALIAS(CFBasicHashApplyToKeys)
#undef CFBasicHashCheck
CF_LINKER_ALIAS(CFBasicHashCheck)
#undef CFBasicHashCreate
CF_LINKER_ALIAS(CFBasicHashCreate)
#undef CFBasicHashCreateCopy
CF_LINKER_ALIAS(CFBasicHashCreateCopy)
#undef CFBasicHashFindBucket
CF_LINKER_ALIAS(CFBasicHashFindBucket)
#undef CFBasicHashGetCount
CF_LINKER_ALIAS(CFBasicHashGetCount)
#undef CFBasicHashGetCountOfKey
CF_LINKER_ALIAS(CFBasicHashGetCountOfKey)
#undef CFBasicHashGetCountOfValue
CF_LINKER_ALIAS(CFBasicHashGetCountOfValue)
#undef CFBasicHashGetElements
CF_LINKER_ALIAS(CFBasicHashGetElements)
#undef CFBasicHashNext
CF_LINKER_ALIAS(CFBasicHashNext)
#undef CFBasicHashRemoveAllValues
CF_LINKER_ALIAS(CFBasicHashRemoveAllValues)
#undef CFBasicHashRemoveValue
CF_LINKER_ALIAS(CFBasicHashRemoveValue)
#undef CFBasicHashReplaceValue
CF_LINKER_ALIAS(CFBasicHashReplaceValue)
#undef CFBasicHashReserve
CF_LINKER_ALIAS(CFBasicHashReserve)
#undef CFBasicHashSetValue
CF_LINKER_ALIAS(CFBasicHashSetValue)
#undef __CFBasicHashCopyDescription
CF_LINKER_ALIAS(__CFBasicHashCopyDescription)
#undef __CFBasicHashCopyDescriptionAs
CF_LINKER_ALIAS(__CFBasicHashCopyDescriptionAs)
#undef __CFBasicHashDeallocate
CF_LINKER_ALIAS(__CFBasicHashDeallocate)
#undef __CFBasicHashEqual
CF_LINKER_ALIAS(__CFBasicHashEqual)
#undef __CFBasicHashHash
CF_LINKER_ALIAS(__CFBasicHashHash)
#endif
