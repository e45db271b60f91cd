/// CFArrayTree.c: the B+-tree of a large CFArray; CFArrayTree.h says why there is one. On a Mac,
/// CFStorage had this role in older versions. Newer ones use a plain buffer at any size.
///
/// All values are in leaves, and all leaves have the same depth. This is a sorted tree of height 2,
/// with the keys 10, 12, 15 and so on (the first of the two numbers of each key):
///
///     height 2                      keys    10       40
///                                   counts  5        4
///                                           |        |
///                          +----------------+        +--------+
///     height 1    keys     10       20               40       50
///                 counts   3        2                2        2
///                          |        |                |        |
///     height 0    keys     10 12 15  20 25           40 42    50 50
///     (leaves)    values    a  b  c   d  e            f  g     h  i
///
/// A count leads an index down to its leaf: the value at index 6 is g, because 5 values are below
/// the first child of the root, and 1 value is in front of g below the second one. The keys lead a
/// value down: 42 is below the last child whose first key is not greater. So the way down reads one
/// or two lines of counts or keys in each node, and enters no leaf but the right one.
///
/// A large tree is in no cache but for its upper nodes, so what an insertion costs is the memory
/// that it touches:
/// - one way down, which the path records, and which serves the search, the change of the leaf and
///   the update of the nodes above it;
/// - of the values, not one: keys are copies. Only where both numbers are equal, a comparator reads
///   values;
/// - of other leaves, not one: a parent knows how full they are;
/// - of the allocator, nothing, but for one insertion in about twenty that needs a new leaf.
///
/// True of every tree, whenever no function of this file runs (CFArrayTreeCheck checks it):
/// - every leaf has the same depth, no node is empty, and the root is a leaf or has two children or
///   more;
/// - an inner node knows of each child how many values are below it, and the first key below it;
/// - a leaf knows the keys of its values, which are 0 in a tree without keys.
/// Nodes next to each other are joined when they have become small, but never filled up from one
/// another: a small node may stay beside a large one. So a tree needs up to twice the nodes of a
/// strict B-tree, and the code half the cases.
#include "CFArrayTree.h"
#include "CFCollections.h"

enum {
    // Values in a leaf: eight lines of the processor's cache with keys, and eight with values. With
    // smaller leaves there are more inner nodes than a cache can hold, with larger ones the gap for
    // a new value costs more.
    __kLeafMax = 64,
    __kInnerMax = 64, // children of an inner node
};

/// The head of a leaf or an inner node. Behind it are the node's keys: those of the values, or
/// those of the first values below the children. The first numbers of all keys are in one row,
/// because a search reads the second ones only where first ones are equal.
struct __CFArrayNode {
    int32_t height; // 0: a leaf
    int32_t used;   // values in a leaf, children in an inner node
};

typedef struct {
    CFArrayNode node;
    uint64_t firstKeys[__kLeafMax], secondKeys[__kLeafMax];
    const void *values[__kLeafMax];
} CFArrayLeaf;

typedef struct {
    CFArrayNode node;
    uint64_t firstKeys[__kInnerMax], secondKeys[__kInnerMax];
    CFArrayNode *children[__kInnerMax];
    CFIndex counts[__kInnerMax];
} CFArrayInner;

static CFArrayLeaf *__asLeaf(CFArrayNode *node) { return (CFArrayLeaf *)node; }
static CFArrayInner *__asInner(CFArrayNode *node) { return (CFArrayInner *)node; }

static int32_t __CFArrayNodeMax(const CFArrayNode *node) {
    return node->height ? __kInnerMax : __kLeafMax;
}

static uint64_t *__CFArrayNodeFirstKeys(CFArrayNode *node) {
    return node->height ? __asInner(node)->firstKeys : __asLeaf(node)->firstKeys;
}

static uint64_t *__CFArrayNodeSecondKeys(CFArrayNode *node) {
    return node->height ? __asInner(node)->secondKeys : __asLeaf(node)->secondKeys;
}

