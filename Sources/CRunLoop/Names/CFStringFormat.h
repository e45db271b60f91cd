// The names that CFStringFormat.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFStringAppendFormat
CF_LINKER_ALIAS(CFStringAppendFormat)
#undef CFStringAppendFormatAndArguments
CF_LINKER_ALIAS(CFStringAppendFormatAndArguments)
#undef CFStringCreateWithFormat
CF_LINKER_ALIAS(CFStringCreateWithFormat)
#undef CFStringCreateWithFormatAndArguments
CF_LINKER_ALIAS(CFStringCreateWithFormatAndArguments)
#endif
