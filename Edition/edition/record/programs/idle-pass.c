/// idle-pass.c: one pass in which nothing happens. The loop sleeps until the time limit of the run. An observer sees all activities.
#include "recorded.h"

static CFRunLoopRef loop;
static CFRunLoopSourceRef source; // nothing ever signals it
static CFRunLoopObserverRef observer;
static CFRunLoopActivity seen;

static void observe(CFRunLoopObserverRef self, CFRunLoopActivity activity, void *info) {
    seen = activity;
}

static void nothing(void *info) {}

int main(void) {
    loop = CFRunLoopGetCurrent();
    source = makeSource0(nothing);
    CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode);
    observer = CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, true, 0, observe, NULL);
    CFRunLoopAddObserver(loop, observer, kCFRunLoopDefaultMode);
    warmUp(kCFRunLoopDefaultMode);
    theRecordingBegins();
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 6, false);
    theRecordingEnds();
    return 0;
}
