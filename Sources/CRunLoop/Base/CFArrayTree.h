/// CFArrayTree.h: the balanced tree of a large CFArray, which finds, inserts and removes values at
/// any index in O(log n). Internal.
///
/// A plain buffer moves half of its values for each insertion. That is the fastest way for some
/// hundred values, and far too slow for the hundred thousand timers that a mode may hold in one
/// sorted array.
///
/// It is a B+-tree. All values are in leaves, and all leaves have the same depth. Each inner node
/// above them knows how many values every child holds, so an index leads down to its leaf. It also
/// knows every child's first value, so a binary search walks down in the same way and never reads a
/// leaf that it does not enter.
///
/// A sorted tree may have keys: numbers by which its values are sorted first, stored beside them. A
/// search then reads a few rows of numbers. Without keys it would fetch every value that it
/// compares from somewhere else in memory, which takes nearly all of its time.
#if !defined(__COREFOUNDATION_CFARRAYTREE__)
#define __COREFOUNDATION_CFARRAYTREE__ 1

#include "CFInternal.h"

CF_EXTERN_C_BEGIN

typedef struct __CFArrayNode CFArrayNode;

/// A tree. With all fields zero, except the allocator and `keyOf`, it is empty.
typedef struct {
    CFAllocatorRef allocator; // of the nodes; not retained
    CFArrayNode *root;        // NULL when there are no values
    CFIndex count;            // of all values
    // NULL: no keys. Otherwise a value's key, the same for as long as the value is in the tree.
    uint64_t (*keyOf)(const void *value);
} CFArrayTree;

/// Returns a pointer to the value at `idx`, for reading only. `*run` becomes the number of
/// consecutive values there, including this one.
CF_EXPORT const void *const *CFArrayTreeGetRun(const CFArrayTree *tree, CFIndex idx, CFIndex *run);
/// Overwrites the value at `idx`.
CF_EXPORT void CFArrayTreeSet(CFArrayTree *tree, CFIndex idx, const void *value);
/// Inserts `value` at `idx`, from 0 to the count.
CF_EXPORT void CFArrayTreeInsert(CFArrayTree *tree, CFIndex idx, const void *value);
/// Removes the value at `idx`.
CF_EXPORT void CFArrayTreeRemove(CFArrayTree *tree, CFIndex idx);
/// Returns the lowest index in `range`, which is not empty, at which a value does not compare less
/// than `value`. Returns the end of the range if there is none. In a tree with keys a lesser key
/// compares less, and the comparator is called only for values of the same key.
CF_EXPORT CFIndex CFArrayTreeSearch(const CFArrayTree *tree, CFRange range, const void *value,
                                    CFComparatorFunction comparator, void *context);
/// Frees all nodes, and leaves an empty tree.
CF_EXPORT void CFArrayTreeFree(CFArrayTree *tree);
/// Aborts unless every invariant of CFArrayTree.c is true of the tree. For tests.
CF_EXPORT void CFArrayTreeCheck(const CFArrayTree *tree);

/// A plain binary search in consecutive values. Returns the lowest index from `low` to `high` at
/// which a value does not compare less than `value`, or `high`.
CF_EXPORT CFIndex __CFArrayLowerBound(const void *const *values, CFIndex low, CFIndex high,
                                      const void *value,
                                      CFComparatorFunction comparator, void *context);

CF_EXTERN_C_END

#endif
