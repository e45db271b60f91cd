/// Prediction.c: the model's events in the words of the logs of random programs.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "include/Prediction.h"
#include "include/Model.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const LoopProgram *program;
    FILE *log;
} Listener;

static void writeAnswer(const Listener *listener, const ModelEvent *event) {
    const LoopAction *action = &listener->program->actions[event->action];
    int kind = action->item < 0 ? -1 : (int)listener->program->items[action->item].kind;
    fprintf(listener->log, "%*s", 2 * (event->depth + (action->verb != doReceive)), "");
    switch (action->verb) {
    case doReceive: fputs(event->answer ? "drained" : "was empty", listener->log); break;
    case doAskHow:
        fprintf(listener->log, "valid %d", event->answer);
        if (kind == aSource) fprintf(listener->log, ", signalled %d", event->isSignalled);
        if (kind == aTimer) fprintf(listener->log, ", next %s", !event->answer ? "none" : event->isPast ? "past" : "future");
        break;
    case doAskMode: fputs(event->answer < 0 ? "none" : listener->program->modes[event->answer], listener->log); break;
    case doAskModes: fprintf(listener->log, "default 1, A 1, B 1, common %d", event->answer >> commonModesIndex & 1); break;
    default: fprintf(listener->log, "%d", event->answer);
    }
    fputc('\n', listener->log);
}

/// Writes an event as a performance does.
static void hear(const ModelEvent *event, void *context) {
    const Listener *listener = context;
    const LoopProgram *program = listener->program;
    const LoopAction *action = &program->actions[event->action];
    if (event->kind == isAnswered) return writeAnswer(listener, event);
    fprintf(listener->log, "%*s", event->depth * 2, "");
    switch (event->kind) {
    case actionBegins: loopActionWrite(listener->log, program, action); break;
    case activityBegins: fprintf(listener->log, "~ %s", loopActivityName(event->activity)); break;
    case itemIsCalled: fprintf(listener->log, "%s %s", program->items[event->item].name, loopCallName(program, event->item, event->activity)); break;
    case blockIsCalled: fprintf(listener->log, "%s runs", program->blocks[action->block]); break;
    default: fprintf(listener->log, "result %s", loopResultName(event->answer));
    }
    fputc('\n', listener->log);
}

char *programDetermine(Program *program, void (*leavesOut)(const char *reason, void *context), void *context) {
    for (;;) {
        char *log = NULL;
        size_t length;
        bool performed[mostActions] = {false};
        Listener listener = {&program->loop, open_memstream(&log, &length)};
        ModelResult result = modelPerform(&program->loop, &(ModelOptions){
            .isForRealTime = true, .closeness = 250000000, .isForOriginal = !program->withoutOriginal,
            .happens = hear, .context = &listener, .performed = performed});
        if (!result.reason) fputs("end\n", listener.log);
        fclose(listener.log);
        ActionSet kept = programActions(program);
        for (int i = 0; !result.reason && i < program->loop.actionCount; i++) kept.has[program->loop.actions[i].line] = performed[i];
        if (result.reason) kept.has[program->loop.actions[result.culprit].line] = false;
        programKeep(program, &kept);
        if (!result.reason) return log;
        free(log);
        if (leavesOut) leavesOut(result.reason, context);
    }
}
