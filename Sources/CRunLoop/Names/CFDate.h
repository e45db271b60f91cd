// The names that CFDate.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFAbsoluteTimeGetCurrent
CF_LINKER_ALIAS(CFAbsoluteTimeGetCurrent)
#undef CFDateCompare
CF_LINKER_ALIAS(CFDateCompare)
#undef CFDateCreate
CF_LINKER_ALIAS(CFDateCreate)
#undef CFDateGetAbsoluteTime
CF_LINKER_ALIAS(CFDateGetAbsoluteTime)
#undef CFDateGetTimeIntervalSinceDate
CF_LINKER_ALIAS(CFDateGetTimeIntervalSinceDate)
#undef CFDateGetTypeID
CF_LINKER_ALIAS(CFDateGetTypeID)
#undef __CFBeatAfter
CF_LINKER_ALIAS(__CFBeatAfter)
#undef __CFClockOffset
CF_LINKER_ALIAS(__CFClockOffset)
#undef __CFDateClass
CF_LINKER_ALIAS(__CFDateClass)
#undef __CFDateOfTSR
CF_LINKER_ALIAS(__CFDateOfTSR)
#undef __CFTSRNotBeforeNow
CF_LINKER_ALIAS(__CFTSRNotBeforeNow)
#undef __CFTSRNowNear
CF_LINKER_ALIAS(__CFTSRNowNear)
#undef __CFTSROfBeat
CF_LINKER_ALIAS(__CFTSROfBeat)
#undef __CFTSROfDate
CF_LINKER_ALIAS(__CFTSROfDate)
#undef __CFTSRToTimeInterval
CF_LINKER_ALIAS(__CFTSRToTimeInterval)
#undef __CFTicksOfTimeInterval
CF_LINKER_ALIAS(__CFTicksOfTimeInterval)
#undef __CFTimeIntervalToTSR
CF_LINKER_ALIAS(__CFTimeIntervalToTSR)
#undef __CFTimeIntervalUntilTSR
CF_LINKER_ALIAS(__CFTimeIntervalUntilTSR)
#undef kCFAbsoluteTimeIntervalSince1904
CF_LINKER_ALIAS(kCFAbsoluteTimeIntervalSince1904)
#undef kCFAbsoluteTimeIntervalSince1970
CF_LINKER_ALIAS(kCFAbsoluteTimeIntervalSince1970)
#undef mach_absolute_time
CF_LINKER_ALIAS(mach_absolute_time)
#endif
