/// CFThread.c: what Swift's Thread needs from the system: see ForSwiftFoundationOnly.h. On a Mac
/// the Swift layer is Objective-C, and calls the system itself.
#include "CFInternal.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>

Boolean _CFIsMainThread(void) {
    return pthread_main_np() != 0;
}

int _CFThreadSetName(pthread_t thread, const char *name) {
    return pthread_setname_np(thread, name);
}

int _CFThreadGetKernelName(pthread_t thread, char *buffer, int length) {
    return pthread_getname_np(thread, buffer, (size_t)length);
}
