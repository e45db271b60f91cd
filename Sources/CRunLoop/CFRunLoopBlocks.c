/// CFRunLoopBlocks.c: the blocks that CFRunLoopPerformBlock queues in a loop (X7).
///
/// A loop has one list of blocks for all its modes, in the order of queueing, as in all versions of
/// the original. There, each pass walks the whole list, and so does the check whether a mode is
/// empty. Here, a flag in each mode, and one in the loop for the common modes, says whether the
/// list may contain a block for it. So if 10,000 blocks wait for another mode, a pass does not walk
/// the list, unless a block for its own mode is behind them.

#include "CFRunLoopProbes.h"
#include "Names/CFRunLoopBlocks.h"

extern void _Block_release(const void *block);

// MARK: - The list

/// How many unused items a loop keeps for later blocks. With them, queueing and performing a
/// hundred blocks takes 11 % less time than with malloc and free.
enum { __kCFMostSpareBlocks = 64 };

/// Returns where the list stores the item after `previous`, or the first item if that is NULL.
CF_INLINE struct _block_item **__CFRunLoopBlockAfter(CFRunLoopRef rl,
                                                     struct _block_item *previous) {
    return previous ? &previous->_next : &rl->_blocks_head;
}

/// Appends a block to the list. The item owns both arguments.
static void __CFRunLoopAppendBlock(CFRunLoopRef rl, CFTypeRef modes, void (^block)(void)) {
    CF_ASSERT_LOCKED(rl);
    struct _block_item *item = rl->_spareBlocks;
    if (item) {
        rl->_spareBlocks = item->_next;
        rl->_spareBlockCount--;
    } else if (!(item = malloc(sizeof(*item)))) {
        __CF_HAS_NO_MEMORY_LEFT__("a block of a run loop");
    }
    *item = (struct _block_item){._mode = modes, ._block = block};
    *__CFRunLoopBlockAfter(rl, rl->_blocks_tail) = item;
    rl->_blocks_tail = item;
}

/// Removes the item after `previous` and returns its block. The caller releases the block.
static void *__CFRunLoopRemoveBlock(CFRunLoopRef rl, struct _block_item *previous) {
    CF_ASSERT_LOCKED(rl);
    struct _block_item **link = __CFRunLoopBlockAfter(rl, previous), *item = *link;
    *link = item->_next;
    if (rl->_blocks_tail == item) rl->_blocks_tail = previous;
    if (rl->_blocksTaken == item) rl->_blocksTaken = previous;
    void *block = (void *)item->_block;
    CFRelease(item->_mode);
    if (rl->_spareBlockCount == __kCFMostSpareBlocks) {
        free(item);
        return block;
    }
    *item = (struct _block_item){._next = rl->_spareBlocks};
    rl->_spareBlocks = item;
    rl->_spareBlockCount++;
    return block;
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

/// Returns the `_mode` of a new item: a name, or the set of the names in an array or a set. The
/// caller releases it. Returns NULL if the client's `mode` contains no name.
static CFTypeRef __CFRunLoopCopyModesOfBlock(CFRunLoopRef rl, CFTypeRef mode) {
    CF_ASSERT_LOCKED(rl);
    CFTypeID type = CFGetTypeID(mode);
    if (type == CFStringGetTypeID()) return CFRetain(__CFRunLoopMarkMayHaveBlocks(rl, mode));
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
    void *copy = (void *)__CFBlockCopy((const void *)block);
    __CFRunLoopLock(rl);
    CFTypeRef modes = rl->_hasEnded ? NULL : __CFRunLoopCopyModesOfBlock(rl, mode);
    if (modes) __CFRunLoopAppendBlock(rl, modes, (void (^)(void))copy);
    __CFRunLoopUnlock(rl);
    if (!modes) _Block_release(copy);
}

// MARK: - Performing blocks

Boolean __CFRunLoopBlockIsForMode(const struct _block_item *item, CFRunLoopModeRef rlm) {
    if (CFGetTypeID(item->_mode) == CFSetGetTypeID()) {
        return CFSetContainsValue(item->_mode, rlm->_name)
            || (rlm->_isCommon && CFSetContainsValue(item->_mode, kCFRunLoopCommonModes));
    }
    return item->_mode == rlm->_name || (rlm->_isCommon && item->_mode == kCFRunLoopCommonModes);
}

Boolean __CFRunLoopHasBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl);
    if (!rlm->_mayHaveBlocks && !(rlm->_isCommon && rl->_commonModesMayHaveBlocks)) return false;
    struct _block_item *item = *__CFRunLoopBlockAfter(rl, rl->_blocksTaken);
    for (; item; item = item->_next) {
        if (__CFRunLoopBlockIsForMode(item, rlm)) return true;
    }
    if (rl->_blocksTaken) return false; // the taken blocks in front may include one for this mode
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

