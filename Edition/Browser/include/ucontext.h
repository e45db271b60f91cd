/// ucontext.h: the switching of stacks in a WebAssembly module, which has no such header. Binaryen's
/// `wasm-opt --asyncify` makes it possible: it lets a call return through all its callers, which
/// save their variables on the way, and lets it go on from there later.
///
/// A context has a stack for what C keeps in memory, and a record for the variables that asyncify
/// saves. The first swapcontext, which leaves no context, performs the others until one of them
/// comes back to it. Include this header in one file.
#if !defined(PAGE_UCONTEXT)
#define PAGE_UCONTEXT 1

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct ucontext {
    struct {
        char *next, *end; // of the record; asyncify knows these two fields
    } asyncify;
    struct {
        void *ss_sp;
        size_t ss_size;
    } uc_stack;
    void (*body)(void);
    char *stackPointer, *record;
    bool hasBegun;
} ucontext_t;

enum { contextRecordSize = 64 * 1024 };

#define ASYNCIFY(name) __attribute__((import_module("asyncify"), import_name(#name))) extern
ASYNCIFY(start_unwind) void asyncifyStartUnwind(void *record);
ASYNCIFY(stop_unwind) void asyncifyStopUnwind(void);
ASYNCIFY(start_rewind) void asyncifyStartRewind(void *record);
ASYNCIFY(stop_rewind) void asyncifyStopRewind(void);

static ucontext_t *contextHome, *contextRunning, *contextNext;
static bool contextRewinds;

__asm__(".globaltype __stack_pointer, i32");
static inline char *contextGetStackPointer(void) {
    char *pointer;
    __asm__ volatile("global.get __stack_pointer\n local.set %0" : "=r"(pointer));
    return pointer;
}
static inline void contextSetStackPointer(char *pointer) {
    __asm__ volatile("local.get %0\n global.set __stack_pointer" : : "r"(pointer));
}

static inline int getcontext(ucontext_t *context) {
    *context = (ucontext_t){0};
    return 0;
}

static inline void makecontext(ucontext_t *context, void (*body)(void), int argumentCount) {
    (void)argumentCount;
    context->body = body;
    context->stackPointer =
        (char *)(((size_t)context->uc_stack.ss_sp + context->uc_stack.ss_size) & ~(size_t)15);
}

/// Performs contexts until one of them goes to the home context.
static __attribute__((noinline)) void contextPerform(ucontext_t *context) {
    char *stackPointer = contextGetStackPointer();
    while (context != contextHome) {
        contextRunning = context;
        contextSetStackPointer(context->stackPointer);
        if (context->hasBegun) {
            contextRewinds = true;
            asyncifyStartRewind(&context->asyncify);
        }
        context->hasBegun = true;
        context->body();
        asyncifyStopUnwind();
        context = contextNext;
    }
    contextRunning = NULL;
    contextSetStackPointer(stackPointer);
}

/// Leaves the stack of `from` and goes to that of `to`. Returns when something comes back. Nothing
/// here is on the stack in memory, so the stack pointer is that of the caller.
static __attribute__((noinline)) int swapcontext(ucontext_t *from, ucontext_t *to) {
    if (contextRewinds) {
        contextRewinds = false;
        asyncifyStopRewind();
    } else if (!contextRunning) {
        contextHome = from;
        contextPerform(to);
    } else {
        if (!from->record) from->record = malloc(contextRecordSize);
        if (!from->record) abort();
        from->asyncify.next = from->record;
        from->asyncify.end = from->record + contextRecordSize;
        from->stackPointer = contextGetStackPointer();
        contextNext = to;
        asyncifyStartUnwind(&from->asyncify);
    }
    return 0;
}

/// The same, and nothing comes back.
static inline int setcontext(ucontext_t *to) { return swapcontext(contextRunning, to); }

#endif
