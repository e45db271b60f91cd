/// CFRunLoopBlocks.c: the blocks that CFRunLoopPerformBlock queues in a loop (X7).
///
/// A loop has one list of blocks for all its modes, in the order of queueing, as in all versions of
/// the original. There, each pass walks the whole list, and so does the check whether a mode is
/// empty. Here, a flag in each mode, and one in the loop for the common modes, says whether the
/// list may contain a block for it. So if 10,000 blocks wait for another mode, a pass does not walk
/// the list, unless a block for its own mode is behind them.

#include "CFRunLoopProbes.h"

extern void _Block_release(const void *block);

// MARK: - The memory of the items
//
// The loop makes items one after the other in chunks of up to 8 KB, each with its block. If malloc
// placed each item and each block, 300,000 of them would lie all over the heap, and the processor
// would wait for memory at each. The loop uses a chunk again, or frees it, when all its items are
// freed. If a block ends by longjmp, its item is never freed, and its chunk only with the loop.

/// Memory for items. Guarded by the loop's lock, except for `_freed`.
struct __CFBlockChunk {
    struct __CFBlockChunk *_previous, *_next; // in the loop's list, from the newest to the oldest
    uint32_t _size;                     // of _items
    uint32_t _used;                     // how much of it has items
    uint32_t _made;                     // how many items it has
    uint32_t _freed;                    // how many of them are freed; the loop's thread
    _Alignas(16) char _items[];
};

enum { __kCFBlockLeastChunk = 512, __kCFBlockMostChunk = 8192 };

/// Makes an item with room for a block of that size.
static struct _block_item *__CFRunLoopMakeBlockItem(CFRunLoopRef rl, size_t blockSize) {
    CF_ASSERT_LOCKED(rl);
    size_t size = (sizeof(struct _block_item) + blockSize + 15) & ~(size_t)15;
    struct __CFBlockChunk *chunk = rl->_blockChunk;
    if (!chunk || chunk->_size - chunk->_used < size) {
        size_t most = chunk ? 4 * (size_t)chunk->_size : __kCFBlockLeastChunk;
        if (most > __kCFBlockMostChunk) most = __kCFBlockMostChunk;
        if (most < size) most = size;
        if (!(chunk = malloc(sizeof(*chunk) + most)))
            __CF_HAS_NO_MEMORY_LEFT__("a block of a run loop");
        *chunk = (struct __CFBlockChunk){._size = (uint32_t)most, ._next = rl->_blockChunk};
        if (rl->_blockChunk) rl->_blockChunk->_previous = chunk;
        rl->_blockChunk = chunk;
    }
    struct _block_item *item = (struct _block_item *)(chunk->_items + chunk->_used);
    *item = (struct _block_item){._offset = (uint32_t)((char *)item - (char *)chunk)};
    chunk->_used += (uint32_t)size;
    chunk->_made++;
    return item;
}

/// Returns the chunk that an item is in.
CF_INLINE struct __CFBlockChunk *__CFBlockItemGetChunk(struct _block_item *item) {
    return (struct __CFBlockChunk *)((char *)item - item->_offset);
}

static void __CFRunLoopFreeChunk(CFRunLoopRef rl, struct __CFBlockChunk *chunk) {
    if (chunk->_previous) chunk->_previous->_next = chunk->_next;
    else rl->_blockChunk = chunk->_next;
    if (chunk->_next) chunk->_next->_previous = chunk->_previous;
    free(chunk);
}

/// Empties the chunk for later items, or frees it, if all its items are freed. `chunk` may be NULL.
/// Call on the loop's thread, or when that has ended.
static void __CFRunLoopReuseChunk(CFRunLoopRef rl, struct __CFBlockChunk *chunk) {
    CF_ASSERT_LOCKED(rl);
    if (!chunk || chunk->_freed < chunk->_made) return;
    if (chunk == rl->_blockChunk && chunk->_size <= __kCFBlockMostChunk) {
        chunk->_used = chunk->_made = chunk->_freed = 0;
        return;
    }
    __CFRunLoopFreeChunk(rl, chunk);
}

// MARK: - The copy of a block

/// What all blocks of one expression share. This layout and the next are part of the ABI of blocks.
struct __CFBlockDescriptor {
    size_t reserved;
    size_t size;                        // of the block
    void (*copy)(void *to, const void *from); // exists only if the block's flags say so
    void (*dispose)(const void *block); // the same
};

/// How a block begins.
struct __CFBlockLayout {
    const void *isa;
    int32_t flags;
    int32_t reserved;
    void (*invoke)(void *block);
    const struct __CFBlockDescriptor *descriptor;
};

