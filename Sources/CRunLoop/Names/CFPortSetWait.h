// The names that CFPortSetWait.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFPortSetHasReports
CF_LINKER_ALIAS(__CFPortSetHasReports)
#undef __CFPortSetMarkReportsStale
CF_LINKER_ALIAS(__CFPortSetMarkReportsStale)
#undef __CFPortSetPollPort
CF_LINKER_ALIAS(__CFPortSetPollPort)
#undef __CFPortSetSetCallsOutBeforeWait
CF_LINKER_ALIAS(__CFPortSetSetCallsOutBeforeWait)
#undef __CFPortSetWait
CF_LINKER_ALIAS(__CFPortSetWait)
#endif
