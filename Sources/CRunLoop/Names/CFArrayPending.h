// The names that CFArrayPending.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFArrayPendingApply
CF_LINKER_ALIAS(CFArrayPendingApply)
#undef CFArrayPendingInit
CF_LINKER_ALIAS(CFArrayPendingInit)
#undef CFArrayPendingInsert
CF_LINKER_ALIAS(CFArrayPendingInsert)
#undef CFArrayPendingRemove
CF_LINKER_ALIAS(CFArrayPendingRemove)
#undef CFArrayPendingUndoInsertion
CF_LINKER_ALIAS(CFArrayPendingUndoInsertion)
#endif
