/// CFSwiftNames.h: what C calls the declarations of the public headers while Swift reads them.
///
/// A program may import CoreFoundation (or Foundation) in one file, and SwiftRunLoop or CRunLoop in
/// another. Swift then reads both modules' headers. C has a single namespace, so there cannot be
/// two types called CFRange. So our declarations have a prefix while Swift's importer reads them
/// (it defines `__swift__`). In Swift, where each module has its own namespace, they have their
/// plain names: functions and variables by an attribute, the others by CRunLoop.apinotes.
///
/// The types of objects keep a name with CRL in it, such as CRLRunLoopRef. The importer takes a
/// type called CFRunLoopRef for a class, and retains it with Swift's runtime, which does not know
/// our objects. With the other name, CRunLoop.apinotes decides: run loops, sources, observers and
/// timers are references, which Swift retains and releases by functions of this library
/// (_CFRunLoopRetain); all others are pointers. The structs are complete while Swift reads them, so
/// that pointers to different ones have different types. (A pointer to an incomplete struct is
/// always an OpaquePointer.)
///
/// Written by Scripts/linker-names.
#if !defined(__COREFOUNDATION_CFSWIFTNAMES__)
#define __COREFOUNDATION_CFSWIFTNAMES__ 1

#define CF_SWIFT_NAMED(name, arguments) __attribute__((swift_name(#name arguments))) CRL_##name

/// A function that takes the name of a mode. To Swift, a string is a pointer, and a function that
/// takes one is unsafe. These take objects and numbers, and no memory.
#define CF_SWIFT_SAFE __attribute__((swift_attr("@safe")))

