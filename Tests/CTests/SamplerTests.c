/// SamplerTests.c: CThreadSampler takes the stack of another thread, whatever the thread is doing and whatever its unwind tables say (A5).
#include "CTests.h"
#include "CThreadSampler.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { mostAddresses = 64 };

static atomic_bool isOver, isRunning;

/// ThreadSanitizer calls a signal handler only when the thread makes a system call, and from another frame.
static void skipWhereSignalsWait(void) {
    if (UNDER_THREAD_SANITIZER) SKIP("ThreadSanitizer delays signals");
}

/// Whether one of the addresses is in the function, however long a sanitizer makes it.
static bool contains(const uintptr_t *addresses, int count, const void *function) {
    for (int index = 0; index < count; index++) {
        const void *start;
        if (_CFGetNameOfFunction((const void *)addresses[index], &start) && start == function) return true;
    }
    return false;
}

// MARK: - Functions with wrong unwind tables

/// Each function spins until the first byte at its argument is not 0. It keeps a frame pointer, as Swift does, but its unwind table is
/// wrong: it says that the caller's frame begins at an address that is 0, odd, beyond the stack or in the middle of it.
#if defined(__x86_64__)
#define LYING_FUNCTION(name, prepare, cfaRegister)                                  \
    void name(const atomic_bool *isOver);                                           \
    __asm__(".text\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n"       \
            "push %rbp\nmov %rsp, %rbp\n" prepare "\n.cfi_def_cfa " cfaRegister ", 16\n" \
            "1: cmpb $0, (%rdi)\nje 1b\npop %rbp\nret\n.cfi_endproc\n.size " #name ", .-" #name "\n")
LYING_FUNCTION(saysNull, "xor %eax, %eax", "%rax");
LYING_FUNCTION(saysOdd, "lea 3(%rsp), %rax", "%rax");
LYING_FUNCTION(saysBeyond, "mov $0x7fffffffffff0000, %rax", "%rax");
LYING_FUNCTION(saysBelow, "lea -4096(%rsp), %rax", "%rax");
#else
#define LYING_FUNCTION(name, prepare, cfaRegister)                                  \
    void name(const atomic_bool *isOver);                                           \
    __asm__(".text\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n"       \
            "stp x29, x30, [sp, -16]!\nmov x29, sp\n" prepare "\n.cfi_def_cfa " cfaRegister ", 16\n.cfi_offset 30, -8\n" \
            "1: ldrb w10, [x0]\ncbz w10, 1b\nldp x29, x30, [sp], 16\nret\n.cfi_endproc\n.size " #name ", .-" #name "\n")
LYING_FUNCTION(saysNull, "mov x9, 0", "9");
LYING_FUNCTION(saysOdd, "add x9, sp, 3", "9");
LYING_FUNCTION(saysBeyond, "mov x9, 0x7fff000000000000", "9");
LYING_FUNCTION(saysBelow, "sub x9, sp, 4096", "9");
#endif

typedef void (*Function)(const atomic_bool *);

__attribute__((noinline)) static void *callIt(void *function) {
    atomic_store(&isRunning, true);
    ((Function)function)(&isOver);
    __asm__ volatile(""); // not a tail call
    return NULL;
}

static void checkSampled(Function function) {
    uintptr_t addresses[mostAddresses];
    pthread_t thread;
    atomic_store(&isOver, false);
    atomic_store(&isRunning, false);
    pthread_create(&thread, NULL, callIt, (void *)function);
    CHECK(WAIT_UNTIL(atomic_load(&isRunning), 30));
    int count = 0;
    CHECK(WAIT_UNTIL((count = CThreadSamplerTake(thread, addresses, mostAddresses, 1000)) > 0 &&
                     contains(addresses, 1, (const void *)function), 30));
    CHECK(contains(addresses, count, (const void *)callIt)); // found with the frame pointer
    atomic_store(&isOver, true);
    pthread_join(thread, NULL);
}

TEST(A5_wrong_unwind_tables_end_no_program,
     "A thread is sampled in a function whose unwind table is wrong: the sampler finds the caller with the frame pointer, and reads "
     "nothing beyond the thread's stack") {
    skipWhereSignalsWait();
    checkSampled(saysNull);
    checkSampled(saysOdd);
    checkSampled(saysBeyond);
    checkSampled(saysBelow);
}

// MARK: - Functions of the C library

static void *readOneByte(void *descriptor) {
    char byte;
    atomic_store(&isRunning, true);
    if (read(*(int *)descriptor, &byte, 1) != 1) FAIL("the read was disturbed");
    return NULL;
}

TEST(A5_a_system_function_has_its_callers,
     "A thread that waits in a function of the C library, which keeps no frame pointer, is sampled with the function's callers") {
    skipWhereSignalsWait();
    uintptr_t addresses[mostAddresses];
    int ends[2], count = 0;
    pthread_t thread;
    CHECK_EQ_INT(pipe(ends), 0);
    pthread_create(&thread, NULL, readOneByte, &ends[0]);
    CHECK(WAIT_UNTIL(atomic_load(&isRunning), 30));
    CHECK(WAIT_UNTIL((count = CThreadSamplerTake(thread, addresses, mostAddresses, 1000)) > 0 &&
                     contains(addresses, count, (const void *)readOneByte), 30));
    CHECK_EQ_INT(write(ends[1], "x", 1), 1);
    pthread_join(thread, NULL);
}

static void *allocate(void *unused) {
    char *blocks[100] = {NULL};
    atomic_store(&isRunning, true);
    for (unsigned count = 0; !atomic_load(&isOver); count++) {
        char **block = &blocks[count % 100];
        free(*block);
        *block = malloc(20 + count % 1000);
        memset(*block, 1, 20);
    }
    for (int index = 0; index < 100; index++) free(blocks[index]);
    return NULL;
}

static const char *nameOf(uintptr_t address) {
    const void *start;
    const char *name = _CFGetNameOfFunction((const void *)address, &start);
    return name ? name : "an unknown function";
}

/// At the end of a function, the registers that it has restored are no longer on the stack, although its table still says so. And a call of
/// another library goes through a stub whose unwind table has an expression.
TEST(A5_a_thread_is_sampled_anywhere_in_the_allocator,
     "A thread that allocates is sampled two thousand times, wherever it is, and nearly every stack leads to its function") {
    skipWhereSignalsWait();
    enum { samples = 2000 };
    uintptr_t addresses[mostAddresses];
    int found = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, allocate, NULL);
    CHECK(WAIT_UNTIL(atomic_load(&isRunning), 30));
    for (int sample = 0; sample < samples; sample++) {
        int count = CThreadSamplerTake(thread, addresses, mostAddresses, 10000);
        bool isFound = contains(addresses, count, (const void *)allocate);
        found += isFound;
        if (!isFound) LOG("%s, %d addresses", count ? nameOf(addresses[0]) : "no answer", count);
    }
    if (found < samples * 98 / 100) FAIL("%d of %d stacks lead to the function; the others begin in\n%s", found, samples, LogCopy());
    atomic_store(&isOver, true);
    pthread_join(thread, NULL);
}
