/// source-context: CFRunLoopSourceGetContext fills in as much as the version in the caller's context needs.
#include "../Scenario.h"

static void sayContext(const char *title, CFRunLoopSourceRef s, CFIndex version) {
    uintptr_t words[12];
    for (int i = 0; i < 12; i++) words[i] = 0x77;
    words[0] = version;
    CFRunLoopSourceGetContext(s, (CFRunLoopSourceContext *)words);
    int written = 12;
    while (written > 1 && words[written - 1] == 0x77) written--;
    LOG("%s, asked for version %ld: is version %ld, %d words written", title, (long)version, (long)words[0], written);
}

SCENARIO(source_context, onMainThread, 0xc1484685) {
    CFRunLoopSourceRef zero = MakeSource0("s", 0, NULL), one = MakePort("p", 0, NULL);
    for (CFIndex version = 0; version < 4; version++) {
        sayContext("source 0", zero, version);
        sayContext("source 1", one, version);
    }
    CFRunLoopSourceInvalidate(zero);
    sayContext("invalid source 0", zero, 0);
}
