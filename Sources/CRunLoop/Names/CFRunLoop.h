// What CFRunLoop.c defines for other files. Written by Scripts/linker-names: run it when a line does not compile.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopCopyCurrentMode
CF_LINKER_ALIAS(CFRunLoopCopyCurrentMode) // gone or moved? run Scripts/linker-names
#undef CFRunLoopIsWaiting
CF_LINKER_ALIAS(CFRunLoopIsWaiting) // gone or moved? run Scripts/linker-names
#undef CFRunLoopRun
CF_LINKER_ALIAS(CFRunLoopRun) // gone or moved? run Scripts/linker-names
#undef CFRunLoopRunInMode
CF_LINKER_ALIAS(CFRunLoopRunInMode) // gone or moved? run Scripts/linker-names
#undef CFRunLoopRunSpecific
CF_LINKER_ALIAS(CFRunLoopRunSpecific) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopFinished
CF_LINKER_ALIAS(_CFRunLoopFinished) // gone or moved? run Scripts/linker-names
#undef _CFRunLoopStopMode
CF_LINKER_ALIAS(_CFRunLoopStopMode) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopDump
CF_LINKER_ALIAS(__CFRunLoopDump) // gone or moved? run Scripts/linker-names
#undef __CFRunLoopTellHosts
CF_LINKER_ALIAS(__CFRunLoopTellHosts) // gone or moved? run Scripts/linker-names
#endif
