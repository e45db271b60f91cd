#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CoreFoundation.h>
#include <glib-unix.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static CFRunLoopRef loop;
static CFRunLoopSourceRef source0, source1;
static int pipeEnds[2];
static GMainLoop *host;

static gboolean hostTimerFires(gpointer info) {
    puts("timer of GLib");
    g_main_loop_quit(host);
    return G_SOURCE_REMOVE;
}

static void startHostTimer(void) { g_timeout_add(500, hostTimerFires, NULL); }

// GLib calls this function when our descriptor is readable.
static gboolean serve(gint descriptor, GIOCondition condition, gpointer info) {
    CFRunLoopServe(loop, kCFRunLoopDefaultMode);
    return G_SOURCE_CONTINUE;
}

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
    addOurItems();
    host = g_main_loop_new(NULL, FALSE);
    GSource *source = g_unix_fd_source_new(CFRunLoopGetDescriptor(loop, kCFRunLoopDefaultMode), G_IO_IN);
    g_source_set_callback(source, G_SOURCE_FUNC(serve), NULL, NULL);
    g_source_set_can_recurse(source, TRUE); // our loop also works in a dialog that one of our callbacks opens
    g_source_attach(source, NULL);

    g_main_loop_run(host);

    g_source_destroy(source); // before the thread ends, which closes the descriptor
    g_source_unref(source);
    g_main_loop_unref(host);
    CFRelease(source0);
    CFRelease(source1);
}
// prints: timer of our loop
// prints: Source0 of our loop
// prints: Source1 of our loop
// prints: timer of GLib
