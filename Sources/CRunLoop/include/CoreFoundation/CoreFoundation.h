/// CoreFoundation.h: the umbrella header.
///
/// A C file that includes <CoreFoundation/CoreFoundation.h> compiles unchanged against a Mac's
/// CoreFoundation, against the Swift toolchain's, and against this project.
#if !defined(__COREFOUNDATION_COREFOUNDATION__)
#define __COREFOUNDATION_COREFOUNDATION__ 1
#define __COREFOUNDATION__ 1

// The original's umbrella (current source) includes these headers, so a file may rely on them.
#include <sys/types.h>
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#if __has_include(<setjmp.h>) // WebAssembly has none
#include <setjmp.h>
#endif
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "CFBase.h"
#include "CFArray.h"
#include "CFBag.h"
#include "CFDate.h"
#include "CFDictionary.h"
#include "CFRunLoop.h"
#include "CFSet.h"
#include "CFString.h"

#endif
