// The names that CFSocketNative.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFSocketNativeAccept
CF_LINKER_ALIAS(__CFSocketNativeAccept)
#undef __CFSocketNativeBind
CF_LINKER_ALIAS(__CFSocketNativeBind)
#undef __CFSocketNativeConnect
CF_LINKER_ALIAS(__CFSocketNativeConnect)
#undef __CFSocketNativeCopyAddress
CF_LINKER_ALIAS(__CFSocketNativeCopyAddress)
#undef __CFSocketNativeCopyData
CF_LINKER_ALIAS(__CFSocketNativeCopyData)
#undef __CFSocketNativeGetEvents
CF_LINKER_ALIAS(__CFSocketNativeGetEvents)
#undef __CFSocketNativeGetType
CF_LINKER_ALIAS(__CFSocketNativeGetType)
#undef __CFSocketNativeHasPeer
CF_LINKER_ALIAS(__CFSocketNativeHasPeer)
#undef __CFSocketNativeSend
CF_LINKER_ALIAS(__CFSocketNativeSend)
#undef __CFSocketNativeSetNonBlocking
CF_LINKER_ALIAS(__CFSocketNativeSetNonBlocking)
#undef __CFSocketTypeIsConnectionOriented
CF_LINKER_ALIAS(__CFSocketTypeIsConnectionOriented)
#endif
