/// CFLinkerNames.h: what the linker calls the functions and variables of the public headers.
///
/// Source code says CFRunLoopRun, and the linker says CRL_CFRunLoopRun. The Swift toolchain's
/// libFoundation also has a CFRunLoopRun, and one program may use both, because each module calls
/// the functions that its own headers declare. You need this file only to look up a name in a
/// symbol table. In a debugger the functions have their plain names.
#if !defined(__COREFOUNDATION_CFLINKERNAMES__)
#define __COREFOUNDATION_CFLINKERNAMES__ 1

/// Every function and variable that the public headers declare. Written by Scripts/linker-names.
#define CF_LINKER_NAMES(X) \
    X(CFAbsoluteTimeGetCurrent) X(CFAllocatorGetDefault) X(CFAllocatorGetTypeID) \
    X(CFArrayAppendValue) X(CFArrayApplyFunction) X(CFArrayContainsValue) X(CFArrayCreate) \
    X(CFArrayCreateCopy) X(CFArrayCreateMutable) X(CFArrayGetCount) \
    X(CFArrayGetFirstIndexOfValue) X(CFArrayGetTypeID) X(CFArrayGetValueAtIndex) \
    X(CFArrayGetValues) X(CFArrayInsertValueAtIndex) X(CFArrayRemoveAllValues) \
    X(CFArrayRemoveValueAtIndex) X(CFAutorelease) X(CFBagAddValue) X(CFBagApplyFunction) \
    X(CFBagCreateMutable) X(CFBagGetCount) X(CFBagGetTypeID) X(CFBagRemoveValue) \
    X(CFCopyDescription) X(CFCopyTypeIDDescription) X(CFDictionaryApplyFunction) \
    X(CFDictionaryContainsKey) X(CFDictionaryCreateMutable) X(CFDictionaryGetCount) \
    X(CFDictionaryGetTypeID) X(CFDictionaryGetValue) X(CFDictionaryRemoveAllValues) \
    X(CFDictionaryRemoveValue) X(CFDictionarySetValue) X(CFEqual) X(CFEventDescriptorClear) \
    X(CFEventDescriptorCreate) X(CFEventDescriptorSet) X(CFGetAllocator) X(CFGetRetainCount) \
    X(CFGetTypeID) X(CFHash) X(CFRelease) X(CFRetain) X(CFRunLoopAddCommonMode) \
    X(CFRunLoopAddObserver) X(CFRunLoopAddSource) X(CFRunLoopAddTimer) \
    X(CFRunLoopContainsObserver) X(CFRunLoopContainsSource) X(CFRunLoopContainsTimer) \
    X(CFRunLoopCopyAllModes) X(CFRunLoopCopyCurrentMode) X(CFRunLoopGetCurrent) \
    X(CFRunLoopGetDescriptor) X(CFRunLoopGetMain) X(CFRunLoopGetNextTimerFireDate) \
    X(CFRunLoopGetTypeID) X(CFRunLoopIsWaiting) X(CFRunLoopObserverCreate) \
    X(CFRunLoopObserverCreateWithHandler) X(CFRunLoopObserverDoesRepeat) \
    X(CFRunLoopObserverGetActivities) X(CFRunLoopObserverGetContext) \
    X(CFRunLoopObserverGetOrder) X(CFRunLoopObserverGetTypeID) X(CFRunLoopObserverInvalidate) \
    X(CFRunLoopObserverIsValid) X(CFRunLoopPerformBlock) X(CFRunLoopRemoveObserver) \
    X(CFRunLoopRemoveSource) X(CFRunLoopRemoveTimer) X(CFRunLoopRun) X(CFRunLoopRunInMode) \
    X(CFRunLoopRunSpecific) X(CFRunLoopServe) X(CFRunLoopSourceCreate) \
    X(CFRunLoopSourceGetContext) X(CFRunLoopSourceGetOrder) X(CFRunLoopSourceGetTypeID) \
    X(CFRunLoopSourceInvalidate) X(CFRunLoopSourceIsSignalled) X(CFRunLoopSourceIsValid) \
    X(CFRunLoopSourceSetWatchEvents) X(CFRunLoopSourceSignal) X(CFRunLoopStop) \
    X(CFRunLoopTimerCreate) X(CFRunLoopTimerCreateWithHandler) X(CFRunLoopTimerDoesRepeat) \
    X(CFRunLoopTimerGetContext) X(CFRunLoopTimerGetInterval) X(CFRunLoopTimerGetNextFireDate) \
    X(CFRunLoopTimerGetOrder) X(CFRunLoopTimerGetTolerance) X(CFRunLoopTimerGetTypeID) \
    X(CFRunLoopTimerInvalidate) X(CFRunLoopTimerIsValid) X(CFRunLoopTimerSetNextFireDate) \
    X(CFRunLoopTimerSetTolerance) X(CFRunLoopTraceCopyAllLoops) X(CFRunLoopTraceGetState) \
    X(CFRunLoopTraceGetTimers) X(CFRunLoopTraceReplaceHook) X(CFRunLoopWakeUp) \
    X(CFSetAddValue) X(CFSetApplyFunction) X(CFSetContainsValue) X(CFSetCreate) \
    X(CFSetCreateCopy) X(CFSetCreateMutable) X(CFSetGetCount) X(CFSetGetTypeID) \
    X(CFSetGetValue) X(CFSetGetValues) X(CFSetRemoveAllValues) X(CFSetRemoveValue) X(CFShow) \
    X(CFStringAppend) X(CFStringAppendFormat) X(CFStringCreateCopy) X(CFStringCreateMutable) \
    X(CFStringCreateMutableCopy) X(CFStringCreateWithBytes) X(CFStringCreateWithCString) \
    X(CFStringCreateWithCharacters) X(CFStringCreateWithFormat) \
    X(CFStringCreateWithFormatAndArguments) X(CFStringGetBytes) X(CFStringGetCString) \
    X(CFStringGetCStringPtr) X(CFStringGetCharacterAtIndex) X(CFStringGetCharacters) \
    X(CFStringGetLength) X(CFStringGetMaximumSizeForEncoding) X(CFStringGetTypeID) \
    X(CFWatchGetEvents) X(CFWatchIsPossible) X(_CFAutoreleasePoolPop) \
    X(_CFAutoreleasePoolPush) X(_CFCopyClosureDescription) X(_CFGetNameOfFunction) \
    X(_CFGetTwin) X(_CFIsMainThread) X(_CFMainThreadHasEnded) X(_CFRemoveTwin) \
    X(_CFRunLoopFinished) X(_CFRunLoopGet0) X(_CFRunLoopGet0b) X(_CFRunLoopGet1) \
    X(_CFRunLoopGet2) X(_CFRunLoopGet2b) X(_CFRunLoopGetDepth) \
    X(_CFRunLoopGetDescriptorForMainQueue) X(_CFRunLoopHasEnded) X(_CFRunLoopIsCurrent) \
    X(_CFRunLoopObserverRelease) X(_CFRunLoopObserverRetain) X(_CFRunLoopRelease) \
    X(_CFRunLoopRetain) X(_CFRunLoopServeFromMainQueue) X(_CFRunLoopSourceRelease) \
    X(_CFRunLoopSourceRetain) X(_CFRunLoopStopMode) X(_CFRunLoopTimerRelease) \
    X(_CFRunLoopTimerRetain) X(_CFSetTwin) X(_CFThreadGetKernelName) X(_CFThreadSetName) \
    X(__CFRunLoopDump) X(__CFStringClass) X(kCFAbsoluteTimeIntervalSince1970) \
    X(kCFAllocatorDefault) X(kCFAllocatorSystemDefault) X(kCFRunLoopCommonModes) \
    X(kCFRunLoopDefaultMode) X(kCFTypeArrayCallBacks) X(kCFTypeBagCallBacks) \
    X(kCFTypeDictionaryKeyCallBacks) X(kCFTypeDictionaryValueCallBacks) X(kCFTypeSetCallBacks) \
    X(pthread_main_thread_np)

/// The name that the linker knows. The tests compile a copy of this library with another prefix.
#if !defined(CF_LINKER_NAME)
#define CF_LINKER_NAME(name) CRL_##name
#endif

#if defined(__swift__) // Swift's importer

#include "CFSwiftNames.h"

#elif !defined(CF_BUILDING_CF) // a program: its calls of CFRunLoopRun go to CRL_CFRunLoopRun

#define __CF_LINKER_PRAGMA(words) _Pragma(#words)
#define __CF_LINKER_REDEFINE_AS(name, other) __CF_LINKER_PRAGMA(redefine_extname name other)
#define __CF_LINKER_REDEFINE(name) __CF_LINKER_REDEFINE_AS(name, CF_LINKER_NAME(name))
CF_LINKER_NAMES(__CF_LINKER_REDEFINE)

#endif

#endif
