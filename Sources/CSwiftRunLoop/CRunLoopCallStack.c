// CRunLoopCallStack.c: the calling thread's stack, which the unwinder of the C++ runtime follows, as for Swift's own
// runtime; and which file an address in a program's code belongs to.

#if !defined(__APPLE__) // where nothing uses this target

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 // dladdr
#endif

#include "CRunLoopCallStack.h"
#include <dlfcn.h>
#include <unwind.h>

typedef struct {
    uintptr_t *addresses;
    size_t count, capacity;
} Stack;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *stack_of_call) {
    Stack *stack = stack_of_call;
    uintptr_t address = (uintptr_t)_Unwind_GetIP(context);
    if (!address) return _URC_END_OF_STACK; // a thread's outermost frame
    stack->addresses[stack->count++] = address;
    return stack->count < stack->capacity ? _URC_NO_REASON : _URC_END_OF_STACK;
}

__attribute__((noinline))
size_t CRunLoopCopyCallStack(uintptr_t *addresses, size_t capacity) {
    Stack stack = {addresses, 0, capacity};
    _Unwind_Backtrace(add_frame, &stack);
    return stack.count;
}

const char *CRunLoopPathOfCode(const void *address) {
    Dl_info found;
    return dladdr(address, &found) ? found.dli_fname : NULL;
}

#endif
