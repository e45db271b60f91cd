/// Lesson.h: small random programs, for people to predict.
#if !defined(LESSON_H)
#define LESSON_H 1

#include "Prediction.h"

enum { easiestLesson = 1, hardestLesson = 3 };

/// Makes the small program of a seed and a level: 1 has one source, blocks and a run; 2 also timers, several sources and what
/// callbacks queue; 3 also nested runs, stops and a second mode. Returns the log that the model predicts, which the caller frees.
/// Lines that begin with "~ " are activities, of which an observer is
/// notified in every run.
char *lessonMake(Program *program, uint64_t seed, int level);

/// Returns the program as text, which the caller frees.
char *lessonText(const Program *program);

#endif
