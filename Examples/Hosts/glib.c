#include "guest.h"
#include <glib-unix.h>

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
    releaseOurItems();
}
// prints: timer of our loop
// prints: Source0 of our loop
// prints: Source1 of our loop
// prints: timer of GLib
