/// port-signal: a signal of a version 1 source performs nothing; the next call of the source takes it back.
#include "../Scenario.h"

SCENARIO(port_signal, onThreads, 0x70e6e5df) {
    OnNewThread(^{
        CFRunLoopSourceRef port = AddPort("port", 0, A, NULL);
        CFRunLoopSourceSignal(port);
        LOG("signalled %d", CFRunLoopSourceIsSignalled(port));
        Run(A, 0, true);
        LOG("signalled %d", CFRunLoopSourceIsSignalled(port));
        Poke(port);
        Run(A, 1, true);
        LOG("signalled %d", CFRunLoopSourceIsSignalled(port));
    });
}
