/// spi: the functions that Foundation uses on a loop and that no public header declares.
#include "Scenario.h"

SCENARIO("spi", onMainThread) {
    CFRunLoopRef main = CFRunLoopGetMain();
    say("main is current %d %d", main == LOOP, _CFRunLoopIsCurrent(main));
    say("of this thread %d, of no thread %d", _CFRunLoopGet0(pthread_self()) == main, _CFRunLoopGet0((pthread_t)0) == main);
    say("finished: default %d, A %d, common %d", _CFRunLoopFinished(main, DEFAULT), _CFRunLoopFinished(main, A), _CFRunLoopFinished(main, COMMON));
    onThread(^{
        say("no loop yet %d", _CFRunLoopGet0b(pthread_self()) == NULL);
        CFRunLoopRef loop = LOOP;
        say("now %d %d", _CFRunLoopGet0b(pthread_self()) == loop, _CFRunLoopGet0(pthread_self()) == loop);
        say("current: own %d, main %d", _CFRunLoopIsCurrent(loop), _CFRunLoopIsCurrent(main));
        say("main from here %d", CFRunLoopGetMain() == main);
        say("finished: A %d, default %d", _CFRunLoopFinished(loop, A), _CFRunLoopFinished(loop, DEFAULT));
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        say("with a source %d", _CFRunLoopFinished(loop, A));
        CFRunLoopSourceInvalidate(s);
        say("without %d", _CFRunLoopFinished(loop, A));
        addObserver(A, "o", kCFRunLoopEntry, 0, NULL);
        say("with an observer %d", _CFRunLoopFinished(loop, A));
        perform(A, "b", NULL);
        say("with a block %d", _CFRunLoopFinished(loop, A));
        run(A, 0, false);
        CFRunLoopTimerRef t = addTimer(A, "t", 3600, 0, NULL);
        say("with a timer %d", _CFRunLoopFinished(loop, A));
        CFRunLoopTimerInvalidate(t);
        say("without %d", _CFRunLoopFinished(loop, A));
        sayModes(loop);
    });
}
