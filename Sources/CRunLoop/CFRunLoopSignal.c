/// CFRunLoopSignal.c: how the signal of a version 0 source reaches the loop's thread, through the
/// loop's inbox.
///
/// In the original a signal sets a bit (CF-855, CF-1153) or stores the time (current source) under
/// the source's lock, and every pass checks all sources of the mode. Here a signal takes no lock,
/// so a signal handler may send one [D4], and a pass looks only at sources that were signaled.
///
/// Each loop has an inbox (struct __CFSignalInbox) with one bit for each of its sources. If the
/// sources need more than one word of 64 bits, a bit in a word above says which of the words below
/// to look at, and so on up to a single word, the root. A source has a slot in the inbox from the
/// moment that it joins its first mode of the loop until it leaves the last one. The signal of a
/// source is in one of these states:
///
///     state       signaled bit     bits of the slot,     _signaledSources0 of
///                 of the source    up to the root        the source's modes
///     unset       clear            may be set            may contain the source
///     set         set              not all are set       do not contain it
///     reported    set              set                   do not contain it
///     collected   set              may be set            contain it
///
/// Each access below is sequentially consistent. The steps of each side, in order:
///
///     a signaler (any thread, no lock)           the loop's thread in step 4 (rl locked)
///     CFRunLoopSourceSignal                      __CFRunLoopCollectSignals
///
///     1  sets the signaled bit of the source
///     2  reads which slot the source has
///     3  sets the bit of the slot, then those
///        above it, except bits that are set
///                                                4  takes the bits of the root: reads them and
///                                                   sets them to 0
///                                                5  takes the bits of the words below them
///                                                6  checks the signaled bit of the source in each
///                                                   slot found, and if it is set, adds the source
///                                                   to _signaledSources0 of its modes
///
/// Why no signal is lost:
///
/// - Two signalers: the second does 2 and 3 although the first has done 1. So when either call
///   returns, the signal is reported, even if the other thread is still between 1 and 3.
/// - A signaler that finds a bit set in 3 leaves it set. The loop's thread has not taken that bit
///   yet. It will take it, and check the signaled bit (6) afterwards.
/// - A source that joins a loop gets its slot first, and then the loop checks its signaled bit
///   (__CFRunLoopModeAddIfSignaled). A signaler that read the old slot in 2 did 1 before the source
///   got the new slot, so that check finds the bit.
/// - A signaler may set the bit of a slot that its source has left. The loop's thread finds no
///   source in that slot, or one that is not signaled, and does nothing. Inboxes are never freed,
///   so the word still exists.
///
/// A source in several loops has one slot at most, and does not use it. Instead its `_slot` is
/// __CFSharedSlot: a signal increments __CFSharedSignals, and each loop that shares sources checks
/// all its sources when that count has changed, as every pass of the original does (all versions).

#include "CFRunLoopProbes.h"

/// The number of signals so far, which decides the order of sources with equal `_order`.
static _Atomic(uint64_t) __CFSignalTurns = 0;
/// The number of signals of sources that are in several loops.
static _Atomic(uint64_t) __CFSharedSignals = 0;
/// The `_slot` of a source that is in several loops.
static struct __CFSignalSlot __CFSharedSlot;

// MARK: - Report: the signaler's side (any thread, no lock)

Boolean __CFRunLoopSourceIsSignaled(CFRunLoopSourceRef rls) {
    return (atomic_load(&rls->_bits) & __kCFRunLoopSourceSignaled) != 0;
}

/// Called only for the first of several signals, so that another signal before the source performs
/// does not change its turn. Lock-free.
static void __CFRunLoopSourceSetSignaled(CFRunLoopSourceRef rls) {
    atomic_store(&rls->_signalTurn, atomic_fetch_add(&__CFSignalTurns, 1));
    atomic_fetch_or(&rls->_bits, __kCFRunLoopSourceSignaled);
}

Boolean __CFRunLoopSourceUnsetSignaled(CFRunLoopSourceRef rls) {
    uint32_t bits = atomic_fetch_and(&rls->_bits, ~__kCFRunLoopSourceSignaled);
    return (bits & __kCFRunLoopSourceSignaled) != 0;
}

CF_INLINE uint64_t __CFSignalSlotBit(const struct __CFSignalSlot *slot) {
    return UINT64_C(1) << (slot - slot->_group->_slots);
}

/// Reports in the inbox of the source's loop that the source is signaled (2 and 3). Lock-free.
/// Several threads may do it at once, because it only sets bits.
static void __CFRunLoopSourceReport(CFRunLoopSourceRef rls) {
    // NULL: it is in no loop, and the loop that it joins will check its signaled bit.
    struct __CFSignalSlot *slot = atomic_load(&rls->_slot);
    if (slot == &__CFSharedSlot) {
        atomic_fetch_add(&__CFSharedSignals, 1);
        return;
    }
    for (; slot; slot = atomic_load(&slot->_group->_above)) {
        uint64_t bit = __CFSignalSlotBit(slot);
        if (!(atomic_load(&slot->_group->_signaled) & bit))
            atomic_fetch_or(&slot->_group->_signaled, bit);
    }
}

