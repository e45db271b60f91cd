/// CFArrayTree.c: the B+-tree of a large CFArray; CFArrayTree.h says why there is one. On a Mac,
/// CFStorage had this role in older versions. Newer ones use a plain buffer at any size.
///
/// True of every tree, whenever no function of this file runs (CFArrayTreeCheck checks it):
/// - every leaf has the same depth, no node is empty, and the root is a leaf or has two children or
///   more;
/// - an inner node's `ends` say how many values are below each child and those in front of it, its
///   `firsts` which value is the first below it;
/// - in a tree with keys every leaf has the keys of its values, every inner node those of its
///   `firsts`.
/// Nodes next to each other are joined when they have become small, but never filled up from one
/// another: a small node may stay beside a large one. So a tree needs up to twice the nodes of a
/// strict B-tree, and the code half the cases.
#include "CFArrayTree.h"
#include "CFCollections.h"
#include "../Names/CFArrayTree.h"

enum {
    __kLeafMax = 64,  // values in a leaf: half a kilobyte, of which an insertion moves half
    __kInnerMax = 64, // children of an inner node
};

struct __CFArrayNode {
    int16_t height;  // 0: a leaf
    Boolean hasKeys; // as all nodes of the tree, or none
    int32_t used;    // values in a leaf, children in an inner node
};

typedef struct {
    CFArrayNode node;
    const void *values[__kLeafMax];
    uint64_t keys[]; // those of the values
} CFArrayLeaf;

typedef struct {
    CFArrayNode node;
    CFIndex ends[__kInnerMax];
    const void *firsts[__kInnerMax];
    CFArrayNode *children[__kInnerMax];
    uint64_t keys[]; // those of the firsts
} CFArrayInner;

static CFArrayLeaf *__asLeaf(CFArrayNode *node) { return (CFArrayLeaf *)node; }
static CFArrayInner *__asInner(CFArrayNode *node) { return (CFArrayInner *)node; }
static int32_t __CFArrayNodeMax(const CFArrayNode *node) {
    return node->height ? __kInnerMax : __kLeafMax;
}

// MARK: - Nodes

static uint64_t *__CFArrayNodeKeys(CFArrayNode *node) {
    return node->height ? __asInner(node)->keys : __asLeaf(node)->keys;
}

static CFArrayNode *__CFArrayNodeCreate(CFArrayTree *tree, int16_t height) {
    size_t size = height ? sizeof(CFArrayInner) : sizeof(CFArrayLeaf);
    size_t keysSize = tree->keyOf ? (height ? __kInnerMax : __kLeafMax) * sizeof(uint64_t) : 0;
    CFArrayNode *node = __CFCollectionAllocate(tree->allocator, 1, size + keysSize,
                                               "a large array");
    *node = (CFArrayNode){.height = height, .hasKeys = tree->keyOf != NULL};
    return node;
}

static CFIndex __CFArrayNodeCount(const CFArrayNode *node) {
    return node->height ? ((const CFArrayInner *)node)->ends[node->used - 1] : node->used;
}

/// The node must not be empty.
static const void *__CFArrayNodeFirst(CFArrayNode *node) {
    return node->height ? __asInner(node)->firsts[0] : __asLeaf(node)->values[0];
}

/// How many values are below the children in front of child `i`.
static CFIndex __CFArrayInnerCountBefore(const CFArrayInner *inner, int32_t i) {
    return i > 0 ? inner->ends[i - 1] : 0;
}

/// The children's ends, for __CFArrayNodeMove. Those that come into another node count from other
/// children on there.
static void __CFArrayInnerMoveEnds(CFArrayInner *into, int32_t to, const CFArrayInner *from,
                                   int32_t at, int32_t n) {
    CFIndex further = into == from ? 0
        : __CFArrayInnerCountBefore(into, to) - __CFArrayInnerCountBefore(from, at);
    memmove(into->ends + to, from->ends + at, n * sizeof(into->ends[0]));
    for (int32_t i = 0; further && i < n; i++) into->ends[to + i] += further;
}