static CFArrayKey __CFArrayNodeGetKey(CFArrayNode *node, int32_t i) {
    return (CFArrayKey){__CFArrayNodeFirstKeys(node)[i], __CFArrayNodeSecondKeys(node)[i]};
}

static void __CFArrayNodeSetKey(CFArrayNode *node, int32_t i, CFArrayKey key) {
    __CFArrayNodeFirstKeys(node)[i] = key.first;
    __CFArrayNodeSecondKeys(node)[i] = key.second;
}

static CFArrayKey __CFArrayTreeKeyOf(const CFArrayTree *tree, const void *value) {
    return tree->keyOf ? tree->keyOf(value) : (CFArrayKey){0, 0};
}

static Boolean __CFArrayKeyIsLess(CFArrayKey key, CFArrayKey other) {
    return key.first != other.first ? key.first < other.first : key.second < other.second;
}

// MARK: - Nodes

static CFArrayNode *__CFArrayNodeCreate(const CFArrayTree *tree, int32_t height) {
    size_t size = height ? sizeof(CFArrayInner) : sizeof(CFArrayLeaf);
    CFArrayNode *node = __CFCollectionAllocate(tree->allocator, 1, size, "a large array");
    node->height = height;
    node->used = 0;
    return node;
}

/// How many values are below the node.
static CFIndex __CFArrayNodeCount(CFArrayNode *node) {
    if (node->height == 0) return node->used;
    CFIndex count = 0;
    for (int32_t i = 0; i < node->used; i++) count += __asInner(node)->counts[i];
    return count;
}

/// Copies `n` items of `from`, from place `at` on, to place `to` of `into`. The two are of the same
/// height, and may be the same node; `used` is left to the caller.
static void __CFArrayNodeMove(CFArrayNode *into, int32_t to, CFArrayNode *from, int32_t at,
                              int32_t n) {
    size_t size = (size_t)n * 8; // that of n numbers, values or children
    memmove(__CFArrayNodeFirstKeys(into) + to, __CFArrayNodeFirstKeys(from) + at, size);
    memmove(__CFArrayNodeSecondKeys(into) + to, __CFArrayNodeSecondKeys(from) + at, size);
    if (from->height == 0) {
        memmove(__asLeaf(into)->values + to, __asLeaf(from)->values + at, size);
    } else {
        memmove(__asInner(into)->children + to, __asInner(from)->children + at, size);
        memmove(__asInner(into)->counts + to, __asInner(from)->counts + at, size);
    }
}

static void __CFArrayNodeOpenGap(CFArrayNode *node, int32_t at) {
    __CFArrayNodeMove(node, at + 1, node, at, node->used - at);
    node->used++;
}

static void __CFArrayNodeCloseGap(CFArrayNode *node, int32_t at, int32_t n) {
    node->used -= n;
    __CFArrayNodeMove(node, at, node, at + n, node->used - at);
}

/// Inserts a child that has `count` values, the first of them with that key.
static void __CFArrayInnerPut(CFArrayInner *inner, int32_t i, CFArrayNode *child, CFArrayKey key,
                              CFIndex count) {
    __CFArrayNodeOpenGap(&inner->node, i);
    __CFArrayNodeSetKey(&inner->node, i, key);
    inner->children[i] = child;
    inner->counts[i] = count;
}

// MARK: - The way down

/// Finds the value at `idx`, or the place after the last one.
static void __CFArrayPathToIndex(CFArrayPath *path, const CFArrayTree *tree, CFIndex idx) {
    CFArrayNode *node = tree->root;
    for (int32_t height = node->height; height > 0; height--) {
        CFArrayInner *inner = __asInner(node);
        int32_t i = 0;
        for (; i < inner->node.used - 1 && idx >= inner->counts[i]; i++) idx -= inner->counts[i];
        path->steps[height] = (struct __CFArrayStep){node, i};
        node = inner->children[i];
    }
    path->steps[0] = (struct __CFArrayStep){node, (int32_t)idx};
}

