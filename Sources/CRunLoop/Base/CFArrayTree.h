/// CFArrayTree.h: what a large CFArray is made of: a balanced tree in which every place is found,
/// filled and emptied in O(log n). Internal.
///
/// A plain buffer moves half of its values for each insertion. That is the fastest there is for
/// some hundred values, and far too slow for the hundred thousand timers that a mode may hold,
/// which all stand in one sorted array.
///
/// It is a B+-tree. All values stand in leaves, all leaves at the same depth; above them stand
/// inner nodes, and each knows how many values every child holds, so an index leads down to its
/// leaf. It also knows every child's first value, so a binary search walks down in the same way and
/// never looks into a leaf that it passes by.
///
/// A sorted tree may have keys: numbers by which its values are sorted in the first place, kept
/// beside them. A search then reads a few rows of numbers, where it would otherwise fetch every
/// value that it compares from somewhere else in memory: nearly all of its time.
#if !defined(__COREFOUNDATION_CFARRAYTREE__)
#define __COREFOUNDATION_CFARRAYTREE__ 1

#include "CFInternal.h"

CF_EXTERN_C_BEGIN

typedef struct __CFArrayNode CFArrayNode;

/// A tree. All zero but for the allocator and `keyOf`, it is an empty one.
typedef struct {
    CFAllocatorRef allocator; // of the nodes; not retained
    CFArrayNode *root;        // NULL when there are no values
    CFIndex count;            // of all values
    // NULL: no keys. Otherwise a value's key, the same for as long as the value is in the tree.
    uint64_t (*keyOf)(const void *value);
} CFArrayTree;

/// Where the value at `idx` stands; `*run` becomes the number of values that stand there in a row,
/// this one included. To read only.
CF_EXPORT const void *const *CFArrayTreeGetRun(const CFArrayTree *tree, CFIndex idx, CFIndex *run);
/// Overwrites the value at `idx`.
CF_EXPORT void CFArrayTreeSet(CFArrayTree *tree, CFIndex idx, const void *value);
/// Inserts `value` at `idx`, from 0 to the count.
CF_EXPORT void CFArrayTreeInsert(CFArrayTree *tree, CFIndex idx, const void *value);
/// Takes out the value at `idx`.
CF_EXPORT void CFArrayTreeRemove(CFArrayTree *tree, CFIndex idx);
/// The lowest index in `range`, which is not empty, at which a value does not compare less than
/// `value`, or the range's end. In a tree with keys a lesser key compares less, and the comparator
/// is asked only about values of the same key.
CF_EXPORT CFIndex CFArrayTreeSearch(const CFArrayTree *tree, CFRange range, const void *value,
                                    CFComparatorFunction comparator, void *context);
/// Frees all nodes, and leaves an empty tree.
CF_EXPORT void CFArrayTreeFree(CFArrayTree *tree);
/// Stops the program unless everything is true of the tree that its file claims. For tests.
CF_EXPORT void CFArrayTreeCheck(const CFArrayTree *tree);

/// The plain binary search, for values in a row: the lowest index from `low` to `high` that is
/// `high`, or at which a value does not compare less than `value`.
CF_EXPORT CFIndex __CFArrayLowerBound(const void *const *values, CFIndex low, CFIndex high,
                                      const void *value,
                                      CFComparatorFunction comparator, void *context);

CF_EXTERN_C_END

#endif
