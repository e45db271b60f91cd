/// Blocks.c: the Blocks runtime, by the Block ABI of clang (https://clang.llvm.org/docs/Block-ABI-Apple.html), for platforms on which the
/// toolchain's cannot be installed: those of Scripts/check-platforms, and WebAssembly.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    REFERENCES = 0xFFFE,       // counted in steps of 2
    IS_ON_HEAP = 1 << 24,
    HAS_COPY_AND_DISPOSE = 1 << 25,
    IS_GLOBAL = 1 << 28,
    FIELD_IS_BLOCK = 7,
    FIELD_IS_VARIABLE = 8,     // a __block variable
    FIELD_KIND = 15,
};

struct Descriptor {
    uintptr_t reserved, size;
    void (*copy)(void *to, const void *from);
    void (*dispose)(const void *block);
};

struct Block {
    void *isa;
    _Atomic int flags;
    int reserved;
    void (*invoke)(void *block);
    struct Descriptor *descriptor;
};

struct Variable {
    void *isa;
    struct Variable *forwarding;
    _Atomic int flags;
    uint32_t size;
    void (*keep)(struct Variable *to, struct Variable *from);
    void (*destroy)(struct Variable *);
};

void *_NSConcreteGlobalBlock[32], *_NSConcreteStackBlock[32];

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (!memory) abort();
    return memory;
}

void *_Block_copy(const void *original) {
    struct Block *block = (struct Block *)original;
    if (!block || block->flags & IS_GLOBAL) return block;
    if (block->flags & IS_ON_HEAP) {
        atomic_fetch_add(&block->flags, 2);
        return block;
    }
    struct Block *copy = allocate(block->descriptor->size);
    memcpy(copy, block, block->descriptor->size);
    copy->flags = (block->flags & ~REFERENCES) | IS_ON_HEAP | 2;
    if (copy->flags & HAS_COPY_AND_DISPOSE) copy->descriptor->copy(copy, block);
    return copy;
}

/// Whether this was the last reference.
static bool dropReference(_Atomic int *flags) { return (atomic_fetch_sub(flags, 2) & REFERENCES) == 2; }

void _Block_release(const void *original) {
    struct Block *block = (struct Block *)original;
    if (!block || block->flags & IS_GLOBAL || !(block->flags & IS_ON_HEAP) || !dropReference(&block->flags)) return;
    if (block->flags & HAS_COPY_AND_DISPOSE) block->descriptor->dispose(block);
    free(block);
}

/// The first copy moves the variable to the heap. The one on the stack forwards to it and counts as a second reference.
static struct Variable *copyVariable(struct Variable *variable) {
    struct Variable *from = variable->forwarding;
    if (from->flags & IS_ON_HEAP) {
        atomic_fetch_add(&from->flags, 2);
        return from;
    }
    struct Variable *copy = allocate(from->size);
    memcpy(copy, from, from->size);
    copy->flags = from->flags | IS_ON_HEAP | 4;
    copy->forwarding = from->forwarding = copy;
    if (from->flags & HAS_COPY_AND_DISPOSE) copy->keep(copy, from);
    return copy;
}

static void releaseVariable(struct Variable *variable) {
    variable = variable->forwarding;
    if (!(variable->flags & IS_ON_HEAP) || !dropReference(&variable->flags)) return;
    if (variable->flags & HAS_COPY_AND_DISPOSE) variable->destroy(variable);
    free(variable);
}

void _Block_object_assign(void *field, const void *object, int flags) {
    int kind = flags & FIELD_KIND;
    *(const void **)field = kind == FIELD_IS_BLOCK ? _Block_copy(object)
                          : kind == FIELD_IS_VARIABLE ? copyVariable((struct Variable *)object) : object;
}

void _Block_object_dispose(const void *object, int flags) {
    if ((flags & FIELD_KIND) == FIELD_IS_BLOCK) _Block_release(object);
    if ((flags & FIELD_KIND) == FIELD_IS_VARIABLE) releaseVariable((struct Variable *)object);
}
