/// Scenarios.h: the list of scenarios, and how one is performed.
#if !defined(SCENARIOS_H)
#define SCENARIOS_H 1

#include "Scenario.h"

/// All scenarios, sorted by name.
const Scenario *const *allScenarios(int *number);
/// NULL when there is none of that name.
const Scenario *scenarioNamed(const char *name);

/// The log of a scenario on one side, to be freed by the caller. May be called from any thread, but for one scenario not from two
/// at the same time: scenarios have variables.
char *performScenario(const Scenario *scenario, Side side);

/// Performs a scenario on the calling thread and prints its log as it comes: what a child does.
void performScenarioHere(const Scenario *scenario, Side side);

#endif
