/// Libraries.c: GLib and libuv, if they are installed.
#include "Libraries.h"
#include <dlfcn.h>
#include <stdbool.h>

/// Fills a table; returns false if the library is not installed, or too old to have all functions.
static bool load(const char *file, const char *const *names, size_t count, void **functions) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library && i < count; i++) {
        if (!(functions[i] = dlsym(library, names[i]))) return false;
    }
    return library;
}

#define NAME(result, name, arguments) #name,
#define RETURN_TABLE(Table, file, FUNCTIONS) \
    static const char *const names[] = {FUNCTIONS(NAME)}; \
    static Table table; \
    static bool isLoaded; \
    if (!isLoaded) isLoaded = load(file, names, sizeof(names) / sizeof(names[0]), (void **)&table); \
    return isLoaded ? &table : NULL

const GLibTable *BenchGLibTable(void) { RETURN_TABLE(GLibTable, "libglib-2.0.so.0", GLIB_FUNCTIONS); }
const LibuvTable *BenchLibuvTable(void) { RETURN_TABLE(LibuvTable, "libuv.so.1", LIBUV_FUNCTIONS); }