/// The index at which the path ends.
static CFIndex __CFArrayPathGetIndex(const CFArrayPath *path, const CFArrayTree *tree) {
    CFIndex idx = path->steps[0].i;
    for (int32_t height = 1; height <= tree->root->height; height++) {
        const struct __CFArrayStep *step = &path->steps[height];
        for (int32_t i = 0; i < step->i; i++) idx += __asInner(step->node)->counts[i];
    }
    return idx;
}

typedef struct {
    const void *value;
    CFArrayKey key;
    CFComparatorFunction comparator;
    void *context;
} CFArraySearch;

/// How many of `n` ascending keys are less than `key`. The processor cannot predict how a
/// comparison ends, and a branch that it predicts wrongly costs more than fetching a key. So the
/// comparison selects a number here, and does not decide where the program goes on. The builtin
/// keeps the compiler from making a branch of it.
static int32_t __CFArrayCountLesserKeys(const uint64_t *keys, int32_t n, uint64_t key) {
    const uint64_t *from = keys;
    while (n > 1) {
        int32_t half = n / 2;
        from += CF_UNPREDICTABLE(from[half - 1] < key) ? half : 0;
        n -= half;
    }
    return (int32_t)(from - keys) + (n == 1 && *from < key);
}

/// The first value below place `i`.
static const void *__CFArrayNodeFirst(CFArrayNode *node, int32_t i) {
    for (; node->height > 0; i = 0) node = __asInner(node)->children[i];
    return __asLeaf(node)->values[i];
}

/// How many items of a node begin with a lesser value, or with a value that is equal, if `orEqual`.
static int32_t __CFArrayNodeCountLess(CFArrayNode *node, const CFArraySearch *s, Boolean orEqual) {
    const uint64_t *firstKeys = __CFArrayNodeFirstKeys(node);
    const uint64_t *secondKeys = __CFArrayNodeSecondKeys(node);
    int32_t low = __CFArrayCountLesserKeys(firstKeys, node->used, s->key.first), high = node->used;
    while (low < high && firstKeys[low] == s->key.first) {
        int32_t middle = low + (high - low) / 2;
        Boolean less;
        if (firstKeys[middle] != s->key.first) less = false;
        else if (secondKeys[middle] != s->key.second) less = secondKeys[middle] < s->key.second;
        else less = s->comparator(__CFArrayNodeFirst(node, middle), s->value, s->context) < orEqual;
        if (less) low = middle + 1;
        else high = middle;
    }
    return low;
}

/// Finds the lowest place at which a value is not less, in the last leaf that begins with a lesser
/// value. If `orEqual`, that is a leaf that begins with a lesser or equal one, which has the value
/// itself if the tree has it.
static void __CFArrayPathToValue(CFArrayPath *path, const CFArrayTree *tree,
                                 const CFArraySearch *s, Boolean orEqual) {
    CFArrayNode *node = tree->root;
    // The height is not asked of each node, so that this need not wait for a leaf's head.
    for (int32_t height = node->height; height > 0; height--) {
        __CFPrefetch(node, offsetof(CFArrayInner, secondKeys));
        int32_t less = __CFArrayNodeCountLess(node, s, orEqual), i = less > 0 ? less - 1 : 0;
        path->steps[height] = (struct __CFArrayStep){node, i};
        node = __asInner(node)->children[i];
    }
    __CFPrefetch(node, sizeof(CFArrayLeaf));
    path->steps[0] = (struct __CFArrayStep){node, __CFArrayNodeCountLess(node, s, false)};
}

// MARK: - Reading and overwriting

