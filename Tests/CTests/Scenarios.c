/// Scenarios.c: the scenarios of Programs/Conformance on our loop alone. `Conformance run` performs them on the toolchain's loop as well, and compares
/// the logs; here the judge is the digest of that log, which stands in the scenario.
#include "LoopSupport.h"
#include "../../Programs/Conformance/Scenario.h"
#include "../../Programs/CRunLoopModel/LoopCases.h"

typedef enum { onThreads, onMainThread } Place;

/// Performs a scenario in a child, because it begins with a new process, and returns its log.
static char *logOfScenario(void (*body)(void), Place place) {
    int status;
    char *log = FileOfChild(&status, ^(int file) {
        if (place == onMainThread) body();
        else OnNewThread(^{ body(); });
        dprintf(file, "%s", LogCopy());
    });
    if (status) FAIL("the scenario ends with the status %x", status);
    return log;
}

/// On a busy machine a limit may pass while a callback still runs, so a scenario whose log is another one is performed again.
static void performScenario(void (*body)(void), Place place, uint32_t digest) {
    enum { attempts = 4 };
    ChecksLoops = false; // the scenarios go where the checker's rules are not yet true
    for (int attempt = 1;; attempt++) {
        char *log = logOfScenario(body, place);
        uint32_t found = loopEventsDigest(log);
        if (found != digest && attempt == attempts) FAIL("This is not the log of the toolchain's loop:\n%s\nIf it is: 0x%08x", log, found);
        free(log);
        if (found == digest) return;
    }
}

#define SCENARIO(name, place, digest)                                                                                     \
    static void name##_body(void);                                                                                        \
    TEST(scenario_##name, "The scenario " #name " of Conformance logs what it logs on the toolchain's loop") {            \
        performScenario(name##_body, place, digest);                                                                      \
    }                                                                                                                     \
    static void name##_body(void)

#include "../../Programs/Conformance/Scenarios/containers.c"
#include "../../Programs/Conformance/Scenarios/context-common.c"
#include "../../Programs/Conformance/Scenarios/contexts.c"
#include "../../Programs/Conformance/Scenarios/descriptions.c"
#include "../../Programs/Conformance/Scenarios/mode-names.c"
#include "../../Programs/Conformance/Scenarios/odd-arguments.c"
#include "../../Programs/Conformance/Scenarios/registry.c"
#include "../../Programs/Conformance/Scenarios/run-forever.c"
#include "../../Programs/Conformance/Scenarios/run-limits.c"
#include "../../Programs/Conformance/Scenarios/source-context.c"
#include "../../Programs/Conformance/Scenarios/source-equal.c"
#include "../../Programs/Conformance/Scenarios/strings.c"
#include "../../Programs/Conformance/Scenarios/thread-end.c"
#include "../../Programs/Conformance/Scenarios/timer-dates.c"
#include "../../Programs/Conformance/Scenarios/timer-properties.c"
#include "../../Programs/Conformance/Scenarios/two-loops.c"
