// The names that CFCollections.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFCollectionAllocate
CF_LINKER_ALIAS(__CFCollectionAllocate)
#undef __CFCollectionAppendValue
CF_LINKER_ALIAS(__CFCollectionAppendValue)
#undef __CFCollectionCopyDescriptionAs
CF_LINKER_ALIAS(__CFCollectionCopyDescriptionAs)
#undef __CFStringCollectionCopy
CF_LINKER_ALIAS(__CFStringCollectionCopy)
#undef __CFTypeCollectionRelease
CF_LINKER_ALIAS(__CFTypeCollectionRelease)
#undef __CFTypeCollectionRetain
CF_LINKER_ALIAS(__CFTypeCollectionRetain)
#undef __CF_AN_IMMUTABLE_COLLECTION_CANNOT_BE_CHANGED__
CF_LINKER_ALIAS(__CF_AN_IMMUTABLE_COLLECTION_CANNOT_BE_CHANGED__)
#undef __CF_WAS_GIVEN_AN_OBJECT_OF_THE_WRONG_TYPE__
CF_LINKER_ALIAS(__CF_WAS_GIVEN_AN_OBJECT_OF_THE_WRONG_TYPE__)
#endif
