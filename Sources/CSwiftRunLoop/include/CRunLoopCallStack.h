// CRunLoopCallStack.h: the calling thread's stack, and what an address in a program's code belongs to.

#ifndef CRUNLOOPCALLSTACK_H
#define CRUNLOOPCALLSTACK_H

#include <stddef.h>
#include <stdint.h>

/// Writes the addresses on the calling thread's stack, innermost first: in this function, in its caller, and so on.
/// - Returns: their number.
size_t CRunLoopCopyCallStack(uintptr_t *addresses, size_t capacity);

/// Returns the path of the program or library that an address belongs to, or null. The string lives as long as the
/// library is loaded. May be called from any thread.
const char *CRunLoopPathOfCode(const void *address);

/// The Swift runtime's function, which prints the names in a crash. No header declares it.
/// - Returns: the name as Swift prints it, which the caller frees; null if it is no name of Swift's.
char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

#endif
