/// CFRunLoopBlocks.c: blocks that CFRunLoopPerformBlock gives to a loop (X7).
///
/// In all versions of the original a loop has one list of blocks for all its modes, and each pass
/// walks the whole list. Here each mode has its own queue, and the loop has one for the common
/// modes, so blocks that wait for another mode cost a pass nothing.
///
/// A block that is queued for several modes has a place in each queue, and leaves all of them when
/// the loop performs it in one. Blocks are numbered as they are queued. A pass performs the blocks
/// of the mode's queue and of the common queue by ascending number, so their order is that of a
/// single list.

#include "CFRunLoopProbes.h"
#include "Names/CFRunLoopBlocks.h"

extern void _Block_release(const void *block);

// MARK: - The callout

/// The frame that a stack trace shows between the loop and a block. The assembler line keeps it
/// separate. Without an instruction after the call, the compiler would turn the call into a jump,
/// and the frame would be missing. Without its own text, it would merge this function with others
/// of the same content.
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

/// Up to this many items for one mode are kept for later blocks.
#define SPARE_BLOCKS 64

/// Returns an item with room for `room` places. Call with rl locked.
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

/// Removes an item from all its queues. Returns its block, which the caller must release. Call with
/// rl locked.
static void *__CFBlockItemTake(CFRunLoopRef rl, struct _block_item *item) {
    for (CFIndex i = 0; i < item->_placeCount; i++) __CFBlockPlaceRemove(rl, &item->_places[i]);
    void *block = item->_block;
    __CFBlockItemFree(rl, item);
    return block;
}

/// How far a pass has come in a queue. The place `before`, and every place in front of it, has been
/// skipped or belongs to a pass around this run. No other pass removes those places meanwhile: a
/// pass around this one has to wait, and a nested one takes only later blocks. So the pass searches
/// the queue only once.
struct __CFBlockCursor {
    struct _block_place *before; // NULL: the beginning of the queue
    Boolean isFound;
};

/// Returns the first place of a queue whose turn is above `done`. The first search starts at the
/// end: it walks only over places that the pass will perform, however many older ones there are.
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

/// Returns whether a queue has a place whose turn is above `taken`. Call with rl locked.
static Boolean __CFBlockQueueHasAny(const struct _block_place *tail, uint64_t taken) {
    return tail && tail->_item->_turn > taken;
}

/// A pass through the blocks of a mode.
struct __CFBlockPass {
    uint64_t done; // the turn of the last performed block
    uint64_t last; // the turn of the last block to perform
    struct __CFBlockCursor own, common;
};

/// Returns the block that a pass in the mode performs next: the one with the lowest turn above
/// `done`, up to `last`. Call with rl locked.
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

/// Returns how many names the client's `mode` contains. It may be one name, or an array or set of
/// names. Returns 0 for anything else. Needs no lock.
static CFIndex __CFBlockModesCount(CFTypeRef mode) {
    CFTypeID type = mode ? CFGetTypeID(mode) : 0;
    if (type == CFStringGetTypeID()) return 1;
    if (type == CFArrayGetTypeID()) return CFArrayGetCount(mode);
    return type == CFSetGetTypeID() ? CFSetGetCount(mode) : 0;
}

/// Calls `function` with each name in `mode`. Call with rl locked.
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

/// Adds the item to the queue of one mode, and creates the mode if it does not exist. Ignores
/// anything that is not a name. Call with rl locked.
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

/// Performs the blocks that are queued now. Blocks that they queue in turn wait for the next call.
///
/// A run nested in one of these blocks performs only blocks queued since. It sees neither the rest
/// of these blocks nor older blocks of other modes, because the original (all versions) removes the
/// whole list from the loop meanwhile. So a nested call raises `_blocksTaken`, and restores it.
__attribute__((noinline)) Boolean __CFRunLoopDoBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (!__CFRunLoopHasBlocks(rl, rlm)) return false;
    uint64_t taken = rl->_blocksTaken;
    struct __CFBlockPass pass = {.done = taken, .last = rl->_blockTurn};
    rl->_blocksTaken = pass.last;
    struct _block_item *item;
    __CFRunLoopModeUnlock(rlm); // the loop's lock alone guards the queues
    while ((item = __CFRunLoopNextBlock(rl, rlm, &pass))) {
        // A block that is skipped now waits, even if another block declares this mode common.
        pass.done = item->_turn;
        void *block = __CFBlockItemTake(rl, item);
        __CFRunLoopUnlock(rl);
        CFRL_IS_CALLING_START(BLOCK, rl, rlm, block, __CFRunLoopBlockFunction(block), 0);
        __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__((void (^)(void))block);
        CHECK_FOR_FORK();
        CFRL_IS_CALLING_END(BLOCK, rl, rlm, block);
        // With nothing locked, because an object that it held may run the loop when deallocated.
        _Block_release(block);
        __CFRunLoopLock(rl);
    }
    __CFRunLoopModeLock(rlm);
    rl->_blocksTaken = taken;
    return true;
}

// MARK: - The end of the loop

/// Blocks that are no longer in any queue, linked by the first of their places.
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

/// A block may hold the loop, directly or through its counterpart. If the loop kept that block
/// until it is deallocated, it would never be. After the loop's thread has ended no more blocks are
/// queued, so none arrives while this function releases them.
void __CFRunLoopDropBlocks(CFRunLoopRef rl) {
    struct __CFBlocksOfLoop blocks = {.rl = rl};
    blocks.list.end = &blocks.list.first;
    __CFRunLoopLock(rl);
    __CFBlockQueueEmpty(rl, &rl->_blocks_head, &blocks.list);
    __CFRunLoopForEachMode(rl, __CFRunLoopModeTakeBlocks, &blocks);
    *blocks.list.end = rl->_spareBlocks; // free these, too; they have no block
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