#define Boolean CRL_Boolean
#define CFAbsoluteTime CRL_CFAbsoluteTime
#define CFAbsoluteTimeGetCurrent CF_SWIFT_NAMED(CFAbsoluteTimeGetCurrent, "()")
#define CFAllocatorGetDefault CF_SWIFT_NAMED(CFAllocatorGetDefault, "()")
#define CFAllocatorGetTypeID CF_SWIFT_NAMED(CFAllocatorGetTypeID, "()")
#define CFAllocatorRef CRLAllocatorRef
#define CFArrayAppendValue CF_SWIFT_NAMED(CFArrayAppendValue, "(_:_:)")
#define CFArrayApplierFunction CRL_CFArrayApplierFunction
#define CFArrayApplyFunction CF_SWIFT_NAMED(CFArrayApplyFunction, "(_:_:_:_:)")
#define CFArrayCallBacks CRL_CFArrayCallBacks
#define CFArrayContainsValue CF_SWIFT_NAMED(CFArrayContainsValue, "(_:_:_:)")
#define CFArrayCopyDescriptionCallBack CRL_CFArrayCopyDescriptionCallBack
#define CFArrayCreate CF_SWIFT_NAMED(CFArrayCreate, "(_:_:_:_:)")
#define CFArrayCreateCopy CF_SWIFT_NAMED(CFArrayCreateCopy, "(_:_:)")
#define CFArrayCreateMutable CF_SWIFT_NAMED(CFArrayCreateMutable, "(_:_:_:)")
#define CFArrayEqualCallBack CRL_CFArrayEqualCallBack
#define CFArrayGetCount CF_SWIFT_NAMED(CFArrayGetCount, "(_:)")
#define CFArrayGetFirstIndexOfValue CF_SWIFT_NAMED(CFArrayGetFirstIndexOfValue, "(_:_:_:)")
#define CFArrayGetTypeID CF_SWIFT_NAMED(CFArrayGetTypeID, "()")
#define CFArrayGetValueAtIndex CF_SWIFT_NAMED(CFArrayGetValueAtIndex, "(_:_:)")
#define CFArrayGetValues CF_SWIFT_NAMED(CFArrayGetValues, "(_:_:_:)")
#define CFArrayInsertValueAtIndex CF_SWIFT_NAMED(CFArrayInsertValueAtIndex, "(_:_:_:)")
#define CFArrayRef CRLArrayRef
#define CFArrayReleaseCallBack CRL_CFArrayReleaseCallBack
#define CFArrayRemoveAllValues CF_SWIFT_NAMED(CFArrayRemoveAllValues, "(_:)")
#define CFArrayRemoveValueAtIndex CF_SWIFT_NAMED(CFArrayRemoveValueAtIndex, "(_:_:)")
#define CFArrayRetainCallBack CRL_CFArrayRetainCallBack
#define CFAutorelease CF_SWIFT_NAMED(CFAutorelease, "(_:)")
#define CFBagAddValue CF_SWIFT_NAMED(CFBagAddValue, "(_:_:)")
#define CFBagApplierFunction CRL_CFBagApplierFunction
#define CFBagApplyFunction CF_SWIFT_NAMED(CFBagApplyFunction, "(_:_:_:)")
#define CFBagCallBacks CRL_CFBagCallBacks
#define CFBagCopyDescriptionCallBack CRL_CFBagCopyDescriptionCallBack
#define CFBagCreateMutable CF_SWIFT_NAMED(CFBagCreateMutable, "(_:_:_:)")
#define CFBagEqualCallBack CRL_CFBagEqualCallBack
#define CFBagGetCount CF_SWIFT_NAMED(CFBagGetCount, "(_:)")
#define CFBagGetTypeID CF_SWIFT_NAMED(CFBagGetTypeID, "()")
#define CFBagHashCallBack CRL_CFBagHashCallBack
#define CFBagRef CRLBagRef
#define CFBagReleaseCallBack CRL_CFBagReleaseCallBack
#define CFBagRemoveValue CF_SWIFT_NAMED(CFBagRemoveValue, "(_:_:)")
#define CFBagRetainCallBack CRL_CFBagRetainCallBack
#define CFCopyDescription CF_SWIFT_NAMED(CFCopyDescription, "(_:)")
#define CFCopyTypeIDDescription CF_SWIFT_NAMED(CFCopyTypeIDDescription, "(_:)")
#define CFDictionaryApplierFunction CRL_CFDictionaryApplierFunction
#define CFDictionaryApplyFunction CF_SWIFT_NAMED(CFDictionaryApplyFunction, "(_:_:_:)")
#define CFDictionaryContainsKey CF_SWIFT_NAMED(CFDictionaryContainsKey, "(_:_:)")
#define CFDictionaryCopyDescriptionCallBack CRL_CFDictionaryCopyDescriptionCallBack
#define CFDictionaryCreateMutable CF_SWIFT_NAMED(CFDictionaryCreateMutable, "(_:_:_:_:)")
#define CFDictionaryEqualCallBack CRL_CFDictionaryEqualCallBack
#define CFDictionaryGetCount CF_SWIFT_NAMED(CFDictionaryGetCount, "(_:)")
#define CFDictionaryGetTypeID CF_SWIFT_NAMED(CFDictionaryGetTypeID, "()")
#define CFDictionaryGetValue CF_SWIFT_NAMED(CFDictionaryGetValue, "(_:_:)")
#define CFDictionaryHashCallBack CRL_CFDictionaryHashCallBack
#define CFDictionaryKeyCallBacks CRL_CFDictionaryKeyCallBacks
#define CFDictionaryRef CRLDictionaryRef
#define CFDictionaryReleaseCallBack CRL_CFDictionaryReleaseCallBack
#define CFDictionaryRemoveAllValues CF_SWIFT_NAMED(CFDictionaryRemoveAllValues, "(_:)")
#define CFDictionaryRemoveValue CF_SWIFT_NAMED(CFDictionaryRemoveValue, "(_:_:)")
#define CFDictionaryRetainCallBack CRL_CFDictionaryRetainCallBack
#define CFDictionarySetValue CF_SWIFT_NAMED(CFDictionarySetValue, "(_:_:_:)")
#define CFDictionaryValueCallBacks CRL_CFDictionaryValueCallBacks
#define CFEqual CF_SWIFT_NAMED(CFEqual, "(_:_:)")
#define CFEventDescriptorClear CF_SWIFT_NAMED(CFEventDescriptorClear, "(_:)")
#define CFEventDescriptorCreate CF_SWIFT_NAMED(CFEventDescriptorCreate, "(_:)")
#define CFEventDescriptorSet CF_SWIFT_NAMED(CFEventDescriptorSet, "(_:)")
#define CFGetAllocator CF_SWIFT_NAMED(CFGetAllocator, "(_:)")
#define CFGetRetainCount CF_SWIFT_NAMED(CFGetRetainCount, "(_:)")
#define CFGetTypeID CF_SWIFT_NAMED(CFGetTypeID, "(_:)")
#define CFHash CF_SWIFT_NAMED(CFHash, "(_:)")
#define CFMutableArrayRef CRLMutableArrayRef
#define CFMutableBagRef CRLMutableBagRef
#define CFMutableDictionaryRef CRLMutableDictionaryRef
#define CFMutableSetRef CRLMutableSetRef
#define CFMutableStringRef CRLMutableStringRef
#define CFRange CRL_CFRange
#define CFRangeMake CF_SWIFT_NAMED(CFRangeMake, "(_:_:)")
#define CFRelease CF_SWIFT_NAMED(CFRelease, "(_:)")
#define CFRetain CF_SWIFT_NAMED(CFRetain, "(_:)")
#define CFRunLoopActivity CRL_CFRunLoopActivity
#define CFRunLoopAddCommonMode CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopAddCommonMode, "(_:_:)")
#define CFRunLoopAddObserver CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopAddObserver, "(_:_:_:)")
#define CFRunLoopAddSource CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopAddSource, "(_:_:_:)")
#define CFRunLoopAddTimer CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopAddTimer, "(_:_:_:)")
#define CFRunLoopContainsObserver \
    CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopContainsObserver, "(_:_:_:)")
