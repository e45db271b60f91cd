/// CFRunLoopSignal.c: how the signal of a version 0 source reaches the loop's thread: the inbox of
/// a loop, all of it.
///
/// In the original a signal sets a bit (CF-855, CF-1153) or notes the time (current source) under
/// the source's lock, and every pass asks all sources of the mode for it. Here a signal takes no
/// lock, so that it may come from a signal handler [D4], and a pass looks only at sources that have
/// been signalled.
///
/// Each loop has an inbox (struct __CFSignalInbox): one bit for each of its sources. If there are
/// more than one word has room for, a bit in a second word says which of the first words to look
/// at, and so on up to a single word, the root. A source has a slot in the inbox from the moment
/// that it joins its first mode of the loop until it leaves the last one; the inbox does not retain
/// it. A signal is in one of these states:
///
///     unset       the signalled bit of the source is clear
///     set         the signalled bit is set, and the bit of the slot is not yet set: the signaller
///     stands between the two reported    the signalled bit is set, and so are the bits of the
///     slot, up to the root collected   the signalled bit is set, and the modes of the loop have
///     the source in _signaledSources0
///
/// Each access below is sequentially consistent. On both sides the steps come in this order:
///
///     a signaller (any thread, no lock)              the loop's thread, at step 4 (rl locked)
///     CFRunLoopSourceSignal                          __CFRunLoopCollectSignals
///     1  sets the source's signalled bit             a  takes the bits of the root: reads and
///     clears them 2  reads which slot the source has             b  takes the bits of the words
///     that those lead to 3  sets the slot's bit, then the bits above,   c  looks at the signalled
///     bit of the source in each slot that
///        each unless it is set                          these lead to, and adds it to the modes
///        that it is in
///
/// Why no signal is missed:
///
/// - A signaller does 2 and 3 even if another one has done 1 before it. So when
/// CFRunLoopSourceSignal returns, the signal is
///   reported, whoever set it: if the other signaller still stands between 1 and 3, this one has
///   done its work.
/// - A signaller that finds a bit set in 3 leaves it alone. The loop's thread has not taken that
/// bit yet, so it takes it later,
///   and looks at the signalled bit (c) later still.
/// - A source that joins a loop first gets its slot, and then is looked at
/// (__CFRunLoopModeAddIfSignaled). A signaller that reads
///   the old slot in 2 has done 1 before the source got the new one, so that look finds the
///   signalled bit.
/// - A signaller may set the bit of a slot that its source no longer has. The loop's thread finds
/// no source there, or one that is
///   not signalled, and does nothing. Inboxes are never freed, so there is always a word to set the
///   bit in.
///
/// A source in several loops at once has no slot of its own (__CFSharedSlot): its signals are
/// counted, and each loop that shares sources looks at all its sources when the count has moved, as
/// every pass of the original does (all versions).

#include "CFRunLoopProbes.h"
#include "Names/CFRunLoopSignal.h"

static struct __CFSignalInbox *__CFSpareInboxes = NULL; // guarded by __CFSpareInboxesLock
static CFLock_t __CFSpareInboxesLock = CF_LOCK_INITIALIZER;
// counts all signals: the order among sources of equal order
static _Atomic(uint64_t) __CFSignalTurns = 0;
// counts the signals of sources that are in several loops
static _Atomic(uint64_t) __CFSharedSignals = 0;
static struct __CFSignalSlot __CFSharedSlot; // stands for the slots that such a source would have

// MARK: - The signal (any thread, no lock)

Boolean __CFRunLoopSourceIsSignaled(CFRunLoopSourceRef rls) {
    return (atomic_load(&rls->_bits) & __kCFRunLoopSourceSignaled) != 0;
}

/// The turn is that of the first signal: signalling again before the source was performed does not
/// move it back in the queue. Lock-free.
static void __CFRunLoopSourceSetSignaled(CFRunLoopSourceRef rls) {
    atomic_store(&rls->_signalTurn, atomic_fetch_add(&__CFSignalTurns, 1));
    atomic_fetch_or(&rls->_bits, __kCFRunLoopSourceSignaled);
}

Boolean __CFRunLoopSourceUnsetSignaled(CFRunLoopSourceRef rls) {
    return (atomic_fetch_and(&rls->_bits, ~__kCFRunLoopSourceSignaled)
            & __kCFRunLoopSourceSignaled)
           != 0;
}

CF_INLINE uint64_t __CFSignalSlotBit(const struct __CFSignalSlot *slot) {
    return UINT64_C(1) << (slot - slot->_group->_slots);
}

/// Says in the inbox of the source's loop that the source is signalled. Lock-free, and safe to be
/// done again or by several threads at once: it sets bits that may be set.
static void __CFRunLoopSourceReport(CFRunLoopSourceRef rls) {
    // NULL: in no loop; when it joins one, its bit is looked at
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
        if (!__CFIsValid(rls))
            __CFRunLoopSourceUnsetSignaled(rls); // invalidated at this very moment
    }
    __CFRunLoopSourceReport(rls);
}

Boolean CFRunLoopSourceIsSignalled(CFRunLoopSourceRef rls) {
    CHECK_FOR_FORK();
    return __CFRunLoopSourceIsSignaled(rls);
}

// MARK: - The inbox of a loop

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

/// A group of free slots; `above` is the slot that will stand for it. The signallers do not know it
/// yet. Call with rl locked.
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

