/// CFRunLoopBlocks.c: blocks handed to a loop with CFRunLoopPerformBlock (X7).
///
/// In all versions of the original a loop has one list of blocks for all its modes, and each pass
/// walks all of it. Here each mode has a queue of its own, and the loop one for the common modes,
/// so that blocks waiting for another mode cost a pass nothing. A block that is queued for several
/// modes has a place in each queue and leaves all of them when it is performed in one. Blocks are
/// numbered as they are queued; a pass performs those of the mode's queue and those of the common
/// queue by ascending number, so their order is what a single list would give.

#include "CFRunLoopProbes.h"
#include "Names/CFRunLoopBlocks.h"

extern void _Block_release(const void *block);

// MARK: - The callout

/// The frame that a stack shows between the loop and a block. The assembler line keeps it apart:
/// without something after the call it would become a jump and its frame would be gone, and
/// functions of equal content are folded into one.
static __attribute__((noinline)) void __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__(void (^block)(void)) {
    if (block) block();
    __asm__ volatile("/* block */");
}

// MARK: - Queues

/// Call with rl locked.
static struct _block_place **__CFBlockQueueHead(CFRunLoopRef rl, const struct _block_place *place) {
    return place->_mode ? &place->_mode->_blocks_head : &rl->_blocks_head;
}

/// Call with rl locked.
static struct _block_place **__CFBlockQueueTail(CFRunLoopRef rl, const struct _block_place *place) {
    return place->_mode ? &place->_mode->_blocks_tail : &rl->_blocks_tail;
}

/// Call with rl locked.
static void __CFBlockPlaceAppend(CFRunLoopRef rl, struct _block_place *place) {
    struct _block_place **head = __CFBlockQueueHead(rl, place),
        **tail = __CFBlockQueueTail(rl, place);
    place->_prev = *tail;
    *(*tail ? &(*tail)->_next : head) = place;
    *tail = place;
}

/// Call with rl locked.
static void __CFBlockPlaceRemove(CFRunLoopRef rl, struct _block_place *place) {
    *(place->_prev ? &place->_prev->_next : __CFBlockQueueHead(rl, place)) = place->_next;
    *(place->_next ? &place->_next->_prev : __CFBlockQueueTail(rl, place)) = place->_prev;
}

/// Items for one mode are kept for the next block, up to this many.
#define SPARE_BLOCKS 64

/// An item with room for so many places. Call with rl locked.
static struct _block_item *__CFBlockItemMake(CFRunLoopRef rl, CFIndex room) {
    struct _block_place *spare = room == 1 ? rl->_spareBlocks : NULL;
    if (spare) {
        rl->_spareBlocks = spare->_next;
        rl->_spareBlockCount--;
        return spare->_item;
    }
    struct _block_item *item = malloc(sizeof(*item) + (size_t)room * sizeof(item->_places[0]));
    if (!item) __CF_HAS_NO_MEMORY_LEFT__("a block of a run loop");
    item->_room = room;
    return item;
}

/// Call with rl locked.
static void __CFBlockItemFree(CFRunLoopRef rl, struct _block_item *item) {
    if (item->_room != 1 || rl->_spareBlockCount == SPARE_BLOCKS || rl->_hasEnded) {
        free(item);
        return;
    }
    item->_block = NULL;
    item->_places[0] = (struct _block_place){._next = rl->_spareBlocks, ._item = item};
    rl->_spareBlocks = &item->_places[0];
    rl->_spareBlockCount++;
}

/// Takes an item out of all its queues. Returns its block, which is now the caller's to release.
/// Call with rl locked.
static void *__CFBlockItemTake(CFRunLoopRef rl, struct _block_item *item) {
    for (CFIndex i = 0; i < item->_placeCount; i++) __CFBlockPlaceRemove(rl, &item->_places[i]);
    void *block = item->_block;
    __CFBlockItemFree(rl, item);
    return block;
}

/// How far a pass has come in a queue: what stands at `before` and in front of it has been passed
/// over, or belongs to a pass around this run. Nobody removes those places while the pass goes on:
/// a pass around it has to wait, and a nested one takes later blocks only. So the place in the
/// queue is found once.
struct __CFBlockCursor {
    struct _block_place *before; // NULL: the beginning of the queue
    Boolean isFound;
};

