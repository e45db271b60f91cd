/// ArticleLoop.c: the simplified run loop of article 1, with the least changes that make it run, and
/// corrected.
///
/// The function has the statements of the listing in their order. A comment begins with CHANGED
/// where the copy does not say what the listing says, because that would not compile or not run;
/// with SIMPLIFIED where the listing does less than the library's __CFRunLoopRun; and with WRONG
/// where it does something else.

#include "ArticleLoop.h"

// MARK: - The listing (1.25)

int ArticleRunSpecific1(ArticleLoop *rl, CFTimeInterval seconds, Boolean stopAfterHandle) {
    // CHANGED: __CFRunLoopFindMode; this loop has one mode. The listing calls the last parameter
    // `stopAfterHandle` above and `returnAfterSourceHandled` below.
    // CHANGED: `return;`, although the function returns an int.
    // WRONG: the comment counts observers. A mode that has nothing else is empty.
    if (ArticleModeIsEmpty(rl, true)) return kCFRunLoopRunFinished;

    // 1.
    ArticleDoObservers(rl, kCFRunLoopEntry);
    // CHANGED: the listing has the body of __CFRunLoopRun in braces after its call.
    CFAbsoluteTime limit = CFAbsoluteTimeGetCurrent() + seconds; // CHANGED: `timeout` is undeclared
    Boolean source0DidDispatchPortLastTime = true; // CHANGED: undeclared; as in the library's loop
    Boolean sourceHandledThisLoop = false;
    int retVal = 0;
    int livePort = -1;
    Live msg = kLiveNothing;
    // SIMPLIFIED: a run that was stopped before it began goes on.
    do {
        // 2. and 3.
        ArticleDoObservers(rl, kCFRunLoopBeforeTimers);
        ArticleDoObservers(rl, kCFRunLoopBeforeSources);
        ArticleDoBlocks(rl, 3);
        // 4.
        sourceHandledThisLoop = ArticleDoSources0(rl, stopAfterHandle);
        // WRONG: always. The library's loop does so only if a Source0 was performed.
        ArticleDoBlocks(rl, 4);
        // SIMPLIFIED: there is no `poll`. A pass that has performed a Source0, and a run with the
        // limit 0, do not sleep.

        // 5. WRONG: the opposite. The library's loop looks unless the last pass has served the
        // main queue. The comment speaks of Source1; the port is the main queue's.
        if (source0DidDispatchPortLastTime) {
            source0DidDispatchPortLastTime = false; // CHANGED: the listing never sets it
            msg = ArticleServicePort(rl, true, 0, &livePort);
            if (msg == kLiveDispatch) goto handle_msg;
        }
        // 6.
        if (!sourceHandledThisLoop) ArticleDoObservers(rl, kCFRunLoopBeforeWaiting);
        // 7. The comment has four things that end the sleep. The fifth is the main queue.
        msg = ArticleServicePort(rl, false, limit - CFAbsoluteTimeGetCurrent(), &livePort);
        // 8. WRONG: always. The library's loop does so only if step 6 was not left out.
        ArticleDoObservers(rl, kCFRunLoopAfterWaiting);

    handle_msg:
        // 9.1
        if (msg == kLiveTimer) {
            ArticleDoTimers(rl);
        }
        // 9.2 WRONG: does not count as a handled source.
        else if (msg == kLiveDispatch) {
            ArticleServiceMainQueue(rl);
            source0DidDispatchPortLastTime = true; // CHANGED: the listing never sets it
        }
        // 9.3 WRONG: everything else, so a wake-up and the limit, too. The result overwrites what
        // step 4 has found.
        else {
            CFRunLoopSourceRef source1 = ArticleFindSource(rl, livePort);
            sourceHandledThisLoop = ArticleDoSource1(rl, source1); // CHANGED: no reply is sent
        }
        ArticleDoBlocks(rl, 9);

        if (sourceHandledThisLoop && stopAfterHandle) {
            retVal = kCFRunLoopRunHandledSource;
        } else if (CFAbsoluteTimeGetCurrent() >= limit) {
            retVal = kCFRunLoopRunTimedOut;
        } else if (rl->isStopped) {
            retVal = kCFRunLoopRunStopped;
        } else if (ArticleModeIsEmpty(rl, true)) {
            retVal = kCFRunLoopRunFinished;
        }
    } while (retVal == 0); // CHANGED: the copy has lost the operator

    // 10.
    ArticleDoObservers(rl, kCFRunLoopExit);
    return retVal; // CHANGED: the listing does not return the result
    // SIMPLIFIED: CFRunLoopRun calls this once. The library's calls it again when 1e10 s are over.
}

// MARK: - The listing, corrected

int ArticleRunSpecificCured(ArticleLoop *rl, CFTimeInterval seconds, Boolean stopAfterHandle) {
    if (ArticleModeIsEmpty(rl, false)) return kCFRunLoopRunFinished; // observers do not count

    ArticleDoObservers(rl, kCFRunLoopEntry);
    CFAbsoluteTime limit = CFAbsoluteTimeGetCurrent() + seconds;
    Boolean didDispatchPortLastTime = true; // the first pass skips step 5
    int retVal = 0;
    if (rl->isStopped) retVal = kCFRunLoopRunStopped;
    while (retVal == 0) {
        int livePort = -1;
        Live msg = kLiveNothing;
        ArticleDoObservers(rl, kCFRunLoopBeforeTimers);
        ArticleDoObservers(rl, kCFRunLoopBeforeSources);
        ArticleDoBlocks(rl, 3);
        Boolean sourceHandledThisLoop = ArticleDoSources0(rl, stopAfterHandle);
        if (sourceHandledThisLoop) ArticleDoBlocks(rl, 4); // only then
        Boolean poll = sourceHandledThisLoop || seconds <= 0;

        if (!didDispatchPortLastTime) { // the main queue has its turn unless it just had it
            msg = ArticleServicePort(rl, true, 0, &livePort);
            if (msg == kLiveDispatch) goto handle_msg;
        }
        didDispatchPortLastTime = false;
        if (!poll) ArticleDoObservers(rl, kCFRunLoopBeforeWaiting);
        msg = ArticleServicePort(rl, false, poll ? 0 : limit - CFAbsoluteTimeGetCurrent(),
                                 &livePort);
        if (!poll) ArticleDoObservers(rl, kCFRunLoopAfterWaiting);

    handle_msg:
        if (msg == kLiveTimer) {
            ArticleDoTimers(rl);
        } else if (msg == kLiveDispatch) {
            ArticleServiceMainQueue(rl);
            sourceHandledThisLoop = true; // the main queue counts
            didDispatchPortLastTime = true;
        } else if (msg == kLiveSource1) { // and only a Source1 is one; what step 4 found stays
            if (ArticleDoSource1(rl, ArticleFindSource(rl, livePort))) sourceHandledThisLoop = true;
        }
        ArticleDoBlocks(rl, 9);

        if (sourceHandledThisLoop && stopAfterHandle) {
            retVal = kCFRunLoopRunHandledSource;
        } else if (CFAbsoluteTimeGetCurrent() >= limit) {
            retVal = kCFRunLoopRunTimedOut;
        } else if (rl->isStopped) {
            retVal = kCFRunLoopRunStopped;
        } else if (ArticleModeIsEmpty(rl, false)) {
            retVal = kCFRunLoopRunFinished;
        }
    }
    ArticleDoObservers(rl, kCFRunLoopExit);
    return retVal;
}
