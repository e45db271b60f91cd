/// CFArrayPending.h: the changes to a large sorted CFArray that its tree (CFArrayTree.h) does not
/// have yet. Internal.
///
/// A large tree is not in the processor's cache, so a change of it waits for memory several times.
/// But most timers are cancelled or moved soon, long before they are due. So a change is noted in a
/// list, which stays in the cache. If the list has the insertion of a value that is removed, the
/// insertion leaves the list, and the tree never has the value. When the list is full, the tree
/// gets all changes together, in the order of its leaves, and the processor fetches the next leaves
/// meanwhile. That takes about a millisecond.
///
/// The loop reads only the first timers of a mode. It reads them in the tree, and leaves the list
/// alone, as long as their keys are less than `least`.
#if !defined(__COREFOUNDATION_CFARRAYPENDING__)
#define __COREFOUNDATION_CFARRAYPENDING__ 1

#include "CFArrayTree.h"

CF_EXTERN_C_BEGIN

enum { __kCFArrayMostPending = 8192, __kCFArrayPendingSlots = 2 * __kCFArrayMostPending };

struct __CFArrayChange {
    CFArrayKey key;
    const void *value;            // not retained, and not read
    enum { __kCFArrayInserts, __kCFArrayRemoves } kind;
};

typedef struct {
    uint64_t least;               // no change has a key whose first number is less
    int32_t count;                // of the changes, in no order
    int32_t removals;             // how many of them remove a value
    CFComparatorFunction comparator; // by which the array is sorted
    void *context;
    struct __CFArrayChange changes[__kCFArrayMostPending];
    // A hash table of the insertions by their values: 1 plus the index of a change; 0: free
    uint16_t slots[__kCFArrayPendingSlots];
    // For CFArrayPendingApply.
    uint16_t places[__kCFArrayMostPending], sorted[2][__kCFArrayMostPending];
} CFArrayPending;

/// Makes an empty list of uninitialized memory.
CF_PRIVATE void CFArrayPendingInit(CFArrayPending *pending);
/// Notes that `value` is to be inserted. There are fewer than __kCFArrayMostPending changes.
CF_PRIVATE void CFArrayPendingInsert(CFArrayPending *pending, const void *value, CFArrayKey key);
/// Notes that `value` is to be removed from the tree, where no other value has its key. The value
/// need not exist any longer. There are fewer than __kCFArrayMostPending changes.
CF_PRIVATE void CFArrayPendingRemove(CFArrayPending *pending, const void *value, CFArrayKey key);
/// If `value` is to be inserted, forgets that and returns true.
CF_PRIVATE Boolean CFArrayPendingUndoInsertion(CFArrayPending *pending, const void *value);
/// Makes all changes to `tree`, which is not empty. There are none afterwards.
CF_PRIVATE void CFArrayPendingApply(CFArrayPending *pending, CFArrayTree *tree);

CF_EXTERN_C_END

#endif
