/// Library.c: the library, compiled into this program with its private functions extern, so that a test can call any of them.
#define CF_PRIVATE_IS_EXTERN 1
#include "../../Sources/CRunLoop/CRunLoop.c"
