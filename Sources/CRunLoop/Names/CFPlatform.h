// The names that CFPlatform.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef _CFSetTSD
CF_LINKER_ALIAS(_CFSetTSD)
#undef __CFForbidUseAfterFork
CF_LINKER_ALIAS(__CFForbidUseAfterFork)
#undef __CFForkMark
CF_LINKER_ALIAS(__CFForkMark)
#undef __CFLockWait
CF_LINKER_ALIAS(__CFLockWait)
#undef __CFLockWakeOne
CF_LINKER_ALIAS(__CFLockWakeOne)
#undef __CFMainThreadNumber
CF_LINKER_ALIAS(__CFMainThreadNumber)
#undef __CFNoForkMark
CF_LINKER_ALIAS(__CFNoForkMark)
#undef __CFThreadAskNumber
CF_LINKER_ALIAS(__CFThreadAskNumber)
#undef __CFTryLock
CF_LINKER_ALIAS(__CFTryLock)
#undef __THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__
CF_LINKER_ALIAS(__THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__)
#undef pthread_main_thread_np
CF_LINKER_ALIAS(pthread_main_thread_np)
#if defined(CF_CHECK_LOCKS)
#undef __CFAssertLocked
CF_LINKER_ALIAS(__CFAssertLocked)
#undef __CFAssertOnThread
CF_LINKER_ALIAS(__CFAssertOnThread)
#undef __CFLock
CF_LINKER_ALIAS(__CFLock)
#undef __CFLockWithin
CF_LINKER_ALIAS(__CFLockWithin)
#undef __CFUnlock
CF_LINKER_ALIAS(__CFUnlock)
#undef __CFUnlockWithin
CF_LINKER_ALIAS(__CFUnlockWithin)
#endif
#endif
