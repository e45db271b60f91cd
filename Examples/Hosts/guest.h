// guest.h: a run loop with a timer, a Source0 and a Source1, the same in each host. The timer fires after half a second. Another
// thread then signals the Source0, which writes into the pipe of the Source1, which starts the host's own timer.

#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static CFRunLoopRef loop;
static CFRunLoopSourceRef source0, source1;
static int pipeEnds[2];

static void startHostTimer(void); // the host's

static void source1Performs(void *info) {
    char byte;
    if (read(pipeEnds[0], &byte, 1) == 1) puts("Source1 of our loop");
    startHostTimer();
}

static int getPipe(void *info) { return pipeEnds[0]; }

static void source0Performs(void *info) {
    puts("Source0 of our loop");
    if (write(pipeEnds[1], "", 1) != 1) perror("write");
}

static void *signalSource0(void *nothing) { // on another thread
    CFRunLoopSourceSignal(source0);
    CFRunLoopWakeUp(loop); // makes the descriptor readable
    return NULL;
}

static void timerFires(CFRunLoopTimerRef timer, void *info) {
    pthread_t thread;
    puts("timer of our loop");
    pthread_create(&thread, NULL, signalSource0, NULL);
    pthread_detach(thread);
}

static void addOurItems(void) {
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + 0.5, 0, 0, 0, timerFires, NULL);
    CFRunLoopSourceContext context0 = {.perform = source0Performs};
    CFRunLoopSourceContext1 context1 = {.version = 1, .getPort = getPipe, .perform = source1Performs};
    loop = CFRunLoopGetCurrent();
    if (pipe(pipeEnds) != 0) perror("pipe");
    source0 = CFRunLoopSourceCreate(NULL, 0, &context0);
    source1 = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context1);
    CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode);
    CFRunLoopAddSource(loop, source0, kCFRunLoopDefaultMode);
    CFRunLoopAddSource(loop, source1, kCFRunLoopDefaultMode);
    CFRelease(timer);
}

static void releaseOurItems(void) {
    CFRelease(source0);
    CFRelease(source1);
}
