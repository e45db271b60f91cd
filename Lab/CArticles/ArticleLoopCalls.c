/// ArticleLoopCalls.c: the functions that the articles' loops call, over public calls of the
/// library and poll.
///
/// They ask the real sources, timers and observers for what a loop must know, and call their
/// callbacks. Simplified in all of them: nothing is locked, because one thread does everything.

#include "ArticleLoop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

extern void _dispatch_main_queue_callback_4CF(void *msg);

int ArticleStepOf(CFOptionFlags activity) {
    switch (activity) {
    case kCFRunLoopEntry: return 1;
    case kCFRunLoopBeforeTimers: return 2;
    case kCFRunLoopBeforeSources: return 3;
    case kCFRunLoopBeforeWaiting: return 6;
    case kCFRunLoopAfterWaiting: return 8;
    default: return 10;
    }
}

/// __CFRunLoopDoObservers. Simplified: all observers repeat, and their orders are equal.
void ArticleDoObservers(ArticleLoop *rl, CFRunLoopActivity activity) {
    for (CFIndex idx = 0; idx < CFArrayGetCount(rl->mode.observers); idx++) {
        CFRunLoopObserverRef observer =
            (CFRunLoopObserverRef)CFArrayGetValueAtIndex(rl->mode.observers, idx);
        if (!(CFRunLoopObserverGetActivities(observer) & activity)) continue;
        ArticleRecord("%d", ArticleStepOf(activity));
    }
}

/// __CFRunLoopDoBlocks. It takes the whole queue first: blocks that the blocks queue are left for
/// the next call. Simplified: a block has no modes.
void ArticleDoBlocks(ArticleLoop *rl, int step) {
    Item *block = rl->blocks;
    rl->blocks = NULL;
    while (block) {
        Item *next = block->next;
        block->next = NULL;
        ArticleRecord("%d:%s", step, block->name);
        block->perform();
        block = next;
    }
}

/// __CFRunLoopDoSources0. Simplified: the bit `signaled` is the item's.
Boolean ArticleDoSources0(ArticleLoop *rl, Boolean stopAfterHandle) {
    Boolean sourceHandled = false;
    for (CFIndex idx = 0; idx < CFArrayGetCount(rl->mode.sources0); idx++) {
        CFRunLoopSourceRef source =
            (CFRunLoopSourceRef)CFArrayGetValueAtIndex(rl->mode.sources0, idx);
        CFRunLoopSourceContext context = {.version = 0};
        CFRunLoopSourceGetContext(source, &context);
        Item *item = context.info;
        if (!CFRunLoopSourceIsValid(source) || !item->isSignaled) continue;
        item->isSignaled = false;
        ArticleRecord("4:%s", item->name);
        context.perform(context.info);
        sourceHandled = true;
        if (stopAfterHandle) break;
    }
    return sourceHandled;
}

/// __CFRunLoopDoTimers. Simplified: timers fire once, and not in the order of their dates.
void ArticleDoTimers(ArticleLoop *rl) {
    for (CFIndex idx = CFArrayGetCount(rl->mode.timers); idx--;) {
        CFRunLoopTimerRef timer = (CFRunLoopTimerRef)CFArrayGetValueAtIndex(rl->mode.timers, idx);
        if (CFRunLoopTimerGetNextFireDate(timer) > CFAbsoluteTimeGetCurrent()) continue;
        CFRunLoopTimerContext context = {.version = 0};
        CFRunLoopTimerGetContext(timer, &context);
        Item *item = context.info;
        CFArrayRemoveValueAtIndex(rl->mode.timers, idx);
        ArticleRecord("9.1:%s", item->name);
        item->perform();
    }
}

/// __CFRunLoopModeFindSourceForMachPort
CFRunLoopSourceRef ArticleFindSource(ArticleLoop *rl, int livePort) {
    for (CFIndex idx = 0; idx < CFArrayGetCount(rl->mode.sources1); idx++) {
        CFRunLoopSourceRef source =
            (CFRunLoopSourceRef)CFArrayGetValueAtIndex(rl->mode.sources1, idx);
        CFRunLoopSourceContext1 context = {.version = 1};
        CFRunLoopSourceGetContext(source, (CFRunLoopSourceContext *)&context);
        if (context.getPort(context.info) == livePort) return source;
    }
    return NULL;
}