/// Copies `n` items of `from`, from place `at` on, to place `to` of `into`. The two are of the same
/// height, and may be the same node; `used` is left to the caller.
static void __CFArrayNodeMove(CFArrayNode *into, int32_t to, CFArrayNode *from, int32_t at,
                              int32_t n) {
    if (from->hasKeys)
        memmove(__CFArrayNodeKeys(into) + to, __CFArrayNodeKeys(from) + at, n * sizeof(uint64_t));
    if (from->height == 0) {
        memmove(__asLeaf(into)->values + to, __asLeaf(from)->values + at, n * sizeof(void *));
        return;
    }
    CFArrayInner *a = __asInner(into), *b = __asInner(from);
    __CFArrayInnerMoveEnds(a, to, b, at, n);
    memmove(a->firsts + to, b->firsts + at, n * sizeof(a->firsts[0]));
    memmove(a->children + to, b->children + at, n * sizeof(a->children[0]));
}

static void __CFArrayNodeOpenGap(CFArrayNode *node, int32_t at) {
    __CFArrayNodeMove(node, at + 1, node, at, node->used - at);
    node->used++;
}

static void __CFArrayNodeCloseGap(CFArrayNode *node, int32_t at) {
    node->used--;
    __CFArrayNodeMove(node, at, node, at + 1, node->used - at);
}

/// Updates what an inner node stores about its child `i`. An empty child is about to be removed,
/// and has no first value.
static void __CFArrayInnerRefresh(CFArrayInner *inner, int32_t i) {
    CFArrayNode *child = inner->children[i];
    CFIndex count = child->used > 0 ? __CFArrayNodeCount(child) : 0;
    CFIndex grown = count - (inner->ends[i] - __CFArrayInnerCountBefore(inner, i));
    for (int32_t k = i; grown && k < inner->node.used; k++) inner->ends[k] += grown;
    if (child->used == 0) return;
    inner->firsts[i] = __CFArrayNodeFirst(child);
    if (child->hasKeys) inner->keys[i] = __CFArrayNodeKeys(child)[0];
}

static void __CFArrayInnerPut(CFArrayInner *inner, int32_t i, CFArrayNode *child) {
    __CFArrayNodeOpenGap(&inner->node, i);
    inner->ends[i] = __CFArrayInnerCountBefore(inner, i);
    inner->children[i] = child;
    __CFArrayInnerRefresh(inner, i);
}

/// Returns the child that contains the value at `*idx`. `*idx` becomes its index there. Past the
/// end, this is the last child.
static int32_t __CFArrayInnerFind(const CFArrayInner *inner, CFIndex *idx) {
    int32_t low = 0, high = inner->node.used - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (inner->ends[middle] <= *idx) low = middle + 1;
        else high = middle;
    }
    *idx -= __CFArrayInnerCountBefore(inner, low);
    return low;
}

// MARK: - Reading and overwriting

const void *const *CFArrayTreeGetRun(const CFArrayTree *tree, CFIndex idx, CFIndex *run) {
    CFArrayNode *node = tree->root;
    while (node->height > 0)
        node = __asInner(node)->children[__CFArrayInnerFind(__asInner(node), &idx)];
    *run = node->used - idx;
    return __asLeaf(node)->values + idx;
}

/// Writes a leaf's place.
static void __CFArrayLeafPut(const CFArrayTree *tree, CFArrayNode *leaf, int32_t at,
                             const void *value) {
    __asLeaf(leaf)->values[at] = value;
    if (leaf->hasKeys) __asLeaf(leaf)->keys[at] = tree->keyOf(value);
}

