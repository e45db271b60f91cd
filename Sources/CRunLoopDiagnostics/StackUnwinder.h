// StackUnwinder.h: follows the calls on a copy of a thread's stack. Private to this target.

#ifndef STACKUNWINDER_H
#define STACKUNWINDER_H

#include <stdbool.h>
#include <stdint.h>

// Registers are numbered as in the unwind tables (DWARF).
#if defined(__x86_64__)
enum { framePointer = 6, stackPointer = 7, registerCount = 17 }; // rbp, rsp; the 17th is the return address
#elif defined(__aarch64__)
enum { framePointer = 29, linkRegister = 30, stackPointer = 31, registerCount = 32 };
#else
#error "Which numbers do this processor's unwind tables give to the frame pointer and the stack pointer?"
#endif

// A thread's registers and stack at one moment.
struct StackCopy {
    uintptr_t instruction;
    bool isInLinkageStub;       // arm64: the thread is in a stub through which a program calls a library
    uintptr_t registers[registerCount];
    uintptr_t start;            // the address in the thread's stack that words[0] was copied from
    uintptr_t wordCount;
    const uintptr_t *words;
};

// Stores the instruction's address and then the return addresses, innermost first, and returns how many it has stored. It reads
// the copy and the unwind tables of the loaded files, and nothing else: registers and tables may hold anything.
int unwindStack(const struct StackCopy *copy, uintptr_t *addresses, int capacity);

#endif
