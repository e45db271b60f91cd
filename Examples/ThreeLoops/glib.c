// The tasks of tasks.txt on GLib's main loop. It prints the tasks in the order in which they run, "turn" where an iteration looks at its descriptors,
// and "sleep" if it then waits.

#include <glib-unix.h>
#include <unistd.h>

#include "script.h"

static GMainLoop *loop;
static int pipeEnds[2];

static gboolean once(gpointer task) {
    perform(task);
    if (strcmp(((Task *)task)->name, "Z") == 0) g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

static gboolean inputArrives(gint descriptor, GIOCondition condition, gpointer task) {
    char byte;
    if (read(descriptor, &byte, 1) == 1) perform(task);
    return G_SOURCE_REMOVE;
}

static gint pollAndTell(GPollFD *descriptors, guint count, gint timeout) {
    puts("turn");
    if (timeout != 0 && g_poll(descriptors, count, 0) == 0) puts("sleep");
    return g_poll(descriptors, count, timeout);
}

static void ask(Work work, Task *task) {
    switch (work) {
    case workMicro: g_idle_add_full(G_PRIORITY_HIGH, once, task, NULL); break;
    case workTimer: g_timeout_add(0, once, task); break;
    case workLater: g_timeout_add(50, once, task); break;
    case workSoon: g_idle_add(once, task); break;
    case workInput:
        if (pipe(pipeEnds) != 0 || write(pipeEnds[1], "", 1) != 1) exit(1);
        g_unix_fd_add(pipeEnds[0], G_IO_IN, inputArrives, task);
        break;
    }
}

int main(int argumentCount, char **arguments) {
    if (argumentCount != 2) return 2;
    readScript(arguments[1]);
    loop = g_main_loop_new(NULL, FALSE);
    g_main_context_set_poll_func(NULL, pollAndTell);
    perform(&tasks[taskNamed("start")]);
    workForAWhile();
    g_main_loop_run(loop);
}