const void *const *CFArrayTreeGetRun(const CFArrayTree *tree, CFIndex idx, CFIndex *run) {
    CFArrayPath path;
    __CFArrayPathToIndex(&path, tree, idx);
    struct __CFArrayStep *step = &path.steps[0];
    *run = step->node->used - step->i;
    return __asLeaf(step->node)->values + step->i;
}

uint64_t CFArrayTreeGetFirstKey(const CFArrayTree *tree, CFIndex idx) {
    CFArrayPath path;
    __CFArrayPathToIndex(&path, tree, idx);
    return __asLeaf(path.steps[0].node)->firstKeys[path.steps[0].i];
}

/// Writes a value at the end of the path. If it is the first one in its leaf, the nodes above have
/// its key, too.
static void __CFArrayPathSet(const CFArrayPath *path, const CFArrayTree *tree, const void *value,
                             CFArrayKey key) {
    const struct __CFArrayStep *step = path->steps;
    __asLeaf(step->node)->values[step->i] = value;
    __CFArrayNodeSetKey(step->node, step->i, key);
    for (int32_t height = tree->root->height; height > 0 && step->i == 0; height--) {
        step++;
        __CFArrayNodeSetKey(step->node, step->i, key);
    }
}

void CFArrayTreeSet(CFArrayTree *tree, CFIndex idx, const void *value) {
    CFArrayPath path;
    __CFArrayPathToIndex(&path, tree, idx);
    __CFArrayPathSet(&path, tree, value, __CFArrayTreeKeyOf(tree, value));
}

CFIndex CFArrayTreeSearch(const CFArrayTree *tree, const void *value,
                          CFComparatorFunction comparator, void *context) {
    CFArraySearch search = {value, __CFArrayTreeKeyOf(tree, value), comparator, context};
    CFArrayPath path;
    __CFArrayPathToValue(&path, tree, &search, false);
    return __CFArrayPathGetIndex(&path, tree);
}

/// Returns whether `value` is in the tree. No other value compares as equal to it. A loop mostly
/// removes the first one, a timer that has just fired, so this looks there before it searches.
static Boolean __CFArrayPathToSame(CFArrayPath *path, const CFArrayTree *tree, const void *value,
                                   CFComparatorFunction comparator, void *context) {
    struct __CFArrayStep *step = &path->steps[0];
    __CFArrayPathToIndex(path, tree, 0);
    if (__asLeaf(step->node)->values[0] == value) return true;
    CFArraySearch search = {value, __CFArrayTreeKeyOf(tree, value), comparator, context};
    __CFArrayPathToValue(path, tree, &search, true);
    return step->i < step->node->used && __asLeaf(step->node)->values[step->i] == value;
}

Boolean CFArrayTreeHasAtHead(const CFArrayTree *tree, CFArrayKey key) {
    CFArrayNode *node = tree->root;
    for (int32_t height = node->height; height > 0; height--) node = __asInner(node)->children[0];
    return __CFArrayKeyIsLess(key, __CFArrayNodeGetKey(node, node->used - 1));
}

// MARK: - Inserting

/// Puts a new root above the old one.
static void __CFArrayPathGrow(CFArrayPath *path, CFArrayTree *tree) {
    CFArrayNode *old = tree->root, *root = __CFArrayNodeCreate(tree, old->height + 1);
    __CFArrayInnerPut(__asInner(root), 0, old, __CFArrayNodeGetKey(old, 0), tree->count);
    path->steps[root->height] = (struct __CFArrayStep){root, 0};
    tree->root = root;
}

