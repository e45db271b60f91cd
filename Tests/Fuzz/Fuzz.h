/// Fuzz.h: what the fuzzers in C share. They include only the public headers, and check what the headers promise.
#if !defined(FUZZ_H)
#define FUZZ_H 1

#include <CoreFoundation/CoreFoundation.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// libFuzzer calls this function with one input after another.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// A condition that must be true for every input. libFuzzer keeps an input for which it is false.
#define HOLDS(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s:%d: it does not hold that %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                            \
        }                                                                                       \
    } while (0)

#endif
