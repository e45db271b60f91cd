/// port-none: version 1 sources whose getPort returns nothing that can be waited for.
#include "../Scenario.h"

SCENARIO(port_none, onThreads, 0x746f25a1) {
    OnNewThread(^{
        CFRunLoopSourceRef none = MakeSource1("none", -1, NULL);
        CFRunLoopAddSource(LOOP, none, A);
        LOG("contained %d", CFRunLoopContainsSource(LOOP, none, A));
        CFRunLoopSourceSignal(none); // has no effect on a version 1 source
        Run(A, 0.05, false);
        CFRunLoopRemoveSource(LOOP, none, A);
        LOG("contained %d", CFRunLoopContainsSource(LOOP, none, A));
        Run(A, 0.05, false);
    });
}
