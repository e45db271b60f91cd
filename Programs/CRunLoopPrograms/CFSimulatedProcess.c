/// CFSimulatedProcess.c: the memory of a simulated process. Each simulation is a process of its
/// own: it begins with the library's variables as they were before the first one, and with an empty
/// heap. What is left in the heap when it has given everything back is a leak.
///
/// A WebAssembly module is one process: its page makes another instance for another one.
#include <stdlib.h>
#include <string.h>

// MARK: - The heap

/// What stands before each allocation: its neighbours in the list of all.
struct __CFSimAllocation {
    _Alignas(16) struct __CFSimAllocation *next;
    struct __CFSimAllocation *previous;
};
static struct __CFSimAllocation *__CFSimHeap;
static size_t __CFSimHeapCount; // of allocations, and of copied blocks

static void *__CFSimAddToHeap(struct __CFSimAllocation *allocation) {
    if (!allocation) return NULL;
    allocation->next = __CFSimHeap;
    allocation->previous = NULL;
    if (__CFSimHeap) __CFSimHeap->previous = allocation;
    __CFSimHeap = allocation;
    __CFSimHeapCount++;
    return allocation + 1;
}

static struct __CFSimAllocation *__CFSimTakeFromHeap(void *memory) {
    struct __CFSimAllocation *allocation = (struct __CFSimAllocation *)memory - 1;
    if (allocation->next) allocation->next->previous = allocation->previous;
    if (allocation->previous) allocation->previous->next = allocation->next;
    else __CFSimHeap = allocation->next;
    __CFSimHeapCount--;
    return allocation;
}

void *__CFSimMalloc(size_t size) {
    return __CFSimAddToHeap(malloc(sizeof(struct __CFSimAllocation) + size));
}

void *__CFSimCalloc(size_t count, size_t size) {
    return __CFSimAddToHeap(calloc(1, sizeof(struct __CFSimAllocation) + count * size));
}

void *__CFSimRealloc(void *memory, size_t size) {
    struct __CFSimAllocation *allocation = memory ? __CFSimTakeFromHeap(memory) : NULL, *moved;
    moved = realloc(allocation, sizeof(struct __CFSimAllocation) + size);
    if (!moved && allocation) __CFSimAddToHeap(allocation);
    return __CFSimAddToHeap(moved);
}

void __CFSimFree(void *memory) {
    if (memory) free(__CFSimTakeFromHeap(memory));
}

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

/// The runtime of blocks has a heap of its own.
void *__CFSimBlockCopy(const void *block) {
    __CFSimHeapCount++;
    return _Block_copy(block);
}

void __CFSimBlockRelease(const void *block) {
    __CFSimHeapCount--;
    _Block_release(block);
}

// MARK: - The variables

#if defined(__wasm__)

#define CF_SIM_SECTION_BEGINS
#define CF_SIM_SECTION_ENDS
static void __CFSimBeginProcess(void) {}

#else

// The linker knows where the sections begin and end.
#define CF_SIM_SECTION_BEGINS _Pragma("clang section bss = \"CFSimZeros\" data = \"CFSimValues\"")
#define CF_SIM_SECTION_ENDS _Pragma("clang section bss = \"\" data = \"\"")
extern char __start_CFSimZeros[], __stop_CFSimZeros[], __start_CFSimValues[], __stop_CFSimValues[];

/// Copies all variables at once. AddressSanitizer has put bytes between them that nobody may touch.
__attribute__((noinline, no_sanitize("address"), no_builtin("memcpy")))
static void __CFSimCopyVariables(char *to, const char *from, size_t size) {
    for (size_t i = 0; i < size; i++) to[i] = from[i];
}

/// Gives the library's variables the values that they had before the first process, and frees what
/// the last one has left.
static void __CFSimBeginProcess(void) {
    static char *zeros, *values;
    size_t zerosSize = (size_t)(__stop_CFSimZeros - __start_CFSimZeros);
    size_t valuesSize = (size_t)(__stop_CFSimValues - __start_CFSimValues);
    while (__CFSimHeap) __CFSimFree(__CFSimHeap + 1);
    __CFSimHeapCount = 0;
    if (!zeros) { // constructors have run
        zeros = malloc(zerosSize);
        values = malloc(valuesSize);
        __CFSimCopyVariables(zeros, __start_CFSimZeros, zerosSize);
        __CFSimCopyVariables(values, __start_CFSimValues, valuesSize);
    } else {
        __CFSimCopyVariables(__start_CFSimZeros, zeros, zerosSize);
        __CFSimCopyVariables(__start_CFSimValues, values, valuesSize);
    }
}

#endif
