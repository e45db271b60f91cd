// What CFStringFormat.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFStringAppendFormat
CF_LINKER_ALIAS(CFStringAppendFormat) // gone or moved? run Scripts/linker-names
#undef CFStringAppendFormatAndArguments
CF_LINKER_ALIAS(CFStringAppendFormatAndArguments) // gone or moved? run Scripts/linker-names
#undef CFStringCreateWithFormat
CF_LINKER_ALIAS(CFStringCreateWithFormat) // gone or moved? run Scripts/linker-names
#undef CFStringCreateWithFormatAndArguments
CF_LINKER_ALIAS(CFStringCreateWithFormatAndArguments) // gone or moved? run Scripts/linker-names
#endif