/// Moves the second half of the path's full node of that height into a new node. The path follows.
/// In an array that grows at its end, or in one that gets ascending values at the end of a leaf,
/// this would leave half of every leaf empty. So a node that is about to grow at its end stays
/// full.
static void __CFArrayPathSplit(CFArrayPath *path, CFArrayTree *tree, int32_t height) {
    struct __CFArrayStep *step = &path->steps[height], *above = step + 1;
    if (height == tree->root->height) __CFArrayPathGrow(path, tree);
    else if (above->node->used == __kInnerMax) __CFArrayPathSplit(path, tree, height + 1);
    CFArrayNode *left = step->node, *right = __CFArrayNodeCreate(tree, height);
    int32_t end = height ? left->used - 1 : left->used, half = step->i == end ? end : end / 2;
    right->used = left->used - half;
    __CFArrayNodeMove(right, 0, left, half, right->used);
    left->used = half;
    CFIndex count = __CFArrayNodeCount(right);
    __asInner(above->node)->counts[above->i] -= count;
    // A leaf that is still empty has no key; the insertion will write it.
    __CFArrayInnerPut(__asInner(above->node), above->i + 1, right,
                      count ? __CFArrayNodeGetKey(right, 0) : (CFArrayKey){0, 0}, count);
    if (step->i < half) return;
    *step = (struct __CFArrayStep){right, step->i - half};
    above->i++;
}

static void __CFArrayPathInsert(CFArrayPath *path, CFArrayTree *tree, const void *value,
                                CFArrayKey key) {
    if (path->steps[0].node->used == __kLeafMax) __CFArrayPathSplit(path, tree, 0);
    __CFArrayNodeOpenGap(path->steps[0].node, path->steps[0].i);
    __CFArrayPathSet(path, tree, value, key);
    for (int32_t height = tree->root->height; height > 0; height--)
        __asInner(path->steps[height].node)->counts[path->steps[height].i]++;
    tree->count++;
}

void CFArrayTreeInsert(CFArrayTree *tree, CFIndex idx, const void *value) {
    if (!tree->root) tree->root = __CFArrayNodeCreate(tree, 0);
    CFArrayPath path;
    __CFArrayPathToIndex(&path, tree, idx);
    __CFArrayPathInsert(&path, tree, value, __CFArrayTreeKeyOf(tree, value));
}

void CFArrayTreeInsertSorted(CFArrayTree *tree, const void *value, CFArrayKey key,
                             CFComparatorFunction comparator, void *context) {
    if (!tree->root) tree->root = __CFArrayNodeCreate(tree, 0);
    CFArraySearch search = {value, key, comparator, context};
    CFArrayPath path;
    __CFArrayPathToValue(&path, tree, &search, true);
    __CFArrayPathInsert(&path, tree, value, key);
}

// MARK: - Removing

/// Frees a child that has no more items.
static void __CFArrayInnerDrop(const CFArrayTree *tree, CFArrayInner *inner, int32_t i) {
    CFAllocatorDeallocate(tree->allocator, inner->children[i]);
    __CFArrayNodeCloseGap(&inner->node, i, 1);
}

/// How many items child `i` has. This does not read a leaf.
static CFIndex __CFArrayInnerUsedBy(const CFArrayInner *inner, int32_t i) {
    return inner->node.height == 1 ? inner->counts[i] : inner->children[i]->used;
}

/// Joins the children `i` and `i + 1` if a quarter of one node would stay free, so that the next
/// insertion does not split them again.
static Boolean __CFArrayInnerJoin(const CFArrayTree *tree, CFArrayInner *inner, int32_t i) {
    if (i < 0 || i + 1 >= inner->node.used) return false;
    int32_t max = inner->node.height == 1 ? __kLeafMax : __kInnerMax;
    if (__CFArrayInnerUsedBy(inner, i) + __CFArrayInnerUsedBy(inner, i + 1) > max / 4 * 3)
        return false;
    CFArrayNode *left = inner->children[i], *right = inner->children[i + 1];
    __CFArrayNodeMove(left, left->used, right, 0, right->used);
    left->used += right->used;
    inner->counts[i] += inner->counts[i + 1];
    __CFArrayInnerDrop(tree, inner, i + 1);
    return true;
}

