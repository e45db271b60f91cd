/// null-mode: calls with NULL where a mode is expected.
#include "Scenario.h"

SCENARIO("null-mode", onThreads) {
    onThread(^{
        addSource(DEFAULT, "s", 0, NULL);
        run(NULL, 0, false);
        sayModes(LOOP);
    });
}
