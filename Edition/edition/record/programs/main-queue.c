/// main-queue.c: another thread dispatches a block to the main queue: its port wakes the loop, and step 9.2 performs it. The next pass leaves
/// out step 5. Then a Source0 dispatches a second block: the same pass performs it, because step 5 finds the port ready, and the pass goes to
/// step 9.
#include "recorded.h"
#include <dispatch/dispatch.h>

static CFRunLoopRef loop;
static CFRunLoopSourceRef touch;
static int served;

static void serveFirst(void *context) {
    served++;
}

static void serveSecond(void *context) {
    served++;
    CFRunLoopStop(loop);
}

static void touched(void *info) {
    dispatch_async_f(dispatch_get_main_queue(), NULL, serveSecond);
}

static void *worker(void *unused) {
    waitForItsTurn();
    dispatch_async_f(dispatch_get_main_queue(), NULL, serveFirst);
    CFRunLoopSourceSignal(touch);
    CFRunLoopWakeUp(loop);
    theRecordingEnds();
    return NULL;
}

int main(void) {
    loop = CFRunLoopGetCurrent();
    touch = makeSource0(touched);
    CFRunLoopAddSource(loop, touch, kCFRunLoopDefaultMode);
    warmUp(kCFRunLoopDefaultMode);
    startThread("worker", worker);
    theRecordingBegins();
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0e10, false);
    theRecordingEnds();
    return 0;
}
