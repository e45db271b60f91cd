/// perform-block.c: another thread queues a block for the loop. CFRunLoopPerformBlock wakes nobody, so the thread wakes the loop as well. The
/// pass that was woken performs the block at its end.
#include "recorded.h"

static CFRunLoopRef loop;
static int performed;

static void *queuer(void *unused) {
    waitForItsTurn();
    CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, ^{
        performed++;
        CFRunLoopStop(loop);
    });
    CFRunLoopWakeUp(loop);
    theRecordingEnds();
    return NULL;
}

int main(void) {
    loop = CFRunLoopGetCurrent();
    warmUp(kCFRunLoopDefaultMode);
    startThread("queuer", queuer);
    theRecordingBegins();
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0e10, false);
    theRecordingEnds();
    return 0;
}
