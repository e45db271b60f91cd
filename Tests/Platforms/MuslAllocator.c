// MuslAllocator.c: with musl, the allocator behind the one that the tests put in its place (Faults.c). glibc exports these names, and one that the
// unwinder of a GCC that was built for glibc asks for.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#define NEXT(name)                                         \
    ({                                                     \
        static void *known;                                \
        if (!known) known = dlsym(RTLD_NEXT, name);        \
        known;                                             \
    })

void *__libc_malloc(size_t size) { return ((void *(*)(size_t))NEXT("malloc"))(size); }
void *__libc_calloc(size_t count, size_t size) { return ((void *(*)(size_t, size_t))NEXT("calloc"))(count, size); }
void *__libc_realloc(void *memory, size_t size) { return ((void *(*)(void *, size_t))NEXT("realloc"))(memory, size); }

/// There is no table of the objects that are loaded.
int _dl_find_object(void *address, void *result) {
    (void)address, (void)result;
    return -1;
}
