// What CFDate.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFAbsoluteTimeGetCurrent
CF_LINKER_ALIAS(CFAbsoluteTimeGetCurrent) // gone or moved? run Scripts/linker-names
#undef CFDateCompare
CF_LINKER_ALIAS(CFDateCompare) // gone or moved? run Scripts/linker-names
#undef CFDateCreate
CF_LINKER_ALIAS(CFDateCreate) // gone or moved? run Scripts/linker-names
#undef CFDateGetAbsoluteTime
CF_LINKER_ALIAS(CFDateGetAbsoluteTime) // gone or moved? run Scripts/linker-names
#undef CFDateGetTimeIntervalSinceDate
CF_LINKER_ALIAS(CFDateGetTimeIntervalSinceDate) // gone or moved? run Scripts/linker-names
#undef CFDateGetTypeID
CF_LINKER_ALIAS(CFDateGetTypeID) // gone or moved? run Scripts/linker-names
#undef __CFBeatAfter
CF_LINKER_ALIAS(__CFBeatAfter) // gone or moved? run Scripts/linker-names
#undef __CFClockOffset
CF_LINKER_ALIAS(__CFClockOffset) // gone or moved? run Scripts/linker-names
#undef __CFDateClass
CF_LINKER_ALIAS(__CFDateClass) // gone or moved? run Scripts/linker-names
#undef __CFDateOfTSR
CF_LINKER_ALIAS(__CFDateOfTSR) // gone or moved? run Scripts/linker-names
#undef __CFTSROfBeat
CF_LINKER_ALIAS(__CFTSROfBeat) // gone or moved? run Scripts/linker-names
#undef __CFTSROfDate
CF_LINKER_ALIAS(__CFTSROfDate) // gone or moved? run Scripts/linker-names
#undef __CFTSRToTimeInterval
CF_LINKER_ALIAS(__CFTSRToTimeInterval) // gone or moved? run Scripts/linker-names
#undef __CFTicksOfTimeInterval
CF_LINKER_ALIAS(__CFTicksOfTimeInterval) // gone or moved? run Scripts/linker-names
#undef __CFTimeIntervalToTSR
CF_LINKER_ALIAS(__CFTimeIntervalToTSR) // gone or moved? run Scripts/linker-names
#undef __CFTimeIntervalUntilTSR
CF_LINKER_ALIAS(__CFTimeIntervalUntilTSR) // gone or moved? run Scripts/linker-names
#undef kCFAbsoluteTimeIntervalSince1904
CF_LINKER_ALIAS(kCFAbsoluteTimeIntervalSince1904) // gone or moved? run Scripts/linker-names
#undef kCFAbsoluteTimeIntervalSince1970
CF_LINKER_ALIAS(kCFAbsoluteTimeIntervalSince1970) // gone or moved? run Scripts/linker-names
#undef mach_absolute_time
CF_LINKER_ALIAS(mach_absolute_time) // gone or moved? run Scripts/linker-names
#endif
