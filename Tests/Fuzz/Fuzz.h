/// Fuzz.h: what the fuzzers in C share. They include the public headers alone, and check what these say.
#if !defined(FUZZ_H)
#define FUZZ_H 1

#include <CoreFoundation/CoreFoundation.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// libFuzzer calls it with one input after the other.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// What must hold for every input. libFuzzer keeps the input for which it does not.
#define HOLDS(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s:%d: it does not hold that %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                            \
        }                                                                                       \
    } while (0)

#endif
