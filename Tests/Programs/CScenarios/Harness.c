/// Harness.c: the harness of CTests, compiled for this program as well.
///
/// CScenarios is linked to the library as any program is, so a debugger sees in it what it sees in yours. CTests is not: it compiles the
/// library itself (Library.c), to reach its private functions.
#include "../../CTests/main.c"
#include "../../CTests/Checks.c"
