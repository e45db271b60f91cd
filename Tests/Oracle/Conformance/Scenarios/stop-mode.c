/// stop-mode: _CFRunLoopStopMode marks a mode, and the mark stays until a run in that mode has noticed it.
#include "Scenario.h"

SCENARIO("stop-mode", onThreads) {
    onThread(^{
        CFRunLoopRef loop = LOOP;
        addSource(A, "s", 0, NULL);
        addSource(B, "s", 0, NULL);
        watch(A);
        part("makes the mode");
        _CFRunLoopStopMode(loop, CFSTR("unknown"));
        sayModes(loop);
        part("before the run");
        _CFRunLoopStopMode(loop, A);
        run(A, 0.05, false);
        run(A, 0.05, false);
        part("in a block");
        perform(A, "b", ^{ _CFRunLoopStopMode(loop, A); });
        run(A, 5, false);
        run(A, 0.05, false);
        part("in a timer");
        addTimer(A, "t", -1, 0, ^{ _CFRunLoopStopMode(loop, A); });
        run(A, 5, false);
        part("in a timer, with a limit of 0: stays");
        addTimer(A, "t", -1, 0, ^{ _CFRunLoopStopMode(loop, A); });
        run(A, 0, false);
        run(A, 0.05, false);
        part("the outer mode in a nested run");
        CFRunLoopSourceRef inB = addSource(B, "inB", 0, ^{ _CFRunLoopStopMode(loop, A); });
        addTimer(A, "t", -1, 0, ^{
            CFRunLoopSourceSignal(inB);
            run(B, 0.05, false);
        });
        run(A, 5, false);
        part("the same mode in a nested run: the inner one takes it");
        CFRunLoopSourceRef inA = addSource(A, "inA", 0, ^{ _CFRunLoopStopMode(loop, A); });
        addTimer(A, "t", -1, 0, ^{
            CFRunLoopSourceSignal(inA);
            run(A, 5, false);
        });
        run(A, 0.05, false);
        part("another mode: kept until that one runs");
        perform(A, "b", ^{ _CFRunLoopStopMode(loop, B); });
        run(A, 0.05, false);
        run(B, 5, false);
        part("at Entry");
        CFRunLoopObserverRef atEntry = addObserver(A, "o", kCFRunLoopEntry, 0, ^(CFRunLoopActivity activity) { _CFRunLoopStopMode(loop, A); });
        run(A, 5, false);
        CFRunLoopObserverInvalidate(atEntry);
        run(A, 0.05, false);
    });
}