void CFRunLoopSourceSignal(CFRunLoopSourceRef rls) {
    CHECK_FOR_FORK();
    if (!__CFIsValid(rls)) return;
    if (!__CFRunLoopSourceIsSignaled(rls)) {
        CFRL_SIGNAL(rls);
        __CFRunLoopSourceSetSignaled(rls);
        // Another thread may have invalidated it since the first check.
        if (!__CFIsValid(rls)) __CFRunLoopSourceUnsetSignaled(rls);
    }
    __CFRunLoopSourceReport(rls);
}

Boolean CFRunLoopSourceIsSignalled(CFRunLoopSourceRef rls) {
    CHECK_FOR_FORK();
    return __CFRunLoopSourceIsSignaled(rls);
}

// MARK: - The inbox of a loop

static struct __CFSignalInbox *__CFSpareInboxes = NULL; // guarded by __CFSpareInboxesLock
static CFLock_t __CFSpareInboxesLock = CF_LOCK_INITIALIZER;

struct __CFSignalInbox *__CFSignalInboxCreate(void) {
    __CFLock(&__CFSpareInboxesLock);
    struct __CFSignalInbox *inbox = __CFSpareInboxes;
    if (inbox) __CFSpareInboxes = inbox->_nextSpare;
    __CFUnlock(&__CFSpareInboxesLock);
    if (!inbox) inbox = calloc(1, sizeof(*inbox));
    if (!inbox) __CF_HAS_NO_MEMORY_LEFT__("a run loop");
    atomic_store(&inbox->_sharesSources, false);
    return inbox;
}

void __CFSignalInboxFree(struct __CFSignalInbox *inbox) {
    __CFLock(&__CFSpareInboxesLock);
    inbox->_nextSpare = __CFSpareInboxes;
    __CFSpareInboxes = inbox;
    __CFUnlock(&__CFSpareInboxesLock);
}

/// Returns a group of free slots. `above` is the slot for this group. No signaler knows it yet. rl
/// locked.
static struct __CFSignalGroup *__CFSignalGroupCreate(struct __CFSignalInbox *inbox, CFIndex level,
                                                     CFIndex count, struct __CFSignalSlot *above) {
    struct __CFSignalGroup *group =
        calloc(1, sizeof(*group) + (size_t)count * sizeof(group->_slots[0]));
    if (!group) __CF_HAS_NO_MEMORY_LEFT__("the signals of a run loop");
    group->_inbox = inbox;
    group->_level = level;
    group->_count = count;
    if (count < 64) group->_taken = ~UINT64_C(0) << count;
    atomic_init(&group->_above, above);
    for (CFIndex i = 0; i < count; i++) group->_slots[i]._group = group;
    return group;
}

/// Adds a root above the one that is full. A signaler may have read NULL as the `_above` of the old
/// root. It has set its bit in the old root before, and the last line of this function sets the bit
/// that leads there. rl locked.
static void __CFSignalInboxGrow(struct __CFSignalInbox *inbox) {
    struct __CFSignalGroup *full = inbox->_root;
    struct __CFSignalGroup *root =
        full ? __CFSignalGroupCreate(inbox, full->_level + 1, __kCFSignalMostSlots, NULL)
             : __CFSignalGroupCreate(inbox, 0, __kCFSignalFewSlots, NULL);
    inbox->_root = root;
    if (!full) return;
    root->_slots[0]._below = full;
    root->_taken = 1;
    atomic_store(&full->_above, &root->_slots[0]);
    atomic_fetch_or(&root->_signaled, 1);
}

/// Takes a free slot from a group that has one. rl locked.
static struct __CFSignalSlot *__CFSignalGroupTakeSlot(struct __CFSignalGroup *group) {
    struct __CFSignalSlot *slot = &group->_slots[__builtin_ctzll(~group->_taken)], *taken = slot;
    if (group->_level) {
        if (!slot->_below)
            slot->_below =
                __CFSignalGroupCreate(group->_inbox, group->_level - 1, __kCFSignalMostSlots, slot);
        taken = __CFSignalGroupTakeSlot(slot->_below);
        if (~slot->_below->_taken) return taken;
    }
    group->_taken |= __CFSignalSlotBit(slot);
    return taken;
}

/// Takes a free slot for the source. rl locked.
static struct __CFSignalSlot *__CFSignalInboxTakeSlot(struct __CFSignalInbox *inbox,
                                                      CFRunLoopSourceRef rls) {
    if (!inbox->_root || !~inbox->_root->_taken) __CFSignalInboxGrow(inbox);
    struct __CFSignalSlot *slot = __CFSignalGroupTakeSlot(inbox->_root);
    slot->_source = rls;
    return slot;
}

/// Makes the slot free. Its bit may be set, and a signaler may still set it. rl locked.
static void __CFSignalSlotGiveBack(struct __CFSignalSlot *slot) {
    slot->_source = NULL;
    for (; slot; slot = atomic_load(&slot->_group->_above))
        slot->_group->_taken &= ~__CFSignalSlotBit(slot);
}