#define CFRunLoopContainsSource CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopContainsSource, "(_:_:_:)")
#define CFRunLoopContainsTimer CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopContainsTimer, "(_:_:_:)")
#define CFRunLoopCopyAllModes CF_SWIFT_NAMED(CFRunLoopCopyAllModes, "(_:)")
#define CFRunLoopCopyCurrentMode CF_SWIFT_NAMED(CFRunLoopCopyCurrentMode, "(_:)")
#define CFRunLoopGetCurrent CF_SWIFT_NAMED(CFRunLoopGetCurrent, "()")
#define CFRunLoopGetDescriptor CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopGetDescriptor, "(_:_:)")
#define CFRunLoopGetMain CF_SWIFT_NAMED(CFRunLoopGetMain, "()")
#define CFRunLoopGetNextTimerFireDate \
    CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopGetNextTimerFireDate, "(_:_:)")
#define CFRunLoopGetTypeID CF_SWIFT_NAMED(CFRunLoopGetTypeID, "()")
#define CFRunLoopIsWaiting CF_SWIFT_NAMED(CFRunLoopIsWaiting, "(_:)")
#define CFRunLoopMode CRL_CFRunLoopMode
#define CFRunLoopObserverCallBack CRL_CFRunLoopObserverCallBack
#define CFRunLoopObserverContext CRL_CFRunLoopObserverContext
#define CFRunLoopObserverCreate CF_SWIFT_NAMED(CFRunLoopObserverCreate, "(_:_:_:_:_:_:)")
#define CFRunLoopObserverCreateWithHandler \
    CF_SWIFT_NAMED(CFRunLoopObserverCreateWithHandler, "(_:_:_:_:_:)")
