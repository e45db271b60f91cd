/// Libraries.c: GLib and libuv, if they are installed.
#include "Libraries.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/// Sets one function of a table; returns false if the library is too old to have it.
static bool load(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    *(void **)function = address;
    return address != NULL;
}

const GLibTable *BenchGLibTable(void) {
    static GLibTable table;
    static bool isLoaded;
    if (isLoaded) return &table;
    void *library = dlopen("libglib-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
#define LOAD(result, name, arguments) if (!load(library, #name, &table.name)) return NULL;
    GLIB_FUNCTIONS(LOAD)
#undef LOAD
    isLoaded = true;
    return &table;
}

const LibuvTable *BenchLibuvTable(void) {
    static LibuvTable table;
    static bool isLoaded;
    if (isLoaded) return &table;
    void *library = dlopen("libuv.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
#define LOAD(result, name, arguments) if (!load(library, #name, &table.name)) return NULL;
    LIBUV_FUNCTIONS(LOAD)
#undef LOAD
    isLoaded = true;
    return &table;
}
