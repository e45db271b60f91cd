/// CFRunLoopTable.c: fills the two tables: one with our functions, one with what dlsym finds in the toolchain's libFoundation.so.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CFRunLoopTable.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: - The list, once more, as data

/// One place in the table.
typedef struct {
    const char *name;
    size_t offset;
    size_t size;       // of a value to be copied; 0 if the symbol's address itself is what the table holds
    const void *ours;  // our symbol's address
} Entry;

#define ADDRESS_ENTRY(name) {#name, offsetof(CFRunLoopTable, name), 0, (const void *)&name},
#define VALUE_ENTRY(type, name) {#name, offsetof(CFRunLoopTable, name), sizeof(name), (const void *)&name},
#define VALUE_CHECK(type, name) _Static_assert(__builtin_types_compatible_p(type, __typeof__(name)), #name " has another type");
#define NOTHING(...)

static const Entry entries[] = {CFRUNLOOP_TABLE(ADDRESS_ENTRY, VALUE_ENTRY)};
enum { entryCount = sizeof entries / sizeof entries[0] };
CFRUNLOOP_TABLE(NOTHING, VALUE_CHECK)

static void fill(CFRunLoopTable *table, const Entry *entry, const void *symbol) {
    void *place = (char *)table + entry->offset;
    if (entry->size > 0) memcpy(place, symbol, entry->size);
    else memcpy(place, &symbol, sizeof symbol);
}

// MARK: - Ours

static CFRunLoopTable ours;

static void fillOurs(void) {
    for (size_t i = 0; i < entryCount; i++) fill(&ours, &entries[i], entries[i].ours);
}

const CFRunLoopTable *CFRunLoopTableOurs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fillOurs);
    return &ours;
}

// MARK: - The original's

static CFRunLoopTable original;
static bool originalIsThere;
static char originalPath[PATH_MAX];
static char originalError[2 * PATH_MAX];

#define LIBRARY "libFoundation.so"

/// Local, so that nothing in this program is bound to it; for good, since threads of libdispatch may be in it at the end.
static void *openLibrary(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

/// The library in the toolchain that has the `swift` of one directory of PATH: ../lib/swift/linux, seen from where that really is.
static void *openBesideSwift(const char *directory, int length) {
    char program[PATH_MAX], real[PATH_MAX], library[PATH_MAX + 64];
    snprintf(program, sizeof program, "%.*s/swift", length, directory);
    if (!realpath(program, real)) return NULL;
    for (int i = 0; i < 2; i++) { // usr/bin/swift -> usr
        char *slash = strrchr(real, '/');
        if (!slash) return NULL;
        *slash = '\0';
    }
    snprintf(library, sizeof library, "%s/lib/swift/linux/" LIBRARY, real);
    return openLibrary(library);
}

static void *openBesideSwiftInPath(void) {
    const char *path = getenv("PATH");
    void *library = NULL;
    while (path && !library) {
        const char *colon = strchrnul(path, ':');
        library = openBesideSwift(path, (int)(colon - path));
        path = *colon ? colon + 1 : NULL;
    }
    return library;
}

__attribute__((format(printf, 1, 2)))
static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(originalError, sizeof originalError, format, arguments);
    va_end(arguments);
}

static void *openOriginal(void) {
    void *library = openLibrary(LIBRARY);
    if (library) return library;
    const char *why = dlerror();
    fail("the original run loop is not here: %s, and no swift in PATH has it in its toolchain", why ? why : LIBRARY);
    return openBesideSwiftInPath();
}

static void fillOriginal(void) {
    void *library = openOriginal();
    if (!library) return;
    for (size_t i = 0; i < entryCount; i++) {
        const void *symbol = dlsym(library, entries[i].name);
        if (!symbol) return fail("the toolchain's " LIBRARY " has no %s: the table does not know its version", entries[i].name);
        fill(&original, &entries[i], symbol);
    }
    Dl_info info;
    if (dladdr((const void *)original.CFRunLoopRun, &info) && info.dli_fname)
        snprintf(originalPath, sizeof originalPath, "%s", info.dli_fname);
    originalIsThere = true;
}

static void fillOriginalOnce(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fillOriginal);
}

const CFRunLoopTable *CFRunLoopTableOriginal(const char **error) {
    fillOriginalOnce();
    if (originalIsThere) return &original;
    if (error) *error = originalError;
    return NULL;
}

const char *CFRunLoopTableOriginalPath(void) {
    fillOriginalOnce();
    return originalIsThere ? originalPath : NULL;
}
