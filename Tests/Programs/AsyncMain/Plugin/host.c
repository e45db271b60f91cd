// host.c: a program with the part of Swift's runtime that CRunLoopMainHook uses, or without it. It loads the hook as a plug-in, and unloads it.
//
//     host PLUGIN         the runtime has the variable, and no function is set
//     host PLUGIN other   another library has set its function before
//     host PLUGIN thread  a second thread loads and unloads the plug-in
//     -DWITHOUT           the runtime does not have the variable

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void others(void) {}

#ifdef WITHOUT
static void (*hook)(void);
#else
void (*swift_task_asyncMainDrainQueue_hook)(void);
#define hook swift_task_asyncMainDrainQueue_hook
#endif

static const char *state(void) {
    Dl_info info;
    return !hook ? "not set" : hook == others ? "another library's" : dladdr((void *)hook, &info) ? "set" : "set to a function that is gone";
}

static void *loadAndUnload(void *path) {
    void *plugin = dlopen(path, RTLD_NOW);
    if (!plugin) return puts(dlerror()), NULL;
    bool (*isEnabled)(void) = (bool (*)(void))dlsym(plugin, "CRunLoopMainHookIsEnabled");
    void (*setEnabled)(bool) = (void (*)(bool))dlsym(plugin, "CRunLoopMainHookSetEnabled");
    printf("loaded: %s, enabled %d", state(), isEnabled());
    setEnabled(false);
    printf(", then %d\n", isEnabled());
    dlclose(plugin);
    printf("unloaded: %s\n", state());
    return NULL;
}

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[2], "other")) hook = others;
    pthread_t thread;
    if (argc > 2 && !strcmp(argv[2], "thread") && !pthread_create(&thread, NULL, loadAndUnload, argv[1])) pthread_join(thread, NULL);
    else loadAndUnload(argv[1]);
    return 0;
}