#define CFRunLoopObserverDoesRepeat CF_SWIFT_NAMED(CFRunLoopObserverDoesRepeat, "(_:)")
#define CFRunLoopObserverGetActivities CF_SWIFT_NAMED(CFRunLoopObserverGetActivities, "(_:)")
#define CFRunLoopObserverGetContext CF_SWIFT_NAMED(CFRunLoopObserverGetContext, "(_:_:)")
#define CFRunLoopObserverGetOrder CF_SWIFT_NAMED(CFRunLoopObserverGetOrder, "(_:)")
#define CFRunLoopObserverGetTypeID CF_SWIFT_NAMED(CFRunLoopObserverGetTypeID, "()")
#define CFRunLoopObserverInvalidate CF_SWIFT_NAMED(CFRunLoopObserverInvalidate, "(_:)")
#define CFRunLoopObserverIsValid CF_SWIFT_NAMED(CFRunLoopObserverIsValid, "(_:)")
#define CFRunLoopObserverRef CRLRunLoopObserverRef
#define CFRunLoopPerformBlock CF_SWIFT_NAMED(CFRunLoopPerformBlock, "(_:_:_:)")
#define CFRunLoopRef CRLRunLoopRef
#define CFRunLoopRemoveObserver CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopRemoveObserver, "(_:_:_:)")
#define CFRunLoopRemoveSource CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopRemoveSource, "(_:_:_:)")
#define CFRunLoopRemoveTimer CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopRemoveTimer, "(_:_:_:)")
#define CFRunLoopRun CF_SWIFT_NAMED(CFRunLoopRun, "()")
#define CFRunLoopRunInMode CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopRunInMode, "(_:_:_:)")
#define CFRunLoopRunResult CRL_CFRunLoopRunResult
#define CFRunLoopRunSpecific CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopRunSpecific, "(_:_:_:_:)")
#define CFRunLoopServe CF_SWIFT_SAFE CF_SWIFT_NAMED(CFRunLoopServe, "(_:_:)")
#define CFRunLoopSourceContext CRL_CFRunLoopSourceContext
#define CFRunLoopSourceContext1 CRL_CFRunLoopSourceContext1
#define CFRunLoopSourceCreate CF_SWIFT_NAMED(CFRunLoopSourceCreate, "(_:_:_:)")
#define CFRunLoopSourceGetContext CF_SWIFT_NAMED(CFRunLoopSourceGetContext, "(_:_:)")
#define CFRunLoopSourceGetOrder CF_SWIFT_NAMED(CFRunLoopSourceGetOrder, "(_:)")
#define CFRunLoopSourceGetTypeID CF_SWIFT_NAMED(CFRunLoopSourceGetTypeID, "()")
#define CFRunLoopSourceInvalidate CF_SWIFT_NAMED(CFRunLoopSourceInvalidate, "(_:)")
#define CFRunLoopSourceIsSignalled CF_SWIFT_NAMED(CFRunLoopSourceIsSignalled, "(_:)")
#define CFRunLoopSourceIsValid CF_SWIFT_NAMED(CFRunLoopSourceIsValid, "(_:)")
#define CFRunLoopSourceRef CRLRunLoopSourceRef
#define CFRunLoopSourceSetWatchEvents CF_SWIFT_NAMED(CFRunLoopSourceSetWatchEvents, "(_:_:)")
#define CFRunLoopSourceSignal CF_SWIFT_NAMED(CFRunLoopSourceSignal, "(_:)")
#define CFRunLoopStop CF_SWIFT_NAMED(CFRunLoopStop, "(_:)")
#define CFRunLoopTimerCallBack CRL_CFRunLoopTimerCallBack
#define CFRunLoopTimerContext CRL_CFRunLoopTimerContext
#define CFRunLoopTimerCreate CF_SWIFT_NAMED(CFRunLoopTimerCreate, "(_:_:_:_:_:_:_:)")
#define CFRunLoopTimerCreateWithHandler \
    CF_SWIFT_NAMED(CFRunLoopTimerCreateWithHandler, "(_:_:_:_:_:_:)")
