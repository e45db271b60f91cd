// The names that CFArrayTree.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFArrayTreeCheck
CF_LINKER_ALIAS(CFArrayTreeCheck)
#undef CFArrayTreeFree
CF_LINKER_ALIAS(CFArrayTreeFree)
#undef CFArrayTreeGetFirstKey
CF_LINKER_ALIAS(CFArrayTreeGetFirstKey)
#undef CFArrayTreeGetRun
CF_LINKER_ALIAS(CFArrayTreeGetRun)
#undef CFArrayTreeHasAtHead
CF_LINKER_ALIAS(CFArrayTreeHasAtHead)
#undef CFArrayTreeInsert
CF_LINKER_ALIAS(CFArrayTreeInsert)
#undef CFArrayTreeInsertSorted
CF_LINKER_ALIAS(CFArrayTreeInsertSorted)
#undef CFArrayTreeRemove
CF_LINKER_ALIAS(CFArrayTreeRemove)
#undef CFArrayTreeRemoveKey
CF_LINKER_ALIAS(CFArrayTreeRemoveKey)
#undef CFArrayTreeRemoveSorted
CF_LINKER_ALIAS(CFArrayTreeRemoveSorted)
#undef CFArrayTreeSearch
CF_LINKER_ALIAS(CFArrayTreeSearch)
#undef CFArrayTreeSet
CF_LINKER_ALIAS(CFArrayTreeSet)
#undef CFArrayTreeVisitInsert
CF_LINKER_ALIAS(CFArrayTreeVisitInsert)
#undef CFArrayTreeVisitPrefetch
CF_LINKER_ALIAS(CFArrayTreeVisitPrefetch)
#undef CFArrayTreeVisitRemove
CF_LINKER_ALIAS(CFArrayTreeVisitRemove)
#endif
