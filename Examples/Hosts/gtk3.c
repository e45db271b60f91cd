#include <CoreFoundation/CFRunLoopEmbedding.h>
#include <CoreFoundation/CoreFoundation.h>
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <pthread.h>
#include <stdio.h>

static CFRunLoopRef loop;
static CFRunLoopSourceRef source0;
static GtkWidget *window, *dialog;

// GTK's loop, or the loop of a dialog, calls this function when our descriptor is readable.
static gboolean serve(gint descriptor, GIOCondition condition, gpointer info) {
    CFRunLoopServe(loop, kCFRunLoopDefaultMode);
    return G_SOURCE_CONTINUE;
}

static gboolean hostTimerFires(gpointer info) {
    puts("timer of GTK's loop");
    gtk_main_quit();
    return G_SOURCE_REMOVE;
}

static void source0Performs(void *info) {
    puts("Source0 of our loop in the dialog");
    gtk_dialog_response(GTK_DIALOG(dialog), GTK_RESPONSE_ACCEPT);
}

static void *signalSource0(void *nothing) { // on another thread
    CFRunLoopSourceSignal(source0);
    CFRunLoopWakeUp(loop); // makes the descriptor readable
    return NULL;
}

static void timerFiresInDialog(CFRunLoopTimerRef timer, void *info) {
    pthread_t thread;
    puts("timer of our loop in the dialog");
    pthread_create(&thread, NULL, signalSource0, NULL);
    pthread_detach(thread);
}

static void addTimer(CFTimeInterval delay, CFRunLoopTimerCallBack callback) {
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + delay, 0, 0, 0, callback, NULL);
    CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode);
    CFRelease(timer);
}

static void timerFires(CFRunLoopTimerRef timer, void *info) {
    puts(gtk_widget_get_mapped(window) ? "timer of our loop, with the window on the screen" : "no window");
    dialog = gtk_message_dialog_new(GTK_WINDOW(window), GTK_DIALOG_MODAL, GTK_MESSAGE_INFO, GTK_BUTTONS_OK, "Our loop works here, too.");
    addTimer(0.5, timerFiresInDialog);
    if (gtk_dialog_run(GTK_DIALOG(dialog)) == GTK_RESPONSE_ACCEPT) puts("the dialog is closed");
    gtk_widget_destroy(dialog);
    g_timeout_add(100, hostTimerFires, NULL);
}

int main(int count, char **arguments) {
    CFRunLoopSourceContext context = {.perform = source0Performs};
    gtk_init(&count, &arguments);
    window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_container_add(GTK_CONTAINER(window), gtk_label_new("A window of GTK, with timers of a run loop"));
    gtk_widget_show_all(window);

    loop = CFRunLoopGetCurrent();
    source0 = CFRunLoopSourceCreate(NULL, 0, &context);
    CFRunLoopAddSource(loop, source0, kCFRunLoopDefaultMode);
    addTimer(1, timerFires);
    GSource *source = g_unix_fd_source_new(CFRunLoopGetDescriptor(loop, kCFRunLoopDefaultMode), G_IO_IN);
    g_source_set_callback(source, G_SOURCE_FUNC(serve), NULL, NULL);
    g_source_set_can_recurse(source, TRUE); // without this our loop does not work while the dialog is open
    g_source_attach(source, NULL);

    gtk_main();

    g_source_destroy(source); // before the thread ends, which closes the descriptor
    g_source_unref(source);
    gtk_widget_destroy(window);
    CFRelease(source0);
}
// prints: timer of our loop, with the window on the screen
// prints: timer of our loop in the dialog
// prints: Source0 of our loop in the dialog
// prints: the dialog is closed
// prints: timer of GTK's loop
