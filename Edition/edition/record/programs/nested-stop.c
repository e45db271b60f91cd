/// nested-stop.c: a Source0 runs the loop again, inside its callback, in another mode. Another thread stops the loop twice: the first stop ends
/// the nested run only, the second one ends the run around it.
#include "recorded.h"

static CFRunLoopRef loop;
static CFRunLoopSourceRef opener, inner;
static CFRunLoopRunResult nestedResult;

static void nothing(void *info) {}

static void openDialog(void *info) {
    nestedResult = CFRunLoopRunInMode(CFSTR("DialogMode"), 1.0e10, false);
}

static void *stopper(void *unused) {
    waitForItsTurn();
    CFRunLoopStop(loop);
    CFRunLoopStop(loop);
    theRecordingEnds();
    return NULL;
}

int main(void) {
    loop = CFRunLoopGetCurrent();
    opener = makeSource0(openDialog);
    inner = makeSource0(nothing);
    CFRunLoopAddSource(loop, opener, kCFRunLoopDefaultMode);
    CFRunLoopAddSource(loop, inner, CFSTR("DialogMode"));
    warmUp(kCFRunLoopDefaultMode);
    warmUp(CFSTR("DialogMode"));
    startThread("stopper", stopper);
    CFRunLoopSourceSignal(opener);
    theRecordingBegins();
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0e10, false);
    theRecordingEnds();
    return 0;
}
