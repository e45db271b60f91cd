/// CFRunLoopEmbedding.c: a run loop inside another event loop.
///
/// A mode's port set is an epoll instance, and an epoll instance can itself be waited for. Three
/// things a loop does only on its way to sleep must then be done at once, since its host sleeps in
/// its place: arming the timer port, keeping wake-ups, and having the main queue's port in the set:
/// see __CFRunLoopNotifyHosts. Nothing in the original (all versions) does this: on a Mac the
/// application's own event loop is a run loop already.

#include "CFRunLoop_Internal.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include "Names/CFRunLoopEmbedding.h"

/// Outside a run a loop ignores wake-ups; one that is embedded keeps them. The record that stands
/// for "no run" is the outermost. Call with rl locked.
static void __CFRunLoopKeepWakeUps(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    while (perRun->previous) perRun = perRun->previous;
    atomic_store(&perRun->ignoreWakeUps, 0);
}

/// Says why a mode cannot be embedded.
static __attribute__((cold)) void __CFRunLoopModeRefuseHost(CFRunLoopModeRef rlm, int error) {
    char name[256];
    if (!CFStringGetCString(rlm->_name, name, sizeof(name), kCFStringEncodingUTF8))
        strcpy(name, "?");
    __CFWarn("the mode %s of a run loop cannot be embedded: %s. CFRunLoopGetDescriptor returned "
             "-1. %s", name, strerror(error), error == EINVAL
                 ? "The kernel lets a loop have no more than 500 embedded modes."
                 : "The descriptor of a source in it is an epoll instance that holds others, and "
                   "the kernel nests them only a few deep.");
}

/// The host gets a set that holds the mode's port set, so that this can be made anew behind it, and
/// an eventfd for the work that a run leaves. False if the kernel does not allow it. Call with rl
/// and rlm locked.
static Boolean __CFRunLoopModeEmbed(CFRunLoopModeRef rlm) {
    if (rlm->_hostSet) return true;
    __CFPortSet hostSet = __CFPortSetAllocate();
    int error = __CFPortSetInsertSet(rlm->_portSet, hostSet);
    if (error) {
        __CFPortSetFree(hostSet);
        __CFRunLoopModeRefuseHost(rlm, error);
        return false;
    }
    rlm->_hostSet = hostSet;
    rlm->_hostEvent = __CFPortAllocate();
    __CFPortSetInsertOwn(rlm->_hostEvent, rlm->_hostSet);
    return true;
}

/// Wake-ups are kept from here on; but a source may have been signalled and the loop woken before,
/// so the look at what there is to do comes last.
int CFRunLoopGetDescriptor(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    int descriptor = -1;
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (rlm) {
        Boolean isNew = !rlm->_hostSet;
        if (__CFRunLoopModeEmbed(rlm)) descriptor = __CFPortSetGetDescriptor(rlm->_hostSet);
        __CFRunLoopModeUnlock(rlm);
        if (isNew && descriptor >= 0) {
            rl->_isHosted = true;
            __CFRunLoopKeepWakeUps(rl);
            __CFRunLoopNotifyHosts(rl);
        }
    }
    __CFRunLoopUnlock(rl);
    return descriptor;
}

/// A run that finds the mode empty ends before it looks at any port. What woke the host is then
/// dealt with here: a wake-up is received; and if the port set is still ready, it reports a
/// descriptor that nobody in the mode has, since the mode has none. Call with nothing locked.
static void __CFRunLoopReceiveForEmptyMode(CFRunLoopRef rl, CFStringRef modeName) {
    __CFRunLoopLock(rl);
    if (__CFPortIsReady(rl->_wakeUpPort)) __CFRunLoopReceiveWakeUp(rl);
    if (rl->_isHosted) __CFRunLoopNotifyHosts(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (rlm) {
        if (rlm->_hostSet && __CFPortIsReady(__CFPortSetGetDescriptor(rlm->_portSet)))
            __CFRunLoopModeRenewPortSet(rlm);
        __CFRunLoopModeUnlock(rlm);
    }
    __CFRunLoopUnlock(rl);
}

CFRunLoopRunResult CFRunLoopServe(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    CFRunLoopRunResult result = CFRunLoopRunSpecific(rl, modeName, 0.0, false);
    if (result == kCFRunLoopRunFinished) __CFRunLoopReceiveForEmptyMode(rl, modeName);
    return result;
}

/// Without the mark the run would take the main queue's message, and get nothing for it: the queue
/// is being served already, and the loop that serves it would sleep on with the rest.
CFRunLoopRunResult _CFRunLoopServeFromMainQueue(CFRunLoopRef rl, CFStringRef modeName) {
    void *mark = _CFGetTSD(__CFTSDKeyIsInGCDMainQ);
    _CFSetTSD(__CFTSDKeyIsInGCDMainQ, (void *)6, NULL);
    CFRunLoopRunResult result = CFRunLoopServe(rl, modeName);
    _CFSetTSD(__CFTSDKeyIsInGCDMainQ, mark, NULL);
    return result;
}
