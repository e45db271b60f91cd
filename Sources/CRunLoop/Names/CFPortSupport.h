// The names that CFPortSupport.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFBellCreate
CF_LINKER_ALIAS(CFBellCreate)
#undef CFBellRing
CF_LINKER_ALIAS(CFBellRing)
#undef CFBellSilence
CF_LINKER_ALIAS(CFBellSilence)
#undef CFWatchGetEvents
CF_LINKER_ALIAS(CFWatchGetEvents)
#undef CFWatchIsPossible
CF_LINKER_ALIAS(CFWatchIsPossible)
#endif