#define CFRunLoopTimerDoesRepeat CF_SWIFT_NAMED(CFRunLoopTimerDoesRepeat, "(_:)")
#define CFRunLoopTimerGetContext CF_SWIFT_NAMED(CFRunLoopTimerGetContext, "(_:_:)")
#define CFRunLoopTimerGetInterval CF_SWIFT_NAMED(CFRunLoopTimerGetInterval, "(_:)")
#define CFRunLoopTimerGetNextFireDate CF_SWIFT_NAMED(CFRunLoopTimerGetNextFireDate, "(_:)")
#define CFRunLoopTimerGetOrder CF_SWIFT_NAMED(CFRunLoopTimerGetOrder, "(_:)")
#define CFRunLoopTimerGetTolerance CF_SWIFT_NAMED(CFRunLoopTimerGetTolerance, "(_:)")
#define CFRunLoopTimerGetTypeID CF_SWIFT_NAMED(CFRunLoopTimerGetTypeID, "()")
#define CFRunLoopTimerInvalidate CF_SWIFT_NAMED(CFRunLoopTimerInvalidate, "(_:)")
#define CFRunLoopTimerIsValid CF_SWIFT_NAMED(CFRunLoopTimerIsValid, "(_:)")
#define CFRunLoopTimerRef CRLRunLoopTimerRef
#define CFRunLoopTimerSetNextFireDate CF_SWIFT_NAMED(CFRunLoopTimerSetNextFireDate, "(_:_:)")
#define CFRunLoopTimerSetTolerance CF_SWIFT_NAMED(CFRunLoopTimerSetTolerance, "(_:_:)")
#define CFRunLoopTraceCallout CRL_CFRunLoopTraceCallout
#define CFRunLoopTraceCopyAllLoops CF_SWIFT_NAMED(CFRunLoopTraceCopyAllLoops, "()")
#define CFRunLoopTraceEvent CRL_CFRunLoopTraceEvent
#define CFRunLoopTraceGetState CF_SWIFT_NAMED(CFRunLoopTraceGetState, "(_:_:)")
#define CFRunLoopTraceGetTimers CF_SWIFT_NAMED(CFRunLoopTraceGetTimers, "(_:_:_:)")
#define CFRunLoopTraceHook CRL_CFRunLoopTraceHook
#define CFRunLoopTraceKind CRL_CFRunLoopTraceKind
#define CFRunLoopTraceReason CRL_CFRunLoopTraceReason
#define CFRunLoopTraceReplaceHook CF_SWIFT_NAMED(CFRunLoopTraceReplaceHook, "(_:_:)")
#define CFRunLoopTraceState CRL_CFRunLoopTraceState
#define CFRunLoopTraceTimerState CRL_CFRunLoopTraceTimerState
#define CFRunLoopWakeUp CF_SWIFT_NAMED(CFRunLoopWakeUp, "(_:)")
#define CFSetAddValue CF_SWIFT_NAMED(CFSetAddValue, "(_:_:)")
#define CFSetApplierFunction CRL_CFSetApplierFunction
#define CFSetApplyFunction CF_SWIFT_NAMED(CFSetApplyFunction, "(_:_:_:)")
#define CFSetCallBacks CRL_CFSetCallBacks
#define CFSetContainsValue CF_SWIFT_NAMED(CFSetContainsValue, "(_:_:)")
#define CFSetCopyDescriptionCallBack CRL_CFSetCopyDescriptionCallBack
#define CFSetCreate CF_SWIFT_NAMED(CFSetCreate, "(_:_:_:_:)")
#define CFSetCreateCopy CF_SWIFT_NAMED(CFSetCreateCopy, "(_:_:)")
#define CFSetCreateMutable CF_SWIFT_NAMED(CFSetCreateMutable, "(_:_:_:)")
#define CFSetEqualCallBack CRL_CFSetEqualCallBack
#define CFSetGetCount CF_SWIFT_NAMED(CFSetGetCount, "(_:)")
#define CFSetGetTypeID CF_SWIFT_NAMED(CFSetGetTypeID, "()")
#define CFSetGetValue CF_SWIFT_NAMED(CFSetGetValue, "(_:_:)")
#define CFSetGetValues CF_SWIFT_NAMED(CFSetGetValues, "(_:_:)")
#define CFSetHashCallBack CRL_CFSetHashCallBack
#define CFSetRef CRLSetRef
#define CFSetReleaseCallBack CRL_CFSetReleaseCallBack
#define CFSetRemoveAllValues CF_SWIFT_NAMED(CFSetRemoveAllValues, "(_:)")
#define CFSetRemoveValue CF_SWIFT_NAMED(CFSetRemoveValue, "(_:_:)")
#define CFSetRetainCallBack CRL_CFSetRetainCallBack
#define CFShow CF_SWIFT_NAMED(CFShow, "(_:)")
#define CFStringAppend CF_SWIFT_NAMED(CFStringAppend, "(_:_:)")
#define CFStringAppendFormat CF_SWIFT_NAMED(CFStringAppendFormat, "(_:_:_:)")
#define CFStringBuiltInEncodings CRL_CFStringBuiltInEncodings
#define CFStringCreateCopy CF_SWIFT_NAMED(CFStringCreateCopy, "(_:_:)")
#define CFStringCreateMutable CF_SWIFT_NAMED(CFStringCreateMutable, "(_:_:)")
#define CFStringCreateMutableCopy CF_SWIFT_NAMED(CFStringCreateMutableCopy, "(_:_:_:)")
#define CFStringCreateWithBytes CF_SWIFT_NAMED(CFStringCreateWithBytes, "(_:_:_:_:_:)")
#define CFStringCreateWithCString CF_SWIFT_NAMED(CFStringCreateWithCString, "(_:_:_:)")
#define CFStringCreateWithCharacters CF_SWIFT_NAMED(CFStringCreateWithCharacters, "(_:_:_:)")
#define CFStringCreateWithFormat CF_SWIFT_NAMED(CFStringCreateWithFormat, "(_:_:_:)")
#define CFStringCreateWithFormatAndArguments \
    CF_SWIFT_NAMED(CFStringCreateWithFormatAndArguments, "(_:_:_:_:)")
#define CFStringEncoding CRL_CFStringEncoding
#define CFStringGetBytes CF_SWIFT_NAMED(CFStringGetBytes, "(_:_:_:_:_:_:_:_:)")
#define CFStringGetCString CF_SWIFT_NAMED(CFStringGetCString, "(_:_:_:_:)")
#define CFStringGetCStringPtr CF_SWIFT_NAMED(CFStringGetCStringPtr, "(_:_:)")
#define CFStringGetCharacterAtIndex CF_SWIFT_NAMED(CFStringGetCharacterAtIndex, "(_:_:)")
#define CFStringGetCharacters CF_SWIFT_NAMED(CFStringGetCharacters, "(_:_:_:)")
#define CFStringGetLength CF_SWIFT_NAMED(CFStringGetLength, "(_:)")
#define CFStringGetLongCharacterForSurrogatePair \
    CF_SWIFT_NAMED(CFStringGetLongCharacterForSurrogatePair, "(_:_:)")
