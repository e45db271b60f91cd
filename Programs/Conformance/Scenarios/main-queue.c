/// main-queue: the main loop serves the main dispatch queue in its common modes.
#include "../Scenario.h"

extern void dispatch_async_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *));
extern void dispatch_sync_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *));

static void queue(const char *name, Body body) { dispatch_async_f(&_dispatch_main_q, MakeItem(name, body), PerformItem); }

SCENARIO(main_queue, onMainThread, 0x019fed47) {
    LogActivities(DEFAULT);
    PART("an empty main loop is not empty in a common mode, and is in another");
    Run(DEFAULT, 0.05, false);
    Run(A, 0.05, false);
    PART("with a limit of 0");
    queue("1", NULL);
    Run(DEFAULT, 0, false);
    PART("one source");
    queue("1", NULL);
    Run(DEFAULT, 1, true);
    PART("several at once");
    queue("1", NULL);
    queue("2", NULL);
    queue("3", NULL);
    Run(DEFAULT, 0.1, false);
    PART("several at once, one source");
    queue("1", NULL);
    queue("2", NULL);
    Run(DEFAULT, 1, true);
    Run(DEFAULT, 0.05, true);
    PART("with a source and a block");
    CFRunLoopSourceRef s = AddSource0("s", 0, DEFAULT, NULL);
    CFRunLoopSourceSignal(s);
    queue("1", NULL);
    QueueBlock("b", DEFAULT, NULL);
    Run(DEFAULT, 0.1, false);
    PART("a source queues: served in the same pass");
    CFRunLoopSourceRef queueing = AddSource0("queueing", 0, DEFAULT, ^{ queue("by a source", NULL); });
    CFRunLoopSourceSignal(queueing);
    Run(DEFAULT, 0.05, false);
    PART("a queued function queues another: the queue is not served twice in a row without a wait");
    queue("outer", ^{ queue("inner", ^{ queue("innermost", NULL); }); });
    Run(DEFAULT, 0.1, false);
    PART("a queued function signals a source and performs a block");
    queue("1", ^{
        CFRunLoopSourceSignal(s);
        QueueBlock("b", DEFAULT, NULL);
    });
    Run(DEFAULT, 0.05, false);
    PART("a queued function stops");
    queue("1", ^{ CFRunLoopStop(LOOP); });
    Run(DEFAULT, 5, false);
    PART("step 5 asks for the queue before the ports, also in a pass that will not sleep");
    CFRunLoopSourceRef port = AddPort("port", 0, DEFAULT, NULL);
    __block int passes = 0;
    __block CFRunLoopSourceRef busy = NULL;
    busy = AddSource0("busy", 0, DEFAULT, ^{
        if (++passes == 1) {
            CFRunLoopSourceSignal(busy); // the first pass of a run leaves out step 5
        } else {
            Poke(port);
            queue("1", NULL);
        }
    });
    CFRunLoopSourceSignal(busy);
    Run(DEFAULT, 0.05, false);
    PART("not served in another mode");
    AddSource0("inA", 0, A, NULL);
    LogActivities(A);
    queue("1", NULL);
    Run(A, 0.05, false);
    PART("but in one that has been declared common");
    CFRunLoopAddCommonMode(LOOP, A);
    Run(A, 0.05, false);
    PART("a run nested in a queued function does not serve it");
    queue("outer", ^{
        queue("inner", NULL);
        Run(A, 0.05, false);
    });
    Run(DEFAULT, 0.1, false);
    PART("a run nested in a source does");
    CFRunLoopSourceRef nesting = AddSource0("nesting", 0, DEFAULT, ^{
        queue("inner", NULL);
        Run(A, 0.05, false);
    });
    CFRunLoopSourceSignal(nesting);
    Run(DEFAULT, 0.1, false);
    PART("a synchronous call from another thread");
    pthread_t thread = StartThread(^{
        dispatch_sync_f(&_dispatch_main_q, MakeItem("sync", NULL), PerformItem);
    });
    Run(DEFAULT, 5, true);
    JoinThread(thread);
}