/// Updates an inner node after `n` values went away below child `i`. Returns whether all its
/// children remain.
static Boolean __CFArrayInnerShrink(const CFArrayTree *tree, CFArrayInner *inner, int32_t i,
                                 CFIndex n) {
    CFArrayNode *child = inner->children[i];
    inner->counts[i] -= n;
    if (child->used == 0) {
        __CFArrayInnerDrop(tree, inner, i);
        return false;
    }
    __CFArrayNodeSetKey(&inner->node, i, __CFArrayNodeGetKey(child, 0));
    return child->used >= __CFArrayNodeMax(child) / 2
        || !(__CFArrayInnerJoin(tree, inner, i - 1) || __CFArrayInnerJoin(tree, inner, i));
}

/// Removes `n` values of the leaf in which the path ends. Returns whether all nodes remain, so that
/// the path still leads to that leaf.
static Boolean __CFArrayPathRemove(const CFArrayPath *path, CFArrayTree *tree, int32_t n) {
    Boolean remains = true;
    __CFArrayNodeCloseGap(path->steps[0].node, path->steps[0].i, n);
    for (int32_t height = 1; height <= tree->root->height; height++) {
        const struct __CFArrayStep *step = &path->steps[height];
        if (!__CFArrayInnerShrink(tree, __asInner(step->node), step->i, n)) remains = false;
    }
    tree->count -= n;
    while (tree->root->height > 0 && tree->root->used == 1) {
        CFArrayNode *only = __asInner(tree->root)->children[0];
        CFAllocatorDeallocate(tree->allocator, tree->root);
        tree->root = only;
        remains = false;
    }
    if (tree->count == 0) CFArrayTreeFree(tree);
    return remains && tree->count > 0;
}

CFIndex CFArrayTreeRemove(CFArrayTree *tree, CFIndex idx, CFIndex n) {
    CFArrayPath path;
    __CFArrayPathToIndex(&path, tree, idx);
    CFIndex left = path.steps[0].node->used - path.steps[0].i;
    if (n > left) n = left;
    __CFArrayPathRemove(&path, tree, (int32_t)n);
    return n;
}

Boolean CFArrayTreeRemoveSorted(CFArrayTree *tree, const void *value,
                                CFComparatorFunction comparator, void *context) {
    CFArrayPath path;
    if (!__CFArrayPathToSame(&path, tree, value, comparator, context)) return false;
    __CFArrayPathRemove(&path, tree, 1);
    return true;
}

/// A comparator that is not called: the key says all.
static CFComparisonResult __CFArrayEqualKeysAreSame(const void *a, const void *b, void *context) {
    return kCFCompareEqualTo;
}

void CFArrayTreeRemoveKey(CFArrayTree *tree, CFArrayKey key) {
    CFArraySearch search = {NULL, key, __CFArrayEqualKeysAreSame, NULL};
    CFArrayPath path;
    __CFArrayPathToIndex(&path, tree, 0); // mostly a timer that has just fired
    CFArrayKey first = __CFArrayNodeGetKey(path.steps[0].node, 0);
    if (key.first != first.first || key.second != first.second)
        __CFArrayPathToValue(&path, tree, &search, true);
    __CFArrayPathRemove(&path, tree, 1);
}

// MARK: - Many changes

void CFArrayTreeVisitPrefetch(CFArrayTreeVisit *visit, const CFArrayTree *tree, uint64_t firstKey) {
    if (visit->fetchedFrom < firstKey && firstKey <= visit->fetchedTo) return;
    CFArrayNode *node = tree->root;
    for (int32_t height = node->height; height > 0; height--) {
        const uint64_t *keys = __asInner(node)->firstKeys;
        int32_t lesser = __CFArrayCountLesserKeys(keys, node->used, firstKey);
        visit->fetchedFrom = lesser > 0 ? keys[lesser - 1] : 0;
        visit->fetchedTo = lesser < node->used ? keys[lesser] : firstKey;
        node = __asInner(node)->children[lesser > 0 ? lesser - 1 : 0];
    }
    __CFPrefetch(node, sizeof(CFArrayLeaf));
}