#define CFStringGetMaximumSizeForEncoding \
    CF_SWIFT_NAMED(CFStringGetMaximumSizeForEncoding, "(_:_:)")
#define CFStringGetTypeID CF_SWIFT_NAMED(CFStringGetTypeID, "()")
#define CFStringIsSurrogateHighCharacter CF_SWIFT_NAMED(CFStringIsSurrogateHighCharacter, "(_:)")
#define CFStringIsSurrogateLowCharacter CF_SWIFT_NAMED(CFStringIsSurrogateLowCharacter, "(_:)")
#define CFStringRef CRLStringRef
#define CFTimeInterval CRL_CFTimeInterval
#define CFTwinCallBacks CRL_CFTwinCallBacks
#define CFTypeRef CRLTypeRef
#define CFWatchEvents CRL_CFWatchEvents
#define CFWatchGetEvents CF_SWIFT_NAMED(CFWatchGetEvents, "(_:_:)")
#define CFWatchIsPossible CF_SWIFT_NAMED(CFWatchIsPossible, "(_:)")
#define _CFAutoreleasePoolPop CF_SWIFT_NAMED(_CFAutoreleasePoolPop, "(_:)")
#define _CFAutoreleasePoolPush CF_SWIFT_NAMED(_CFAutoreleasePoolPush, "()")
#define _CFCopyClosureDescription CF_SWIFT_NAMED(_CFCopyClosureDescription, "(_:)")
#define _CFGetNameOfFunction CF_SWIFT_NAMED(_CFGetNameOfFunction, "(_:_:)")
#define _CFGetTwin CF_SWIFT_NAMED(_CFGetTwin, "(_:)")
#define _CFIsMainThread CF_SWIFT_NAMED(_CFIsMainThread, "()")
#define _CFMainThreadHasEnded CF_SWIFT_NAMED(_CFMainThreadHasEnded, "()")
#define _CFRemoveTwin CF_SWIFT_NAMED(_CFRemoveTwin, "(_:)")
#define _CFRunLoopFinished CF_SWIFT_SAFE CF_SWIFT_NAMED(_CFRunLoopFinished, "(_:_:)")
#define _CFRunLoopGet0 CF_SWIFT_NAMED(_CFRunLoopGet0, "(_:)")
#define _CFRunLoopGet0b CF_SWIFT_NAMED(_CFRunLoopGet0b, "(_:)")
#define _CFRunLoopGet1 CF_SWIFT_NAMED(_CFRunLoopGet1, "(_:)")
#define _CFRunLoopGet2 CF_SWIFT_NAMED(_CFRunLoopGet2, "(_:)")
#define _CFRunLoopGet2b CF_SWIFT_NAMED(_CFRunLoopGet2b, "(_:)")
#define _CFRunLoopGetDepth CF_SWIFT_NAMED(_CFRunLoopGetDepth, "()")
#define _CFRunLoopGetDescriptorForMainQueue \
    CF_SWIFT_SAFE CF_SWIFT_NAMED(_CFRunLoopGetDescriptorForMainQueue, "(_:_:)")
#define _CFRunLoopHasEnded CF_SWIFT_NAMED(_CFRunLoopHasEnded, "(_:)")
#define _CFRunLoopIsCurrent CF_SWIFT_NAMED(_CFRunLoopIsCurrent, "(_:)")
#define _CFRunLoopObserverRelease CF_SWIFT_NAMED(_CFRunLoopObserverRelease, "(_:)")
#define _CFRunLoopObserverRetain CF_SWIFT_NAMED(_CFRunLoopObserverRetain, "(_:)")
#define _CFRunLoopRelease CF_SWIFT_NAMED(_CFRunLoopRelease, "(_:)")
#define _CFRunLoopRetain CF_SWIFT_NAMED(_CFRunLoopRetain, "(_:)")
#define _CFRunLoopServeFromMainQueue \
    CF_SWIFT_SAFE CF_SWIFT_NAMED(_CFRunLoopServeFromMainQueue, "(_:_:)")