// MARK: - Join and leave

void __CFRunLoopSourceJoinInbox(CFRunLoopSourceRef rls, CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl, rls);
    struct __CFSignalInbox *inbox = rl->_inbox;
    struct __CFSignalSlot *slot = atomic_load(&rls->_slot);
    if (!slot) {
        rls->_ownSlot = __CFSignalInboxTakeSlot(inbox, rls);
        atomic_store(&rls->_slot, rls->_ownSlot);
    } else if (slot == &__CFSharedSlot) {
        atomic_store(&inbox->_sharesSources, true);
    } else if (slot->_group->_inbox != inbox) {
        // The source is in one loop and joins a second one. It keeps its slot in the first, because
        // a signaler may already have read that slot. Both loops must watch the count before a
        // signaler increments it.
        atomic_store(&slot->_group->_inbox->_sharesSources, true);
        atomic_store(&inbox->_sharesSources, true);
        atomic_store(&rls->_slot, &__CFSharedSlot);
    }
}

void __CFRunLoopSourceLeaveInbox(CFRunLoopSourceRef rls, CFRunLoopRef rl, Boolean isInOtherLoops) {
    CF_ASSERT_LOCKED(rl, rls);
    if (!isInOtherLoops) atomic_store(&rls->_slot, NULL);
    if (!rls->_ownSlot || rls->_ownSlot->_group->_inbox != rl->_inbox) return;
    __CFSignalSlotGiveBack(rls->_ownSlot);
    rls->_ownSlot = NULL;
}

// MARK: - Collect: the side of the loop's thread (rl locked)

void __CFRunLoopModeAddIfSignaled(const void *source, void *mode) {
    CFRunLoopModeRef rlm = mode;
    if (!__CFRunLoopSourceIsSignaled((CFRunLoopSourceRef)source)) return;
    if (!rlm->_signaledSources0)
        rlm->_signaledSources0 = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, NULL);
    CFSetAddValue(rlm->_signaledSources0, source);
}

/// Compares addresses, so it calls no `equal` of the client.
static void __CFRunLoopModeCollectSource(const void *mode, void *source) {
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)mode;
    if (rlm->_source0Addresses && CFSetContainsValue(rlm->_source0Addresses, source))
        __CFRunLoopModeAddIfSignaled(source, rlm);
}

/// Checks all sources of the mode, as every pass of the original does (all versions).
static void __CFRunLoopModeCollectAllSources(const void *mode, void *context) {
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)mode;
    (void)context;
    if (rlm->_sources0) CFSetApplyFunction(rlm->_sources0, __CFRunLoopModeAddIfSignaled, rlm);
}

/// Takes the bits of a group and of the groups below, and adds each signaled source to its modes.
static void __CFSignalGroupCollect(struct __CFSignalGroup *group, CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    uint64_t signaled = atomic_exchange(&group->_signaled, 0);
    for (; signaled; signaled &= signaled - 1) {
        struct __CFSignalSlot *slot = &group->_slots[__builtin_ctzll(signaled)];
        if (group->_level) __CFSignalGroupCollect(slot->_below, rl);
        else if (slot->_source && __CFRunLoopSourceIsSignaled(slot->_source))
            __CFRunLoopForEachMode(rl, __CFRunLoopModeCollectSource, slot->_source);
    }
}

/// Returns whether a signal was reported since the last __CFRunLoopCollectSignals.
static Boolean __CFRunLoopHasReports(CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    struct __CFSignalInbox *inbox = rl->_inbox;
    if (inbox->_root && atomic_load(&inbox->_root->_signaled)) return true;
    return atomic_load(&inbox->_sharesSources)
        && atomic_load(&__CFSharedSignals) != rl->_sharedSignalsSeen;
}

void __CFRunLoopCollectSignals(CFRunLoopRef rl) {
    if (CF_LIKELY(!__CFRunLoopHasReports(rl))) return;
    struct __CFSignalInbox *inbox = rl->_inbox;
    if (inbox->_root) __CFSignalGroupCollect(inbox->_root, rl);
    if (!atomic_load(&inbox->_sharesSources)) return;
    uint64_t shared = atomic_load(&__CFSharedSignals);
    if (shared == rl->_sharedSignalsSeen) return;
    // Store this before the check: a signal that the check misses increments the count later.
    rl->_sharedSignalsSeen = shared;
    __CFRunLoopForEachMode(rl, __CFRunLoopModeCollectAllSources, NULL);
}

static void __CFRunLoopFindSignaled(const void *source, void *found) {
    if (__CFRunLoopSourceIsSignaled((CFRunLoopSourceRef)source)) *(Boolean *)found = true;
}

Boolean __CFRunLoopModeMayHaveSignals(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl, rlm);
    if (!rlm->_sources0 || !CFSetGetCount(rlm->_sources0)) return false;
    if (__CFRunLoopHasReports(rl)) return true;
    Boolean found = false;
    if (rlm->_signaledSources0)
        CFSetApplyFunction(rlm->_signaledSources0, __CFRunLoopFindSignaled, &found);
    return found;
}
