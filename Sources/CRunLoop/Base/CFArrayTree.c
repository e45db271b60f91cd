/// CFArrayTree.c: the B+-tree under a large CFArray; CFArrayTree.h says why there is one. On a Mac, CFStorage played this part
/// in older versions; newer ones have a plain buffer at any size.
///
/// True of every tree, whenever no function of this file runs (CFArrayTreeCheck checks it):
/// - every leaf has the same depth, no node is empty, and the root is a leaf or has two children or more;
/// - for each child an inner node's `counts` and `firsts` say how many values are below it, and which is the first.
/// Nodes next to each other are joined when they have become small, but never filled up from one another: a small node may stay
/// beside a large one. So a tree needs up to twice the nodes of a strict B-tree, and the code half the cases.
#include "CFArrayTree.h"
#include "CFCollections.h"

enum {
    __kLeafMax = 256, // values in a leaf: two kilobytes, of which an insertion moves half
    __kInnerMax = 64, // children of an inner node
};

struct __CFArrayNode {
    int32_t height; // 0: a leaf
    int32_t used;   // values in a leaf, children in an inner node
};

typedef struct {
    CFArrayNode node;
    const void *values[__kLeafMax];
} CFArrayLeaf;

typedef struct {
    CFArrayNode node;
    CFIndex counts[__kInnerMax];
    const void *firsts[__kInnerMax];
    CFArrayNode *children[__kInnerMax];
} CFArrayInner;

static CFArrayLeaf *__asLeaf(CFArrayNode *node) { return (CFArrayLeaf *)node; }
static CFArrayInner *__asInner(CFArrayNode *node) { return (CFArrayInner *)node; }
static int32_t __CFArrayNodeMax(const CFArrayNode *node) { return node->height ? __kInnerMax : __kLeafMax; }

// MARK: - Nodes

static CFArrayNode *__CFArrayNodeCreate(CFArrayTree *tree, int32_t height) {
    size_t size = height ? sizeof(CFArrayInner) : sizeof(CFArrayLeaf);
    CFArrayNode *node = __CFCollectionAllocate(tree->allocator, 1, size, "a large array");
    node->height = height;
    node->used = 0;
    return node;
}

static CFIndex __CFArrayNodeCount(CFArrayNode *node) {
    if (node->height == 0) return node->used;
    CFIndex count = 0;
    for (int32_t i = 0; i < node->used; i++) count += __asInner(node)->counts[i];
    return count;
}

/// The node must not be empty.
static const void *__CFArrayNodeFirst(CFArrayNode *node) {
    return node->height ? __asInner(node)->firsts[0] : __asLeaf(node)->values[0];
}

