/// PlayOnTable.c: performs programs on Linux, on the run loop of a table.
#define _GNU_SOURCE 1
#include "include/PlayProgram.h"
#include <CoreFoundation/CFPortSupport.h>

#define TABLE performReal->table
#include <CFRunLoopTableNames.h>

#define PERFORM_HAS_HOSTS (performReal->table == CFRunLoopTableOurs())
#include "PerformProgram.c"

void playOnTable(const LoopProgram *program, const CFRunLoopTable *table, FILE *out) {
    performReally(program, &(struct PerformReal){.table = table, .out = out});
}
