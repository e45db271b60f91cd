/// CRunLoopRenamed.c: there is nothing to compile here. A target must have a source file; what counts is its header, which the package
/// trait RenamedSymbols puts in the way of every file that uses the library.
#include "CFRenamedSymbols.h"

typedef int CRunLoopRenamed; // C wants at least one declaration
