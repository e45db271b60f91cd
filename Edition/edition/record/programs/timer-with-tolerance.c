/// timer-with-tolerance.c: two timers. The first is due at 6 s and may be 3 s late. The second is due at 8 s and may not. So the loop sleeps
/// until 8 s, and both fire in the same pass.
#include "recorded.h"

static CFRunLoopRef loop;
static CFRunLoopTimerRef lenient, strict;
static int fired;

static void fireLenient(CFRunLoopTimerRef timer, void *info) {
    fired++;
}

static void fireStrict(CFRunLoopTimerRef timer, void *info) {
    fired++;
    CFRunLoopStop(loop);
}

int main(void) {
    loop = CFRunLoopGetCurrent();
    warmUp(kCFRunLoopDefaultMode);
    lenient = makeTimer(6, 100, fireLenient);
    CFRunLoopTimerSetTolerance(lenient, 3);
    strict = makeTimer(8, 0, fireStrict);
    CFRunLoopAddTimer(loop, lenient, kCFRunLoopDefaultMode);
    CFRunLoopAddTimer(loop, strict, kCFRunLoopDefaultMode);
    theRecordingBegins();
    CFRunLoopRun();
    theRecordingEnds();
    return 0;
}