/// The first place of a queue whose turn lies above `done`. The first search is from the end: the
/// places that it walks by are those that the pass will perform, however many older ones there are.
/// Call with rl locked.
static struct _block_place *__CFBlockQueueFirst(struct __CFBlockCursor *cursor,
                                                struct _block_place *head,
                                                struct _block_place *tail, uint64_t done) {
    if (!cursor->isFound) {
        while (tail && tail->_item->_turn > done) tail = tail->_prev;
        *cursor = (struct __CFBlockCursor){tail, true};
    }
    for (;;) {
        struct _block_place *next = cursor->before ? cursor->before->_next : head;
        if (!next || next->_item->_turn > done) return next;
        cursor->before = next;
    }
}

/// Whether a queue has a place whose turn lies above `taken`. Call with rl locked.
static Boolean __CFBlockQueueHasAny(const struct _block_place *tail, uint64_t taken) {
    return tail && tail->_item->_turn > taken;
}

/// A pass through the blocks of a mode.
struct __CFBlockPass {
    uint64_t done; // the turn of the block performed last
    uint64_t last; // the turn of the last block to perform
    struct __CFBlockCursor own, common;
};

/// The block that a pass in the mode performs next: the one with the lowest turn above `done`, up
/// to `last`. Call with rl locked.
static struct _block_item *__CFRunLoopNextBlock(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                                struct __CFBlockPass *pass) {
    struct _block_place *next =
        __CFBlockQueueFirst(&pass->own, rlm->_blocks_head, rlm->_blocks_tail, pass->done);
    if (rlm->_isCommon) {
        struct _block_place *common =
            __CFBlockQueueFirst(&pass->common, rl->_blocks_head, rl->_blocks_tail, pass->done);
        if (!next || (common && common->_item->_turn < next->_item->_turn)) next = common;
    }
    return next && next->_item->_turn <= pass->last ? next->_item : NULL;
}

// MARK: - Queueing a block

/// How many names the client's `mode` stands for: it may be one, or an array or set of them; 0 for
/// anything else. Needs no lock.
static CFIndex __CFBlockModesCount(CFTypeRef mode) {
    CFTypeID type = mode ? CFGetTypeID(mode) : 0;
    if (type == CFStringGetTypeID()) return 1;
    if (type == CFArrayGetTypeID()) return CFArrayGetCount(mode);
    return type == CFSetGetTypeID() ? CFSetGetCount(mode) : 0;
}

/// Calls `function` with each of these names. Call with rl locked.
static void __CFBlockModesApply(CFTypeRef mode, void (*function)(const void *name, void *context),
                                void *context) {
    CFTypeID type = CFGetTypeID(mode);
    if (type == CFStringGetTypeID()) function(mode, context);
    else if (type == CFArrayGetTypeID())
        CFArrayApplyFunction(mode, CFRangeMake(0, CFArrayGetCount(mode)), function, context);
    else CFSetApplyFunction(mode, function, context);
}

struct __CFBlockBeingQueued {
    CFRunLoopRef rl;
    struct _block_item *item;
};

/// Gives the item a place in the queue of one mode, which is made if it does not exist. What is no
/// name is passed over. Call with rl locked.
static void __CFBlockModesQueue(const void *name, void *context) {
    struct __CFBlockBeingQueued *queued = context;
    if (!name || CFGetTypeID(name) != CFStringGetTypeID()) return;
    CFRunLoopModeRef rlm = __CFRunLoopFindModeUnlocked(queued->rl, name, true);
    if (!rlm && !__CFRunLoopIsCommonModes(name)) return;
    struct _block_place *place = &queued->item->_places[queued->item->_placeCount++];
    *place = (struct _block_place){._item = queued->item, ._mode = rlm};
    __CFBlockPlaceAppend(queued->rl, place);
}

void CFRunLoopPerformBlock(CFRunLoopRef rl, CFTypeRef mode, void (^block)(void)) {
    CHECK_FOR_FORK();
    CFIndex count = __CFBlockModesCount(mode);
    if (!block || __CFRunLoopIsDeallocating(rl) || !count) return;
    if (__CFRunLoopRefusesItems(rl, "A block")) return;
    void *copy = (void *)__CFBlockCopy((const void *)block);
    __CFRunLoopLock(rl);
    if (rl->_hasEnded) {
        __CFRunLoopUnlock(rl);
        _Block_release(copy);
        return;
    }
    struct __CFBlockBeingQueued queued = {rl, __CFBlockItemMake(rl, count)};
    queued.item->_block = (void (^)(void))copy;
    queued.item->_turn = ++rl->_blockTurn;
    queued.item->_placeCount = 0;
    __CFBlockModesApply(mode, __CFBlockModesQueue, &queued);
    Boolean isQueued = queued.item->_placeCount > 0;
    if (!isQueued) __CFBlockItemFree(rl, queued.item);
    __CFRunLoopUnlock(rl);
    if (!isQueued) _Block_release(copy);
}

