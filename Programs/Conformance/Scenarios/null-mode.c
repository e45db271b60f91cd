/// null-mode: calls with NULL where a mode is expected.
#include "../Scenario.h"

SCENARIO(null_mode, onThreads, 0x37f73233) {
    OnNewThread(^{
        AddSource0("s", 0, DEFAULT, NULL);
        Run(NULL, 0, false);
        LogModes(LOOP);
    });
}
