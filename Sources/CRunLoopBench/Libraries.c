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

uv_handle_t *BenchUVHandle(int type, void *data) {
    uv_handle_t *handle = calloc(1, BenchLibuvTable()->uv_handle_size(type));
    handle->data = data;
    return handle;
}

uv_loop_t *BenchUVLoop(void) {
    uv_loop_t *loop = calloc(1, BenchLibuvTable()->uv_loop_size());
    BenchLibuvTable()->uv_loop_init(loop);
    return loop;
}
