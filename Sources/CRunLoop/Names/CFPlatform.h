// What CFPlatform.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef _CFGetTSD
CF_LINKER_ALIAS(_CFGetTSD) // gone or moved? run Scripts/linker-names
#undef _CFSetTSD
CF_LINKER_ALIAS(_CFSetTSD) // gone or moved? run Scripts/linker-names
#undef __CFForbidUseAfterFork
CF_LINKER_ALIAS(__CFForbidUseAfterFork) // gone or moved? run Scripts/linker-names
#undef __CFForkMark
CF_LINKER_ALIAS(__CFForkMark) // gone or moved? run Scripts/linker-names
#undef __CFNoForkMark
CF_LINKER_ALIAS(__CFNoForkMark) // gone or moved? run Scripts/linker-names
#undef __CFThreadNumber
CF_LINKER_ALIAS(__CFThreadNumber) // gone or moved? run Scripts/linker-names
#undef __THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__
CF_LINKER_ALIAS(__THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__) // gone or moved? run Scripts/linker-names
#undef pthread_main_np
CF_LINKER_ALIAS(pthread_main_np) // gone or moved? run Scripts/linker-names
#undef pthread_main_thread_np
CF_LINKER_ALIAS(pthread_main_thread_np) // gone or moved? run Scripts/linker-names
#endif
