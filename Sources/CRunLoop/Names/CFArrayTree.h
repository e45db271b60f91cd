// What CFArrayTree.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFArrayTreeCheck
CF_LINKER_ALIAS(CFArrayTreeCheck) // gone or moved? run Scripts/linker-names
#undef CFArrayTreeFree
CF_LINKER_ALIAS(CFArrayTreeFree) // gone or moved? run Scripts/linker-names
#undef CFArrayTreeGetRun
CF_LINKER_ALIAS(CFArrayTreeGetRun) // gone or moved? run Scripts/linker-names
#undef CFArrayTreeInsert
CF_LINKER_ALIAS(CFArrayTreeInsert) // gone or moved? run Scripts/linker-names
#undef CFArrayTreeRemove
CF_LINKER_ALIAS(CFArrayTreeRemove) // gone or moved? run Scripts/linker-names
#undef CFArrayTreeSearch
CF_LINKER_ALIAS(CFArrayTreeSearch) // gone or moved? run Scripts/linker-names
#undef CFArrayTreeSet
CF_LINKER_ALIAS(CFArrayTreeSet) // gone or moved? run Scripts/linker-names
#undef __CFArrayLowerBound
CF_LINKER_ALIAS(__CFArrayLowerBound) // gone or moved? run Scripts/linker-names
#endif