static void __CFArrayNodeSet(const CFArrayTree *tree, CFArrayNode *node, CFIndex idx,
                             const void *value) {
    if (node->height == 0) {
        __CFArrayLeafPut(tree, node, (int32_t)idx, value);
        return;
    }
    int32_t i = __CFArrayInnerFind(__asInner(node), &idx);
    __CFArrayNodeSet(tree, __asInner(node)->children[i], idx, value);
    __CFArrayInnerRefresh(__asInner(node), i);
}

void CFArrayTreeSet(CFArrayTree *tree, CFIndex idx, const void *value) {
    __CFArrayNodeSet(tree, tree->root, idx, value);
}

// MARK: - Inserting

/// Moves the items from place `at` on into a new node, which belongs to the right of this one.
static CFArrayNode *__CFArrayNodeSplit(CFArrayTree *tree, CFArrayNode *node, int32_t at) {
    CFArrayNode *right = __CFArrayNodeCreate(tree, node->height);
    right->used = node->used - at;
    __CFArrayNodeMove(right, 0, node, at, right->used);
    node->used = at;
    return right;
}

/// Makes room in a full node at `*at`. Returns the new node to its right. `*into` becomes the one
/// of the two in which `*at` counts now. An array that grows at its end would leave half of every
/// leaf empty, so what is `appended` moves into a new leaf.
static CFArrayNode *__CFArrayNodeMakeRoom(CFArrayTree *tree, CFArrayNode *node, int32_t *at,
                                          Boolean appended, CFArrayNode **into) {
    int32_t half = appended ? node->used : node->used / 2;
    CFArrayNode *right = __CFArrayNodeSplit(tree, node, half);
    Boolean goesRight = appended || *at > half;
    if (goesRight) *at -= half;
    *into = goesRight ? right : node;
    return right;
}

static CFArrayNode *__CFArrayLeafInsert(CFArrayTree *tree, CFArrayNode *leaf, int32_t at,
                                        const void *value, Boolean appended) {
    CFArrayNode *right = NULL, *into = leaf;
    if (leaf->used == __kLeafMax) right = __CFArrayNodeMakeRoom(tree, leaf, &at, appended, &into);
    __CFArrayNodeOpenGap(into, at);
    __CFArrayLeafPut(tree, into, at, value);
    return right;
}

static CFArrayNode *__CFArrayInnerInsert(CFArrayTree *tree, CFArrayNode *inner, int32_t at,
                                         CFArrayNode *child) {
    CFArrayNode *right = NULL, *into = inner;
    if (inner->used == __kInnerMax) right = __CFArrayNodeMakeRoom(tree, inner, &at, false, &into);
    __CFArrayInnerPut(__asInner(into), at, child);
    return right;
}

/// Inserts below `node`. If that splits the node, returns the second half, which the caller must
/// insert.
static CFArrayNode *__CFArrayNodeInsert(CFArrayTree *tree, CFArrayNode *node, CFIndex idx,
                                        const void *value, Boolean appended) {
    if (node->height == 0) return __CFArrayLeafInsert(tree, node, (int32_t)idx, value, appended);
    int32_t i = __CFArrayInnerFind(__asInner(node), &idx);
    CFArrayNode *right = __CFArrayNodeInsert(tree, __asInner(node)->children[i], idx, value,
                                             appended);
    __CFArrayInnerRefresh(__asInner(node), i);
    return right ? __CFArrayInnerInsert(tree, node, i + 1, right) : NULL;
}

void CFArrayTreeInsert(CFArrayTree *tree, CFIndex idx, const void *value) {
    if (!tree->root) tree->root = __CFArrayNodeCreate(tree, 0);
    CFArrayNode *right = __CFArrayNodeInsert(tree, tree->root, idx, value, idx == tree->count);
    if (right) {
        CFArrayNode *root = __CFArrayNodeCreate(tree, (int16_t)(right->height + 1));
        __CFArrayInnerPut(__asInner(root), 0, tree->root);
        __CFArrayInnerPut(__asInner(root), 1, right);
        tree->root = root;
    }
    tree->count++;
}

