/// cross-thread: what another thread does to a sleeping loop. Each part begins when the loop sleeps.
#include "Scenario.h"

/// Runs `mode` for `limit` seconds; calls `body` on another thread as soon as the loop sleeps.
static void runWhile(CFRunLoopMode mode, CFTimeInterval limit, Boolean once, void (^body)(CFRunLoopRef loop)) {
    CFRunLoopRef loop = LOOP;
    pthread_t thread = startThread(^{
        while (!CFRunLoopIsWaiting(loop)) usleep(1000);
        body(loop);
    });
    run(mode, limit, once);
    pthread_join(thread, NULL);
}

SCENARIO("cross-thread", onThreads) {
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        watch(A);
        part("stop");
        runWhile(A, 10, false, ^(CFRunLoopRef loop) { CFRunLoopStop(loop); });
        part("stop, which does not outlast the run");
        run(A, 0.05, false);
        part("wake up");
        runWhile(A, 0.5, false, ^(CFRunLoopRef loop) { CFRunLoopWakeUp(loop); });
        part("signal and wake up");
        runWhile(A, 10, true, ^(CFRunLoopRef loop) {
            CFRunLoopSourceSignal(s);
            CFRunLoopWakeUp(loop);
        });
        part("signal alone does not wake");
        runWhile(A, 0.1, true, ^(CFRunLoopRef loop) { CFRunLoopSourceSignal(s); });
        run(A, 0, true);
        part("a block, and a wake-up");
        runWhile(A, 0.5, false, ^(CFRunLoopRef loop) {
            CFRunLoopPerformBlock(loop, A, ^{
                say("block");
                CFRunLoopStop(LOOP);
            });
            CFRunLoopWakeUp(loop);
        });
        part("a block alone does not wake");
        runWhile(A, 0.1, false, ^(CFRunLoopRef loop) {
            CFRunLoopPerformBlock(loop, A, ^{ say("block"); });
        });
        part("a timer that is due: no wake-up needed");
        runWhile(A, 0.3, false, ^(CFRunLoopRef loop) { CFRunLoopAddTimer(loop, timer("due", -1, 0, NULL), A); });
        part("a timer's date changed: wakes, as nothing else does");
        CFRunLoopTimerRef far = addTimer(A, "far", 3600, 0, NULL);
        runWhile(A, 0.3, false, ^(CFRunLoopRef loop) { CFRunLoopTimerSetNextFireDate(far, CFAbsoluteTimeGetCurrent() + 7200); });
        part("a port that is ready: no wake-up needed");
        CFRunLoopSourceRef p = portSource("p", 0, NULL);
        runWhile(A, 10, true, ^(CFRunLoopRef loop) {
            poke(p);
            CFRunLoopAddSource(loop, p, A);
        });
        part("a signalled source: not without a wake-up");
        CFRunLoopSourceRef t = source("t", 1, NULL);
        CFRunLoopSourceSignal(t);
        runWhile(A, 0.1, true, ^(CFRunLoopRef loop) { CFRunLoopAddSource(loop, t, A); });
        run(A, 0, true);
        part("the last item removed: not noticed while asleep");
        addSource(B, "left behind", 0, NULL);
        CFRunLoopSourceRef last = addSource(C, "last", 0, NULL);
        runWhile(C, 0.2, false, ^(CFRunLoopRef loop) { CFRunLoopSourceInvalidate(last); });
        part("the last item removed, and a wake-up");
        CFRunLoopSourceRef last2 = addSource(C, "last", 0, NULL);
        runWhile(C, 10, false, ^(CFRunLoopRef loop) {
            CFRunLoopSourceInvalidate(last2);
            CFRunLoopWakeUp(loop);
        });
        part("a timer's date made due");
        CFRunLoopTimerRef made = addTimer(B, "made due", 3600, 3600, NULL);
        runWhile(B, 0.3, false, ^(CFRunLoopRef loop) { CFRunLoopTimerSetNextFireDate(made, CFAbsoluteTimeGetCurrent() - 1); });
        part("what another thread sees");
        runWhile(A, 0.3, false, ^(CFRunLoopRef loop) {
            sayCurrentMode(loop);
            say("waiting %d, contained %d", CFRunLoopIsWaiting(loop), CFRunLoopContainsSource(loop, s, A));
            sayModes(loop);
        });
    });
}