/// __CFRunLoopDoSource1. Simplified: there is no message and no reply. The listing calls it with
/// the source of any port, so `source` may be NULL.
Boolean ArticleDoSource1(ArticleLoop *rl, CFRunLoopSourceRef source) {
    (void)rl;
    if (!source) return false;
    CFRunLoopSourceContext1 context = {.version = 1};
    CFRunLoopSourceGetContext(source, (CFRunLoopSourceContext *)&context);
    ArticleRecord("9.3:%s", ((Item *)context.info)->name);
    context.perform(context.info);
    return true;
}

/// __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__
void ArticleServiceMainQueue(ArticleLoop *rl) {
    (void)rl;
    ArticleRecord("9.2");
    _dispatch_main_queue_callback_4CF(NULL);
}

/// __CFRunLoopServiceMachPort. Simplified: poll instead of a port set, and the time until the next
/// timer instead of a timer port. The main queue comes before the sources.
Live ArticleServicePort(ArticleLoop *rl, Boolean isForMainQueue, CFTimeInterval seconds,
                        int *livePort) {
    struct pollfd ports[16] = {{.fd = rl->dispatchPort, .events = POLLIN}};
    nfds_t count = 1;
    CFAbsoluteTime now = CFAbsoluteTimeGetCurrent(), until = now + seconds, fireDate = 1e300;
    if (!isForMainQueue) {
        ports[count++] = (struct pollfd){.fd = rl->wakeUpPort, .events = POLLIN};
        for (CFIndex idx = 0; idx < CFArrayGetCount(rl->mode.sources1) && count < 16; idx++) {
            CFRunLoopSourceContext1 context = {.version = 1};
            CFRunLoopSourceGetContext(
                (CFRunLoopSourceRef)CFArrayGetValueAtIndex(rl->mode.sources1, idx),
                (CFRunLoopSourceContext *)&context);
            ports[count++] = (struct pollfd){.fd = context.getPort(context.info), .events = POLLIN};
        }
        for (CFIndex idx = 0; idx < CFArrayGetCount(rl->mode.timers); idx++) {
            CFRunLoopTimerRef timer = (CFRunLoopTimerRef)CFArrayGetValueAtIndex(rl->mode.timers,
                                                                               idx);
            CFAbsoluteTime date = CFRunLoopTimerGetNextFireDate(timer);
            if (date < fireDate) fireDate = date;
        }
        if (seconds > 0) ArticleRecord("7");
    }
    CFTimeInterval wait = (fireDate < until ? fireDate : until) - now;
    *livePort = -1;
    if (poll(ports, count, wait <= 0 ? 0 : (int)(wait * 1000) + 1) > 0) {
        for (nfds_t n = 0; n < count; n++) {
            if (!(ports[n].revents & POLLIN)) continue;
            *livePort = ports[n].fd;
            eventfd_t value;
            if (n <= 1) eventfd_read(*livePort, &value); // not those of the sources
            return n == 0 ? kLiveDispatch : n == 1 ? kLiveWakeUp : kLiveSource1;
        }
    }
    return fireDate <= CFAbsoluteTimeGetCurrent() ? kLiveTimer : kLiveNothing;
}

/// __CFRunLoopModeIsEmpty
Boolean ArticleModeIsEmpty(ArticleLoop *rl, Boolean countsObservers) {
    if (rl->dispatchPort >= 0) return false;
    return !CFArrayGetCount(rl->mode.sources0) && !CFArrayGetCount(rl->mode.sources1)
        && !CFArrayGetCount(rl->mode.timers) && !rl->blocks
        && !(countsObservers && CFArrayGetCount(rl->mode.observers));
}

/// CFRunLoopStop
void ArticleStop(ArticleLoop *rl) {
    rl->isStopped = true;
    eventfd_write(rl->wakeUpPort, 1);
}
