// What CFBasicHash.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFBasicHashAddValue
CF_LINKER_ALIAS(CFBasicHashAddValue) // gone or moved? run Scripts/linker-names
#undef CFBasicHashCheck
CF_LINKER_ALIAS(CFBasicHashCheck) // gone or moved? run Scripts/linker-names
#undef CFBasicHashCreate
CF_LINKER_ALIAS(CFBasicHashCreate) // gone or moved? run Scripts/linker-names
#undef CFBasicHashCreateCopy
CF_LINKER_ALIAS(CFBasicHashCreateCopy) // gone or moved? run Scripts/linker-names
#undef CFBasicHashFindKey
CF_LINKER_ALIAS(CFBasicHashFindKey) // gone or moved? run Scripts/linker-names
#undef CFBasicHashGetCount
CF_LINKER_ALIAS(CFBasicHashGetCount) // gone or moved? run Scripts/linker-names
#undef CFBasicHashGetCountOfValue
CF_LINKER_ALIAS(CFBasicHashGetCountOfValue) // gone or moved? run Scripts/linker-names
#undef CFBasicHashGetElements
CF_LINKER_ALIAS(CFBasicHashGetElements) // gone or moved? run Scripts/linker-names
#undef CFBasicHashLookAgain
CF_LINKER_ALIAS(CFBasicHashLookAgain) // gone or moved? run Scripts/linker-names
#undef CFBasicHashNext
CF_LINKER_ALIAS(CFBasicHashNext) // gone or moved? run Scripts/linker-names
#undef CFBasicHashRemoveAllValues
CF_LINKER_ALIAS(CFBasicHashRemoveAllValues) // gone or moved? run Scripts/linker-names
#undef CFBasicHashRemoveValue
CF_LINKER_ALIAS(CFBasicHashRemoveValue) // gone or moved? run Scripts/linker-names
#undef CFBasicHashReplaceValue
CF_LINKER_ALIAS(CFBasicHashReplaceValue) // gone or moved? run Scripts/linker-names
#undef CFBasicHashReserve
CF_LINKER_ALIAS(CFBasicHashReserve) // gone or moved? run Scripts/linker-names
#undef CFBasicHashSetValue
CF_LINKER_ALIAS(CFBasicHashSetValue) // gone or moved? run Scripts/linker-names
#undef __CFBasicHashCopyDescription
CF_LINKER_ALIAS(__CFBasicHashCopyDescription) // gone or moved? run Scripts/linker-names
#undef __CFBasicHashCopyDescriptionAs
CF_LINKER_ALIAS(__CFBasicHashCopyDescriptionAs) // gone or moved? run Scripts/linker-names
#undef __CFBasicHashDeallocate
CF_LINKER_ALIAS(__CFBasicHashDeallocate) // gone or moved? run Scripts/linker-names
#undef __CFBasicHashEqual
CF_LINKER_ALIAS(__CFBasicHashEqual) // gone or moved? run Scripts/linker-names
#undef __CFBasicHashHash
CF_LINKER_ALIAS(__CFBasicHashHash) // gone or moved? run Scripts/linker-names
#endif
