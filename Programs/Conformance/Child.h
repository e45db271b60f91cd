/// Child.h: performances that need their own main thread get their own process, which runs this program.
#if !defined(CHILD_H)
#define CHILD_H 1

/// Runs this program with the arguments `child` and `arguments` (up to NULL) and returns its output, which the caller frees. Its stderr is
/// ours. If the child fails, or has not ended after a minute, the last line says so.
char *childLog(const char *const *arguments);

#endif