// MARK: - Removing

/// Frees a child that has no more values.
static void __CFArrayInnerDrop(CFArrayTree *tree, CFArrayInner *inner, int32_t i) {
    CFAllocatorDeallocate(tree->allocator, inner->children[i]);
    __CFArrayNodeCloseGap(&inner->node, i);
}

/// Joins the children `i` and `i + 1` if a quarter of one node would stay free, so that the next
/// insertion does not split them again.
static Boolean __CFArrayInnerJoin(CFArrayTree *tree, CFArrayInner *inner, int32_t i) {
    if (i < 0 || i + 1 >= inner->node.used) return false;
    CFArrayNode *left = inner->children[i], *right = inner->children[i + 1];
    if (left->used + right->used > __CFArrayNodeMax(left) / 4 * 3) return false;
    __CFArrayNodeMove(left, left->used, right, 0, right->used);
    left->used += right->used;
    inner->ends[i] = inner->ends[i + 1];
    __CFArrayInnerDrop(tree, inner, i + 1);
    return true;
}

static void __CFArrayNodeRemove(CFArrayTree *tree, CFArrayNode *node, CFIndex idx) {
    if (node->height == 0) {
        __CFArrayNodeCloseGap(node, (int32_t)idx);
        return;
    }
    CFArrayInner *inner = __asInner(node);
    int32_t i = __CFArrayInnerFind(inner, &idx);
    CFArrayNode *child = inner->children[i];
    __CFArrayNodeRemove(tree, child, idx);
    __CFArrayInnerRefresh(inner, i);
    if (child->used == 0) {
        __CFArrayInnerDrop(tree, inner, i);
    } else if (child->used < __CFArrayNodeMax(child) / 2) {
        if (!__CFArrayInnerJoin(tree, inner, i - 1)) __CFArrayInnerJoin(tree, inner, i);
    }
}

void CFArrayTreeRemove(CFArrayTree *tree, CFIndex idx) {
    __CFArrayNodeRemove(tree, tree->root, idx);
    tree->count--;
    while (tree->root->height > 0 && tree->root->used == 1) {
        CFArrayNode *only = __asInner(tree->root)->children[0];
        CFAllocatorDeallocate(tree->allocator, tree->root);
        tree->root = only;
    }
    if (tree->count == 0) CFArrayTreeFree(tree);
}

static void __CFArrayNodeFree(CFArrayTree *tree, CFArrayNode *node) {
    for (int32_t i = 0; node->height > 0 && i < node->used; i++)
        __CFArrayNodeFree(tree, __asInner(node)->children[i]);
    CFAllocatorDeallocate(tree->allocator, node);
}

void CFArrayTreeFree(CFArrayTree *tree) {
    if (tree->root) __CFArrayNodeFree(tree, tree->root);
    tree->root = NULL;
    tree->count = 0;
}

// MARK: - Searching

