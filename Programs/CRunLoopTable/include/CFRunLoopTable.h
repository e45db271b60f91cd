/// CFRunLoopTable.h: the run loop's C interface as a table of pointers, so that one program can use two run loops: this one, and
/// the original that the Swift toolchain ships inside its libFoundation.so.
///
///     const char *error;
///     const CFRunLoopTable *ours = CFRunLoopTableOurs(), *original = CFRunLoopTableOriginal(&error);
///     if (!original) fprintf(stderr, "%s\n", error);
///     original->CFRunLoopRunInMode(original->kCFRunLoopDefaultMode, 1, false);
///
/// The two know nothing of each other: what one table's functions have made goes to that table's functions alone, constants
/// included. The types and the contexts' layouts are the same for both. `CFSTR` makes strings of this library only: for a table's
/// own strings there is `CFStringCreateWithCString`. Both may be used on one thread, even in turn; there they are two run loops.
///
/// The original is loaded at run time, on the first call that asks for it. Nothing links it, and no header of it is needed.
#if !defined(CFRUNLOOPTABLE_H)
#define CFRUNLOOPTABLE_H 1

#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/ForFoundationOnly.h>

/// Everything in the table: ADDRESS(name) for what is called or pointed to (functions, and the callbacks for collections),
/// VALUE(type, name) for constants that are used by value. Both the struct and the filling of both tables come from this list, and
/// the prototypes from the headers. Not here: what no program calls on the table, what only one of the two has, and functions with
/// variable arguments, which Swift cannot call. A program that calls such a function calls ours on both sides.
#define CFRUNLOOP_TABLE(ADDRESS, VALUE)                                                                                 \
    /* The run loop and its items (CFRunLoop.h) */                                                                      \
    ADDRESS(CFRunLoopGetTypeID) ADDRESS(CFRunLoopGetCurrent) ADDRESS(CFRunLoopGetMain)                                  \
    ADDRESS(CFRunLoopCopyCurrentMode) ADDRESS(CFRunLoopCopyAllModes) ADDRESS(CFRunLoopAddCommonMode)                    \
    ADDRESS(CFRunLoopGetNextTimerFireDate) ADDRESS(CFRunLoopRun) ADDRESS(CFRunLoopRunInMode)                            \
    ADDRESS(CFRunLoopIsWaiting) ADDRESS(CFRunLoopWakeUp) ADDRESS(CFRunLoopStop) ADDRESS(CFRunLoopPerformBlock)          \
    ADDRESS(CFRunLoopContainsSource) ADDRESS(CFRunLoopAddSource) ADDRESS(CFRunLoopRemoveSource)                         \
    ADDRESS(CFRunLoopContainsObserver) ADDRESS(CFRunLoopAddObserver) ADDRESS(CFRunLoopRemoveObserver)                   \
    ADDRESS(CFRunLoopContainsTimer) ADDRESS(CFRunLoopAddTimer) ADDRESS(CFRunLoopRemoveTimer)                            \
    ADDRESS(CFRunLoopSourceGetTypeID) ADDRESS(CFRunLoopSourceCreate) ADDRESS(CFRunLoopSourceGetOrder)                   \
    ADDRESS(CFRunLoopSourceInvalidate) ADDRESS(CFRunLoopSourceIsValid) ADDRESS(CFRunLoopSourceGetContext)               \
    ADDRESS(CFRunLoopSourceSignal) ADDRESS(CFRunLoopObserverGetTypeID) ADDRESS(CFRunLoopObserverCreate)                 \
    ADDRESS(CFRunLoopObserverCreateWithHandler) ADDRESS(CFRunLoopObserverGetActivities)                                 \
    ADDRESS(CFRunLoopObserverDoesRepeat) ADDRESS(CFRunLoopObserverGetOrder) ADDRESS(CFRunLoopObserverInvalidate)        \
    ADDRESS(CFRunLoopObserverIsValid) ADDRESS(CFRunLoopObserverGetContext) ADDRESS(CFRunLoopTimerGetTypeID)             \
    ADDRESS(CFRunLoopTimerCreate) ADDRESS(CFRunLoopTimerCreateWithHandler) ADDRESS(CFRunLoopTimerGetNextFireDate)       \
    ADDRESS(CFRunLoopTimerSetNextFireDate) ADDRESS(CFRunLoopTimerGetInterval) ADDRESS(CFRunLoopTimerDoesRepeat)         \
    ADDRESS(CFRunLoopTimerGetOrder) ADDRESS(CFRunLoopTimerInvalidate) ADDRESS(CFRunLoopTimerIsValid)                    \
    ADDRESS(CFRunLoopTimerGetContext) ADDRESS(CFRunLoopTimerGetTolerance) ADDRESS(CFRunLoopTimerSetTolerance)           \
    /* What is exported for the layer above (ForFoundationOnly.h) */                                                    \
    ADDRESS(_CFRunLoopGet0) ADDRESS(_CFRunLoopGet0b) ADDRESS(_CFRunLoopGet1) ADDRESS(_CFRunLoopGet2)                    \
    ADDRESS(_CFRunLoopGet2b) ADDRESS(_CFRunLoopIsCurrent) ADDRESS(_CFRunLoopFinished) ADDRESS(_CFRunLoopStopMode)       \
    ADDRESS(CFRunLoopRunSpecific) ADDRESS(CFRunLoopSourceIsSignalled)                                                   \
    /* Objects and allocators (CFBase.h) */                                                                             \
    ADDRESS(CFGetTypeID) ADDRESS(CFCopyTypeIDDescription) ADDRESS(CFRetain) ADDRESS(CFRelease) ADDRESS(CFEqual)         \
    ADDRESS(CFHash) ADDRESS(CFCopyDescription)                                                                          \
    /* CFString.h */                                                                                                    \
    ADDRESS(CFStringGetTypeID) ADDRESS(CFStringCreateWithCString) ADDRESS(CFStringCreateMutable)                        \
    ADDRESS(CFStringGetCString) ADDRESS(CFStringAppend) ADDRESS(CFStringGetLength)                                      \
    ADDRESS(CFStringGetCharacterAtIndex) ADDRESS(CFStringCreateWithBytes) ADDRESS(CFStringCreateWithCharacters)         \
    ADDRESS(CFStringCreateWithFormatAndArguments) ADDRESS(CFStringCreateCopy) ADDRESS(CFStringCreateMutableCopy)        \
    ADDRESS(CFStringGetBytes) ADDRESS(CFStringGetMaximumSizeForEncoding)                                                \
    /* CFArray.h */                                                                                                     \
    ADDRESS(CFArrayCreate) ADDRESS(CFArrayGetCount) ADDRESS(CFArrayContainsValue) ADDRESS(CFArrayGetValueAtIndex)       \
    ADDRESS(CFArrayCreateMutable) ADDRESS(CFArrayCreateCopy) ADDRESS(CFArrayGetFirstIndexOfValue)                       \
    ADDRESS(CFArrayApplyFunction) ADDRESS(CFArrayAppendValue) ADDRESS(CFArrayInsertValueAtIndex)                        \
    ADDRESS(CFArrayRemoveValueAtIndex) ADDRESS(CFArrayRemoveAllValues)                                                  \
    /* CFSet.h */                                                                                                       \
    ADDRESS(CFSetCreate) ADDRESS(CFSetContainsValue) ADDRESS(CFSetApplyFunction)                                        \
    ADDRESS(CFSetCreateMutable) ADDRESS(CFSetCreateCopy) ADDRESS(CFSetGetCount) ADDRESS(CFSetGetValue)                  \
    ADDRESS(CFSetAddValue) ADDRESS(CFSetRemoveValue) ADDRESS(CFSetRemoveAllValues)                                      \
    /* CFBag.h and CFDictionary.h */                                                                                    \
    ADDRESS(CFBagCreateMutable) ADDRESS(CFBagGetCount) ADDRESS(CFBagApplyFunction) ADDRESS(CFBagAddValue)               \
    ADDRESS(CFBagRemoveValue)                                                                                           \
    ADDRESS(CFDictionaryCreateMutable) ADDRESS(CFDictionaryGetCount) ADDRESS(CFDictionaryContainsKey)                   \
    ADDRESS(CFDictionaryGetValue) ADDRESS(CFDictionaryApplyFunction) ADDRESS(CFDictionarySetValue)                      \
    ADDRESS(CFDictionaryRemoveValue) ADDRESS(CFDictionaryRemoveAllValues)                                               \
    /* CFDate.h */                                                                                                      \
    ADDRESS(CFAbsoluteTimeGetCurrent)                                                                                   \
    /* Callbacks for collections */                                                                                     \
    ADDRESS(kCFTypeArrayCallBacks) ADDRESS(kCFTypeSetCallBacks)                                                         \
    /* Constants */                                                                                                     \
    VALUE(CFRunLoopMode, kCFRunLoopDefaultMode) VALUE(CFRunLoopMode, kCFRunLoopCommonModes)                             \