#define _CFRunLoopSourceRelease CF_SWIFT_NAMED(_CFRunLoopSourceRelease, "(_:)")
#define _CFRunLoopSourceRetain CF_SWIFT_NAMED(_CFRunLoopSourceRetain, "(_:)")
#define _CFRunLoopStopMode CF_SWIFT_SAFE CF_SWIFT_NAMED(_CFRunLoopStopMode, "(_:_:)")
#define _CFRunLoopTimerRelease CF_SWIFT_NAMED(_CFRunLoopTimerRelease, "(_:)")
#define _CFRunLoopTimerRetain CF_SWIFT_NAMED(_CFRunLoopTimerRetain, "(_:)")
#define _CFSetTwin CF_SWIFT_NAMED(_CFSetTwin, "(_:_:_:)")
#define _CFThreadGetKernelName CF_SWIFT_NAMED(_CFThreadGetKernelName, "(_:_:_:)")
#define _CFThreadSetName CF_SWIFT_NAMED(_CFThreadSetName, "(_:_:)")
#define __CFAllocator CRL___CFAllocator
#define __CFArray CRL___CFArray
#define __CFBag CRL___CFBag
#define __CFConstStr CRL___CFConstStr
#define __CFDictionary CRL___CFDictionary
#define __CFPort CRL___CFPort
#define __CFRunLoop CRL___CFRunLoop
#define __CFRunLoopDump CF_SWIFT_NAMED(__CFRunLoopDump, "()")
#define __CFRunLoopObserver CRL___CFRunLoopObserver
#define __CFRunLoopSource CRL___CFRunLoopSource
#define __CFRunLoopTimer CRL___CFRunLoopTimer
#define __CFRuntimeClass CRL___CFRuntimeClass
#define __CFSet CRL___CFSet
#define __CFString CRL___CFString
#define __CFStringClass CF_SWIFT_NAMED(__CFStringClass, "")
#define __CF_ENUM_CFRunLoopRunResult CRL___CF_ENUM_CFRunLoopRunResult
#define __CF_ENUM_CFRunLoopTraceCallout CRL___CF_ENUM_CFRunLoopTraceCallout
#define __CF_ENUM_CFRunLoopTraceKind CRL___CF_ENUM_CFRunLoopTraceKind
#define __CF_ENUM_CFRunLoopTraceReason CRL___CF_ENUM_CFRunLoopTraceReason
#define __CF_ENUM_CFStringBuiltInEncodings CRL___CF_ENUM_CFStringBuiltInEncodings
#define __CF_OPTIONS_CFRunLoopActivity CRL___CF_OPTIONS_CFRunLoopActivity
#define __CF_OPTIONS_CFWatchEvents CRL___CF_OPTIONS_CFWatchEvents
#define kCFAbsoluteTimeIntervalSince1970 CF_SWIFT_NAMED(kCFAbsoluteTimeIntervalSince1970, "")
#define kCFAllocatorDefault CF_SWIFT_NAMED(kCFAllocatorDefault, "")
#define kCFAllocatorSystemDefault CF_SWIFT_NAMED(kCFAllocatorSystemDefault, "")
#define kCFNotFound CF_SWIFT_NAMED(kCFNotFound, "")
#define kCFRunLoopAfterWaiting CRL_kCFRunLoopAfterWaiting
#define kCFRunLoopAllActivities CRL_kCFRunLoopAllActivities
#define kCFRunLoopBeforeSources CRL_kCFRunLoopBeforeSources
#define kCFRunLoopBeforeTimers CRL_kCFRunLoopBeforeTimers
#define kCFRunLoopBeforeWaiting CRL_kCFRunLoopBeforeWaiting
#define kCFRunLoopCommonModes CF_SWIFT_NAMED(kCFRunLoopCommonModes, "")
#define kCFRunLoopDefaultMode CF_SWIFT_NAMED(kCFRunLoopDefaultMode, "")
#define kCFRunLoopEntry CRL_kCFRunLoopEntry
#define kCFRunLoopExit CRL_kCFRunLoopExit
#define kCFRunLoopRunFinished CRL_kCFRunLoopRunFinished
#define kCFRunLoopRunHandledSource CRL_kCFRunLoopRunHandledSource
#define kCFRunLoopRunStopped CRL_kCFRunLoopRunStopped
#define kCFRunLoopRunTimedOut CRL_kCFRunLoopRunTimedOut
#define kCFRunLoopTraceBlock CRL_kCFRunLoopTraceBlock
#define kCFRunLoopTraceCalloutBegins CRL_kCFRunLoopTraceCalloutBegins
#define kCFRunLoopTraceCalloutEnds CRL_kCFRunLoopTraceCalloutEnds
#define kCFRunLoopTraceDispatchPort CRL_kCFRunLoopTraceDispatchPort
#define kCFRunLoopTraceMainQueue CRL_kCFRunLoopTraceMainQueue
#define kCFRunLoopTraceModeChanges CRL_kCFRunLoopTraceModeChanges
#define kCFRunLoopTraceNotYet CRL_kCFRunLoopTraceNotYet
#define kCFRunLoopTraceNothing CRL_kCFRunLoopTraceNothing
#define kCFRunLoopTraceObserver CRL_kCFRunLoopTraceObserver
#define kCFRunLoopTracePolls CRL_kCFRunLoopTracePolls
#define kCFRunLoopTraceRunBegins CRL_kCFRunLoopTraceRunBegins
#define kCFRunLoopTraceRunEnds CRL_kCFRunLoopTraceRunEnds
#define kCFRunLoopTraceServes CRL_kCFRunLoopTraceServes
#define kCFRunLoopTraceSleeps CRL_kCFRunLoopTraceSleeps
#define kCFRunLoopTraceSource0 CRL_kCFRunLoopTraceSource0
#define kCFRunLoopTraceSource1 CRL_kCFRunLoopTraceSource1
#define kCFRunLoopTraceSourcePort CRL_kCFRunLoopTraceSourcePort
#define kCFRunLoopTraceSourceSignalled CRL_kCFRunLoopTraceSourceSignalled
#define kCFRunLoopTraceStepBegins CRL_kCFRunLoopTraceStepBegins
#define kCFRunLoopTraceStopSent CRL_kCFRunLoopTraceStopSent
#define kCFRunLoopTraceTimeout CRL_kCFRunLoopTraceTimeout
#define kCFRunLoopTraceTimer CRL_kCFRunLoopTraceTimer
#define kCFRunLoopTraceTimerArmed CRL_kCFRunLoopTraceTimerArmed
#define kCFRunLoopTraceTimerCreated CRL_kCFRunLoopTraceTimerCreated
#define kCFRunLoopTraceTimerPort CRL_kCFRunLoopTraceTimerPort
#define kCFRunLoopTraceTimerRescheduled CRL_kCFRunLoopTraceTimerRescheduled
#define kCFRunLoopTraceWakeUpLeftOut CRL_kCFRunLoopTraceWakeUpLeftOut
#define kCFRunLoopTraceWakeUpSent CRL_kCFRunLoopTraceWakeUpSent
#define kCFRunLoopTraceWakes CRL_kCFRunLoopTraceWakes
#define kCFRunLoopTraceWokenUp CRL_kCFRunLoopTraceWokenUp
#define kCFStringEncodingASCII CRL_kCFStringEncodingASCII
#define kCFStringEncodingUTF8 CRL_kCFStringEncodingUTF8
#define kCFTypeArrayCallBacks CF_SWIFT_NAMED(kCFTypeArrayCallBacks, "")
#define kCFTypeBagCallBacks CF_SWIFT_NAMED(kCFTypeBagCallBacks, "")
#define kCFTypeDictionaryKeyCallBacks CF_SWIFT_NAMED(kCFTypeDictionaryKeyCallBacks, "")
#define kCFTypeDictionaryValueCallBacks CF_SWIFT_NAMED(kCFTypeDictionaryValueCallBacks, "")
#define kCFTypeSetCallBacks CF_SWIFT_NAMED(kCFTypeSetCallBacks, "")
#define kCFWatchHangUp CRL_kCFWatchHangUp
#define kCFWatchReadable CRL_kCFWatchReadable
#define kCFWatchWritable CRL_kCFWatchWritable
#define pthread_main_thread_np CF_SWIFT_NAMED(pthread_main_thread_np, "()")

struct __CFAllocator {
    void *_private;
};
struct __CFArray {
    void *_private;
};
struct __CFBag {
    void *_private;
};
struct __CFDictionary {
    void *_private;
};
struct __CFRunLoop {
    void *_private;
};
struct __CFRunLoopObserver {
    void *_private;
};
struct __CFRunLoopSource {
    void *_private;
};
struct __CFRunLoopTimer {
    void *_private;
};
struct __CFRuntimeClass {
    void *_private;
};
struct __CFSet {
    void *_private;
};
struct __CFString {
    void *_private;
};

#endif
