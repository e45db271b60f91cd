// The names that CFRunLoop.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFRunLoopCopyCurrentMode
CF_LINKER_ALIAS(CFRunLoopCopyCurrentMode)
#undef CFRunLoopIsWaiting
CF_LINKER_ALIAS(CFRunLoopIsWaiting)
#undef CFRunLoopRun
CF_LINKER_ALIAS(CFRunLoopRun)
#undef CFRunLoopRunInMode
CF_LINKER_ALIAS(CFRunLoopRunInMode)
#undef CFRunLoopRunSpecific
CF_LINKER_ALIAS(CFRunLoopRunSpecific)
#undef CFRunLoopStop
CF_LINKER_ALIAS(CFRunLoopStop)
#undef CFRunLoopWakeUp
CF_LINKER_ALIAS(CFRunLoopWakeUp)
#undef _CFRunLoopFinished
CF_LINKER_ALIAS(_CFRunLoopFinished)
#undef _CFRunLoopStopMode
CF_LINKER_ALIAS(_CFRunLoopStopMode)
#undef __CFRunLoopDump
CF_LINKER_ALIAS(__CFRunLoopDump)
#endif