// MARK: - Performing them

Boolean __CFRunLoopHasBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    return __CFBlockQueueHasAny(rlm->_blocks_tail, rl->_blocksTaken)
        || (__CFBlockQueueHasAny(rl->_blocks_tail, rl->_blocksTaken) && rlm->_isCommon);
}

/// Performs the blocks that are queued now. Those that they queue in turn wait for the next time. A
/// run nested in one of them sees neither the rest of these nor older blocks of other modes, just
/// those queued since: the original (all versions) takes the whole list off the loop meanwhile.
/// Hence `_blocksTaken`, which a nested call raises and puts back.
__attribute__((noinline)) Boolean __CFRunLoopDoBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (!__CFRunLoopHasBlocks(rl, rlm)) return false;
    uint64_t taken = rl->_blocksTaken;
    struct __CFBlockPass pass = {.done = taken, .last = rl->_blockTurn};
    rl->_blocksTaken = pass.last;
    struct _block_item *item;
    __CFRunLoopModeUnlock(rlm); // the queues are guarded by the run loop's lock alone
    while ((item = __CFRunLoopNextBlock(rl, rlm, &pass))) {
        // One that is passed over now waits, even if a block declares this mode common.
        pass.done = item->_turn;
        void *block = __CFBlockItemTake(rl, item);
        __CFRunLoopUnlock(rl);
        CFRL_IS_CALLING_START(BLOCK, rl, rlm, block, __CFRunLoopBlockFunction(block), 0);
        __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__((void (^)(void))block);
        CHECK_FOR_FORK();
        CFRL_IS_CALLING_END(BLOCK, rl, rlm, block);
        _Block_release(block); // with nothing locked: what it held may run the loop as it goes
        __CFRunLoopLock(rl);
    }
    __CFRunLoopModeLock(rlm);
    rl->_blocksTaken = taken;
    return true;
}

// MARK: - The end of the loop

/// Blocks that are in no queue any more, chained by the first of their places.
struct __CFBlockList {
    struct _block_place *first;
    struct _block_place **end;
};

/// Moves the blocks of a queue to the end of a list. Call with rl locked.
static void __CFBlockQueueEmpty(CFRunLoopRef rl, struct _block_place **head,
                                struct __CFBlockList *list) {
    while (*head) {
        struct _block_item *item = (*head)->_item;
        for (CFIndex i = 0; i < item->_placeCount; i++) __CFBlockPlaceRemove(rl, &item->_places[i]);
        item->_places[0]._next = NULL;
        *list->end = &item->_places[0];
        list->end = &item->_places[0]._next;
    }
}

struct __CFBlocksOfLoop {
    CFRunLoopRef rl;
    struct __CFBlockList list;
};

/// Call with the mode's loop locked.
static void __CFRunLoopModeTakeBlocks(const void *mode, void *context) {
    struct __CFBlocksOfLoop *blocks = context;
    __CFBlockQueueEmpty(blocks->rl, &((CFRunLoopModeRef)mode)->_blocks_head, &blocks->list);
}

/// A block may hold the loop, directly or through its counterpart: kept until the loop dies, it
/// would keep it from dying. Once the loop's thread has ended no more are queued, so none comes
/// while these go.
void __CFRunLoopDropBlocks(CFRunLoopRef rl) {
    struct __CFBlocksOfLoop blocks = {.rl = rl};
    blocks.list.end = &blocks.list.first;
    __CFRunLoopLock(rl);
    __CFBlockQueueEmpty(rl, &rl->_blocks_head, &blocks.list);
    __CFRunLoopForEachMode(rl, __CFRunLoopModeTakeBlocks, &blocks);
    *blocks.list.end = rl->_spareBlocks; // to be freed, too; they have no block
    rl->_spareBlocks = NULL;
    rl->_spareBlockCount = 0;
    __CFRunLoopUnlock(rl);
    while (blocks.list.first) {
        struct _block_item *item = blocks.list.first->_item;
        blocks.list.first = blocks.list.first->_next;
        if (item->_block) _Block_release((const void *)item->_block);
        free(item);
    }
}
