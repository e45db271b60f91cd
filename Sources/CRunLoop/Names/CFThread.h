// The names that CFThread.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef _CFIsMainThread
CF_LINKER_ALIAS(_CFIsMainThread)
#undef _CFThreadGetKernelName
CF_LINKER_ALIAS(_CFThreadGetKernelName)
#undef _CFThreadSetName
CF_LINKER_ALIAS(_CFThreadSetName)
#endif
