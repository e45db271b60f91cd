/// Model.h: what a program (Program.h) should write into its log, by the rules of a pass alone.
///
/// The model is written from DESIGN.md's ten steps and from what is known to be the contract, and shares nothing with either
/// loop. Time does not pass in it but while the loop sleeps. It says what comes of a program, or that this is not determined, and
/// by which operation: then that operation has to go.
#if !defined(MODEL_H)
#define MODEL_H 1

#include "Program.h"

/// What the model makes of a program.
typedef struct {
    char *log;               // to be freed by the caller; ends where the program stops being determined
    const char *reason;      // NULL: it is determined to its end. Otherwise the name of the difference (Differences.h)
    short culprit;           // then: the number of the operation to leave out
    OperationSet performed;  // the operations that were reached
} Prediction;

Prediction predict(const Program *program);

#endif
