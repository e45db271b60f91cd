// What CFPortSupport.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFBellCreate
CF_LINKER_ALIAS(CFBellCreate) // gone or moved? run Scripts/linker-names
#undef CFBellRing
CF_LINKER_ALIAS(CFBellRing) // gone or moved? run Scripts/linker-names
#undef CFBellSilence
CF_LINKER_ALIAS(CFBellSilence) // gone or moved? run Scripts/linker-names
#undef CFWatchGetEvents
CF_LINKER_ALIAS(CFWatchGetEvents) // gone or moved? run Scripts/linker-names
#undef CFWatchIsPossible
CF_LINKER_ALIAS(CFWatchIsPossible) // gone or moved? run Scripts/linker-names
#endif