/// Puts a root above the one that is full. A signaller that does not find the new root above the
/// old one yet has set its bit in the old one before, and the bit that is set here leads to it.
/// Call with rl locked.
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

/// A free slot of a group that has one. Call with rl locked.
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

/// Call with rl locked.
static struct __CFSignalSlot *__CFSignalInboxTakeSlot(struct __CFSignalInbox *inbox,
                                                      CFRunLoopSourceRef rls) {
    if (!inbox->_root || !~inbox->_root->_taken) __CFSignalInboxGrow(inbox);
    struct __CFSignalSlot *slot = __CFSignalGroupTakeSlot(inbox->_root);
    slot->_source = rls;
    return slot;
}

/// The bit of the slot may be set, now and later: see the top of this file. Call with rl locked.
static void __CFSignalSlotGiveBack(struct __CFSignalSlot *slot) {
    slot->_source = NULL;
    for (; slot; slot = atomic_load(&slot->_group->_above))
        slot->_group->_taken &= ~__CFSignalSlotBit(slot);
}

// MARK: - Which inbox a source has

void __CFRunLoopSourceJoinInbox(CFRunLoopSourceRef rls, CFRunLoopRef rl) {
    struct __CFSignalInbox *inbox = rl->_inbox;
    struct __CFSignalSlot *slot = atomic_load(&rls->_slot);
    if (!slot) {
        rls->_ownSlot = __CFSignalInboxTakeSlot(inbox, rls);
        atomic_store(&rls->_slot, rls->_ownSlot);
    } else if (slot == &__CFSharedSlot) {
        atomic_store(&inbox->_sharesSources, true);
    } else if (slot->_group->_inbox != inbox) {
        // From one loop to several. It keeps its slot in the first: there may be a signaller that
        // has read it already.
        // Before the first signal is counted for all.
        atomic_store(&slot->_group->_inbox->_sharesSources, true);
        atomic_store(&inbox->_sharesSources, true);
        atomic_store(&rls->_slot, &__CFSharedSlot);
    }
}

void __CFRunLoopSourceLeaveInbox(CFRunLoopSourceRef rls, CFRunLoopRef rl, Boolean isInOtherLoops) {
    if (!isInOtherLoops) atomic_store(&rls->_slot, NULL);
    if (!rls->_ownSlot || rls->_ownSlot->_group->_inbox != rl->_inbox) return;
    __CFSignalSlotGiveBack(rls->_ownSlot);
    rls->_ownSlot = NULL;
}

// MARK: - Collecting (with the run loop locked)

/// Whether this very source, not one equal to it, is in the mode. Call with rl locked.
static Boolean __CFRunLoopModeHasSource0(CFRunLoopModeRef rlm, CFRunLoopSourceRef rls) {
    return rlm->_source0Addresses && CFSetContainsValue(rlm->_source0Addresses, rls);
}

void __CFRunLoopModeAddIfSignaled(const void *source, void *mode) {
    CFRunLoopModeRef rlm = mode;
    if (!__CFRunLoopSourceIsSignaled((CFRunLoopSourceRef)source)) return;
    if (!rlm->_signaledSources0)
        rlm->_signaledSources0 = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, NULL);
    CFSetAddValue(rlm->_signaledSources0, source);
}

/// Call with rl locked.
static void __CFRunLoopModeCollectSource(const void *mode, void *source) {
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)mode;
    if (__CFRunLoopModeHasSource0(rlm, source)) __CFRunLoopModeAddIfSignaled(source, rlm);
}

/// What every pass of the original does for its mode (all versions). Call with rl locked.
static void __CFRunLoopModeCollectAllSources(const void *mode, void *context) {
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)mode;
    (void)context;
    if (rlm->_sources0) CFSetApplyFunction(rlm->_sources0, __CFRunLoopModeAddIfSignaled, rlm);
}

/// Takes the bits of a group, then of those below, and adds each signalled source to its modes.
/// Call with rl locked.
static void __CFSignalGroupCollect(struct __CFSignalGroup *group, CFRunLoopRef rl) {
    uint64_t signaled = atomic_exchange(&group->_signaled, 0);
    for (; signaled; signaled &= signaled - 1) {
        struct __CFSignalSlot *slot = &group->_slots[__builtin_ctzll(signaled)];
        if (group->_level) __CFSignalGroupCollect(slot->_below, rl);
        else if (slot->_source && __CFRunLoopSourceIsSignaled(slot->_source))
            __CFRunLoopForEachMode(rl, __CFRunLoopModeCollectSource, slot->_source);
    }
}

/// Whether something was reported since the last look. Call with rl locked.
static Boolean __CFRunLoopHasReports(CFRunLoopRef rl) {
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
    // before the look: what is signalled after it, is counted after it
    rl->_sharedSignalsSeen = shared;
    __CFRunLoopForEachMode(rl, __CFRunLoopModeCollectAllSources, NULL);
}

/// Call with rl locked.
static void __CFRunLoopFindSignaled(const void *source, void *found) {
    if (__CFRunLoopSourceIsSignaled((CFRunLoopSourceRef)source)) *(Boolean *)found = true;
}

Boolean __CFRunLoopModeMayHaveSignals(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (!rlm->_sources0 || !CFSetGetCount(rlm->_sources0)) return false;
    if (__CFRunLoopHasReports(rl)) return true;
    Boolean found = false;
    if (rlm->_signaledSources0)
        CFSetApplyFunction(rlm->_signaledSources0, __CFRunLoopFindSignaled, &found);
    return found;
}
