// A client of Wayland, in which our run loop is the host: the descriptor of the display is the port of a Source1.
#define _GNU_SOURCE // memfd_create
#include <CoreFoundation/CoreFoundation.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>
#include "xdg-shell.h" // wayland-scanner writes it: see Scripts/check-hosts

enum { width = 64, height = 64, stride = 4 * width };

static CFRunLoopRef loop;
static CFRunLoopSourceRef source0;
static int framesSinceTimer;
static bool isPreparedToRead;

static struct wl_display *display;
static struct wl_compositor *compositor;
static struct wl_shm *shm;
static struct xdg_wm_base *shell;
static struct wl_surface *surface;
static struct wl_buffer *buffer;
static struct wl_callback *frame, *answer;

// MARK: - The display in our loop

static void check(bool succeeded, const char *call) {
    if (succeeded) return;
    perror(call); // the connection is lost, and its descriptor would wake the loop again and again
    exit(1);
}

static void dispatchEvents(void) { check(wl_display_dispatch_pending(display) >= 0, "wl_display_dispatch_pending"); }

// Between prepare and read (or cancel) this thread promises to read. Other threads that read from the display wait for it.
static void prepareToRead(void) {
    if (isPreparedToRead) return;
    while (wl_display_prepare_read(display) != 0) dispatchEvents(); // fails while there are events in the queue
    isPreparedToRead = true;
    // With EAGAIN the socket is full. A program that sends much then waits until the descriptor is writable, too.
    check(wl_display_flush(display) >= 0 || errno == EAGAIN, "wl_display_flush");
}

static void readOrCancel(void) {
    if (!isPreparedToRead) return;
    isPreparedToRead = false;
    struct pollfd descriptor = {wl_display_get_fd(display), POLLIN, 0};
    if (poll(&descriptor, 1, 0) > 0) check(wl_display_read_events(display) == 0, "wl_display_read_events");
    else wl_display_cancel_read(display); // another port woke the loop
}

static void beforeWaiting(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { prepareToRead(); }
static void afterWaiting(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) { readOrCancel(); }

static int getDisplayPort(void *info) { return wl_display_get_fd(display); }

// A pass that does not sleep notifies neither observer, so this function also reads.
static void displayPerforms(void *info) {
    prepareToRead();
    readOrCancel();
    dispatchEvents();
}

static void addObserver(CFRunLoopActivity activity, CFIndex order, CFRunLoopObserverCallBack callBack) {
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(NULL, activity, true, order, callBack, NULL);
    CFRunLoopAddObserver(loop, observer, kCFRunLoopCommonModes);
    CFRelease(observer);
}

static void addDisplay(void) {
    CFRunLoopSourceContext1 context = {.version = 1, .getPort = getDisplayPort, .perform = displayPerforms};
    CFRunLoopSourceRef source1 = CFRunLoopSourceCreate(NULL, 0, (CFRunLoopSourceContext *)&context);
    CFRunLoopAddSource(loop, source1, kCFRunLoopCommonModes);
    CFRelease(source1);
    // Prepare last and read first, because an observer that calls wl_display_roundtrip in between would wait for itself.
    addObserver(kCFRunLoopBeforeWaiting, INT_MAX, beforeWaiting);
    addObserver(kCFRunLoopAfterWaiting, INT_MIN, afterWaiting);
}

// MARK: - The window

static void drawFrame(void);

static void frameDone(void *info, struct wl_callback *callback, uint32_t milliseconds) {
    static bool isLater;
    if (!isLater) puts("first frame");
    isLater = true;
    framesSinceTimer++;
    wl_callback_destroy(callback);
    drawFrame();
}
static const struct wl_callback_listener frameListener = {frameDone};

static void drawFrame(void) {
    frame = wl_surface_frame(surface);
    wl_callback_add_listener(frame, &frameListener, NULL);
    wl_surface_attach(surface, buffer, 0, 0);
    wl_surface_damage(surface, 0, 0, width, height);
    wl_surface_commit(surface); // prepareToRead sends it, before the loop sleeps
}

static void surfaceConfigured(void *info, struct xdg_surface *window, uint32_t serial) {
    xdg_surface_ack_configure(window, serial);
    if (frame) return;
    puts("the window is configured");
    drawFrame();
}
static const struct xdg_surface_listener surfaceListener = {surfaceConfigured};

static void pinged(void *info, struct xdg_wm_base *base, uint32_t serial) { xdg_wm_base_pong(base, serial); }
static const struct xdg_wm_base_listener shellListener = {pinged};

static void toplevelConfigured(void *info, struct xdg_toplevel *toplevel, int32_t w, int32_t h, struct wl_array *states) {}
static void toplevelClosed(void *info, struct xdg_toplevel *toplevel) { CFRunLoopStop(loop); }
static const struct xdg_toplevel_listener toplevelListener = {.configure = toplevelConfigured, .close = toplevelClosed};

static void foundGlobal(void *info, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
    if (!strcmp(interface, wl_compositor_interface.name)) compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 1);
    if (!strcmp(interface, wl_shm_interface.name)) shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    if (!strcmp(interface, xdg_wm_base_interface.name)) shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
}
static void lostGlobal(void *info, struct wl_registry *registry, uint32_t name) {}
static const struct wl_registry_listener registryListener = {foundGlobal, lostGlobal};

