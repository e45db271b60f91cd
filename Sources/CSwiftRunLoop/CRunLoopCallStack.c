// CRunLoopCallStack.c: which file an address in a program's code belongs to.

#if !defined(__APPLE__) // where nothing uses this target

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 // dladdr
#endif

#include "CRunLoopCallStack.h"
#include <dlfcn.h>

const char *CRunLoopPathOfCode(const void *address) {
    Dl_info found;
    return dladdr(address, &found) ? found.dli_fname : NULL;
}

#endif