CFIndex __CFArrayLowerBound(const void *const *values, CFIndex low, CFIndex high, const void *value,
                            CFComparatorFunction comparator, void *context) {
    while (low < high) {
        CFIndex middle = low + (high - low) / 2;
        if (comparator(values[middle], value, context) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct {
    const void *value;
    Boolean hasKey; // and so has everything that is searched
    uint64_t key;
    CFComparatorFunction comparator;
    void *context;
} CFArraySearch;

/// The plain search, or the same by keys: then values, which are all over the memory, are looked at
/// only where the keys are equal.
static CFIndex __CFArraySearchRow(const CFArraySearch *s, const void *const *values,
                                  const uint64_t *keys, CFIndex low, CFIndex high) {
    if (!s->hasKey)
        return __CFArrayLowerBound(values, low, high, s->value, s->comparator, s->context);
    while (low < high) {
        CFIndex middle = low + (high - low) / 2;
        Boolean less = keys[middle] != s->key ? keys[middle] < s->key
            : s->comparator(values[middle], s->value, s->context) < 0;
        if (less) low = middle + 1;
        else high = middle;
    }
    return low;
}

/// Asks the processor for the head and all the keys of a leaf at once. A binary search would wait
/// for one line of the cache after the other.
static void __CFArrayLeafPrefetchKeys(const CFArrayLeaf *leaf) {
    __builtin_prefetch(leaf);
    for (int32_t i = 0; i < __kLeafMax; i += 64 / sizeof(leaf->keys[0]))
        __builtin_prefetch(leaf->keys + i);
}

// Each level costs the comparisons of one binary search in one node, so all levels together cost
// what one search in a plain array of that length would, rounded up once a level.
CFIndex CFArrayTreeSearch(const CFArrayTree *tree, CFRange range, const void *value,
                          CFComparatorFunction comparator, void *context) {
    CFArraySearch search = {value, tree->keyOf != NULL, tree->keyOf ? tree->keyOf(value) : 0,
                            comparator, context};
    CFArrayNode *node = tree->root;
    // Low and high count from base.
    CFIndex base = 0, low = range.location, high = range.location + range.length;
    // The height is not asked of each node: a leaf's head is in no line that its keys are in.
    for (int32_t height = node->height; height > 0; height--) {
        CFArrayInner *inner = __asInner(node);
        CFIndex lowest = low, highest = high - 1;
        int32_t first = __CFArrayInnerFind(inner, &lowest),
            last = __CFArrayInnerFind(inner, &highest);
        // The search goes on in the last child from there to there whose first value is less. The
        // first of them need not be looked at: the answer cannot be in front of it.
        int32_t i = (int32_t)__CFArraySearchRow(&search, inner->firsts, inner->keys, first + 1,
                                                last + 1) - 1;
        CFIndex before = __CFArrayInnerCountBefore(inner, i);
        base += before;
        low = i == first ? lowest : 0;
        high = i == last ? highest + 1 : inner->ends[i] - before;
        node = inner->children[i];
        if (search.hasKey && height == 1) __CFArrayLeafPrefetchKeys(__asLeaf(node));
    }
    return base + __CFArraySearchRow(&search, __asLeaf(node)->values, __asLeaf(node)->keys, low,
                                     high);
}

// MARK: - Checking

static __attribute__((noinline, noreturn, cold))
void __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__(const char *what) {
    __CFHalt("The tree of a large array is broken: %s.", what);
}

static void __CFArrayNodeCheckKeys(const CFArrayTree *tree, CFArrayNode *node) {
    if (node->hasKeys != (tree->keyOf != NULL))
        __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a node lacks keys, or has some");
    const void **values = node->height ? __asInner(node)->firsts : __asLeaf(node)->values;
    for (int32_t i = 0; node->hasKeys && i < node->used; i++) {
        if (__CFArrayNodeKeys(node)[i] != tree->keyOf(values[i]))
            __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a key is wrong");
    }
}

static void __CFArrayNodeCheck(const CFArrayTree *tree, CFArrayNode *node) {
    if (node->used < 1 || node->used > __CFArrayNodeMax(node)) {
        __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a node is empty or too full");
    }
    __CFArrayNodeCheckKeys(tree, node);
    CFIndex end = 0;
    for (int32_t i = 0; node->height > 0 && i < node->used; i++) {
        CFArrayInner *inner = __asInner(node);
        CFArrayNode *child = inner->children[i];
        if (child->height != node->height - 1)
            __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("its leaves differ in depth");
        __CFArrayNodeCheck(tree, child);
        end += __CFArrayNodeCount(child);
        if (inner->ends[i] != end) __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a count is wrong");
        if (inner->firsts[i] != __CFArrayNodeFirst(child))
            __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a first value is wrong");
    }
}

void CFArrayTreeCheck(const CFArrayTree *tree) {
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