/// Takes the list, performs the blocks in it that are for this mode, and puts the rest back in
/// front of the blocks that were queued meanwhile. Blocks that a block queues wait for the next
/// call. A run nested in a block performs only blocks queued since: it sees neither the rest of the
/// taken list nor older blocks of other modes.
///
/// In all versions of the original `_blocks_head` and `_blocks_tail` are empty meanwhile. Here the
/// taken items stay linked, in front of the others, and `_blocksTaken` is the last of them. So the
/// loop can still release them if the thread ends in a block. [D45] A nested call changes only the
/// list behind them.
__attribute__((noinline)) Boolean __CFRunLoopDoBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl, rlm);
    if (!__CFRunLoopHasBlocks(rl, rlm)) return false;
    struct _block_item *takenBefore = rl->_blocksTaken;
    struct _block_item *previous = takenBefore, *last = rl->_blocks_tail;
    rl->_blocksTaken = last;
    __CFRunLoopModeUnlock(rlm); // the loop's lock alone guards the list
    while (previous != last) {
        struct _block_item *item = *__CFRunLoopBlockAfter(rl, previous);
        // A block that is skipped here waits for the next call, even if one of the blocks after it
        // declares this mode common.
        if (!__CFRunLoopBlockIsForMode(item, rlm)) {
            previous = item;
            continue;
        }
        if (item == last) last = previous;
        void *block = __CFRunLoopRemoveBlock(rl, previous);
        __CFRunLoopUnlock(rl);
        CFRL_IS_CALLING_START(BLOCK, rl, rlm, block, __CFRunLoopBlockFunction(block), 0);
        __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__((void (^)(void))block);
        CHECK_FOR_FORK();
        CFRL_IS_CALLING_END(BLOCK, rl, rlm, block);
        // With nothing locked, because this may deallocate an object that then runs the loop.
        _Block_release(block);
        __CFRunLoopLock(rl);
    }
    __CFRunLoopModeLock(rlm);
    rl->_blocksTaken = takenBefore;
    return true;
}

// MARK: - The end of the loop

/// A block may retain the loop, directly or through its counterpart. If the loop kept that block
/// until its own deallocation, neither would ever be deallocated. After the loop's thread has
/// ended, the loop accepts no more blocks, so none is added while this function releases them.
void __CFRunLoopDropBlocks(CFRunLoopRef rl) {
    __CFRunLoopLock(rl);
    struct _block_item *item = rl->_blocks_head, *spare = rl->_spareBlocks, *next;
    rl->_blocks_head = rl->_blocks_tail = rl->_blocksTaken = rl->_spareBlocks = NULL;
    rl->_spareBlockCount = 0;
    __CFRunLoopUnlock(rl);
    for (; spare; spare = next) {
        next = spare->_next;
        free(spare);
    }
    for (; item; item = next) {
        next = item->_next;
        _Block_release((const void *)item->_block);
        CFRelease(item->_mode);
        free(item);
    }
}
