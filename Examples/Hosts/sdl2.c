#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CoreFoundation.h>
#include <SDL.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static CFRunLoopRef loop;
static CFRunLoopSourceRef source0, source1;
static int pipeEnds[2];
static Uint32 readableEvent, hostTimerEvent; // what we post to SDL's queue
static SDL_sem *served;
static SDL_atomic_t isDone;

static bool post(Uint32 type) {
    SDL_Event event = {.type = type};
    return SDL_PushEvent(&event) == 1;
}

static Uint32 hostTimerFires(Uint32 interval, void *info) { // on a thread of SDL
    post(hostTimerEvent);
    return 0;
}

static void startHostTimer(void) { SDL_AddTimer(500, hostTimerFires, NULL); }

// SDL waits for no descriptors, so this thread waits for ours. It posts an event when the descriptor is readable, and
// waits until the main thread has served the loop, because until then the descriptor stays readable.
static int watch(void *info) {
    struct pollfd descriptor = {.fd = *(int *)info, .events = POLLIN};
    while (!SDL_AtomicGet(&isDone)) {
        if (poll(&descriptor, 1, -1) == 1 && post(readableEvent)) SDL_SemWait(served);
    }
    return 0;
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

int main(int count, char **arguments) {
    SDL_Event event;
    SDL_Init(SDL_INIT_TIMER | SDL_INIT_VIDEO);
    readableEvent = SDL_RegisterEvents(2);
    hostTimerEvent = readableEvent + 1;
    served = SDL_CreateSemaphore(0);
    addOurItems();
    int descriptor = CFRunLoopGetDescriptor(loop, kCFRunLoopDefaultMode);
    SDL_Thread *watcher = SDL_CreateThread(watch, "run loop", &descriptor);

    while (SDL_WaitEvent(&event) && event.type != hostTimerEvent) {
        if (event.type != readableEvent) continue;
        CFRunLoopServe(loop, kCFRunLoopDefaultMode);
        SDL_SemPost(served);
    }
    puts("timer of SDL");

    SDL_AtomicSet(&isDone, 1);
    CFRunLoopWakeUp(loop); // ends the watcher's poll
    SDL_SemPost(served);
    SDL_WaitThread(watcher, NULL);
    SDL_DestroySemaphore(served);
    SDL_Quit();
    CFRelease(source0);
    CFRelease(source1);
}
// prints: timer of our loop
// prints: Source0 of our loop
// prints: Source1 of our loop
// prints: timer of SDL
