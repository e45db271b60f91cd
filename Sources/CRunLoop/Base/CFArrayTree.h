/// CFArrayTree.h: the balanced tree of a large CFArray, which finds, inserts and removes values at
/// any index in O(log n). Internal.
///
/// A plain buffer moves half of its values for each insertion. That is the fastest way for some
/// hundred values, and far too slow for the hundred thousand timers that a mode may hold in one
/// sorted array.
///
/// A sorted tree has keys: two numbers by which its values are sorted. The tree stores them, so a
/// search reads a few rows of numbers in its nodes. Without keys it would fetch every value that it
/// compares from somewhere else in memory, and wait for each of them.
#if !defined(__COREFOUNDATION_CFARRAYTREE__)
#define __COREFOUNDATION_CFARRAYTREE__ 1

#include "CFInternal.h"

CF_EXTERN_C_BEGIN

typedef struct __CFArrayNode CFArrayNode;

/// Two nodes next to each other have more than 48 items together, so no memory is large enough for
/// a tree that is higher.
enum { __kCFArrayMaxHeight = 15 };

/// The way from the root down to a place in a leaf. Step h is in the node of height h: the place in
/// the leaf, or the child that the path goes through. There is a step for the root, and for each
/// height below it.
typedef struct {
    struct __CFArrayStep {
        CFArrayNode *node;
        int32_t i;
    } steps[__kCFArrayMaxHeight + 1];
} CFArrayPath;

/// A tree. With all fields zero, except the allocator and `keyOf`, it is empty.
typedef struct {
    CFAllocatorRef allocator; // of the nodes; not retained
    CFArrayNode *root;        // NULL when there are no values
    CFIndex count;            // of all values
    // A value's key, the same for as long as the value is in the tree. NULL: all keys are 0.
    CFArrayKey (*keyOf)(const void *value);
} CFArrayTree;

// By index, in any tree. These functions read no value.

/// Returns a pointer to the value at `idx`, for reading only. `*run` becomes the number of
/// consecutive values there, including this one.
CF_PRIVATE const void *const *CFArrayTreeGetRun(const CFArrayTree *tree, CFIndex idx, CFIndex *run);
/// Returns the first number of the key of the value at `idx`.
CF_PRIVATE uint64_t CFArrayTreeGetFirstKey(const CFArrayTree *tree, CFIndex idx);
/// Overwrites the value at `idx`.
CF_PRIVATE void CFArrayTreeSet(CFArrayTree *tree, CFIndex idx, const void *value);
/// Inserts `value` at `idx`, from 0 to the count.
CF_PRIVATE void CFArrayTreeInsert(CFArrayTree *tree, CFIndex idx, const void *value);
/// Removes up to `n` values from `idx` on, and returns how many: those that are in one node.
CF_PRIVATE CFIndex CFArrayTreeRemove(CFArrayTree *tree, CFIndex idx, CFIndex n);

// By order, in a tree that has keys and is sorted. A value with a lesser key is less. The
// comparator is called only for values of the same key.

/// Returns the lowest index at which a value is not less than `value`, or the count.
CF_PRIVATE CFIndex CFArrayTreeSearch(const CFArrayTree *tree, const void *value,
                                    CFComparatorFunction comparator, void *context);
/// Inserts `value`, whose key the caller knows, where it belongs.
CF_PRIVATE void CFArrayTreeInsertSorted(CFArrayTree *tree, const void *value, CFArrayKey key,
                                       CFComparatorFunction comparator, void *context);
/// Removes `value`, and returns whether it was there. No other value compares as equal to it.
CF_PRIVATE Boolean CFArrayTreeRemoveSorted(CFArrayTree *tree, const void *value,
                                          CFComparatorFunction comparator, void *context);
/// Removes a value that has `key` and shares it with no other value. Reads no value: this one need
/// not exist any more.
CF_PRIVATE void CFArrayTreeRemoveKey(CFArrayTree *tree, CFArrayKey key);
/// Returns whether a value with that key is or belongs in the first leaf of a tree that is not
/// empty, before the last value there.
CF_PRIVATE Boolean CFArrayTreeHasAtHead(const CFArrayTree *tree, CFArrayKey key);

// Many changes one after the other, roughly in the order of their keys: the way down from the root
// is taken once for neighbours.

typedef struct {
    CFComparatorFunction comparator;
    void *context;
    uint64_t fetchedFrom, fetchedTo; // the leaf that was fetched last is for keys between these
    CFArrayPath path;         // to the last change, if `isValid`
    Boolean isValid;
} CFArrayTreeVisit;

/// Makes the processor fetch the leaf that a change of a value with that key is going to use, while
/// the caller makes other changes. The tree is not empty.
CF_PRIVATE void CFArrayTreeVisitPrefetch(CFArrayTreeVisit *visit, const CFArrayTree *tree,
                                        uint64_t firstKey);
/// Does the same as CFArrayTreeInsertSorted. The tree is not empty.
CF_PRIVATE void CFArrayTreeVisitInsert(CFArrayTreeVisit *visit, CFArrayTree *tree,
                                      const void *value, CFArrayKey key);
/// Does the same as CFArrayTreeRemoveKey. The tree has other values, too.
CF_PRIVATE void CFArrayTreeVisitRemove(CFArrayTreeVisit *visit, CFArrayTree *tree, CFArrayKey key);

/// Frees all nodes, and leaves an empty tree.
CF_PRIVATE void CFArrayTreeFree(CFArrayTree *tree);
/// Aborts unless every invariant of CFArrayTree.c is true of the tree. For tests.
CF_PRIVATE void CFArrayTreeCheck(const CFArrayTree *tree);

CF_EXTERN_C_END

#endif
