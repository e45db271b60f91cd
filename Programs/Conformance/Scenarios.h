/// Scenarios.h: the list of scenarios, and the functions that perform one.
#if !defined(SCENARIOS_H)
#define SCENARIOS_H 1

#include "Scenario.h"

/// All scenarios, sorted by name.
const Scenario *const *allScenarios(int *number);
/// Returns NULL if there is none of that name.
const Scenario *scenarioNamed(const char *name);

/// Returns the log of a scenario on one side, which the caller frees. Call it on any thread, but not for one scenario on two threads at the
/// same time, because scenarios have static variables.
char *performScenario(const Scenario *scenario, Side side);

/// Performs a scenario on the calling thread and prints each line of its log at once: for a child.
void performScenarioHere(const Scenario *scenario, Side side);

#endif
