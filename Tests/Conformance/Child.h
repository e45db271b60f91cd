/// Child.h: performances that need a main thread of their own have a process of their own: this program once more.
#if !defined(CHILD_H)
#define CHILD_H 1

/// Runs this program with the arguments `child` and `arguments` (up to NULL) and returns what it prints, to be freed by the
/// caller. Its errors go where ours go. A child that fails, or has not ended after a minute, has a last line that says so.
char *childLog(const char *const *arguments);

#endif
