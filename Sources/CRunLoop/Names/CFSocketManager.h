// The names that CFSocketManager.c defines for other files, written by Scripts/linker-names.
// If a line does not compile, a function was moved or removed: run the script again.
#if CF_HAS_LINKER_ALIASES
#undef __CFSocketArm
CF_LINKER_ALIAS(__CFSocketArm)
#undef __CFSocketCopyAdded
CF_LINKER_ALIAS(__CFSocketCopyAdded)
#undef __CFSocketCopyKnown
CF_LINKER_ALIAS(__CFSocketCopyKnown)
#undef __CFSocketForget
CF_LINKER_ALIAS(__CFSocketForget)
#undef __CFSocketUnwatch
CF_LINKER_ALIAS(__CFSocketUnwatch)
#endif