/// Returns whether a key is in the leaf of the last change, or belongs there: it is between the
/// first key of that leaf and the first key of the next one below the same node.
static Boolean __CFArrayVisitIsAt(const CFArrayTreeVisit *visit, CFArrayKey key) {
    const struct __CFArrayStep *above = &visit->path.steps[1];
    return visit->isValid && above->i + 1 < above->node->used
        && __CFArrayKeyIsLess(__CFArrayNodeGetKey(above->node, above->i), key)
        && __CFArrayKeyIsLess(key, __CFArrayNodeGetKey(above->node, above->i + 1));
}

static void __CFArrayVisitGo(CFArrayTreeVisit *visit, const CFArrayTree *tree,
                             const CFArraySearch *search) {
    struct __CFArrayStep *step = &visit->path.steps[0];
    if (__CFArrayVisitIsAt(visit, search->key))
        step->i = __CFArrayNodeCountLess(step->node, search, false);
    else __CFArrayPathToValue(&visit->path, tree, search, true);
}

void CFArrayTreeVisitInsert(CFArrayTreeVisit *visit, CFArrayTree *tree, const void *value,
                            CFArrayKey key) {
    CFArraySearch search = {value, key, visit->comparator, visit->context};
    __CFArrayVisitGo(visit, tree, &search);
    __CFArrayPathInsert(&visit->path, tree, value, key);
    visit->isValid = tree->root->height > 0;
}

void CFArrayTreeVisitRemove(CFArrayTreeVisit *visit, CFArrayTree *tree, CFArrayKey key) {
    CFArraySearch search = {NULL, key, __CFArrayEqualKeysAreSame, NULL};
    __CFArrayVisitGo(visit, tree, &search);
    visit->isValid = __CFArrayPathRemove(&visit->path, tree, 1) && tree->root->height > 0;
}

static void __CFArrayNodeFree(const CFArrayTree *tree, CFArrayNode *node) {
    for (int32_t i = 0; node->height > 0 && i < node->used; i++)
        __CFArrayNodeFree(tree, __asInner(node)->children[i]);
    CFAllocatorDeallocate(tree->allocator, node);
}

void CFArrayTreeFree(CFArrayTree *tree) {
    if (tree->root) __CFArrayNodeFree(tree, tree->root);
    tree->root = NULL;
    tree->count = 0;
}

// MARK: - Checking

static __attribute__((noinline, noreturn, cold))
void __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__(const char *what) {
    __CFHalt("The tree of a large array is broken: %s.", what);
}

static void __CFArrayNodeCheck(const CFArrayTree *tree, CFArrayNode *node) {
    if (node->used < 1 || node->used > __CFArrayNodeMax(node))
        __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a node is empty or too full");
    for (int32_t i = 0; i < node->used; i++) {
        CFArrayKey key = __CFArrayNodeGetKey(node, i),
            right = __CFArrayTreeKeyOf(tree, __CFArrayNodeFirst(node, i));
        if (key.first != right.first || key.second != right.second)
            __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a key is wrong");
        if (node->height == 0) continue;
        CFArrayNode *child = __asInner(node)->children[i];
        if (child->height != node->height - 1)
            __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("its leaves differ in depth");
        __CFArrayNodeCheck(tree, child);
        if (__asInner(node)->counts[i] != __CFArrayNodeCount(child))
            __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a count is wrong");
    }
}

__attribute__((unused)) void CFArrayTreeCheck(const CFArrayTree *tree) {
    if (!tree->root) {
        if (tree->count != 0) __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("it has no root but a count");
        return;
    }
    __CFArrayNodeCheck(tree, tree->root);
    if (tree->root->height > 0 && tree->root->used < 2)
        __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("its root has a single child");
    if (tree->count != __CFArrayNodeCount(tree->root))
        __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("its count is wrong");
}