static struct wl_buffer *createBuffer(void) {
    int file = memfd_create("window", MFD_CLOEXEC); // all bytes are 0: a black window
    check(file >= 0 && ftruncate(file, stride * height) == 0, "memfd_create");
    struct wl_shm_pool *pool = wl_shm_create_pool(shm, file, stride * height);
    struct wl_buffer *created = wl_shm_pool_create_buffer(pool, 0, width, height, stride, WL_SHM_FORMAT_XRGB8888);
    wl_shm_pool_destroy(pool);
    close(file);
    return created;
}

// MARK: - Our timer, and a Source0 that another thread signals

static void answered(void *info, struct wl_callback *callback, uint32_t serial) {
    puts("the compositor answers the Source0");
    wl_callback_destroy(callback);
}
static const struct wl_callback_listener answerListener = {answered};

static void source0Performs(void *info) {
    puts("Source0 of our loop");
    answer = wl_display_sync(display);
    wl_callback_add_listener(answer, &answerListener, NULL);
}

static void *signalSource0(void *nothing) { // on another thread
    CFRunLoopSourceSignal(source0);
    CFRunLoopWakeUp(loop);
    return NULL;
}

static void timerFires(CFRunLoopTimerRef timer, void *info) {
    puts(framesSinceTimer > 1 ? "timer of our loop, after some frames" : "timer of our loop, without frames");
    framesSinceTimer = 0;
    if (answer) {
        CFRunLoopStop(loop);
        return;
    }
    pthread_t thread;
    pthread_create(&thread, NULL, signalSource0, NULL);
    pthread_detach(thread);
}

int main(void) {
    loop = CFRunLoopGetCurrent();
    display = wl_display_connect(NULL);
    check(display, "wl_display_connect");
    struct wl_registry *registry = wl_display_get_registry(display);
    wl_registry_add_listener(registry, &registryListener, NULL);
    wl_display_roundtrip(display); // before the loop runs, the thread may wait here
    if (!compositor || !shm || !shell) {
        fputs("the compositor has no wl_compositor, wl_shm or xdg_wm_base\n", stderr);
        return 1;
    }

    buffer = createBuffer();
    surface = wl_compositor_create_surface(compositor);
    xdg_wm_base_add_listener(shell, &shellListener, NULL);
    struct xdg_surface *window = xdg_wm_base_get_xdg_surface(shell, surface);
    xdg_surface_add_listener(window, &surfaceListener, NULL);
    struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(window);
    xdg_toplevel_add_listener(toplevel, &toplevelListener, NULL);
    wl_surface_commit(surface); // asks for the first configure event
    addDisplay();

    CFRunLoopSourceContext context0 = {.perform = source0Performs};
    source0 = CFRunLoopSourceCreate(NULL, 0, &context0);
    CFRunLoopAddSource(loop, source0, kCFRunLoopCommonModes);
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + 0.5, 0.5, 0, 0, timerFires, NULL);
    CFRunLoopAddTimer(loop, timer, kCFRunLoopCommonModes);

    CFRunLoopRun();

    CFRunLoopTimerInvalidate(timer);
    CFRelease(timer);
    CFRelease(source0);
    wl_callback_destroy(frame);
    xdg_toplevel_destroy(toplevel);
    xdg_surface_destroy(window);
    wl_surface_destroy(surface);
    wl_buffer_destroy(buffer);
    xdg_wm_base_destroy(shell);
    wl_shm_destroy(shm);
    wl_compositor_destroy(compositor);
    wl_registry_destroy(registry);
    wl_display_disconnect(display); // the loop does not run again, so it does not wait for the closed descriptor
}
// prints: the window is configured
// prints: first frame
// prints: timer of our loop, after some frames
// prints: Source0 of our loop
// prints: the compositor answers the Source0
// prints: timer of our loop, after some frames
