/// source1.c: the loop sleeps. Another thread writes into a pipe, whose other end is the port of a Source1. The kernel wakes the loop; nobody
/// signals the source.
#include "recorded.h"

static CFRunLoopRef loop;
static CFRunLoopSourceRef pipeSource;
static int ends[2];
static char received;

static __typeof__(((CFRunLoopSourceContext1 *)0)->getPort(NULL)) portOfPipe(void *info) {
    return ends[0];
}

static void readPipe(void *info) {
    read(ends[0], &received, 1);
}

static void *writer(void *unused) {
    waitForItsTurn();
    write(ends[1], "x", 1);
    theRecordingEnds();
    return NULL;
}

int main(void) {
    pipe(ends);
    loop = CFRunLoopGetCurrent();
    CFRunLoopSourceContext1 context = {.version = 1, .getPort = portOfPipe, .perform = (__typeof__(context.perform))readPipe};
    pipeSource = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(loop, pipeSource, kCFRunLoopDefaultMode);
    warmUp(kCFRunLoopDefaultMode);
    startThread("writer", writer);
    theRecordingBegins();
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0e10, true);
    theRecordingEnds();
    return 0;
}
