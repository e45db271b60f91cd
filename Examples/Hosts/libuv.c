#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <uv.h>

static CFRunLoopRef loop;
static CFRunLoopSourceRef source0, source1;
static int pipeEnds[2];
static uv_poll_t watcher;
static uv_timer_t hostTimer;

static void hostTimerFires(uv_timer_t *timer) {
    puts("timer of libuv");
    uv_poll_stop(&watcher); // nothing is left to wait for, so uv_run returns
}

static void startHostTimer(void) { uv_timer_start(&hostTimer, hostTimerFires, 500, 0); }

// libuv calls this function when our descriptor is readable.
static void serve(uv_poll_t *poll, int status, int events) { CFRunLoopServe(loop, kCFRunLoopDefaultMode); }

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

int main(void) {
    uv_loop_t *host = uv_default_loop();
    addOurItems();
    uv_timer_init(host, &hostTimer);
    uv_poll_init(host, &watcher, CFRunLoopGetDescriptor(loop, kCFRunLoopDefaultMode));
    uv_poll_start(&watcher, UV_READABLE, serve);

    uv_run(host, UV_RUN_DEFAULT);

    uv_close((uv_handle_t *)&watcher, NULL); // before the thread ends, which closes the descriptor
    uv_close((uv_handle_t *)&hostTimer, NULL);
    uv_run(host, UV_RUN_DEFAULT);
    uv_loop_close(host);
    CFRelease(source0);
    CFRelease(source1);
}
// prints: timer of our loop
// prints: Source0 of our loop
// prints: Source1 of our loop
// prints: timer of libuv
