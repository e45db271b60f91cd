/// Groups.c: the list of all groups, and who is measured in which way.
#include "Libraries.h"
#include "Rows.h"
#include <string.h>

static const BenchGroup *const groups[] = {
    &BenchPoll1, &BenchSignal1, &BenchSignal100, &BenchSignal10000,
    &BenchRoundTripOneCore, &BenchRoundTripTwoCores,
    &BenchSource1, &BenchReady64,
    &BenchLimit, &BenchLimitOver, &BenchBlock, &BenchBlocksElsewhere,
    &BenchTimers1000, &BenchTimers100000, &BenchTimers1000000, &BenchTimerGrowth,
    &BenchFireAmongFar, &BenchDue16000, &BenchIdleTick,
    &BenchThread,
    &BenchSystemCalls, &BenchInstructions, &BenchMemory, &BenchOpenDescriptors,
};
const int BenchGroupCount = sizeof(groups) / sizeof(groups[0]);
const BenchGroup *const *BenchGroupList(void) { return groups; }

const BenchGroup *BenchGroupWithRow(const char *name) {
    for (int i = 0; i < BenchGroupCount; i++) {
        for (int row = 0; row < groups[i]->rowCount; row++) {
            if (strcmp(groups[i]->rows[row].name, name) == 0) return groups[i];
        }
    }
    return NULL;
}

const char *BenchToolchainProblem(void) {
    const char *problem = NULL;
    return CFRunLoopTableOriginal(&problem) ? NULL : problem;
}

const void *BenchTableFor(BenchSide side) {
    if (side == BenchOurs) return CFRunLoopTableOurs();
    return side == BenchToolchain ? CFRunLoopTableOriginal(NULL) : NULL;
}

BenchMethod BenchMethodFor(const BenchGroup *group, BenchSide side) {
    const BenchMethod none = {NULL, NULL};
    switch (side) {
    case BenchOurs: return group->loop;
    case BenchToolchain: return BenchTableFor(side) && !group->isOursAlone ? group->loop : none;
    case BenchFloor: return group->floor;
    case BenchGLib: return BenchGLibTable() ? group->glib : none;
    case BenchLibuv: return BenchLibuvTable() ? group->libuv : none;
    default: return none;
    }
}
