// What CFCollections.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef __CFCollectionAllocate
CF_LINKER_ALIAS(__CFCollectionAllocate) // gone or moved? run Scripts/linker-names
#undef __CFCollectionAppendValue
CF_LINKER_ALIAS(__CFCollectionAppendValue) // gone or moved? run Scripts/linker-names
#undef __CFCollectionCopyDescriptionAs
CF_LINKER_ALIAS(__CFCollectionCopyDescriptionAs) // gone or moved? run Scripts/linker-names
#undef __CFStringCollectionCopy
CF_LINKER_ALIAS(__CFStringCollectionCopy) // gone or moved? run Scripts/linker-names
#undef __CFTypeCollectionRelease
CF_LINKER_ALIAS(__CFTypeCollectionRelease) // gone or moved? run Scripts/linker-names
#undef __CFTypeCollectionRetain
CF_LINKER_ALIAS(__CFTypeCollectionRetain) // gone or moved? run Scripts/linker-names
#undef __CF_AN_IMMUTABLE_COLLECTION_CANNOT_BE_CHANGED__
CF_LINKER_ALIAS(__CF_AN_IMMUTABLE_COLLECTION_CANNOT_BE_CHANGED__) // gone or moved? run Scripts/linker-names
#undef __CF_WAS_GIVEN_AN_OBJECT_OF_THE_WRONG_TYPE__
CF_LINKER_ALIAS(__CF_WAS_GIVEN_AN_OBJECT_OF_THE_WRONG_TYPE__) // gone or moved? run Scripts/linker-names
#endif
