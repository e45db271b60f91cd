// The names that CFSymbols.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef _CFCopyClosureDescription
CF_LINKER_ALIAS(_CFCopyClosureDescription)
#undef __CFBlockCopyDescription
CF_LINKER_ALIAS(__CFBlockCopyDescription)
#undef __CFCopyNameOfFunction
CF_LINKER_ALIAS(__CFCopyNameOfFunction)
#undef __CFDebugFileDirectory
CF_LINKER_ALIAS(__CFDebugFileDirectory)
#undef __CFSymbolFind
CF_LINKER_ALIAS(__CFSymbolFind)
#endif
