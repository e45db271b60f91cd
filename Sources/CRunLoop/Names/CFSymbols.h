// What CFSymbols.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef _CFCopyClosureDescription
CF_LINKER_ALIAS(_CFCopyClosureDescription) // gone or moved? run Scripts/linker-names
#undef __CFBlockCopyDescription
CF_LINKER_ALIAS(__CFBlockCopyDescription) // gone or moved? run Scripts/linker-names
#undef __CFCopyNameOfFunction
CF_LINKER_ALIAS(__CFCopyNameOfFunction) // gone or moved? run Scripts/linker-names
#undef __CFDebugFileDirectory
CF_LINKER_ALIAS(__CFDebugFileDirectory) // gone or moved? run Scripts/linker-names
#undef __CFSymbolFind
CF_LINKER_ALIAS(__CFSymbolFind) // gone or moved? run Scripts/linker-names
#endif
