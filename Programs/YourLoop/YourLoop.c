/// YourLoop.c: your run loop. It compiles, and runs nothing: chapter 8 of the book says what comes
/// next. `Scripts/your-loop` performs programs on it.
#include "YourLoop.h"

struct Loop {
    Item *modes[mostModes][mostItems + 1]; // each is a list of items, which ends with NULL
};

Loop *makeLoop(void) { return calloc(1, sizeof(Loop)); }

void addItem(Loop *loop, Item *item, int mode) {
    Item **end = loop->modes[mode];
    while (*end) end++;
    *end = item;
}

/// Your turn: take the item out of the mode's list.
void removeItem(Loop *loop, Item *item, int mode) {}

/// Your turn: step 4 wants to know which sources are signaled.
void signalSource(Item *item) {}

/// Your turn: ring, if the loop may be asleep.
void wakeUp(Loop *loop) {}

/// Your turn: the innermost run is to end.
void stopLoop(Loop *loop) {}

/// Your turn: the ten steps.
int runLoop(Loop *loop, int mode, Time length, bool untilSource) {
    return finished; // true of a mode without sources and timers
}
