/// Prediction.c: random programs without what the model cannot predict.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "include/Prediction.h"
#include "include/Model.h"
#include <stdlib.h>
#include <string.h>

char *programDetermine(Program *program, void (*leavesOut)(const char *reason, void *context), void *context) {
    for (;;) {
        char *log = NULL;
        size_t length;
        bool performed[mostActions] = {false};
        ModelLog written = {open_memstream(&log, &length), &program->loop, true};
        ModelResult result = modelPerform(&program->loop, &(ModelOptions){
            .isForRealTime = true, .closeness = 250000000, .isForOriginal = !program->withoutOriginal,
            .happens = modelWriteEvent, .context = &written, .performed = performed});
        if (!result.reason) fputs("end\n", written.out);
        fclose(written.out);
        ActionSet kept = programActions(program);
        for (int i = 0; !result.reason && i < program->loop.actionCount; i++) kept.has[program->loop.actions[i].line] = performed[i];
        if (result.reason) kept.has[program->loop.actions[result.culprit].line] = false;
        programKeep(program, &kept);
        if (!result.reason) return log;
        free(log);
        if (leavesOut) leavesOut(result.reason, context);
    }
}