enum { // in the flags of a block
    __kCFBlockIsOnHeap = 1 << 24, __kCFBlockHasCopyAndDispose = 1 << 25,
    __kCFBlockIsGlobal = 1 << 28
};

/// Returns the size of a block that is on its client's stack, otherwise 0.
CF_INLINE size_t __CFBlockSizeOnStack(const void *block) {
    const struct __CFBlockLayout *layout = block;
    Boolean isOnStack = !(layout->flags & (__kCFBlockIsOnHeap | __kCFBlockIsGlobal));
    return isOnStack ? layout->descriptor->size : 0;
}

/// Copies the client's block for an item. If the block is on the client's stack, the copy is in the
/// item. For the runtime this copy is on a stack, too, so code that copies it again gets an object
/// on the heap. Otherwise the copy is another reference to the same block. Unlocks rl while it
/// copies what the block has captured, and then returns true. DOES CALLOUT: the copy constructors
/// of what it has captured
static Boolean __CFRunLoopCopyBlock(CFRunLoopRef rl, struct _block_item *item, const void *block) {
    CF_ASSERT_LOCKED(rl);
    const struct __CFBlockLayout *layout = block;
    size_t size = __CFBlockSizeOnStack(block);
    if (!size) {
        item->_block = (void (^)(void))__CFBlockCopy(block);
        return false;
    }
    memcpy(item->_stackBlock, block, size);
    item->_block = (void (^)(void))(void *)item->_stackBlock;
    if (!(layout->flags & __kCFBlockHasCopyAndDispose)) return false;
    __CFRunLoopUnlock(rl);
    layout->descriptor->copy(item->_stackBlock, block);
    __CFRunLoopLock(rl);
    return true;
}

/// Releases the block and the modes of an item. Call with nothing locked, because this may
/// deallocate an object that then runs the loop. DOES CALLOUT: releases what the block has captured
static void __CFBlockItemRelease(struct _block_item *item) {
    const struct __CFBlockLayout *layout = (const void *)item->_block;
    if ((const void *)layout != item->_stackBlock) _Block_release(layout);
    else if (layout->flags & __kCFBlockHasCopyAndDispose) layout->descriptor->dispose(layout);
    if (item->_isForSeveralModes) CFRelease(item->_mode);
}

// MARK: - Queueing a block

/// Marks the mode of this name as one that may have blocks, and creates it if it does not exist.
/// Returns the loop's own string for the name, not retained, or NULL for anything but a string.
static CFStringRef __CFRunLoopMarkMayHaveBlocks(CFRunLoopRef rl, CFTypeRef name) {
    CF_ASSERT_LOCKED(rl);
    if (!name || CFGetTypeID(name) != CFStringGetTypeID()) return NULL;
    CFRunLoopModeRef rlm = __CFRunLoopFindModeUnlocked(rl, name, true);
    if (rlm) rlm->_mayHaveBlocks = true;
    else rl->_commonModesMayHaveBlocks = true; // only the placeholder has no mode [D15]
    return rlm ? rlm->_name : kCFRunLoopCommonModes;
}

struct __CFBlockModes {
    CFRunLoopRef rl;
    CFMutableSetRef names;
};

static void __CFBlockModesAdd(const void *name, void *context) {
    struct __CFBlockModes *modes = context;
    CFStringRef ownName = __CFRunLoopMarkMayHaveBlocks(modes->rl, name);
    if (ownName) CFSetAddValue(modes->names, ownName);
}

static void __CFRunLoopMarkModeOfBlock(const void *name, void *rl) {
    __CFRunLoopMarkMayHaveBlocks(rl, name);
}

/// Marks the modes of an item as modes that may have blocks.
static void __CFRunLoopMarkModesOfBlock(CFRunLoopRef rl, const struct _block_item *item) {
    CF_ASSERT_LOCKED(rl);
    if (!item->_isForSeveralModes) __CFRunLoopMarkMayHaveBlocks(rl, item->_mode);
    else CFSetApplyFunction(item->_mode, __CFRunLoopMarkModeOfBlock, rl);
}

/// Returns the `_mode` of a new item: a name, which the loop retains, or the set of the names in an
/// array or a set, which the caller releases. Returns NULL if the client's `mode` contains no name.
static CFTypeRef __CFRunLoopModesOfBlock(CFRunLoopRef rl, CFTypeRef mode) {
    CF_ASSERT_LOCKED(rl);
    // Most calls name the same mode as the call before, by the same string.
    if (rl->_lastMode && rl->_lastMode->_name == mode) {
        rl->_lastMode->_mayHaveBlocks = true;
        return mode;
    }
    CFTypeID type = CFGetTypeID(mode);
    if (type == CFStringGetTypeID()) return __CFRunLoopMarkMayHaveBlocks(rl, mode);
    struct __CFBlockModes modes = {
        rl, CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks)
    };
    if (type == CFArrayGetTypeID()) {
        CFRange all = CFRangeMake(0, CFArrayGetCount(mode));
        CFArrayApplyFunction(mode, all, __CFBlockModesAdd, &modes);
    } else if (type == CFSetGetTypeID()) {
        CFSetApplyFunction(mode, __CFBlockModesAdd, &modes);
    }
    if (CFSetGetCount(modes.names)) return modes.names;
    CFRelease(modes.names);
    return NULL;
}

