/// Scenarios.c: the list of scenarios, and the function that performs one on one side.
#include "Scenarios.h"
#include "Child.h"
#include <stdlib.h>
#include <string.h>

enum { mostScenarios = 200 };
static const Scenario *scenarios[mostScenarios];
static int count;

void registerScenario(const Scenario *scenario) {
    if (count == mostScenarios) abort();
    scenarios[count++] = scenario;
}

static int byName(const void *left, const void *right) {
    return strcmp((*(const Scenario *const *)left)->name, (*(const Scenario *const *)right)->name);
}

const Scenario *const *allScenarios(int *number) {
    qsort(scenarios, (size_t)count, sizeof scenarios[0], byName);
    *number = count;
    return scenarios;
}

const Scenario *scenarioNamed(const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(scenarios[i]->name, name)) return scenarios[i];
    return NULL;
}

// MARK: - Threads (Items.h)

/// The pause at the end is for the original: its dispatch source for a run's limit retains the loop until it has been cancelled on another
/// thread, so the loop's items would sometimes be released after the thread's end. [D31]
pthread_t StartThread(Body body) {
    return stageStartThread(^{
        body();
        usleep(30000);
    });
}

void JoinThread(pthread_t thread) { pthread_join(thread, NULL); }

// MARK: - Performing

static char *onNewThread(const Scenario *scenario, Side side) {
    Stage *where = stageMake(side, scenario->name);
    void (*body)(void) = scenario->body;
    pthread_join(stageStartThreadOn(where, ^{ body(); }), NULL);
    char *log = stageTakeLog(where);
    stageFree(where);
    return log;
}

char *performScenario(const Scenario *scenario, Side side) {
    if (scenario->place == onThreads) return onNewThread(scenario, side);
    return childLog((const char *[]){"scenario", sideName(side), scenario->name, NULL});
}

void performScenarioHere(const Scenario *scenario, Side side) {
    stage = stageMake(side, scenario->name);
    stage->log.copyTo = 1;
    scenario->body();
}
