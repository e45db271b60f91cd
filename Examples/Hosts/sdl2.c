#include "guest.h"
#include <SDL.h>
#include <poll.h>
#include <stdbool.h>

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
    releaseOurItems();
}
// prints: timer of our loop
// prints: Source0 of our loop
// prints: Source1 of our loop
// prints: timer of SDL
