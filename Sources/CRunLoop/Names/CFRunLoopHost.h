// The names that CFRunLoopHost.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFRunLoopNotifyHosts
CF_LINKER_ALIAS(__CFRunLoopNotifyHosts)
#undef __CFRunLoopNotifyHostsOfEnd
CF_LINKER_ALIAS(__CFRunLoopNotifyHostsOfEnd)
#undef __CFRunLoopReceiveWakeUp
CF_LINKER_ALIAS(__CFRunLoopReceiveWakeUp)
#endif
