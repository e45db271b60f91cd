/// Prediction.h: what the model (Model.h) says that a program made of a random number (Program.h) writes into its log.
#if !defined(PREDICTION_H)
#define PREDICTION_H 1

#include "Program.h"

/// Leaves out actions until the model can say what the program does, and those that are never reached. Returns the model's log,
/// which the caller frees. Calls `leavesOut`, unless it is NULL, with the reason for each.
char *programDetermine(Program *program, void (*leavesOut)(const char *reason, void *context), void *context);

#endif
