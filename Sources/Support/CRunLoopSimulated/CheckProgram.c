/// CheckProgram.c: the rules that hold for every program, whatever its threads do and whoever goes
/// first. PerformProgram.c includes it, and calls it where a rule can be broken. The first
/// complaint is kept, and stands in the log.

static __attribute__((format(printf, 1, 2))) void complain(const char *format, ...) {
    if (performance.complaint[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(performance.complaint, sizeof performance.complaint, format, arguments);
    va_end(arguments);
    SimulationSay("BROKEN: %s", performance.complaint);
}

// MARK: - In a callback

/// Whether an item is an observer that sees each run of some modes: its own thread, outside of any
/// run, has added it, and nothing else happens to it.
static bool checkWatches(int item) {
    const LoopProgram *program = performance.program;
    const LoopItem *observer = &program->items[item];
    if (observer->activities != 0x0FFFFFFF || observer->once) return false;
    for (int i = 0; i < program->actionCount; i++) {
        const LoopAction *action = &program->actions[i];
        const LoopPlace *place = &program->places[action->place];
        if (action->item != item) continue;
        if (action->verb != doAdd || action->modes & 1u << commonModesIndex
            || place->kind != ofThread || place->index != observer->thread)
            return false;
    }
    return true;
}

/// The watcher sees each run from Entry to Exit, and each pass in its order. Runs
/// nest, so what it has seen last is a stack.
static void checkActivity(int item, unsigned activity, int thread) {
    enum { entry = 1, beforeTimers = 2, beforeSources = 4, beforeWaiting = 32, afterWaiting = 64,
           exits = 128 };
    struct Performer *performer = &performance.performers[thread];
    unsigned before = performer->activityCount ? performer->activities[performer->activityCount - 1]
                                               : 0;
    unsigned allowed = activity == beforeTimers ? entry | beforeSources | afterWaiting
        : activity == beforeSources ? beforeTimers
        : activity == beforeWaiting ? beforeSources
        : activity == afterWaiting ? beforeWaiting
        : entry | beforeSources | afterWaiting; // Exit
    if (activity == entry && performer->activityCount < mostNames)
        return (void)(performer->activities[performer->activityCount++] = activity);
    if (!(before & allowed))
        complain("%s is notified of %s after %s", performance.program->items[item].name,
                 loopActivityName(activity), before ? loopActivityName(before) : "no Entry");
    if (!performer->activityCount) return;
    performer->activities[performer->activityCount - 1] = activity;
    if (activity == exits) performer->activityCount--;
}

static void checkLocks(const char *name) {
    if (SimulationGetLockCount()) complain("%s is called while its thread holds a lock", name);
}

static void checkCall(int item, unsigned activity, int thread) {
    const LoopItem *called = &performance.program->items[item];
    int calls = performance.calls[item];
    checkLocks(called->name);
    if (thread != called->thread) complain("%s is called on another thread", called->name);
    if (called->kind == aSource && calls > performance.signals[item])
        complain("%s performs for the %d. time after %d signals", called->name, calls,
                 performance.signals[item]);
    if (((called->kind == aTimer && !called->interval) || called->once) && calls > 1)
        complain("%s is called twice, but does not repeat", called->name);
    if (performance.performers[thread].watcher == item + 1)
        checkActivity(item, activity, thread);
}

static void checkBlock(int block) {
    const char *name = performance.program->blocks[block];
    checkLocks(name);
    if (performance.runs[block] > performance.queued[block])
        complain("%s runs for the %d. time, but was queued %d times", name, performance.runs[block],
                 performance.queued[block]);
}

static void checkResult(const LoopAction *action, SInt32 result, double seconds) {
    const char *mode = performance.program->modes[__builtin_ctz(action->modes)];
    if (result == kCFRunLoopRunTimedOut && seconds < action->seconds - 1e-9)
        complain("a run of %s for %gs times out after %gs", mode, action->seconds, seconds);
    if (result == kCFRunLoopRunHandledSource && !action->once)
        complain("a run of %s ends with a source, and was not asked to", mode);
}

// MARK: - When all threads wait

static void checkStop(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (__c11_atomic_load(&__c11_atomic_load(&rl->_perRunData, __ATOMIC_SEQ_CST)->stopped,
                          __ATOMIC_SEQ_CST) || rlm->_stopped)
        complain("a loop sleeps although it was stopped");
}

/// The deadline that the kernel knows is no later than any timer of the mode allows. If the timer
/// port has ended the wait of an outer run, the mode's timers are that run's: a nested one does not
/// wait for them, unless one changes.
static void checkTimers(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFSimThread *thread) {
    _per_run_data *outer = __c11_atomic_load(&rl->_perRunData, __ATOMIC_SEQ_CST)->previous;
    Boolean hasGoneOff = rlm->_mkTimerArmed && thread->set->timerDeadline == UINT64_MAX;
    if (hasGoneOff && outer && outer->_mode) return;
    CFIndex count = rlm->_timers ? CFArrayGetCount(rlm->_timers) : 0;
    for (CFIndex i = 0; i < count; i++) {
        CFRunLoopTimerRef timer = (CFRunLoopTimerRef)CFArrayGetValueAtIndex(rlm->_timers, i);
        uint64_t latest = timer->_fireTSR + __CFTimeIntervalToTSR(timer->_tolerance);
        if (!__CFIsValid(timer) || __c11_atomic_load(&timer->_bits, __ATOMIC_SEQ_CST)) continue;
        if (__CFSimDeadline(thread) > latest)
            complain("%s sleeps past the date of the timer %s", thread->name,
                     performance.program->items[(intptr_t)timer->_context.info].name);
    }
}

static void checkSource(const void *value, void *thread) {
    CFRunLoopSourceRef source = (CFRunLoopSourceRef)value;
    uint32_t bits = __c11_atomic_load(&source->_bits, __ATOMIC_SEQ_CST);
    if (__CFIsValid(source) && bits & __kCFRunLoopSourceSignaled)
        complain("%s sleeps although the source %s is signalled", ((__CFSimThread *)thread)->name,
                 performance.program->items[(intptr_t)source->_context.version0.info].name);
}

static void checkPort(const void *value, void *thread) {
    CFRunLoopSourceRef source = (CFRunLoopSourceRef)value;
    int item = (int)(intptr_t)source->_context.version1.info;
    if (__CFIsValid(source) && __CFSimPortHasMessage(performance.ports[item]))
        complain("%s sleeps although the port %s is ready", ((__CFSimThread *)thread)->name,
                 performance.program->items[item].name);
}

static void checkBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFSimThread *thread) {
    for (struct _block_item *item = rl->_blocks_head; item; item = item->_next) {
        Boolean isName = CFGetTypeID(item->_mode) == CFStringGetTypeID();
        CFStringRef name = rlm->_name, common = kCFRunLoopCommonModes;
        Boolean isFor = isName ? CFEqual(item->_mode, name) : CFSetContainsValue(item->_mode, name);
        Boolean isCommon = isName ? CFEqual(item->_mode, common)
                                  : CFSetContainsValue(item->_mode, common);
        if (isFor || (isCommon && CFSetContainsValue(rl->_commonModes, name)))
            complain("%s sleeps although a block waits", thread->name);
    }
}

/// Checks a loop that sleeps. Every signal, block and addition of the program is followed by a
/// wake-up: `hasWoken`.
static void checkSleeper(CFRunLoopRef rl, __CFSimThread *thread, bool hasWoken) {
    CFRunLoopModeRef rlm = rl->_currentMode;
    if (!rlm || rlm->_portSet != thread->set) return;
    checkStop(rl, rlm);
    checkTimers(rl, rlm, thread);
    if (rlm->_sources1) CFSetApplyFunction(rlm->_sources1, checkPort, thread);
    if (!hasWoken) return;
    if (rlm->_sources0) CFSetApplyFunction(rlm->_sources0, checkSource, thread);
    checkBlocks(rl, rlm, thread);
}

/// Whether each action that gives a loop work is followed by a wake-up of that loop, at once and in
/// the same place; or is its own thread's, outside of any run.
static bool checkWakes(const LoopProgram *program) {
    for (int i = 0; i < program->actionCount; i++) {
        const LoopAction *action = &program->actions[i], *next = action + 1;
        const LoopPlace *place = &program->places[action->place];
        bool needs = action->verb == doSignal || action->verb == doBlock || action->verb == doAdd;
        if (action->verb == doDeclare) return false;
        if (!needs) continue;
        int loop = action->item >= 0 ? program->items[action->item].thread : action->thread;
        if (place->kind == ofThread && (loop < 0 || loop == place->index)) continue;
        if (i + 1 == program->actionCount || next->place != action->place || next->verb != doWake
            || next->thread != loop || action->elsewhere || next->elsewhere)
            return false;
    }
    return true;
}

/// Finds an observer for each thread that sees its runs.
static void checkBegin(void) {
    for (int i = performance.program->itemCount - 1; i >= 0; i--)
        if (performance.program->items[i].kind == anObserver && checkWatches(i))
            performance.performers[performance.program->items[i].thread].watcher = i + 1;
    performance.isWoken = checkWakes(performance.program);
}

/// No thread has the turn, so nothing changes while this looks.
static void checkIdle(void *unused) {
    __CFSimThread *self = __CFSim.current;
    uint64_t seed = __CFSim.simulation.seed;
    bool hasWoken = performance.isWoken;
    __CFSim.simulation.seed = 0; // no pause switches
    for (__CFSimThread *thread = __CFSim.threads; thread; thread = thread->next) {
        if (thread->state != waitsForPorts) continue;
        for (int i = 0; i < performance.program->threadCount; i++)
            if (performance.performers[i].loop)
                checkSleeper(performance.performers[i].loop, thread, hasWoken);
    }
    __CFSim.simulation.seed = seed;
    __CFSim.current = self;
}
