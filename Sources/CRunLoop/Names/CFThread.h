// What CFThread.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef _CFIsMainThread
CF_LINKER_ALIAS(_CFIsMainThread) // gone or moved? run Scripts/linker-names
#undef _CFThreadGetKernelName
CF_LINKER_ALIAS(_CFThreadGetKernelName) // gone or moved? run Scripts/linker-names
#undef _CFThreadSetName
CF_LINKER_ALIAS(_CFThreadSetName) // gone or moved? run Scripts/linker-names
#endif
