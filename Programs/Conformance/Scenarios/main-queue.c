/// main-queue: the main loop serves the main dispatch queue in its common modes.
#include "Scenario.h"

typedef struct dispatch_queue_s *dispatch_queue_t;
extern struct dispatch_queue_s _dispatch_main_q;
extern void dispatch_async_f(dispatch_queue_t queue, void *context, void (*work)(void *));
extern void dispatch_sync_f(dispatch_queue_t queue, void *context, void (*work)(void *));

static void callQueued(void *info) {
    say("queued %s", ((Item *)info)->name);
    callBody(info);
}

static void queue(const char *name, Body body) { dispatch_async_f(&_dispatch_main_q, makeItem(name, body), callQueued); }

SCENARIO("main-queue", onMainThread) {
    watch(DEFAULT);
    part("an empty main loop is not empty in a common mode, and is in another");
    run(DEFAULT, 0.05, false);
    run(A, 0.05, false);
    part("with a limit of 0");
    queue("1", NULL);
    run(DEFAULT, 0, false);
    part("one source");
    queue("1", NULL);
    run(DEFAULT, 1, true);
    part("several at once");
    queue("1", NULL);
    queue("2", NULL);
    queue("3", NULL);
    run(DEFAULT, 0.1, false);
    part("several at once, one source");
    queue("1", NULL);
    queue("2", NULL);
    run(DEFAULT, 1, true);
    run(DEFAULT, 0.05, true);
    part("with a source and a block");
    CFRunLoopSourceRef s = addSource(DEFAULT, "s", 0, NULL);
    CFRunLoopSourceSignal(s);
    queue("1", NULL);
    perform(DEFAULT, "b", NULL);
    run(DEFAULT, 0.1, false);
    part("a source queues: served in the same pass");
    CFRunLoopSourceRef queueing = addSource(DEFAULT, "queueing", 0, ^{ queue("by a source", NULL); });
    CFRunLoopSourceSignal(queueing);
    run(DEFAULT, 0.05, false);
    part("a queued function queues another: the queue is not served twice in a row without a wait");
    queue("outer", ^{ queue("inner", ^{ queue("innermost", NULL); }); });
    run(DEFAULT, 0.1, false);
    part("a queued function signals a source and performs a block");
    queue("1", ^{
        CFRunLoopSourceSignal(s);
        perform(DEFAULT, "b", NULL);
    });
    run(DEFAULT, 0.05, false);
    part("a queued function stops");
    queue("1", ^{ CFRunLoopStop(LOOP); });
    run(DEFAULT, 5, false);
    part("step 5 asks for the queue before the ports, also in a pass that will not sleep");
    CFRunLoopSourceRef port = addPort(DEFAULT, "port", 0, NULL);
    __block int passes = 0;
    __block CFRunLoopSourceRef busy = NULL;
    busy = addSource(DEFAULT, "busy", 0, ^{
        if (++passes == 1) {
            CFRunLoopSourceSignal(busy); // the first pass of a run leaves out step 5
        } else {
            poke(port);
            queue("1", NULL);
        }
    });
    CFRunLoopSourceSignal(busy);
    run(DEFAULT, 0.05, false);
    part("not served in another mode");
    addSource(A, "inA", 0, NULL);
    watch(A);
    queue("1", NULL);
    run(A, 0.05, false);
    part("but in one that has been declared common");
    CFRunLoopAddCommonMode(LOOP, A);
    run(A, 0.05, false);
    part("a run nested in a queued function does not serve it");
    queue("outer", ^{
        queue("inner", NULL);
        run(A, 0.05, false);
    });
    run(DEFAULT, 0.1, false);
    part("a run nested in a source does");
    CFRunLoopSourceRef nesting = addSource(DEFAULT, "nesting", 0, ^{
        queue("inner", NULL);
        run(A, 0.05, false);
    });
    CFRunLoopSourceSignal(nesting);
    run(DEFAULT, 0.1, false);
    part("a synchronous call from another thread");
    pthread_t thread = startThread(^{
        dispatch_sync_f(&_dispatch_main_q, makeItem("sync", NULL), callQueued);
    });
    run(DEFAULT, 5, true);
    pthread_join(thread, NULL);
}