void CFRunLoopPerformBlock(CFRunLoopRef rl, CFTypeRef mode, void (^block)(void)) {
    CHECK_FOR_FORK();
    if (!block || !mode || __CFRunLoopIsDeallocating(rl)) return;
    if (__CFRunLoopRefusesItems(rl, "A block")) return;
    __CFRunLoopLock(rl);
    CFTypeRef modes = rl->_hasEnded ? NULL : __CFRunLoopModesOfBlock(rl, mode);
    if (modes) {
        struct _block_item *item =
            __CFRunLoopMakeBlockItem(rl, __CFBlockSizeOnStack((const void *)block));
        item->_mode = modes;
        item->_isForSeveralModes = modes != mode && CFGetTypeID(modes) == CFSetGetTypeID();
        // While rl was unlocked, a pass that found no block may have cleared the marks.
        if (__CFRunLoopCopyBlock(rl, item, (const void *)block))
            __CFRunLoopMarkModesOfBlock(rl, item);
        if (rl->_blocks_tail) rl->_blocks_tail->_next = item;
        else rl->_blocks_head = item;
        rl->_blocks_tail = item;
    }
    Boolean isLate = modes && rl->_hasEnded; // since __CFRunLoopCopyBlock has unlocked rl
    __CFRunLoopUnlock(rl);
    if (isLate) __CFRunLoopDropBlocks(rl);
}

// MARK: - Performing blocks

Boolean __CFRunLoopBlockIsForMode(const struct _block_item *item, CFRunLoopModeRef rlm) {
    if (item->_mode == rlm->_name) return true;
    Boolean isCommon = atomic_load_explicit(&rlm->_isCommon, memory_order_relaxed);
    if (!item->_isForSeveralModes) return isCommon && item->_mode == kCFRunLoopCommonModes;
    return CFSetContainsValue(item->_mode, rlm->_name)
        || (isCommon && CFSetContainsValue(item->_mode, kCFRunLoopCommonModes));
}

Boolean __CFRunLoopHasBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl);
    if (!rlm->_mayHaveBlocks && !(rlm->_isCommon && rl->_commonModesMayHaveBlocks)) return false;
    for (struct _block_item *item = rl->_blocks_head; item; item = item->_next) {
        if (__CFRunLoopBlockIsForMode(item, rlm)) return true;
    }
    if (rl->_hasTakenBlocks) return false; // they may include one for this mode, and may come back
    rlm->_mayHaveBlocks = false;
    if (rlm->_isCommon) rl->_commonModesMayHaveBlocks = false;
    return false;
}

/// The frame that a stack trace shows between the loop and a block. The assembler line keeps the
/// frame: without an instruction after the call, the compiler would turn the call into a jump. The
/// text of the line differs from that of the other callouts, because the compiler merges functions
/// with the same content.
static __attribute__((noinline)) void __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__(void (^block)(void)) {
    if (block) block();
    __asm__ volatile("/* block */");
}

/// Returns where the taken list stores the item after `previous`, or its first item if that is
/// NULL.
CF_INLINE struct _block_item **__CFRunLoopTakenBlockAfter(CFRunLoopRef rl,
                                                          struct _block_item *previous) {
    return previous ? &previous->_next : &rl->_takenBlocksHead;
}

/// Moves all queued blocks to the end of the taken list.
static void __CFRunLoopTakeBlocks(CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    CF_ASSERT_ON_THREAD(rl);
    *__CFRunLoopTakenBlockAfter(rl, rl->_takenBlocksTail) = rl->_blocks_head;
    rl->_takenBlocksTail = rl->_blocks_tail;
    rl->_blocks_head = rl->_blocks_tail = NULL;
    rl->_hasTakenBlocks = true;
}

