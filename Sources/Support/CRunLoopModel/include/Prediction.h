/// Prediction.h: what the model (Model.h) says that a program made of a random number (Program.h) writes into its log.
#if !defined(PREDICTION_H)
#define PREDICTION_H 1

#include "LoopProgram.h"
#include "Program.h"

/// What the model makes of a program.
typedef struct {
    char *log;               // to be freed by the caller; ends where the program stops being determined
    const char *reason;      // NULL: it is determined to its end. Otherwise the name of the difference (Differences.h)
    short culprit;           // then: the number of the operation to leave out
    OperationSet performed;  // the operations that were reached
} Prediction;

Prediction predict(const Program *program);

/// Leaves out operations until the model can say what the program does, and those that are never reached. Returns the model's log,
/// which the caller frees. Calls `leavesOut`, unless it is NULL, with the reason for each.
char *programDetermine(Program *program, void (*leavesOut)(const char *reason, void *context), void *context);

/// Writes a program in the language of LoopProgram.h, as people do.
void programWrite(const Program *program, LoopProgram *written);

#endif