/// Copies `n` items of `from`, from place `at` on, to place `to` of `into`. The two are of the same height, and may be the same
/// node; `used` is left to the caller.
static void __CFArrayNodeMove(CFArrayNode *into, int32_t to, CFArrayNode *from, int32_t at, int32_t n) {
    if (from->height == 0) {
        memmove(__asLeaf(into)->values + to, __asLeaf(from)->values + at, n * sizeof(void *));
        return;
    }
    CFArrayInner *a = __asInner(into), *b = __asInner(from);
    memmove(a->counts + to, b->counts + at, n * sizeof(a->counts[0]));
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

/// Brings what an inner node knows of its child `i` up to date. An empty child is about to be dropped, and has no first value.
static void __CFArrayInnerRefresh(CFArrayInner *inner, int32_t i) {
    CFArrayNode *child = inner->children[i];
    inner->counts[i] = __CFArrayNodeCount(child);
    if (child->used > 0) inner->firsts[i] = __CFArrayNodeFirst(child);
}

static void __CFArrayInnerPut(CFArrayInner *inner, int32_t i, CFArrayNode *child) {
    __CFArrayNodeOpenGap(&inner->node, i);
    inner->children[i] = child;
    __CFArrayInnerRefresh(inner, i);
}

/// The child below which the value at `*idx` stands; `*idx` becomes its index there. Past the end, it is the last child.
static int32_t __CFArrayInnerFind(const CFArrayInner *inner, CFIndex *idx) {
    int32_t i = 0;
    for (; i < inner->node.used - 1 && *idx >= inner->counts[i]; i++) *idx -= inner->counts[i];
    return i;
}

// MARK: - Reading and overwriting

const void *const *CFArrayTreeGetRun(const CFArrayTree *tree, CFIndex idx, CFIndex *run) {
    CFArrayNode *node = tree->root;
    while (node->height > 0) node = __asInner(node)->children[__CFArrayInnerFind(__asInner(node), &idx)];
    *run = node->used - idx;
    return __asLeaf(node)->values + idx;
}

static void __CFArrayNodeSet(CFArrayNode *node, CFIndex idx, const void *value) {
    if (node->height == 0) {
        __asLeaf(node)->values[idx] = value;
        return;
    }
    int32_t i = __CFArrayInnerFind(__asInner(node), &idx);
    __CFArrayNodeSet(__asInner(node)->children[i], idx, value);
    if (idx == 0) __asInner(node)->firsts[i] = value;
}

void CFArrayTreeSet(CFArrayTree *tree, CFIndex idx, const void *value) {
    __CFArrayNodeSet(tree->root, idx, value);
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

/// Makes room in a full node at `*at`. The answer is the new node to its right, and `*into` the one of the two in which `*at`
/// counts now. An array that grows at its end would leave half of every leaf empty, so what is `appended` moves on into a leaf of
/// its own.
static CFArrayNode *__CFArrayNodeMakeRoom(CFArrayTree *tree, CFArrayNode *node, int32_t *at, Boolean appended, CFArrayNode **into) {
    int32_t half = appended ? node->used : node->used / 2;
    CFArrayNode *right = __CFArrayNodeSplit(tree, node, half);
    Boolean goesRight = appended || *at > half;
    if (goesRight) *at -= half;
    *into = goesRight ? right : node;
    return right;
}

static CFArrayNode *__CFArrayLeafInsert(CFArrayTree *tree, CFArrayNode *leaf, int32_t at, const void *value, Boolean appended) {
    CFArrayNode *right = NULL, *into = leaf;
    if (leaf->used == __kLeafMax) right = __CFArrayNodeMakeRoom(tree, leaf, &at, appended, &into);
    __CFArrayNodeOpenGap(into, at);
    __asLeaf(into)->values[at] = value;
    return right;
}

static CFArrayNode *__CFArrayInnerInsert(CFArrayTree *tree, CFArrayNode *inner, int32_t at, CFArrayNode *child) {
    CFArrayNode *right = NULL, *into = inner;
    if (inner->used == __kInnerMax) right = __CFArrayNodeMakeRoom(tree, inner, &at, false, &into);
    __CFArrayInnerPut(__asInner(into), at, child);
    return right;
}

/// Inserts below `node`. If that made two nodes of it, the answer is the second, which the caller must find a place for.
static CFArrayNode *__CFArrayNodeInsert(CFArrayTree *tree, CFArrayNode *node, CFIndex idx, const void *value, Boolean appended) {
    if (node->height == 0) return __CFArrayLeafInsert(tree, node, (int32_t)idx, value, appended);
    int32_t i = __CFArrayInnerFind(__asInner(node), &idx);
    CFArrayNode *right = __CFArrayNodeInsert(tree, __asInner(node)->children[i], idx, value, appended);
    __CFArrayInnerRefresh(__asInner(node), i);
    return right ? __CFArrayInnerInsert(tree, node, i + 1, right) : NULL;
}

void CFArrayTreeInsert(CFArrayTree *tree, CFIndex idx, const void *value) {
    if (!tree->root) tree->root = __CFArrayNodeCreate(tree, 0);
    CFArrayNode *right = __CFArrayNodeInsert(tree, tree->root, idx, value, idx == tree->count);
    if (right) {
        CFArrayNode *root = __CFArrayNodeCreate(tree, right->height + 1);
        __CFArrayInnerPut(__asInner(root), 0, tree->root);
        __CFArrayInnerPut(__asInner(root), 1, right);
        tree->root = root;
    }
    tree->count++;
}

// MARK: - Removing

static void __CFArrayInnerDrop(CFArrayTree *tree, CFArrayInner *inner, int32_t i) {
    CFAllocatorDeallocate(tree->allocator, inner->children[i]);
    __CFArrayNodeCloseGap(&inner->node, i);
}

/// Joins the children `i` and `i + 1` if what they hold leaves room in one: a quarter, lest the next insertion part them again.
static Boolean __CFArrayInnerJoin(CFArrayTree *tree, CFArrayInner *inner, int32_t i) {
    if (i < 0 || i + 1 >= inner->node.used) return false;
    CFArrayNode *left = inner->children[i], *right = inner->children[i + 1];
    if (left->used + right->used > __CFArrayNodeMax(left) / 4 * 3) return false;
    __CFArrayNodeMove(left, left->used, right, 0, right->used);
    left->used += right->used;
    __CFArrayInnerDrop(tree, inner, i + 1);
    __CFArrayInnerRefresh(inner, i);
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
    for (int32_t i = 0; node->height > 0 && i < node->used; i++) __CFArrayNodeFree(tree, __asInner(node)->children[i]);
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

/// The child in which the search goes on: of those from `low` to `high` the last one whose first value is less than `value`.
/// The first of them need not be looked at: the answer cannot be in front of it.
static int32_t __CFArrayInnerSearch(const CFArrayInner *inner, int32_t low, int32_t high, const void *value,
                             CFComparatorFunction comparator, void *context) {
    return (int32_t)__CFArrayLowerBound(inner->firsts, low + 1, high + 1, value, comparator, context) - 1;
}

// Each level costs the comparisons of one binary search in one node, so all levels together cost what one search in a plain
// array of that length would, rounded up once a level.
CFIndex CFArrayTreeSearch(const CFArrayTree *tree, CFRange range, const void *value, CFComparatorFunction comparator,
                          void *context) {
    CFArrayNode *node = tree->root;
    CFIndex base = 0, low = range.location, high = range.location + range.length; // low and high count from base
    while (node->height > 0) {
        CFIndex ignored = low, last = high - 1;
        int32_t i = __CFArrayInnerFind(__asInner(node), &ignored);
        i = __CFArrayInnerSearch(__asInner(node), i, __CFArrayInnerFind(__asInner(node), &last), value, comparator, context);
        CFIndex before = 0;
        for (int32_t k = 0; k < i; k++) before += __asInner(node)->counts[k];
        CFIndex count = __asInner(node)->counts[i];
        base += before;
        low = low > before ? low - before : 0;
        high = high - before < count ? high - before : count;
        node = __asInner(node)->children[i];
    }
    return base + __CFArrayLowerBound(__asLeaf(node)->values, low, high, value, comparator, context);
}

// MARK: - Checking

static __attribute__((noinline, noreturn, cold))
void __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__(const char *what) {
    __CFHalt("The tree of a large array is broken: %s.", what);
}

static void __CFArrayNodeCheck(CFArrayNode *node) {
    if (node->used < 1 || node->used > __CFArrayNodeMax(node)) {
        __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a node is empty or too full");
    }
    for (int32_t i = 0; node->height > 0 && i < node->used; i++) {
        CFArrayInner *inner = __asInner(node);
        CFArrayNode *child = inner->children[i];
        if (child->height != node->height - 1) __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("its leaves differ in depth");
        __CFArrayNodeCheck(child);
        if (inner->counts[i] != __CFArrayNodeCount(child)) __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a count is wrong");
        if (inner->firsts[i] != __CFArrayNodeFirst(child)) __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("a first value is wrong");
    }
}

void CFArrayTreeCheck(const CFArrayTree *tree) {
    if (!tree->root) {
        if (tree->count != 0) __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("it has no root but a count");
        return;
    }
    __CFArrayNodeCheck(tree->root);
    if (tree->root->height > 0 && tree->root->used < 2) __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("its root has a single child");
    if (tree->count != __CFArrayNodeCount(tree->root)) __THE_TREE_OF_A_LARGE_ARRAY_IS_BROKEN__("its count is wrong");
}
