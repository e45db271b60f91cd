// The names that CFSocket.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef CFSocketConnectToAddress
CF_LINKER_ALIAS(CFSocketConnectToAddress)
#undef CFSocketCopyAddress
CF_LINKER_ALIAS(CFSocketCopyAddress)
#undef CFSocketCopyPeerAddress
CF_LINKER_ALIAS(CFSocketCopyPeerAddress)
#undef CFSocketCreate
CF_LINKER_ALIAS(CFSocketCreate)
#undef CFSocketCreateConnectedToSocketSignature
CF_LINKER_ALIAS(CFSocketCreateConnectedToSocketSignature)
#undef CFSocketCreateRunLoopSource
CF_LINKER_ALIAS(CFSocketCreateRunLoopSource)
#undef CFSocketCreateWithNative
CF_LINKER_ALIAS(CFSocketCreateWithNative)
#undef CFSocketCreateWithSocketSignature
CF_LINKER_ALIAS(CFSocketCreateWithSocketSignature)
#undef CFSocketDisableCallBacks
CF_LINKER_ALIAS(CFSocketDisableCallBacks)
#undef CFSocketEnableCallBacks
CF_LINKER_ALIAS(CFSocketEnableCallBacks)
#undef CFSocketGetContext
CF_LINKER_ALIAS(CFSocketGetContext)
#undef CFSocketGetNative
CF_LINKER_ALIAS(CFSocketGetNative)
#undef CFSocketGetSocketFlags
CF_LINKER_ALIAS(CFSocketGetSocketFlags)
#undef CFSocketGetTypeID
CF_LINKER_ALIAS(CFSocketGetTypeID)
#undef CFSocketInvalidate
CF_LINKER_ALIAS(CFSocketInvalidate)
#undef CFSocketIsValid
CF_LINKER_ALIAS(CFSocketIsValid)
#undef CFSocketSendData
CF_LINKER_ALIAS(CFSocketSendData)
#undef CFSocketSetAddress
CF_LINKER_ALIAS(CFSocketSetAddress)
#undef CFSocketSetSocketFlags
CF_LINKER_ALIAS(CFSocketSetSocketFlags)
#undef __CFSocketClass
CF_LINKER_ALIAS(__CFSocketClass)
#endif
