/// CFArrayPending.c: the list of changes to a large sorted CFArray that its tree does not have yet;
/// CFArrayPending.h says why there is one.
///
/// The list and the tree may have the same value, under different keys. For example, a client has
/// inserted b under the key 40, and the tree has it:
///
///     the client                  the list                     the tree
///     inserts a under 70          insert a 70                  b 40
///     moves b from 40 to 90       insert a 70, remove b 40,    b 40
///                                 insert b 90
///     removes a                   remove b 40, insert b 90     b 40
///     reads everything            (empty)                      b 90
#include "CFArrayPending.h"

enum {
    __kApplyAhead = 8, // so many changes take as long as memory needs to answer
};

void CFArrayPendingInit(CFArrayPending *pending) {
    pending->least = UINT64_MAX;
    pending->count = pending->removals = 0;
    memset(pending->slots, 0, sizeof(pending->slots));
}

/// Returns the slot of the insertion of `value`, or the free slot that ends the search for it.
static uint16_t *__CFArrayPendingFindSlot(CFArrayPending *pending, const void *value) {
    uint64_t hash = (uint64_t)(uintptr_t)value * 0x9E3779B97F4A7C15;
    for (uint32_t i = (uint32_t)(hash >> 32);; i++) {
        uint16_t *slot = &pending->slots[i % __kCFArrayPendingSlots];
        if (*slot == 0 || pending->changes[*slot - 1].value == value) return slot;
    }
}

/// Makes a slot free, and moves the insertions that follow it to where a search now finds them.
static void __CFArrayPendingFreeSlot(CFArrayPending *pending, uint16_t *slot) {
    *slot = 0;
    for (uint32_t i = (uint32_t)(slot - pending->slots) + 1;; i++) {
        uint16_t *next = &pending->slots[i % __kCFArrayPendingSlots], moved = *next;
        if (moved == 0) return;
        *next = 0;
        *__CFArrayPendingFindSlot(pending, pending->changes[moved - 1].value) = moved;
    }
}

void CFArrayPendingInsert(CFArrayPending *pending, const void *value, CFArrayKey key) {
    uint16_t *slot = __CFArrayPendingFindSlot(pending, value);
    pending->changes[pending->count] = (struct __CFArrayChange){key, value, __kCFArrayInserts};
    *slot = (uint16_t)++pending->count;
    if (key.first < pending->least) pending->least = key.first;
}

void CFArrayPendingRemove(CFArrayPending *pending, const void *value, CFArrayKey key) {
    pending->changes[pending->count++] = (struct __CFArrayChange){key, value, __kCFArrayRemoves};
    pending->removals++;
    if (key.first < pending->least) pending->least = key.first;
}

/// The last change of the list fills the gap. So a client that moves the same timers again and
/// again never fills the list.
Boolean CFArrayPendingUndoInsertion(CFArrayPending *pending, const void *value) {
    uint16_t *slot = __CFArrayPendingFindSlot(pending, value);
    if (*slot == 0) return false;
    struct __CFArrayChange *gap = &pending->changes[*slot - 1],
                           *last = &pending->changes[--pending->count];
    if (gap != last && last->kind == __kCFArrayInserts)
        *__CFArrayPendingFindSlot(pending, last->value) = *slot;
    *gap = *last;
    __CFArrayPendingFreeSlot(pending, slot);
    if (pending->count == 0) pending->least = UINT64_MAX;
    return true;
}

/// Sorts the indices `from` by one byte of the changes' places into `to`, and keeps the order of
/// equal ones.
static void __CFArrayPendingSortByByte(const CFArrayPending *pending, const uint16_t *from,
                                       uint16_t *to, int shift) {
    int32_t next[257] = {0};
    for (int32_t i = 0; i < pending->count; i++) next[(pending->places[i] >> shift & 255) + 1]++;
    for (int32_t byte = 1; byte < 256; byte++) next[byte] += next[byte - 1];
    for (int32_t i = 0; i < pending->count; i++)
        to[next[pending->places[from[i]] >> shift & 255]++] = from[i];
}

/// Sorts the indices of the changes by their keys. All keys are mapped to 65,536 places, and
/// changes of the same place keep the order in which they were noted: the tree can be changed in
/// any order, but faster in the order of its leaves.
static const uint16_t *__CFArrayPendingSort(CFArrayPending *pending) {
    uint64_t greatest = 0;
    for (int32_t i = 0; i < pending->count; i++) {
        uint64_t key = pending->changes[i].key.first;
        if (key > greatest) greatest = key;
    }
    double scale = 65535.0 / ((double)(greatest - pending->least) + 1.0);
    for (int32_t i = 0; i < pending->count; i++) {
        double distance = (double)(pending->changes[i].key.first - pending->least);
        pending->places[i] = (uint16_t)(distance * scale);
        pending->sorted[1][i] = (uint16_t)i;
    }
    __CFArrayPendingSortByByte(pending, pending->sorted[1], pending->sorted[0], 0);
    __CFArrayPendingSortByByte(pending, pending->sorted[0], pending->sorted[1], 8);
    return pending->sorted[1];
}

void CFArrayPendingApply(CFArrayPending *pending, CFArrayTree *tree) {
    const uint16_t *sorted = __CFArrayPendingSort(pending);
    CFArrayTreeVisit visit = {.comparator = pending->comparator, .context = pending->context};
    for (int32_t i = 0; i < pending->count; i++) {
        const struct __CFArrayChange *change = &pending->changes[sorted[i]];
        if (i + __kApplyAhead < pending->count) {
            const struct __CFArrayChange *ahead = &pending->changes[sorted[i + __kApplyAhead]];
            CFArrayTreeVisitPrefetch(&visit, tree, ahead->key.first);
        }
        if (change->kind == __kCFArrayInserts)
            CFArrayTreeVisitInsert(&visit, tree, change->value, change->key);
        else CFArrayTreeVisitRemove(&visit, tree, change->key);
    }
    CFArrayPendingInit(pending);
}
