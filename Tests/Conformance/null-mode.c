/// null-mode: calls with NULL where a mode is expected.
#include "conformance.h"

int main(void) {
    onThread(^{
        addSource(DEFAULT, "s", 0, NULL);
        run(NULL, 0, false);
        sayModes(LOOP);
    });
}
