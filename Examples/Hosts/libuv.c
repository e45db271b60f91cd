#include "guest.h"
#include <uv.h>

static uv_poll_t watcher;
static uv_timer_t hostTimer;

static void hostTimerFires(uv_timer_t *timer) {
    puts("timer of libuv");
    uv_poll_stop(&watcher); // nothing is left to wait for, so uv_run returns
}

static void startHostTimer(void) { uv_timer_start(&hostTimer, hostTimerFires, 500, 0); }

// libuv calls this function when our descriptor is readable.
static void serve(uv_poll_t *poll, int status, int events) { CFRunLoopServe(loop, kCFRunLoopDefaultMode); }

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
    releaseOurItems();
}
// prints: timer of our loop
// prints: Source0 of our loop
// prints: Source1 of our loop
// prints: timer of libuv
