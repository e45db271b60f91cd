/// Groups.c: the list of all groups, and the sides on which each is measured.
#include "Libraries.h"
#include "Rows.h"
#include <string.h>

static const BenchGroup *const groups[] = {
    &BenchPoll1, &BenchSignal1, &BenchSignal100, &BenchSignal10000,
    &BenchRoundTripOneCore, &BenchRoundTripTwoCores,
    &BenchLatencyOneCore, &BenchLatencyTwoCores, &BenchLatencyAmongOneCore, &BenchLatencyAmongTwoCores,
    &BenchSource1, &BenchReady64,
    &BenchLimit, &BenchLimitOver, &BenchBlock,
    &BenchTimers1000, &BenchTimers100000, &BenchTimerLife,
    &BenchFireAmongFar, &BenchDue100, &BenchDue16000, &BenchIdleTick,
    &BenchThread, &BenchManyLoops,
    &BenchSystemCalls, &BenchMemory, &BenchOpenDescriptors,
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

bool BenchIsInstalled(BenchSide side) {
    switch (side) {
    case BenchToolchain: return CFRunLoopTableOriginal(NULL) != NULL;
    case BenchGLib: return BenchGLibTable() != NULL;
    case BenchLibuv: return BenchLibuvTable() != NULL;
    default: return true;
    }
}

const void *BenchTableFor(BenchSide side) {
    if (side == BenchOurs) return CFRunLoopTableOurs();
    return side == BenchToolchain ? CFRunLoopTableOriginal(NULL) : NULL;
}

BenchMethod BenchMethodFor(const BenchGroup *group, BenchSide side) {
    const BenchMethod none = {NULL, NULL};
    if (!BenchIsInstalled(side)) return none;
    switch (side) {
    case BenchOurs: return group->loop;
    case BenchToolchain: return group->loop;
    case BenchFloor: return group->floor;
    case BenchGLib: return group->glib;
    case BenchLibuv: return group->libuv;
    default: return none;
    }
}