/// Puts the taken blocks after `previous`, which is one of them, back in front of the queued ones.
/// NULL stands for all taken blocks. Call on the loop's thread, or when that has ended.
static void __CFRunLoopReturnTakenBlocks(CFRunLoopRef rl, struct _block_item *previous) {
    CF_ASSERT_LOCKED(rl);
    struct _block_item **link = __CFRunLoopTakenBlockAfter(rl, previous), *first = *link;
    if (first) {
        rl->_takenBlocksTail->_next = rl->_blocks_head;
        if (!rl->_blocks_tail) rl->_blocks_tail = rl->_takenBlocksTail;
        rl->_blocks_head = first;
        *link = NULL;
        rl->_takenBlocksTail = previous;
    }
    rl->_hasTakenBlocks = previous != NULL;
}

/// Takes the list, performs the blocks in it that are for this mode, and puts the rest back in
/// front of the blocks that were queued meanwhile. Blocks that a block queues wait for the next
/// call. A run nested in a block performs only blocks queued since: it sees neither the rest of the
/// taken list nor older blocks of other modes.
///
/// No other thread uses the taken list, so this locks the loop once for all blocks, not once for
/// each. In all versions of the original the taken list is a local variable. Here the loop has it,
/// and can still release it if the thread ends in a block. [D45] A nested call appends the blocks
/// that it takes to the same list, and changes only that part.
__attribute__((noinline)) Boolean __CFRunLoopDoBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl, rlm);
    // No call of this is around the outermost run. If blocks are taken, a block has ended by
    // longjmp.
    if (rl->_hasTakenBlocks && __CFRunLoopThisPass(rl)->_depth == 1)
        __CFRunLoopReturnTakenBlocks(rl, NULL);
    if (!__CFRunLoopHasBlocks(rl, rlm)) return false;
    struct _block_item *takenBefore = rl->_takenBlocksTail;
    struct _block_item *previous = takenBefore, *last = rl->_blocks_tail;
    __CFRunLoopTakeBlocks(rl);
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    struct __CFBlockChunk *chunk = NULL; // of the last performed block
    while (previous != last) {
        struct _block_item **link = __CFRunLoopTakenBlockAfter(rl, previous), *item = *link;
        // A block that is skipped here waits for the next call, even if one of the blocks after it
        // declares this mode common.
        if (!__CFRunLoopBlockIsForMode(item, rlm)) {
            previous = item;
            continue;
        }
        *link = item->_next;
        if (rl->_takenBlocksTail == item) rl->_takenBlocksTail = previous;
        if (item == last) last = previous;
        void *block = (void *)item->_block;
        CFRL_IS_CALLING_START(BLOCK, rl, rlm, block, __CFRunLoopBlockFunction(block), 0);
        __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__((void (^)(void))block);
        CHECK_FOR_FORK();
        CFRL_IS_CALLING_END(BLOCK, rl, rlm, block);
        __CFBlockItemRelease(item);
        if (chunk && chunk != __CFBlockItemGetChunk(item)) {
            __CFRunLoopLock(rl);
            __CFRunLoopReuseChunk(rl, chunk);
            __CFRunLoopUnlock(rl);
        }
        chunk = __CFBlockItemGetChunk(item);
        chunk->_freed++;
    }
    __CFRunLoopLock(rl);
    __CFRunLoopReuseChunk(rl, chunk);
    __CFRunLoopModeLock(rlm);
    __CFRunLoopReturnTakenBlocks(rl, takenBefore);
    return true;
}

// MARK: - The end of the loop

/// A block may retain the loop, directly or through its counterpart. If the loop kept that block
/// until its own deallocation, neither would ever be deallocated. After the loop's thread has
/// ended, the loop accepts no more blocks, so none is added while this function releases them.
void __CFRunLoopDropBlocks(CFRunLoopRef rl) {
    __CFRunLoopLock(rl);
    __CFRunLoopReturnTakenBlocks(rl, NULL);
    struct _block_item *item = rl->_blocks_head;
    rl->_blocks_head = rl->_blocks_tail = NULL;
    while (item) {
        struct _block_item *next = item->_next;
        struct __CFBlockChunk *chunk = __CFBlockItemGetChunk(item);
        __CFRunLoopUnlock(rl);
        __CFBlockItemRelease(item);
        __CFRunLoopLock(rl);
        chunk->_freed++;
        if (chunk != rl->_blockChunk) __CFRunLoopReuseChunk(rl, chunk);
        item = next;
    }
    struct __CFBlockChunk *chunk = rl->_blockChunk;
    if (chunk && chunk->_freed == chunk->_made) __CFRunLoopFreeChunk(rl, chunk);
    __CFRunLoopUnlock(rl);
}

/// Frees the chunks of items that were never freed, when the loop is deallocated.
void __CFRunLoopFreeBlockChunks(CFRunLoopRef rl) {
    while (rl->_blockChunk) __CFRunLoopFreeChunk(rl, rl->_blockChunk);
}
