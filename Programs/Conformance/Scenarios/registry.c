/// registry: one loop a thread, also for the functions that Foundation uses and that no public header declares; what these say of a mode.
#include "../Scenario.h"

SCENARIO(registry, onMainThread, 0x80c0a647) {
    CFRunLoopRef main = CFRunLoopGetMain();
    __block CFRunLoopRef first;
    LOG("main is current %d %d", main == LOOP, _CFRunLoopIsCurrent(main));
    LOG("of this thread %d, of no thread %d", _CFRunLoopGet0(pthread_self()) == main, _CFRunLoopGet0((pthread_t)0) == main);
    LOG("finished: default %d, A %d, common %d", _CFRunLoopFinished(main, DEFAULT), _CFRunLoopFinished(main, A), _CFRunLoopFinished(main, COMMON));
    OnNewThread(^{
        LOG("no loop yet %d", _CFRunLoopGet0b(pthread_self()) == NULL);
        CFRunLoopRef loop = first = (CFRunLoopRef)CFRetain(LOOP);
        LOG("now %d %d", _CFRunLoopGet0b(pthread_self()) == loop, _CFRunLoopGet0(pthread_self()) == loop);
        LOG("current: own %d, main %d", _CFRunLoopIsCurrent(loop), _CFRunLoopIsCurrent(main));
        LOG("main from here %d", CFRunLoopGetMain() == main);
        LOG("finished: A %d, default %d, the main loop's %d", _CFRunLoopFinished(loop, A), _CFRunLoopFinished(loop, DEFAULT), _CFRunLoopFinished(main, DEFAULT));
        CFRunLoopSourceRef s = AddSource0("s", 0, A, NULL);
        LOG("with a source %d", _CFRunLoopFinished(loop, A));
        CFRunLoopSourceInvalidate(s);
        LOG("without %d", _CFRunLoopFinished(loop, A));
        AddObserver("o", kCFRunLoopEntry, 0, A, NULL);
        LOG("with an observer %d", _CFRunLoopFinished(loop, A));
        QueueBlock("b", A, NULL);
        LOG("with a block %d", _CFRunLoopFinished(loop, A));
        Run(A, 0, false);
        CFRunLoopTimerRef t = AddTimer("t", 3600, 0, A, NULL);
        LOG("with a timer %d", _CFRunLoopFinished(loop, A));
        CFRunLoopTimerInvalidate(t);
        LOG("without %d", _CFRunLoopFinished(loop, A));
        LogModes(loop);
    });
    PART("another thread, and the types of objects");
    OnNewThread(^{ LOG("another again %d", LOOP != first && LOOP != main); });
    LOG("equal: %d %d, type %d", CFEqual(main, main), CFEqual(main, first), CFGetTypeID(main) == CFRunLoopGetTypeID());
    CFRunLoopSourceRef s = MakeSource0("s", 0, NULL);
    CFRunLoopTimerRef t = MakeTimer("t", 0, 0, NULL);
    CFRunLoopObserverRef o = MakeObserver("o", 0, 0, NULL);
    LOG("source %d, timer %d, observer %d", CFGetTypeID(s) == CFRunLoopSourceGetTypeID(), CFGetTypeID(t) == CFRunLoopTimerGetTypeID(),
        CFGetTypeID(o) == CFRunLoopObserverGetTypeID());
    LOG("valid: source %d, timer %d, observer %d", CFRunLoopSourceIsValid(s), CFRunLoopTimerIsValid(t), CFRunLoopObserverIsValid(o));
    PART("another thread's loop, for which this thread asks first");
    __block CFRunLoopRef its = NULL;
    int isMade = eventfd(0, EFD_CLOEXEC);
    pthread_t thread = StartThread(^{
        eventfd_read(isMade, &(eventfd_t){0});
        LOG("there: current %d, main is current %d", _CFRunLoopIsCurrent(its), _CFRunLoopIsCurrent(main));
        LOG("its own %d", LOOP == its);
    });
    its = _CFRunLoopGet0(thread);
    LOG("here: current %d, main is current %d, another %d, the same each time %d", _CFRunLoopIsCurrent(its), _CFRunLoopIsCurrent(main), its != main, _CFRunLoopGet0(thread) == its);
    eventfd_write(isMade, 1);
    JoinThread(thread);
    close(isMade);
}
