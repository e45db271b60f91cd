/// CFRunLoopBlocks.c: the blocks that CFRunLoopPerformBlock queues in a loop (X7).
///
/// A loop has one list of blocks for all its modes, in the order of queueing.

#include "CFRunLoopProbes.h"

extern void _Block_release(const void *block);

// MARK: - Queueing a block

static __attribute__((noinline, noreturn, cold))
void __CFRUNLOOP_WAS_GIVEN_A_MODE_THAT_IS_NOT_A_STRING__(CFTypeRef mode) {
    CFStringRef type = CFCopyTypeIDDescription(CFGetTypeID(mode));
    char name[64];
    __CFStringCopyTruncated(type, name, sizeof(name));
    __CFHalt("CFRunLoopPerformBlock was given a mode that is a %s. A mode is a CFString, and "
             "several modes are a CFArray or a CFSet of them.", name);
}

static void __CFBlockModesAdd(const void *name, void *names) {
    if (!name) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__("CFRunLoopPerformBlock");
    if (CFGetTypeID(name) != CFStringGetTypeID())
        __CFRUNLOOP_WAS_GIVEN_A_MODE_THAT_IS_NOT_A_STRING__(name);
    CFStringRef copy = __CFRunLoopCopyModeName(name);
    CFSetAddValue(names, copy);
    CFRelease(copy);
}

/// Returns the `_mode` of a new item: a copy of a name, or a set with copies of the names in an
/// array or a set. Returns NULL if that contains no name, or is of another type.
static CFTypeRef __CFRunLoopCopyBlockMode(CFTypeRef mode) {
    CFTypeID type = CFGetTypeID(mode);
    if (type == CFStringGetTypeID()) return __CFRunLoopCopyModeName(mode);
    CFMutableSetRef names =
        CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
    if (type == CFArrayGetTypeID())
        CFArrayApplyFunction(mode, CFRangeMake(0, CFArrayGetCount(mode)), __CFBlockModesAdd, names);
    else if (type == CFSetGetTypeID()) CFSetApplyFunction(mode, __CFBlockModesAdd, names);
    if (CFSetGetCount(names)) return names;
    CFRelease(names);
    return NULL;
}

static void __CFRunLoopCreateMode(const void *name, void *rl) {
    __CFRunLoopModeUnlock(__CFRunLoopFindMode(rl, name, true));
}

/// Releases the block and the modes of an item. Call with nothing locked. DOES CALLOUT: releases
/// what the block has captured
static void __CFBlockItemFree(struct _block_item *item) {
    _Block_release((const void *)item->_block);
    CFRelease(item->_mode);
    free(item);
}

/// The copy of the client's block runs the copy constructors of what it has captured, so it is made
/// before the loop is locked.
void CFRunLoopPerformBlock(CFRunLoopRef rl, CFTypeRef mode, void (^block)(void)) {
    CHECK_FOR_FORK();
    if (!block || !mode || __CFRunLoopIsDeallocating(rl)) return;
    if (__CFRunLoopIsRefusing(rl, "A block is being added to the main run loop")) return;
    CFTypeRef ownMode = __CFRunLoopCopyBlockMode(mode);
    if (!ownMode) return;
    struct _block_item *item = malloc(sizeof(*item));
    if (!item) __CF_HAS_NO_MEMORY_LEFT__("a block of a run loop");
    *item = (struct _block_item){NULL, ownMode, (void (^)(void))__CFBlockCopy((const void *)block)};
    __CFRunLoopLock(rl);
    Boolean isLate = __CFRunLoopIsEnded(rl);
    if (!isLate) {
        if (CFGetTypeID(ownMode) == CFStringGetTypeID()) __CFRunLoopCreateMode(ownMode, rl);
        else CFSetApplyFunction(ownMode, __CFRunLoopCreateMode, rl);
        if (rl->_blocks_tail) rl->_blocks_tail->_next = item;
        else rl->_blocks_head = item;
        rl->_blocks_tail = item;
    }
    __CFRunLoopUnlock(rl);
    if (isLate) __CFBlockItemFree(item);
}

// MARK: - Performing blocks

Boolean __CFRunLoopBlockIsForMode(const struct _block_item *item, CFRunLoopModeRef rlm) {
    Boolean isCommon = atomic_load_explicit(&rlm->_isCommon, memory_order_relaxed);
    if (CFGetTypeID(item->_mode) == CFStringGetTypeID())
        return CFEqual(item->_mode, rlm->_name)
            || (isCommon && __CFRunLoopIsCommonModes(item->_mode));
    return CFSetContainsValue(item->_mode, rlm->_name)
        || (isCommon && CFSetContainsValue(item->_mode, kCFRunLoopCommonModes));
}

Boolean __CFRunLoopHasBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl);
    for (const struct _block_item *item = rl->_blocks_head; item; item = item->_next) {
        if (__CFRunLoopBlockIsForMode(item, rlm)) return true;
    }
    return false;
}

/// Takes the list, performs the blocks in it that are for this mode, and puts the rest back in
/// front of the blocks that were queued meanwhile. Blocks that a block queues wait for the next
/// call. A run nested in a block performs only blocks queued since: it sees neither the rest of the
/// taken list nor older blocks of other modes.
__attribute__((noinline)) Boolean __CFRunLoopDoBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl, rlm);
    if (!rl->_blocks_head) return false;
    Boolean did = false;
    struct _block_item *head = rl->_blocks_head;
    struct _block_item *tail = rl->_blocks_tail;
    rl->_blocks_head = NULL;
    rl->_blocks_tail = NULL;
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    struct _block_item *prev = NULL;
    struct _block_item *item = head;
    while (item) {
        struct _block_item *curr = item;
        item = item->_next;
        if (!__CFRunLoopBlockIsForMode(curr, rlm)) {
            prev = curr;
            continue;
        }
        if (prev) prev->_next = item;
        if (curr == head) head = item;
        if (curr == tail) tail = prev;
        CFRL_IS_CALLING_START(BLOCK, rl, rlm, (void *)curr->_block,
                              __CFRunLoopBlockFunction((void *)curr->_block), 0);
        __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__(curr->_block);
        did = true;
        CFRL_IS_CALLING_END(BLOCK, rl, rlm, (void *)curr->_block);
        __CFBlockItemFree(curr); // before it locks again, because a destructor may use the loop
    }
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
    if (head) {
        tail->_next = rl->_blocks_head;
        rl->_blocks_head = head;
        if (!rl->_blocks_tail) rl->_blocks_tail = tail;
    }
    return did;
}

// MARK: - The end of the loop

/// A block may retain the loop, directly or through its twin. If the loop kept that block
/// until its own deallocation, neither would ever be deallocated. After the loop's thread has
/// ended, the loop accepts no more blocks, so none is added while this function releases them.
void __CFRunLoopDropBlocks(CFRunLoopRef rl) {
    __CFRunLoopLock(rl);
    struct _block_item *item = rl->_blocks_head;
    rl->_blocks_head = rl->_blocks_tail = NULL;
    __CFRunLoopUnlock(rl);
    while (item) {
        struct _block_item *next = item->_next;
        __CFBlockItemFree(item);
        item = next;
    }
}
