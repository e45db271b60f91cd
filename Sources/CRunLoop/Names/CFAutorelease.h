// The names that CFAutorelease.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFAutorelease
CF_LINKER_ALIAS(CFAutorelease)
#undef _CFAutoreleasePoolPop
CF_LINKER_ALIAS(_CFAutoreleasePoolPop)
#undef _CFAutoreleasePoolPush
CF_LINKER_ALIAS(_CFAutoreleasePoolPush)
#endif
