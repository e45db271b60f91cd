/// Scenario.h: what the scenarios share. A scenario is a test in C without an expected result: it is performed on the original's run loop and on ours
/// (Stage.h), and must log the same both times. So a line never contains an address, a clock time or anything else in which two right results may
/// differ. Lines are indented by the number of callbacks and runs around them.
///
/// Each file has one scenario and begins with its subject. The text is that of an ordinary program, in the vocabulary of Items.h: macros turn the
/// names of CoreFoundation into members of the current table (CFRunLoopTableNames.h). A scenario must initialize its variables at the beginning,
/// since both performances are in one process. The C tests perform the scenarios as well, on our loop alone, and compare the log's digest
/// (Tests/CTests/Scenarios.c).
#if !defined(SCENARIO_H)
#define SCENARIO_H 1

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#if !defined(CTESTS_H)

#include "Stage.h"

#undef CFSTR
#define CFSTR(text) stageString(text)
#define TABLE (stage->table)
#include "CFRunLoopTableNames.h"

#define LOG(...) say(__VA_ARGS__)
#define BODY_BEGINS() (stageDepth++)
#define BODY_ENDS() (stageDepth--)
/// A timer whose date has passed is due at once, but the original's timer descriptor reports it only after a moment, and a run with a limit of 0
/// would sometimes miss it.
#define RUN_BEGINS() (usleep(2000), stageDepth++)
#include "Items.h"

/// Where a scenario is performed.
typedef enum {
    onThreads,    // on a new thread of this process
    onMainThread, // on the main thread of another process
} Place;

typedef struct Scenario {
    const char *name;
    Place place;
    uint32_t digest; // of the log that both loops write
    void (*body)(void);
} Scenario;

/// Called before main, once for each scenario (Scenarios.c).
void registerScenario(const Scenario *scenario);

/// Defines the scenario of this file.
#define SCENARIO(name, place, digest)                                                \
    static void scenario_##name(void);                                               \
    __attribute__((constructor)) static void scenario_##name##_register(void) {      \
        static const Scenario described = {#name, place, digest, scenario_##name};   \
        registerScenario(&described);                                                \
    }                                                                                \
    static void scenario_##name(void)

#endif

#define UNUSED __attribute__((unused))

#endif
