/// Lesson.h: small random programs, for people to predict.
#if !defined(LESSON_H)
#define LESSON_H 1

#include <stdint.h>

enum { easiestLesson = 1, hardestLesson = 3 };

/// Makes the small program of a seed and a level: 1 has one source, blocks and a run; 2 also timers, several sources and what
/// callbacks queue; 3 also nested runs, stops and a second mode. Returns the log that the model predicts, and the program as text; the
/// caller frees both. Lines of the log that begin with "~ " are activities, of which an observer is notified in every run.
char *lessonMake(uint64_t seed, int level, char **text);

#endif