#if defined(__swift__) // there the names are macros (CFSwiftNames.h); for Swift the fields have the plain names
#define CFRUNLOOP_TABLE_ADDRESS(name) __typeof__(CRL_##name) *CRL_##name __attribute__((swift_name(#name)));
#define CFRUNLOOP_TABLE_VALUE(type, name) type CRL_##name __attribute__((swift_name(#name)));
#else
#define CFRUNLOOP_TABLE_ADDRESS(name) __typeof__(name) *name;
#define CFRUNLOOP_TABLE_VALUE(type, name) type name;
#endif

/// A run loop's interface: a pointer to each function under the function's own name, and the constants.
typedef struct CFRunLoopTable {
    CFRUNLOOP_TABLE(CFRUNLOOP_TABLE_ADDRESS, CFRUNLOOP_TABLE_VALUE)
} CFRunLoopTable;

#undef CFRUNLOOP_TABLE_ADDRESS
#undef CFRUNLOOP_TABLE_VALUE

/// The table of this library. Never NULL; always the same; may be called from any thread.
const CFRunLoopTable *CFRunLoopTableOurs(void);

/// The table of the toolchain's CoreFoundation, loaded on the first call; always the same; may be called from any thread. NULL
/// where it cannot be loaded, or lacks something; then `*error` (`error` may be NULL) says why, in a string that lives as long as
/// the program.
///
/// libFoundation.so is looked for where the loader looks for libraries, the program's runpath included, and then in the toolchain
/// of each `swift` in PATH.
const CFRunLoopTable *CFRunLoopTableOriginal(const char **error);

/// The file that the original's table was loaded from; NULL if it could not be.
const char *CFRunLoopTableOriginalPath(void);

#endif
