/// Base.c: the small CoreFoundation, from its lowest file to its highest. CRunLoop.c includes it.
#if !defined(__COREFOUNDATION_BASE__)
#define __COREFOUNDATION_BASE__ 1

#include "../Kernel/CFPlatform.c"
#if !defined(CF_SIMULATED_KERNEL)
#include "../Kernel/CFLinux.c"
#include "../Kernel/CFSymbolTable.c"
#endif
#include "CFRuntime.c"
#include "CFCollections.c"
#include "CFArray.c"
#include "CFBasicHash.c"
#include "CFBag.c"
#include "CFDictionary.c"
#include "CFSet.c"
#include "CFString.c"
#include "CFStringEncodings.c"
#include "CFStringFormat.c"
#include "CFSymbols.c"
#include "CFDate.c"
#include "CFAutorelease.c"
#include "CFThread.c"

#endif
