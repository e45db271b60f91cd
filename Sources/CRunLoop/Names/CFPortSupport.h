// The names that CFPortSupport.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFEventDescriptorClear
CF_LINKER_ALIAS(CFEventDescriptorClear)
#undef CFEventDescriptorCreate
CF_LINKER_ALIAS(CFEventDescriptorCreate)
#undef CFEventDescriptorSet
CF_LINKER_ALIAS(CFEventDescriptorSet)
#undef CFWatchGetEvents
CF_LINKER_ALIAS(CFWatchGetEvents)
#undef CFWatchIsPossible
CF_LINKER_ALIAS(CFWatchIsPossible)
#endif
