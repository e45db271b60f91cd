/// CFFileDescriptor.h: a descriptor that a run loop watches for you.
///
/// The loop calls your function when the descriptor is ready to be read or written. Each call is a
/// single one: you enable the next one with CFFileDescriptorEnableCallBacks when you want it,
/// usually at the end of your function. A new CFFileDescriptor has no callback enabled.
///
/// The descriptor may be a pipe, a socket, a terminal, or anything else that epoll can wait for. A
/// file or a directory is always ready.
///
/// Threads: you may call every function on any thread. NULL instead of a CFFileDescriptor aborts
/// the program with a message. No lock is held while your function is called. A child of fork that
/// has not called exec shares what the loop waits for with its parent. There it may call
/// CFFileDescriptorGetNativeDescriptor and CFFileDescriptorIsValid. The other functions abort the
/// program with a message, and so does CFFileDescriptorInvalidate if there is a source.
///
/// CFFileDescriptor is part of a Mac's CoreFoundation. Neither the published sources (all) nor the
/// Linux build has it. Names and behaviour are those of Apple's documentation.
#if !defined(__COREFOUNDATION_CFFILEDESCRIPTOR__)
#define __COREFOUNDATION_CFFILEDESCRIPTOR__ 1

#include "CFBase.h"
#include "CFRunLoop.h"

CF_EXTERN_C_BEGIN

/// A descriptor.
typedef int CFFileDescriptorNativeDescriptor;
/// A descriptor that a run loop watches.
typedef struct CF_BRIDGED_MUTABLE_TYPE(id) __CFFileDescriptor *CFFileDescriptorRef;

/// The events that call your function.
CF_ENUM(CFOptionFlags) {
    /// There is something to read, or the other end has closed.
    kCFFileDescriptorReadCallBack = 1UL << 0,
    /// There is room to write, or the other end has closed.
    kCFFileDescriptorWriteCallBack = 1UL << 1
};

/// Your function. `callBackTypes` are the events that have happened. They are disabled now.
typedef void (*CFFileDescriptorCallBack)(CFFileDescriptorRef f, CFOptionFlags callBackTypes,
                                         void *info);

/// What your function gets as `info`. Every callback may be NULL. A `version` other than 0 aborts
/// the program with a message. `info` is released when the CFFileDescriptor is invalidated or, if
/// your function is running at that moment, after it has returned.
typedef struct {
    CFIndex version;
    void *info;
    void *(*retain)(void *info);
    void (*release)(void *info);
    CFStringRef (*copyDescription)(void *info);
} CFFileDescriptorContext;

/// Returns the type id of CFFileDescriptor.
CF_EXPORT CFTypeID CFFileDescriptorGetTypeID(void);
/// Creates a CFFileDescriptor, which the caller owns.
///
/// With `closeOnInvalidate`, CFFileDescriptorInvalidate closes the descriptor. The release of the
/// last reference invalidates. The context is copied; NULL means no info. One descriptor may have
/// several CFFileDescriptors, for example one for reading and one for writing.
///
/// Each CFFileDescriptor also opens a descriptor for itself. Returns NULL if none is left, if `fd`
/// is not open, or if `callout` is NULL.
CF_EXPORT CFFileDescriptorRef CFFileDescriptorCreate(CFAllocatorRef allocator,
                                                     CFFileDescriptorNativeDescriptor fd,
                                                     Boolean closeOnInvalidate,
                                                     CFFileDescriptorCallBack callout,
                                                     const CFFileDescriptorContext *context);
/// Returns the descriptor, or -1 if the CFFileDescriptor is invalid.
CF_EXPORT CFFileDescriptorNativeDescriptor
CFFileDescriptorGetNativeDescriptor(CFFileDescriptorRef f);
/// Copies the context into `context`. After the invalidation `info` is NULL.
///
/// Set `context->version` to 0 before the call. Any other version aborts the program with a
/// message.
CF_EXPORT void CFFileDescriptorGetContext(CFFileDescriptorRef f, CFFileDescriptorContext *context);
/// Enables callbacks, each for a single call. The change takes effect at once, in all loops.
///
/// Nothing happens if the CFFileDescriptor is invalid.
CF_EXPORT void CFFileDescriptorEnableCallBacks(CFFileDescriptorRef f, CFOptionFlags callBackTypes);
/// Disables callbacks.
CF_EXPORT void CFFileDescriptorDisableCallBacks(CFFileDescriptorRef f,
                                                CFOptionFlags callBackTypes);
/// Makes a CFFileDescriptor invalid: your function is never called again, and the source is
/// invalidated.
CF_EXPORT void CFFileDescriptorInvalidate(CFFileDescriptorRef f);
/// Returns whether a CFFileDescriptor is valid.
CF_EXPORT Boolean CFFileDescriptorIsValid(CFFileDescriptorRef f);
/// Returns the source of a CFFileDescriptor, for CFRunLoopAddSource. The caller releases it.
///
/// A CFFileDescriptor has one source: further calls return the same, retained, and ignore `order`.
/// Once it has a source, a CFFileDescriptor lives until it is invalidated, even if you release it.
/// Returns NULL if the CFFileDescriptor is invalid.
CF_EXPORT CFRunLoopSourceRef CFFileDescriptorCreateRunLoopSource(CFAllocatorRef allocator,
                                                                 CFFileDescriptorRef f,
                                                                 CFIndex order);

CF_EXTERN_C_END

#endif
